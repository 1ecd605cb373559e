"""Activities cut where a focus begins and ends, so that each is inside of it or outside."""

from typing import TYPE_CHECKING

import numpy as np

from tracemill.stages.activity_rows import Activities
from tracemill.stages.activity_times import Durations, sum_times
from tracemill.stages.arrays import Flags, Numbers, first_rows
from tracemill.stages.forks import Forks
from tracemill.stages.pop_metrics import Recorded

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows


def cut_activities(
    recorded: Recorded,
    place: Numbers,
    moment: Numbers,
    is_runtime: Flags,
    visits: "StoredRows",
    forks: Forks,
) -> Recorded:
    """The same graph with activities cut at moments of locations, which have these places.

    A part that is all waiting takes no time and depends on nothing; the dependencies are those of
    the part in which the waiting ends. What depends on the activity depends on its last part. The
    time before a location begins is not cut.

        recorded    [ waiting ....... | duration ]        begin 10, ready 30, end 40
        cut at 20   [ ..... ][ ...... | duration ]        the second part depends on the causes
        cut at 35   [ waiting ....... | dur ][ation]      the first part does
    """
    found = recorded.found
    owner, begin, end = _find_parts(found, place, moment)
    number = np.flatnonzero(np.append(owner[1:] != owner[:-1], True))
    split = _split_graph(found, owner, begin, end, number)
    count = split.graph.first[-1]
    durations = Durations(
        split.ready[:count], end[:count], split.graph.first, found.location_ids,
        is_runtime[owner[:count]],
    )  # fmt: skip
    times, waits = sum_times(durations, visits, forks, len(recorded.paths.region) - 1)
    activity, path, time = times
    split = split._replace(
        row_path=path, row_time=time,
        first_row=first_rows(activity, len(owner)),
    )  # fmt: skip
    init, finalize = (
        np.where(framing < 0, framing, number[framing]) for framing in recorded.framing
    )
    return recorded._replace(found=split, framing=(init, finalize), waited=waits)


def _find_parts(
    found: Activities, place: Numbers, moment: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Activity, begin and end of each part; the parts of an activity are neighbors, in order."""
    cut = activities_ending_at(found, place, moment)
    is_cut = (found.begin[cut] < moment) & (moment < found.end[cut])
    is_cut &= ~np.isin(cut, found.graph.first[:-1])
    parts = np.unique(np.stack([cut[is_cut], moment[is_cut]]), axis=1)
    owner, end = (
        np.concatenate([whole, part])
        for whole, part in zip((np.arange(len(found.end)), found.end), parts, strict=True)
    )
    order = np.lexsort((end, owner))
    owner, end = owner[order], end[order]
    begin = found.begin[owner]
    is_later = np.append(False, owner[1:] == owner[:-1])
    begin[is_later] = end[:-1][is_later[1:]]
    return owner, begin, end


def activities_ending_at(found: Activities, place: Numbers, moment: Numbers) -> Numbers:
    """The first activity of each location that ends at a moment or later, else its last one."""
    first, end = found.graph.first, found.end[: found.graph.first[-1]]
    span = found.run_ns + 1
    begin = found.graph.begin
    key = found.graph.location[: len(end)].astype(np.int64) * span + end - begin
    inside = np.clip(moment - begin, 0, span - 1)
    found_at = np.searchsorted(key, place * span + inside)
    return np.minimum(found_at, first[place + 1] - 1)


def _split_graph(
    found: Activities, owner: Numbers, begin: Numbers, end: Numbers, number: Numbers
) -> Activities:
    """The graph of parts, still with the rows of activities.

    `number` is the last part of each activity.
    """
    from tracemill.kernels.replay import order_graph

    graph = found.graph
    first = np.append(0, number + 1)[graph.first]
    # The part in which waiting ends.
    holder = number.copy()
    is_ready = np.flatnonzero(end > found.ready[owner])
    np.minimum.at(holder, owner[is_ready], is_ready)
    waiting = np.repeat(holder, np.diff(graph.first_cause))
    first_cause = first_rows(waiting, len(owner))
    split = order_graph(
        graph.begin, first.astype(np.int64), graph.location[owner], first_cause, number[graph.cause]
    )
    return found._replace(
        graph=split, begin=begin, ready=np.clip(found.ready[owner], begin, end), end=end,
        path=found.path[owner], is_in_barrier=found.is_in_barrier[owner],
    )  # fmt: skip
