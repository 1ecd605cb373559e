"""Sums of the file accesses of a simulated program, from its event rows."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from tracemill.kernels.simulation import layout as at
from tracemill.programs.program import Program
from tracemill.programs.simulation import Rows

_FILE = "truth_file_accesses.csv"
_MODES = ("read", "write")
_A, _B, _C, _, _E = range(at.EVENT_ARGUMENTS, at.EVENT_ARGUMENTS + 5)
_NONBLOCKING = 1


class FileAccesses:
    """Operations, bytes and time of blocking operations, by file, location and mode."""

    def __init__(self, program: Program) -> None:
        self._files = program.files
        self._begun: dict[tuple[int, int], tuple[int, int, int | None]] = {}
        self._sums: defaultdict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])

    def take(self, events: Rows) -> None:
        """Add event rows; those of one location are in the order of time."""
        if not self._files:
            return
        is_access = np.isin(events[:, at.EVENT_KIND], (at.ON_ACCESS_BEGIN, at.ON_ACCESS_END))
        for row in events[is_access].tolist():
            location, time = row[at.EVENT_LOCATION], row[at.EVENT_TIME]
            if row[at.EVENT_KIND] == at.ON_ACCESS_BEGIN:
                begin = None if row[_C] & _NONBLOCKING else time
                self._begun[location, row[_E]] = (row[_A], row[_B], begin)
            else:
                file, mode, begin = self._begun.pop((location, row[_C]))
                sums = self._sums[file, location, mode]
                length = 0 if begin is None else time - begin
                for number, more in enumerate((1, row[_B], length)):
                    sums[number] += more

    def write(self, folder: Path) -> None:
        """Write truth_file_accesses.csv, if the program has files."""
        if not self._files:
            return
        rows = sorted((*cell, *sums) for cell, sums in self._sums.items())
        file, location, mode, count, size, ns = zip(*rows, strict=True) if rows else [()] * 6
        columns = {
            "io_handle_id": pa.array(file, pa.int64()),
            "file": pa.array([f"/scratch/{self._files[each].name}" for each in file], pa.string()),
            "location_id": pa.array(location, pa.int64()),
            "mode": pa.array([_MODES[each] for each in mode], pa.string()),
            "operation_count": pa.array(count, pa.int64()),
            "bytes": pa.array(size, pa.int64()),
            "time_ns": pa.array(ns, pa.int64()),
        }
        pyarrow.csv.write_csv(pa.table(columns), folder / _FILE)
