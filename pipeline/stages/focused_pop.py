"""Efficiencies of a focus as POP defines them."""

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tracemill.schemas.pop import POP_LOCATIONS, POP_METRICS
from tracemill.stages.arrays import Flags, Numbers
from tracemill.stages.cut_activities import activities_ending_at, cut_activities
from tracemill.stages.focus_times import FocusTimes
from tracemill.stages.forks import Forks
from tracemill.stages.pop_metrics import (
    FOCUS,
    Interval,
    Recorded,
    find_computation,
    measure,
    run_ideally,
)

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows


def compute_pop_of_focus(
    recorded: Recorded, times: FocusTimes, is_runtime: Flags, visits: "StoredRows", forks: Forks
) -> tuple[pa.Table, pa.Table]:
    """Efficiencies of a focus, and the times of its threads.

    Threads of a process share its periods. The begin of each period is as recorded, and so is all
    that ends before the first one of its location.
    """
    periods = _periods_of(recorded, times)
    if periods is None:
        return POP_METRICS.empty(), POP_LOCATIONS.empty()
    thread, begin, end = periods
    place = recorded.threads.place[thread]
    cut = cut_activities(
        recorded, np.append(place, place), np.append(begin, end), is_runtime, visits, forks
    )
    found = cut.found
    last = activities_ending_at(found, place, end)
    interval = Interval(FOCUS, thread, begin, end, last, _rounds(thread, begin, end))
    begins = activities_ending_at(found, place, begin)
    first = np.full(len(found.location_ids), begin.min())
    first[place[::-1]] = begin[::-1]
    activities = found.graph.first[-1]
    earlier = np.flatnonzero(found.end[:activities] <= first[found.graph.location[:activities]])
    as_recorded = np.concatenate([cut.framing[0], begins[found.end[begins] == begin], earlier])
    ideal = run_ideally(found, cut.paths, as_recorded)
    return measure(cut, interval, ideal, find_computation(found, cut.paths, cut.threads))


def _periods_of(recorded: Recorded, times: FocusTimes) -> tuple[Numbers, Numbers, Numbers] | None:
    """Thread, begin and end of the periods of its process, of all threads in the focus."""
    threads = recorded.threads
    chosen = np.flatnonzero(np.isin(threads.ids, times.locations))
    if not len(chosen):
        return None
    thread = np.searchsorted(threads.ids, times.location)
    thread = np.minimum(thread, len(threads.ids) - 1)
    is_own = threads.ids[thread] == times.location
    shared = FocusTimes.of(
        threads.master[thread[is_own]], times.begin[is_own], times.end[is_own], first=times.first,
        last=times.last,
    )  # fmt: skip
    begins = np.searchsorted(shared.location, threads.master[chosen])
    counts = np.searchsorted(shared.location, threads.master[chosen], "right") - begins
    row = np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return np.repeat(chosen, counts), shared.begin[row], shared.end[row]


def _rounds(thread: Numbers, begin: Numbers, end: Numbers) -> Numbers:
    """The round of each period: periods that overlap share one; all do if no thread has several."""
    rounds = np.zeros(len(thread), np.int64)
    if len(np.unique(thread)) == len(thread):
        return rounds
    order = np.lexsort((end, begin))
    reached = np.maximum.accumulate(end[order])
    rounds[order] = np.cumsum(np.append(False, begin[order][1:] >= reached[:-1]))
    return rounds
