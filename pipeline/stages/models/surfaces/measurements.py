"""Times of an application over processes and problem sizes, sorted, in seconds."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


_LARGEST = 1e60


class UndeterminedError(Exception):
    """Measurements or declarations are not sufficient; the message has the reason, for readers."""


@dataclass(frozen=True)
class Measurements:
    """Runs by size, processes and time; make them with `measurements`.

    A configuration is a size with a number of processes; its runs are repetitions. `parts` has a
    row of seconds per run, which sum to its time: parts of its critical path, if they are known.
    """

    processes: Floats
    sizes: Floats
    times: Floats
    parts: Floats | None = None

    @cached_property
    def process_counts(self) -> Floats:
        return np.unique(self.processes)

    @cached_property
    def distinct_sizes(self) -> Floats:
        return np.unique(self.sizes)

    @cached_property
    def configuration(self) -> Numbers:
        """Number of each run's configuration, from 0, by size, then processes."""
        is_new = np.ones(len(self.times), np.bool_)
        is_new[1:] = (np.diff(self.sizes) != 0) | (np.diff(self.processes) != 0)
        return np.cumsum(is_new) - 1

    @cached_property
    def firsts(self) -> Numbers:
        """The first, and so shortest, run of every configuration."""
        return np.flatnonzero(np.diff(self.configuration, prepend=-1))

    @cached_property
    def noise(self) -> float | None:
        """The relative standard deviation of repetitions, over all configurations."""
        count = np.diff(self.firsts, append=len(self.times))
        mean = self.mean_by_configuration(self.times)[self.configuration]
        freedom = int((count - 1).sum())
        squares = float(np.square(self.times / mean - 1).sum())
        return math.sqrt(squares / freedom) if freedom else None

    def keep(self, is_kept: Flags) -> "Measurements":
        """Only some of the runs."""
        parts = None if self.parts is None else self.parts[is_kept]
        return Measurements(
            self.processes[is_kept], self.sizes[is_kept], self.times[is_kept], parts
        )

    def reduce(self, times: Floats) -> "Measurements":
        """One run per configuration, with these times."""
        return Measurements(self.processes[self.firsts], self.sizes[self.firsts], times)

    def shortest(self) -> "Measurements":
        """The shortest run of every configuration."""
        return self.reduce(self.times[self.firsts])

    def medians(self) -> "Measurements":
        """The median over the repetitions of every configuration."""
        counts = np.diff(self.firsts, append=len(self.times))
        lower = self.times[self.firsts + (counts - 1) // 2]
        upper = self.times[self.firsts + counts // 2]
        return self.reduce((lower + upper) / 2)

    def median_parts(self) -> Floats:
        """A row of medians over repetitions for every configuration."""
        assert self.parts is not None
        parts = np.split(self.parts, self.firsts[1:])
        return np.array([np.median(each, axis=0) for each in parts])

    def mean_by_configuration(self, values: Floats) -> Floats:
        """The mean of a value of each run over the repetitions of every configuration."""
        return np.add.reduceat(values, self.firsts) / np.diff(self.firsts, append=len(values))


def measurements(
    processes: Floats, sizes: Floats, times: Floats, parts: Floats | None = None
) -> Measurements:
    """Runs from arrays in any order; runs without a positive time are left out.

    Raises UndeterminedError if none is left, or if sizes or processes are not positive or too large
    for their powers.
    """
    is_timed = np.isfinite(times) & (times > 0)
    if not is_timed.any():
        raise UndeterminedError("no measured run has a time above 0")
    chosen = [np.asarray(each, np.float64)[is_timed] for each in (processes, sizes, times)]
    if not all(((each > 0) & (each < _LARGEST)).all() for each in chosen[:2]):
        raise UndeterminedError(
            f"a run has a size or a number of processes that is not between 0 and {_LARGEST:g}"
        )
    order = np.lexsort((chosen[2], chosen[0], chosen[1]))
    p, n, seconds = (each[order] for each in chosen)
    return Measurements(p, n, seconds, None if parts is None else parts[is_timed][order])


def scatter(count: int) -> Numbers:
    """The numbers below `count` in a fixed order without pattern."""
    mixed = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return np.argsort(mixed, kind="stable")
