"""Efficiency of runs, and the best run of every configuration of processes and size."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOTHING = -1
_NS_PER_SECOND = 1e9


@dataclass(frozen=True)
class Runs:
    """Runs of one program, one element per run.

    `time_ns` is 0 if unknown, and only valid for measured runs. `setup` numbers further choices,
    such as threads. The first of equally good runs counts.
    """

    processes: Numbers
    size: Values
    setup: Numbers
    time_ns: Numbers
    is_measured: Flags
    is_out_of_memory: Flags


@dataclass(frozen=True)
class Configurations:
    """Every tried configuration, by processes, then size.

    `best` and `failure` are positions among the runs: the best measured run, and the first failed
    one (preferably for lack of memory), or NOTHING. `repetition_count`, `median_ns` and
    `longest_ns` refer to measured runs with the setup of the best one; unknown times are 0.
    """

    processes: Numbers
    size: Values
    best: Numbers
    failure: Numbers
    run_count: Numbers
    failed_count: Numbers
    repetition_count: Numbers
    median_ns: Numbers
    longest_ns: Numbers


def attainable_efficiency(
    runs: Runs, computation_size: Values, attainable_per_second: float
) -> Values:
    """Computation size per second and process over what a process attains; NaN if not measured."""
    seconds = np.where(runs.is_measured, runs.time_ns / _NS_PER_SECOND, np.nan)
    return computation_size / (seconds * runs.processes * attainable_per_second)


def speed_up_efficiency(runs: Runs) -> tuple[Values, Numbers]:
    """Efficiency relative to the reference run of each size, and the reference's processes.

    The reference is the best run with the fewest processes at this size. Efficiency is the speed-up
    divided by the ratio of processes; NaN if not measured. Processes are NOTHING without a
    reference.
    """
    _, group = np.unique(runs.size, return_inverse=True)
    measured = np.flatnonzero(runs.is_measured)
    order = measured[
        np.lexsort((runs.time_ns[measured], runs.processes[measured], group[measured]))
    ]
    sizes, first = np.unique(group[order], return_index=True)
    reference = np.full(len(runs.size), NOTHING)
    reference[sizes] = order[first]
    of_run = reference[group]
    has_reference = (of_run != NOTHING) & runs.is_measured
    faster = runs.time_ns[of_run] / np.where(has_reference, runs.time_ns, 1)
    more = runs.processes / runs.processes[of_run]
    processes = np.where(of_run == NOTHING, NOTHING, runs.processes[of_run])
    return np.where(has_reference, faster / more, np.nan), processes


def reduce_to_best(runs: Runs, efficiency: Values) -> Configurations:
    """The best run of every configuration: highest efficiency, then shortest time."""
    time = np.where(runs.time_ns > 0, runs.time_ns, np.iinfo(np.int64).max)
    order = np.lexsort((time, -efficiency, ~runs.is_measured, runs.size, runs.processes))
    processes, size = runs.processes[order], runs.size[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (processes[1:] != processes[:-1]) | (size[1:] != size[:-1])
    starts = np.flatnonzero(is_first)
    of_run = np.empty(len(order), np.int64)
    of_run[order] = np.cumsum(is_first) - 1
    count = len(starts)
    best = np.where(runs.is_measured[order[starts]], order[starts], NOTHING)
    has_setup_of_best = runs.setup == runs.setup[best[of_run]]
    repetitions = np.flatnonzero(runs.is_measured & has_setup_of_best)
    timed = repetitions[runs.time_ns[repetitions] > 0]
    return Configurations(
        processes=processes[starts],
        size=size[starts],
        best=best,
        failure=_first_failures(runs, of_run, count),
        run_count=np.bincount(of_run[runs.is_measured], minlength=count),
        failed_count=np.bincount(of_run[~runs.is_measured], minlength=count),
        repetition_count=np.bincount(of_run[repetitions], minlength=count),
        median_ns=_medians(runs.time_ns[timed], of_run[timed], count),
        longest_ns=_longest(runs.time_ns[timed], of_run[timed], count),
    )


def _first_failures(runs: Runs, of_run: Numbers, count: int) -> Numbers:
    failed = np.flatnonzero(~runs.is_measured)
    order = failed[np.lexsort((failed, ~runs.is_out_of_memory[failed], of_run[failed]))]
    configurations, first = np.unique(of_run[order], return_index=True)
    failures = np.full(count, NOTHING)
    failures[configurations] = order[first]
    return failures


def _medians(time: Numbers, group: Numbers, count: int) -> Numbers:
    """The median of each group, rounded down; 0 of those without values."""
    order = np.lexsort((time, group))
    counted = np.bincount(group, minlength=count)
    has_any = counted > 0
    start = (np.cumsum(counted) - counted)[has_any]
    middle = counted[has_any]
    ordered = time[order]
    medians = np.zeros(count, np.int64)
    low, high = ordered[start + (middle - 1) // 2], ordered[start + middle // 2]
    medians[has_any] = low + (high - low) // 2
    return medians


def _longest(time: Numbers, group: Numbers, count: int) -> Numbers:
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, group, time)
    return longest
