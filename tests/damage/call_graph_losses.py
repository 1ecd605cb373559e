"""Rows of a call graph that are lost without a finding, or made up."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.damage.reading import Reading
from tests.damage.text_of_files import read_text_file

_COLUMNS = ("group", "thread", "depth", "name", "start", "end")
_OLD_NAMES = {"start_time": "start", "end_time": "end"}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(
    r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?|inf(inity)?)", re.IGNORECASE
)
_LINE = re.compile(r"(.*): line (\d+): ")
_MOST_NS = 1 << 62

Visit = tuple[str, str, int]
"""Thread, region, and when it begins (ns)."""


def problems_of_call_graph(reading: Reading, path: Path, strict: Reading) -> Iterator[str]:
    """What is wrong with the tables of a call graph in text, read with damage allowed.

    Read strictly, it must be refused if, and only if, something cannot be read.
    """
    text = read_text_file(path)
    plain = (name.lower().replace(" ", "_") for name in text.columns)
    names = dict(zip((_OLD_NAMES.get(name, name) for name in plain), text.columns, strict=True))
    has_header = set(_COLUMNS) <= set(names)
    if not has_header and not reading.refusal:
        yield f"read, but the columns are {text.columns}"
    if not has_header:
        return
    visits, bad = Counter[Visit](), []
    for line in text.lines:
        cells = line.cells or {}
        visit = visit_of({name: cells.get(names[name], "").strip() for name in _COLUMNS})
        if visit:
            visits[visit] += 1
        else:
            bad.append(line.number)
    if reading.refusal:
        if visits and len(names) == len(text.columns):
            yield f"refused, but there are visits: {reading.refusal}"
        return
    if not visits:
        yield "read, but no row is a visit"
    reported = reading.findings()
    if reported["unreadable_row"] != len(bad):
        yield f"{reported['unreadable_row']} rows reported as unreadable, lines {bad} are"
    yield from _compare(visits, _visits_of(reading), are_times_kept=not reported["time_reversal"])
    named = _LINE.match(str(strict.refusal or ""))
    if bool(bad) != bool(strict.refusal) or (named and int(named[2]) not in bad):
        yield f"lines {bad} cannot be read, but strictly: {strict.refusal}"


def _compare(there: Counter[Visit], kept: Counter[Visit], *, are_times_kept: bool) -> Iterator[str]:
    """Visits are where they were; when time runs backwards some begin later."""
    if not are_times_kept:
        there, kept = _without_times(there), _without_times(kept)
    if kept != there:
        yield f"visits lost: {there - kept}, made up: {kept - there}"


def _without_times(visits: Counter[Visit]) -> Counter[Visit]:
    found: Counter[Visit] = Counter()
    for (thread, region, _), count in visits.items():
        found[thread, region, 0] += count
    return found


def visit_of(cells: Mapping[str, str]) -> Visit | None:
    """The visit of a row; None if it cannot be one."""
    begin, end = nanoseconds_of(cells["start"]), nanoseconds_of(cells["end"] or "inf")
    if begin is None or end is None or not abs(begin) < _MOST_NS:
        return None
    if not math.isinf(end) and not abs(end) < _MOST_NS:
        return None
    if not _INTEGER.fullmatch(cells["depth"]) or not 0 <= int(cells["depth"]) < 1 << 31:
        return None
    return cells["thread"], cells["name"], round(begin)


def nanoseconds_of(cell: str) -> float | None:
    """What a number of seconds stands for, which may be infinite; None if there is none."""
    return float(cell) * 1e9 if _NUMBER.fullmatch(cell) else None


def _visits_of(reading: Reading) -> Counter[Visit]:
    threads = [name.strip() for name in reading.tables["locations"]["name"].to_pylist()]
    regions = reading.tables["regions"]["name"].to_pylist()
    return Counter(
        (threads[row["location_id"]], regions[row["region_id"]], row["enter_ns"])
        for row in reading.tables["visits"].to_pylist()
    )
