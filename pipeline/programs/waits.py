"""The waits of a simulated program in order, even if they do not fit into memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.simulation import layout as at
from tracemill.programs.simulation import Rows

_MESSAGE_WAITS = (at.LATE_SENDER, at.WRONG_ORDER_SAME, at.WRONG_ORDER_DIFFERENT, at.LATE_RECEIVER)
_GROUPS, _VISIT_BITS, _KEPT_ROWS = 256, 16, 1 << 16


class Waits:
    """Takes waits in the order of the simulation, and returns them settled and sorted.

    Many waits go to files in `folder`, one per group of locations or range of visits of a location,
    so that each file can be sorted in memory.
    """

    def __init__(self, place_count: int, folder: Path) -> None:
        self._folder = folder
        self._places_per_group = -(-place_count // _GROUPS)
        self._kept: list[Rows] = []
        self._kept_count = 0
        self._files: set[int] = set()

    def take(self, rows: Rows) -> None:
        """Take rows of layout.WAIT_…; they are copied."""
        self._kept.append(rows.copy())
        self._kept_count += len(rows)
        if self._kept_count > _KEPT_ROWS:
            self._put_away()

    def blocks(self) -> Iterator[Rows]:
        """All waits, sorted by location, visit and property, in blocks."""
        if not self._files:
            none = np.empty((0, at.WAIT_WIDTH), np.int64)
            yield settle_waits(np.concatenate([none, *self._kept]))
            return
        if self._kept:
            self._put_away()
        for number in sorted(self._files):
            file = self._file(number)
            yield settle_waits(np.fromfile(file, np.int64).reshape(-1, at.WAIT_WIDTH))
            file.unlink()

    def _put_away(self) -> None:
        rows = np.concatenate(self._kept)
        numbers = self._file_numbers(rows)
        order = np.argsort(numbers, kind="stable")
        present, begins = np.unique(numbers[order], return_index=True)
        for number, part in zip(present.tolist(), np.split(rows[order], begins[1:]), strict=True):
            with self._file(number).open("ab") as file:
                part.tofile(file)
            self._files.add(number)
        self._kept, self._kept_count = [], 0

    def _file(self, number: int) -> Path:
        return self._folder / f"waits_{number}"

    def _file_numbers(self, rows: Rows) -> NDArray[np.int64]:
        """Number of the file of each row; files are in the order of location and visit."""
        groups = rows[:, at.WAIT_LOCATION] // self._places_per_group
        if self._places_per_group > 1:
            return groups
        return (groups << 40) + (rows[:, at.WAIT_VISIT] >> _VISIT_BITS)


def settle_waits(rows: Rows) -> Rows:
    """The waits of calls, sorted by location, visit and property, from rows of all roles.

    A mark changes the property of a late sender. A call that completes several non-blocking
    collectives has only its longest wait, the first of equals, minus its waits for messages.
    """
    role = rows[:, at.WAIT_ROLE]
    certain, marks = rows[role == at.CERTAIN], rows[role == at.MARK]
    senders = np.flatnonzero(certain[:, at.WAIT_PROPERTY] == at.LATE_SENDER)
    marked, found = _find(marks, certain[senders])
    certain[senders[marked], at.WAIT_PROPERTY] = marks[found, at.WAIT_PROPERTY]
    chosen = _longest(rows[role == at.CANDIDATE])
    waits = np.concatenate([certain, _without_messages(chosen, certain)])
    return waits[
        np.lexsort((waits[:, at.WAIT_PROPERTY], waits[:, at.WAIT_VISIT],
                    waits[:, at.WAIT_LOCATION]))
    ]  # fmt: skip


def _longest(candidates: Rows) -> Rows:
    """The longest wait of each call; the first collective of equals."""
    order = np.lexsort(
        (
            candidates[:, at.WAIT_ORDINAL], candidates[:, at.WAIT_COMM],
            -candidates[:, at.WAIT_NS], candidates[:, at.WAIT_VISIT],
            candidates[:, at.WAIT_LOCATION],
        )
    )  # fmt: skip
    candidates = candidates[order]
    calls = candidates[:, [at.WAIT_LOCATION, at.WAIT_VISIT]]
    is_first = np.ones(len(candidates), bool)
    is_first[1:] = (calls[1:] != calls[:-1]).any(axis=1)
    return candidates[is_first]


def _without_messages(waits: Rows, others: Rows) -> Rows:
    """Waits minus the waits for messages of the same calls, which come first."""
    of_messages = others[np.isin(others[:, at.WAIT_PROPERTY], _MESSAGE_WAITS)]
    until = waits[:, at.WAIT_START] + waits[:, at.WAIT_NS]
    also, found = _find(of_messages, waits)
    ends = of_messages[found, at.WAIT_START] + of_messages[found, at.WAIT_NS]
    waits[also, at.WAIT_START] = np.maximum(waits[also, at.WAIT_START], ends)
    waits[:, at.WAIT_NS] = until - waits[:, at.WAIT_START]
    return waits[waits[:, at.WAIT_NS] > 0]


def _find(rows: Rows, wanted: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions in `wanted` and in `rows` of common calls; each call occurs once in both."""
    keys, wanted_keys = _calls(rows), _calls(wanted)
    _, of_rows, of_wanted = np.intersect1d(keys, wanted_keys, return_indices=True)
    return of_wanted, of_rows


def _calls(rows: Rows) -> NDArray[np.int64]:
    return (rows[:, at.WAIT_LOCATION] << 40) + rows[:, at.WAIT_VISIT]
