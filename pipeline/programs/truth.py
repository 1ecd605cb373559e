"""Files of true results of a simulated program: waits, critical path and sums."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from tracemill.kernels.simulation import layout as at
from tracemill.programs.program import Program
from tracemill.programs.simulation import Rows, Simulated

_WAITS, _PROFILE, _SEGMENTS = (
    f"truth_{name}.csv" for name in ("wait_states", "critical_path", "critical_path_segments")
)
_BLOCK_ROWS = 1 << 16


class WaitFile:
    """Writes truth_wait_states.csv in blocks, and sums up the waits."""

    def __init__(self, folder: Path, program: Program, outcome: Simulated) -> None:
        self._path, self._names = folder / _WAITS, pa.array(_path_names(program))
        counts = outcome.visit_counts
        self._first_visits = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self._counts, self._sums = (np.zeros(len(at.PROPERTIES), np.int64) for _ in range(2))

    def __enter__(self) -> Self:
        none = self._table(np.empty((0, at.WAIT_WIDTH), np.int64))
        self._writer = pyarrow.csv.CSVWriter(self._path, none.schema)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._writer.close()

    def take(self, waits: Rows) -> None:
        """Write settled waits, sorted by location and visit."""
        for first in range(0, len(waits), _BLOCK_ROWS):
            self._writer.write(self._table(waits[first : first + _BLOCK_ROWS]))
        property_ = waits[:, at.WAIT_PROPERTY]
        self._counts += np.bincount(property_, minlength=len(self._counts))
        np.add.at(self._sums, property_, waits[:, at.WAIT_NS])

    def totals(self) -> dict[str, dict[str, int]]:
        """Number of waits and their sum (ns), by property."""
        rows = zip(at.PROPERTIES, self._counts.tolist(), self._sums.tolist(), strict=True)
        return {name: {"count": count, "wait_ns": ns} for name, count, ns in rows if count}

    def _table(self, waits: Rows) -> pa.Table:
        """The table of waits; visits are numbered location by location."""
        place, cause = waits[:, at.WAIT_LOCATION], waits[:, at.CAUSE_LOCATION]
        return pa.table(
            {
                "property": pa.array(at.PROPERTIES).take(pa.array(waits[:, at.WAIT_PROPERTY])),
                "call_path": self._names.take(pa.array(waits[:, at.WAIT_PATH])),
                "location_id": place,
                "visit_id": self._first_visits[place] + waits[:, at.WAIT_VISIT],
                "start_ns": waits[:, at.WAIT_START],
                "wait_ns": waits[:, at.WAIT_NS],
                "cause_location_id": cause,
                "cause_visit_id": self._first_visits[cause] + waits[:, at.CAUSE_VISIT],
                "is_extended": waits[:, at.IS_BEYOND] != 0,
            }
        )


def write_critical_path(
    folder: Path, program: Program, segments: Rows, times: NDArray[np.int64]
) -> None:
    """Write the segments of the path, and its time by call path and location."""
    path, place = np.nonzero(times)
    profile = {
        "call_path": pa.array(_path_names(program)).take(pa.array(path)),
        "location_id": place,
        "path_ns": times[path, place],
    }
    pyarrow.csv.write_csv(pa.table(profile), folder / _PROFILE)
    columns = {
        "location_id": at.SEGMENT_LOCATION, "begin_ns": at.SEGMENT_BEGIN,
        "end_ns": at.SEGMENT_END, "wait_ns": at.SEGMENT_WAIT_NS,
    }  # fmt: skip
    chain = {name: segments[:, column] for name, column in columns.items()}
    pyarrow.csv.write_csv(pa.table(chain), folder / _SEGMENTS)


def write_summary(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write truth.json."""
    text = json.dumps(summary, indent=2)
    (folder / "truth.json").write_text(f"{text}\n", encoding="utf-8")


def _path_names(program: Program) -> list[str]:
    """Names of call paths, by number."""
    return [program.path_name(number) for number in range(len(program.paths))]
