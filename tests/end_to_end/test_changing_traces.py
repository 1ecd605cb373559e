"""Traces that change while they are read, or are replaced, and several that analyze one at once."""

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers.fake_source import Case, FakeSource, contents, write_trace
from tests.helpers.processes import start_function
from tracemill import cli
from tracemill.base.errors import ChangedTraceError, DamagedTraceError
from tracemill.engine.analyze import Analysis, Options, analyze, analyze_source
from tracemill.engine.progress import SilentReporter
from tracemill.readers import open_source
from tracemill.store.runs import Store

ROOT = Path(__file__).parents[2]
ARCHIVE = ROOT / "data" / "m01_late_sender"


class When(SilentReporter):
    """Does something once, when a stage starts."""

    def __init__(self, stage: str, act: Callable[[], object]) -> None:
        self._stage, self._act = stage, act
        self.is_done = False

    def stage_started(self, name: str, total: int | None) -> None:
        if name == self._stage and not self.is_done:
            self.is_done = True
            self._act()


def names(store: Store) -> list[str]:
    return sorted(path.name for path in store.runs_path.rglob("*") if path.name != "current.json")


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return shutil.copytree(ARCHIVE, tmp_path / "traces" / "m01")


# --- Changed while it is read --------------------------------------------------------------------


def analyzed_when(case: Case, reporter: When, **parameters: int) -> Analysis:
    return analyze_source(
        case.source,
        store=case.store,
        options=Options(threads=1, parameters=parameters),
        reporter=reporter,
        recipe=case.recipe,
    )


@pytest.mark.parametrize("stage", ["read", "place_totals", "stay_counts"])
@pytest.mark.parametrize("has_earlier", [False, True])
def test_of_a_trace_that_changes_while_it_is_read_nothing_is_published(
    case: Case, stage: str, has_earlier: bool
) -> None:
    if has_earlier:
        case.analyze()
        write_trace(case.folder / "first", stays=((1,), (2,)))
    before = names(case.store)
    change = When(stage, lambda: write_trace(case.folder / "first", stays=((50,), (60, 70))))
    with pytest.raises(ChangedTraceError, match=r"changed while it was read: trace\.json: nothing"):
        analyzed_when(case, change)
    assert names(case.store) == before
    analysis = case.analyze()
    totals = analysis.run.read("place_totals")["duration_ns"].to_pylist()
    assert totals == [50, 130]


def test_what_is_damaged_because_it_is_being_written_is_reported_as_changed(case: Case) -> None:
    @dataclass(frozen=True)
    class Growing(FakeSource):
        def read(self, *_: object, **__: object) -> None:
            path = self.path
            path.write_text(path.read_text() + " ")
            raise DamagedTraceError("the trace is damaged: it ends early")

    case.source = Growing(case.source.path)
    with pytest.raises(ChangedTraceError) as caught:
        case.analyze()
    assert isinstance(caught.value.__context__, DamagedTraceError)


def test_a_trace_that_is_gone_while_it_is_read_is_reported_as_changed(case: Case) -> None:
    gone = When("read", case.source.path.unlink)
    with pytest.raises(ChangedTraceError, match=r"trace\.json: nothing was published"):
        analyzed_when(case, gone)
    assert names(case.store) == []


def test_a_change_does_not_matter_when_the_trace_is_not_read(case: Case) -> None:
    case.analyze()
    changed = When("double", lambda: write_trace(case.folder / "first", stays=((50,), (60, 70))))
    analysis = analyzed_when(case, changed, factor=3)
    assert changed.is_done
    assert analysis.run.read("doubled")["duration_ns"].to_pylist() == [60, 210]


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("change", [Path.unlink, touch])
@pytest.mark.parametrize("file", ["traces.otf2", "traces.def", "traces/0.evt"])
def test_an_archive_that_changes_is_reported_with_the_file(
    archive: Path, tmp_path: Path, change: Callable[[Path], None], file: str
) -> None:
    store, source = Store(tmp_path / "store"), open_source(archive)
    changed = When("messages", lambda: change(archive / file))
    with pytest.raises(ChangedTraceError, match=r"traces\.otf2: the (archive|trace) .* complete$"):
        analyze_source(source, store=store, options=Options(threads=1), reporter=changed)
    assert changed.is_done
    assert names(store) == []


def test_an_archive_that_is_replaced_while_it_is_opened_is_not_read(
    archive: Path, tmp_path: Path
) -> None:
    source = open_source(archive)
    touch(archive / "traces.def")
    with pytest.raises(ChangedTraceError, match="replaced while it was opened"):
        analyze_source(source, store=Store(tmp_path / "store"))


# --- Several at once -----------------------------------------------------------------------------


def test_who_is_overtaken_while_analyzing_gives_what_the_other_published(case: Case) -> None:
    others: list[Analysis] = []
    overtaken = analyzed_when(case, When("publish", lambda: others.append(case.analyze())))
    (other,) = others
    assert overtaken.run.path == other.run.path
    assert case.generations == [other.run.path]


def test_who_is_overtaken_before_beginning_does_not_begin(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Store.has_generation

    def late(store: Store, run_id: str, key: str) -> bool:
        monkeypatch.undo()
        case.analyze()  # by another process, between the look and the beginning
        return original(store, run_id, key)

    monkeypatch.setattr(Store, "has_generation", late)
    analysis = case.analyze()
    assert not analysis.is_new
    assert case.generations == [analysis.run.path]


def _analyze(archive: Path, store: Path, results: "multiprocessing.Queue[object]") -> None:
    try:
        run = analyze(archive, store=Store(store), options=Options(threads=1)).run
        results.put(str(run.path))
    except BaseException as error:
        results.put(error)
        raise


def test_processes_that_analyze_one_trace_at_once_need_no_lease(
    archive: Path, tmp_path: Path
) -> None:
    results: multiprocessing.Queue[object] = multiprocessing.get_context("spawn").Queue()
    store = Store(tmp_path / "store")
    processes = [start_function(_analyze, archive, store.path, results) for _ in range(3)]
    paths = {results.get(timeout=120) for _ in processes}
    for process in processes:
        process.join()
    (run,) = store.runs()
    assert paths == {str(run.path)}
    assert [path.name for path in run.path.parent.iterdir() if path.is_dir()] == [run.path.name]
    alone = analyze(archive, store=Store(tmp_path / "alone"), options=Options(threads=1)).run
    assert contents(run.path) == contents(alone.path)


# --- Replaced by another of the same name --------------------------------------------------------


def replaced(case: Case) -> tuple[str, str]:
    """Run ids of two traces of which the second took the place of the first."""
    first = case.analyze().run.run_id
    write_trace(case.folder / "first", identity="two", stays=((1,),))
    second = case.analyze().run.run_id
    assert first != second
    return first, second


@pytest.mark.parametrize("name", ["first", "path", "folder"])
def test_a_name_means_the_trace_that_is_there_now(case: Case, name: str) -> None:
    path = case.source.path
    asked = {"first": "first", "path": path, "folder": path.parent}[name]
    first, second = replaced(case)
    assert case.store.open(asked).run_id == second
    write_trace(case.folder / "first")  # the first one is back, and not analyzed anew
    moment = case.store.open(first).source.files[0].mtime_ns
    os.utime(path, ns=(moment, moment))
    assert case.store.open(asked).run_id == first
    path.unlink()
    assert case.store.open(asked).run_id == second
    assert case.store.open(first).run_id == first


def test_traces_of_one_name_at_different_places_are_still_several(case: Case) -> None:
    replaced(case)
    write_trace(case.folder / "more" / "first", identity="three")
    case.source = FakeSource(case.folder / "more" / "first" / "trace.json")
    case.analyze()
    assert json.loads(case.source.path.read_text())["id"] == "three"
    assert cli.main(["quality", "first", "--store", str(case.store.path)]) == 11
