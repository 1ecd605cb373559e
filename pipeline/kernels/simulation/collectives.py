"""Collectives: which members wait for which, and when they are released.

    family      member waits for
    barrier     all (also Init, Finalize, and operations on windows and files)
    n_to_n      receivers: all senders
    one_to_n    receivers: the root
    n_to_one    root: all senders
    scan        all lower ranks
    ring        receivers: the ranks before and after

Other members are released at once. A member ends some time after the last one it waits for begins.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.collective_waits import add_waits
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


@unchecked
def new_instance(state: Any, comm: Any, before: Any) -> Any:
    """A new instance of a communicator, after `before`."""
    instances = instances_of(state)
    instance = counters_of(state)[at.INSTANCE_FREE]
    counters_of(state)[at.INSTANCE_FREE] = instances[instance, at.INSTANCE_NEXT]
    row = instances[instance]
    row[:] = 0
    row[at.INSTANCE_COMM], row[at.ORDINAL] = comm, instances[before, at.ORDINAL] + 1
    row[at.INSTANCE_NEXT], row[at.INSTANCE_CODE] = at.NOBODY, at.NOBODY
    for rank in range(comm_sizes_of(state)[comm]):
        members_of(state)[instance, rank, at.MEMBER_STATE] = at.ABSENT
    instances[before, at.INSTANCE_NEXT] = instance
    return instance


@unchecked
def release_instance(state: Any, instance: Any) -> None:
    """Free an instance that all members have finished, and that is nobody's last one."""
    row = instances_of(state)[instance]
    if row[at.POINTERS] == 0 and row[at.FINISHED] == comm_sizes_of(state)[row[at.INSTANCE_COMM]]:
        row[at.INSTANCE_NEXT] = counters_of(state)[at.INSTANCE_FREE]
        counters_of(state)[at.INSTANCE_FREE] = instance


@unchecked
def begin_delay(state: Any, process: Any, op: Any) -> Any:
    """Time from the begin of the call to the begin of the collective."""
    family = code_of(state)[op, at.MODE]
    if code_of(state)[op, at.CODE] == at.ICOLLECTIVE or family >= at.INIT:
        return 0
    if code_of(state)[op, at.SCHEDULE] != 0:
        return code_of(state)[op, at.DELAY]
    key = place_key(counters_of(state), processes_of(state), process, op, FOR_BEGIN)
    return 1 + noise(counters_of(state), key, counters_of(state)[at.OVERHEAD])


@unchecked
def operation_cost(state: Any, process: Any, op: Any) -> Any:
    """Time from the begin of the last member needed to the end of a member."""
    counters, code = counters_of(state), code_of(state)
    rounds = 0
    while (1 << rounds) < comm_sizes_of(state)[code[op, at.COMM]]:
        rounds += 1
    size = max(code[op, at.BYTES], code[op, at.RECEIVED])
    cost = rounds * counters[at.LATENCY] + transfer_ns(counters, size)
    key = place_key(counters, processes_of(state), process, op, FOR_COST)
    return 1 + cost + noise(counters, key, cost // 4 + counters[at.OVERHEAD])


@unchecked
def arrive(state: Any, process: Any, visit: Any, path: Any, op: Any) -> Any:
    """Begin a collective on a process; returns its instance."""
    code, instances = code_of(state), instances_of(state)
    comm = code[op, at.COMM]
    before = pointers_of(state)[comm, process]
    instance = instances[before, at.INSTANCE_NEXT]
    if instance == at.NOBODY:
        instance = new_instance(state, comm, before)
    pointers_of(state)[comm, process] = instance
    instances[before, at.POINTERS] -= 1
    release_instance(state, before)
    row = instances[instance]
    row[at.POINTERS] += 1
    row[at.INSTANCE_CODE] = op
    row[at.ARRIVED] += 1
    member = members_of(state)[instance, comm_ranks_of(state)[comm, process]]
    enter = processes_of(state)[process, at.CALL_ENTER]
    member[at.BEGIN] = enter + begin_delay(state, process, op)
    moves_data = code[op, at.MODE] == at.N_TO_N or code[op, at.MODE] == at.N_TO_ONE
    if code[op, at.BYTES] > 0:
        row[at.SENDERS_ARRIVED] += 1
    if code[op, at.BYTES] > 0 or not moves_data:
        row[at.LATEST_NS] = max(row[at.LATEST_NS], member[at.BEGIN])
    member[at.COST] = operation_cost(state, process, op)
    member[at.FINISH] = at.NOBODY
    member[at.SENT], member[at.GOT] = code[op, at.BYTES], code[op, at.RECEIVED]
    member[at.MEMBER_STATE] = at.WAITING
    member[at.START_ENTER], member[at.START_VISIT] = enter, visit
    member[at.END_ENTER], member[at.END_VISIT], member[at.END_PATH] = enter, visit, path
    return instance


@unchecked
def is_complete_for(state: Any, instance: Any, family: Any, rank: Any) -> Any:
    """Whether all members that a member waits for have arrived."""
    row, code = instances_of(state)[instance], code_of(state)
    op, comm = row[at.INSTANCE_CODE], row[at.INSTANCE_COMM]
    root = code[op, at.PEER]
    if family == at.N_TO_N:
        is_receiver = members_of(state)[instance, rank, at.GOT] > 0
        return not is_receiver or row[at.SENDERS_ARRIVED] == code[op, at.COUNT]
    if family == at.ONE_TO_N:
        is_receiver = rank != root and members_of(state)[instance, rank, at.GOT] > 0
        return not is_receiver or members_of(state)[instance, root, at.MEMBER_STATE] != at.ABSENT
    if family == at.N_TO_ONE:
        return rank != root or row[at.SENDERS_ARRIVED] == code[op, at.COUNT]
    if family == at.SCAN:
        for other in range(rank):
            if members_of(state)[instance, other, at.MEMBER_STATE] == at.ABSENT:
                return False
        return True
    if family == at.RING and members_of(state)[instance, rank, at.GOT] > 0:
        size = comm_sizes_of(state)[comm]
        before, after = (rank + size - 1) % size, (rank + 1) % size
        has_before = members_of(state)[instance, before, at.MEMBER_STATE] != at.ABSENT
        return has_before and members_of(state)[instance, after, at.MEMBER_STATE] != at.ABSENT
    return family == at.RING or row[at.ARRIVED] == comm_sizes_of(state)[comm]


@unchecked
def latest_needed_ns(state: Any, instance: Any, family: Any, rank: Any) -> Any:
    """Latest begin among a member and those it waits for (ns)."""
    row, members = instances_of(state)[instance], members_of(state)[instance]
    root = code_of(state)[row[at.INSTANCE_CODE], at.PEER]
    own = members[rank, at.BEGIN]
    if family == at.ONE_TO_N:
        return max(own, members[root, at.BEGIN]) if members[rank, at.GOT] > 0 else own
    if family == at.N_TO_ONE:
        return max(own, row[at.LATEST_NS]) if rank == root else own
    if family == at.N_TO_N:
        return max(own, row[at.LATEST_NS]) if members[rank, at.GOT] > 0 else own
    if family == at.SCAN:
        for other in range(rank):
            own = max(own, members[other, at.BEGIN])
        return own
    if family == at.RING:
        size = comm_sizes_of(state)[row[at.INSTANCE_COMM]]
        before, after = (rank + size - 1) % size, (rank + 1) % size
        needed = max(members[before, at.BEGIN], members[after, at.BEGIN])
        return max(own, needed) if members[rank, at.GOT] > 0 else own
    return row[at.LATEST_NS]


@unchecked
def release_member(state: Any, instance: Any, rank: Any) -> Any:
    """Set the end of a member if it is known only now; returns whether it is."""
    family = code_of(state)[instances_of(state)[instance, at.INSTANCE_CODE], at.MODE]
    member = members_of(state)[instance, rank]
    if member[at.MEMBER_STATE] != at.WAITING or not is_complete_for(state, instance, family, rank):
        return False
    member[at.FINISH] = latest_needed_ns(state, instance, family, rank) + member[at.COST]
    member[at.MEMBER_STATE] = at.RELEASED
    return True


@unchecked
def finish_member(state: Any, instance: Any) -> None:
    """Count a finished member; after the last one, add the waits."""
    row = instances_of(state)[instance]
    row[at.FINISHED] += 1
    if row[at.FINISHED] == comm_sizes_of(state)[row[at.INSTANCE_COMM]]:
        if counters_of(state)[at.HAS_TRUTH] != 0 and row[at.FINISHED] > 1:
            add_waits(state, instance)
        release_instance(state, instance)
