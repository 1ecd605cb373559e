"""Readers see whole runs, and no error, whatever others publish, remove and leave half-done."""

import random
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tests.helpers.endless_work import NAMES, work_on
from tests.helpers.processes import start_function
from tests.helpers.store_cases import publish
from tracemill import cli
from tracemill.store import runs
from tracemill.store.manifest import MANIFEST_NAME, Manifest
from tracemill.store.runs import Run, Store
from tracemill.store.sweep import remove

POLLS = 15


@contextmanager
def working(store: Store, work: str) -> Iterator[BaseProcess]:
    """A process at work, killed without a warning in the end."""
    process = start_function(work_on, store, work)
    try:
        yield process
    finally:
        process.kill()
        process.join()


@pytest.mark.parametrize("work", ["publish", "generations", "runs"])
def test_a_reader_sees_whole_runs_and_no_error(tmp_path: Path, work: str) -> None:
    store, chance = Store(tmp_path / "store"), random.Random(work)
    for name in NAMES:
        publish(store, name)
    seen: set[str] = set()
    with ExitStack() as lasting:
        processes = [lasting.enter_context(working(store, work))]
        with working(store, "publish") as killed:
            while len(seen) < 4:  # both of them are at work
                seen |= {run.generation for run in store.runs()}
        assert killed.exitcode == -signal.SIGKILL
        processes.append(lasting.enter_context(working(store, "publish")))
        for _ in range(POLLS):
            seen |= poll(store, chance.choice(NAMES), work)
        for process in processes:
            assert process.exitcode is None
    assert len(seen) >= 4
    store.sweep()
    assert not list(store.path.rglob(".writing~*"))


def poll(store: Store, name: str, work: str) -> set[str]:
    """Read in all ways; the generations that were seen."""
    found = store.runs()
    current = store.current(name)
    store.sources()
    store.summaries()
    with store.connect(threads=1) as connection:
        if work != "runs":
            assert {run.run_id for run in found} == set(NAMES)
            assert store.open(name).run_id == name
            assert current is not None
        if work == "publish":
            counts = connection.sql("SELECT run_id, count(*) FROM places GROUP BY ALL ORDER BY 1")
            assert counts.fetchall() == [(each, 2) for each in NAMES]
            assert not any(run.missing_tables() for run in found)
    return {run.generation for run in found}


# --- The same one by one -------------------------------------------------------------------------


def superseded_while_read(monkeypatch: pytest.MonkeyPatch, store: Store, *, is_new: bool) -> None:
    """Between the pointer and the manifest that it names, remove the run, or supersede it."""
    original = Manifest.load

    def load(path: Path) -> Manifest:
        monkeypatch.undo()
        if is_new:
            publish(store, "r1", "g2")
        else:
            (path.parents[1] / "current.json").unlink()
        remove(path.parent)
        return original(path)

    monkeypatch.setattr(Manifest, "load", load)


def test_of_a_generation_removed_while_it_is_looked_up_the_next_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    publish(store, "r1", "g1")
    superseded_while_read(monkeypatch, store, is_new=True)
    assert store.open("r1").generation == "g2"
    superseded_while_read(monkeypatch, store, is_new=False)
    assert store.current("r1") is None
    assert store.generation("r1", "g2") is None


def test_runs_that_go_while_all_are_opened_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    for name in NAMES:
        publish(store, name)
    original = runs.create_union_view

    def create(*given: object, **named: object) -> None:
        monkeypatch.undo()
        remove(store.runs_path / "run=r2")
        original(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "create_union_view", create)
    with store.connect(threads=1) as connection:
        found = connection.sql("SELECT DISTINCT run_id FROM places ORDER BY 1").fetchall()
    assert found == [("r1",), ("r3",)]


def test_a_run_that_goes_while_runs_are_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path)
    for name in NAMES:
        publish(store, name)
    original = Run.missing_tables

    def missing(run: Run) -> list[str]:
        if run.run_id == "r2":
            remove(run.path)
        return original(run) or ["visits"]

    monkeypatch.setattr(Run, "missing_tables", missing)
    assert cli.main(["runs", "--store", str(tmp_path)]) == 0
    listed = {line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]}
    assert listed == {"r1", "r3"}


def test_who_reads_what_is_gone_is_reported(tmp_path: Path) -> None:
    publish(Store(tmp_path), "r1")
    run = Store(tmp_path).open()
    remove(run.path)
    with pytest.raises(runs.StoreError, match=r"the run is gone: .*removed just now"):
        run.read("places")


def test_a_record_that_stays_damaged_is_still_an_error(tmp_path: Path) -> None:
    path = publish(Store(tmp_path), "r1")
    (path / MANIFEST_NAME).unlink()
    with pytest.raises(runs.StoreError, match=r"manifest\.json: No such file"):
        Store(tmp_path).current("r1")
