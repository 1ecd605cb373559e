"""Transfers of recorded collectives, by the algorithms of the cluster."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tracemill.forecast.replayed.points import Points
from tracemill.forecast.replayed.reading import NONE, Recorded
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.collective_transfers import COMMON_ENDS, collective_transfers
from tracemill.programs.transfers import AllPairs, Ring, Transfers
from tracemill.schemas.replay import DEPENDENCY_KINDS
from tracemill.stages.arrays import Flags, Numbers

_N_TO_ONE, _ONE_TO_N, _SCAN, _NEIGHBORS = map(
    DEPENDENCY_KINDS.index, ("n_to_one", "one_to_n", "scan", "neighbourhood")
)
_OF_PROGRAMS = {
    "gatherv": "gather", "scatterv": "scatter", "allgatherv": "allgather",
    "alltoallv": "alltoall", "alltoallw": "alltoall", "reduce_scatter": "allreduce",
    "reduce_scatter_block": "allreduce",
}  # fmt: skip
_PER_MEMBER = ("gather", "scatter")


class Members(NamedTuple):
    """A collective: of each member its process, start, leave if it waits, and bytes.

    `start` is the activity that ends when the member enters the call that starts it; `awaited` is
    the same, or none if nobody waits for the member.
    """

    operation: str
    kind: int
    root: int
    process: Numbers
    start: Numbers
    awaited: Numbers
    leave: Numbers
    sent: Numbers
    received: Numbers


def add_collectives(points: Points, run: Recorded, cluster: Cluster) -> Numbers:
    """Add the transfers of all collectives; returns the ids of those collectives."""
    done = []
    for number, members in _collectives(run):
        done.append(number)
        if members.kind == _SCAN:
            _add_scan(points, members)
        elif members.kind == _NEIGHBORS:
            _add_neighbors(points, members, run, number)
        else:
            _add_collective(points, members, cluster)
    return np.array(done, np.int64)


def _collectives(run: Recorded) -> Iterator[tuple[int, Members]]:
    """All collectives in which somebody waits, with their members by rank."""
    edges, columns = run.edges, run.members
    is_known = np.isin(edges["collective"], columns["collective_id"])
    chosen = np.flatnonzero(is_known)
    order = chosen[np.argsort(edges["collective"][chosen], kind="stable")]
    if not len(order):
        return
    ids, begins = np.unique(edges["collective"][order], return_index=True)
    begin = np.searchsorted(columns["collective_id"], ids)
    end = np.searchsorted(columns["collective_id"], ids, "right")
    place = np.atleast_1d(np.searchsorted(run.found.location_ids, columns["location"]))
    start = run.activities_at(columns["started_id"])
    for number, own, first, last in zip(
        ids.tolist(), np.split(order, begins[1:]), begin.tolist(), end.tolist(), strict=True
    ):
        part = slice(first, last)
        awaited, leave = _roles(run, own, place[part])
        roots = np.flatnonzero(columns["is_root"][part])
        yield (
            number,
            Members(
                str(columns["operation"][first]),
                int(edges["kind"][own[0]]),
                int(roots[0]) if len(roots) else 0,
                run.process[place[part]],
                start[part],
                awaited,
                leave,
                columns["bytes_sent"][part],
                columns["bytes_received"][part],
            ),
        )


def _roles(run: Recorded, own: Numbers, places: Numbers) -> tuple[Numbers, Numbers]:
    """The activities that others wait for, and those that wait, of the members; or none."""
    location = run.found.graph.location
    cause, activity = run.edges["cause"][own], run.edges["activity"][own]
    by_place = np.full((2, len(run.found.location_ids)), NONE)
    by_place[0, location[cause[location[cause] >= 0]]] = cause[location[cause] >= 0]
    by_place[1, location[activity[location[activity] >= 0]]] = activity[location[activity] >= 0]
    return by_place[0, places], by_place[1, places]


def _add_collective(points: Points, members: Members, cluster: Cluster) -> None:
    operation = _OF_PROGRAMS.get(members.operation, members.operation)
    if members.kind in (_ONE_TO_N, _N_TO_ONE):
        side = members.leave if members.kind == _ONE_TO_N else members.awaited
        taking_part = side != NONE
        taking_part[members.root] = True
        members = _only(members, taking_part)
    count, own = len(members.process), _bytes_of_members(members)
    size = int(own.max(initial=0))
    listed, earlier, later = _plan(operation, size, members.root, count, cluster)
    if operation in _PER_MEMBER:
        listed = listed._replace(sizes=_carried(listed, own, is_up=operation == "gather"))
    elif operation == "alltoall":
        listed = listed._replace(sizes=own[listed.receivers])
    # Interior members of a tree pass on what they get, once they have entered the call.
    is_relayed = members.kind == _ONE_TO_N
    start = members.start if is_relayed else members.awaited
    is_made = _with_causes(listed, start != NONE)
    made = Transfers(*(column[is_made] for column in listed))
    number = np.full(len(is_made), NONE)
    number[is_made] = points.add_transfers(
        members.process[made.senders], members.process[made.receivers], made.sizes
    )
    points.wait(number, start[listed.senders])
    points.wait(number[later], number[earlier])
    if operation in COMMON_ENDS:
        over = points.add_meeting()
        points.wait(over, number)
        points.wait(members.leave, over)
    else:
        points.wait(members.leave[listed.receivers], number)


def _bytes_of_members(members: Members) -> Numbers:
    """The bytes that each member exchanges with the root, or with each other member."""
    if members.kind == _ONE_TO_N:
        return members.received
    if members.kind == _N_TO_ONE:
        return members.sent
    return members.received // len(members.process)


@lru_cache(maxsize=64)
def _plan(
    operation: str, size: int, root: int, count: int, cluster: Cluster
) -> tuple[Transfers, Numbers, Numbers]:
    """Transfers between members, and pairs of an earlier one that a later one waits for."""
    found = collective_transfers(operation, size, root, np.arange(count), cluster)
    listed = _as_list(found.transfers, count)
    if isinstance(found.transfers, AllPairs):
        return listed, np.zeros(0, np.int64), np.zeros(0, np.int64)
    if isinstance(found.transfers, Ring):
        return listed, np.arange(len(listed.rounds) - count), _next_in_ring(listed, count)
    got = listed.receivers[:, None] == listed.senders[None, :]
    earlier, later = np.nonzero(got & (listed.rounds[:, None] < listed.rounds[None, :]))
    return listed, earlier, later


def _next_in_ring(listed: Transfers, count: int) -> Numbers:
    """The next transfers of each receiver."""
    place = np.arange(len(listed.rounds) - count)
    return (place // count + 1) * count + listed.receivers[place]


def _only(members: Members, chosen: Numbers) -> Members:
    columns = {
        name: getattr(members, name)[chosen]
        for name in ("process", "start", "awaited", "leave", "sent", "received")
    }
    return members._replace(root=int(chosen[: members.root].sum()), **columns)


def _as_list(transfers: Transfers | Ring | AllPairs, count: int) -> Transfers:
    member = np.arange(count)
    if isinstance(transfers, Ring):
        rounds = np.repeat(np.arange(transfers.rounds), count)
        senders = np.tile(member, transfers.rounds)
        sizes = np.full(len(senders), transfers.size)
        return Transfers(senders, (senders + 1) % count, sizes, rounds)
    if isinstance(transfers, AllPairs):
        senders, steps = np.repeat(member, count - 1), np.tile(np.arange(1, count), count)
        sizes = np.full(len(senders), transfers.size)
        return Transfers(senders, (senders + steps) % count, sizes, np.zeros_like(senders))
    return transfers


def _carried(listed: Transfers, own: Numbers, *, is_up: bool) -> Numbers:
    """Bytes of each transfer: those of its lower end, and of all members below that."""
    below, above = listed.senders, listed.receivers
    if not is_up:
        below, above = above, below
    carried, total = np.zeros(len(below), np.int64), own.astype(np.int64)
    for place in range(len(below)) if is_up else range(len(below) - 1, -1, -1):
        carried[place] = total[below[place]]
        total[above[place]] += carried[place]
    return carried


def _with_causes(listed: Transfers, has_start: Flags) -> Flags:
    """Transfers of members that have something to send: their own, or what they got before."""
    is_made, has_some = np.zeros(len(listed.senders), np.bool_), has_start.copy()
    for round_ in np.unique(listed.rounds):
        now = listed.rounds == round_
        is_made[now] = has_some[listed.senders[now]]
        has_some[listed.receivers[now & is_made]] = True
    return is_made


def _add_scan(points: Points, members: Members) -> None:
    """Each member passes on to the next one what it got and its own."""
    process, before = members.process, NONE
    for rank in range(len(process) - 1):
        if members.awaited[rank] == NONE and before == NONE:
            continue
        number = points.add_transfers(
            process[[rank]], process[[rank + 1]], members.received[[rank + 1]]
        )
        points.wait(number, members.awaited[[rank]])
        points.wait(number, np.array([before]))
        points.wait(members.leave[[rank + 1]], number)
        before = int(number[0])


def _add_neighbors(points: Points, members: Members, run: Recorded, collective: int) -> None:
    """A transfer for each neighbor that a member waits for, of equal parts of what it gets."""
    own = run.edges["collective"] == collective
    activity, cause = run.edges["activity"][own], run.edges["cause"][own]
    location = run.found.graph.location
    to, sender = run.process[location[activity]], run.process[location[cause]]
    size = np.zeros(len(run.ranks), np.int64)
    size[members.process] = members.received
    parts = np.bincount(to, minlength=len(run.ranks))
    number = points.add_transfers(sender, to, size[to] // np.maximum(parts[to], 1))
    points.wait(number, cause)
    points.wait(activity, number)
