"""Intervals between records of a location: pauses of the measurement, work in teams."""

import numpy as np
import pyarrow as pa

from tracemill.kernels import records as kinds
from tracemill.kernels.walk_state import RecordRows

_MEASUREMENT_ON = 1
_GAP_KINDS = pa.array(("buffer_flush", "measurement_off"), pa.string())


class GapRows:
    """Collects the pauses of the measurement of a location."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._off: tuple[int, int, int] | None = None

    def add(self, rows: RecordRows) -> None:
        is_gap = (rows.kind == kinds.BUFFER_FLUSH) | (rows.kind == kinds.MEASUREMENT_ON_OFF)
        for row in np.flatnonzero(is_gap):
            place, time = (int(rows.sequence[row]), int(rows.node[row])), int(rows.time[row])
            if rows.kind[row] == kinds.BUFFER_FLUSH:
                self._rows.append((*place, 0, time, int(rows.begin[row])))
            elif rows.arguments[row, 0] != _MEASUREMENT_ON:
                self._off = self._off or (*place, time)
            elif self._off:
                self._rows.append((*self._off[:2], 1, self._off[2], time))
                self._off = None

    def table(self, location: int, last_ns: int) -> pa.Table:
        """The pauses; one without end ends with the location's last record."""
        found = self._rows + ([(*self._off[:2], 1, self._off[2], last_ns)] if self._off else [])
        columns = np.array(found, np.int64).reshape(-1, 5).T
        kind = pa.DictionaryArray.from_arrays(pa.array(columns[2].astype(np.int8)), _GAP_KINDS)
        return pa.table(
            {
                "location_id": np.full(len(found), location, np.int32),
                "sequence": columns[0],
                "call_path_id": pa.array(columns[1].astype(np.int32), mask=columns[1] < 0),
                "kind": kind,
                "begin_ns": columns[3],
                "end_ns": columns[4],
            }
        )


class TeamMemberRows:
    """Pairs begin and end of a location's work in teams.

    `unforked` counts the work in teams without a fork.
    """

    def __init__(self, team_count: int) -> None:
        self._open: list[tuple[int, int]] = []
        self._rows: list[tuple[int, int, int]] = []
        self._is_written = np.zeros(team_count, np.bool_)
        self.unforked = 0

    def add(self, rows: RecordRows) -> None:
        is_team = (rows.kind == kinds.TEAM_BEGIN) | (rows.kind == kinds.TEAM_END)
        for row in np.flatnonzero(is_team):
            team, time = int(rows.begin[row]), int(rows.time[row])
            if rows.kind[row] == kinds.TEAM_BEGIN:
                self._open.append((team, time))
            elif self._open:
                begun, begin = self._open.pop()
                self._rows.append((begun, begin, time))

    def drain(self, location: int, last_ns: int | None = None) -> pa.Table:
        """The pairs since the last call; with `last_ns`, also those whose end is missing.

        A team has one row, also if a damaged trace returns to it.
        """
        if last_ns is not None:
            self._rows += [(team, begin, last_ns) for team, begin in self._open]
        spans: dict[int, tuple[int, int]] = {}
        for team, begin, end in self._rows:
            if team < 0:
                self.unforked += 1
            elif not self._is_written[team]:
                first, last = spans.get(team, (begin, end))
                spans[team] = min(first, begin), max(last, end)
        found = sorted((team, *span) for team, span in spans.items())
        self._is_written[list(spans)] = True
        self._rows = []
        columns = np.array(found, np.int64).reshape(-1, 3).T
        return pa.table(
            {
                "thread_team_id": columns[0],
                "location_id": np.full(len(found), location, np.int32),
                "begin_ns": columns[1],
                "end_ns": columns[2],
            }
        )
