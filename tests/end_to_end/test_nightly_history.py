"""What nights remember of runs: their times, asked once, from parts that may go at any time."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.ring_campaigns import write_trace
from tracemill.base.errors import StoreError
from tracemill.engine.analyze import Options, analyze
from tracemill.nightly import history
from tracemill.nightly.history import PastRun, Series, read_history
from tracemill.store import Store

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
    for part in parts(made):
        part.unlink()


def parts(folder: Path) -> list[Path]:
    return sorted((folder / "store" / "nightly" / "history").rglob("*.parquet"))


def read(folder: Path, *metrics: str) -> list[PastRun]:
    return read_history(Store(folder / "store"), folder / "traces", metrics=metrics)


def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many runs each asking is about."""
    counts: list[int] = []
    original = history.ask

    def counting(runs: Any, *asked: Any, **limits: Any) -> Any:
        counts.append(len(runs))
        return original(runs, *asked, **limits)

    monkeypatch.setattr(history, "ask", counting)
    return counts


def test_runs_stand_in_the_order_of_recording_with_their_times(folder: Path) -> None:
    runs = read(folder, "time", "computation", "overhead_initialise_finalise", "mpi_latesender")
    assert [(run.series, run.recorded_ns // SECOND) for run in runs] == [
        (Series("cg/c", 2, 1), 1), (Series("cg/a", 2, 1), 2), (Series("cg/b", 3, 1), 3),
    ]  # fmt: skip
    # Each process takes 10 ns in MPI_Init, its work, and 5 ns in MPI_Finalize; nobody waits.
    assert [run.values for run in runs] == [
        {
            "run_time": 15 + work,
            "time": processes * (15 + work),
            "computation": processes * work,
            "overhead_initialise_finalise": processes * 15,
        }
        for _, processes, work, _ in TRACES
    ]


def test_runs_are_asked_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = asked(monkeypatch)
    first = read(folder, "time")
    assert counts == [len(TRACES)]
    assert read(folder, "time") == first
    assert counts == [len(TRACES)]
    assert len(parts(folder)) == 1


def test_a_damaged_part_and_lost_parts_are_made_again(folder: Path) -> None:
    first = read(folder)
    (part,) = parts(folder)
    content = part.read_bytes()
    part.write_bytes(content[:-50])
    assert read(folder) == first
    assert part.read_bytes() == content
    part.unlink()
    assert read(folder) == first


def test_what_two_writers_tell_of_a_run_counts_once(folder: Path) -> None:
    first = read(folder)
    (part,) = parts(folder)
    rows = pq.read_table(part)
    for number in range(2):
        pq.write_table(rows.slice(number), part.with_name(f"{part.stem}-{number}.parquet"))
    assert read(folder) == first


def test_many_parts_become_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_PARTS", 2)
    first = read(folder)
    (part,) = parts(folder)
    rows = pq.read_table(part)
    part.unlink()
    for run in first:
        own = rows.filter([id == run.run_id for id in rows["run_id"].to_pylist()])
        pq.write_table(own, part.with_name(f"{part.stem}-{run.run_id}.parquet"))
    assert read(folder) == first
    assert parts(folder) == [part]
    counts = asked(monkeypatch)
    assert read(folder) == first
    assert counts == []


def test_parts_may_be_merged_while_they_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(folder)
    (part,) = parts(folder)
    original, listed = history._parts, [[part.with_name("gone.parquet")]]
    monkeypatch.setattr(
        history, "_parts", lambda store: listed.pop() if listed else original(store)
    )
    counts = asked(monkeypatch)
    assert read(folder) == first
    assert (counts, listed) == ([], [])


def test_a_store_that_is_only_read_has_a_history(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any) -> None:
        raise StoreError("read-only")

    monkeypatch.setattr(history, "_keep", refuse)
    assert len(read(folder)) == len(TRACES)
    assert parts(folder) == []


def test_a_run_that_cannot_be_asked_is_left_out(folder: Path) -> None:
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
