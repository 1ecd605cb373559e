"""Run time if parts take longer or shorter."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tracemill.base.text import shortest_text
from tracemill.engine.progress import Reporter
from tracemill.engine.replayed_clocks import NewTimes, find_clocks, place_moments
from tracemill.engine.replayed_source import analyze_changed, open_trace
from tracemill.kernels.replay import follow_back, last_activity, replay
from tracemill.replay.opening import Opened
from tracemill.stages.arrays import Numbers
from tracemill.stages.scaling import scaled_times
from tracemill.store.manifest import ReplayOrigin
from tracemill.store.runs import Run


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
    found = opened.scaled.found
    duration, row_time = scaled_times(opened.scaled, scales)
    times = replay(found.graph, duration)
    last = last_activity(found.graph, times)
    is_on_path = np.zeros(len(found.end), np.bool_)
    is_on_path[follow_back(found.graph, times, last)] = True
    chosen = is_on_path[found.row_activity]
    by_path = np.bincount(found.row_path[chosen], row_time[chosen], len(opened.scaled.paths.region))
    return int(times.end[last]) - found.graph.begin, by_path.astype(np.int64)


def keep_changed(
    opened: Opened, scales: Sequence[tuple[str, float]], store: Path, reporter: Reporter
) -> Run:
    """Analyze the trace with the times of the changed run, into a run of kind what-if.

    Raises UsageError, or MissingInputError or ChangedTraceError if the trace cannot be read again.
    """
    trace, found = open_trace(opened.run), opened.scaled.found
    scales = sorted(scales)
    duration, row_time = scaled_times(opened.scaled, scales)
    times = replay(found.graph, duration)
    new = NewTimes(times.ready, times.end, row_time / found.row_time)
    clocks = find_clocks(
        opened.run, opened.answer, found, place_moments(opened.answer, found), new,
        len(opened.call_paths),
    )  # fmt: skip
    description = " ".join(f"{selector}={shortest_text(factor)}" for selector, factor in scales)
    origin = ReplayOrigin(kind="what-if", description=description, hashed=repr(scales))
    return analyze_changed(opened.run, trace, store, origin, clocks, reporter)
