"""Levels of detail: sums of visits of user functions, and the call tree alone."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.helpers.csv_reading import read_text
from tracemill.engine.plan import detail_of
from tracemill.kernels.timeline_walk import choose_grid

HEADER = "Timestamp (ns),Event Type,Name,Process"
VISITS = "visit_id parent_visit_id call_path_id enter_ns leave_ns exclusive_ns"


def text_of(*moments: str) -> str:
    """A trace of one process: `12 >f` enters f, `15 <f` leaves it."""
    rows = [moment.split() for moment in moments]
    return "\n".join(
        [HEADER]
        + [f"{time},{'Enter' if what[0] == '>' else 'Leave'},{what[1:]},0" for time, what in rows]
    )


def visits(text: str, folder: Path, detail: str) -> list[tuple[object, ...]]:
    return read_text(text, folder, detail=detail).rows("visits", VISITS)


# One bin of the timeline would be one ns wide, so the run is long: 0 to 1000 s, bins of 4 s.
#
#         0      10     20     30     40     50     60     70     80     90     100 ms     1000 s
# main    [                                                                                    ]
# solve     [           ] [      ]  [   ]         [ MPI_Barrier]
# work        [  ][   ]     [ ]
LONG = (
    "0 >main", "2 >solve", "4 >work", "7 <work", "8 >work", "13 <work", "14 <solve", "16 >solve",
    "18 >work", "20 <work", "23 <solve", "26 >solve", "30 <solve", "40 >MPI_Barrier",
    "50 <MPI_Barrier", "60 >solve", "61 <solve", "1000000000000 <main",
)  # fmt: skip


def test_visits_between_two_calls_become_one_row_per_call_path(tmp_path: Path) -> None:
    """solve: (14-2) + (23-16) + (30-26) = 23, of which work has 3 + 5 + 2 = 10.

    The rows end where the last visit ended, at 30, so solve begins at 30 - 23 = 7 and work, which
    is placed at the end of solve, at 30 - 10 = 20. main is open during the call and keeps its row.
    Call paths are in the order of names: main, MPI_Barrier, solve, work.
    """
    found = visits(text_of(*LONG), tmp_path, "calls")
    assert found == [
        (2, 1, 3, 20, 30, 10),  # work in solve
        (1, 0, 2, 7, 30, 13),  # solve
        (7, 0, 1, 40, 50, 10),  # MPI_Barrier, the seventh enter after main
        (8, 0, 2, 60, 61, 1),  # solve after the call
        (0, None, 0, 0, 10**12, 10**12 - 23 - 10 - 1),
    ]


def test_sums_have_the_number_of_their_visits(tmp_path: Path) -> None:
    read = read_text(text_of(*LONG), tmp_path, detail="calls")
    assert read.rows("visit_sums", "visit_id visit_count") == [(2, 3), (1, 3)]
    assert read.rows("locations", "visit_count") == [(9,)]
    assert read.rows("runs", "detail") == [("calls",)]


def test_the_call_tree_is_that_of_every_visit(tmp_path: Path) -> None:
    columns = "call_path_id visit_count inclusive_ns exclusive_ns shortest_ns longest_ns"
    full, calls, profile = (
        read_text(text_of(*LONG), tmp_path, detail=detail).rows("call_tree", columns)
        for detail in ("full", "calls", "profile")
    )
    assert full == calls == profile
    assert full[2] == (2, 4, 24, 14, 1, 12)


def test_a_profile_has_no_visits(tmp_path: Path) -> None:
    read = read_text(text_of(*LONG), tmp_path, detail="profile")
    assert not read.rows("visits", "visit_id")
    assert read.rows("runs", "detail begin_ns end_ns record_count") == [("profile", 0, 10**12, 18)]


def test_single_visits_keep_their_times(tmp_path: Path) -> None:
    """No call path comes twice between two calls."""
    text = text_of("0 >main", "2 >f", "4 <f", "6 >g", "7 <g", "1000000000000 <main")
    assert visits(text, tmp_path, "calls") == visits(text, tmp_path, "full")


# A bin of the timeline is 4 s wide: 1000 s / 256 rounded up, 3.90625 s, in ns.
def test_visits_are_summed_within_bins_of_time(tmp_path: Path) -> None:
    edge = -(-(10**12) // 256)
    text = text_of(
        "0 >main", "10 >f", "20 <f", "30 >f", "40 <f", f"{edge - 5} >f", f"{edge + 5} <f",
        f"{edge + 10} >f", f"{edge + 20} <f", f"{edge + 30} >f", f"{edge + 40} <f",
        "1000000000000 <main",
    )  # fmt: skip
    times = [(enter, leave) for *_, enter, leave, _ in visits(text, tmp_path, "calls")]
    assert times == [
        (20, 40), (edge - 5, edge + 5), (edge + 20, edge + 40), (0, 10**12)
    ]  # fmt: skip


def test_visits_with_an_attribute_are_kept(tmp_path: Path) -> None:
    """The attribute of a leave belongs to the visit that ended."""
    text = dedent("""\
        Timestamp (ns),Event Type,Name,Process,Variable,Value,Definition
        0,Define Attribute,cost,0,,,"{""id"": 9}"
        0,Enter,main,0,,,
        1,Enter,f,0,,,
        2,Leave,f,0,,,
        3,Enter,f,0,,,
        4,Leave,f,0,,,
        4,More,Attribute,0,9,7,
        5,Enter,f,0,,,
        6,Leave,f,0,,,
        1000000000000,Leave,main,0,,,
        """)
    read = read_text(text, tmp_path, detail="calls")
    known = {row[0] for row in read.rows("visits", "visit_id")}
    assert read.rows("record_attributes", "visit_id") == [(2,)]
    assert 2 in known


@pytest.mark.parametrize(
    ("given", "records", "detail"),
    [
        ({}, 49_999_999, "full"),
        ({}, 50_000_000, "calls"),
        ({"detail": "full"}, 10**9, "full"),
        ({"detail": "profile"}, 1, "profile"),
    ],
)
def test_calls_are_the_default_of_large_traces(
    given: dict[str, str], records: int, detail: str
) -> None:
    assert detail_of(records, given) == detail


# 64 locations with 153,600 visits each: 2048 bins have 75 visits each, 256 bins have 600.
def test_bins_of_sums_have_many_visits() -> None:
    assert choose_grid(0, 16384, 64, 64 * 153_600, is_summed=False) == (3, 1)
    assert choose_grid(0, 16384, 64, 64 * 153_600, is_summed=True) == (1, 64)
    assert choose_grid(0, 16384, 4, 4 * 2048 * 256, is_summed=True) == (2, 8)
