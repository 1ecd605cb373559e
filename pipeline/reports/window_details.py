"""Visits, waits, messages and collectives in windows of a run: the longest, if there are too many.

If a run has few, they are read once. Otherwise a query for each window skips parts of a table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.reports.material import Material
from tracemill.reports.tables import Columns, largest_of, rows_at
from tracemill.reports.windows import Window

FEW_ROWS = 1_000_000
MOST_WINDOWS = 6
"""Windows that are chosen, and whose visits are read at once; more are read one by one."""
COLLECTIVES = "window_collectives"
VISITS = "timeline_visits"

Ints = NDArray[np.int64]
Span = tuple[NDArray[Any], NDArray[Any]]
"""Begins and ends."""


@dataclass(frozen=True)
class _Kind:
    """The table of a kind of details, the query for a run of few, and what their columns mean.

    Of the same length, those with the smallest `number` count. A window shows them in the order of
    `sorted_by`.
    """

    table: str
    query: str
    number: str
    sorted_by: tuple[str, ...]
    span: Callable[[Columns], Span]


def _span_of_message(rows: Columns) -> Span:
    """Clocks may disagree."""
    return (
        np.minimum(rows["send_ns"], rows["receive_ns"]),
        np.maximum(rows["send_ns"], rows["receive_ns"]),
    )


_KINDS: Mapping[str, _Kind] = {
    "window_visits": _Kind(
        "visits",
        VISITS,
        "visit_id",
        ("visit_id",),
        lambda rows: (rows["enter_ns"], rows["leave_ns"]),
    ),
    "window_waits": _Kind(
        "wait_states",
        "timeline_waits",
        "visit_id",
        ("start_ns", "visit_id", "finding_number"),
        lambda rows: (rows["start_ns"], rows["start_ns"] + rows["wait_ns"]),
    ),
    "window_messages": _Kind(
        "messages", "timeline_messages", "message_id", ("send_ns", "message_id"), _span_of_message
    ),
}


@dataclass(frozen=True)
class WindowDetails:
    """The details of the windows of a run."""

    material: Material
    run: Window
    windows: tuple[Window, ...]
    _read: dict[str, Columns] = field(default_factory=dict)

    def longest(self, query: str, window: Window, most: int) -> tuple[Columns, bool]:
        """Up to `most` details that overlap a window, and whether it has more of them.

        Visits are those of one of the `windows`.
        """
        kind = _KINDS[query]
        is_of_visits = kind.query == VISITS
        has_many = self.material.row_count(kind.table) > FEW_ROWS
        if has_many or (is_of_visits and len(self.windows) > MOST_WINDOWS):
            found = self.material.arrays(query, **values_of(window, most + 1))
        else:
            found = self._visits if is_of_visits else self._all(kind.query)
        begin, end = kind.span(found)
        places = _overlapping((begin, end), window)
        lengths = end[places] - begin[places]
        # Waits of a visit that are equally long come in the order of the table.
        kept = places[largest_of(lengths, found[kind.number][places], most)]
        order = np.lexsort([found[name][kept] for name in reversed(kind.sorted_by)])
        return rows_at(found, kept[order]), places.size > most

    def collectives(self, window: Window, most: int) -> tuple[Columns, bool]:
        """Members of the longest instances, up to `most` or one instance, and whether more are.

        Instances are complete or not there at all, with the number of all members; in a focus,
        they may be fewer without a cut.
        """
        if self.material.row_count("collective_members") <= most:
            found = self._all(COLLECTIVES, **values_of(self.run, FEW_ROWS))
            places = _overlapping((found["first_ns"], found["last_ns"]), window)
            return rows_at(found, places), False
        found = self.material.arrays(COLLECTIVES, **values_of(window, most))
        members = int(found["member_count"].max(initial=0))
        return found, members > most and found["member_count"].size < members

    @cached_property
    def _visits(self) -> Columns:
        """The visits in any of the windows."""
        return self.material.arrays(
            VISITS,
            begins_ns=[each.begin_ns for each in self.windows],
            ends_ns=[each.end_ns for each in self.windows],
        )

    def _all(self, query: str, **values: int) -> Columns:
        if query not in self._read:
            self._read[query] = self.material.arrays(query, **values)
        return self._read[query]


def values_of(window: Window, row_limit: int) -> dict[str, int]:
    """The values of parameters of a query for a window."""
    return {
        "window_begin_ns": window.begin_ns,
        "window_end_ns": window.end_ns,
        "row_limit": row_limit,
    }


def _overlapping(span: Span, window: Window) -> Ints:
    """Places of what overlaps a window."""
    begin, end = span
    return np.flatnonzero((begin < window.end_ns) & (end > window.begin_ns))
