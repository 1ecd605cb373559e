"""Enter and leave records become region visits and a call tree, numbered canonically."""

import pytest

from tests.helpers.otf2_archive import Event, Trace

TIMES = "enter_ns leave_ns exclusive_ns"


#        0    10   20   30   40   50
# main   [                         ]
# work        [              ]
# step             [    ]
def test_a_visit_excludes_the_time_of_the_visits_inside(read):
    tables = read("""
         0  enter main
        10  enter work
        20  enter step
        30  leave step
        40  leave work
        50  leave main
    """)
    assert tables.visits(f"visit_id parent_visit_id path {TIMES} is_closed") == [
        (0, None, "main", 0, 50, 50 - 30, True),
        (1, 0, "main/work", 10, 40, 30 - 10, True),
        (2, 1, "main/work/step", 20, 30, 10, True),
    ]


def test_visits_are_numbered_by_location_then_by_entering(read):
    trace = Trace()
    for _ in range(2):
        trace.location("""
            0  enter main
            1  enter a
            2  leave a
            3  enter b
            4  leave b
            5  leave main
        """)
    rows = read(trace).visits("location_id visit_id parent_visit_id path")
    assert rows == [
        (0, 0, None, "main"),
        (0, 1, 0, "main/a"),
        (0, 2, 0, "main/b"),
        (1, 3, None, "main"),
        (1, 4, 3, "main/a"),
        (1, 5, 3, "main/b"),
    ]


# Regions are defined in the order main, a, b; one location visits b before a.
def test_call_paths_are_numbered_depth_first_in_definition_order(read):
    backwards = "0 enter main\n 1 enter b\n 2 enter a\n 3 leave a\n 4 leave b\n 5 leave main"
    forwards = "0 enter main\n 1 enter a\n 2 leave a\n 3 enter b\n 4 leave b\n 5 leave main"
    for order in ((backwards, forwards), (forwards, backwards)):
        trace = Trace()
        for name in ("main", "a", "b"):
            trace.region(name)
        for events in order:
            trace.location(events)
        columns = "call_path_id parent_call_path_id last_call_path_id region_id depth kind path"
        assert read(trace).rows("call_paths", columns) == [
            (0, None, 3, 0, 0, "program", "main"),
            (1, 0, 1, 1, 1, "program", "main/a"),
            (2, 0, 3, 2, 1, "program", "main/b"),
            (3, 2, 3, 1, 2, "program", "main/b/a"),
        ]


def test_recursion_yields_one_call_path_per_depth(read):
    tables = read("0 enter f\n 1 enter f\n 2 leave f\n 3 enter f\n 5 leave f\n 9 leave f")
    assert tables.visits(f"call_path_id path {TIMES}") == [
        (0, "f", 0, 9, 9 - 1 - 2),
        (1, "f/f", 1, 2, 1),
        (1, "f/f", 3, 5, 2),
    ]


def test_recursion_may_be_50_000_deep(read):
    depth = 50_000
    trace = Trace()
    down = [Event(level, "Enter", ("f",)) for level in range(depth)]
    trace.location(down + [Event(2 * depth - e.time, "Leave", ("f",)) for e in reversed(down)])
    tables = read(trace)
    query = "SELECT count(*), max(depth), min(length(path)), max(length(path)) FROM call_paths"
    # 100 levels are shown, 'f/f/…/f', after the mark '…/'.
    assert tables.sql(query, "call_paths") == [(depth, depth - 1, 1, 100 + 99 + 2)]
    # Each level is left as many ticks after the deepest point as it was entered before: all but
    # the innermost visit have one tick before and one after their only callee.
    query = "SELECT exclusive_ns, count(*), sum(leave_ns - enter_ns) FROM visits GROUP BY ALL"
    inner = 2 * depth - 2 * (depth - 1)
    whole = sum(2 * depth - 2 * level for level in range(depth))
    assert tables.sql(query, "visits") == [(2, depth, whole)]
    assert inner == 2
    assert tables.findings() == {}


def test_repeated_times_and_visits_without_duration_are_kept(read):
    tables = read("""
        5  enter main
        5  enter a
        5  leave a
        5  enter a
        8  leave a
        8  leave main
    """)
    assert tables.visits(f"visit_id path {TIMES}") == [
        (0, "main", 5, 8, 0),
        (1, "main/a", 5, 5, 0),
        (2, "main/a", 5, 8, 3),
    ]
    assert tables.findings() == {}


# The clock of the location is corrected by +100 at its time 0 and by -100 at its time 100: it
# runs backwards, one tick per tick: 0 → 100, 50 → 50, 100 → 0.
def test_decreasing_times_are_held_and_counted(read):
    trace = Trace()
    trace.location(
        "0 enter main\n 50 enter a\n 60 leave a\n 100 leave main",
        clock_offsets=[(0, 100), (100, -100)],
    )
    tables = read(trace)
    assert tables.visits(f"path {TIMES}") == [("main", 100, 100, 0), ("main/a", 100, 100, 0)]
    assert tables.findings() == {("time_reversal", 0): 3}


#        0    10   20   30
# main   [                …
# work        [           …
def test_a_region_never_left_ends_with_the_last_record(read):
    tables = read("0 enter main\n 10 enter work\n 20 enter a\n 30 leave a")
    assert tables.visits(f"path {TIMES} is_closed") == [
        ("main", 0, 30, 10, False),
        ("main/work", 10, 30, 10, False),
        ("main/work/a", 20, 30, 10, True),
    ]
    assert tables.findings() == {("unclosed_visit", 0): 2}


def test_a_leave_without_enter_is_counted_and_changes_nothing(read):
    tables = read("0 leave work\n 10 enter main\n 20 leave work\n 30 leave main")
    assert tables.visits(f"path {TIMES} is_closed") == [("main", 10, 30, 20, True)]
    assert tables.findings() == {("mismatched_leave", 0): 2}


# The leave of `work` is missing: that of `main` closes both.
#
#        0    10   20   30   40
# main   [                    ]
# work        [      ?
# a                [    ]
def test_a_leave_of_an_outer_region_closes_the_inner_ones(read):
    tables = read("0 enter main\n 10 enter work\n 20 enter a\n 30 leave a\n 40 leave main")
    assert tables.visits(f"path {TIMES} is_closed") == [
        ("main", 0, 40, 10, True),
        ("main/work", 10, 40, 20, False),
        ("main/work/a", 20, 30, 10, True),
    ]
    assert tables.findings() == {("mismatched_leave", 0): 1, ("unclosed_visit", 0): 1}


def test_time_outside_all_regions_belongs_to_no_visit(read):
    tables = read("0 enter a\n 10 leave a\n 25 enter b\n 30 leave b")
    assert tables.visits(f"parent_visit_id path {TIMES}") == [
        (None, "a", 0, 10, 10),
        (None, "b", 25, 30, 5),
    ]


def test_a_location_counts_its_records_and_visits(read):
    trace = Trace()
    trace.location("3 enter main\n 9 leave main", name="Master thread")
    trace.location(name="idle")
    columns = "name rank thread declared_count record_count visit_count begin_ns end_ns is_complete"
    assert read(trace).rows("locations", columns) == [
        ("Master thread", 0, 0, 2, 2, 1, 3, 9, True),
        ("idle", 1, 0, 0, 0, 0, None, None, True),
    ]


@pytest.mark.parametrize("locations", [0, 1, 3])
def test_a_trace_may_be_empty(read, locations):
    trace = Trace()
    for _ in range(locations):
        trace.location()
    tables = read(trace)
    assert tables.one("runs", "location_count process_count record_count begin_ns end_ns") == (
        locations, locations, 0, 0, 0,
    )  # fmt: skip
    for table in ("visits", "call_paths", "regions", "reading_findings"):
        assert tables.records(table) == []


def test_an_undefined_region_is_counted_and_has_a_placeholder_name(read):
    tables = read("0 enter main\n 1 enter 77\n 4 leave 77\n 5 leave main")
    assert tables.visits(f"path {TIMES}") == [
        ("main", 0, 5, 2),
        ("main/(undefined region)", 1, 4, 3),
    ]
    assert tables.rows("regions", "region_id source_ref name role") == [
        (0, 0, "main", "function"),
        (1, -1, "(undefined region)", "artificial"),
    ]
    assert tables.findings() == {("impossible_id", 0): 2}


def test_region_identifiers_may_be_sparse_and_in_any_order(read):
    trace = Trace()
    for ref, name in ((4_000_000_000, "main"), (7, "work"), (0, "never")):
        trace.define("Region", ref, name, name, "", 1, 2, 0, 0xFFFFFFFF, 0, 0)
    trace.location("0 enter 4000000000\n 1 enter 7\n 2 leave 7\n 3 leave 4000000000")
    tables = read(trace)
    assert tables.rows("regions", "region_id source_ref name") == [
        (0, 4_000_000_000, "main"),
        (1, 7, "work"),
        (2, 0, "never"),
    ]
    assert tables.visits("region_id path") == [(0, "main"), (1, "main/work")]


def test_reading_continues_across_chunks(read):
    """A location of three chunks of a file, and of more records than are read at a time."""
    count = 40_000
    tables = read(
        [Event(0, "Enter", ("main",))]
        + [
            Event(10 * n + 5 * is_end, "Leave" if is_end else "Enter", ("work",))
            for n in range(count)
            for is_end in (0, 1)
        ]
        + [Event(10 * count, "Leave", ("main",))]
    )
    query = "SELECT count(*), min(visit_id), max(visit_id), sum(exclusive_ns) FROM visits"
    assert tables.sql(query, "visits") == [(count + 1, 0, count, 10 * count)]
    assert tables.sql(f"{query} WHERE visit_id > 0 AND exclusive_ns = 5", "visits") == [
        (count, 1, count, 5 * count)
    ]
    assert tables.findings() == {}
