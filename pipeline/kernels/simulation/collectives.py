"""Collectives: who needs whom, and when everybody is released.

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

from tracemill.kernels.simulation.collective_waits import judge
from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    ABSENT,
    ARRIVED,
    BEGIN,
    BYTES,
    COMM,
    COST,
    COUNT,
    END_ENTER,
    END_PATH,
    END_VISIT,
    FINISH,
    FINISHED,
    GOT,
    HAS_TRUTH,
    ICOLLECTIVE,
    INIT,
    INSTANCE_CODE,
    INSTANCE_COMM,
    INSTANCE_FREE,
    INSTANCE_NEXT,
    LATENCY,
    LATEST_NS,
    MEMBER_STATE,
    MODE,
    N_TO_N,
    N_TO_ONE,
    NOBODY,
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
    START_ENTER,
    START_VISIT,
    WAITING,
)
from tracemill.kernels.simulation.layout import CODE as OPERATION_CODE
from tracemill.kernels.simulation.messages import transfer_ns
from tracemill.kernels.simulation.schedule import FOR_BEGIN, FOR_COST, noise, place_key
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    instances_of,
    members_of,
    pointers_of,
    processes_of,
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
