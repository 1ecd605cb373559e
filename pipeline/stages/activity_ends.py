"""The moments at which activities end, in order."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.schemas.replay import ACTIVITY_KINDS
from tracemill.stages.arrays import Flags, Numbers, Relation, first_rows, order_by, read_many

NONE = -1
NO_MOMENT = np.iinfo(np.int64).min
_WORK, _START, _CALL = (ACTIVITY_KINDS.index(each) for each in ("work", "start", "call"))
_LAST = np.iinfo(np.int64).max
Columns = dict[str, NDArray[Any]]


class Ends(NamedTuple):
    """The ends of activities, by location.

    Those of each location, from `first` on, are its begin, its moments, and its end; the times of
    begin and end mean nothing. `boundary` is the moment, or NO_MOMENT; `is_begin` holds for begins
    of teams on workers and of threads.
    """

    first: Numbers
    location: NDArray[np.int32]
    time: Numbers
    kind: NDArray[np.int8]
    boundary: Numbers
    path: NDArray[np.int32]
    is_begin: Flags


def read_ends(replay_calls: Relation, replay_records: Relation, location_ids: Numbers) -> Ends:
    """The ends of activities of these locations, which are in order."""
    calls = read_many(
        replay_calls,
        visit="visit_id", location="location_id::INTEGER", path="call_path_id::INTEGER",
        enter="enter_ns", leave="leave_ns",
    )  # fmt: skip
    codes = " ".join(f"WHEN '{name}' THEN {code}" for code, name in enumerate(ACTIVITY_KINDS))
    records = read_many(
        replay_records,
        boundary="boundary_id", location="location_id::INTEGER", time="time_ns",
        kind=f"(CASE kind {codes} END)::TINYINT", is_begin="is_begin",
        visit=f"coalesce(visit_id, {NONE})", is_entered_now="is_entered_now",
    )  # fmt: skip
    return _put_together(calls, records, location_ids)


def _put_together(calls: Columns, records: Columns, location_ids: Numbers) -> Ends:
    """Enters, leaves, records, begins and ends of locations, in order."""
    call_count, count = len(calls["visit"]), len(location_ids)
    sizes = call_count, call_count, len(records["time"]), count, count
    least = min(int(each.min(initial=_LAST)) for each in (calls["enter"], records["time"]))
    most = max(int(each.max(initial=-_LAST)) for each in (calls["leave"], records["time"]))
    ids = location_ids.astype(np.int32)
    location = np.concatenate([calls["location"]] * 2 + [records["location"], ids, ids])
    time = np.concatenate([
        calls["enter"], calls["leave"], records["time"],
        np.full(count, min(least, most) - 1), np.full(count, most + 1),
    ])  # fmt: skip
    boundary = np.concatenate([
        2 * calls["visit"], 2 * calls["visit"] + 1, records["boundary"],
        np.full(2 * count, NO_MOMENT),
    ])  # fmt: skip
    kind = np.repeat(np.array([_WORK, _CALL, NONE, _START, _WORK], np.int8), sizes)
    of_records = slice(2 * call_count, 2 * call_count + len(records["time"]))
    kind[of_records] = records["kind"]
    is_begin = np.zeros(len(time), np.bool_)
    is_begin[of_records] = records["is_begin"]
    path = np.full(len(time), NONE, np.int32)
    path[call_count : 2 * call_count] = calls["path"]
    order = _in_order(location, time, boundary, calls, records)
    number = np.searchsorted(ids, location[order]).astype(np.int32)
    is_known = np.append(ids, NONE)[number] == location[order]
    if not is_known.all():
        order, number = order[is_known], number[is_known]
    return Ends(
        first_rows(number, count), number, time[order], kind[order], boundary[order], path[order],
        is_begin[order],
    )  # fmt: skip


def _in_order(
    location: NDArray[np.int32], time: Numbers, boundary: Numbers, calls: Columns, records: Columns
) -> Numbers:
    """The rows by location, then in the order of the records.

    Moments at the same time: first those of calls entered before, from the innermost call outwards;
    then those of calls entered now, in the order of entering. (A call without time inside another
    one without time comes after it.)
    """
    order = order_by(location, time)
    place, moment = location[order], time[order]
    is_repeated = (place[1:] == place[:-1]) & (moment[1:] == moment[:-1])
    if not is_repeated.any():
        return order
    others = len(location) - 2 * len(calls["visit"]) - len(records["visit"])
    visit = np.concatenate([calls["visit"]] * 2 + [records["visit"], np.full(others, NONE)])
    is_leave = np.zeros(len(location), np.bool_)
    is_leave[len(calls["visit"]) : 2 * len(calls["visit"])] = True
    is_now = np.concatenate([
        np.ones(len(calls["visit"]), np.bool_), calls["enter"] == calls["leave"],
        records["is_entered_now"], np.ones(others, np.bool_),
    ])  # fmt: skip
    repeated = np.flatnonzero(np.append(is_repeated, False) | np.append(False, is_repeated))
    rows = order[repeated]
    order[repeated] = rows[np.lexsort((
        # Records have falling numbers.
        -boundary[rows], is_leave[rows], np.where(is_now, visit, -visit)[rows], is_now[rows],
        moment[repeated], place[repeated],
    ))]  # fmt: skip
    return order
