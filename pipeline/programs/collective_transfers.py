"""Transfers of collective operations: by a star, a tree, recursive doubling, or a ring."""

import numpy as np

from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.transfers import AllPairs, Communication, Numbers, Ring, Transfers

COMMON_ENDS = ("allreduce", "allgather", "barrier")
"""Operations that are over for all members at the same time."""

_SERVED = {
    "recursive doubling": ("allreduce", "barrier"),
    "ring": ("allreduce", "barrier", "allgather"),
}
_UP = ("reduce", "gather", *COMMON_ENDS)
_DOWN = ("bcast", "scatter", *COMMON_ENDS)
_GATHERING = ("gather", "scatter", "allgather")


def all_members(process_count: int) -> Numbers:
    """Return the processes as members of an operation."""
    return np.arange(process_count, dtype=np.int64)


def collective_transfers(
    operation: str, size: int, root: int, members: Numbers, cluster: Cluster
) -> Communication:
    """Return a collective; `size` is what one gives or gets (bytes), members count from the root.

    `root` is an index into the members. An algorithm that does not serve gives way to the tree.
    """
    size = 0 if operation == "barrier" else size
    is_common_end = operation in COMMON_ENDS
    if operation == "alltoall":
        return Communication(members, AllPairs(size))
    algorithm = cluster.algorithm(operation, size)
    if algorithm in _SERVED and operation not in _SERVED[algorithm]:
        algorithm = "tree"
    count = len(members)
    if algorithm == "ring":
        ring = Ring(count - 1, size)
        if operation != "allgather":
            ring = Ring(2 * (count - 1), -(-size // count))
        return Communication(members, ring, is_common_end)
    if algorithm == "recursive doubling":
        transfers = _doubling(count, size)
    else:
        transfers = _up_and_down(operation, algorithm, count, size)
    return Communication(members, _numbered(transfers, np.roll(members, -root)), is_common_end)


def _up_and_down(operation: str, algorithm: str, count: int, size: int) -> Transfers:
    """Return the transfers to the root and from it, by index of members from the root."""
    below = np.arange(1, count, dtype=np.int64)
    above, levels = np.zeros_like(below), np.zeros_like(below)
    if algorithm == "tree":
        levels = np.floor(np.log2(below)).astype(np.int64)
        above = below - (1 << levels)
    carried = np.full(len(below), size, np.int64)
    if operation in _GATHERING and algorithm == "tree":
        carried *= (count - 1 - below) // (2 << levels) + 1
    depth = int(levels.max(initial=-1)) + 1
    up = Transfers(below, above, carried, depth - 1 - levels)
    if operation == "allgather":
        carried = np.full(len(below), count * size, np.int64)
    down = Transfers(above, below, carried, levels)
    if operation not in _DOWN:
        return up
    if operation not in _UP:
        return down
    return _joined([up, down._replace(rounds=levels + depth)])


def _doubling(count: int, size: int) -> Transfers:
    """Return the transfers of recursive doubling by index of members."""
    power = 1 << (count.bit_length() - 1)
    index = np.arange(power, dtype=np.int64)
    rest = index[: count - power]
    pieces = [(rest + power, rest)]
    pieces += [(index, index ^ (1 << bit)) for bit in range(power.bit_length() - 1)]
    pieces += [(rest, rest + power)]
    senders = np.concatenate([each[0] for each in pieces])
    receivers = np.concatenate([each[1] for each in pieces])
    rounds = np.repeat(np.arange(len(pieces)), [len(each[0]) for each in pieces])
    return Transfers(senders, receivers, np.full(len(senders), size, np.int64), rounds)


def _joined(pieces: list[Transfers]) -> Transfers:
    return Transfers(*(np.concatenate([each[k] for each in pieces]) for k in range(4)))


def _numbered(transfers: Transfers, processes: Numbers) -> Transfers:
    """Return the transfers between processes instead of members, in their order."""
    senders, receivers = processes[transfers.senders], processes[transfers.receivers]
    order = np.lexsort((receivers, senders, transfers.rounds))
    return Transfers(
        senders[order], receivers[order], transfers.sizes[order], transfers.rounds[order]
    )
