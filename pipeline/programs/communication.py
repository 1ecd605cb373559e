"""Transfers of an operation of a program of data on a grid of processes."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.collective_transfers import all_members, collective_transfers
from tracemill.programs.parts import (
    block_length,
    coordinates,
    first_holders,
    iteration_counts,
    own_ranges,
    own_sizes,
    ranks_at,
    section_ranges,
)
from tracemill.programs.placed import (
    STORAGE,
    Array,
    Collective,
    Copy,
    Exchange,
    Io,
    Neighbours,
    Operation,
    PlacedProgram,
    Reduction,
    Remote,
    Widths,
    section_size,
)
from tracemill.programs.transfers import Communication, Numbers, Transfers


def communication_of(phase: Operation, program: PlacedProgram, cluster: Cluster) -> Communication:
    """Return the members of an operation, and its transfers."""
    if isinstance(phase, Reduction):
        return _reduction(phase, program, cluster)
    if isinstance(phase, Collective):
        members = all_members(program.process_count)
        return collective_transfers(phase.operation, phase.bytes, phase.root, members, cluster)
    transfers = _listed(phase, program)
    processes = np.unique(np.concatenate([transfers.senders, transfers.receivers]))
    return Communication(processes[processes != STORAGE], transfers)


def _listed(phase: Operation, program: PlacedProgram) -> Transfers:
    """Return the transfers of operations in which only senders and receivers take part."""
    if isinstance(phase, Exchange):
        return _exchange(phase, program)
    if isinstance(phase, Copy):
        return _copy(phase, program)
    if isinstance(phase, Remote):
        return _remote(phase, program)
    if isinstance(phase, Io):
        return _io(phase, program)
    if isinstance(phase, Neighbours):
        return _neighbours(phase, program.grid)
    raise TypeError(f"not an operation: {type(phase).__name__}")


def _reduction(phase: Reduction, program: PlacedProgram, cluster: Cluster) -> Communication:
    members = all_members(program.process_count)
    if phase.array is not None:
        array = program.arrays[phase.array]
        members = np.flatnonzero(iteration_counts(array, array.whole, program.grid))
    return collective_transfers("allreduce", phase.bytes, 0, members, cluster)


def _exchange(phase: Exchange, program: PlacedProgram) -> Transfers:
    pieces = [
        _edges(program.arrays[name], widths, offsets, program.grid)
        for name, widths in zip(phase.arrays, phase.widths, strict=True)
        for offsets in _offsets(program.arrays[name], phase.corners)
    ]
    return _joined(pieces)


def _offsets(array: Array, corners: bool) -> list[tuple[int, ...]]:
    """Return the offsets of neighbors: -1, 0 or 1 in each extent, 0 where it is whole."""
    choices = [(0,) if each is None else (-1, 0, 1) for each in array.distribution]
    offsets = [each for each in product(*choices) if any(each)]
    return offsets if corners else [each for each in offsets if sum(map(abs, each)) == 1]


def _edges(
    array: Array, widths: Widths, offsets: tuple[int, ...], grid: Sequence[int]
) -> Transfers:
    """Return the edges of an array that processes get from their neighbor at offsets."""
    sizes = own_sizes(own_ranges(array, grid))
    shift = np.zeros(len(grid), np.int64)
    for offset, dimension in zip(offsets, array.distribution, strict=True):
        if dimension is not None:
            shift[dimension] = offset
    receivers, senders = _shifted(grid, shift, periodic=False)
    counts = np.full(len(receivers), array.element_bytes, np.int64)
    for extent, offset in enumerate(offsets):
        if offset == 0:
            counts *= sizes[receivers, extent]
        else:
            counts *= np.minimum(widths[extent][offset > 0], sizes[senders, extent])
    some = counts > 0
    return _first_round(senders[some], receivers[some], counts[some])


def _shifted(grid: Sequence[int], shift: Numbers, *, periodic: bool) -> tuple[Numbers, Numbers]:
    """Return processes with a neighbor at an offset in the grid, and these neighbors."""
    places = coordinates(grid) + shift
    lengths = np.array(grid, np.int64)
    if periodic:
        return np.arange(len(places), dtype=np.int64), ranks_at(places % lengths, grid)
    inside = np.flatnonzero(((places >= 0) & (places < lengths)).all(axis=1))
    return inside, ranks_at(places[inside], grid)


def _copy(phase: Copy, program: PlacedProgram) -> Transfers:
    """Return what processes lack of the source for their part of the target's section."""
    source, target = program.arrays[phase.source], program.arrays[phase.target]
    ranges = section_ranges(target, phase.to_section, program.grid)
    needed = np.empty((len(ranges), len(source.extent), 2), np.int64)
    needed[:] = np.array(phase.from_section, np.int64).reshape(-1, 2)
    source_extents = [i for i, (first, last) in enumerate(phase.from_section) if last > first]
    target_extents = [i for i, (first, last) in enumerate(phase.to_section) if last > first]
    for extent, place in zip(target_extents, phase.order, strict=True):
        start = phase.to_section[extent][0] - phase.from_section[source_extents[place]][0]
        needed[:, source_extents[place]] = ranges[:, extent] - start
    has_part = own_sizes(ranges).prod(axis=1) > 0
    return _fetched(source, np.flatnonzero(has_part), needed[has_part], program.grid)


def _remote(phase: Remote, program: PlacedProgram) -> Transfers:
    array = program.arrays[phase.array]
    by = own_ranges(program.arrays[phase.by], program.grid)
    needed = np.empty((len(by), len(array.extent), 2), np.int64)
    for extent, own in enumerate(phase.section):
        needed[:, extent] = by[:, extent] if own is None else np.array(own)
        needed[:, extent, 1] = np.minimum(needed[:, extent, 1], array.extent[extent] - 1)
    some = (own_sizes(by).prod(axis=1) > 0) & (own_sizes(needed).prod(axis=1) > 0)
    return _fetched(array, np.flatnonzero(some), needed[some], program.grid)


def _fetched(array: Array, receivers: Numbers, needed: Numbers, grid: Sequence[int]) -> Transfers:
    """Return the transfers that bring ranges of an array, [receivers, extents, 2].

    Where the array is repeated, a receiver gets them from the holder with its own coordinates.
    """
    lengths = [
        extent if dimension is None else block_length(extent, grid[dimension])
        for extent, dimension in zip(array.extent, array.distribution, strict=True)
    ]
    blocks = needed // np.array(lengths, np.int64)[:, None]
    counts = blocks[:, :, 1] - blocks[:, :, 0] + 1
    pairs = counts.prod(axis=1)
    rows = np.repeat(np.arange(len(receivers)), pairs)
    numbers = np.arange(len(rows)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    places = coordinates(grid)[receivers][rows]
    sizes = np.full(len(rows), array.element_bytes, np.int64)
    for extent, (length, dimension) in enumerate(zip(lengths, array.distribution, strict=True)):
        numbers, turn = np.divmod(numbers, counts[rows, extent])
        block = blocks[rows, extent, 0] + turn
        first = np.maximum(needed[rows, extent, 0], block * length)
        last = np.minimum(needed[rows, extent, 1], (block + 1) * length - 1)
        sizes *= last - first + 1
        if dimension is not None:
            places[:, dimension] = block
    senders, getters = ranks_at(places, grid), receivers[rows]
    lacking = senders != getters
    return _joined([_first_round(senders[lacking], getters[lacking], sizes[lacking])])


def _io(phase: Io, program: PlacedProgram) -> Transfers:
    own, whole, holders = _accesses(phase, program)
    if phase.mode == "one":
        holders = holders[holders > 0]
    zeros, storage = np.zeros_like(holders), np.full_like(holders, STORAGE)
    first, store, total = (np.array([each], np.int64) for each in (0, STORAGE, whole))
    if phase.operation == "write":
        if phase.mode == "each":
            return _joined([_first_round(holders, storage, own[holders])])
        stored = _next_round(_first_round(first, store, total))
        return _joined([_first_round(holders, zeros, own[holders]), stored])
    if phase.mode == "each":
        return _joined([_first_round(storage, holders, own[holders])])
    sent = _next_round(_first_round(zeros, holders, own[holders]))
    return _joined([_first_round(store, first, total), sent])


def _accesses(phase: Io, program: PlacedProgram) -> tuple[Numbers, int, Numbers]:
    """Return bytes of each process, bytes of the whole, and processes that access their own.

    A number of bytes is written by one process as a whole; all get it when it is read.
    """
    processes = np.arange(program.process_count, dtype=np.int64)
    writes = phase.operation == "write"
    if phase.array is None:
        whole = int(phase.bytes or 0)
        own = np.full_like(processes, whole)
        return own, whole, processes[: 1 if writes and phase.mode == "one" else None]
    array = program.arrays[phase.array]
    section = phase.section if phase.section is not None else array.whole
    own = iteration_counts(array, section, program.grid) * array.element_bytes
    has_part = own > 0
    if writes:
        has_part &= first_holders(array, program.grid)
    return own, section_size(section) * array.element_bytes, processes[has_part]


def _neighbours(phase: Neighbours, grid: Sequence[int]) -> Transfers:
    pairs = [
        _shifted(grid, np.array(offset, np.int64), periodic=phase.periodic)
        for offset in phase.offsets
    ]
    empty = np.empty(0, np.int64)
    senders = np.concatenate([empty, *(each[0] for each in pairs)])
    receivers = np.concatenate([empty, *(each[1] for each in pairs)])
    size = int(np.prod(grid))
    keys, counts = np.unique((senders * size + receivers)[senders != receivers], return_counts=True)
    return _first_round(keys // size, keys % size, counts.astype(np.int64) * phase.bytes)


def _first_round(senders: Numbers, receivers: Numbers, sizes: Numbers) -> Transfers:
    return Transfers(senders, receivers, sizes, np.zeros(len(senders), np.int64))


def _next_round(transfers: Transfers) -> Transfers:
    return transfers._replace(rounds=transfers.rounds + 1)


def _joined(pieces: Sequence[Transfers]) -> Transfers:
    """Join transfers in the order of rounds, senders, receivers and pieces."""
    empty = np.empty(0, np.int64)
    joined = Transfers(*(np.concatenate([empty, *(each[k] for each in pieces)]) for k in range(4)))
    order = np.lexsort((joined.receivers, joined.senders, joined.rounds))
    return Transfers(*(column[order] for column in joined))
