"""The tables of simulated processes, and runs of instructions on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.addressed import addresses_of
from tracemill.kernels.forecast import layout as at
from tracemill.kernels.forecast.machine import DONE, NEEDS_ROOM, run
from tracemill.kernels.forecast.records import hash_again
from tracemill.kernels.network.layout import Network

Numbers = NDArray[np.int64]
_LARGEST = 1 << 62
_FIRST_ROOM = 1 << 10
_MARGIN = 128
"""One step adds a few records, and a task per round: twice the logarithm of the processes."""


@dataclass
class Instructions:
    """A list of instructions for all processes, each with the weight of its results."""

    rows: list[tuple[int, int, int, int, int]]
    weights: list[float]

    def add(
        self, kind: int, thing: int, interval: int, weight: float, *, target: int = 0,
        count: int = 0,
    ) -> None:  # fmt: skip
        """Add an instruction."""
        self.rows.append((kind, thing, interval, target, count))
        self.weights.append(weight)


class Machine:
    """Processes with their clocks, and the channels they use.

    `tables` are the constant tables of layout.Tables by name; `rounds` and
    `most_started` are those of Operations.
    """

    def __init__(
        self, network: Network, tables: dict[str, NDArray[Any]], *, process_count: int,
        interval_count: int, class_count: int, register_count: int, mark_count: int, rounds: int,
        most_started: int, eager_limit_bytes: float, overhead_ns: int,
    ) -> None:  # fmt: skip
        operations = len(tables["operations"])
        self.network = network
        self._processes = process_count
        counters = np.zeros(at.COUNTER_COUNT, np.int64)
        counters[at.LIMIT] = int(min(eager_limit_bytes, _LARGEST))
        counters[at.OVERHEAD] = overhead_ns
        counters[at.MARGIN] = _MARGIN + most_started
        counters[at.FREE_RECORD] = counters[at.FREE_TASK] = at.NOBODY
        width = at.ROUND_TABLE + 2 * max(rounds, 1)
        empty: dict[str, NDArray[Any]] = {
            "counters": counters,
            "code": np.zeros((1, at.INSTRUCTION_WIDTH), np.int64),
            "weights": np.ones(1, np.float64),
            "processes": np.zeros((process_count, at.REGISTER + register_count), np.int64),
            "progress": np.zeros((operations, process_count, 2), np.int64),
            "entered": np.zeros((interval_count, process_count), np.int64),
            "marks": np.zeros((mark_count, process_count), np.int64),
            "sent": np.zeros((operations, process_count * bool(len(tables["pipes"])), 4), np.int64),
            "buckets": np.full(1, at.NOBODY, np.int64),
            "records": np.zeros((0, width), np.int64),
            "tasks": np.zeros((0, at.TASK_WIDTH), np.int64),
            "queue": np.zeros((process_count, at.QUEUE_WIDTH), np.int64),
            "spent": np.zeros((interval_count, process_count, 3), np.float64),
            "classes": np.zeros((interval_count, class_count, 5), np.float64),
            "points": np.zeros((0, at.POINT_WIDTH), np.int64),
            "followers": np.zeros(0, np.int64),
        }
        self.tables = at.Tables(**{**empty, **tables})
        room = max(_FIRST_ROOM, 4 * process_count) + 2 * most_started
        self._enlarge(records=room, tasks=room)

    @property
    def clocks(self) -> Numbers:
        """The present time of each process (ns)."""
        return self.tables.processes[:, at.CLOCK].copy()

    @clocks.setter
    def clocks(self, times: Numbers) -> None:
        self.tables.processes[:, at.CLOCK] = times

    def run(self, instructions: Instructions) -> None:
        """Run instructions on all processes, until all transfers have their channels."""
        if not instructions.rows:
            return
        rows = np.array([*instructions.rows, (at.END, 0, 0, 0, 0)], np.int64)
        weights = np.array([*instructions.weights, 0.0])
        if not self._run(rows, weights, np.zeros(self._processes, np.int64)):
            raise AssertionError("processes wait for each other")

    def run_each(self, code: Numbers, first: Numbers) -> bool:
        """Run the instructions of each process from its first one up to an END.

        Returns False if processes wait for each other.
        """
        return self._run(code, np.ones(len(code)), first)

    def _run(self, code: Numbers, weights: NDArray[np.float64], first: Numbers) -> bool:
        self.tables = self.tables._replace(code=code, weights=weights)
        processes, counters = self.tables.processes, self.tables.counters
        processes[:, at.PC] = first
        order = np.argsort(processes[:, at.CLOCK], kind="stable")
        queue = self.tables.queue[: self._processes]
        queue[:, at.TIME], queue[:, at.ORDER] = processes[order, at.CLOCK], order
        queue[:, at.RECEIVER], queue[:, at.TASK] = 0, at.NOBODY
        queue[:, at.SEQUENCE] = 0
        counters[at.QUEUE_SIZE] = self._processes
        network = addresses_of(self.network)
        while (outcome := run(addresses_of(self.tables), network)) == NEEDS_ROOM:
            self._make_room()
        return int(outcome) == DONE

    def _make_room(self) -> None:
        """Double the tables that are short of rows."""
        counters = self.tables.counters
        records, tasks = len(self.tables.records), len(self.tables.tasks)
        if counters[at.RECORDS_LEFT] < counters[at.MARGIN]:
            records *= 2
        if counters[at.TASKS_LEFT] < counters[at.MARGIN]:
            tasks *= 2
        self._enlarge(records=records, tasks=tasks)

    def _enlarge(self, *, records: int, tasks: int) -> None:
        """Give records and tasks so many rows; new ones are chained as unused."""
        old, counters = self.tables, self.tables.counters
        grown = old.records, old.tasks
        if records > len(old.records):
            rows = _chained(old.records, records, at.NEXT, int(counters[at.FREE_RECORD]))
            counters[at.FREE_RECORD] = len(old.records)
            counters[at.RECORDS_LEFT] += records - len(old.records)
            grown = rows, grown[1]
        if tasks > len(old.tasks):
            rows = _chained(old.tasks, tasks, at.TASK_NEXT, int(counters[at.FREE_TASK]))
            counters[at.FREE_TASK] = len(old.tasks)
            counters[at.TASKS_LEFT] += tasks - len(old.tasks)
            grown = grown[0], rows
        size = self._processes + tasks + len(old.points)
        queue = np.zeros((size, at.QUEUE_WIDTH), np.int64)
        queue[: len(old.queue)] = old.queue
        self.tables = old._replace(records=grown[0], tasks=grown[1], queue=queue)
        if records > len(old.buckets):
            size = 1 << (2 * records).bit_length()
            self.tables = self.tables._replace(buckets=np.full(size, at.NOBODY, np.int64))
            hash_again(addresses_of(self.tables), old.buckets)


def _chained(old: NDArray[Any], count: int, column: int, after: int) -> NDArray[Any]:
    """`old` with more rows, which are a chain of unused ones that ends at `after`."""
    rows = np.zeros((count, old.shape[1]), np.int64)
    rows[: len(old)] = old
    rows[len(old) :, column] = np.arange(len(old) + 1, count + 1)
    rows[-1, column] = after
    return rows
