"""The critical path of a simulated program, found from its waits."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.critical_path import add_path_times, walk_steps
from tracemill.programs.program import Program
from tracemill.programs.simulation import Rows, Simulated

_MOVING_WAITS = (
    at.LATE_SENDER, at.WRONG_ORDER_SAME, at.WRONG_ORDER_DIFFERENT, at.LATE_RECEIVER,
    at.BARRIER_WAIT, at.NXN_WAIT, at.LATE_BROADCAST, at.EARLY_REDUCE, at.EXPLICIT_BARRIER_WAIT,
    at.IMPLICIT_BARRIER_WAIT,
)  # fmt: skip
"""Waits, besides forks, at which the critical path changes its location."""
_STEP_COLUMNS = (
    at.WAIT_VISIT, at.WAIT_ENTER, at.WAIT_PATH, at.WAIT_NS, at.CAUSE_LOCATION, at.CAUSE_VISIT,
    at.CAUSE_ENTER,
)  # fmt: skip
"""Columns of waits that become the columns of steps."""
_SEGMENT_ROWS = 1 << 14


class Steps:
    """Waits at which the critical path can change its location, by location and visit.

    They are in a memory-mapped file.
    """

    def __init__(self, program: Program, folder: Path) -> None:
        self._threads = program.thread_count
        self._file = folder / "steps"
        self._counts = np.zeros(program.process_count * program.thread_count, np.int64)

    def take(self, waits: Rows) -> None:
        """Add settled waits, sorted by location and visit."""
        chosen = self._chosen(waits)
        places = chosen[:, at.WAIT_LOCATION]
        self._counts += np.bincount(places, minlength=len(self._counts))
        is_fork = chosen[:, at.WAIT_PROPERTY] == at.FORK_TIME
        steps = chosen[:, list(_STEP_COLUMNS)]
        steps[is_fork, at.STEP_BEGIN] = chosen[is_fork, at.WAIT_START]
        steps[is_fork, at.STEP_WAIT_NS] = 0
        with self._file.open("ab") as file:
            steps.tofile(file)

    def walk(self, outcome: Simulated) -> Rows:
        """Segments of the path, from the first to the last: rows of layout.SEGMENT_….

        The path ends at the process that entered MPI_Finalize last (lowest rank of equals), and
        goes from waits to their causes.
        """
        bounds = np.concatenate([[0], np.cumsum(self._counts)])
        starts = np.repeat(outcome.start_ns, self._threads)
        last = int(np.argmax(outcome.last_calls[:, 0]))
        enter, visit = outcome.last_calls[last]
        place = np.array([last * self._threads, visit, enter], np.int64)
        parts, steps = [], self._all(int(bounds[-1]))
        while True:
            part = np.empty((_SEGMENT_ROWS, at.SEGMENT_WIDTH), np.int64)
            count = walk_steps(steps, bounds, starts, place, part)
            parts.append(part[:count])
            if part[count - 1, at.SEGMENT_PATH] == at.NOBODY:
                return np.concatenate(parts)[::-1]

    def _chosen(self, waits: Rows) -> Rows:
        property_ = waits[:, at.WAIT_PROPERTY]
        is_worker = waits[:, at.WAIT_LOCATION] % self._threads > 0
        is_moving = np.isin(property_, _MOVING_WAITS) | ((property_ == at.FORK_TIME) & is_worker)
        return waits[is_moving & (waits[:, at.IS_BEYOND] == 0)]

    def _all(self, count: int) -> Rows:
        if not count:
            return np.empty((0, at.STEP_WIDTH), np.int64)
        return np.memmap(self._file, np.int64, "c", shape=(count, at.STEP_WIDTH)).view(np.ndarray)


class PathTimes:
    """Time of the critical path by call path and location, from event rows."""

    def __init__(self, program: Program, segments: Rows) -> None:
        places = program.process_count * program.thread_count
        self._segments = segments[np.argsort(segments[:, at.SEGMENT_LOCATION], kind="stable")]
        bounds = np.searchsorted(self._segments[:, at.SEGMENT_LOCATION], np.arange(places + 1))
        self._bounds = np.stack([bounds[:-1], bounds[1:]]).astype(np.int64)
        self._parents = np.array([each.parent for each in program.paths], np.int64)
        roles = [program.regions[each.region].role for each in program.paths]
        self._is_team = np.array([role == "parallel" for role in roles])
        self._current = np.full(places, at.NOBODY, np.int64)
        self._since = np.zeros(places, np.int64)
        self._times = np.zeros((len(program.paths), places), np.int64)

    def take(self, events: Rows) -> None:
        """Add the time on the path of visits in these rows."""
        add_path_times(
            events, self._parents, self._is_team, self._segments, self._bounds, self._current,
            self._since, self._times,
        )  # fmt: skip

    def result(self) -> NDArray[np.int64]:
        """Time on the path without waiting: (call path, location), ns."""
        times, waits = self._times.copy(), self._segments
        waits = waits[waits[:, at.SEGMENT_PATH] != at.NOBODY]
        places = waits[:, at.SEGMENT_PATH], waits[:, at.SEGMENT_LOCATION]
        np.subtract.at(times, places, waits[:, at.SEGMENT_WAIT_NS])
        return times
