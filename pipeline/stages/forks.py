"""Visits of parallel regions, which last from the fork of their team to its join."""

from typing import NamedTuple

import numpy as np

from tracemill.stages.arrays import Numbers, Relation, read_columns


class Forks(NamedTuple):
    """Visits of parallel regions in order, with fork and join of their team (ns)."""

    visit: Numbers
    fork: Numbers
    join: Numbers


def read_forks(parallel_visits: Relation) -> Forks:
    """All visits of parallel regions."""
    ordered = parallel_visits.order("visit_id")
    return Forks(*read_columns(ordered, "visit_id", "fork_ns", "join_ns"))


def with_forks(
    visit: Numbers, enter: Numbers, leave: Numbers, forks: Forks
) -> tuple[Numbers, Numbers]:
    """Begin and end of visits, those of parallel regions from fork to join."""
    if not len(forks.visit):
        return enter, leave
    row = np.minimum(np.searchsorted(forks.visit, visit), len(forks.visit) - 1)
    found = np.flatnonzero(forks.visit[row] == visit)
    begin, end = enter.copy(), leave.copy()
    begin[found], end[found] = forks.fork[row[found]], forks.join[row[found]]
    return begin, end
