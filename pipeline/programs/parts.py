"""Parts of arrays on a grid of processes, and computing times of parts of programs."""

from collections.abc import Sequence
from math import floor

import numpy as np
from numpy.typing import NDArray

from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.placed import (
    Array,
    Parallel,
    PlacedProgram,
    Section,
    Serial,
    Work,
    section_size,
)
from tracemill.programs.transfers import Computing, Flags, Numbers

Times = NDArray[np.float64]


def coordinates(grid: Sequence[int]) -> Numbers:
    """Return the coordinates of each process in the grid, [processes, dimensions].

    Ranks count the last coordinate fastest.
    """
    return np.indices(tuple(grid), dtype=np.int64).reshape(len(grid), -1).T


def ranks_at(places: Numbers, grid: Sequence[int]) -> Numbers:
    """Return the ranks of processes at coordinates [processes, dimensions]."""
    ranks = np.zeros(len(places), np.int64)
    for dimension, length in enumerate(grid):
        ranks = ranks * length + places[:, dimension]
    return ranks


def block_length(extent: int, process_count: int) -> int:
    """Return the length of blocks of an extent over so many processes."""
    return -(-extent // process_count)


def own_ranges(array: Array, grid: Sequence[int]) -> Numbers:
    """Return the part of each process: first and last index, [processes, extents, 2].

    Of empty parts, the last index is below the first.
    """
    places = coordinates(grid)
    ranges = np.empty((len(places), len(array.extent), 2), np.int64)
    for number, (extent, dimension) in enumerate(
        zip(array.extent, array.distribution, strict=True)
    ):
        length, place = extent, np.zeros(len(places), np.int64)
        if dimension is not None:
            length, place = block_length(extent, grid[dimension]), places[:, dimension]
        ranges[:, number, 0] = place * length
        ranges[:, number, 1] = np.minimum((place + 1) * length, extent) - 1
    return ranges


def section_ranges(array: Array, over: Section, grid: Sequence[int]) -> Numbers:
    """Return the part of each process within a section, as `own_ranges`."""
    ranges = own_ranges(array, grid)
    bounds = np.array(over, np.int64).reshape(-1, 2)
    ranges[:, :, 0] = np.maximum(ranges[:, :, 0], bounds[:, 0])
    ranges[:, :, 1] = np.minimum(ranges[:, :, 1], bounds[:, 1])
    return ranges


def own_sizes(ranges: Numbers) -> Numbers:
    """Return the number of indices of ranges in each extent, [processes, extents]."""
    return np.maximum(ranges[:, :, 1] - ranges[:, :, 0] + 1, 0)


def iteration_counts(array: Array, over: Section, grid: Sequence[int]) -> Numbers:
    """Return the number of elements of a section that each process has."""
    return own_sizes(section_ranges(array, over, grid)).prod(axis=1)


def first_holders(array: Array, grid: Sequence[int]) -> Flags:
    """Return which processes have the lowest rank of those with the same part of the array."""
    places = coordinates(grid)
    repeated = [each for each in range(len(grid)) if each not in array.distribution]
    return np.asarray((places[:, repeated] == 0).all(axis=1))


def rounded(times: Times) -> Numbers:
    """Round times (ns) as durations are: floor(x + 0.5)."""
    return np.floor(times + 0.5).astype(np.int64)


def rounded_number(value: float) -> int:
    """Round a number as durations are."""
    return floor(value + 0.5)


def work_time(work: Work, program: PlacedProgram, cluster: Cluster) -> tuple[float, Times]:
    """Return the time of the work on one process (ns), and the factor on each process."""
    speeds = cluster.core_speeds(cluster.cores(program.process_count))
    if work.is_operations:
        return work.amount / cluster.operations_per_s * 1e9, 1.0 / speeds
    return work.amount, program.speed / speeds


def shared_times(
    work: Work, counts: Numbers, total: int, program: PlacedProgram, cluster: Cluster
) -> Times:
    """Return each process's time for its iterations out of the total, not rounded (ns)."""
    amount, factors = work_time(work, program, cluster)
    return np.asarray(amount * counts / total * factors)


def computing(phase: Serial | Parallel, program: PlacedProgram, cluster: Cluster) -> Computing:
    """Return the time of a part on each process, and on which ones it is productive.

    Of processes that run the same, the time of the lowest is productive.
    """
    if isinstance(phase, Parallel):
        return _parallel(phase, program, cluster)
    amount, factors = work_time(phase.work, program, cluster)
    runs = _running(phase, program)
    productive = np.zeros(len(runs), np.bool_)
    productive[np.flatnonzero(runs)[:1]] = True
    return Computing(np.where(runs, rounded(amount * factors), 0), productive)


def _running(phase: Serial, program: PlacedProgram) -> Flags:
    """Return which processes run a serial part."""
    if phase.on == "section":
        array, over = _section(phase, program)
        return np.asarray(iteration_counts(array, over, program.grid) > 0)
    runs = np.full(program.process_count, phase.on == "all")
    runs[0] = True
    return runs


def _parallel(phase: Parallel, program: PlacedProgram, cluster: Cluster) -> Computing:
    if phase.array is None:
        amount, factors = work_time(phase.work, program, cluster)
        times = rounded(amount / program.process_count * factors)
        return Computing(times, np.ones(len(times), np.bool_))
    array, over = _section(phase, program)
    counts = iteration_counts(array, over, program.grid)
    times = rounded(shared_times(phase.work, counts, section_size(over), program, cluster))
    return Computing(times, first_holders(array, program.grid))


def _section(phase: Serial | Parallel, program: PlacedProgram) -> tuple[Array, Section]:
    """Return the array of a part and the section that it is over."""
    assert phase.array is not None
    array = program.arrays[phase.array]
    return array, phase.over if phase.over is not None else array.whole
