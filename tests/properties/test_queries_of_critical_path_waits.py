"""Waiting on the critical path against counting nanosecond by nanosecond."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Row
from tests.helpers.running import run_query

PLACES = range(2)
PROPERTIES = ("mpi_earlyscan", "mpi_wait_nxn")
LENGTH = 30


@st.composite
def segments(draw: st.DrawFn) -> list[Row]:
    """Segments of the path on each location without overlap; some begin with a wait."""
    found: list[Row] = []
    for place in PLACES:
        moments = sorted(draw(st.sets(st.integers(0, LENGTH), max_size=8)))
        for begin, end in zip(moments[::2], moments[1::2], strict=False):
            number = draw(st.integers(0, 9))
            row = {"location_id": place, "begin_ns": begin, "end_ns": end, "visit_id": number}
            found.append(row | {"wait_ns": draw(st.integers(0, end - begin))})
    return found


WAITS = st.lists(
    st.fixed_dictionaries(
        {
            "property": st.sampled_from(PROPERTIES),
            "location_id": st.sampled_from(PLACES),
            "call_path_id": st.integers(0, 1),
            "visit_id": st.integers(0, 9),
            "start_ns": st.integers(-5, LENGTH),
            "wait_ns": st.integers(1, LENGTH),
            "is_extended": st.booleans(),
            "is_completion": st.booleans(),
        }
    ),
    max_size=5,
    unique_by=lambda row: (row["property"], row["visit_id"]),
)


@settings(max_examples=30)
@given(segments(), WAITS)
def test_the_path_waits_where_it_is_while_somebody_waits(path: list[Row], lost: list[Row]) -> None:
    followed = {row["visit_id"] for row in path if row["wait_ns"]}
    there = {
        (row["location_id"], now)
        for row in path
        for now in range(row["begin_ns"] + row["wait_ns"], row["end_ns"])
    }
    expected: Counter[tuple[str, int, int, bool]] = Counter()
    for row in lost:
        if row["is_completion"] or (row["visit_id"] in followed and not row["is_extended"]):
            continue
        key = ("property", "call_path_id", "location_id", "is_extended")
        for now in range(row["start_ns"], row["start_ns"] + row["wait_ns"]):
            expected[tuple(row[name] for name in key)] += (row["location_id"], now) in there
    found = run_query("critical_path_waits", {"critical_path_segments": path, "wait_states": lost})
    assert {row[:4]: row[4] for row in found} == {key: n for key, n in expected.items() if n}
