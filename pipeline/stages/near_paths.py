"""Near-critical paths: each is the longest one through an activity that no longer path has."""

from typing import NamedTuple

import numpy as np

from tracemill.stages.activity_rows import Activities
from tracemill.stages.arrays import Flags, Numbers

_MOST_IN_RUN = 100
"""Activities so short that the run could hold more than this many lead to no path of their own."""


class NearPath(NamedTuple):
    """A path with its length; `alone` and `location` are where it differs most from the first.

    `shared` is its time on the first path. `alone` is a call path, the number of call paths
    outside of visits, or none if all is shared.
    """

    activities: Numbers
    length: int
    slack: int
    shared: int
    alone: int
    location: int


def find_near_paths(found: Activities, total_slack: Numbers, most: int) -> list[NearPath]:
    """The critical path, then the longest paths through other activities, at most so many."""
    from tracemill.kernels.replay import follow_back, follow_on, last_activity, replay

    graph, duration = found.graph, found.duration
    times = replay(graph, duration)
    latest = found.end + total_slack
    critical = follow_back(graph, times, last_activity(graph, times))
    on_first = np.zeros(len(found.end), np.bool_)
    on_first[critical] = True
    paths = [_describe(found, critical, on_first, 0)]
    is_open = duration * _MOST_IN_RUN >= max(found.run_ns, 1)
    is_open[critical] = False
    while len(paths) < most and is_open.any():
        candidates = np.flatnonzero(is_open)
        keys = (candidates, found.ready[candidates], total_slack[candidates])
        chosen = int(candidates[np.lexsort(keys)[0]])
        back = follow_back(graph, times, chosen)
        path = np.concatenate([back, follow_on(graph, latest, duration, chosen)])
        is_open[path] = False
        paths.append(_describe(found, path, on_first, int(total_slack[chosen])))
    return paths


def _describe(found: Activities, path: Numbers, on_first: Flags, slack: int) -> NearPath:
    is_alone = np.zeros(len(found.end), np.bool_)
    is_alone[path[~on_first[path]]] = True
    rows = np.flatnonzero(found.by_row(is_alone))
    place = found.by_row(found.graph.location)[rows].astype(np.int64)
    alone, location = -1, -1
    if len(rows):
        key = found.row_path[rows].astype(np.int64) * len(found.location_ids) + place
        keys, at = np.unique(key, return_inverse=True)
        longest = keys[np.argmax(np.bincount(at, found.row_time[rows]))]
        alone, location = (int(each) for each in divmod(longest, len(found.location_ids)))
        location = int(found.location_ids[location])
    shared = int(found.duration[path[on_first[path]]].sum())
    return NearPath(path, found.run_ns - slack, slack, shared, alone, location)
