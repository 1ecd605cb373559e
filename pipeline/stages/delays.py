"""Delays as a stage: every wait is charged to call paths that took longer on the awaited side."""

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.delays import DELAY_KINDS, INDIRECT_WAITS, ROOT_CAUSES
from tracemill.stages.arrays import (
    Relation,
    coded,
    distinct,
    group_by,
    insert_rows,
    order_by,
    read_columns,
    read_many,
)
from tracemill.stages.forks import Forks, read_forks
from tracemill.stages.segments import Rows, each_location
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.kernels.delay_costs import DelayCosts, Times
    from tracemill.kernels.delay_intervals import Meetings, Points
    from tracemill.store.walking import StoredRows

Numbers = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]

_WAITS = {
    "late_sender": "latesender",
    "late_receiver": "latereceiver",
    "barrier": "barrier",
    "n_to_n": "n2n",
    "one_to_n": "12n",
    "n_to_one": "n21",
    "team_barrier": "ompbarrier",
}
_NONE = -1
_CODES = {kind: DELAY_KINDS.index(name) for kind, name in _WAITS.items()} | {"join": -2, "fork": -3}
"""Kinds of points as numbers; those of points that do not wait are negative."""


def charge_delays(
    delay_points: Relation,
    device_delays: Relation,
    parallel_visits: Relation,
    call_paths: Relation,
    visits: "StoredRows",
    *,
    is_like_scalasca: bool = False,
) -> tuple[pa.Table, pa.Table]:
    """The costs of all delays, and the waits that are indirect or propagate (Böhme et al. 2016).

    Waits for devices are charged to kernels as they are.
    """
    from tracemill.kernels.delay_costs import charge_waits
    from tracemill.kernels.delay_intervals import find_intervals

    ((path_count,),) = call_paths.aggregate("coalesce(max(call_path_id) + 1, 0)").fetchall()
    found = _read_points(delay_points)
    of_devices = _of_devices(device_delays)
    if not len(found["location"]):
        return of_devices, INDIRECT_WAITS.empty()
    locations, first_point = _number_locations(found)
    points, items = _as_points(found, first_point), _items(found)
    meetings = _meetings(found, len(locations))
    intervals = find_intervals(items, points, meetings, is_like_scalasca=is_like_scalasca)
    del meetings  # rows of times take much memory, and those of charges, too
    times = _sum_times(
        found, first_point, locations, visits, read_forks(parallel_visits), path_count
    )
    charged = charge_waits(items, points, intervals, times, path_count)
    del points, items, times, intervals
    causes = pa.concat_tables([_as_causes(charged, found, locations), of_devices])
    return causes, _as_waits(charged, found, locations)


def _read_points(delay_points: Relation) -> Columns:
    """The points in order; a column that is used up is taken out, as many points take much memory.

    `correction` is the time of a call after the wait, less all its time.
    """
    kinds = "CASE kind " + " ".join(f"WHEN '{kind}' THEN {code}" for kind, code in _CODES.items())
    found = read_many(
        delay_points,
        place="point_id",
        location="location_id::INTEGER",
        path="call_path_id::INTEGER",
        boundary="boundary_ns",
        leave="leave_ns",
        wait="wait_ns",
        correction="completion_ns - duration_ns",
        threads="idle_count::INTEGER",
        cause=f"coalesce(cause_point_id, {_NONE})::INTEGER",
        group=f"coalesce(group_id, {_NONE - 1})::INTEGER",
        kind=f"({kinds} ELSE {_NONE} END)::TINYINT",
    )
    kind = found["kind"]
    found["is_join"] = kind == _CODES["join"]
    found["is_team"] = (kind == _CODES["fork"]) | (kind == _CODES["team_barrier"])
    found["is_message"] = (kind == _CODES["late_sender"]) | (kind == _CODES["late_receiver"])
    return found


def _number_locations(found: Columns) -> tuple[Numbers, Numbers]:
    """The locations, which points then refer to by number, and the first point of each."""
    location = found["location"]
    first = np.flatnonzero(np.diff(location, prepend=_NONE))
    locations = location[first].astype(np.int64)
    first_point = np.append(first, len(location))
    found["location"] = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(first_point))
    return locations, first_point


def _as_points(found: Columns, first_point: Numbers) -> "Points":
    from tracemill.kernels.delay_intervals import IDLE, Points

    is_idle = found["threads"] > 0
    since = _last_of(found["is_team"], first_point)
    since = np.where(is_idle, _last_of(found.pop("is_join"), first_point), since)
    return Points(
        location=found["location"], path=found["path"],
        kind=np.where(is_idle, IDLE, found["kind"]).astype(np.int8), wait=found["wait"],
        cause=found["cause"], correction=found.pop("correction"), since=since,
        threads=found["threads"], is_team=found["is_team"], is_message=found.pop("is_message"),
    )  # fmt: skip


def _last_of(is_chosen: NDArray[np.bool_], first_point: Numbers) -> NDArray[np.int32]:
    """For every point the last chosen one before it on its location, or none."""
    count = len(is_chosen)
    before = np.full(count, _NONE, np.int32)
    chosen = np.flatnonzero(is_chosen[:-1])
    before[chosen + 1] = chosen
    np.maximum.accumulate(before, out=before)
    before[before < np.repeat(first_point[:-1].astype(np.int32), np.diff(first_point))] = _NONE
    return before


def _items(found: Columns) -> Numbers:
    """Waits with a cause, and forks of idle threads; the latest first."""
    is_wait = (found["wait"] > 0) & (found["cause"] >= 0) & (found["kind"] >= 0)
    is_idle = found["threads"] > 0
    chosen = np.flatnonzero(is_wait | is_idle)
    end = np.where(is_idle[chosen], found["boundary"][chosen], found.pop("leave")[chosen])
    return chosen[np.lexsort((-chosen, -end))]


def _meetings(found: Columns, location_count: int) -> "Meetings":
    """Which point names which location or group."""
    from tracemill.kernels.delay_intervals import Meetings

    location, group = found["location"], found.pop("group")
    count = len(location)
    in_group = np.flatnonzero(group >= _NONE)
    groups, group_number = np.unique(group[in_group], return_inverse=True)
    others = location_count + len(groups)
    point = np.flatnonzero((found["cause"] >= 0) & ~found["is_team"] & (group < _NONE))
    cause = found["cause"][point].astype(np.int64)
    location = location.astype(np.int64)
    naming = np.concatenate([point, cause, in_group])
    named = np.concatenate([location[cause], location[point], location_count + group_number])
    member = distinct(group_number * location_count + location[in_group])
    by_location = distinct(location[in_group] * max(len(groups), 1) + group_number)
    return Meetings(
        pair=distinct((location[naming] * others + named) * count + naming),
        first_group=np.searchsorted(
            by_location // max(len(groups), 1), np.arange(location_count + 1)
        ).astype(np.int64),
        groups=by_location % max(len(groups), 1),
        member=member,
        location_count=location_count,
        other_count=others,
    )


class _LocationTimes(NamedTuple):
    """Times of one location, as in `Times`, with places among its own rows."""

    first_row: Numbers
    row_path: NDArray[np.int32]
    row_time: Numbers
    path_ids: NDArray[np.int32]
    path_first: Numbers
    path_segment: NDArray[np.int32]
    path_sum: Numbers


def _sum_times(
    found: Columns,
    first_point: Numbers,
    locations: Numbers,
    visits: "StoredRows",
    forks: Forks,
    path_count: int,
) -> "Times":
    """Time by segment between points and call path, without the waits of the segment's begin."""
    from tracemill.kernels.delay_costs import Times

    wait, boundary = found["wait"], found.pop("boundary")
    parts: list[_LocationTimes | None] = [None] * len(locations)

    for number, rows in each_location(boundary, first_point, locations, visits, forks, path_count):
        own = slice(first_point[number], first_point[number + 1])
        begin = int(first_point[number]) + number
        parts[number] = _of_location(rows, begin, wait[own], found["path"][own], path_count)
    columns = [list(column) for column in zip(*cast("list[_LocationTimes]", parts), strict=True)]
    parts.clear()
    first_row, row_path, row_time, path_ids, path_first, path_segment, path_sum = columns
    row_count = np.cumsum([0, *map(len, row_path)])
    first_path = np.cumsum([0, *map(len, path_ids)])
    for counted in (first_row, path_first):
        for own, count in zip(counted, row_count[:-1], strict=True):
            own += count
        counted.append(row_count[-1:])
    return Times(
        first_point=first_point, first_row=_joined(first_row), row_path=_joined(row_path),
        row_time=_joined(row_time), first_path=first_path, path_ids=_joined(path_ids),
        path_first=_joined(path_first), path_segment=_joined(path_segment),
        path_sum=_joined(path_sum), wait_sum=np.concatenate([[0], np.cumsum(wait)]),
    )  # fmt: skip


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The parts as one array; they are taken out of the list."""
    joined = np.concatenate(parts)
    parts.clear()
    return joined


def _of_location(
    rows: Rows, begin: int, wait: Numbers, path: NDArray[np.int32], path_count: int
) -> _LocationTimes:
    """The rows of a location, whose segments begin with a number, less the waits of its points."""
    waiting = np.flatnonzero(wait)
    segment, paths, time = _subtract(
        rows, begin + waiting + 1, path[waiting], wait[waiting], path_count
    )
    by_path = order_by(paths)
    ordered = paths[by_path]
    starts = np.flatnonzero(np.diff(ordered, prepend=_NONE))
    running = np.cumsum(time[by_path])
    before = np.where(starts > 0, running[starts - 1], 0) if len(starts) else starts
    running -= np.repeat(before, np.diff(starts, append=len(running)))
    return _LocationTimes(
        np.searchsorted(segment, begin + np.arange(len(wait) + 1)), paths, time, ordered[starts],
        starts, segment[by_path].astype(np.int32), running,
    )  # fmt: skip


def _subtract(
    rows: Rows, segment: Numbers, path: NDArray[Any], wait: Numbers, path_count: int
) -> tuple[NDArray[Any], ...]:
    """Rows by segment and call path, in order, less one wait of some segments."""
    wanted = segment * path_count + path
    keys = rows[0] * path_count + rows[1]
    row = np.searchsorted(keys, wanted)
    is_there = np.append(keys, -1)[row] == wanted
    np.subtract.at(rows[2], row[is_there], wait[is_there])
    left = ~is_there  # no visit was recorded in which the location waited
    return insert_rows(rows, row[left], (segment[left], path[left], -wait[left]))


def _as_causes(charged: "DelayCosts", found: Columns, locations: Numbers) -> pa.Table:
    """Costs by kind, call path, location and victim; added up in the order of the walk."""
    costs, location = charged.costs, found["location"]
    cause = found["cause"][costs.point]
    delaying = location[np.where(cause >= 0, cause, costs.point)]
    kind, path, delaying, victim, direct, passed_on = _sum_by(
        (costs.kind, costs.path, delaying, location[costs.point]), costs.direct, costs.passed_on
    )
    return pa.table(
        {
            "kind": coded(DELAY_KINDS, kind),
            "call_path_id": path.astype(np.int32),
            "location_id": locations[delaying].astype(np.int32),
            "victim_location_id": locations[victim].astype(np.int32),
            "direct_ns": direct,
            "passed_on_ns": passed_on,
        }
    )


def _of_devices(device_delays: Relation) -> pa.Table:
    """The costs of kernels, which nobody passes on."""
    path, location, victim, direct = read_columns(
        device_delays.order("call_path_id, location_id, victim_location_id"),
        "call_path_id",
        "location_id",
        "victim_location_id",
        "direct_ns",
    )
    return pa.table(
        {
            "kind": coded(DELAY_KINDS, np.full(len(path), DELAY_KINDS.index("device"))),
            "call_path_id": path,
            "location_id": location,
            "victim_location_id": victim,
            "direct_ns": direct,
            "passed_on_ns": np.zeros(len(path)),
        }
    )


def _as_waits(charged: "DelayCosts", found: Columns, locations: Numbers) -> pa.Table:
    """Indirect and propagating waits by kind, call path and location."""
    is_wait = (found["kind"] >= 0) & ((charged.indirect > 0) | (charged.propagating > 0))
    kind, path, location, indirect, propagating = _sum_by(
        tuple(found[name][is_wait] for name in ("kind", "path", "location")),
        charged.indirect[is_wait],
        charged.propagating[is_wait],
    )
    return pa.table(
        {
            "kind": coded(DELAY_KINDS, kind),
            "call_path_id": path.astype(np.int32),
            "location_id": locations[location].astype(np.int32),
            "indirect_ns": indirect,
            "propagating_ns": propagating,
        }
    )


def _sum_by(keys: tuple[NDArray[Any], ...], *values: NDArray[np.float64]) -> list[NDArray[Any]]:
    """Distinct keys in order, and the sums of the values of each."""
    order, starts = group_by(*keys)
    firsts = order[starts]
    return [
        *(key[firsts] for key in keys), *(np.add.reduceat(value[order], starts) for value in values)
    ]  # fmt: skip


DELAYS_STAGE = PythonStage(
    name="root_causes",
    is_long=True,
    outputs=(ROOT_CAUSES, INDIRECT_WAITS),
    compute=charge_delays,
    walked=("visits",),
    needed_rows=(("delay_points", "device_delays"),),
)  # fmt: skip
