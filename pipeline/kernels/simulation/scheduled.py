"""Collectives with scheduled transfers: by a star, a tree, a ring, or through files.

A member starts its groups of transfers one after the other, each when it has received what frees
the group. Transfers above the eager limit also wait until their receiver has started. A member is
released when its own transfers have ended, or with a common end when all transfers of all have.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.pending import enqueue
from tracemill.kernels.simulation.releasing import release_from_collective
from tracemill.kernels.simulation.tables import (
    carries_of,
    code_of,
    comm_members_of,
    comm_ranks_of,
    comm_sizes_of,
    counters_of,
    group_states_of,
    groups_of,
    incoming_of,
    instances_of,
    members_of,
    plans_of,
    schedules_of,
)


@unchecked
def schedule_of(state: Any, instance: Any) -> Any:
    """Number of the schedule of an instance."""
    return code_of(state)[instances_of(state)[instance, at.INSTANCE_CODE], at.SCHEDULE] - 1


@unchecked
def rank_in(state: Any, instance: Any, process: Any) -> Any:
    """Rank of a process in an instance."""
    return comm_ranks_of(state)[instances_of(state)[instance, at.INSTANCE_COMM], process]


@unchecked
def group_place(state: Any, instance: Any, group: Any) -> Any:
    """Place of a group of transfers among the groups of an instance."""
    return group - schedules_of(state)[schedule_of(state, instance), at.FIRST_GROUP]


@unchecked
def is_long(state: Any, carry: Any) -> Any:
    """Whether a transfer waits for its receiver, and its sender for it."""
    row = carries_of(state)[carry]
    is_between = row[at.CARRY_FROM] != at.STORAGE and row[at.CARRY_TO] != at.STORAGE
    return is_between and row[at.CARRY_BYTES] > counters_of(state)[at.EAGER_LIMIT]


# --- Starting ------------------------------------------------------------------------------------


@unchecked
def begin_schedule(state: Any, instance: Any) -> None:
    """Reset the transfers of an instance when its first member arrives."""
    number = schedule_of(state, instance)
    schedule, row = schedules_of(state)[number], instances_of(state)[instance]
    size = comm_sizes_of(state)[row[at.INSTANCE_COMM]]
    row[at.OPEN_COUNT], row[at.OVER_NS] = schedule[at.CARRY_COUNT] + size, 0
    first = schedule[at.FIRST_GROUP]
    for place in range(schedule[at.GROUP_COUNT]):
        group = group_states_of(state)[instance, place]
        group[at.GROUP_LEFT] = groups_of(state)[first + place, at.GROUP_NEEDS]
        group[at.GROUP_NS], group[at.IS_FREED] = 0, 0
    for rank in range(size):
        process = comm_members_of(state)[row[at.INSTANCE_COMM], rank]
        member, plan = members_of(state)[instance, rank], plans_of(state)[number, process]
        member[at.AWAITED_COUNT], member[at.AWAITED_NS] = plan[at.PLAN_AWAITED], 0
        member[at.STARTED_NS], member[at.NEXT_GROUP] = at.NOBODY, plan[at.PLAN_GROUP]


@unchecked
def start_member(state: Any, instance: Any, process: Any, now: Any) -> None:
    """Start the part of a process in an instance at that time (ns)."""
    row = instances_of(state)[instance]
    if row[at.ARRIVED] == 1:
        begin_schedule(state, instance)
    member = members_of(state)[instance, rank_in(state, instance, process)]
    member[at.STARTED_NS], member[at.FREED_NS] = now, now
    member[at.AWAITED_NS] = max(member[at.AWAITED_NS], now)
    row[at.OPEN_COUNT] -= 1
    row[at.OVER_NS] = max(row[at.OVER_NS], now)
    plan = plans_of(state)[schedule_of(state, instance), process]
    for place in range(plan[at.PLAN_INCOMING], plan[at.PLAN_INCOMING] + plan[at.INCOMING_COUNT]):
        carry = incoming_of(state)[place]
        if is_long(state, carry):
            group = group_states_of(state)[
                instance, group_place(state, instance, carries_of(state)[carry, at.CARRY_GROUP])
            ]
            if group[at.IS_FREED] != 0:
                enqueue_carry(state, instance, carry, max(now, group[at.GROUP_NS]))
    free_groups(state, instance, process)
    settle(state, instance, process)


@unchecked
def free_groups(state: Any, instance: Any, process: Any) -> None:
    """Start the groups of a member that has received what they need."""
    member = members_of(state)[instance, rank_in(state, instance, process)]
    while member[at.NEXT_GROUP] != at.NOBODY:
        number = member[at.NEXT_GROUP]
        group, described = (
            group_states_of(state)[instance, group_place(state, instance, number)],
            groups_of(state)[number],
        )
        if group[at.GROUP_LEFT] > 0:
            return
        time = max(member[at.FREED_NS], group[at.GROUP_NS])
        member[at.FREED_NS], group[at.GROUP_NS], group[at.IS_FREED] = time, time, 1
        first = described[at.GROUP_FIRST]
        for carry in range(first, first + described[at.GROUP_SIZE]):
            if not is_long(state, carry):
                enqueue_carry(state, instance, carry, time)
                continue
            receiver = members_of(state)[
                instance, rank_in(state, instance, carries_of(state)[carry, at.CARRY_TO])
            ]
            if receiver[at.STARTED_NS] != at.NOBODY:
                enqueue_carry(state, instance, carry, max(time, receiver[at.STARTED_NS]))
        member[at.NEXT_GROUP] = described[at.GROUP_AFTER]


@unchecked
def enqueue_carry(state: Any, instance: Any, carry: Any, ready: Any) -> None:
    """Add a transfer to those that need a channel."""
    row = carries_of(state)[carry]
    enqueue(state, ready, row[at.CARRY_FROM], row[at.CARRY_TO], at.OF_COLLECTIVE, instance, carry)


# --- Ending --------------------------------------------------------------------------------------


@unchecked
def end_carry(state: Any, instance: Any, carry: Any, end: Any) -> None:
    """Note the end of a transfer (ns)."""
    row, found = carries_of(state)[carry], instances_of(state)[instance]
    sender, receiver = row[at.CARRY_FROM], row[at.CARRY_TO]
    found[at.OPEN_COUNT] -= 1
    found[at.OVER_NS] = max(found[at.OVER_NS], end)
    if receiver != at.STORAGE:
        end_for(state, instance, receiver, end)
        if row[at.FREES_GROUP] != at.NOBODY:
            group = group_states_of(state)[
                instance, group_place(state, instance, row[at.FREES_GROUP])
            ]
            group[at.GROUP_LEFT] -= 1
            group[at.GROUP_NS] = max(group[at.GROUP_NS], end)
            if (
                members_of(state)[instance, rank_in(state, instance, receiver)][at.STARTED_NS]
                != at.NOBODY
            ):
                free_groups(state, instance, receiver)
    if receiver == at.STORAGE or is_long(state, carry):
        end_for(state, instance, sender, end)
        settle(state, instance, sender)
    if receiver != at.STORAGE:
        settle(state, instance, receiver)


@unchecked
def end_for(state: Any, instance: Any, process: Any, end: Any) -> None:
    """Note the end of a transfer that a member waits for."""
    member = members_of(state)[instance, rank_in(state, instance, process)]
    member[at.AWAITED_COUNT] -= 1
    member[at.AWAITED_NS] = max(member[at.AWAITED_NS], end)


@unchecked
def settle(state: Any, instance: Any, process: Any) -> None:
    """Release a member, or with a common end all, if the operation is over for them."""
    found = instances_of(state)[instance]
    if schedules_of(state)[schedule_of(state, instance), at.HAS_COMMON_END] == 0:
        member = members_of(state)[instance, rank_in(state, instance, process)]
        if member[at.STARTED_NS] != at.NOBODY and member[at.AWAITED_COUNT] == 0:
            release(state, instance, process, member[at.AWAITED_NS])
    elif found[at.OPEN_COUNT] == 0:
        over, comm = found[at.OVER_NS], found[at.INSTANCE_COMM]
        for rank in range(comm_sizes_of(state)[comm]):
            release(state, instance, comm_members_of(state)[comm, rank], over)


@unchecked
def release(state: Any, instance: Any, process: Any, end: Any) -> None:
    """Release a member at that time (ns), unless it has been."""
    rank = rank_in(state, instance, process)
    member = members_of(state)[instance, rank]
    if member[at.MEMBER_STATE] == at.WAITING:
        member[at.FINISH], member[at.MEMBER_STATE] = end, at.RELEASED
        release_from_collective(state, instance, rank)
