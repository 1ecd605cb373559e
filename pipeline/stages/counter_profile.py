"""Counters in equal bins of the run, summed over locations."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.counters import COUNTER_PROFILE
from tracemill.stages.arrays import Numbers
from tracemill.stages.counter_steps import Amounts, Floats, Steps, Sums


class Bins(NamedTuple):
    """Equal bins of whole nanoseconds; the last one ends with the run."""

    edges: Numbers

    @classmethod
    def of(cls, begin: int, end: int, count: int) -> "Bins":
        """At most `count` bins; one without duration if the run has none."""
        width = max(-(-(end - begin) // count), 1)
        inner = np.arange(begin, max(end, begin + 1), width)
        return cls(np.append(inner, end))

    def __len__(self) -> int:
        return len(self.edges) - 1


class _Profile(NamedTuple):
    """Sums of a counter in every bin: amount, known time (ns), recorded values and their number."""

    method: str
    amount: Floats
    covered: Numbers
    recorded: NDArray[np.floating[Any]]
    recorded_count: Numbers

    def plus(self, other: "_Profile") -> "_Profile":
        """The sum of two; the less exact method is stated."""
        return _Profile(
            other.method if self.method == "exact" else self.method,
            self.amount + other.amount,
            self.covered + other.covered,
            self.recorded + other.recorded,
            self.recorded_count + other.recorded_count,
        )


@dataclass
class ProfileRows:
    """Sums up counters by bin and part of the system."""

    bins: Bins
    _found: dict[tuple[int, str, int], _Profile] = field(default_factory=dict)

    def add(
        self,
        counter: int,
        scope: tuple[str, int],
        method: str,
        scale: float,
        steps: Steps,
        value: Amounts,
    ) -> None:
        """Add the steps and values of a recording."""
        count = len(self.bins.edges) - 1
        whole, begun, covered = Sums(steps).until(self.bins.edges)
        known = np.diff(covered)
        amount = np.diff(whole) + np.diff(begun) + (steps.offset * known if steps.offset else 0)
        is_in = (steps.time >= self.bins.edges[0]) & (steps.time <= self.bins.edges[-1])
        time, value = steps.time[is_in], value[is_in]
        at = np.clip(np.searchsorted(self.bins.edges, time, "right") - 1, 0, count - 1)
        recorded = np.bincount(at, value.astype(np.float64), minlength=count)
        counted = np.bincount(at, minlength=count)
        added = _Profile(method, amount * scale, known, recorded * scale, counted)
        if (counter, *scope) in self._found:
            added = self._found[counter, *scope].plus(added)
        self._found[counter, *scope] = added

    def as_table(self) -> pa.Table:
        """Rows by bin, counter and part of the system."""
        tables = [self._rows(*key, found) for key, found in self._found.items()]
        if not tables:
            return COUNTER_PROFILE.empty()
        order = [(name, "ascending") for name in ("bin", "counter_id", "scope", "scope_id")]
        return pa.concat_tables(tables).sort_by(order)

    def _rows(self, counter: int, scope: str, number: int, found: _Profile) -> pa.Table:
        bins = np.flatnonzero((found.covered > 0) | (found.amount != 0))
        amount, covered = found.amount[bins], found.covered[bins]
        count = found.recorded_count[bins]
        if found.method == "mean":
            amount = amount / np.maximum(covered, 1)
        return pa.table(
            {
                "bin": bins.astype(np.int32),
                "begin_ns": self.bins.edges[bins],
                "end_ns": self.bins.edges[bins + 1],
                "counter_id": np.full(len(bins), counter, np.int32),
                "scope": pa.array([scope] * len(bins), pa.string()),
                "scope_id": np.full(len(bins), number, np.int32),
                "value": amount,
                "covered_ns": covered,
                "recorded_mean": pa.array(
                    found.recorded[bins] / np.maximum(count, 1), mask=count == 0
                ),
                "method": pa.array([found.method] * len(bins), pa.string()),
            }
        )
