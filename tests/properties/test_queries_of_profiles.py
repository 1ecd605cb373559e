"""Laws of profiles, on random trees, threads and tasks."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import run_queries

LOCATIONS = st.integers(0, 2)


@st.composite
def call_paths(draw: st.DrawFn) -> list[Row]:
    """A forest numbered depth first, of few regions, so that recursion is frequent."""
    parents: list[int | None] = []
    for number in range(draw(st.integers(1, 12))):
        above = [None, *_line(parents, number - 1)] if number else [None]
        parents.append(draw(st.sampled_from(above)))
    rows: list[Row] = [
        {
            "call_path_id": number,
            "parent_call_path_id": parent,
            "region_id": draw(st.integers(0, 3)),
            "kind": "program",
            "last_call_path_id": max(
                path for path in range(len(parents)) if number in _line(parents, path)
            ),
        }
        for number, parent in enumerate(parents)
    ]
    for row in rows:
        is_leaf = row["last_call_path_id"] == row["call_path_id"]
        if is_leaf and row["parent_call_path_id"] is not None and draw(st.booleans()):
            row["kind"] = "task_stub"
    return rows


def _line(parents: list[int | None], path: int) -> list[int]:
    """A call path and all above it."""
    line = [path]
    while (above := parents[line[-1]]) is not None:
        line.append(above)
    return line


@st.composite
def profiles(draw: st.DrawFn) -> Tables:
    """Visits and task fragments anywhere: a visit whose caller is not visited starts there."""
    paths = draw(call_paths())
    visits: list[Row] = []
    fragments: list[Row] = []
    for path in paths:
        is_stub = path["kind"] == "task_stub"
        for _ in range(draw(st.integers(0 if is_stub else 1, 3))):  # who would know of it else?
            row = {"call_path_id": path["call_path_id"], "location_id": draw(LOCATIONS)}
            length = draw(st.integers(0, 9))
            if is_stub:
                fragments.append(row | {"end_ns": length, "is_first": draw(st.booleans())})
            else:
                visits.append(row | {"exclusive_ns": length, "leave_ns": length})
    visited = {(row["call_path_id"], row["location_id"]) for row in visits}
    parents = {row["call_path_id"]: row["parent_call_path_id"] for row in paths}
    for number, row in enumerate(visits):
        caller = (parents[row["call_path_id"]], row["location_id"])
        row |= {"visit_id": number, "region_id": paths[row["call_path_id"]]["region_id"]}
        row["parent_visit_id"] = 0 if caller in visited else None
    for number, row in enumerate(fragments):
        row |= {"begin_ns": 0, "sequence": number}
    counts = Counter(row["location_id"] for row in visits)
    return {
        "call_paths": paths,
        "visits": visits,
        "task_fragments": fragments,
        "locations": [{"location_id": place, "visit_count": counts[place]} for place in range(3)],
    }


@settings(deadline=None, max_examples=30)
@given(profiles())
def test_visits_come_over_the_edges_of_the_region_graph_or_start_it(tables: Tables) -> None:
    visited = {row["call_path_id"] for row in tables["visits"]}
    parents = {row["call_path_id"]: row["parent_call_path_id"] for row in tables["call_paths"]}
    started = Counter(
        row["region_id"] for row in tables["visits"] if parents[row["call_path_id"]] not in visited
    )
    nodes, edges = run_queries(
        {
            "region_graph_nodes": "region_id visit_count is_entry",
            "region_graph_edges": "callee_region_id visit_count",
        },
        tables,
    )
    for region, count, is_entry in nodes:
        assert count == started[region] + sum(n for callee, n in edges if callee == region)
        assert is_entry == (started[region] > 0)


@settings(deadline=None, max_examples=30)
@given(profiles())
def test_the_checks_hold_for_any_profile(tables: Tables) -> None:
    checks = (
        "exclusive_times_sum_to_roots", "visits_are_counted_once",
        "region_graph_holds_the_call_tree", "subtrees_are_nested",
    )  # fmt: skip
    assert run_queries(dict.fromkeys(checks, ""), tables) == [[]] * len(checks)
