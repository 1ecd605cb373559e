"""The contents of a trace in CSV by its documentation (docs/reference/csv.md), row by row."""

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.damage.counting import TABLES
from tests.damage.text_of_files import Line, Text
from tracemill.schemas import csv_layout as layout

Place = tuple[int, int]
"""Process and thread."""
Cells = dict[str, str]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_NO_NUMBER = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_MOST_NS, _ANY_NS = 1 << 62, 1 << 61
_PLACES = 1 << 31
_TABLE_OF = {name: table for table, names in TABLES.items() for name in names}
_ELSEWHERE = {*TABLES["elsewhere"], "Other"}
_NO_INSTANTS = {"Enter", "Leave", "CallingContextEnter", "CallingContextLeave", "Metric", "Unknown"}
_WITH_WHOLE_VALUE = {"ParameterInt", "ParameterUnsignedInt", "BufferFlush", "MeasurementOnOff"}
_MESSAGES = {"MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv", "MpiProbe"}
_REFERENCES = {
    "Partner": _PLACES, "Tag": _PLACES, "Root": _PLACES, "Communicator": (1 << 32) - 1,
    "RMA Window": (1 << 32) - 1, "Handle": (1 << 32) - 1, "Lock": (1 << 32) - 1,
}  # fmt: skip
_MOST_VALUES = 255


@dataclass
class Record:
    """A record at its position in a location; `table` is empty if its kind is not known.

    It may be none of its kind after all if it `is_doubtful`. `more` are further values of it.
    """

    place: Place
    sequence: int
    time_ns: int
    name: str
    table: str
    cells: Cells
    is_doubtful: bool = False
    more: list[Cells] = field(default_factory=list)


@dataclass
class Definition:
    """A row that defines something; `kind` is that of csv_layout.DEFINITIONS."""

    kind: str
    name: str
    place: Place
    properties: dict[str, Any]


@dataclass
class Census:
    """All rows of a trace. `bad_lines` are neither records nor definitions, `bad_definitions` are
    no definitions; `attributes` belong to the record at their position.
    """

    lines: list[Line] = field(default_factory=list)
    bad_lines: list[Line] = field(default_factory=list)
    bad_definitions: list[Line] = field(default_factory=list)
    further_values: int = 0
    records: list[Record] = field(default_factory=list)
    attributes: list[Record] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    reversals: Counter[Place] = field(default_factory=Counter)
    outside: Counter[Place] = field(default_factory=Counter)

    @property
    def is_understood(self) -> bool:
        """Whether any row says something."""
        found = [each for each in self.records if each.table]
        return bool(found or self.attributes or self.definitions)

    def places(self) -> list[Place]:
        """The locations in their order: those defined as they come, then those of rows."""
        defined = [each.place for each in self.definitions if each.kind == "Thread"]
        used = sorted(each.place for each in self.records)
        return list(dict.fromkeys([*defined, *used]))


def take_census(texts: Sequence[Text]) -> Census:
    """Everything that the files of a trace hold, in their order."""
    taker = _Taker(Census())
    for text in texts:
        for line in text.lines:
            taker.take(line)
    return taker.census


@dataclass
class _Location:
    """What has been seen of a location: its time, its records, and which values the last one has.

    `counter` is that record while values of counters follow it, and attributes while these do.
    """

    now: int = 0
    records: list[Record] = field(default_factory=list)
    has_time: bool = False
    counter: Record | None = None
    attributes: set[int] = field(default_factory=set)


class _Taker:
    def __init__(self, census: Census) -> None:
        self.census = census
        self._locations: dict[Place, _Location] = {}

    def take(self, line: Line) -> None:
        self.census.lines.append(line)
        if not self._is_taken(line):
            self.census.bad_lines.append(line)

    def _is_taken(self, line: Line) -> bool:
        cells = line.cells
        if cells is None or not _are_integers(cells):
            return False
        kind, place, time = cells_of(cells, layout.EVENT_TYPE), place_of(cells), time_of(cells)
        if place is None:
            return False
        first, *others = kind.lower().split(maxsplit=1) or [""]
        if first == "define":
            if not self._define("".join(others), cells, place):
                self.census.bad_definitions.append(line)
            return True
        if time is None or not cells_of(cells, layout.PROCESS):
            return False
        self._record(kind.title(), cells, place, time)
        return True

    def _define(self, kind: str, cells: Cells, place: Place) -> bool:
        text = cells_of(cells, layout.DEFINITION)
        try:
            properties = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            properties = None
        kinds = {each.name.lower(): each.name for each in layout.DEFINITIONS}
        if kind not in kinds or type(properties) is not dict:
            return False
        name = cells_of(cells, layout.NAME)
        self.census.definitions.append(Definition(kinds[kind], name, place, properties))
        return True

    def _record(self, kind: str, cells: Cells, place: Place, time: int) -> None:
        location = self._locations.setdefault(place, _Location())
        name = cells_of(cells, layout.NAME)
        if kind == "More" and name == "Counter" and self._is_further_value(location, cells):
            return
        now = self._advance(location, place, time)
        if kind == "More" and name in ("Attribute", "AttributeText"):
            if self._is_attribute(location, place, now, name, cells):
                return
            name = ""
        elif kind in ("Enter", "Leave"):
            name = kind
        elif kind == "More":
            name = name if name == "Counter" else ""
        elif kind != "Instant" or name in _NO_INSTANTS:
            name = ""
        self._add(location, place, now, name, cells)

    def _is_further_value(self, location: _Location, cells: Cells) -> bool:
        """Whether a value belongs to the record before: another counter, and not too many."""
        if location.counter is None or not is_value("Counter", cells):
            return False
        values = [location.counter.cells, *location.counter.more]
        variables = {integer_of(each, layout.VARIABLE) or 0 for each in values}
        if (integer_of(cells, layout.VARIABLE) or 0) in variables or len(values) == _MOST_VALUES:
            return False
        location.counter.more.append(cells)
        location.attributes = set()
        self.census.further_values += 1
        return True

    def _is_attribute(
        self, location: _Location, place: Place, now: int, name: str, cells: Cells
    ) -> bool:
        """Whether a value belongs to the record before, which does not have it yet."""
        variable = integer_of(cells, layout.VARIABLE) or 0
        if not location.records or not is_value(name, cells) or variable in location.attributes:
            return False
        at = len(location.records) - 1
        found = Record(place, at, now, name, "record_attributes", cells)
        self.census.attributes.append(found)
        self.census.further_values += 1
        location.attributes.add(variable)
        location.counter = None
        return True

    def _add(self, location: _Location, place: Place, now: int, name: str, cells: Cells) -> None:
        table = "elsewhere" if name in _ELSEWHERE else _TABLE_OF.get(name, "")
        table = "counter_values" if name == "Counter" else table
        lacks_partner = name in _MESSAGES and not cells_of(cells, "Partner")
        table = "" if lacks_partner or not is_value(name, cells) else table
        found = Record(place, len(location.records), now, name, table, cells)
        found.is_doubtful = bool(table) and name not in ("Enter", "Leave") and is_odd(cells)
        location.records.append(found)
        location.counter = found if table == "counter_values" else None
        location.attributes = set()
        self.census.records.append(found)

    def _advance(self, location: _Location, place: Place, time: int) -> int:
        """The time of a record: that of the one before if its own is impossible or earlier."""
        is_first, location.has_time = not location.has_time, True
        if abs(time) > _ANY_NS:
            self.census.outside[place] += 1
        elif is_first or time >= location.now:
            location.now = time
        else:
            self.census.reversals[place] += 1
        return location.now


# --- Cells ----------------------------------------------------------------------------------------


def cells_of(cells: Cells, name: str) -> str:
    """A cell without spaces around it; empty if there is no such column."""
    return cells.get(name, "").strip()


def integer_of(cells: Cells, name: str) -> int | None:
    """The integer of a cell, None if there is none. Raises ValueError for what is no integer."""
    cell = cells_of(cells, name)
    if not cell:
        return None
    if not _INTEGER.fullmatch(cell) or not -(1 << 63) <= int(cell) < 1 << 63:
        raise ValueError(cell)
    return int(cell)


def _are_integers(cells: Cells) -> bool:
    try:
        for each in layout.FIELDS:
            if each.type == layout.INTEGER:
                integer_of(cells, each.name)
    except ValueError:
        return False
    return True


def place_of(cells: Cells) -> Place | None:
    """Process and thread; None if they cannot be."""
    try:
        found = tuple(integer_of(cells, name) or 0 for name in (layout.PROCESS, layout.THREAD))
    except ValueError:
        return None
    return (found[0], found[1]) if all(0 <= number < _PLACES for number in found) else None


def time_of(cells: Cells) -> int | None:
    """Nanoseconds; None if they cannot be."""
    for name, unit in ((layout.TIME_NS, 1), (layout.TIME_SECONDS, 10**9)):
        cell = cells_of(cells, name)
        if cell and _NUMBER.fullmatch(cell):
            is_exact = _INTEGER.fullmatch(cell) and unit == 1
            value = int(cell) if is_exact else float(cell) * unit
            is_possible = math.isfinite(value) and abs(value) < _MOST_NS
            return round(value) if is_possible else None
    return None


def is_value(name: str, cells: Cells) -> bool:
    """Whether the value that a record needs is there."""
    cell = cells_of(cells, layout.VALUE)
    if name in _WITH_WHOLE_VALUE:
        return bool(_INTEGER.fullmatch(cell)) and -(1 << 63) <= int(cell) < 1 << 64
    if name in ("Counter", "Attribute"):
        if _INTEGER.fullmatch(cell):
            return -(1 << 63) <= int(cell) < 1 << 64
        return bool(_NUMBER.fullmatch(cell) or _NO_NUMBER.fullmatch(cell))
    return True


def is_odd(cells: Cells) -> bool:
    """Whether some cell refers to what no trace can define."""
    for name, limit in _REFERENCES.items():
        value = integer_of(cells, name)
        if value is not None and not 0 <= value < limit:
            return True
    return False
