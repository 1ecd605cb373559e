"""The region call graph of random trees, compared with sums over every piece of time."""

from collections import defaultdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import query_tables, run_query, run_stage, with_overheads
from tests.oracle.region_graph import edge_totals, node_totals
from tracemill.stages.overhead_totals import OVERHEAD_TOTALS_STAGE


@st.composite
def programs(draw: st.DrawFn) -> dict[str, Any]:
    """A tree of up to 20 call paths on up to 64 locations; workers begin below the first one."""
    parents = [draw(st.integers(0, each)) for each in range(draw(st.integers(0, 19)))]
    children: dict[int, list[int]] = defaultdict(list)
    for number, parent in enumerate(parents, 1):
        children[parent].append(number)
    paths: list[Row] = []

    def add(node: int, above: int | None, depth: int) -> None:
        row: Row = {"call_path_id": len(paths), "parent_call_path_id": above, "depth": depth}
        row["region_id"] = draw(st.integers(0, 4)) if node else 9
        paths.append(row)
        for child in children[node]:
            add(child, row["call_path_id"], depth + 1)
        row["last_call_path_id"] = len(paths) - 1

    add(0, None, 0)
    visits = _visit(draw, paths)
    names = [{"region_id": number, "name": f"r{number}"} for number in range(10)]
    return {"regions": names, "call_paths": paths, "visits": visits}


def _visit(draw: st.DrawFn, paths: list[Row]) -> list[Row]:
    """The first location visits everything; others visit one subtree, or part of it."""
    visits = []
    for location in range(draw(st.integers(1, 64))):
        first = draw(st.integers(0, len(paths) - 1)) if location else 0
        seen: set[int] = set()
        for path in paths[first : paths[first]["last_call_path_id"] + 1]:
            number, above = path["call_path_id"], path["parent_call_path_id"]
            if location == 0 or number == first or (above in seen and number % 3 != location % 3):
                seen.add(number)
                time = 1 + (7 * number + 11 * location) % 23
                row = {"call_path_id": number, "location_id": location, "exclusive_ns": time}
                row |= {"region_id": path["region_id"], "leave_ns": time}
                visits.append(row | {"parent_visit_id": None if number == first else 0})
    return visits


@settings(deadline=None, max_examples=60)
@given(programs())
def test_totals_hold_every_piece_once(program: Tables) -> None:
    tables = query_tables({"region_graph_nodes": "", "region_graph_edges": ""}, program)
    nodes = {
        row["region_id"]: (row["total_ns"], row["forked_ns"], row["location_count"])
        for row in tables["region_graph_nodes"]
    }
    edges: dict[tuple[int, int], tuple[int, int]] = {}
    for row in tables["region_graph_edges"]:
        edge = row["caller_region_id"], row["callee_region_id"]
        total, forked = edges.get(edge, (0, 0))
        edges[edge] = total + row["total_ns"], forked + row["forked_ns"]
    assert nodes == node_totals(program["call_paths"], program["visits"])
    wanted = edge_totals(program["call_paths"], program["visits"])
    assert edges.keys() == wanted.keys()
    assert {edge: each[0] for edge, each in edges.items()} == {
        edge: each[0] for edge, each in wanted.items()
    }
    made = with_overheads(program)
    made |= run_stage(OVERHEAD_TOTALS_STAGE, made) | tables
    made |= query_tables({"flat_profile": ""}, program)
    assert run_query("region_totals_are_shared_out", made) == []
    assert run_query("entries_hold_all_visits", made) == []
