"""What is known about a simulated program: who waited, its critical path, what would be if."""

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from pipeline.generator.kernels import layout as at
from pipeline.generator.kernels.path_times import add_path_times
from pipeline.generator.program import Program
from pipeline.generator.simulation import Outcome, Rows

_MESSAGE_WAITS = (
    at.LATE_SENDER, at.WRONG_ORDER_SAME, at.WRONG_ORDER_DIFFERENT, at.LATE_RECEIVER,
)  # fmt: skip
_MOVING_WAITS = (
    *_MESSAGE_WAITS, at.BARRIER_WAIT, at.NXN_WAIT, at.LATE_BROADCAST, at.EARLY_REDUCE,
)  # fmt: skip
"""Waits by which the critical path goes on to another process."""


def settle_waits(outcome: Outcome) -> Rows:
    """All waits of a run, in the order of location and visit.

    A call that completes several non-blocking collectives waits for the one it waits longest for,
    of equals for the first; what it waited for messages meanwhile is not counted twice.
    """
    pending = outcome.pending
    order = np.lexsort(
        (
            pending[:, at.PENDING_ORDINAL], pending[:, at.PENDING_COMM], -pending[:, at.WAIT_NS],
            pending[:, at.WAIT_VISIT], pending[:, at.WAIT_LOCATION],
        )
    )  # fmt: skip
    pending = pending[order]
    calls = pending[:, [at.WAIT_LOCATION, at.WAIT_VISIT]]
    is_first = np.ones(len(pending), bool)
    is_first[1:] = (calls[1:] != calls[:-1]).any(axis=1)
    chosen = pending[is_first][:, : at.WAIT_WIDTH]
    waits = np.concatenate([outcome.waits, _without_messages(chosen, outcome.waits)])
    return waits[
        np.lexsort((waits[:, at.WAIT_PROPERTY], waits[:, at.WAIT_VISIT],
                    waits[:, at.WAIT_LOCATION]))
    ]  # fmt: skip


def _without_messages(waits: Rows, others: Rows) -> Rows:
    """What is left of waits when the same calls' waits for messages, which come first, are over."""
    of_messages = others[np.isin(others[:, at.WAIT_PROPERTY], _MESSAGE_WAITS)]
    ends = {
        (row[at.WAIT_LOCATION], row[at.WAIT_VISIT]): row[at.WAIT_START] + row[at.WAIT_NS]
        for row in of_messages
    } if len(waits) else {}  # fmt: skip
    kept = []
    for row in waits.copy():
        until = row[at.WAIT_START] + row[at.WAIT_NS]
        start = max(row[at.WAIT_START], ends.get((row[at.WAIT_LOCATION], row[at.WAIT_VISIT]), 0))
        if until > start:
            row[at.WAIT_START], row[at.WAIT_NS] = start, until - start
            kept.append(row)
    return np.array(kept, np.int64).reshape(-1, at.WAIT_WIDTH)


# --- The critical path ---------------------------------------------------------------------------


@dataclass(frozen=True)
class CriticalPath:
    """Segments as rows (location, begin, end), from the first to the last.

    `waits` are the waits that segments begin with: call path, location, ns.
    """

    segments: Rows
    waits: Rows


def find_critical_path(program: Program, outcome: Outcome, waits: Rows) -> CriticalPath:
    """Walk back from the process that entered MPI_Finalize last, and at waits to their causes."""
    moving = waits[
        np.isin(waits[:, at.WAIT_PROPERTY], _MOVING_WAITS) & (waits[:, at.IS_BEYOND] == 0)
    ]
    places = program.process_count * program.thread_count
    bounds = np.searchsorted(moving[:, at.WAIT_LOCATION], np.arange(places + 1))
    visits = moving[:, at.WAIT_VISIT]
    enters = outcome.last_calls[:, 0]
    last = int(np.argmax(enters))  # of equals the lowest rank
    place = last * program.thread_count
    end, before = (int(value) for value in outcome.last_calls[last])
    segments: list[tuple[int, int, int]] = []
    begins: list[tuple[int, int, int]] = []
    while True:
        low, high = int(bounds[place]), int(bounds[place + 1])
        found = bisect_left(visits, before, low, high) - 1
        if found < low:
            begin = int(outcome.start_ns[place // program.thread_count])
            segments.append((place, begin, end))
            break
        wait = moving[found].tolist()
        segments.append((place, wait[at.WAIT_ENTER], end))
        begins.append((wait[at.WAIT_PATH], place, wait[at.WAIT_NS]))
        place, before = wait[at.CAUSE_LOCATION], wait[at.CAUSE_VISIT]
        end = wait[at.CAUSE_ENTER]
    return CriticalPath(
        np.array(segments[::-1], np.int64), np.array(begins, np.int64).reshape(-1, 3)
    )


class PathTimes:
    """Time of the critical path per call path and location, summed up from event rows."""

    def __init__(self, program: Program, path: CriticalPath) -> None:
        places = program.process_count * program.thread_count
        by_place = path.segments[np.lexsort((path.segments[:, 1], path.segments[:, 0]))]
        self._segments = np.ascontiguousarray(by_place[:, 1:])
        bounds = np.searchsorted(by_place[:, 0], np.arange(places + 1))
        self._bounds = np.stack([bounds[:-1], bounds[1:]]).astype(np.int64)
        self._parents = np.array([each.parent for each in program.paths], np.int64)
        self._current = np.full(places, at.NOBODY, np.int64)
        self._since = np.zeros(places, np.int64)
        self._waits = path.waits
        self._times = np.zeros((len(program.paths), places), np.int64)

    def take(self, events: NDArray[np.int64]) -> None:
        """Add what the path has of visits that end or are interrupted in these rows."""
        add_path_times(
            events, self._parents, self._segments, self._bounds, self._current, self._since,
            self._times,
        )  # fmt: skip

    def result(self) -> NDArray[np.int64]:
        """Time (call path, location) on the path without its waiting."""
        times = self._times.copy()
        np.subtract.at(times, (self._waits[:, 0], self._waits[:, 1]), self._waits[:, 2])
        return times


# --- Files ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """All that is known of a generated program.

    `waits` are rows of layout.WAIT_…; `path_times` (call path, location), None where threads fork.
    """

    program: Program
    outcome: Outcome
    waits: Rows
    path: CriticalPath | None
    path_times: NDArray[np.int64] | None
    summary: Mapping[str, Any]

    @property
    def path_names(self) -> list[str]:
        """Call paths as texts, by number."""
        return [self.program.path_name(number) for number in range(len(self.program.paths))]

    @property
    def first_visits(self) -> NDArray[np.int64]:
        """Number of the first visit of each location, if all are numbered location by location."""
        counts = self.outcome.visit_counts
        return np.concatenate([[0], np.cumsum(counts)[:-1]])

    def wait_states(self) -> pa.Table:
        """Waits by location and visit, with names."""
        waits, names = self.waits, pa.array(self.path_names)
        place, cause = waits[:, at.WAIT_LOCATION], waits[:, at.CAUSE_LOCATION]
        has_visit = waits[:, at.CAUSE_VISIT] >= 0
        cause_visits = self.first_visits[cause] + waits[:, at.CAUSE_VISIT]
        return pa.table(
            {
                "property": pa.array(at.PROPERTIES).take(pa.array(waits[:, at.WAIT_PROPERTY])),
                "call_path": names.take(pa.array(waits[:, at.WAIT_PATH])),
                "location_id": place,
                "visit_id": self.first_visits[place] + waits[:, at.WAIT_VISIT],
                "start_ns": waits[:, at.WAIT_START],
                "wait_ns": waits[:, at.WAIT_NS],
                "cause_location_id": cause,
                "cause_visit_id": pa.array(cause_visits, mask=~has_visit),
                "is_beyond_reference": waits[:, at.IS_BEYOND] != 0,
            }
        )

    def critical_path(self) -> pa.Table:
        """Time of the critical path by call path and location, without zeros."""
        assert self.path_times is not None
        path, place = np.nonzero(self.path_times)
        return pa.table(
            {
                "call_path": pa.array(self.path_names).take(pa.array(path)),
                "location_id": place,
                "path_ns": self.path_times[path, place],
            }
        )

    def write(self, folder: Path) -> None:
        """Write truth.json, and the tables as CSV files beside it."""
        text = json.dumps(self.summary, indent=2)
        (folder / "truth.json").write_text(f"{text}\n", encoding="utf-8")
        pyarrow.csv.write_csv(self.wait_states(), folder / "truth_wait_states.csv")
        if self.path_times is not None:
            pyarrow.csv.write_csv(self.critical_path(), folder / "truth_critical_path.csv")


def total_waits(waits: Rows) -> dict[str, dict[str, int]]:
    """How many waits there are by property, and how long they are together."""
    totals = {}
    for number, name in enumerate(at.PROPERTIES):
        lengths = waits[waits[:, at.WAIT_PROPERTY] == number, at.WAIT_NS]
        if len(lengths):
            totals[name] = {"count": len(lengths), "wait_ns": int(lengths.sum())}
    return totals
