"""Epochs of one-sided communication between some processes of a window.

    origin   [ start ] put get … [ complete ]      its targets are the next ranks
    target   [ post ]            [ wait .......]   its origins are the ranks before it

The n-th epoch of an origin meets the n-th of each of its targets. Starting, or what follows, lasts
until the targets have posted; waiting until the origins come to complete.
"""

from typing import Any

import numpy as np

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    ACCESS,
    ACCESS_ENTER,
    ACCESS_LEAVE,
    ACCESS_LOCATION,
    ACCESS_VISIT,
    ACCESS_WIDTH,
    AMOUNT,
    CALL_AT,
    CALL_ENTER,
    CALL_VISIT,
    CODE,
    COMM,
    COMM_LATE_POST,
    COMPLETE,
    COMPLETE_ENTER,
    COMPLETE_VISIT,
    COMPLETES,
    COUNT,
    EARLY_WAIT,
    EXPOSE,
    IN_EPOCH,
    IS_CHARGED,
    LATE_COMPLETE,
    LATENCY,
    LAZY,
    MODE,
    NOBODY,
    ON_GROUP_SYNC,
    OVERHEAD,
    PATH,
    PEER,
    POST,
    POST_ENTER,
    POST_VISIT,
    POSTS,
    REMOTE,
    REMOTE_RANK,
    START,
    STARTS,
    SYNC_LATE_POST,
    TAG,
)
from tracemill.kernels.simulation.one_sided import complete_requests, own_rank
from tracemill.kernels.simulation.recording import add_wait, location_of, put
from tracemill.kernels.simulation.tables import (
    code_of,
    comm_members_of,
    comm_sizes_of,
    counters_of,
    epochs_of,
    processes_of,
)

_PROCESSES, _PROCESSES_AND_MEMORY = np.int64(1), np.int64(3)


@part
def partner(state: Any, process: Any, at: Any, number: Any) -> Any:
    """Rank of a partner in the epoch that instruction `at` begins or ends."""
    code = code_of(state)
    kind, size = code[at, CODE], comm_sizes_of(state)[code[at, COMM]]
    step = -1 - number if kind == POST or kind == EXPOSE else 1 + number
    return (own_rank(state, process, at) + step + size) % size


@part
def begin_epoch_call(state: Any, process: Any, now: Any, visit: Any, at: Any) -> None:
    """Note that an epoch is begun or ended."""
    code = code_of(state)
    row = epochs_of(state)[code[at, PEER], own_rank(state, process, at)]
    kind = code[at, CODE]
    if kind == POST:
        row[POSTS] += 1
        row[POST_ENTER + (row[POSTS] & 1)], row[POST_VISIT + (row[POSTS] & 1)] = now, visit
    elif kind == START:
        row[STARTS] += 1
    elif kind == COMPLETE:
        row[COMPLETES] += 1
        slot = row[COMPLETES] & 1
        row[COMPLETE_ENTER + slot], row[COMPLETE_VISIT + slot] = now, visit


@part
def partner_process(state: Any, process: Any, at: Any, number: Any) -> Any:
    """The process that a partner is."""
    return comm_members_of(state)[code_of(state)[at, COMM], partner(state, process, at, number)]


@part
def last_post(state: Any, process: Any, at: Any) -> Any:
    """The partner that posted last, of equals the first location; NOBODY if not all have."""
    return last_partner(state, process, at, STARTS, POSTS, POST_ENTER)


@part
def last_completion(state: Any, process: Any, at: Any) -> Any:
    """The partner that came last to complete, likewise."""
    return last_partner(state, process, at, POSTS, COMPLETES, COMPLETE_ENTER)


@part
def last_partner(state: Any, process: Any, at: Any, own: Any, other: Any, enter: Any) -> Any:
    """The partner that made its n-th call last, n being the number of own ones.

    `own` and `other` count the calls; `enter` is where partners note when they entered theirs.
    """
    code = code_of(state)
    rows = epochs_of(state)[code[at, PEER]]
    number = rows[own_rank(state, process, at), own]
    last = NOBODY
    for each in range(code[at, COUNT]):
        rank = partner(state, process, at, each)
        if rows[rank, other] < number:
            return NOBODY
        last = later_of(state, at, last, rank, enter + (number & 1))
    return last


@part
def later_of(state: Any, at: Any, last: Any, rank: Any, column: Any) -> Any:
    """Who of two ranks was later, of equals the lower process; the first may be NOBODY."""
    if last == NOBODY:
        return rank
    code = code_of(state)
    rows, members = epochs_of(state)[code[at, PEER]], comm_members_of(state)[code[at, COMM]]
    if rows[rank, column] != rows[last, column]:
        return rank if rows[rank, column] > rows[last, column] else last
    return rank if members[rank] < members[last] else last


@part
def epoch_call_leave(state: Any, process: Any, at: Any) -> Any:
    """When a call that begins or ends an epoch can be left; NOBODY if not known yet."""
    code, counters = code_of(state), counters_of(state)
    time = processes_of(state)[process, CALL_ENTER] + counters[OVERHEAD]
    kind = code[at, CODE]
    is_free = kind == POST or (kind == START and code[at, MODE] == LAZY)
    if is_free or code[at, COUNT] == 0:
        return time
    rows = epochs_of(state)[code[at, PEER]]
    own = rows[own_rank(state, process, at)]
    if kind == EXPOSE:
        last, column = last_completion(state, process, at), COMPLETE_ENTER + (own[POSTS] & 1)
    else:
        last, column = last_post(state, process, at), POST_ENTER + (own[STARTS] & 1)
    if last == NOBODY:
        return NOBODY
    return max(time, rows[last, column] + counters[LATENCY])


@part
def access_leave(state: Any, process: Any, at: Any) -> Any:
    """When an operation in an epoch that blocks until its target has posted can be left."""
    code, row = code_of(state), processes_of(state)[process]
    time = row[CALL_ENTER] + code[at, AMOUNT]
    if code[at, MODE] != IN_EPOCH + LAZY:
        return time
    rows = epochs_of(state)[code[at, PEER]]
    number, target = rows[own_rank(state, process, at), STARTS], rows[row[REMOTE_RANK]]
    if target[POSTS] < number:
        return NOBODY
    return max(time, target[POST_ENTER + (number & 1)] + counters_of(state)[LATENCY])


# --- Who waited ----------------------------------------------------------------------------------


@part
def charge_late_post(state: Any, process: Any, now: Any) -> None:
    """A call was entered before a target had posted, and is left after that."""
    code, row = code_of(state), processes_of(state)[process]
    at = row[CALL_AT]
    kind = code[at, CODE]
    rows = epochs_of(state)[code[at, PEER]]
    number = rows[own_rank(state, process, at), STARTS]
    if kind == REMOTE:
        rank, property_ = row[REMOTE_RANK], COMM_LATE_POST
        if rows[rank, POSTS] < number:
            return
    else:
        rank, property_ = last_post(state, process, at), SYNC_LATE_POST
        if rank == NOBODY:
            return
    posted = rows[rank, POST_ENTER + (number & 1)]
    if posted > row[CALL_ENTER] and posted < now:
        charge(
            state, process, property_, row[CALL_ENTER], posted,
            location_of(state, comm_members_of(state)[code[at, COMM], rank]),
            rows[rank, POST_VISIT + (number & 1)], posted,
        )  # fmt: skip
        row[IS_CHARGED] = 1


@part
def charge(
    state: Any, process: Any, property_: Any, start: Any, until: Any, cause: Any,
    cause_visit: Any, cause_enter: Any,
) -> None:  # fmt: skip
    """The call a process is in waited from `start` to `until`."""
    row = processes_of(state)[process]
    add_wait(
        state, property_, location_of(state, process), row[CALL_VISIT],
        code_of(state)[row[CALL_AT], PATH], row[CALL_ENTER], start, until - start, cause,
        cause_visit, cause_enter, True,
    )  # fmt: skip


@part
def charge_early_wait(state: Any, process: Any) -> None:
    """A target waited for those that access it, at the end only for their completing."""
    code, row = code_of(state), processes_of(state)[process]
    at, enter = row[CALL_AT], row[CALL_ENTER]
    rank = last_completion(state, process, at)
    rows = epochs_of(state)[code[at, PEER]]
    own = rows[own_rank(state, process, at)]
    slot = own[POSTS] & 1
    if rank == NOBODY:
        return
    until, first = rows[rank, COMPLETE_ENTER + slot], ACCESS + ACCESS_WIDTH * slot
    if until > enter:
        accessed = min(max(own[first + ACCESS_LEAVE], enter), until)
        if accessed > enter:
            charge(
                state, process, EARLY_WAIT, enter, accessed, own[first + ACCESS_LOCATION],
                own[first + ACCESS_VISIT], own[first + ACCESS_ENTER],
            )  # fmt: skip
        if until > accessed:
            cause = location_of(state, comm_members_of(state)[code[at, COMM], rank])
            visit = rows[rank, COMPLETE_VISIT + slot]
            charge(state, process, LATE_COMPLETE, accessed, until, cause, visit, until)
    for column in range(first, first + ACCESS_WIDTH):
        own[column] = NOBODY


# --- Leaving -------------------------------------------------------------------------------------


@part
def end_epoch_call(state: Any, process: Any, now: Any) -> None:
    """A call that begins or ends an epoch is over."""
    code = code_of(state)
    at = processes_of(state)[process, CALL_AT]
    kind, window = code[at, CODE], code[at, PEER]
    if kind == COMPLETE:
        complete_requests(state, process, now, window, code[at, AMOUNT])
    level = _PROCESSES if kind == POST or kind == START else _PROCESSES_AND_MEMORY
    put(state, location_of(state, process), ON_GROUP_SYNC, now, level, window, code[at, TAG])
    if kind == START or kind == COMPLETE:
        charge_late_post(state, process, now)
    elif kind == EXPOSE:
        charge_early_wait(state, process)
