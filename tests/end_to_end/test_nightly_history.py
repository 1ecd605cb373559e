"""The run times of a store, each queried once and kept in a file that may be deleted."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.helpers.ring_campaigns import write_trace
from tracemill.base.errors import StoreError
from tracemill.engine.analyze import Options, analyze
from tracemill.nightly import history
from tracemill.nightly.history import PastRun, RunSeries, read_history
from tracemill.store.runs import Store

SECOND = 10**9
# Name, processes, ns of work, and when it was recorded: not in the order of the names.
TRACES = [("cg/c", 2, 100, 1), ("cg/a", 2, 140, 2), ("cg/b", 3, 90, 3)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("history")
    for name, processes, work, day in TRACES:
        path = folder / "traces" / name / "1.csv"
        path.parent.mkdir(parents=True)
        write_trace(path, processes, work)
        os.utime(path, ns=(day * SECOND, day * SECOND))
        analyze(path, store=Store(folder / "store"), options=Options(threads=1))
    return folder


@pytest.fixture
def folder(made: Path) -> Iterator[Path]:
    """The store with no history yet."""
    yield made
    for file in files(made):
        file.unlink()


def files(folder: Path) -> list[Path]:
    return sorted((folder / "store" / "nightly" / "history").rglob("*.parquet"))


def read(folder: Path) -> list[PastRun]:
    return read_history(Store(folder / "store"), folder / "traces")


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of runs of each query."""
    counts: list[int] = []
    original = history.query_runs

    def counting(runs: Any, *given: Any, **limits: Any) -> Any:
        counts.append(len(runs))
        return original(runs, *given, **limits)

    monkeypatch.setattr(history, "query_runs", counting)
    return counts


def test_runs_stand_in_the_order_of_recording_with_their_times(folder: Path) -> None:
    # Each process takes 10 ns in MPI_Init, its work, which counts, and 5 ns in MPI_Finalize.
    assert [(run.series, run.recorded_ns // SECOND, run.run_time_ns) for run in read(folder)] == [
        (RunSeries(name, processes, 1), day, work) for name, processes, work, day in TRACES
    ]


def test_each_run_is_queried_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted(monkeypatch)
    first = read(folder)
    assert counts == [len(TRACES)]
    assert read(folder) == first
    assert counts == [len(TRACES)]


def test_a_damaged_file_and_a_lost_one_are_made_again(folder: Path) -> None:
    first = read(folder)
    (file,) = files(folder)
    content = file.read_bytes()
    file.write_bytes(content[:-50])
    assert read(folder) == first
    assert file.read_bytes() == content
    file.unlink()
    assert read(folder) == first


def test_only_runs_that_are_missing_in_the_file_are_queried(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two nights that wrote the file at once, one had not seen the last run."""
    first = read(folder)
    (file,) = files(folder)
    pq.write_table(pq.read_table(file).slice(1), file)
    counts = counted(monkeypatch)
    assert read(folder) == first
    assert counts == [1]
    assert pq.read_table(file).num_rows == len(TRACES)


def test_a_read_only_store_has_a_history(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise StoreError("read-only")

    monkeypatch.setattr(history, "_write", refuse)
    assert len(read(folder)) == len(TRACES)
    assert files(folder) == []


def test_an_unreadable_run_is_left_out(folder: Path) -> None:
    run = Store(folder / "store").runs()[0]
    (file,) = run.files("locations")
    content = file.read_bytes()
    try:
        file.write_bytes(b"x" * len(content))
        left = [each.run_id for each in read(folder)]
        assert len(left) == len(TRACES) - 1
        assert run.run_id not in left
    finally:
        file.write_bytes(content)
    assert len(read(folder)) == len(TRACES)


def test_an_empty_store_has_no_history(tmp_path: Path) -> None:
    assert read_history(Store(tmp_path), tmp_path) == []
