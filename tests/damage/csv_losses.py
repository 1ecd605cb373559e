"""Rows of a CSV trace that are lost without a finding, or made up.

Every row of the census (census.py) is looked up in the tables.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.damage.census import Census, Definition, Place, Record, cells_of, integer_of, take_census
from tests.damage.reading import Reading
from tests.damage.text_of_files import read_text_file
from tracemill.schemas import csv_layout as layout

_TABLES = (
    "mpi_operations", "thread_events", "lock_operations", "rma_operations", "io_operations",
    "parameter_values", "samples",
)  # fmt: skip
_VALUES = {
    "mpi_operations": {
        "Partner": "peer_rank", "Tag": "tag", "Bytes": "bytes", "Received Bytes": "bytes_received",
        "Root": "root_rank", "Request": "request_id", "Probe": "probe_id",
    },
    "thread_events": {"Task Thread": "thread", "Number": "number"},
    "lock_operations": {"Lock": "lock_id", "Acquisition Order": "acquisition_order"},
    "rma_operations": {
        "Partner": "remote_rank", "Bytes": "bytes", "Received Bytes": "bytes_received",
        "Request": "matching_id", "Detail": "detail",
    },
    "io_operations": {"Bytes": "bytes", "Request": "matching_id", "Detail": "detail"},
}  # fmt: skip
"""Columns that hold what a cell says, or nothing where the record has no such argument."""
_TASKS = {
    "ThreadTaskSwitch", "ThreadTaskComplete", "OmpTaskSwitch", "OmpTaskComplete",
}  # fmt: skip
_COLLECTIVES = {"MpiCollectiveEnd", "NonBlockingCollectiveComplete"}
_MESSAGES = {"MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv", "MpiProbe"}
_DEFINED = {
    "Place": "system_tree_nodes", "Communicator": "communicators", "Window": "rma_windows",
    "Counter": "counters", "Parameter": "parameters", "Attribute": "attributes",
    "Source": "source_locations", "Context": "calling_contexts", "Handle": "io_handles",
    "Region": "regions", "Thread": "locations", "Process": "location_groups",
}  # fmt: skip
_LINE = re.compile(r"(.*): line (\d+): ")
_LONGEST_CELL = 80
_HIGHEST_ID, _HIGHEST_OF_LOCATIONS = (1 << 32) - 1, (1 << 64) - 1


def problems_of_text(lenient: Reading, path: Path, strict: Reading) -> Iterator[str]:
    """What is wrong with a trace in CSV, as it was read with damage allowed, and strictly.

    Strictly it must be refused if, and only if, something cannot be read.
    """
    files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
    texts = [read_text_file(file) for file in files]
    has_headers = all(_is_header(text.columns) for text in texts) and bool(texts)
    if lenient.refusal:
        if has_headers and take_census(texts).is_understood:
            yield f"refused, but there are rows: {lenient.refusal}"
        return
    if not has_headers:
        yield f"read, but the columns are {[text.columns for text in texts]}"
        return
    cut = sum(not text.is_whole for text in texts)
    if lenient.findings()["cut_input"] != cut:
        yield f"{cut} files cannot be decompressed to their end; reported: {lenient.findings()}"
    census = take_census(texts)
    if not census.is_understood:
        yield "read, but no row says anything"
    yield from _Comparison(census, lenient).problems()
    yield from _problems_of_misread(census, lenient)
    yield from _problems_of_refusal(census, cut, strict)


def _is_header(columns: list[str]) -> bool:
    """Whether all columns are there that must be, and but once."""
    times = columns.count(layout.TIME_NS) + columns.count(layout.TIME_SECONDS)
    known = [each.name for each in layout.FIELDS if each.name != layout.TIME_NS]
    needed = (layout.EVENT_TYPE, layout.NAME, layout.PROCESS)
    return (
        times == 1
        and all(columns.count(name) == 1 for name in needed)
        and all(columns.count(name) <= 1 for name in known)
    )


def _problems_of_refusal(census: Census, cut: int, strict: Reading) -> Iterator[str]:
    """A refusal must name a line that cannot be read."""
    reported = _LINE.match(str(strict.refusal or ""))
    lines = [*census.bad_lines, *census.bad_definitions]
    bad = [(str(line.path), line.number) for line in lines]
    if bool(bad or cut) != bool(strict.refusal):
        yield f"lines {bad} and {cut} files cannot be read, but strictly: {strict.refusal}"
    if reported and (reported[1], int(reported[2])) not in bad:
        yield f"should name one of {bad}: {strict.refusal}"
    if strict.refusal and not reported and not cut:
        yield f"names no line: {strict.refusal}"


def _problems_of_misread(census: Census, reading: Reading) -> Iterator[str]:
    """Cells reported as not understood stand in the line that is reported as their first."""
    lines = {(line.path.name, line.number): line for line in census.lines}
    for row in reading.tables["misread_cells"].to_pylist():
        name, line = row["column_name"], lines.get((row["file"], row["first_line"]))
        cell = cells_of(line.cells or {}, name) if line else None
        if cell is None or row["cell"] not in (cell[:_LONGEST_CELL], _decimal(cell)):
            yield f"no such cell in that line, which has {cell!r}: {row}"


def _decimal(cell: str) -> str:
    """An integer as reported."""
    return str(int(cell)) if re.fullmatch("[+-]?[0-9]+", cell) else cell


class _Comparison:
    """The census of a trace beside the tables that were made of it."""

    def __init__(self, census: Census, reading: Reading) -> None:
        self._census, self._tables = census, reading.tables
        self._whole = reading.findings_of(None)
        self._numbers = {place: number for number, place in enumerate(census.places())}
        self._reported = {number: reading.findings_of(number) for number in self._numbers.values()}
        self._unknown: Counter[int] = Counter()
        self._impossible: Counter[int] = Counter()

    def problems(self) -> Iterator[str]:
        yield from self._rows()
        yield from self._locations()
        yield from self._visits()
        for table in _TABLES:
            yield from self._records(table)
        yield from self._counters()
        yield from self._attributes()
        yield from self._findings()
        yield from self._definitions()

    def _rows(self) -> Iterator[str]:
        """Every row is a record, a value of one, a definition, or counted as unreadable."""
        census, bad = self._census, self._whole["unreadable_row"]
        unreadable = [*census.bad_lines, *census.bad_definitions]
        if bad != len(unreadable):
            places = [line.number for line in unreadable]
            yield f"{bad} rows reported as unreadable; lines {places} are"
        (records,) = self._tables["runs"]["record_count"].to_pylist()
        kept = records + census.further_values + len(census.definitions)
        if kept + bad != len(census.lines):
            yield f"{len(census.lines)} rows; {kept} are kept, {bad} reported as unreadable"

    def _locations(self) -> Iterator[str]:
        there = Counter(self._numbers[each.place] for each in self._census.records)
        for row in self._tables["locations"].to_pylist():
            number = row["location_id"]
            if row["record_count"] != there[number]:
                yield f"location {number}: {there[number]} records, said are {row['record_count']}"
        if self._tables["locations"].num_rows != len(self._numbers):
            yield f"{len(self._numbers)} locations, not {self._tables['locations'].num_rows}"

    # --- Records ---------------------------------------------------------------------------------

    def _of(self, table: str) -> dict[tuple[int, int], Record]:
        """Records that belong into a table, by location and position."""
        return {
            (self._numbers[each.place], each.sequence): each
            for each in self._census.records
            if each.table == table
        }

    def _records(self, table: str) -> Iterator[str]:
        there = self._of(table)
        for row in self._tables[table].to_pylist():
            record = there.pop((row["location_id"], row["sequence"]), None)
            if record is None or record.time_ns != row["time_ns"]:
                yield f"made up: {row}, there is {record}"
                continue
            self._note(record, row["location_id"])
            for cell, column in _VALUES.get(table, {}).items():
                if not _is_same(record, cell, row[column]):
                    yield f"{column} is {row[column]}, was {cells_of(record.cells, cell)!r}: {row}"
        yield from self._lost(there)

    def _lost(self, missing: Mapping[tuple[int, int], Record]) -> Iterator[str]:
        """Records in no table are reported as unknown, if they can be that."""
        for (number, _), record in missing.items():
            self._unknown[number] += 1
            if not record.is_doubtful:
                yield f"lost: {record}"

    def _visits(self) -> Iterator[str]:
        visits = self._tables["visits"].sort_by("visit_id").to_pylist()
        regions = self._tables["regions"]["name"].to_pylist()
        names = _names_of_regions(self._census)
        for place, number in self._numbers.items():
            entered = [e for e in self._census.records if e.place == place and e.name == "Enter"]
            found = [row for row in visits if row["location_id"] == number]
            if [row["enter_ns"] for row in found] != [each.time_ns for each in entered]:
                yield f"location {number}: {len(entered)} enters, but other {len(found)} visits"
                continue
            for row, each in zip(found, entered, strict=True):
                if regions[row["region_id"]] not in names[cells_of(each.cells, layout.NAME)]:
                    yield f"visit {row} of region {regions[row['region_id']]}, entered is {each}"
            yield from self._leaves(place, sum(row["is_closed"] for row in found))

    def _leaves(self, place: Place, closed: int) -> Iterator[str]:
        records = [each for each in self._census.records if each.place == place]
        reported = self._reported[self._numbers[place]]
        left = sum(each.name == "Leave" for each in records)
        if any(each.name in _TASKS for each in records):
            if not left - reported["mismatched_leave"] <= closed <= left:
                yield f"{place}: {left} leaves, {closed} visits are closed; reported: {reported}"
            return
        expected = _nest(records)
        found = (closed, reported["mismatched_leave"], reported["unclosed_visit"])
        if found != expected:
            yield f"{place}: closed, mismatched, unclosed are {found}, should be {expected}"

    def _counters(self) -> Iterator[str]:
        """Values of counters that are defined are kept; the others are impossible."""
        defined, there = self._ids("Counter"), Counter[tuple[Any, ...]]()
        for (number, sequence), record in self._of("counter_values").items():
            for cells in (record.cells, *record.more):
                if (integer_of(cells, layout.VARIABLE) or 0) in defined:
                    there[number, sequence, record.time_ns, _value_of(cells)] += 1
                else:
                    self._impossible[number] += 1
        kept = Counter(
            (row["location_id"], row["sequence"], row["time_ns"], _stored(row))
            for row in self._tables["counter_values"].to_pylist()
        )
        if kept != there:
            yield f"values of counters lost: {there - kept}, made up: {kept - there}"

    def _attributes(self) -> Iterator[str]:
        defined, there = self._ids("Attribute"), Counter[tuple[int, int]]()
        for each in self._census.attributes:
            number = self._numbers[each.place]
            if (integer_of(each.cells, layout.VARIABLE) or 0) in defined:
                there[number, each.sequence] += 1
            else:
                self._impossible[number] += 1
        rows = self._tables["record_attributes"].to_pylist()
        kept = Counter((row["location_id"], row["sequence"]) for row in rows)
        if kept != there:
            yield f"attributes lost: {there - kept}, made up: {kept - there}"

    # --- Findings --------------------------------------------------------------------------------

    def _findings(self) -> Iterator[str]:
        census = self._census
        for each in census.records:
            self._unknown[self._numbers[each.place]] += not each.table
        for place, number in self._numbers.items():
            reported = self._reported[number]
            for kind, count in (
                ("time_reversal", census.reversals[place]),
                ("impossible_time", census.outside[place]),
                ("unknown_record", self._unknown[number]),
            ):
                if reported[kind] != count:
                    yield f"location {number}: {count} of {kind}, reported: {reported[kind]}"
            if reported["impossible_id"] < self._impossible[number]:
                impossible = self._impossible[number]
                yield f"location {number}: {impossible} impossible ids; reported: {reported}"

    def _note(self, record: Record, number: int) -> None:
        """Count an identifier of a record that is not defined."""
        if record.is_doubtful:
            return
        name, cells = record.name, record.cells
        if name in _COLLECTIVES | _MESSAGES:
            communicators = self._communicators()
            ref = integer_of(cells, "Communicator") or 0
            rank = integer_of(cells, "Partner") if name in _MESSAGES else None
            if ref not in communicators:
                self._impossible[number] += 1
            elif rank is not None and communicators[ref] is not None:
                self._impossible[number] += rank >= (communicators[ref] or 0)
        for table, column, kind in (
            ("rma_operations", "RMA Window", "Window"), ("samples", layout.VARIABLE, "Context"),
            ("parameter_values", layout.VARIABLE, "Parameter"),
        ):  # fmt: skip
            if record.table == table:
                is_empty = kind == "Window" and not cells_of(cells, column)
                ref = integer_of(cells, column) or 0
                self._impossible[number] += not is_empty and ref not in self._ids(kind)

    def _communicators(self) -> dict[int, int | None]:
        """Identifiers of communicators with their sizes, as far as these are easily known."""
        found = [each for each in self._census.definitions if each.kind == "Communicator"]
        sizes: dict[int, int | None] = {}
        for at, each in enumerate(found):
            members = each.properties.get("members")
            is_group = each.properties.get("kind", "group") == "group"
            size = len(members) if is_group and isinstance(members, list) else None
            sizes.setdefault(_id_of(each.properties, at), size)
        return sizes if found else {0: None}

    def _ids(self, kind: str) -> set[int]:
        found = [each for each in self._census.definitions if each.kind == kind]
        return {_id_of(each.properties, at) for at, each in enumerate(found)}

    def _definitions(self) -> Iterator[str]:
        """A definition is in its table, or reported as repeated."""
        lost = 0
        there = Counter(each.kind for each in self._census.definitions)
        for kind, count in there.items():
            if kind == "Trace":
                lost += count - 1
            else:
                lost += max(count - self._tables[_DEFINED[kind]].num_rows, 0)
        if lost > self._whole["repeated_definition"]:
            yield f"{lost} definitions lost of {there}; reported: {self._whole}"
        bad = sum(not _is_own_id(each) for each in self._census.definitions)
        if bad > self._whole["impossible_id"]:
            yield f"{bad} definitions have no possible identifier; reported: {self._whole}"


def _nest(records: list[Record]) -> tuple[int, int, int]:
    """Visits that are left, leaves of other regions than the last entered, visits never left."""
    closed = mismatched = unclosed = 0
    stack: list[str] = []
    for each in records:
        name = cells_of(each.cells, layout.NAME)
        if each.name == "Enter":
            stack.append(name)
        elif each.name == "Leave":
            mismatched += not stack or stack[-1] != name
            if name in stack:
                while stack.pop() != name:
                    unclosed += 1
                closed += 1
    return closed, mismatched, unclosed + len(stack)


def _names_of_regions(census: Census) -> Mapping[str, set[str]]:
    """What the region of a label may be called."""
    names: dict[str, set[str]] = {}
    for each in census.records:
        label = cells_of(each.cells, layout.NAME)
        names.setdefault(label, {label})
    for definition in census.definitions:
        if definition.kind == "Region" and "name" in definition.properties:
            name = str(definition.properties["name"]).encode("utf-8", "backslashreplace").decode()
            names.setdefault(definition.name, set()).add(name)
    return names


def _is_id(value: object) -> bool:
    return type(value) is int and 0 <= value < _HIGHEST_ID


def _is_own_id(definition: Definition) -> bool:
    """Whether a definition has an identifier that can be, or none; locations have larger ones."""
    value = definition.properties.get("id")
    if definition.kind == "Thread":
        return value is None or (type(value) is int and 0 <= value < _HIGHEST_OF_LOCATIONS)
    return value is None or definition.kind == "Trace" or _is_id(value)


def _id_of(properties: Mapping[str, Any], position: int) -> int:
    """The identifier of a definition; its position among those of its kind if it has none."""
    value = properties.get("id")
    return value if type(value) is int and _is_id(value) else position


def _is_same(record: Record, cell: str, stored: int | None) -> bool:
    """Whether a table holds what a cell says; it may leave it out, as 0 if it cannot be."""
    value = integer_of(record.cells, cell) or 0
    return stored is None or stored == value or (value < 0 and stored == 0)


def _value_of(cells: Mapping[str, str]) -> int | str:
    """The value of a counter: an integer with its 64 bits, or a floating number as text."""
    cell = cells.get(layout.VALUE, "").strip()
    if cell.lstrip("+-").isdigit():
        return (int(cell) + (1 << 63)) % (1 << 64) - (1 << 63)
    return repr(float(cell))


def _stored(row: Mapping[str, Any]) -> int | str:
    return repr(row["value_float"]) if row["value_integer"] is None else int(row["value_integer"])
