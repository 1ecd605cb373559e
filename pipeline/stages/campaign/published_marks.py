"""Marks of programs that others have published: a table in CSV, to compare with."""

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass

from tracemill.base.errors import CampaignError
from tracemill.schemas.campaigns import EFFICIENCIES

COLUMNS = (
    "program", "source", "efficiency_definition", "unit", "mark_procs", "mark_data", "mark_all",
    "min_efficiency", "max_efficiency",
)  # fmt: skip
"""Required columns of such a table; others, such as the ranges of processes, are ignored."""
_MARKS = COLUMNS[4:7]
_RANGE = COLUMNS[7:]
_UNITS = {"ratio": 1.0, "percent": 0.01}


@dataclass(frozen=True)
class PublishedMarks:
    """Marks of a program and its range of efficiency, which may be unknown; all as ratios."""

    program: str
    source: str
    efficiency_definition: str
    mark_procs: float
    mark_data: float
    mark_all: float
    min_efficiency: float | None
    max_efficiency: float | None


def read_published_marks(text: str) -> tuple[PublishedMarks, ...]:
    """The programs of a CSV table in its order; none for an empty text.

    `unit` is ratio or percent. Raises CampaignError, with the line, for missing columns, wrong
    numbers, unknown units and definitions, and repeated programs of a source.
    """
    if not text.strip():
        return ()
    reader = csv.DictReader(io.StringIO(text))
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if lacking:
        raise CampaignError(
            f"published marks: line 1: no column {', '.join(lacking)}: "
            f"needed are {', '.join(COLUMNS)}"
        )
    found: dict[tuple[str, str], PublishedMarks] = {}
    for row in reader:
        marks = _read_row(row, reader.line_num)
        if (marks.program, marks.source) in found:
            raise _mistake(reader.line_num, f"{marks.program} of {marks.source} comes twice")
        found[marks.program, marks.source] = marks
    return tuple(found.values())


def _read_row(row: Mapping[str, str | None], line: int) -> PublishedMarks:
    texts = {name: (row[name] or "").strip() for name in COLUMNS}
    for name, known in (("unit", tuple(_UNITS)), ("efficiency_definition", EFFICIENCIES)):
        if texts[name] not in known:
            raise _mistake(line, f"{name} is {texts[name]!r}: write one of {', '.join(known)}")
    if not texts["program"]:
        raise _mistake(line, "the program has no name")
    factor = _UNITS[texts["unit"]]
    procs, data, both = (_number(name, texts[name], line) * factor for name in _MARKS)
    least, most = (
        _number(name, texts[name], line) * factor if texts[name] else None for name in _RANGE
    )
    return PublishedMarks(
        program=texts["program"],
        source=texts["source"],
        efficiency_definition=texts["efficiency_definition"],
        mark_procs=procs,
        mark_data=data,
        mark_all=both,
        min_efficiency=least,
        max_efficiency=most,
    )


def _number(name: str, text: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _mistake(line, f"{name} is {text!r}: write a number")
    return value


def _mistake(line: int, what: str) -> CampaignError:
    return CampaignError(f"published marks: line {line}: {what}")
