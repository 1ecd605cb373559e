"""Gains of simulated programs are those of simulating them with the part really scaled.

Programs have computation, messages of all modes, collectives, teams of threads with barriers and
locks, fences and files. A replay keeps outcomes, and knows of waiting only what the trace shows. So
these are left out:

- Masters: workers that are faster get other tasks. Locks of windows: others get them first.
- MPI_Sendrecv of messages that wait for their receive: whether the call waited for that or for its
  own message does not show.
- Epochs of windows: whether their first call or a later one waits shows only where it waited.
- Large messages: transfers behind computation are in no duration.
- Collectives without data are no synchronization for the graph, as for Scalasca, but they are
  simulated as one; neighbors that send nothing are not known to be neighbors.

Tasks of OpenMP and threads of Pthreads cannot be generated.
"""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.helpers.computing import computed
from tests.helpers.otf2_reading import read_tables
from tests.helpers.random_programs import random_spec
from tracemill.kernels.replay import last_activity, replay
from tracemill.programs.generate import Generated, generate
from tracemill.programs.language.process_kinds import Spec, WhatIf
from tracemill.programs.phases.computing import region_of
from tracemill.stages.activity_rows import (
    Activities,
    Paths,
    read_activities,
    read_paths,
    with_path_numbers,
)

PROGRAM_COUNT, BATCH = 300, 20
LEFT_OUT = frozenset({"MasterWorker"})
# Transfers may not be much of the run.
SIZE, LATENCY_NS, NS_PER_KIB, MOST_BYTES = 1_000_000, 1_000, 100, 1_000
GRAPH = ("activities", "activity_dependencies", "activity_times")
NEEDED = (*GRAPH, "call_paths", "region_classes", "mpi_call_paths", "regions", "locations")


def programs(first: int, count: int) -> list[Spec]:
    """Random programs whose outcomes hardly depend on times, with parts to scale."""
    found: list[Spec] = []
    seed = 10 * first
    while len(found) < count:
        seed += 1
        spec = random_spec(seed, has_threads=seed % 5 == 0)
        if {type(each).__name__ for each in spec.phases} & LEFT_OUT:
            continue
        random = Random(seed)
        region = region_of(random.choice(spec.phases))
        rank = random.randrange(spec.processes)
        scaled = (
            WhatIf(region=region, factor=random.choice((0.5, 0.8))),
            WhatIf(rank=rank, factor=random.choice((0.0, 0.5))),
            WhatIf(region=region, rank=rank, factor=0.0),
            WhatIf(factor=random.choice((0.6, 1.5))),
        )
        is_long = spec.machine.eager_limit < MOST_BYTES
        phases = tuple(_computing(each, is_long=is_long) for each in spec.phases)
        machine = replace(spec.machine, latency_ns=LATENCY_NS, ns_per_kib=NS_PER_KIB)
        found.append(replace(spec, size=SIZE, phases=phases, machine=machine, what_if=scaled))
    return found


def _computing(phase: Any, *, is_long: bool) -> Any:
    """The phase with work and data, and without what is left out."""
    given: dict[str, Any] = {"synchronization": "fences"}
    if getattr(phase, "exchange", "") == "sendrecv" and is_long:
        given["exchange"] = "nonblocking"
    if any(each.startswith("neighbor") for each in getattr(phase, "operations", ())):
        given["silent"] = 0.0
    return replace(
        phase,
        cell_ns=max(phase.cell_ns, 1),
        bytes=min(max(phase.bytes, 1), MOST_BYTES),
        **{name: value for name, value in given.items() if hasattr(phase, name)},
    )


@pytest.mark.parametrize("first", range(0, PROGRAM_COUNT, BATCH))
def test_gains_are_those_of_simulating_again(first: int, tmp_path: Path) -> None:
    compared = 0
    for number, spec in enumerate(programs(first, BATCH)):
        generated = generate(spec, tmp_path / f"program{number}")
        with computed(NEEDED, read_tables(generated.anchor, tmp_path)) as found:
            for name in NEEDED:
                found.provide(name)
            table = found.connection.table
            paths = read_paths(
                table("call_paths"), table("region_classes"), table("mpi_call_paths")
            )
            graph = read_activities(*map(table, GRAPH))
            assert graph is not None
            names = dict(table("regions").select("region_id, name").fetchall())
            ranks = dict(table("locations").select("location_id, rank").fetchall())
        compared += check(
            generated, with_path_numbers(graph, paths), paths, names, ranks, str(spec)
        )
    assert compared >= BATCH


def check(
    generated: Generated, graph: Activities, paths: Paths, names: dict[int, str],
    ranks: dict[int, int], described: str,
) -> int:  # fmt: skip
    """How many scaled parts change the run by at least a hundredth and keep half of it."""
    computing = np.full(len(paths.region), "", object)
    for path, region in enumerate(paths.region.tolist()):
        if names.get(region, "").startswith("compute_"):
            computing[path : paths.last[path] + 1] = names[region]
    region = np.where(paths.is_mpi, "", computing)[graph.row_path]
    location = graph.location_ids[graph.graph.location[graph.row_activity]]
    rank = np.array([ranks[each] for each in location.tolist()])
    compared, recorded = 0, generated.summary["run_ns"]
    for scaled in generated.summary["what_if"]:
        chosen = region != "" if scaled["region"] is None else region == scaled["region"]
        if scaled["rank"] is not None:
            chosen = chosen & (rank == scaled["rank"])
        times = graph.row_time * np.where(chosen, scaled["factor"], 1.0)
        sums = np.bincount(graph.row_activity, times, len(graph.end))
        changed = replay(graph.graph, np.floor(sums + 0.5).astype(np.int64))
        run = int(changed.end[last_activity(graph.graph, changed)]) - graph.graph.begin
        if scaled["run_ns"] >= recorded / 2:
            assert run == pytest.approx(scaled["run_ns"], rel=0.001), f"{scaled} of {described}"
            compared += abs(scaled["run_ns"] - recorded) >= recorded / 100
    return compared
