"""Delays as a stage: every wait is charged to call paths that took longer on the awaited side."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.delays import DELAY_KINDS, INDIRECT_WAITS, ROOT_CAUSES
from tracemill.stages.arrays import Relation, coded, distinct, group_by, insert_rows, order_by
from tracemill.stages.segments import read_forks, walk_segments
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


def charge_delays(
    delay_points: Relation,
    parallel_visits: Relation,
    call_paths: Relation,
    visits: "StoredRows",
    *,
    is_like_scalasca: bool = False,
) -> tuple[pa.Table, pa.Table]:
    """The costs of all delays, and the waits that are indirect or propagate (Böhme et al. 2016)."""
    from tracemill.kernels.delay_costs import charge_waits
    from tracemill.kernels.delay_intervals import find_intervals

    ((path_count,),) = call_paths.aggregate("coalesce(max(call_path_id) + 1, 0)").fetchall()
    found = _read_points(delay_points)
    if not len(found["location_id"]):
        return ROOT_CAUSES.empty(), INDIRECT_WAITS.empty()
    locations, found["location_id"] = np.unique(found["location_id"], return_inverse=True)
    points, items = _as_points(found), _items(found)
    times = _sum_times(found, locations, visits, read_forks(parallel_visits), path_count)
    meetings = _meetings(found, len(locations))
    intervals = find_intervals(items, points, meetings, is_like_scalasca=is_like_scalasca)
    charged = charge_waits(items, points, intervals, times, path_count)
    del points, items, times, meetings, intervals  # rows of charges take much memory, too
    return _as_causes(charged, found, locations), _as_waits(charged, found, locations)


def _read_points(delay_points: Relation) -> Columns:
    numbers = ("cause_point_id", "group_id")
    kinds = "CASE kind " + " ".join(
        f"WHEN '{kind}' THEN {DELAY_KINDS.index(name)}" for kind, name in _WAITS.items()
    )
    selected = delay_points.order("point_id").select(
        "location_id::BIGINT AS location_id, call_path_id::BIGINT AS call_path_id, boundary_ns, "
        "leave_ns, wait_ns, duration_ns, completion_ns, idle_count::BIGINT AS idle_count, "
        + ", ".join(f"coalesce({name}, -2)::BIGINT AS {name}" for name in numbers)
        + f", {kinds} ELSE -1 END AS kind, "
        "kind = 'join' AS is_join, kind IN ('fork', 'team_barrier') AS is_team, "
        "kind IN ('late_sender', 'late_receiver') AS is_message"
    )
    return {name: np.ascontiguousarray(column) for name, column in selected.fetchnumpy().items()}


def _as_points(found: Columns) -> "Points":
    from tracemill.kernels.delay_intervals import IDLE, Points

    location = found["location_id"]
    since = _last_of(found["is_team"], location)
    is_idle = found["idle_count"] > 0
    since = np.where(is_idle, _last_of(found["is_join"], location), since)
    cause = np.maximum(found["cause_point_id"], _NONE)
    return Points(
        location=location, path=found["call_path_id"],
        kind=np.where(is_idle, IDLE, found["kind"]).astype(np.int64), wait=found["wait_ns"],
        cause=cause, duration=found["duration_ns"], completion=found["completion_ns"],
        since=since, threads=found["idle_count"], is_team=found["is_team"],
        is_message=found["is_message"],
    )  # fmt: skip


def _last_of(is_chosen: NDArray[np.bool_], location: Numbers) -> Numbers:
    """For every point the last chosen one before it on its location, or none."""
    count = len(location)
    last = np.maximum.accumulate(np.where(is_chosen, np.arange(count), _NONE))
    before = np.concatenate([[_NONE], last[:-1]]) if count else last
    first = np.searchsorted(location, location)
    return np.where(before >= first, before, _NONE)


def _items(found: Columns) -> Numbers:
    """Waits with a cause, and forks of idle threads; the latest first."""
    is_wait = (found["wait_ns"] > 0) & (found["cause_point_id"] >= 0) & (found["kind"] >= 0)
    is_idle = found["idle_count"] > 0
    chosen = np.flatnonzero(is_wait | is_idle)
    end = np.where(is_idle, found["boundary_ns"], found["leave_ns"])[chosen]
    return chosen[np.lexsort((-chosen, -end))]


def _meetings(found: Columns, location_count: int) -> "Meetings":
    """Which point names which location or group."""
    from tracemill.kernels.delay_intervals import Meetings

    location, group = found["location_id"], found["group_id"]
    count = len(location)
    in_group = np.flatnonzero(group >= _NONE)
    groups, group_number = np.unique(group[in_group], return_inverse=True)
    others = location_count + len(groups)
    point = np.flatnonzero((found["cause_point_id"] >= 0) & ~found["is_team"] & (group < _NONE))
    cause = found["cause_point_id"][point]
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


def _sum_times(
    found: Columns,
    locations: Numbers,
    visits: "StoredRows",
    forks: tuple[Numbers, Numbers, Numbers],
    path_count: int,
) -> "Times":
    """Time by segment between points and call path, without the waits of the segment's begin."""
    from tracemill.kernels.delay_costs import Times

    location, wait = found["location_id"], found["wait_ns"]
    first_point = np.searchsorted(location, np.arange(len(locations) + 1)).astype(np.int64)
    segment, path, time = walk_segments(
        found["boundary_ns"], first_point, locations, visits, forks, path_count
    )
    waiting = np.flatnonzero(wait)
    segment, path, time = _subtract(
        (segment, path, time), waiting + location[waiting] + 1, found["call_path_id"][waiting],
        wait[waiting], path_count,
    )  # fmt: skip
    segment_count = len(location) + len(locations)
    key = _locations_of(first_point)[segment] * path_count + path
    by_path = order_by(key)
    key = key[by_path]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    key = key[starts]
    running = np.cumsum(time[by_path])
    before = np.where(starts > 0, running[starts - 1], 0)
    running -= np.repeat(before, np.diff(starts, append=len(running)))
    return Times(
        first_point=first_point,
        first_row=np.searchsorted(segment, np.arange(segment_count + 1)).astype(np.int64),
        row_path=path.astype(np.int64), row_time=time,
        first_path=np.searchsorted(key // path_count, np.arange(len(locations) + 1)).astype(
            np.int64
        ),
        path_ids=key % path_count,
        path_first=np.append(starts, len(running)),
        path_segment=segment[by_path],
        path_sum=running,
        wait_sum=np.concatenate([[0], np.cumsum(wait)]),
    )  # fmt: skip


def _subtract(
    rows: tuple[Numbers, Numbers, Numbers],
    segment: Numbers,
    path: Numbers,
    wait: Numbers,
    path_count: int,
) -> tuple[NDArray[Any], ...]:
    """Rows by segment and call path, in order, less one wait of some segments."""
    wanted = segment * path_count + path
    keys = rows[0] * path_count + rows[1]
    row = np.searchsorted(keys, wanted)
    is_there = np.append(keys, -1)[row] == wanted
    np.subtract.at(rows[2], row[is_there], wait[is_there])
    left = ~is_there  # no visit was recorded in which the location waited
    return insert_rows(rows, row[left], (segment[left], path[left], -wait[left]))


def _locations_of(first_point: Numbers) -> Numbers:
    """The location of every segment: one more than points on each."""
    return np.repeat(np.arange(len(first_point) - 1), np.diff(first_point) + 1)


def _as_causes(charged: "DelayCosts", found: Columns, locations: Numbers) -> pa.Table:
    """Costs by kind, call path, location and victim; added up in the order of the walk."""
    costs, location = charged.costs, found["location_id"]
    cause = found["cause_point_id"][costs.point]
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


def _as_waits(charged: "DelayCosts", found: Columns, locations: Numbers) -> pa.Table:
    """Indirect and propagating waits by kind, call path and location."""
    is_wait = (found["kind"] >= 0) & ((charged.indirect > 0) | (charged.propagating > 0))
    kind, path, location, indirect, propagating = _sum_by(
        tuple(found[name][is_wait] for name in ("kind", "call_path_id", "location_id")),
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


def _sum_by(keys: tuple[Numbers, ...], *values: NDArray[np.float64]) -> list[NDArray[Any]]:
    """Distinct keys in order, and the sums of the values of each."""
    order, starts = group_by(*keys)
    firsts = order[starts]
    return [
        *(key[firsts] for key in keys), *(np.add.reduceat(value[order], starts) for value in values)
    ]  # fmt: skip


DELAYS_STAGE = PythonStage(
    name="root_causes",
    outputs=(ROOT_CAUSES, INDIRECT_WAITS),
    compute=charge_delays,
    walked=("visits",),
    needed_rows=(("delay_points",),),
)  # fmt: skip
