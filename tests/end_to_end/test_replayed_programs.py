"""Programs of `data/` with a part scaled, or on another network: replayed and simulated again."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reference.replaying import gain_of, graph_of
from tracemill.engine.analyze import Options, analyze
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.store.runs import Run, Store

PROGRAMS = Path(__file__).parents[2] / "data" / "programs"
Made = tuple[Run, dict[str, Any]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    """The run of a program, and its true results; arguments change its machine."""

    def make(name: str, **machine: int) -> Made:
        folder = tmp_path_factory.mktemp(name)
        given = tomllib.loads((PROGRAMS / f"{name}.toml").read_text())
        given["machine"] |= machine
        program = generate(parse_spec(given, name), folder / name)
        options = Options(threads=1)
        run = analyze(program.anchor, store=Store(folder / "store"), options=options).run
        return run, program.summary

    return make


@pytest.fixture(scope="module")
def stencil(made: Callable[..., Made]) -> Made:
    return made("stencil")


def replayed(run: Run, scales: str) -> int:
    """The run time with the parts scaled (ns)."""
    with graph_of(run) as graph:
        return graph.scaled.found.run_ns - gain_of(graph, scales)


def times_of(run: Run) -> tuple[int, int]:
    """Run time and ideal run time from MPI_Init to MPI_Finalize (ns)."""
    found = {
        row["metric"]: int(row["value"])
        for row in run.read("pop_metrics").to_pylist()
        if (row["interval"], row["convention"]) == ("init to finalize", "times")
    }
    return found["run_time"], found["ideal_run_time"]


def test_threads_that_compute_twice_as_fast_are_exact(made: Callable[..., Made]) -> None:
    run, truth = made("hybrid")
    assert replayed(run, "compute_threads=0.5") == 7_049_406
    assert [each["run_ns"] for each in truth["what_if"]] == [7_049_406]


# Transfers go on behind computation: durations of calls only have what is left of them. With much
# computation that is little; without any, nothing else is left.
def test_a_rank_or_region_without_work_is_almost_exact(stencil: Made) -> None:
    run, truth = stencil
    assert [each["run_ns"] for each in truth["what_if"]] == [30_685_910, 390_547]
    assert replayed(run, "rank:15=0.5") == 30_686_904
    assert replayed(run, "compute_stencil=0") == 396_982


def test_an_ideal_network_is_the_limit_of_better_ones(
    stencil: Made, made: Callable[..., Made]
) -> None:
    assert times_of(stencil[0])[1] == 31_253_541
    better, _ = made("stencil", latency_ns=100, ns_per_kib=0, overhead_ns=8)
    assert times_of(better) == (31_270_379, 31_253_553)
