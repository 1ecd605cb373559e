"""Collectives: who needs whom, when everybody is released, and who waited.

    family      is released when
    barrier     all have come (so are Init, Finalize, and what concerns windows and files)
    n_to_n      all who send have come, for those who receive
    one_to_n    the root has come, for those who receive
    n_to_one    all who send have come, for the root
    scan        all lower ranks have come
    ring        the ranks before and after have come, for those who receive

Who needs nobody is released at once. A member ends some time after the last it needs has begun.
"""

from typing import Any

from pipeline.generator.kernels.compiled import part
from pipeline.generator.kernels.layout import (
    ABSENT,
    ACCESS,
    ACCESS_ENTER,
    ACCESS_LEAVE,
    ACCESS_LOCATION,
    ACCESS_VISIT,
    ACCESS_WIDTH,
    AMOUNT,
    ARRIVED,
    BARRIER,
    BARRIER_COMPLETION,
    BARRIER_WAIT,
    BEGIN,
    BEYOND,
    BYTES,
    COMM,
    COST,
    COUNT,
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
    FINISHED,
    FREE_WAIT,
    FREEING,
    GOT,
    HAS_TRUTH,
    ICOLLECTIVE,
    INIT,
    INIT_COMPLETION,
    INSTANCE_CODE,
    INSTANCE_COMM,
    INSTANCE_FREE,
    INSTANCE_NEXT,
    LATE_BROADCAST,
    LATENCY,
    LATEST_NS,
    MEMBER_STATE,
    MODE,
    N_TO_N,
    N_TO_ONE,
    NOBODY,
    NXN_COMPLETION,
    NXN_WAIT,
    ONE_TO_N,
    ORDINAL,
    OVERHEAD,
    PEER,
    POINTERS,
    RECEIVED,
    RELEASED,
    RING,
    SCAN,
    SENDERS_ARRIVED,
    SENT,
    SLOT,
    START_ENTER,
    START_VISIT,
    TARGET,
    WAITING,
    WINDOW,
)
from pipeline.generator.kernels.layout import CODE as OPERATION_CODE
from pipeline.generator.kernels.messages import transfer_ns
from pipeline.generator.kernels.recording import add_candidate, add_wait
from pipeline.generator.kernels.schedule import FOR_BEGIN, FOR_COST, noise, place_key
from pipeline.generator.kernels.tables import (
    code_of,
    comm_members_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    epochs_of,
    instances_of,
    members_of,
    pointers_of,
    processes_of,
    team_of,
)


@part
def new_instance(state: Any, comm: Any, before: Any) -> Any:
    """The instance of a communicator that follows `before`."""
    instances = instances_of(state)
    instance = counters_of(state)[INSTANCE_FREE]
    counters_of(state)[INSTANCE_FREE] = instances[instance, INSTANCE_NEXT]
    row = instances[instance]
    row[:] = 0
    row[INSTANCE_COMM], row[ORDINAL] = comm, instances[before, ORDINAL] + 1
    row[INSTANCE_NEXT], row[INSTANCE_CODE] = NOBODY, NOBODY
    for rank in range(comm_sizes_of(state)[comm]):
        members_of(state)[instance, rank, MEMBER_STATE] = ABSENT
    instances[before, INSTANCE_NEXT] = instance
    return instance


@part
def release_instance(state: Any, instance: Any) -> None:
    """Free an instance that all members have finished and left behind."""
    row = instances_of(state)[instance]
    if row[POINTERS] == 0 and row[FINISHED] == comm_sizes_of(state)[row[INSTANCE_COMM]]:
        row[INSTANCE_NEXT] = counters_of(state)[INSTANCE_FREE]
        counters_of(state)[INSTANCE_FREE] = instance


@part
def begin_delay(state: Any, process: Any, at: Any) -> Any:
    """From entering the call to the collective's begin."""
    family = code_of(state)[at, MODE]
    if code_of(state)[at, OPERATION_CODE] == ICOLLECTIVE or family >= INIT:
        return 0
    key = place_key(counters_of(state), processes_of(state), process, at, FOR_BEGIN)
    return 1 + noise(counters_of(state), key, counters_of(state)[OVERHEAD])


@part
def operation_cost(state: Any, process: Any, at: Any) -> Any:
    """From the begin of the last one needed to the end of a member."""
    counters, code = counters_of(state), code_of(state)
    rounds = 0
    while (1 << rounds) < comm_sizes_of(state)[code[at, COMM]]:
        rounds += 1
    size = max(code[at, BYTES], code[at, RECEIVED])
    cost = rounds * counters[LATENCY] + transfer_ns(counters, size)
    key = place_key(counters, processes_of(state), process, at, FOR_COST)
    return 1 + cost + noise(counters, key, cost // 4 + counters[OVERHEAD])


@part
def arrive(state: Any, process: Any, now: Any, visit: Any, path: Any, at: Any) -> Any:
    """A process enters a collective; returns its instance."""
    code, instances = code_of(state), instances_of(state)
    comm = code[at, COMM]
    before = pointers_of(state)[comm, process]
    instance = instances[before, INSTANCE_NEXT]
    if instance == NOBODY:
        instance = new_instance(state, comm, before)
    pointers_of(state)[comm, process] = instance
    instances[before, POINTERS] -= 1
    release_instance(state, before)
    row = instances[instance]
    row[POINTERS] += 1
    row[INSTANCE_CODE] = at
    row[ARRIVED] += 1
    member = members_of(state)[instance, comm_ranks_of(state)[comm, process]]
    member[BEGIN] = now + begin_delay(state, process, at)
    moves_data = code[at, MODE] == N_TO_N or code[at, MODE] == N_TO_ONE
    if code[at, BYTES] > 0:
        row[SENDERS_ARRIVED] += 1
    if code[at, BYTES] > 0 or not moves_data:
        row[LATEST_NS] = max(row[LATEST_NS], member[BEGIN])
    member[COST] = operation_cost(state, process, at)
    member[FINISH] = NOBODY
    member[SENT], member[GOT] = code[at, BYTES], code[at, RECEIVED]
    member[MEMBER_STATE] = WAITING
    member[START_ENTER], member[START_VISIT] = now, visit
    member[END_ENTER], member[END_VISIT], member[END_PATH] = now, visit, path
    return instance


@part
def can_go_on(state: Any, instance: Any, family: Any, rank: Any) -> Any:
    """Whether all that a member needs have come."""
    row, code = instances_of(state)[instance], code_of(state)
    at, comm = row[INSTANCE_CODE], row[INSTANCE_COMM]
    root = code[at, PEER]
    if family == N_TO_N:
        is_receiver = members_of(state)[instance, rank, GOT] > 0
        return not is_receiver or row[SENDERS_ARRIVED] == code[at, COUNT]
    if family == ONE_TO_N:
        is_receiver = rank != root and members_of(state)[instance, rank, GOT] > 0
        return not is_receiver or members_of(state)[instance, root, MEMBER_STATE] != ABSENT
    if family == N_TO_ONE:
        return rank != root or row[SENDERS_ARRIVED] == code[at, COUNT]
    if family == SCAN:
        for other in range(rank):
            if members_of(state)[instance, other, MEMBER_STATE] == ABSENT:
                return False
        return True
    if family == RING and members_of(state)[instance, rank, GOT] > 0:
        size = comm_sizes_of(state)[comm]
        before, after = (rank + size - 1) % size, (rank + 1) % size
        has_before = members_of(state)[instance, before, MEMBER_STATE] != ABSENT
        return has_before and members_of(state)[instance, after, MEMBER_STATE] != ABSENT
    return family == RING or row[ARRIVED] == comm_sizes_of(state)[comm]


@part
def latest_needed_ns(state: Any, instance: Any, family: Any, rank: Any) -> Any:
    """When the last one that a member needs has begun, itself included."""
    row, members = instances_of(state)[instance], members_of(state)[instance]
    root = code_of(state)[row[INSTANCE_CODE], PEER]
    own = members[rank, BEGIN]
    if family == ONE_TO_N:
        return max(own, members[root, BEGIN]) if members[rank, GOT] > 0 else own
    if family == N_TO_ONE:
        return max(own, row[LATEST_NS]) if rank == root else own
    if family == N_TO_N:
        return max(own, row[LATEST_NS]) if members[rank, GOT] > 0 else own
    if family == SCAN:
        for other in range(rank):
            own = max(own, members[other, BEGIN])
        return own
    if family == RING:
        size = comm_sizes_of(state)[row[INSTANCE_COMM]]
        before, after = (rank + size - 1) % size, (rank + 1) % size
        needed = max(members[before, BEGIN], members[after, BEGIN])
        return max(own, needed) if members[rank, GOT] > 0 else own
    return row[LATEST_NS]


@part
def release_member(state: Any, instance: Any, rank: Any) -> Any:
    """Say when a member may end, if that is known only now; returns whether it is."""
    family = code_of(state)[instances_of(state)[instance, INSTANCE_CODE], MODE]
    member = members_of(state)[instance, rank]
    if member[MEMBER_STATE] != WAITING or not can_go_on(state, instance, family, rank):
        return False
    member[FINISH] = latest_needed_ns(state, instance, family, rank) + member[COST]
    member[MEMBER_STATE] = RELEASED
    return True


@part
def finish_member(state: Any, instance: Any) -> None:
    """A member's end is known; after the last one, judge who waited."""
    row = instances_of(state)[instance]
    row[FINISHED] += 1
    if row[FINISHED] == comm_sizes_of(state)[row[INSTANCE_COMM]]:
        if counters_of(state)[HAS_TRUTH] != 0 and row[FINISHED] > 1:
            judge(state, instance)
        release_instance(state, instance)


# --- Who waited ----------------------------------------------------------------------------------


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
def latest_neighbour(state: Any, instance: Any, rank: Any, size: Any) -> Any:
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
            last = latest_neighbour(state, instance, rank, size)
            if last != NOBODY and members_of(state)[instance, rank, GOT] > 0:
                charge_wait(state, instance, rank, last, NXN_WAIT)


@part
def window_property(operation: Any) -> Any:
    """What waiting is called in an operation on a window."""
    if operation == CREATING:
        return CREATE_WAIT
    return FREE_WAIT if operation == FREEING else FENCE_WAIT


@part
def forget_accesses(state: Any, window: Any) -> None:
    """The next fence ends another epoch."""
    first = ACCESS + ACCESS_WIDTH * FENCE_SLOT
    rows = epochs_of(state)[window]
    for rank in range(rows.shape[0]):
        for column in range(first, first + ACCESS_WIDTH):
            rows[rank, column] = NOBODY


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
