"""Tables of forecasts beside measurements, as users give them."""

import csv
import math
from pathlib import Path

from tracemill.base.errors import MissingInputError, ProgramError
from tracemill.forecast.errors import ErrorRecord

COLUMNS = ("program", "variant", "cluster", "processes", "forecast_s", "measured_s")
_LONGEST_SECONDS = 9e9  # of 64 bits in ns


def read_errors(path: Path) -> list[ErrorRecord]:
    """Records of a CSV file with COLUMNS; empty lines and lines that begin with # are skipped.

    Raises MissingInputError or ProgramError, which names file, line and column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise MissingInputError(f"{path}: cannot be read: {reason}") from error
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    header = _cells(lines[0][1]) if lines else []
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise ProgramError(
            f"{path}: line 1: no column {', '.join(missing)}: columns are {', '.join(COLUMNS)}"
        )
    seen: dict[tuple[object, ...], int] = {}
    records = []
    for number, line in lines[1:]:
        record = _record(f"{path}: line {number}", header, _cells(line), path.name)
        key = (record.program, record.variant, record.cluster, record.processes)
        if key in seen:
            raise ProgramError(
                f"{path}: line {number}: repeats line {seen[key]}: give each variant once for "
                "each cluster and number of processes"
            )
        seen[key] = number
        records.append(record)
    if not records:
        raise ProgramError(f"{path}: no rows: there is nothing below the first line")
    return records


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line]))]


def _record(where: str, header: list[str], cells: list[str], source: str) -> ErrorRecord:
    if len(cells) != len(header):
        raise ProgramError(f"{where}: {len(cells)} cells, but {len(header)} columns")
    row = dict(zip(header, cells, strict=True))
    for name in ("program", "cluster"):
        if not row[name]:
            raise ProgramError(f"{where}: {name}: give a name")
    return ErrorRecord(
        program=row["program"],
        variant=row["variant"],
        cluster=row["cluster"],
        processes=_processes(where, row["processes"]),
        forecast_ns=nanoseconds_of(f"{where}: forecast_s", row["forecast_s"]),
        measured_ns=nanoseconds_of(f"{where}: measured_s", row["measured_s"]),
        source=source,
    )


def _processes(where: str, text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise ProgramError(f"{where}: processes: give a whole number of at least 1, not {text!r}")
    return int(text)


def nanoseconds_of(where: str, text: str) -> int:
    """Seconds as whole nanoseconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < _LONGEST_SECONDS:
        raise ProgramError(f"{where}: give seconds above 0, not {text!r}")
    return math.floor(seconds * 1e9 + 0.5)
