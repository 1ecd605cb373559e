"""Nights over a store analyze each new archive once, and no failure stops them."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.nights import Notes, cut, night, write_archive
from tracemill.base.errors import ChangedTraceError, DamagedTraceError, StoreError
from tracemill.engine.analyze import Options
from tracemill.engine.workers import Died
from tracemill.nightly import analyze
from tracemill.nightly.agenda import Agenda, NightOptions
from tracemill.nightly.analyze import analyze_archive, outcome_of
from tracemill.nightly.night import plan_night
from tracemill.nightly.notes import unreported
from tracemill.nightly.outcome import Failed
from tracemill.readers import open_source
from tracemill.store.runs import Run, Store


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "traces").mkdir()
    return tmp_path / "traces"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def labels(runs: tuple[Run, ...]) -> list[str]:
    return sorted(run.label for run in runs)


def files_of_runs(store: Path) -> dict[str, int]:
    """All files of runs and of their reports with the times at which they were written."""
    paths = [*(store / "runs").rglob("*"), *(store / "reports").glob("run=*/*")]
    return {str(path): path.stat().st_mtime_ns for path in paths}


def generations(store: Path) -> dict[str, int]:
    """The number of generations of each run."""
    found = Store(store).runs_path.glob("run=*")
    return {run.name: len(list(run.glob("gen=*"))) for run in found}


def plan(source: Path, store: Path, options: Options | None = None, **night: Any) -> Agenda:
    night_options = NightOptions(jobs=1, settle_seconds=-60, has_report=False, **night)
    return plan_night(
        source, store=Store(store), options=options or Options(threads=1), night=night_options
    )


def test_new_archives_are_analyzed_with_a_report_and_then_left_alone(
    source: Path, store: Path
) -> None:
    write_archive(source / "a" / "first", 40)
    write_archive(source / os.fsdecode(b"'s\xe9\nond'"), 50)
    outcome = night(source, store, has_report=True)
    assert labels(outcome.analyzed) == ["'s\udce9\nond'", "first"]
    assert (outcome.failed, outcome.waiting, outcome.left) == ((), (), ())
    for run in outcome.analyzed:
        assert (store / "reports" / f"run={run.run_id}" / "index.html").exists()
    assert list((store / "leases").iterdir()) == []
    before = files_of_runs(store)
    again = night(source, store, has_report=True)
    assert (again.analyzed, again.unchanged_count) == ((), 2)
    assert files_of_runs(store) == before
    write_archive(source / "third", 60)
    assert labels(night(source, store).analyzed) == ["third"]


def test_a_missing_report_is_written(source: Path, store: Path) -> None:
    """A night was killed between the analysis and the report of the run."""
    write_archive(source / "a")
    (run,) = night(source, store).analyzed
    page = store / "reports" / f"run={run.run_id}" / "index.html"
    assert not page.exists()
    night(source, store, has_report=True)
    assert page.exists()
    assert list(generations(store).values()) == [1]


def test_the_next_night_reports_what_a_killed_night_analyzed(source: Path, store: Path) -> None:
    write_archive(source / "a")
    cut(write_archive(source / "bad", 60))
    write_archive(source / "gone", 70)
    before = night(source, store, is_reported=False)
    assert (labels(before.analyzed), len(before.failed)) == (["a", "gone"], 1)
    shutil.rmtree(source / "gone")
    write_archive(source / "b", 50)
    assert labels(night(source, store).analyzed) == ["a", "b"]
    assert set(generations(store).values()) == {1}
    shutil.copytree(source / "b", source / "copy")
    third = night(source, store)
    assert (third.analyzed, third.unchanged_count) == ((), 3)
    assert unreported(Store(store)).anchors() == frozenset()


def test_a_bad_archive_stops_no_other_and_is_tried_again_when_it_changes(
    source: Path, store: Path
) -> None:
    bad, notes = write_archive(source / "bad", 50), Notes()
    whole = (bad.with_suffix("") / "0.evt").read_bytes()
    cut(bad)
    write_archive(source / "good", 40)
    outcome = night(source, store, notes=notes)
    assert labels(outcome.analyzed) == ["good"]
    (failure,) = outcome.failed
    assert (failure.path, failure.exit_code) == (bad, DamagedTraceError.exit_code)
    assert "0.evt is cut short" in failure.reason
    assert any("0.evt is cut short" in note for note in notes.notes)

    again = night(source, store)
    assert (again.analyzed, again.failed) == ((), ())
    assert again.quarantined == (failure,)

    tried = night(source, store, is_retrying=True)
    assert [each.path for each in tried.failed] == [bad]
    assert tried.failed[0].since == failure.since

    (bad.with_suffix("") / "0.evt").write_bytes(whole)
    assert labels(night(source, store).analyzed) == ["bad"]
    assert list((store / "nightly" / "quarantine").iterdir()) == []


def test_the_quarantine_forgets_removed_archives(source: Path, store: Path) -> None:
    bad = write_archive(source / "bad")
    cut(bad)
    night(source, store)
    shutil.rmtree(bad.parent)
    assert night(source, store).quarantined == ()
    assert list((store / "nightly" / "quarantine").iterdir()) == []


def test_a_failure_of_the_store_for_one_archive_stops_no_other_and_is_tried_every_night(
    source: Path, store: Path
) -> None:
    """A file is in the way of the folder of the run."""
    blocked = write_archive(source / "blocked", 40)
    write_archive(source / "free", 50)
    in_the_way = Store(store).runs_path / f"run={open_source(blocked).identity().run_id}"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("")
    for due in (["free"], []):
        outcome = night(source, store)
        assert labels(outcome.analyzed) == due
        (failure,) = outcome.failed
        assert (failure.path, failure.exit_code) == (blocked, StoreError.exit_code)
        assert failure.reason.startswith("a file is in the way")
        assert datetime.fromisoformat(failure.since) <= datetime.now(UTC)
        assert outcome.quarantined == ()
    in_the_way.unlink()
    assert labels(night(source, store).analyzed) == ["blocked"]


def test_a_killed_analysis_is_a_failure_and_a_stopped_one_is_not() -> None:
    killed = outcome_of(Died(-9))
    assert killed is not None
    assert (killed.exit_code, killed.cause) == (137, "archive")
    assert killed.reason.startswith("its analysis was killed")
    assert [outcome_of(Died(code)) for code in (0, -15)] == [None, None]


def test_a_bug_is_a_failure_of_one_archive(
    source: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path) -> None:
        raise KeyError(3)

    write_archive(source / "a")
    (archive,) = plan(source, store).due
    monkeypatch.setattr(analyze, "open_source", fail)
    found = analyze_archive(archive, store=store, options=Options(threads=1), has_report=False)
    assert isinstance(found, Failed)
    assert found.exit_code == 1
    assert "Tracemill failed: KeyError: 3; please report it" in found.reason
    assert "in fail" in found.details


@pytest.mark.parametrize(
    "outcome",
    [
        Failed(reason="changed", exit_code=ChangedTraceError.exit_code, cause="change"),
        Failed(reason="cut short", exit_code=DamagedTraceError.exit_code),
    ],
    ids=["seen by the analysis", "seen afterwards"],
)
def test_an_archive_that_changes_while_it_is_read_waits_for_another_night(
    outcome: Failed, source: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = write_archive(source / "a")

    def fail(_: object, items: Iterator[Any], **__: object) -> Iterator[tuple[int, Any]]:
        for number, _ in enumerate(items):
            if outcome.cause == "archive":
                os.utime(anchor)
            yield number, outcome

    with monkeypatch.context() as patch:
        patch.setattr(analyze, "work_through", fail)
        found = night(source, store)
    assert [each.reason for each in found.waiting] == ["changed while it was read"]
    assert found.failed == ()
    assert labels(night(source, store).analyzed) == ["a"]


def test_a_changed_archive_and_one_that_replaces_another_are_new(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a", 40)
    night(source, store)
    shutil.rmtree(anchor.parent)
    write_archive(source / "a", 50)
    assert labels(night(source, store).analyzed) == ["a"]
    shutil.rmtree(anchor.parent)
    write_archive(source / "a", 60, "another")
    assert labels(night(source, store).analyzed) == ["a"]
    assert night(source, store).unchanged_count == 1


def test_a_copy_is_no_new_run_and_a_moved_archive_keeps_its_run(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    (run,) = night(source, store).analyzed
    shutil.copytree(anchor.parent, source / "copy")
    outcome = night(source, store)
    assert (outcome.analyzed, outcome.unchanged_count) == ((), 2)
    assert Store(store).open(run.run_id).source.path == str(anchor)
    assert len(plan(source, store).run_ids) == 2
    shutil.rmtree(anchor.parent)
    (source / "copy").rename(source / "moved")
    night(source, store)
    assert Store(store).open(run.run_id).label == "moved"
    assert list(generations(store).values()) == [1]


def test_archives_with_any_name_are_analyzed(source: Path, store: Path) -> None:
    names = ["two words", "line\nbreak", "'; touch $HOME #", "-rf"]
    folders = [source / name for name in names]
    folders.append(Path(os.fsdecode(os.fsencode(source) + b"/caf\xe9")))
    for number, folder in enumerate(folders):
        write_archive(folder, 40 + number, f"work{number}")
    cut(write_archive(Path(os.fsdecode(os.fsencode(source) + b"/cut\xe9\nshort")), 90, "cut"))
    outcome = night(source, store)
    assert len(outcome.analyzed) == len(folders)
    assert "cut?" in outcome.failed[0].reason
    again = night(source, store)
    assert (again.unchanged_count, len(again.quarantined)) == (len(folders), 1)


def test_archives_are_left_when_time_is_over(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    outcome = night(source, store, max_seconds=0)
    assert (outcome.left, outcome.analyzed) == ((anchor,), ())
    assert generations(store) == {}
    assert labels(night(source, store).analyzed) == ["a"]


def test_a_running_analysis_is_stopped_when_time_is_over(source: Path, store: Path) -> None:
    for number in range(3):
        write_archive(source / f"a{number}", 40 + number, f"work{number}")
    first = night(source, store, max_seconds=0.4)
    assert first.left
    assert first.failed == ()
    assert list(store.glob("runs/*/.writing*")) == []
    second = night(source, store)
    assert len(first.analyzed) + len(second.analyzed) == 3
    assert (second.failed, second.left) == ((), ())


def test_a_plan_names_what_is_due_and_writes_nothing(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    assert [each.anchor for each in plan(source, store).due] == [anchor]
    changed_at = max(path.stat().st_ctime for path in anchor.parent.rglob("*"))
    old = plan(source, store, since=changed_at + 1)
    assert (old.due, old.too_old_count) == ((), 1)
    assert len(plan(source, store, since=changed_at - 1).due) == 1
    assert not store.exists()


def test_other_options_and_lost_tables_make_archives_due(source: Path, store: Path) -> None:
    anchor = write_archive(source / "a")
    (run,) = night(source, store).analyzed
    assert plan(source, store, Options(threads=2)).due == ()
    others = Options(threads=1, parameters={"overhead_classes": "others"})
    assert [each.anchor for each in plan(source, store, others).due] == [anchor]
    (run.path / "regions.parquet").unlink()
    again = night(source, store)
    assert not Store(store).open(run.run_id).missing_tables()
    assert (labels(again.again), again.analyzed) == (["a"], ()), "it was judged before"
    assert night(source, store).unchanged_count == 1
