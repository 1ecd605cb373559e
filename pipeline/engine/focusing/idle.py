"""Idle time of workers in a focus that differs from that of the first thread of their process."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from tracemill.engine.focusing.clipping import numbers_of
from tracemill.stages.focus_times import FocusTimes

Workers = dict[int, int]
"""The first thread of the process of each worker."""
IDLE = ("omp_idle_threads", "omp_limited_parallelism")


def workers_of(locations: pa.Table) -> Workers:
    """The workers of a run."""
    group, thread, location = (
        numbers_of(locations, name) for name in ("location_group_id", "thread", "location_id")
    )
    first = dict(zip(group[thread == 0].tolist(), location[thread == 0].tolist(), strict=True))
    return {
        worker: first[process]
        for worker, process in zip(
            location[thread > 0].tolist(), group[thread > 0].tolist(), strict=True
        )
        if process in first
    }


def rounds_of(times: FocusTimes, workers: Workers) -> Iterator[tuple[FocusTimes, set[int]]]:
    """Focuses of first threads, and the workers that are in these focuses while they are idle.

    The first round is the focus itself. Each further one gives first threads the periods of workers
    whose periods differ.
    """
    periods: dict[int, dict[Any, set[int]]] = {}
    of_first = {}
    for worker, first in workers.items():
        own = times.periods(worker)
        if len(own[0]):
            key = tuple(map(tuple, own))
            periods.setdefault(first, {}).setdefault(key, set()).add(worker)
            of_first[first] = tuple(map(tuple, times.periods(first)))
    alike = [sets.pop(of_first[first], set()) for first, sets in periods.items()]
    yield times, set().union(*alike)
    while any(periods.values()):
        taken = {first: sets.popitem() for first, sets in periods.items() if sets}
        rows = [
            np.array([np.full(len(begin), first), begin, end])
            for first, ((begin, end), _) in taken.items()
        ]
        chosen = np.concatenate(rows, axis=1)
        found = FocusTimes.of(*chosen, first=times.first, last=times.last)
        yield found, set().union(*(own for _, own in taken.values()))
