"""Epochs of one-sided communication between groups of processes (post, start, complete, wait).

    origin   [ start ] put get … [ complete ]      its targets are the next ranks
    target   [ post ]            [ wait .......]   its origins are the ranks before it

The n-th epoch of an origin matches the n-th epoch of each of its targets. Start, or an operation
after a lazy start, waits until the targets have posted. Wait waits until all origins complete.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.one_sided import (
    PROCESSES,
    PROCESSES_AND_MEMORY,
    complete_requests,
    own_rank,
)
from tracemill.kernels.simulation.recording import add_wait, location_of, put
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_members_of,
    comm_sizes_of,
    counters_of,
    epochs_of,
    processes_of,
)


@unchecked
def partner(state: Any, process: Any, op: Any, number: Any) -> Any:
    """Rank of a partner in the epoch that instruction `op` begins or ends."""
    code = code_of(state)
    kind, size = code[op, at.CODE], comm_sizes_of(state)[code[op, at.COMM]]
    step = -1 - number if kind == at.POST or kind == at.EXPOSE else 1 + number
    return (own_rank(state, process, op) + step + size) % size


@unchecked
def begin_epoch_call(state: Any, process: Any, now: Any, visit: Any, op: Any) -> None:
    """Note the begin or end of an epoch."""
    code = code_of(state)
    row = epochs_of(state)[code[op, at.PEER], own_rank(state, process, op)]
    kind = code[op, at.CODE]
    if kind == at.POST:
        row[at.POSTS] += 1
        slot = row[at.POSTS] & 1
        row[at.POST_ENTER + slot], row[at.POST_VISIT + slot] = now, visit
    elif kind == at.START:
        row[at.STARTS] += 1
    elif kind == at.COMPLETE:
        row[at.COMPLETES] += 1
        slot = row[at.COMPLETES] & 1
        row[at.COMPLETE_ENTER + slot], row[at.COMPLETE_VISIT + slot] = now, visit


@unchecked
def partner_process(state: Any, process: Any, op: Any, number: Any) -> Any:
    """Process of a partner."""
    return comm_members_of(state)[code_of(state)[op, at.COMM], partner(state, process, op, number)]


@unchecked
def last_post(state: Any, process: Any, op: Any) -> Any:
    """Partner that posted last; lowest process of equals; NOBODY if not all have posted."""
    return last_partner(state, process, op, at.STARTS, at.POSTS, at.POST_ENTER)


@unchecked
def last_completion(state: Any, process: Any, op: Any) -> Any:
    """Partner that completed last; lowest process of equals; NOBODY if not all have completed."""
    return last_partner(state, process, op, at.POSTS, at.COMPLETES, at.COMPLETE_ENTER)


@unchecked
def last_partner(state: Any, process: Any, op: Any, own: Any, other: Any, enter: Any) -> Any:
    """Partner that made its n-th call last, where n is the number of own calls.

    `own` and `other` are the columns that count the calls; `enter` is the column of their begins.
    """
    code = code_of(state)
    rows = epochs_of(state)[code[op, at.PEER]]
    number = rows[own_rank(state, process, op), own]
    last = at.NOBODY
    for each in range(code[op, at.COUNT]):
        rank = partner(state, process, op, each)
        if rows[rank, other] < number:
            return at.NOBODY
        last = later_of(state, op, last, rank, enter + (number & 1))
    return last


@unchecked
def later_of(state: Any, op: Any, last: Any, rank: Any, column: Any) -> Any:
    """Later one of two ranks; lower process of equals. `last` may be NOBODY."""
    if last == at.NOBODY:
        return rank
    code = code_of(state)
    rows, members = epochs_of(state)[code[op, at.PEER]], comm_members_of(state)[code[op, at.COMM]]
    if rows[rank, column] != rows[last, column]:
        return rank if rows[rank, column] > rows[last, column] else last
    return rank if members[rank] < members[last] else last


@unchecked
def epoch_call_leave(state: Any, process: Any, op: Any) -> Any:
    """End of a call that begins or ends an epoch (ns); NOBODY if not known yet."""
    code, counters = code_of(state), counters_of(state)
    time = processes_of(state)[process, at.CALL_ENTER] + counters[at.OVERHEAD]
    kind = code[op, at.CODE]
    is_free = kind == at.POST or (kind == at.START and code[op, at.MODE] == at.LAZY)
    if is_free or code[op, at.COUNT] == 0:
        return time
    rows = epochs_of(state)[code[op, at.PEER]]
    own = rows[own_rank(state, process, op)]
    if kind == at.EXPOSE:
        last, column = last_completion(state, process, op), at.COMPLETE_ENTER + (own[at.POSTS] & 1)
    else:
        last, column = last_post(state, process, op), at.POST_ENTER + (own[at.STARTS] & 1)
    if last == at.NOBODY:
        return at.NOBODY
    return max(time, rows[last, column] + counters[at.LATENCY])


@unchecked
def access_leave(state: Any, process: Any, op: Any) -> Any:
    """End of an operation in an epoch (ns); NOBODY while a lazy one waits for its target."""
    code, row = code_of(state), processes_of(state)[process]
    time = row[at.CALL_ENTER] + code[op, at.AMOUNT]
    if code[op, at.MODE] != at.IN_EPOCH + at.LAZY:
        return time
    rows = epochs_of(state)[code[op, at.PEER]]
    number, target = rows[own_rank(state, process, op), at.STARTS], rows[row[at.REMOTE_RANK]]
    if target[at.POSTS] < number:
        return at.NOBODY
    return max(time, target[at.POST_ENTER + (number & 1)] + counters_of(state)[at.LATENCY])


# --- Waits ---------------------------------------------------------------------------------------


@unchecked
def charge_late_post(state: Any, process: Any, now: Any) -> None:
    """Add the wait of a call that began before a target posted and ends after that."""
    code, row = code_of(state), processes_of(state)[process]
    op = row[at.CALL_AT]
    kind = code[op, at.CODE]
    rows = epochs_of(state)[code[op, at.PEER]]
    number = rows[own_rank(state, process, op), at.STARTS]
    if kind == at.REMOTE:
        rank, property_ = row[at.REMOTE_RANK], at.COMM_LATE_POST
        if rows[rank, at.POSTS] < number:
            return
    else:
        rank, property_ = last_post(state, process, op), at.SYNC_LATE_POST
        if rank == at.NOBODY:
            return
    posted = rows[rank, at.POST_ENTER + (number & 1)]
    if posted > row[at.CALL_ENTER] and posted < now:
        charge(
            state, process, property_, row[at.CALL_ENTER], posted,
            location_of(state, comm_members_of(state)[code[op, at.COMM], rank]),
            rows[rank, at.POST_VISIT + (number & 1)], posted,
        )  # fmt: skip
        row[at.IS_CHARGED] = 1


@unchecked
def charge(
    state: Any, process: Any, property_: Any, start: Any, until: Any, cause: Any,
    cause_visit: Any, cause_enter: Any,
) -> None:  # fmt: skip
    """Add a wait from `start` to `until` in the call of a process."""
    row = processes_of(state)[process]
    add_wait(
        state, property_, location_of(state, process), row[at.CALL_VISIT],
        code_of(state)[row[at.CALL_AT], at.PATH], row[at.CALL_ENTER], start, until - start, cause,
        cause_visit, cause_enter, True,
    )  # fmt: skip


@unchecked
def charge_early_wait(state: Any, process: Any) -> None:
    """Add the waits of a target: for accesses to its memory, then for late completion."""
    code, row = code_of(state), processes_of(state)[process]
    op, enter = row[at.CALL_AT], row[at.CALL_ENTER]
    rank = last_completion(state, process, op)
    rows = epochs_of(state)[code[op, at.PEER]]
    own = rows[own_rank(state, process, op)]
    slot = own[at.POSTS] & 1
    if rank == at.NOBODY:
        return
    until, first = rows[rank, at.COMPLETE_ENTER + slot], at.ACCESS + at.ACCESS_WIDTH * slot
    if until > enter:
        accessed = min(max(own[first + at.ACCESS_LEAVE], enter), until)
        if accessed > enter:
            charge(
                state, process, at.EARLY_WAIT, enter, accessed, own[first + at.ACCESS_LOCATION],
                own[first + at.ACCESS_VISIT], own[first + at.ACCESS_ENTER],
            )  # fmt: skip
        if until > accessed:
            cause = location_of(state, comm_members_of(state)[code[op, at.COMM], rank])
            visit = rows[rank, at.COMPLETE_VISIT + slot]
            charge(state, process, at.LATE_COMPLETE, accessed, until, cause, visit, until)
    for column in range(first, first + at.ACCESS_WIDTH):
        own[column] = at.NOBODY


# --- Leaving -------------------------------------------------------------------------------------


@unchecked
def end_epoch_call(state: Any, process: Any, now: Any) -> None:
    """End a call that begins or ends an epoch."""
    code = code_of(state)
    op = processes_of(state)[process, at.CALL_AT]
    kind, window = code[op, at.CODE], code[op, at.PEER]
    if kind == at.COMPLETE:
        complete_requests(state, process, now, window, code[op, at.AMOUNT])
    level = PROCESSES if kind == at.POST or kind == at.START else PROCESSES_AND_MEMORY
    put(state, location_of(state, process), at.ON_GROUP_SYNC, now, level, window, code[op, at.TAG])
    if kind == at.START or kind == at.COMPLETE:
        charge_late_post(state, process, now)
    elif kind == at.EXPOSE:
        charge_early_wait(state, process)
