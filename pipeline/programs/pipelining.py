"""Steps and edges of pipelined loops on a grid of processes."""

from collections.abc import Sequence
from math import floor, sqrt
from typing import NamedTuple

import numpy as np

from tracemill.programs.clusters.cluster import Channel, Cluster
from tracemill.programs.parts import (
    Times,
    coordinates,
    first_holders,
    own_sizes,
    ranks_at,
    rounded,
    section_ranges,
    shared_times,
)
from tracemill.programs.placed import Array, Pipelined, PlacedProgram, section_size
from tracemill.programs.transfers import NOBODY, Edges, Numbers, PipelineSteps


class _Cut(NamedTuple):
    """A cut extent: its dimension of the grid, width, and whether low processes come first.

    `places` is the coordinate of each process in that dimension.
    """

    extent: int
    dimension: int
    width: int
    is_ascending: bool
    places: Numbers


def pipeline_steps(phase: Pipelined, program: PlacedProgram, cluster: Cluster) -> PipelineSteps:
    """Return the steps of a pipelined loop, their times and the edges that pass between them."""
    array, all_iterations = program.arrays[phase.array], section_size(phase.over)
    sizes = own_sizes(section_ranges(array, phase.over, program.grid))
    counts = sizes.prod(axis=1)

    def times(iterations: Numbers) -> Times:
        """Return the time of so many iterations on each process, not rounded (ns)."""
        return shared_times(phase.work, iterations, all_iterations, program, cluster)

    cuts = _cuts(phase, array, program.grid)
    along = _along(phase, cuts, len(array.extent))
    across = [
        (cut, _edges(cut, sizes, array, along, program.grid)) for cut in cuts if cut.extent != along
    ]
    quantum = phase.quantum
    if quantum is None:
        quantum = _chosen_quantum(float(times(counts).max()), across, sizes, along, cluster)
    own = np.where(counts > 0, sizes[:, along], 0)
    steps = -(-own // quantum)
    full, last = np.minimum(own, quantum), own - np.maximum(steps - 1, 0) * quantum
    layer = counts // np.maximum(own, 1)
    return PipelineSteps(
        steps=steps,
        step_ns=rounded(times(full * layer)),
        last_step_ns=rounded(times(last * layer)),
        is_productive=first_holders(array, program.grid),
        edges=tuple(_in_steps(edges, full, last) for _, edges in across),
        along=next(
            (_edge_along(cut, sizes, array, program.grid) for cut in cuts if cut.extent == along),
            None,
        ),
        quantum=quantum,
    )


def _cuts(phase: Pipelined, array: Array, grid: Sequence[int]) -> list[_Cut]:
    """Return the extents with a width that lie on two or more processes."""
    places = coordinates(grid)
    return [
        _Cut(extent, dimension, low or high, low > 0, places[:, dimension])
        for extent, ((low, high), dimension) in enumerate(
            zip(phase.widths, array.distribution, strict=True)
        )
        if (low or high) and dimension is not None and grid[dimension] > 1
    ]


def _along(phase: Pipelined, cuts: Sequence[_Cut], extents: int) -> int:
    """Return the extent that the steps run along: as given, the last not cut, or the last."""
    if phase.along is not None:
        return phase.along
    whole = set(range(extents)) - {cut.extent for cut in cuts}
    return max(whole, default=extents - 1)


def _edges(cut: _Cut, sizes: Numbers, array: Array, along: int, grid: Sequence[int]) -> Edges:
    """Return the edges over an extent, in bytes for one index along the steps.

    Along the steps (`along` is the extent itself), bytes of the whole edge.
    """
    has_part = sizes.prod(axis=1) > 0
    places = coordinates(grid)
    neighbors = []
    for step in (-1, 1) if cut.is_ascending else (1, -1):
        moved = places.copy()
        moved[:, cut.dimension] += step
        inside = (moved[:, cut.dimension] >= 0) & (moved[:, cut.dimension] < grid[cut.dimension])
        ranks = np.where(inside, ranks_at(moved, grid), 0)
        neighbors.append(np.where(has_part & inside & has_part[ranks], ranks, NOBODY))
    rest = [each for each in range(sizes.shape[1]) if each not in (cut.extent, along)]
    widths = np.minimum(cut.width, sizes[:, cut.extent])
    edge = widths * sizes[:, rest].prod(axis=1) * array.element_bytes
    edge = np.where(neighbors[1] != NOBODY, edge, 0)
    return Edges(cut.dimension, neighbors[0], neighbors[1], edge, edge)


def _in_steps(edges: Edges, full: Numbers, last: Numbers) -> Edges:
    """Return edges of one index along the steps as those of full steps and last steps."""
    return edges._replace(sizes=edges.sizes * full, last_sizes=edges.last_sizes * last)


def _edge_along(cut: _Cut, sizes: Numbers, array: Array, grid: Sequence[int]) -> Edges:
    """Return the edge over the extent that the steps run along: one after the last step."""
    edges = _edges(cut, sizes, array, cut.extent, grid)
    return edges._replace(sizes=np.zeros_like(edges.sizes))


def _chosen_quantum(
    work_ns: float, cuts: Sequence[tuple[_Cut, Edges]], sizes: Numbers, along: int, cluster: Cluster
) -> int:
    """Return the quantum that minimizes the time of filling and running the pipeline.

    `work_ns` is the longest computing time of a process; cuts are those across the steps, with
    edges of one index along the steps.
    """
    own = sizes[sizes.prod(axis=1) > 0, along]
    longest = int(own.max(initial=1))
    stages = sum(_places(cut, sizes) - 1 for cut, _ in cuts)
    if stages <= 0:
        return longest
    edge_bytes = int((sum(edges.sizes for _, edges in cuts) * sizes[:, along]).max())
    channel = _outermost_channel([edges for _, edges in cuts], cluster)
    latency = channel.latency_ns + cluster.overhead_ns
    if latency == 0:
        return 1
    best = sqrt(stages * (work_ns + channel.ns_per_byte * edge_bytes) / latency)
    steps = min(max(floor(best + 0.5), 1), longest)
    return -(-longest // steps)


def _places(cut: _Cut, sizes: Numbers) -> int:
    """Return how many places of a cut extent have a part."""
    return len(np.unique(cut.places[sizes.prod(axis=1) > 0]))


def _outermost_channel(edges: Sequence[Edges], cluster: Cluster) -> Channel:
    """Return the first channel of the highest level that joins neighbors, in its lowest unit."""
    senders = np.concatenate([np.flatnonzero(each.successors != NOBODY) for each in edges])
    receivers = np.concatenate([each.successors[each.successors != NOBODY] for each in edges])
    cores = cluster.cores(len(edges[0].successors))
    for number in reversed(range(len(cluster.levels))):
        size = cluster.cores_per_unit(number)
        units = cores[senders] // size
        inner = cluster.cores_per_unit(number - 1) if number else 1
        joined = (units == cores[receivers] // size) & (
            cores[senders] // inner != cores[receivers] // inner
        )
        if joined.any():
            return cluster.channels_of(number, int(units[joined].min()))[0]
    raise AssertionError("neighbors are on different cores")
