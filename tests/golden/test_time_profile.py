"""Classes of overhead over the run, in equal bins."""

from collections.abc import Sequence

from tests.golden.test_overheads import classified, message_trace, thread_trace
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_query
from tracemill.schemas.overheads import TAXONOMY


def profile(tables: Tables, bin_count: int) -> dict[str, Sequence[int]]:
    """Time per bin by class of overhead."""
    found = run_query("time_profile", tables, "bin overhead_id time_ns", bin_count=bin_count)
    times = {TAXONOMY[overhead].part: [0] * bin_count for _, overhead, _ in found}
    for place, overhead, time in found:
        times[TAXONOMY[overhead].part][place] = time
    return times


#           0    10   20   30   40   50   60
# rank 0    [         [Send]
# rank 1    [         [Recv     ]    [Barr]
def test_bins_hold_the_time_of_all_locations():
    assert profile(classified(message_trace()), 6) == {
        "user code": [20, 20, 0, 0, 10, 0],
        "point-to-point": [0, 0, 20, 10, 0, 0],
        "barrier": [0, 0, 0, 0, 0, 10],
        "outside visits": [0, 0, 0, 10, 10, 10],
    }


# Bins of 15: the send ends in the middle of nothing, the receive spans 20 to 30 and 30 to 40.
def test_visits_that_span_bins_are_shared_out():
    assert profile(classified(message_trace()), 4) == {
        "user code": [30, 10, 5, 5],
        "point-to-point": [0, 20, 10, 0],
        "barrier": [0, 0, 0, 10],
        "outside visits": [0, 0, 15, 15],
    }


def test_bins_are_whole_nanoseconds_and_the_last_ends_with_the_run():
    # 60 over 7 is 8.6: bins of 9, the last from 54.
    columns = "bin begin_ns end_ns"
    found = run_query("time_profile", classified(message_trace()), columns, bin_count=7)
    assert sorted(set(found)) == [(place, 9 * place, min(9 * place + 9, 60)) for place in range(7)]


def test_a_run_shorter_than_its_bins_has_bins_of_a_nanosecond():
    tables = {"runs": [{"end_ns": 3}], "locations": [{"location_id": 0}], "regions": []}
    columns = "bin begin_ns end_ns time_ns"
    assert run_query("time_profile", classified(tables), columns) == [
        (0, 0, 1, 1),
        (1, 1, 2, 1),
        (2, 2, 3, 1),
    ]


def test_a_run_without_time_has_no_bins():
    tables = {"runs": [{"end_ns": 0}], "locations": [{"location_id": 0}], "regions": []}
    assert run_query("time_profile", classified(tables)) == []


# From the fork at 5 to the join at 60, see thread_trace. Bins of 10; for instance the first:
# the master computes for 5, the worker is idle for 5, then both wait for the team to begin.
def test_forks_and_joins_last_from_one_thread_to_all():
    assert profile(classified(thread_trace()), 8) == {
        "user code": [5, 10 + 8, 20, 20, 10 + 8, 0, 10, 0],
        "fork/join": [10, 2, 0, 0, 2, 20, 0, 0],
        "idle threads": [5, 0, 0, 0, 0, 0, 10, 0],
        "outside visits": [0, 0, 0, 0, 0, 0, 0, 20],
    }


def test_bins_sum_to_the_overheads():
    for tables in (message_trace(), thread_trace()):
        assert run_query("time_profile_holds_the_overheads", classified(tables)) == []
