"""A trace that a program left on a cluster, replayed on that cluster, is that program there.

The program is simulated operation by operation; its trace has sends, receives and collectives.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.random_descriptions import random_case
from tracemill.engine.analyze import Options, analyze
from tracemill.forecast.replayed.outcome import make_outcome
from tracemill.forecast.replayed.reading import read_run
from tracemill.forecast.replayed.running import replay_on
from tracemill.forecast.simulation import simulate
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.collective_transfers import COMMON_ENDS
from tracemill.programs.generate import generate
from tracemill.programs.placed import Branch, Io, PlacedProgram
from tracemill.store.runs import Store

CASES = 24


def phases_of(phases: Any) -> Iterator[Any]:
    for phase in phases:
        yield phase
        yield from phases_of(getattr(phase, "phases", ()))


def is_replayable(program: PlacedProgram) -> bool:
    """Several processes, no storage, and what a trace shows of collectives.

    Nobody waits in those without bytes, and those of equal members have no root.
    """
    return program.process_count > 1 and not any(
        isinstance(each, Branch | Io)
        or (getattr(each, "bytes", 1) == 0 and getattr(each, "operation", "") != "barrier")
        or (getattr(each, "root", 0) != 0 and each.operation in COMMON_ENDS)
        for each in phases_of(program.phases)
    )


def cases() -> list[tuple[int, PlacedProgram, Cluster]]:
    """Calls cost nothing, as operations and calls are counted differently."""
    found: list[tuple[int, PlacedProgram, Cluster]] = []
    seed = 0
    while len(found) < CASES:
        program, cluster = random_case(seed, branches=False)
        if is_replayable(program):
            free = replace(cluster, overhead_ns=0.0, eager_limit_bytes=inf, storage=())
            found.append((seed, program, free))
        seed += 1
    return found


@pytest.mark.parametrize(
    ("seed", "program", "cluster"),
    cases(),
    ids=lambda each: str(each) if isinstance(each, int) else "",
)
def test_a_replayed_program_ends_as_the_program(
    seed: int, program: PlacedProgram, cluster: Cluster, tmp_path: Path
) -> None:
    made = generate(program, tmp_path / "archive", cluster=cluster)
    run = analyze(made.anchor, store=Store(tmp_path / "store"), options=Options(threads=1)).run
    recorded = read_run(run)
    # Recorded times are those of the cluster's cores.
    exceptions = tuple(replace(each, speed=1.0) for each in cluster.exceptions)
    same_cores = replace(cluster, speed=1.0, exceptions=exceptions)
    found = make_outcome(recorded, same_cores, replay_on(recorded, same_cores))
    expected = simulate(program, cluster, shortcuts="none").ends_ns
    assert (found.end - found.begin.min()).tolist() == expected.tolist()
