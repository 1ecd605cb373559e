"""Processes that work on many items: results, failures, deaths, and what is left when they end."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest

from tracemill.base.errors import DamagedTraceError
from tracemill.campaign.analyzing import _analyze_traces, share_options
from tracemill.engine.analyze import Options
from tracemill.engine.workers import Died, work_through
from tracemill.store.runs import Store


def double(number: int) -> int:
    return 2 * number


def die_at(number: int, unlucky: int) -> int:
    if number == unlucky:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def fail_at(number: int, error: Exception) -> int:
    if number == 2:
        raise error
    return number


@contextmanager
def folder(path: Path) -> Iterator[None]:
    path.mkdir()
    try:
        yield
    finally:
        path.rmdir()


def linger(place: Path) -> None:
    with folder(place):
        time.sleep(300)


def linger_in_c(place: Path) -> None:
    """Be in Python that C code has called, which loses exceptions, and then work on."""
    with folder(place):
        ctypes.CFUNCTYPE(None)(partial(time.sleep, 300))()
        time.sleep(300)


def loaded(names: frozenset[str]) -> frozenset[str]:
    return names & sys.modules.keys()


def test_workers_begin_with_what_an_analysis_loads() -> None:
    names = frozenset({"duckdb", "llvmlite", "pyarrow.parquet", "tracemill.kernels.timeline_walk"})
    ((_, found),) = work_through(loaded, [names], count=1)
    assert found == names


def test_every_item_gets_its_result() -> None:
    found = dict(work_through(double, range(7), count=2))
    assert found == {number: 2 * number for number in range(7)}
    assert active_children() == []


def test_no_more_processes_than_items() -> None:
    found = dict(work_through(partial(die_at, unlucky=-1), range(1), count=8))
    assert len(set(found.values())) == 1


def test_the_death_of_a_process_costs_its_item_only() -> None:
    found = dict(work_through(partial(die_at, unlucky=2), range(6), count=2))
    assert found.pop(2) == Died(-signal.SIGKILL)
    assert sorted(found) == [0, 1, 3, 4, 5]
    assert len(set(found.values())) in (2, 3)


def test_an_error_ends_the_work() -> None:
    error = DamagedTraceError("location 3 is cut")
    with pytest.raises(DamagedTraceError, match="location 3 is cut"):
        list(work_through(partial(fail_at, error=error), range(9), count=2))
    assert active_children() == []


def test_a_mistake_of_ours_tells_where_it_was_made() -> None:
    with pytest.raises(ValueError, match="ours") as caught:
        list(work_through(partial(fail_at, error=ValueError("ours")), range(9), count=1))
    assert "in fail_at" in "".join(caught.value.__notes__)


def test_who_has_enough_leaves_nothing_behind(tmp_path: Path) -> None:
    """What was begun is cleared away, although it would have gone on for long."""
    places = [tmp_path / name for name in ("quick", "first", "second")]
    start = time.monotonic()
    with closing(work_through(linger_unless_quick, places, count=3)) as outcomes:
        assert next(outcomes) == (0, None)
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []
    assert active_children() == []
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("working", [linger, linger_in_c])
def test_what_is_not_done_in_time_is_stopped_and_cleared_away(
    tmp_path: Path, working: Callable[[Path], None]
) -> None:
    start = time.monotonic()
    places = [tmp_path / name for name in ("first", "second", "third")]
    assert list(work_through(working, places, count=2, until=start + 3)) == []
    assert list(tmp_path.iterdir()) == []
    assert active_children() == []
    assert 3 <= time.monotonic() - start < 60
    assert list(work_through(double, [1], count=1, until=start)) == []


def test_an_item_is_taken_when_a_process_is_free_for_it() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(4):
            taken.append(number)
            yield number

    with closing(work_through(double, items(), count=2)) as outcomes:
        assert taken == []
        next(outcomes)
        assert len(taken) in (2, 3)
        assert dict(outcomes).keys() < {0, 1, 2, 3}
    assert taken == [0, 1, 2, 3]


def linger_unless_quick(place: Path) -> None:
    if place.name != "quick":
        linger(place)


def test_a_killed_analysis_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object, **__: object) -> Iterator[tuple[int, Died]]:
        yield 1, Died(-9)
        yield 0, Died(-9)

    monkeypatch.setattr("tracemill.campaign.analyzing.work_through", killed)
    outcomes = dict(_analyze_traces([Path("a"), Path("b")], Store(tmp_path), Options(threads=2)))
    assert str(outcomes[1]).startswith("b: its analysis was killed: if memory was short, ")


@pytest.mark.parametrize(
    ("given", "jobs", "threads", "limit"),
    [
        ("", 1, 4, ""),
        ("", 4, 1, "20.00%"),
        ("2GB", 2, 2, "1000000000B"),
        ("1GiB", 4, 1, "268435456B"),
    ],
)
def test_analyses_at_once_share_what_there_is(
    given: str, jobs: int, threads: int, limit: str
) -> None:
    shared = share_options(Options(threads=4, memory_limit=given, force=True), jobs)
    assert (shared.threads, shared.memory_limit, shared.force) == (threads, limit, False)
