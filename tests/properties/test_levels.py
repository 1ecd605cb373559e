"""Generated programs on all levels: activities piece by piece, and sums that levels share."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.computing import Computation, computed
from tests.helpers.otf2_reading import read_tables
from tests.helpers.random_programs import random_spec
from tests.oracle.levels import activity_times
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import Spec, parse_spec
from tracemill.sql.query_files import create_views, load_query, stored_inputs

VIEWS = ("hierarchy", "metric_cells", "activity_times", "process_pairs", "node_pairs")
TABLES = (*stored_inputs(map(load_query, VIEWS)), "visits", "parallel_visits", "wait_states")
LEVELS = 6
MANY: list[dict[str, Any]] = [
    {"kind": "stencil", "jitter": 0.5},
    {"kind": "threads", "barriers": 1, "thread_imbalance": 1.0},
    {"kind": "collectives", "operations": ["barrier", "bcast", "allreduce"], "jitter": 0.5},
]


def programs() -> Iterator[Spec]:
    """Programs of up to 8 processes and 4 threads, and one of 64 processes with 2 threads."""
    for number in range(20):
        yield random_spec(number, has_threads=number % 2 == 0)
    yield parse_spec({"processes": 64, "threads": 2, "size": 10, "phase": MANY})


@pytest.mark.parametrize("spec", list(programs()), ids=lambda spec: f"{spec.processes} processes")
def test_levels_hold_every_value_once(spec: Spec, tmp_path: Path) -> None:
    read = read_tables(generate(spec, tmp_path / "program").anchor, tmp_path)
    with computed(TABLES, read) as found:
        for name in TABLES:
            found.provide(name)
        create_views(found.connection, VIEWS)
        _check_activities(found)
        _check_levels(found)
        _check_pairs(found)


def _check_activities(found: Computation) -> None:
    classes = found.rows("""
        SELECT call_path_id, activity
        FROM call_paths
        JOIN region_classes USING (region_id)
        JOIN overhead_classes USING (overhead_id)
    """)
    ours: Counter[tuple[int, int | None, str]] = Counter()
    for location, path, activity, time in found.rows(
        "SELECT location_id, call_path_id, activity, time_ns FROM activity_times"
    ):
        ours[location, path, activity] = time
    names = ("main_part", "parallel_visits", "thread_team_members", "locations", "visits")
    tables = {name: found.records(name) for name in (*names, "wait_states")}
    assert ours == +activity_times(tables, dict(classes))
    sums = found.rows("SELECT DISTINCT sum(time_ns) FROM activity_times GROUP BY location_id")
    assert sums == found.rows("SELECT end_ns - begin_ns FROM main_part")


def _check_levels(found: Computation) -> None:
    sums: dict[str, set[float]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for metric, total in found.rows(
        "SELECT metric, sum(value) FROM hierarchy GROUP BY level, metric"
    ):
        sums[metric].add(total)
        counts[metric] += 1
    cells = dict(found.rows("SELECT metric, sum(value) FROM metric_cells GROUP BY ALL"))
    path = found.rows("SELECT coalesce(sum(path_ns), 0) FROM critical_path_profile")
    assert sums.pop("path_ns", {0}) == set(path[0])
    assert sums["main_ns"] == {
        sum(sum(sums[name]) for name in sums if name.endswith("_ns") and name != "main_ns")
    }
    assert {name: {total} for name, total in cells.items() if total} == {
        name: each for name, each in sums.items() if not name.endswith("_ns")
    }
    assert set(counts.values()) == {LEVELS}


def _check_pairs(found: Computation) -> None:
    sums = """
        SELECT sum(message_count), sum(bytes), sum(wait_ns), sum(completion_ns),
            sum(path_jump_count), sum(path_wait_ns), sum(path_completion_ns)
    """
    totals = found.rows("""
        SELECT
            (SELECT coalesce(sum(message_count), 0) FROM communication_matrix),
            (SELECT coalesce(sum(bytes), 0) FROM communication_matrix),
            coalesce(sum(wait_ns) FILTER (WHERE NOT is_completion), 0),
            coalesce(sum(wait_ns) FILTER (WHERE is_completion), 0),
            (SELECT coalesce(sum(jump_count), 0) FROM critical_path_partners),
            (SELECT coalesce(sum(wait_ns), 0) FROM critical_path_partners),
            (SELECT coalesce(sum(completion_ns), 0) FROM critical_path_partners)
        FROM wait_states
    """)
    for view in ("process_pairs", "node_pairs"):
        (pairs,) = found.rows(f"{sums} FROM {view}")
        assert [tuple(each or 0 for each in pairs)] == totals
    by_property = "SELECT property, sum({}) FROM {} WHERE property IS NOT NULL GROUP BY ALL"
    ours = found.rows(by_property.format("wait_ns + completion_ns", "process_pairs"))
    assert sorted(ours) == sorted(found.rows(by_property.format("wait_ns", "wait_states")))
