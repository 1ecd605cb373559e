"""Calls of one region on several lines of its caller are several call paths."""

import pytest

from tests.helpers.otf2_archive import UNDEFINED, Event, Trace

PATHS = """
    SELECT path, source_location_id, sum(visit_count)::INT, sum(exclusive_ns)::INT
    FROM call_paths INNER JOIN call_tree USING (call_path_id)
    GROUP BY call_path_id, path, source_location_id ORDER BY call_path_id
"""

# time (ms)   0     1     1.5  2.5   3    6    6.5  7.5   8    11   11.5   12.5
# main        [ ............................................................. ]
#   x               [ ................................................ ]
#     line 10             [Wait]               [Wait]
#     line 20                        [Wait]                [Wait]
WAITS = [(1.5, 2.5, 2), (3, 6, 3), (6.5, 7.5, 2), (8, 11, 3)]


def waits_on_two_lines() -> Trace:
    """Two ranks; contexts 0 main, 1 x, called in main.c:3, 2 and 3 MPI_Wait in x.c:10 and x.c:20.

    In definition order, line 20 comes first, and line 10 is there twice.
    """
    trace = Trace()
    for name in ("main", "x"):
        trace.region(name)
    trace.region("MPI_Wait", role="point2point", paradigm="mpi")
    for ref, (file, line) in enumerate([("main.c", 3), ("/src/x.c", 20), ("/src/x.c", 10)] * 2):
        trace.define("SourceCodeLocation", ref, file, line)
    for ref, (region, source, parent) in enumerate(
        [(0, UNDEFINED, UNDEFINED), (1, 0, 0), (2, 2, 1), (2, 1, 1), (2, 5, 1)]
    ):
        trace.define("CallingContext", ref, region, source, parent)
    return trace


def context_events(*, second: int = 2) -> list[Event]:
    """Records of a rank; its second wait on line 10 has another context."""
    calls = [(0, 12.5, 0), (1, 11.5, 1), *WAITS]
    calls[4] = (*calls[4][:2], second)
    ends = [(begin, 1, context) for begin, _, context in calls]
    ends += [(end, 0, context) for _, end, context in calls]
    return [
        Event(
            int(time * 1_000_000),
            "CallingContextEnter" if is_enter else "CallingContextLeave",
            (context, 1) if is_enter else (context,),
        )
        for time, is_enter, context in sorted(ends)
    ]


def test_contexts_on_two_lines_are_two_call_sites(read):
    """Two ranks spend 2 x 2 x 1 ms on line 10, and 2 x 2 x 3 ms on line 20.

    x lasts 10.5 ms, 8 of them in MPI_Wait; main 12.5 ms. Line 10 is one site, although two source
    locations and two contexts name it.
    """
    trace = waits_on_two_lines()
    trace.location(context_events())
    trace.location(context_events(second=4))
    tables = read(trace)
    assert tables.sql(PATHS, "call_paths", "call_tree") == [
        ("main", None, 2, 2 * 2_000_000),
        ("main/x @main.c:3", 0, 2, 2 * 2_500_000),
        ("main/x @main.c:3/MPI_Wait @x.c:10", 2, 4, 4_000_000),
        ("main/x @main.c:3/MPI_Wait @x.c:20", 1, 4, 12_000_000),
    ]
    assert tables.findings() == {}


def test_sites_are_joined_on_request(read):
    trace = waits_on_two_lines()
    trace.location(context_events())
    tables = read(trace, merge_call_sites=True)
    assert tables.sql(PATHS, "call_paths", "call_tree") == [
        ("main", None, 1, 2_000_000),
        ("main/x", None, 1, 2_500_000),
        ("main/x/MPI_Wait", None, 4, 8_000_000),
    ]


@pytest.mark.parametrize("is_merged", [False, True])
def test_an_attribute_of_its_enter_gives_the_site_of_a_call(read, is_merged: bool):
    """Attribute 4 refers to source locations, attribute 5 does not; site 9 is not defined."""
    trace = Trace()
    trace.define("SourceCodeLocation", 0, "x.c", 20)
    trace.define("SourceCodeLocation", 1, "x.c", 10)
    trace.define("Attribute", 4, "called from", "", 20)
    trace.define("Attribute", 5, "level", "", 3)
    at = {"early": ("source_code_location", 1), "late": ("source_code_location", 0)}
    trace.location([
        Event(0, "Enter", ("main",), {5: ("uint32", 0)}),
        Event(10, "Enter", ("wait",), {5: ("uint32", 1), 4: at["late"]}),
        Event(13, "Leave", ("wait",)),
        Event(20, "Enter", ("wait",), {4: at["early"]}),
        Event(27, "Leave", ("wait",), {4: at["late"]}),
        Event(30, "Enter", ("wait",), {4: ("source_code_location", 9)}),
        Event(41, "Leave", ("wait",)),
        Event(50, "Leave", ("main",)),
    ])  # fmt: skip
    tables = read(trace, merge_call_sites=is_merged)
    apart = [
        ("main/wait", None, 1, 11),
        ("main/wait @x.c:10", 1, 1, 7),
        ("main/wait @x.c:20", 0, 1, 3),
    ]
    waits = [("main/wait", None, 3, 21)] if is_merged else apart
    assert tables.sql(PATHS, "call_paths", "call_tree") == [("main", None, 1, 29), *waits]
    names = "SELECT DISTINCT name FROM visits JOIN regions USING (region_id) ORDER BY name"
    assert tables.sql(names, "visits", "regions") == [("main",), ("wait",)]
