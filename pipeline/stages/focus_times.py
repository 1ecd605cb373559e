"""The focus of an analysis as intervals of each location, and times counted within it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tracemill.stages.arrays import Flags, Numbers, Relation, order_by, read_columns


@dataclass(frozen=True)
class FocusTimes:
    """Disjoint intervals of locations within a run from `first` to `last` (ns), in order.

    An interval holds its begin and not its end, unless the run ends there.
    """

    location: Numbers
    begin: Numbers
    end: Numbers
    first: int
    last: int

    @classmethod
    def of(cls, location: Any, begin: Any, end: Any, *, first: int, last: int) -> "FocusTimes":
        """Intervals in any order, which may overlap and reach beyond the run."""
        rows = np.array([location, begin, end], np.int64).reshape(3, -1)
        rows[1:] = rows[1:].clip(first, last)
        rows = rows[:, rows[1] < rows[2]]
        place, start, stop = rows[:, order_by(rows[0], rows[1])]
        span = last - first + 1
        reach = np.maximum.accumulate(place * span + stop - first)
        is_new = np.ones(len(place), np.bool_)
        is_new[1:] = (place * span + start - first)[1:] > reach[:-1]
        begins = np.flatnonzero(is_new)
        if not len(begins):
            return cls(place, start, stop, first, last)
        ends = reach[np.append(begins[1:], len(place)) - 1] - place[begins] * span + first
        return cls(place[begins], start[begins], ends, first, last)

    @property
    def length(self) -> Numbers:
        return self.end - self.begin

    @property
    def hull(self) -> tuple[int, int]:
        """The first begin and the last end."""
        return int(self.begin.min()), int(self.end.max())

    @cached_property
    def locations(self) -> Numbers:
        """The locations with time in the focus."""
        return np.unique(self.location)

    @cached_property
    def _key(self) -> Numbers:
        return self._keys(self.location, self.begin)

    @cached_property
    def before(self) -> Numbers:
        """Time of the location's intervals before each one."""
        sums = np.cumsum(self.length) - self.length
        return sums - sums[np.searchsorted(self.location, self.location)]

    def _keys(self, location: Numbers | int, time: Numbers) -> Numbers:
        keys: Numbers = location * (self.last - self.first + 1) + (
            np.clip(time, self.first, self.last) - self.first
        )
        return keys

    def _find(self, location: Numbers | int, time: Numbers) -> tuple[Numbers, Flags]:
        """The last interval that begins until each time, and whether it exists."""
        row = np.searchsorted(self._key, self._keys(location, time), "right") - 1
        exists = (row >= 0) & (self.location[row] == location) & (time >= self.first)
        return row, exists

    def spent(self, location: Numbers | int, time: Numbers) -> Numbers:
        """The begin of the run plus the time of a location's focus until each time.

        Where the focus is the whole run, these are the times themselves.
        """
        if self._has_one_each and np.all((location >= 0) & (location < len(self.begin))):
            inside = np.minimum(time, self.end[location]) - self.begin[location]
            return np.maximum(inside, 0) + self.first
        row, exists = self._find(location, time)
        inside = np.minimum(time, self.end[row]) - self.begin[row]
        found: Numbers = np.where(exists, self.before[row] + inside, 0) + self.first
        return found

    @cached_property
    def _has_one_each(self) -> bool:
        """True if each location from 0 on has one interval, as those of a whole run."""
        return bool(np.array_equal(self.location, np.arange(len(self.location))))

    def holds(self, location: Numbers | int, time: Numbers) -> Flags:
        """Marks times within the focus of their location."""
        row, exists = self._find(location, time)
        is_last = (time == self.last) & (self.end[row] == self.last)
        found: Flags = exists & ((time < self.end[row]) | is_last)
        return found

    def clip(
        self, location: Numbers | int, begin: Numbers, end: Numbers
    ) -> tuple[Numbers, Numbers]:
        """The first and last moment of the focus within periods that share time with it."""
        at_begin, _ = self._find(location, begin)
        at_end, exists = self._find(location, np.maximum(end - 1, begin))
        is_inside = self.holds(location, begin)
        following = np.minimum(at_begin + 1, len(self.begin) - 1)
        first = np.where(is_inside, begin, np.maximum(self.begin[following], begin))
        return first, np.where(exists, np.minimum(self.end[at_end], end), end)

    def overlaps(self, other: "FocusTimes") -> tuple[Numbers, Numbers]:
        """Rows of own intervals and of those of another focus that they share time with.

        Own intervals may overlap and be in any order.
        """
        first = np.searchsorted(other._keys(other.location, other.end), self._key, "right")
        beyond = np.searchsorted(other._key, self._keys(self.location, self.end), "left")
        counts = np.maximum(beyond - first, 0)
        row = np.repeat(np.arange(len(self.location)), counts)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        return row, first[row] + offset

    def intersect(self, other: "FocusTimes") -> "FocusTimes":
        """Times that are in both."""
        row, partner = self.overlaps(other)
        return FocusTimes.of(
            self.location[row], np.maximum(self.begin[row], other.begin[partner]),
            np.minimum(self.end[row], other.end[partner]), first=self.first, last=self.last,
        )  # fmt: skip

    def is_whole(self, locations: Numbers) -> bool:
        """True if the focus is the whole run on all of these locations."""
        whole = self.location[self.length == self.last - self.first]
        return bool(np.isin(locations, whole).all())

    def periods(self, location: int) -> tuple[Numbers, Numbers]:
        """Begins and ends of the intervals of one location."""
        first, beyond = np.searchsorted(self.location, [location, location + 1])
        return self.begin[first:beyond], self.end[first:beyond]


def read_focus(focus: Relation, *, first: int, last: int) -> FocusTimes:
    """The periods of a relation, in a run from `first` to `last`."""
    return FocusTimes.of(
        *read_columns(focus, "location_id::BIGINT", "begin_ns", "end_ns"), first=first, last=last
    )
