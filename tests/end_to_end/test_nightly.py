"""Nights over a store: what is new is analysed once, and nothing that goes wrong stops them."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.leasing import taken
from tests.nightly_cases import Notes, cut, night, write_archive
from tracemill.base.errors import ChangedTraceError, DamagedTraceError, StoreError
from tracemill.engine.analyze import Options
from tracemill.engine.workers import Died
from tracemill.nightly import analyze, work
from tracemill.nightly.agenda import Wishes
from tracemill.nightly.analyze import Failed
from tracemill.nightly.knowledge import Knowledge
from tracemill.nightly.night import plan_night
from tracemill.nightly.untold import Untold
from tracemill.readers import open_source
from tracemill.store import Run, Store
from tracemill.store.leases import name_of_analysis

IN_PROCESS = pytest.mark.usefixtures("_nights_in_process")
ONLY_READ = pytest.mark.usefixtures("_nights_that_only_read")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "traces").mkdir()
    return tmp_path / "traces"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def labels(runs: tuple[Run, ...]) -> list[str]:
    return sorted(run.label for run in runs)


def everything(store: Path) -> dict[str, int]:
    """All files of runs and reports with the times at which they were written."""
    files = [path for name in ("runs", "reports") for path in (store / name).rglob("*")]
    return {str(path): path.stat().st_mtime_ns for path in files}


def generations(store: Path) -> dict[str, int]:
    """How many generations each run has."""
    found = Store(store).runs_path.glob("run=*")
    return {run.name: len(list(run.glob("gen=*"))) for run in found}


def test_what_is_new_is_analysed_with_a_report_and_then_left_alone(
    source: Path, store: Path
) -> None:
    write_archive(source / "a" / "first", 40)
    write_archive(source / os.fsdecode(b"'s\xe9\nond'"), 50)
    outcome = night(source, store, has_report=True, jobs=2)
    assert labels(outcome.analysed) == ["'s\udce9\nond'", "first"]
    assert (outcome.failed, outcome.waiting, outcome.left) == ((), (), ())
    for run in outcome.analysed:
        assert (store / "reports" / f"run={run.run_id}" / "index.html").exists()
    assert list((store / "leases").iterdir()) == []
    before = everything(store)
    again = night(source, store, has_report=True)
    assert (again.analysed, again.unchanged_count) == ((), 2)
    assert everything(store) == before
    write_archive(source / "third", 60)
    assert labels(night(source, store).analysed) == ["third"]


@IN_PROCESS
def test_a_report_that_a_killed_night_did_not_write_is_written(source: Path, store: Path) -> None:
    write_archive(source / "a")
    (run,) = night(source, store).analysed
    page = store / "reports" / f"run={run.run_id}" / "index.html"
    assert not page.exists()
    night(source, store, has_report=True)
    assert page.exists()
    assert list(generations(store).values()) == [1]


@ONLY_READ
def test_what_a_night_analysed_and_did_not_tell_is_told_by_the_next(
    source: Path, store: Path
) -> None:
    write_archive(source / "a")
    before = labels(night(source, store, is_told=False).analysed)
    write_archive(source / "b", 50)
    second = night(source, store)
    assert (before, labels(second.analysed)) == (["a"], ["a", "b"])
    assert list(generations(store).values()) == [1, 1]
    shutil.copytree(source / "b", source / "copy")
    third = night(source, store)
    assert (third.analysed, third.unchanged_count) == ((), 3)
    assert Untold(Store(store)).anchors() == frozenset()


@ONLY_READ
def test_nothing_is_left_to_tell_of_what_failed_or_is_gone(source: Path, store: Path) -> None:
    cut(write_archive(source / "bad", 40))
    write_archive(source / "gone", 50)
    night(source, store, is_told=False)
    shutil.rmtree(source / "gone")
    night(source, store)
    assert Untold(Store(store)).anchors() == frozenset()


@ONLY_READ
def test_a_bad_archive_stops_no_other_and_is_tried_again_when_it_changes(
    source: Path, store: Path
) -> None:
    bad, notes = write_archive(source / "bad", 50), Notes()
    whole = (bad.with_suffix("") / "0.evt").read_bytes()
    cut(bad)
    write_archive(source / "good", 40)
    outcome = night(source, store, notes=notes)
    assert labels(outcome.analysed) == ["good"]
    (failure,) = outcome.failed
    assert (failure.path, failure.exit_code) == (bad, DamagedTraceError.exit_code)
    assert "0.evt is cut short" in failure.reason
    assert any("0.evt is cut short" in note for note in notes.notes)

    again = night(source, store)
    assert (again.analysed, again.failed) == ((), ())
    assert again.quarantined == (failure,)

    tried = night(source, store, is_retrying=True)
    assert [each.path for each in tried.failed] == [bad]
    assert tried.failed[0].since == failure.since

    (bad.with_suffix("") / "0.evt").write_bytes(whole)
    mended = night(source, store)
    assert labels(mended.analysed) == ["bad"]
    assert list((store / "nightly" / "quarantine").iterdir()) == []


@ONLY_READ
def test_the_quarantine_forgets_what_is_gone(source: Path, store: Path) -> None:
    bad = write_archive(source / "bad")
    cut(bad)
    night(source, store)
    shutil.rmtree(bad.parent)
    assert night(source, store).quarantined == ()
    assert list((store / "nightly" / "quarantine").iterdir()) == []


@ONLY_READ
def test_a_store_that_fails_for_one_archive_stops_no_other_and_is_tried_every_night(
    source: Path, store: Path
) -> None:
    """A file lies where the folder of the run has to be."""
    blocked = write_archive(source / "blocked", 40)
    write_archive(source / "free", 50)
    in_the_way = Store(store).runs_path / f"run={open_source(blocked).identity().run_id}"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("")
    for due in (["free"], []):
        outcome = night(source, store)
        assert labels(outcome.analysed) == due
        (failure,) = outcome.failed
        assert (failure.path, failure.exit_code) == (blocked, StoreError.exit_code)
        assert failure.reason.startswith("a file is in the way")
        assert datetime.fromisoformat(failure.since) <= datetime.now(UTC)
        assert outcome.quarantined == ()
    in_the_way.unlink()
    assert labels(night(source, store).analysed) == ["blocked"]


@ONLY_READ
@pytest.mark.parametrize(
    ("outcome", "exit_code", "told"),
    [
        (Died(-9), 137, "its analysis was killed"),
        (Failed(reason="Tracemill failed: KeyError: 3", exit_code=1), 1, "KeyError"),
    ],
)
def test_a_death_and_a_mistake_of_ours_are_reasons(
    outcome: Any,
    exit_code: int,
    told: str,
    source: Path,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_archive(source / "a")

    def fail(_: object, items: Iterator[Any], **__: object) -> Iterator[tuple[int, Any]]:
        for number, _ in enumerate(items):
            yield number, outcome

    monkeypatch.setattr(analyze, "work_through", fail)
    (failure,) = night(source, store).failed
    assert failure.exit_code == exit_code
    assert told in failure.reason
    assert night(source, store).failed == ()


@ONLY_READ
@pytest.mark.parametrize("exit_code", [0, -15])
def test_an_analysis_that_is_told_to_end_is_left_for_the_next_night(
    exit_code: int, source: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = write_archive(source / "a")

    def stop(_: object, items: Iterator[Any], **__: object) -> Iterator[tuple[int, Any]]:
        for number, _ in enumerate(items):
            yield number, Died(exit_code)

    monkeypatch.setattr(analyze, "work_through", stop)
    outcome = night(source, store)
    assert (outcome.left, outcome.failed) == ((anchor,), ())


@ONLY_READ
@pytest.mark.parametrize(
    "outcome",
    [
        Failed(reason="changed", exit_code=ChangedTraceError.exit_code, is_change=True),
        Failed(reason="cut short", exit_code=DamagedTraceError.exit_code),
    ],
    ids=["seen by the analysis", "seen afterwards"],
)
def test_what_changes_while_it_is_read_waits_for_another_night(
    outcome: Failed, source: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = write_archive(source / "a")

    def fail(_: object, items: Iterator[Any], **__: object) -> Iterator[tuple[int, Any]]:
        for number, _ in enumerate(items):
            if not outcome.is_change:
                os.utime(anchor)
            yield number, outcome

    monkeypatch.setattr(analyze, "work_through", fail)
    found = night(source, store)
    assert [each.reason for each in found.waiting] == ["changed while it was read"]
    assert found.failed == ()
    monkeypatch.undo()
    assert labels(night(source, store).analysed) == ["a"]


@ONLY_READ
def test_a_changed_archive_and_one_that_replaces_another_are_new(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a", 40)
    night(source, store)
    shutil.rmtree(anchor.parent)
    write_archive(source / "a", 50)
    assert labels(night(source, store).analysed) == ["a"]
    shutil.rmtree(anchor.parent)
    write_archive(source / "a", 60, "another")
    assert labels(night(source, store).analysed) == ["a"]
    assert night(source, store).unchanged_count == 1


@ONLY_READ
def test_a_copy_is_no_new_run_and_a_moved_archive_keeps_its_run(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    (run,) = night(source, store).analysed
    shutil.copytree(anchor.parent, source / "copy")
    outcome = night(source, store)
    assert (outcome.analysed, outcome.unchanged_count) == ((), 2)
    assert Store(store).open(run.run_id).source.path == str(anchor)
    assert night(source, store).unchanged_count == 2
    shutil.rmtree(anchor.parent)
    (source / "copy").rename(source / "moved")
    night(source, store)
    assert Store(store).open(run.run_id).label == "moved"
    assert list(generations(store).values()) == [1]


@ONLY_READ
def test_names_of_any_kind_are_analysed(source: Path, store: Path) -> None:
    names = ["two words", "Überlauf-測試", "line\nbreak", "x..y", "'; touch $HOME #", "-rf"]
    folders = [source / name for name in names]
    folders.append(Path(os.fsdecode(os.fsencode(source) + b"/caf\xe9")))
    for number, folder in enumerate(folders):
        write_archive(folder, 40 + number, f"work{number}")
    cut(write_archive(Path(os.fsdecode(os.fsencode(source) + b"/cut\xe9\nshort")), 90, "cut"))
    outcome = night(source, store)
    assert len(outcome.analysed) == len(folders)
    assert "cut?" in outcome.failed[0].reason
    again = night(source, store)
    assert (again.unchanged_count, len(again.quarantined)) == (len(folders), 1)


@ONLY_READ
def test_who_waits_for_others_asks_the_store_a_twentieth_of_the_time(
    source: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that stands still but for looks at the store, of 10 s each, and rests."""
    anchor = write_archive(source / "a")
    now, looks = 0.0, 0

    def pass_by(seconds: float) -> None:
        nonlocal now
        now += seconds

    def look(known: Knowledge) -> Knowledge:
        nonlocal looks
        looks += 1
        pass_by(10.0)
        return known

    clock = SimpleNamespace(monotonic=lambda: now, perf_counter=lambda: now, sleep=pass_by)
    monkeypatch.setattr(work, "time", clock)
    monkeypatch.setattr(Knowledge, "renewed", look)
    wishes = Wishes(jobs=1, settle_seconds=-60, has_report=False)
    options, opened = Options(threads=1), Store(store)
    due = plan_night(source, store=opened, options=options, wishes=wishes).due
    waiting = work.Work(opened, options, wishes, 2_000.0, Notes(), Knowledge(opened, options))
    with taken(opened.leases_path, name_of_analysis(anchor)):
        waiting.do(due)
    assert list(waiting.left) == [anchor]
    # The first look comes after 1 s, the others after 200 s: the tenth ends at 11 + 9 * 210 = 1901.
    # The rest before the last one ends when time is over.
    assert (looks, now) == (11, 2_010.0)


@ONLY_READ
def test_when_time_is_over_the_rest_is_left(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    outcome = night(source, store, max_seconds=0)
    assert (outcome.left, outcome.analysed) == ((anchor,), ())
    assert generations(store) == {}
    assert labels(night(source, store).analysed) == ["a"]


@ONLY_READ
def test_what_last_changed_long_ago_can_be_left_alone(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    changed_at = max(path.stat().st_ctime for path in anchor.parent.rglob("*"))
    assert night(source, store, since=changed_at + 1).analysed == ()
    assert labels(night(source, store, since=changed_at - 1).analysed) == ["a"]


@ONLY_READ
def test_a_plan_says_what_would_be_done_and_writes_nothing(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    wishes = Wishes(jobs=1, settle_seconds=-60)
    agenda = plan_night(source, store=Store(store), options=Options(threads=1), wishes=wishes)
    assert [each.anchor for each in agenda.due] == [anchor]
    assert not store.exists()


@IN_PROCESS
def test_other_options_make_everything_due(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    night(source, store)
    options = Options(threads=1, parameters={"overhead_classes": "others"})
    plans = [
        plan_night(
            source,
            store=Store(store),
            options=each,
            wishes=Wishes(jobs=1, settle_seconds=-60, has_report=False),
        )
        for each in (Options(threads=2), options)
    ]
    assert [[each.anchor for each in plan.due] for plan in plans] == [[], [anchor]]


@ONLY_READ
def test_a_run_that_lost_a_table_is_analysed_again(source: Path, store: Path) -> None:
    write_archive(source / "a")
    (run,) = night(source, store).analysed
    assert night(source, store).unchanged_count == 1
    (run.path / "regions.parquet").unlink()
    again = night(source, store)
    assert not Store(store).open(run.run_id).missing_tables()
    assert (labels(again.again), again.analysed) == (["a"], ()), "it was judged before"
    assert night(source, store).unchanged_count == 1
