"""Times and bytes of iterations: intervals and events summed between boundaries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tracemill.stages.arrays import Flags, Numbers, Relation, walk_back

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows

_BATCH_ROWS = 1 << 18
_FIRST, _OTHERS, _NOTHING = range(3)


@dataclass(frozen=True)
class Boundaries:
    """Boundaries between the iterations of every process, a row per process, ascending; in ns.

    `process_of` is the row of each location, and -1 of those without one.
    """

    times: Numbers
    process_of: Numbers

    def sum_intervals(
        self, intervals: Relation, begin: str, end: str, weight: str = "1"
    ) -> Numbers:
        """The time of weighted intervals in every iteration (columns) of every process (rows).

        Expressions are those of columns; rows are read in batches.
        """
        count = np.zeros(self.times.size + len(self.times), np.int64)
        moment = count.copy()
        for location, starts, stops, weights in self._read(intervals, begin, end, weight):
            for times, sign in ((starts, 1), (stops, -1)):
                place = self._find(location, times)
                np.add.at(count, place, sign * weights)
                np.add.at(moment, place, sign * weights * times)
        shape = len(self.times), -1
        counts, moments = (each.reshape(shape).cumsum(axis=1)[:, :-1] for each in (count, moment))
        # Wrong sums of moments beyond 64 bits do not matter: differences of both are right.
        return np.diff(self.times * counts - moments, axis=1)

    def sum_events(self, events: Relation, time: str, value: str) -> Numbers:
        """The sum of the values of events in every iteration of every process."""
        total = np.zeros(self.times.size + len(self.times), np.int64)
        for location, times, values in self._read(events, time, value):
            np.add.at(total, self._find(location, times + 1), values)
        return total.reshape(len(self.times), -1)[:, 1:-1]

    def sum_visits(
        self, visits: "StoredRows", is_counted: Flags, is_first: Flags
    ) -> tuple[Numbers, Numbers]:
        """The exclusive time of visits in every iteration of every process.

        The second result is that of locations that are not `is_first`. `is_counted` has a row per
        call path: whether its time counts, and whether that of its caller does.
        """
        from tracemill.kernels.interval_times import IntervalTimes

        times = [IntervalTimes(edges, _NOTHING + 1) for edges in self.times]
        rows = [np.where(is_counted, own, _NOTHING).astype(np.int32) for own in (_FIRST, _OTHERS)]
        columns = ("parent_visit_id", "call_path_id", "enter_ns", "leave_ns")
        for location, (parent, path, enter, leave) in walk_back(visits, *columns):
            if self.process_of[location] < 0:
                continue
            add, own = times[self.process_of[location]].add, rows[0 if is_first[location] else 1]
            add(path, own, enter, leave)
            # Visits without a calling visit on the location take no time from a caller.
            roots = np.flatnonzero(np.isnan(parent))
            if len(roots):
                callers = np.stack([own[path[roots], 1], np.full(len(roots), _NOTHING)], axis=1)
                key = np.arange(len(roots), dtype=np.int32)
                add(key, callers.astype(np.int32), enter[roots], leave[roots])
        found = np.stack([each.times() for each in times])
        return found[:, :, _FIRST], found[:, :, _OTHERS]

    def _read(self, rows: Relation, *expressions: str) -> Iterator[list[Numbers]]:
        """Columns in batches, of the locations of processes alone; the first is the location."""
        names = ("location_id", *expressions)
        wanted = rows.select(", ".join(f"({each})::BIGINT" for each in names))
        for batch in wanted.to_arrow_reader(_BATCH_ROWS):
            columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
            is_known = self.process_of[columns[0]] >= 0
            yield [column[is_known] for column in columns]

    def _find(self, location: Numbers, times: Numbers) -> Numbers:
        """The first boundary at or after a time, as a place among those of all processes.

        Each process has one place more, for times after its last boundary.
        """
        return find_boundaries(self.times, self.process_of[location], times)


def find_boundaries(boundaries: Numbers, process: Numbers, times: Numbers) -> Numbers:
    """The first boundary of the process at or after a time; processes have one place more."""
    origin = int(boundaries.min(initial=0))
    stride = int(boundaries.max(initial=0)) - origin + 2
    rows = np.arange(len(boundaries))[:, None]
    keys = (boundaries - origin + 1 + rows * stride).ravel()
    wanted = (times - origin + 1).clip(0, stride - 1)
    last = times > boundaries[process, -1]
    found = np.searchsorted(keys, wanted + process * stride)
    return np.where(last, (process + 1) * boundaries.shape[1], found) + process
