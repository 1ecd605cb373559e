"""The region of each location in each bin of the run."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import run_stage
from tests.oracle.timeline import timeline_bins
from tracemill.kernels.timeline_walk import choose_bins
from tracemill.stages.timeline import TIMELINE_STAGE

MAIN, WORK, SEND = 0, 1, 2


def trace(end: int, *visits: tuple[int, int, int, int], begin: int = 0, count: int = 0) -> Tables:
    """Visits as location, region, enter and leave, in the order of entering.

    `count` is how many visits each location has.
    """
    rows = [
        {"location_id": place, "visit_id": number, "call_path_id": 0, "region_id": region}
        | {"enter_ns": enter, "leave_ns": leave}
        for number, (place, region, enter, leave) in enumerate(visits)
    ]
    places = sorted({row["location_id"] for row in rows} | {0})
    return {
        "runs": [{"begin_ns": begin, "end_ns": end}],
        "locations": [{"location_id": place, "visit_count": count} for place in places],
        "regions": [{"region_id": region} for region in range(3)],
        "visits": sorted(rows, key=lambda v: (v["location_id"], v["leave_ns"], -v["visit_id"])),
    }


def rows_of(tables: Tables) -> list[Row]:
    return run_stage(TIMELINE_STAGE, tables)["timeline_bins"]


def bins(tables: Tables, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in rows_of(tables)]


# 1000 over 256 is 3.9: bins of 4. The send, in work, fills bins 2 and 3 but for the last ns:
#
#        0    4    8    12   16   20   24
# main   [                                 ]  1000
# work      [                        ]        3 to 22
# send             [       ]                  8 to 15
def test_a_bin_has_the_region_with_most_time_of_its_own() -> None:
    found = bins(
        trace(1000, (0, MAIN, 0, 1000), (0, WORK, 3, 22), (0, SEND, 8, 15)),
        "bin", "begin_ns", "end_ns", "region_id", "time_ns",
    )  # fmt: skip
    assert found[:7] == [
        (0, 0, 4, MAIN, 3),
        (1, 4, 8, WORK, 4),
        (2, 8, 12, SEND, 4),
        (3, 12, 16, SEND, 3),
        (4, 16, 20, WORK, 4),
        (5, 20, 24, MAIN, 2),  # as long as work, which is numbered later
        (6, 24, 28, MAIN, 4),
    ]
    assert found[-1] == (249, 996, 1000, MAIN, 4)
    assert len(found) == 250


# Two short visits of work in a bin are more than one of send: 3 of 4 against 1.
def test_visits_of_a_region_are_added_up() -> None:
    visits = (0, WORK, 0, 2), (0, SEND, 2, 3), (0, WORK, 3, 4)
    assert bins(trace(1024, *visits), "bin", "region_id", "time_ns") == [(0, WORK, 3)]


def test_time_outside_visits_has_no_row() -> None:
    visits = (0, WORK, 4, 8), (0, SEND, 16, 17), (1, WORK, 1020, 1024)
    assert bins(trace(1024, *visits), "location_id", "bin", "time_ns") == [
        (0, 1, 4),
        (0, 4, 1),
        (1, 255, 4),
    ]


def test_bins_begin_with_the_run() -> None:
    found = trace(1124, (0, WORK, 104, 106), begin=100)
    assert bins(found, "bin", "begin_ns", "end_ns") == [(1, 104, 108)]


# 2048 visits are enough for bins of 8 and of 1: eight small bins make one large bin.
def test_finer_levels_divide_the_bins_of_coarser_ones() -> None:
    visits = (0, MAIN, 0, 2048), (0, WORK, 9, 12), (0, SEND, 12, 14)
    found = bins(trace(2048, *visits, count=2048), "level", "bin", "region_id", "time_ns")
    coarse = [row[1:] for row in found if row[0] == 0]
    fine = [row[1:] for row in found if row[0] == 1]
    assert coarse[:3] == [(0, MAIN, 8), (1, MAIN, 3), (2, MAIN, 8)]
    assert fine[8:16] == [
        (8, MAIN, 1), (9, WORK, 1), (10, WORK, 1), (11, WORK, 1),
        (12, SEND, 1), (13, SEND, 1), (14, MAIN, 1), (15, MAIN, 1),
    ]  # fmt: skip
    assert (len(coarse), len(fine)) == (256, 2048)


def test_levels_are_as_many_as_visits_fill_and_locations_allow() -> None:
    assert choose_bins(4, 100) == (1, 256)
    assert choose_bins(4, 4 * 2048) == (2, 2048)
    assert choose_bins(4, 4 * 16384) == (3, 16384)
    assert choose_bins(64, 10**9) == (3, 16384)  # 64 * 16384 = 2**20
    assert choose_bins(65, 10**9) == (2, 2048)
    assert choose_bins(1000, 10**9) == (1, 256)
    assert choose_bins(100_000, 10**9) == (1, 10)
    assert choose_bins(10**7, 10**9) == (1, 1)


def test_a_run_without_time_or_visits_has_no_bins() -> None:
    assert rows_of(trace(0, (0, WORK, 0, 0))) == []
    assert rows_of(trace(1000)) == []


# A task is put aside while another one runs: what was entered later is on top.
#
#         0    4    8    12   16
# first   [              ]
# second       [              ]
def test_the_task_entered_last_counts_if_tasks_alternate() -> None:
    found = bins(trace(1024, (0, WORK, 0, 12), (0, SEND, 4, 16)), "bin", "region_id", "time_ns")
    assert found == [(0, WORK, 4), (1, SEND, 4), (2, SEND, 4), (3, SEND, 4)]


def test_deep_recursion_is_followed() -> None:
    depth = 1000
    visits = [(0, level % 2, level, 4 * depth - level) for level in range(depth)]
    tables = trace(4 * depth, *visits)
    assert rows_of(tables) == timeline_bins(tables)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-3, 600), st.integers(0, 300)),
        max_size=12,
    ),
    st.sampled_from([0, 700, 2048]),
)
def test_bins_equal_the_oracle(drawn: list[tuple[int, int, int, int]], count: int) -> None:
    """Of any visits, nested or not, within the run or not."""
    visits = {(place, enter): (region, length) for place, region, enter, length in drawn}
    tables = trace(
        650,
        *((place, region, enter, enter + length)
          for (place, enter), (region, length) in sorted(visits.items())),
        begin=3,
        count=count,
    )  # fmt: skip
    assert rows_of(tables) == sorted(
        timeline_bins(tables), key=lambda row: (row["location_id"], row["level"], row["bin"])
    )
