"""Figures derived from counters, by a file of their names, numerators and denominators."""

import math
from pathlib import Path

import pyarrow as pa

from tracemill.base.errors import UsageError
from tracemill.base.line_files import parse_lines, read_text
from tracemill.schemas.counters import DERIVED_COUNTERS
from tracemill.sql.folders import QUERIES
from tracemill.stages.arrays import Relation
from tracemill.stages.stage import PythonStage

SHIPPED = QUERIES / "counters" / "derived_counters.csv"
HEADER = ("name", "numerator", "denominator", "factor", "unit", "more is better")
TIME = "time"
_WORDS = {"yes": True, "no": False}
Definition = tuple[str, str, str, float, str, bool]


def read_definitions(path: Path) -> str:
    """The text of a file of derived counters; raises PipelineError if it is unusable."""
    text = read_text(path, "derived counters")
    parse_definitions(text, source=str(path))
    return text


def parse_definitions(text: str, *, source: str = "derived counters") -> list[Definition]:
    """The lines of a file, in order; raises UsageError that names the line and what to do."""
    lines = parse_lines(text, HEADER, source=source)
    return [_definition(fields, f"{source}:{number}") for number, fields in lines]


def _definition(fields: tuple[str, ...], place: str) -> Definition:
    name, numerator, denominator, factor, unit, is_more_better = fields
    for column, value in zip(HEADER[:3], fields[:3], strict=True):
        if not all(part.strip() for part in value.split("+")):
            raise UsageError(f"{place}: {column} {value!r} has an empty name: write counters "
                             "joined with +, or time")  # fmt: skip
    try:
        number = float(factor)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number == 0:
        raise UsageError(f"{place}: factor {factor!r}: write a number other than 0, such as 1e-9")
    if is_more_better not in _WORDS:
        raise UsageError(f"{place}: more is better {is_more_better!r}: write yes or no")
    return name, numerator, denominator, number, unit, _WORDS[is_more_better]


def parts_of(expression: str) -> list[str]:
    """The counters that an expression sums up, or time."""
    return [part.strip() for part in expression.split("+")]


def choose_definitions(text: str, counters: set[str]) -> list[Definition]:
    """The first line of each name whose counters are all there."""
    chosen: dict[str, Definition] = {}
    for each in parse_definitions(text):
        needed = {*parts_of(each[1]), *parts_of(each[2])} - {TIME}
        if needed and needed <= counters:
            chosen.setdefault(each[0], each)
    return list(chosen.values())


def make_derived_counters(counters: Relation, *, derived_counters: str) -> pa.Table:
    """The derived counters that a trace has the counters for."""
    names = {name for (name,) in counters.select("name").fetchall()}
    rows = choose_definitions(derived_counters, names)
    return pa.Table.from_pylist(
        [dict(zip(DERIVED_COUNTERS.column_names, row, strict=True)) for row in rows],
        schema=DERIVED_COUNTERS.arrow_schema,
    )


DERIVED_COUNTERS_STAGE = PythonStage(
    name="derived_counters",
    outputs=(DERIVED_COUNTERS,),
    compute=make_derived_counters,
    parameters={"derived_counters": SHIPPED.read_text(encoding="utf-8")},
    needed_rows=(("counters",),),
)
