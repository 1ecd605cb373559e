"""Replays of programs with kernels on streams are those of simulating them with other times."""

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.computing import computed
from tests.helpers.gpu_programs import random_program, run_time, write_program
from tests.helpers.otf2_reading import read_tables
from tracemill.kernels.replay import last_activity, replay
from tracemill.stages.replays import GRAPH_INPUTS, Graph, read_graph

PROGRAMS, BATCH = 60, 20
CHANGES = (
    {"k": 0.0}, {"k": 0.5}, {"l": 0.0}, {"k": 1.5, "l": 0.5}, {"f": 0.0}, {"g": 2.0, "k": 0.5},
)  # fmt: skip


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_replays_are_those_of_simulating_again(first: int, tmp_path: Path) -> None:
    compared = 0
    for seed in range(first, first + BATCH):
        program = random_program(seed)
        tables = read_tables(write_program(program).write(tmp_path / str(seed)), tmp_path)
        with computed((*GRAPH_INPUTS, "gains"), tables) as found:
            for name in (*GRAPH_INPUTS, "gains"):
                found.provide(name)
            graph = read_graph(*map(found.connection.table, GRAPH_INPUTS))
            regions = dict(found.connection.sql("SELECT region_id, name FROM regions").fetchall())
            gains = found.table("gains").to_pylist()
        assert graph is not None
        assert graph.found.has_known_streams
        unchanged = replay(graph.found.graph, graph.found.duration)
        assert np.array_equal(unchanged.end, graph.found.end)
        assert run_with(graph, regions, {}) == run_time(program, {}) == graph.found.run_ns
        for factors in CHANGES:
            expected = run_time(program, factors)
            assert run_with(graph, regions, factors) == expected, f"{factors} of {program}"
            compared += expected != graph.found.run_ns
        for row in gains:
            assert 0 <= row["gain_ns"] <= row["path_ns"]
            if row["kind"] == "region" and regions[row["region_id"]] in "fgkl":
                without = run_time(program, {regions[row["region_id"]]: 0.0})
                assert row["run_ns"] == without, f"{row} of {program}"
    assert compared > BATCH


def run_with(graph: Graph, regions: dict[int, str], factors: dict[str, float]) -> int:
    """Run time of a replay with scaled regions."""
    found, paths = graph.found, graph.paths
    names = [regions.get(region, "") for region in paths.region[found.row_path].tolist()]
    times = found.row_time * np.array([factors.get(name, 1.0) for name in names])
    sums = np.bincount(found.row_activity, times, len(found.end))
    changed = replay(found.graph, np.floor(sums + 0.5).astype(np.int64))
    return int(changed.end[last_activity(found.graph, changed)]) - found.graph.begin
