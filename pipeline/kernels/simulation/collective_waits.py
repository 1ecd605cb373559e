"""Waits in collectives and their causes, found when all members have finished."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.recording import add_candidate, add_wait
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_members_of,
    comm_sizes_of,
    epochs_of,
    instances_of,
    members_of,
    team_of,
)


@unchecked
def add_waits(state: Any, instance: Any) -> None:
    """Add the waits of an instance that all members have finished."""
    row = instances_of(state)[instance]
    op = row[at.INSTANCE_CODE]
    family, root = code_of(state)[op, at.MODE], code_of(state)[op, at.PEER]
    size = comm_sizes_of(state)[row[at.INSTANCE_COMM]]
    last = latest_member(state, instance, size, family, False)
    if family == at.BARRIER:
        charge_all(state, instance, last, at.NOBODY, at.BARRIER_WAIT, at.BARRIER_COMPLETION)
    elif family == at.INIT:
        charge_all(state, instance, last, at.NOBODY, at.NOBODY, at.INIT_COMPLETION)
    elif family == at.FINALIZE:
        charge_all(state, instance, last, at.NOBODY, at.FINALIZE_WAIT, at.NOBODY)
    elif family == at.WINDOW:
        wait = window_property(code_of(state)[op, at.SLOT])
        charge_all(state, instance, last, at.NOBODY, wait, at.NOBODY)
        forget_accesses(state, code_of(state)[op, at.AMOUNT])
    elif family == at.FILE:
        if code_of(state)[op, at.TARGET] == at.BEYOND:
            charge_all(state, instance, last, at.NOBODY, at.FILE_WAIT, at.NOBODY)
    elif family == at.N_TO_N:
        if last == at.NOBODY:
            return
        first_end = members_of(state)[instance, first_to_end(state, instance, at.NOBODY), at.FINISH]
        is_overlapping = first_end > members_of(state)[instance, last, at.BEGIN]
        if not is_overlapping:
            last = latest_member(state, instance, size, family, True)
        if last != at.NOBODY:
            whom = at.NOBODY if is_overlapping else last
            charge_all(state, instance, last, whom, at.NXN_WAIT, at.NXN_COMPLETION)
    elif family == at.ONE_TO_N:
        if members_of(state)[instance, root, at.SENT] > 0:
            for rank in range(size):
                if rank != root and members_of(state)[instance, rank, at.GOT] > 0:
                    charge_wait(state, instance, rank, root, at.LATE_BROADCAST)
    elif family == at.N_TO_ONE:
        last = latest_member(state, instance, size, family, True)
        if last != at.NOBODY and members_of(state)[instance, root, at.GOT] > 0:
            charge_wait(state, instance, root, last, at.EARLY_REDUCE)
    elif family == at.SCAN:
        for rank in range(size):
            last = latest_member(state, instance, rank + 1, family, True)
            if last != at.NOBODY and is_partner(members_of(state)[instance, rank], family):
                charge_wait(state, instance, rank, last, at.EARLY_SCAN)
    elif family == at.RING:
        for rank in range(size):
            last = latest_neighbor(state, instance, rank, size)
            if last != at.NOBODY and members_of(state)[instance, rank, at.GOT] > 0:
                charge_wait(state, instance, rank, last, at.NXN_WAIT)


@unchecked
def window_property(operation: Any) -> Any:
    """Property of waits in an operation on a window."""
    if operation == at.CREATING:
        return at.CREATE_WAIT
    return at.FREE_WAIT if operation == at.FREEING else at.FENCE_WAIT


@unchecked
def charge_all(
    state: Any, instance: Any, last: Any, whom: Any, wait: Any, completion: Any
) -> None:  # fmt: skip
    """Add waits for member `last`, and completion times after the first member that ended.

    `whom` NOBODY selects all members, else those that wait for `whom`.
    """
    first = first_to_end(state, instance, whom)
    for rank in range(comm_sizes_of(state)[instances_of(state)[instance, at.INSTANCE_COMM]]):
        if takes_part(state, instance, rank, whom):
            if wait != at.NOBODY:
                charge_wait(state, instance, rank, last, wait)
            if completion != at.NOBODY:
                charge_completion(state, instance, rank, last, first, completion)


@unchecked
def takes_part(state: Any, instance: Any, rank: Any, last: Any) -> Any:
    """Whether a member waits for `last`; True for every partner if `last` is NOBODY."""
    family = code_of(state)[instances_of(state)[instance, at.INSTANCE_CODE], at.MODE]
    member = members_of(state)[instance, rank]
    if not is_partner(member, family):
        return False
    if last == at.NOBODY or rank == last:
        return True
    return member[at.GOT] > 0 and member[at.BEGIN] < members_of(state)[instance, last, at.BEGIN]


@unchecked
def is_partner(member: Any, family: Any) -> Any:
    """Whether a member moves data; True in families where data does not matter."""
    is_of_data = at.N_TO_N <= family <= at.SCAN
    return not is_of_data or member[at.SENT] > 0 or member[at.GOT] > 0


@unchecked
def latest_member(state: Any, instance: Any, count: Any, family: Any, only_senders: Any) -> Any:
    """Rank that began last among the first `count`; lowest rank of equals; NOBODY if none."""
    last = at.NOBODY
    for rank in range(count):
        member = members_of(state)[instance, rank]
        if only_senders and member[at.SENT] == 0:
            continue
        if not is_partner(member, family):
            continue
        if last == at.NOBODY or member[at.BEGIN] > members_of(state)[instance, last, at.BEGIN]:
            last = rank
    return last


@unchecked
def latest_neighbor(state: Any, instance: Any, rank: Any, size: Any) -> Any:
    """Sending neighbor in the ring that began last; lower rank of equals; NOBODY if none."""
    before, after = (rank + size - 1) % size, (rank + 1) % size
    last = at.NOBODY
    for other in (min(before, after), max(before, after)):
        member = members_of(state)[instance, other]
        if member[at.SENT] > 0 and (
            last == at.NOBODY or member[at.BEGIN] > members_of(state)[instance, last, at.BEGIN]
        ):
            last = other
    return last


@unchecked
def first_to_end(state: Any, instance: Any, last: Any) -> Any:
    """Rank that ended first among the members that wait for `last`; lowest rank of equals."""
    first = at.NOBODY
    for rank in range(comm_sizes_of(state)[instances_of(state)[instance, at.INSTANCE_COMM]]):
        if takes_part(state, instance, rank, last) and (
            first == at.NOBODY
            or members_of(state)[instance, rank, at.FINISH]
            < members_of(state)[instance, first, at.FINISH]
        ):
            first = rank
    return first


@unchecked
def charge_wait(state: Any, instance: Any, rank: Any, last: Any, property_: Any) -> None:
    """Add a wait from the begin of a member until `last` began, or until the own end."""
    row = instances_of(state)[instance]
    member, other = members_of(state)[instance, rank], members_of(state)[instance, last]
    until = min(other[at.BEGIN], member[at.FINISH])
    place, cause = member_location(state, instance, rank), member_location(state, instance, last)
    if is_nonblocking(state, instance):
        start = max(member[at.BEGIN], member[at.END_ENTER])
        if until > start:
            add_candidate(
                state, property_, place, member[at.END_VISIT], member[at.END_PATH],
                member[at.END_ENTER], start, until - start, cause, other[at.START_VISIT],
                other[at.START_ENTER], row[at.INSTANCE_COMM], row[at.ORDINAL],
            )  # fmt: skip
    elif until > member[at.BEGIN]:
        is_beyond = code_of(state)[row[at.INSTANCE_CODE], at.TARGET] == at.BEYOND
        start = member[at.BEGIN]
        if property_ == at.FENCE_WAIT:
            start = charge_early_fence(state, instance, rank, until)
        if until > start:
            add_wait(
                state, property_, place, member[at.END_VISIT], member[at.END_PATH],
                member[at.END_ENTER], start, until - start, cause, other[at.START_VISIT],
                other[at.START_ENTER], is_beyond,
            )  # fmt: skip


@unchecked
def charge_early_fence(state: Any, instance: Any, rank: Any, until: Any) -> Any:
    """Add the wait of a fence for accesses to the member's memory; returns its end (ns)."""
    row, member = instances_of(state)[instance], members_of(state)[instance, rank]
    access = epochs_of(state)[code_of(state)[row[at.INSTANCE_CODE], at.AMOUNT], rank]
    first = at.ACCESS + at.ACCESS_WIDTH * at.FENCE_SLOT
    accessed = min(access[first + at.ACCESS_LEAVE], until)
    if accessed <= member[at.BEGIN]:
        return member[at.BEGIN]
    add_wait(
        state, at.EARLY_FENCE, member_location(state, instance, rank), member[at.END_VISIT],
        member[at.END_PATH], member[at.END_ENTER], member[at.BEGIN], accessed - member[at.BEGIN],
        access[first + at.ACCESS_LOCATION], access[first + at.ACCESS_VISIT],
        access[first + at.ACCESS_ENTER], True,
    )  # fmt: skip
    return accessed


@unchecked
def forget_accesses(state: Any, window: Any) -> None:
    """Clear the last accesses: a new epoch begins."""
    first = at.ACCESS + at.ACCESS_WIDTH * at.FENCE_SLOT
    rows = epochs_of(state)[window]
    for rank in range(rows.shape[0]):
        for column in range(first, first + at.ACCESS_WIDTH):
            rows[rank, column] = at.NOBODY


@unchecked
def charge_completion(
    state: Any, instance: Any, rank: Any, last: Any, first: Any, property_: Any
) -> None:
    """Add the time from the end of all waiting and of the first member to the own end."""
    if is_nonblocking(state, instance):
        return
    member, other = members_of(state)[instance, rank], members_of(state)[instance, first]
    waited_until = min(members_of(state)[instance, last, at.BEGIN], member[at.FINISH])
    start = max(other[at.FINISH], waited_until)
    if member[at.FINISH] > start:
        op = instances_of(state)[instance, at.INSTANCE_CODE]
        add_wait(
            state, property_, member_location(state, instance, rank), member[at.END_VISIT],
            member[at.END_PATH], member[at.END_ENTER], start, member[at.FINISH] - start,
            member_location(state, instance, first), other[at.END_VISIT], other[at.END_ENTER],
            code_of(state)[op, at.TARGET] == at.BEYOND,
        )  # fmt: skip


@unchecked
def is_nonblocking(state: Any, instance: Any) -> Any:
    """Whether an instance is of a non-blocking operation."""
    op = instances_of(state)[instance, at.INSTANCE_CODE]
    return code_of(state)[op, at.CODE] == at.ICOLLECTIVE


@unchecked
def member_location(state: Any, instance: Any, rank: Any) -> Any:
    """The location of a member."""
    process = comm_members_of(state)[instances_of(state)[instance, at.INSTANCE_COMM], rank]
    return process * team_of(state).shape[1]
