"""Traces generated on clusters: as long as the forecast says, and analyzed to the nanosecond."""

from pathlib import Path
from random import Random

import pytest

from tests.helpers.computing import computed
from tests.helpers.otf2_reading import read_tables
from tests.helpers.random_descriptions import random_case, random_cluster
from tests.helpers.random_programs import random_spec
from tests.helpers.truth_checking import RELATIONS, check_truth
from tracemill.forecast.simulation import simulate as forecast
from tracemill.programs.clusters.reading import parse_cluster, read_cluster
from tracemill.programs.generate import generate
from tracemill.programs.language.reading import parse_program, read_data_program
from tracemill.programs.phases.building import build_program
from tracemill.programs.phases.data import build_data_program
from tracemill.programs.simulation import simulate
from tracemill.programs.timing import of_data, of_machine, of_processes

DATA = Path(__file__).parents[2] / "data"
CASES, TRACES, BATCH = 600, 60, 10
TOLERANCE = 0.01
"""Between run times of traces and forecasts, as far as their programs have no branches."""


@pytest.mark.parametrize("first", range(0, CASES, 100))
def test_traces_are_as_long_as_forecasts(first: int) -> None:
    for seed in range(first, first + 100):
        placed, cluster = random_case(seed, branches=False)
        expected = forecast(placed, cluster, shortcuts="none").time_ns
        outcome = simulate(build_data_program(placed, cluster), of_data(cluster))
        assert outcome.end_ns == expected, seed


@pytest.mark.parametrize("cluster_name", ["mvs-15k", "fat-tree", "numa-node"])
@pytest.mark.parametrize("grid", [(1, 1), (2, 2), (4, 4), (2, 16)])
def test_traces_of_the_example_are_as_long_as_forecasts(
    cluster_name: str, grid: tuple[int, ...]
) -> None:
    cluster = read_cluster(DATA / "clusters" / f"{cluster_name}.toml")
    placed = read_data_program(DATA / "programs" / "jacobi.toml").place(grid)
    expected = forecast(placed, cluster, shortcuts="none").time_ns
    outcome = simulate(build_data_program(placed, cluster), of_data(cluster))
    assert outcome.end_ns == pytest.approx(expected, rel=TOLERANCE)


@pytest.mark.parametrize("first", range(0, TRACES, BATCH))
def test_analyses_of_programs_with_a_grid_find_the_truth(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + BATCH):
        placed, cluster = random_case(seed)
        generated = generate(placed, tmp_path / f"program{seed}", cluster=cluster)
        read = read_tables(generated.anchor, tmp_path)
        with computed(RELATIONS, read) as found:
            check_truth(generated.anchor.parent, found, str(seed))


@pytest.mark.parametrize("first", range(0, TRACES, BATCH))
def test_analyses_of_programs_of_processes_find_the_truth(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + BATCH):
        spec = random_spec(seed, has_threads=seed % BATCH == 0)
        cluster = random_cluster(Random(seed), spec.processes)
        generated = generate(spec, tmp_path / f"program{seed}", cluster=cluster)
        read = read_tables(generated.anchor, tmp_path)
        with computed(RELATIONS, read) as found:
            check_truth(generated.anchor.parent, found, str(seed))


def test_a_machine_is_a_cluster_whose_channels_are_never_taken() -> None:
    # Messages above the eager limit wait for both sides in any case, so times are the same.
    machine = {
        "eager_limit": 0, "latency_ns": 1500, "ns_per_kib": 1024, "noise": False, "start_ns": 0,
    }  # fmt: skip
    stencil = {"kind": "stencil", "imbalance": 0.5, "bytes": 5000}
    spec = parse_program({"processes": 6, "machine": machine, "phase": [stencil]})
    level = {
        "name": "all", "units": 6, "contention": False,
        "channel": [{"latency_ns": 1500, "ns_per_byte": 1}],
    }  # fmt: skip
    cluster = parse_cluster({"level": [level], "eager_limit_bytes": 0})
    program = build_program(spec)
    ends = [
        simulate(program, timing).end_ns
        for timing in (of_machine(spec.machine, 6), of_processes(spec.machine, cluster, 6))
    ]
    assert ends[0] == ends[1]
