"""Efficiencies of a focus, worked out by hand.

data/e06_critical_path, whose events are in its trace.txt (µs), without what begins before 3000:

    rank 0   [f ....... 5100] [send 5150] 5200 [barrier ........................... 7300]   8000
    rank 1   [recv ............... 5150] [h ............ 7150] [send 7190] 7200 [.. 7300]   8000
    rank 2   [recv ....................................................... 7200] 7250 [.]   8000

MPI_Finalize is entered at 8000; outside of all calls of MPI is main.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tracemill.engine.analyze import Analysis
from tracemill.engine.focusing.options import FocusOptions
from tracemill.engine.focusing.pop import pop_tables
from tracemill.engine.focusing.resolve import resolve_focus
from tracemill.stages.focus_times import FocusTimes
from tracemill.store.runs import Run

US = 1_000


@pytest.fixture(scope="module")
def e06(analysis_of: Callable[[str], Analysis]) -> Run:
    return analysis_of("e06_critical_path").run


def efficiencies(run: Run, *periods: tuple[int, int]) -> dict[str, float]:
    """Multiplicative efficiencies of periods (µs) of all ranks, and their times (µs)."""
    focus = resolve_focus(run, FocusOptions(window="-..-"))
    rows = [(rank, begin * US, end * US) for rank in range(3) for begin, end in periods]
    times = FocusTimes.of(*zip(*rows, strict=True), first=focus.times.first, last=focus.times.last)
    tables = pop_tables(replace(focus, times=times))
    found = {
        row["metric"]: row["value"] / (US if row["convention"] == "times" else 1)
        for row in tables["pop_metrics"].to_pylist()
        if row["convention"] in ("times", "multiplicative")
    }
    rows = tables["pop_locations"].to_pylist()
    return found | {f"useful {row['location_id']}": row["useful_ns"] // US for row in rows}


# Useful: rank 0 has 2100 of f and 50 of main, rank 1 850 of h, rank 2 nothing. On the ideal network
# the receive of rank 1 ends at 5100, when the send was entered, so that its 850 of h end at 5950.
# Rank 0 is ready at 5150: no cause of its barrier is in the period.
def test_a_period_that_begins_and_ends_inside_of_calls(e06: Run) -> None:
    found = efficiencies(e06, (3000, 6000))
    assert [found[f"useful {rank}"] for rank in range(3)] == [2150, 850, 0]
    assert (found["run_time"], found["ideal_run_time"]) == (3000, 2950)
    assert found["parallel_efficiency"] == pytest.approx(1000 / 3000)
    assert found["load_balance"] == pytest.approx(1000 / 2150)
    assert found["serialization_efficiency"] == pytest.approx(2150 / 2950)
    assert found["transfer_efficiency"] == pytest.approx(2950 / 3000)


# Rank 1 has 1150 of h, 10 of main and 700 after the barrier; rank 2 50 and 700; rank 0 700. On the
# ideal network rank 1 enters the barrier at 7160, rank 2 at 7150 + 50, and all end 700 later.
def test_waiting_from_before_the_begin_goes_on(e06: Run) -> None:
    found = efficiencies(e06, (6000, 8000))
    assert [found[f"useful {rank}"] for rank in range(3)] == [700, 1860, 750]
    assert (found["run_time"], found["ideal_run_time"]) == (2000, 1900)
    assert found["serialization_efficiency"] == pytest.approx(1860 / 1900)


# Time between periods does not count: 1000 of f, which no network shortens, and the 1900 above.
def test_periods_with_a_gap_count_one_after_the_other(e06: Run) -> None:
    found = efficiencies(e06, (3000, 4000), (6000, 8000))
    assert (found["run_time"], found["ideal_run_time"]) == (3000, 2900)
    assert [found[f"useful {rank}"] for rank in range(3)] == [1700, 1860, 750]
    assert found["parallel_efficiency"] == pytest.approx((1700 + 1860 + 750) / 3 / 3000)


# From 5200 to 7100 rank 0 waits for the barrier, and rank 2 for the message.
def test_waiting_alone_takes_no_time_on_the_ideal_network(e06: Run) -> None:
    found = efficiencies(e06, (5200, 7100))
    assert [found[f"useful {rank}"] for rank in range(3)] == [0, 1900, 0]
    assert (found["run_time"], found["ideal_run_time"]) == (1900, 1900)
    assert found["load_balance"] == pytest.approx(1 / 3)
