"""What a run would take if parts of it took longer or shorter."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tracemill.replay.opening import Opened
from tracemill.stages.arrays import Numbers
from tracemill.stages.scaling import scaled_times


class Changed(NamedTuple):
    """A changed run: its time, and the time of each call path on its critical path (ns).

    The last entry of `before` and `after` is time outside of all calls.
    """

    run_ns: int
    changed_ns: int
    before: Numbers
    after: Numbers


def change(opened: Opened, scales: Iterable[tuple[str, float]]) -> Changed:
    """Run the trace again with scaled durations; raises UsageError for unknown names."""
    run_ns, before = _run(opened, ())
    changed_ns, after = _run(opened, scales)
    return Changed(run_ns, changed_ns, before, after)


def _run(opened: Opened, scales: Iterable[tuple[str, float]]) -> tuple[int, Numbers]:
    """Run time, and time on the critical path by call path."""
    from tracemill.kernels.replay import follow_back, last_activity, replay

    found = opened.scaled.found
    duration, row_time = scaled_times(opened.scaled, scales)
    times = replay(found.graph, duration)
    last = last_activity(found.graph, times)
    is_on_path = np.zeros(len(found.end), np.bool_)
    is_on_path[follow_back(found.graph, times, last)] = True
    chosen = is_on_path[found.row_activity]
    by_path = np.bincount(found.row_path[chosen], row_time[chosen], len(opened.scaled.paths.region))
    return int(times.end[last]) - found.graph.begin, by_path.astype(np.int64)
