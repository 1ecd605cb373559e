"""Transfers of collectives as tables of the simulated machine."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tracemill.kernels.simulation import layout as at
from tracemill.programs.transfers import STORAGE, AllPairs, Communication, Numbers, Ring, Transfers


class ScheduleTables(NamedTuple):
    """Tables of layout.State."""

    schedules: Numbers
    carries: Numbers
    groups: Numbers
    plans: Numbers
    incoming: Numbers


class Schedules(NamedTuple):
    """Tables of operations; a step starts at most `most_pending` transfers of a process."""

    tables: ScheduleTables
    most_pending: int

    def states(self, instances: int) -> Numbers:
        """Return the table `group_states` for so many instances."""
        most_groups = int(self.tables.schedules[:, at.GROUP_COUNT].max(initial=0))
        return np.zeros((instances, most_groups, at.GROUP_STATE_WIDTH), np.int64)


class _Tables:
    """Tables that grow by one operation after the other."""

    def __init__(self, process_count: int, eager_limit: int) -> None:
        self.process_count, self.eager_limit = process_count, eager_limit
        self.schedules: list[tuple[int, int, int, int]] = []
        self.carries = [np.zeros((0, at.CARRY_WIDTH), np.int64)]
        self.groups = [np.zeros((0, at.GROUP_WIDTH), np.int64)]
        self.plans = [np.zeros((0, process_count, at.PLAN_WIDTH), np.int64)]
        self.incoming = [np.zeros(0, np.int64)]
        self.carry_count, self.group_count, self.incoming_count = 0, 0, 0
        self.most_pending = 0

    def add(self, operation: Communication) -> None:
        """Add an operation."""
        listed, starters = _by_starter(listed_transfers(operation))
        rounds = int(listed.rounds.max(initial=0)) + 1
        keys, places, sizes = np.unique(
            starters * rounds + listed.rounds, return_inverse=True, return_counts=True
        )
        freed = _freed_groups(listed, keys, rounds)
        self._add_groups(keys // rounds, sizes, freed)
        freed_groups = np.where(freed >= 0, freed + self.group_count, at.NOBODY)
        groups = places + self.group_count
        self.carries.append(np.stack([*listed[:3], groups, freed_groups], axis=1))
        self.plans.append(self._plans(listed, keys // rounds)[None])
        self.schedules.append(
            (self.group_count, len(keys), len(starters), int(operation.is_common_end))
        )
        self.carry_count += len(starters)
        self.group_count += len(keys)

    def _add_groups(self, owners: Numbers, sizes: Numbers, freed: Numbers) -> None:
        """Add groups of transfers by owner and round; `freed` are those that transfers free."""
        needs = np.bincount(freed[freed >= 0], minlength=len(owners))
        after = np.full(len(owners), at.NOBODY, np.int64)
        is_followed = np.flatnonzero(owners[:-1] == owners[1:])
        after[is_followed] = is_followed + 1 + self.group_count
        firsts = np.cumsum(sizes) - sizes + self.carry_count
        self.groups.append(np.stack([firsts, sizes, needs, after], axis=1))

    def _plans(self, listed: Transfers, owners: Numbers) -> Numbers:
        """Return the rows of processes: their first group and what they receive or wait for."""
        count = self.process_count
        plans = np.zeros((count, at.PLAN_WIDTH), np.int64)
        plans[:, at.PLAN_GROUP] = at.NOBODY
        present, first = np.unique(owners, return_index=True)
        plans[present, at.PLAN_GROUP] = first + self.group_count
        to, own = listed.receivers, listed.senders
        received = np.bincount(to[to != STORAGE], minlength=count)
        plans[:, at.INCOMING_COUNT] = received
        plans[:, at.PLAN_INCOMING] = self.incoming_count + np.cumsum(received) - received
        is_awaited = (own != STORAGE) & ((to == STORAGE) | (listed.sizes > self.eager_limit))
        plans[:, at.PLAN_AWAITED] = received + np.bincount(own[is_awaited], minlength=count)
        into = np.argsort(to, kind="stable")
        into = into[to[into] != STORAGE]
        self.incoming.append(into + self.carry_count)
        self.incoming_count += len(into)
        started = np.bincount(np.where(own == STORAGE, to, own), minlength=count)
        self.most_pending = max(self.most_pending, int((received + started).max()))
        return plans


def _by_starter(listed: Transfers) -> tuple[Transfers, Numbers]:
    """Return transfers by starter, round and receiver, and their starters.

    Transfers from the storage are started by their receivers.
    """
    starters = np.where(listed.senders == STORAGE, listed.receivers, listed.senders)
    order = np.lexsort((listed.receivers, listed.rounds, starters))
    return Transfers(*(column[order] for column in listed)), starters[order]


def _freed_groups(listed: Transfers, keys: Numbers, rounds: int) -> Numbers:
    """Return for each transfer the first group that its receiver starts in a later round, or -1.

    `keys` are those of groups: process × rounds + round.
    """
    wanted = listed.receivers * rounds + listed.rounds
    found = np.searchsorted(keys, wanted, side="right")
    inside = np.minimum(found, len(keys) - 1)
    is_own = (found < len(keys)) & (keys[inside] // rounds == listed.receivers)
    return np.where(is_own & (listed.receivers != STORAGE), found, -1)


def schedule_tables(
    operations: Sequence[Communication], process_count: int, eager_limit: int
) -> Schedules:
    """Return the tables of operations.

    A process waits for what it sends above the eager limit (bytes).
    """
    tables = _Tables(process_count, eager_limit)
    for operation in operations:
        tables.add(operation)
    made = ScheduleTables(
        schedules=np.array(tables.schedules, np.int64).reshape(-1, at.SCHEDULE_WIDTH),
        carries=np.concatenate(tables.carries),
        groups=np.concatenate(tables.groups),
        plans=np.concatenate(tables.plans),
        incoming=np.concatenate(tables.incoming),
    )
    return Schedules(made, tables.most_pending)


def listed_transfers(operation: Communication) -> Transfers:
    """Return the transfers of an operation one by one."""
    found, members = operation.transfers, operation.members
    if isinstance(found, Transfers):
        return found
    count = len(members)
    if isinstance(found, Ring):
        rounds = np.repeat(np.arange(found.rounds), count)
        senders = np.tile(members, found.rounds)
        receivers = np.tile(np.roll(members, -1), found.rounds)
        return Transfers(senders, receivers, np.full(len(rounds), found.size, np.int64), rounds)
    assert isinstance(found, AllPairs)
    senders, receivers = np.repeat(members, count), np.tile(members, count)
    is_other = senders != receivers
    zeros = np.zeros(int(is_other.sum()), np.int64)
    return Transfers(senders[is_other], receivers[is_other], zeros + found.size, zeros)
