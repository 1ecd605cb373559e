"""Who waited in a collective, and for whom, once all members have finished it."""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    ACCESS,
    ACCESS_ENTER,
    ACCESS_LEAVE,
    ACCESS_LOCATION,
    ACCESS_VISIT,
    ACCESS_WIDTH,
    AMOUNT,
    BARRIER,
    BARRIER_COMPLETION,
    BARRIER_WAIT,
    BEGIN,
    BEYOND,
    CREATE_WAIT,
    CREATING,
    EARLY_FENCE,
    EARLY_REDUCE,
    EARLY_SCAN,
    END_ENTER,
    END_PATH,
    END_VISIT,
    FENCE_SLOT,
    FENCE_WAIT,
    FILE,
    FILE_WAIT,
    FINALIZE,
    FINALIZE_WAIT,
    FINISH,
    FREE_WAIT,
    FREEING,
    GOT,
    ICOLLECTIVE,
    INIT,
    INIT_COMPLETION,
    INSTANCE_CODE,
    INSTANCE_COMM,
    LATE_BROADCAST,
    MODE,
    N_TO_N,
    N_TO_ONE,
    NOBODY,
    NXN_COMPLETION,
    NXN_WAIT,
    ONE_TO_N,
    ORDINAL,
    PEER,
    RING,
    SCAN,
    SENT,
    SLOT,
    START_ENTER,
    START_VISIT,
    TARGET,
    WINDOW,
)
from tracemill.kernels.simulation.layout import CODE as OPERATION_CODE
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


@part
def judge(state: Any, instance: Any) -> None:
    """Write down who waited for whom in an instance that all members have finished."""
    row = instances_of(state)[instance]
    at = row[INSTANCE_CODE]
    family, root = code_of(state)[at, MODE], code_of(state)[at, PEER]
    size = comm_sizes_of(state)[row[INSTANCE_COMM]]
    if family == BARRIER:
        last = latest_member(state, instance, size, family, False)
        judge_together(state, instance, last, NOBODY, BARRIER_WAIT, BARRIER_COMPLETION)
    elif family == INIT:
        last = latest_member(state, instance, size, family, False)
        judge_together(state, instance, last, NOBODY, NOBODY, INIT_COMPLETION)
    elif family == FINALIZE:
        last = latest_member(state, instance, size, family, False)
        judge_together(state, instance, last, NOBODY, FINALIZE_WAIT, NOBODY)
    elif family == WINDOW:
        last = latest_member(state, instance, size, family, False)
        judge_together(
            state, instance, last, NOBODY, window_property(code_of(state)[at, SLOT]), NOBODY
        )
        forget_accesses(state, code_of(state)[at, AMOUNT])
    elif family == FILE:
        last = latest_member(state, instance, size, family, False)
        judge_together(state, instance, last, NOBODY, FILE_WAIT, NOBODY)
    elif family == N_TO_N:
        last = latest_member(state, instance, size, family, False)
        if last == NOBODY:
            return
        first_end = earliest_end(state, instance, NOBODY)
        is_overlapping = first_end > members_of(state)[instance, last, BEGIN]
        if not is_overlapping:
            last = latest_member(state, instance, size, family, True)
        if last != NOBODY:
            whom = NOBODY if is_overlapping else last
            judge_together(state, instance, last, whom, NXN_WAIT, NXN_COMPLETION)
    elif family == ONE_TO_N:
        if members_of(state)[instance, root, SENT] > 0:
            for rank in range(size):
                if rank != root and members_of(state)[instance, rank, GOT] > 0:
                    charge_wait(state, instance, rank, root, LATE_BROADCAST)
    elif family == N_TO_ONE:
        last = latest_member(state, instance, size, family, True)
        if last != NOBODY and members_of(state)[instance, root, GOT] > 0:
            charge_wait(state, instance, root, last, EARLY_REDUCE)
    elif family == SCAN:
        for rank in range(size):
            last = latest_member(state, instance, rank + 1, family, True)
            if last != NOBODY and is_partner(members_of(state)[instance, rank], family):
                charge_wait(state, instance, rank, last, EARLY_SCAN)
    elif family == RING:
        for rank in range(size):
            last = latest_neighbor(state, instance, rank, size)
            if last != NOBODY and members_of(state)[instance, rank, GOT] > 0:
                charge_wait(state, instance, rank, last, NXN_WAIT)


@part
def window_property(operation: Any) -> Any:
    """What waiting is called in an operation on a window."""
    if operation == CREATING:
        return CREATE_WAIT
    return FREE_WAIT if operation == FREEING else FENCE_WAIT


@part
def judge_together(
    state: Any, instance: Any, last: Any, whom: Any, wait: Any, completion: Any
) -> None:
    """Waits for the last one, and completion times after the first one, of those concerned.

    They are all if `whom` is NOBODY, else those that it makes wait.
    """
    first = first_to_end(state, instance, whom)
    for rank in range(comm_sizes_of(state)[instances_of(state)[instance, INSTANCE_COMM]]):
        if takes_part(state, instance, rank, whom):
            if wait != NOBODY:
                charge_wait(state, instance, rank, last, wait)
            if completion != NOBODY:
                charge_completion(state, instance, rank, last, first, completion)


@part
def takes_part(state: Any, instance: Any, rank: Any, last: Any) -> Any:
    """Whether a member waits for `last`, who came after others had left; NOBODY: all do."""
    family = code_of(state)[instances_of(state)[instance, INSTANCE_CODE], MODE]
    member = members_of(state)[instance, rank]
    if not is_partner(member, family):
        return False
    if last == NOBODY or rank == last:
        return True
    return member[GOT] > 0 and member[BEGIN] < members_of(state)[instance, last, BEGIN]


@part
def is_partner(member: Any, family: Any) -> Any:
    """Whether a member moves data, where that matters."""
    moves_data = family == N_TO_N or family == ONE_TO_N or family == N_TO_ONE or family == SCAN
    return not moves_data or member[SENT] > 0 or member[GOT] > 0


@part
def latest_member(state: Any, instance: Any, count: Any, family: Any, only_senders: Any) -> Any:
    """Rank that began last among the first `count`, of equals the lowest; NOBODY if none."""
    last = NOBODY
    for rank in range(count):
        member = members_of(state)[instance, rank]
        if only_senders and member[SENT] == 0:
            continue
        if not is_partner(member, family):
            continue
        if last == NOBODY or member[BEGIN] > members_of(state)[instance, last, BEGIN]:
            last = rank
    return last


@part
def latest_neighbor(state: Any, instance: Any, rank: Any, size: Any) -> Any:
    """Rank before or after that sends and began last, of equals the lower; NOBODY if none."""
    before, after = (rank + size - 1) % size, (rank + 1) % size
    last = NOBODY
    for other in (min(before, after), max(before, after)):
        member = members_of(state)[instance, other]
        if member[SENT] > 0 and (
            last == NOBODY or member[BEGIN] > members_of(state)[instance, last, BEGIN]
        ):
            last = other
    return last


@part
def earliest_end(state: Any, instance: Any, last: Any) -> Any:
    """When the first of those that wait for `last` (NOBODY: of all) ended."""
    return members_of(state)[instance, first_to_end(state, instance, last), FINISH]


@part
def first_to_end(state: Any, instance: Any, last: Any) -> Any:
    """Rank of the one of them that ended first, of equals the lowest."""
    first = NOBODY
    for rank in range(comm_sizes_of(state)[instances_of(state)[instance, INSTANCE_COMM]]):
        if takes_part(state, instance, rank, last) and (
            first == NOBODY
            or members_of(state)[instance, rank, FINISH]
            < members_of(state)[instance, first, FINISH]
        ):
            first = rank
    return first


@part
def charge_wait(state: Any, instance: Any, rank: Any, last: Any, property_: Any) -> None:
    """A member waited from its begin until `last` began, or until its own end."""
    row = instances_of(state)[instance]
    member, other = members_of(state)[instance, rank], members_of(state)[instance, last]
    until = min(other[BEGIN], member[FINISH])
    place, cause = member_location(state, instance, rank), member_location(state, instance, last)
    if is_nonblocking(state, instance):
        start = max(member[BEGIN], member[END_ENTER])
        if until > start:
            add_candidate(
                state, property_, place, member[END_VISIT], member[END_PATH], member[END_ENTER],
                start, until - start, cause, other[START_VISIT], other[START_ENTER],
                row[INSTANCE_COMM], row[ORDINAL],
            )  # fmt: skip
    elif until > member[BEGIN]:
        is_beyond = code_of(state)[row[INSTANCE_CODE], TARGET] == BEYOND
        start = member[BEGIN]
        if property_ == FENCE_WAIT:
            start = charge_early_fence(state, instance, rank, until)
        if until > start:
            add_wait(
                state, property_, place, member[END_VISIT], member[END_PATH], member[END_ENTER],
                start, until - start, cause, other[START_VISIT], other[START_ENTER], is_beyond,
            )  # fmt: skip


@part
def charge_early_fence(state: Any, instance: Any, rank: Any, until: Any) -> Any:
    """A member was in a fence while others accessed its memory; returns when that was over."""
    row, member = instances_of(state)[instance], members_of(state)[instance, rank]
    access = epochs_of(state)[code_of(state)[row[INSTANCE_CODE], AMOUNT], rank]
    first = ACCESS + ACCESS_WIDTH * FENCE_SLOT
    accessed = min(access[first + ACCESS_LEAVE], until)
    if accessed <= member[BEGIN]:
        return member[BEGIN]
    add_wait(
        state, EARLY_FENCE, member_location(state, instance, rank), member[END_VISIT],
        member[END_PATH], member[END_ENTER], member[BEGIN], accessed - member[BEGIN],
        access[first + ACCESS_LOCATION], access[first + ACCESS_VISIT],
        access[first + ACCESS_ENTER], True,
    )  # fmt: skip
    return accessed


@part
def forget_accesses(state: Any, window: Any) -> None:
    """The next fence ends another epoch."""
    first = ACCESS + ACCESS_WIDTH * FENCE_SLOT
    rows = epochs_of(state)[window]
    for rank in range(rows.shape[0]):
        for column in range(first, first + ACCESS_WIDTH):
            rows[rank, column] = NOBODY


@part
def charge_completion(
    state: Any, instance: Any, rank: Any, last: Any, first: Any, property_: Any
) -> None:
    """A member ended later than the first one, though nobody was waited for any more."""
    if is_nonblocking(state, instance):
        return
    member, other = members_of(state)[instance, rank], members_of(state)[instance, first]
    waited_until = min(members_of(state)[instance, last, BEGIN], member[FINISH])
    start = max(other[FINISH], waited_until)
    if member[FINISH] > start:
        is_beyond = code_of(state)[instances_of(state)[instance, INSTANCE_CODE], TARGET] == BEYOND
        place, cause = (
            member_location(state, instance, rank),
            member_location(state, instance, first),
        )
        add_wait(
            state, property_, place, member[END_VISIT], member[END_PATH], member[END_ENTER],
            start, member[FINISH] - start, cause, other[END_VISIT], other[END_ENTER], is_beyond,
        )  # fmt: skip


@part
def is_nonblocking(state: Any, instance: Any) -> Any:
    """Whether an instance is completed by other calls than those that start it."""
    return (
        code_of(state)[instances_of(state)[instance, INSTANCE_CODE], OPERATION_CODE] == ICOLLECTIVE
    )


@part
def member_location(state: Any, instance: Any, rank: Any) -> Any:
    """The location of a member."""
    process = comm_members_of(state)[instances_of(state)[instance, INSTANCE_COMM], rank]
    return process * team_of(state).shape[1]
