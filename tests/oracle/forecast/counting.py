"""Results of a simulation: intervals, classes of operations, levels."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from tests.oracle.forecast.running import Execution
from tracemill.forecast.outcome import ClassOutcome, IntervalOutcome


def whole(value: Fraction) -> int:
    """A number rounded once, at the end."""
    return floor(value + Fraction(1, 2))


def _zero() -> Fraction:
    return Fraction(0)


@dataclass
class Interval:
    """An interval, and times of each process in it (ns)."""

    path: str
    parent: int | None
    own: defaultdict[int, Fraction] = field(default_factory=lambda: defaultdict(_zero))
    productive: defaultdict[int, Fraction] = field(default_factory=lambda: defaultdict(_zero))
    insufficient: defaultdict[int, Fraction] = field(default_factory=lambda: defaultdict(_zero))


class Counts:
    """Times and operations of the intervals of a program."""

    def __init__(self, process_count: int) -> None:
        self.process_count = process_count
        self.intervals = [Interval("program", None)]
        self.names: Counter[tuple[int, str]] = Counter()
        self.executions: list[Execution] = []
        self.entered: dict[tuple[int, int], int] = {}

    def add_interval(self, name: str, parent: int) -> int:
        """Number of a new interval."""
        self.names[parent, name] += 1
        again = self.names[parent, name]
        path = f"{self.intervals[parent].path}/{name}" + (f" {again}" if again > 1 else "")
        self.intervals.append(Interval(path, parent))
        return len(self.intervals) - 1

    def chain(self, interval: int) -> tuple[int, ...]:
        """An interval and all that enclose it."""
        found = [interval]
        while (parent := self.intervals[found[-1]].parent) is not None:
            found.append(parent)
        return tuple(found)

    def compute(
        self, intervals: tuple[int, ...], rank: int, time: int, weight: Fraction, *, is_first: bool
    ) -> None:
        """Counts computing of a process."""
        for number in intervals:
            interval = self.intervals[number]
            times = interval.productive if is_first else interval.insufficient
            times[rank] += weight * time

    def outcomes(self) -> tuple[IntervalOutcome, ...]:
        """All intervals, parents first."""
        return tuple(self._outcome(number) for number in range(len(self.intervals)))

    def _outcome(self, number: int) -> IntervalOutcome:
        interval = self.intervals[number]
        own = self._rounded(interval.own)
        productive = self._rounded(interval.productive)
        insufficient = self._rounded(interval.insufficient)
        by_kind = defaultdict(list)
        for execution in self.executions:
            if number in execution.intervals and execution.participants:
                by_kind[execution.kind].append(execution)
        return IntervalOutcome(
            path=interval.path,
            parent=interval.parent,
            own_ns=own,
            productive_ns=productive,
            insufficient_ns=insufficient,
            communication_ns=own - productive - insufficient,
            classes={kind: sum_class(each) for kind, each in sorted(by_kind.items())},
        )

    def _rounded(self, times: dict[int, Fraction]) -> NDArray[np.int64]:
        return np.array([whole(times[rank]) for rank in range(self.process_count)], np.int64)


def sum_class(executions: list[Execution]) -> ClassOutcome:
    """Operations of one class."""
    count = time = overlap = before = after = Fraction(0)
    for each in executions:
        times, weight = each.times, each.weight
        count += weight
        time += weight * sum(times.communication.values())
        overlap += weight * sum(times.overlap.values())
        before += weight * sum(max(times.starts.values()) - t for t in times.starts.values())
        after += weight * sum(max(times.leaves.values()) - t for t in times.leaves.values())
    return ClassOutcome(float(count), whole(time), whole(overlap), whole(before), whole(after))
