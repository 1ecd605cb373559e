"""Tables of definitions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from tracemill.readers.common.call_sites import ARTIFICIAL_REGIONS
from tracemill.readers.common.definitions import UNDEFINED_64
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import TraceOrigin
from tracemill.schemas import communicators, definitions, named_values
from tracemill.schemas.columns import PARADIGMS
from tracemill.schemas.definitions import LOCATION_GROUP_KINDS, LOCATION_KINDS, REGION_ROLES
from tracemill.schemas.named_values import (
    ACCUMULATION_MODES,
    COUNTER_KINDS,
    COUNTER_SCOPES,
    OCCURRENCES,
    PARAMETER_KINDS,
)
from tracemill.schemas.table import Table

_LAST_SIZE = (1 << 31) - 1

Rows = Iterable[tuple[Any, ...]]


def table_of_rows(table: Table, rows: Rows) -> pa.Table:
    """A table of rows whose values are in the order of the declared columns."""
    columns = list(zip(*rows, strict=True))
    if not columns:
        return table.empty()
    arrays = {
        column.name: pa.array(values, pa.string() if column.values else column.type)
        for column, values in zip(table.columns, columns, strict=True)
    }
    return table.conform(pa.table(arrays))


def _signed(ref: int) -> int:
    """The signed 64-bit number with the same bits as an unsigned one."""
    return ref - (1 << 64) if ref >= 1 << 63 else ref


def _line(number: int) -> int:
    """A line of source code; 0 (no line) if the number is too large for the column."""
    return number if number < 1 << 31 else 0


def _choose(names: Sequence[str], code: int, fallback: str = "unknown") -> str:
    return names[code] if code < len(names) else fallback


class DefinitionTables:
    """Makes the tables of definitions."""

    def __init__(self, origin: TraceOrigin, identifiers: Identifiers) -> None:
        self._origin, self._ids = origin, identifiers
        self._defs = identifiers.definitions
        self._text = self._defs.text

    def all(self) -> Iterator[tuple[Table, pa.Table]]:
        """The tables that depend on definitions alone."""
        rows_of = {
            definitions.SYSTEM_TREE_NODES: self._system_tree_nodes,
            definitions.LOCATION_GROUPS: self._location_groups,
            communicators.COMMUNICATORS: self._communicators,
            communicators.COMMUNICATOR_MEMBERS: self._communicator_members,
            communicators.CART_DIMENSIONS: self._cart_dimensions,
            definitions.SOURCE_LOCATIONS: self._source_locations,
            definitions.CALLING_CONTEXTS: self._calling_contexts,
            named_values.ATTRIBUTES: self._attributes,
            named_values.PARAMETERS: self._parameters,
            named_values.COUNTERS: self._counters,
            named_values.COUNTER_INSTANCES: self._counter_instances,
            communicators.RMA_WINDOWS: self._rma_windows,
            communicators.RMA_GROUP_MEMBERS: self._rma_group_members,
            communicators.IO_HANDLES: self._io_handles,
        }
        return ((table, table_of_rows(table, rows())) for table, rows in rows_of.items())

    def _numbered(self, kind: str) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
        """Number, identifier and values of all definitions of a kind."""
        for number, (ref, values) in enumerate(self._defs[kind].items()):
            yield number, ref, values

    def _system_tree_nodes(self) -> Rows:
        parents = self._ids["SystemTreeNode"]
        for number, _, (name, kind, parent) in self._numbered("SystemTreeNode"):
            yield number, parents.optional(parent), self._text(name), self._text(kind)

    def _location_groups(self) -> Rows:
        groups, nodes = self._ids["LocationGroup"], self._ids["SystemTreeNode"]
        for number, ref, (name, kind, node, creator) in self._numbered("LocationGroup"):
            yield (
                number, ref, self._text(name), _choose(LOCATION_GROUP_KINDS, kind),
                self._ids.rank_of_group[number], nodes.optional(node), groups.optional(creator),
            )  # fmt: skip

    def region_names(self) -> list[str]:
        return [self._text(name) for name, *_ in self._defs["Region"].values()]

    def regions(self, used_artificial: Sequence[bool]) -> pa.Table:
        """Regions, then those artificial ones that occur."""
        rows = list(self._defined_regions())
        first = len(rows)
        for offset, name in enumerate(ARTIFICIAL_REGIONS):
            if used_artificial[offset]:
                ref = -1 - offset
                rows.append(
                    (first + offset, ref, name, name, "artificial", "none", None, None, None)
                )
        return table_of_rows(definitions.REGIONS, rows)

    def _defined_regions(self) -> Rows:
        for number, ref, values in self._numbered("Region"):
            name, canonical, _, role, paradigm, _, file, begin, end = values
            yield (
                number, ref, self._text(name), self._text(canonical),
                _choose(REGION_ROLES, role),
                _choose(PARADIGMS, paradigm),
                self._text(file) or None, _line(begin) or None, _line(end) or None,
            )  # fmt: skip

    def locations(self, outcomes: Sequence[Sequence[Any]]) -> pa.Table:
        """Locations; `outcomes` has the columns from record_count on for each."""
        rows = []
        for number, ref, (name, kind, declared, _) in self._numbered("Location"):
            group = self._ids.group_of_location[number]
            row = (
                number, _signed(ref), self._text(name), _choose(LOCATION_KINDS, kind),
                group, self._ids.rank_of_group[group], self._ids.thread_of_location[number],
                declared, *outcomes[number],
            )  # fmt: skip
            rows.append(row)
        return table_of_rows(definitions.LOCATIONS, rows)

    def run(
        self, run_id: str, *, begin_ns: int, end_ns: int, record_count: int, detail: str
    ) -> pa.Table:
        resolution, offset, _, started = self._defs.clock
        processes = sum(kind == 1 for _, kind, *_ in self._defs["LocationGroup"].values())
        row = (
            run_id, self._origin.trace_id, self._origin.format, self._origin.creator,
            self._origin.machine_name, resolution, _signed(offset),
            None if started == UNDEFINED_64 else _signed(started), begin_ns, end_ns,
            len(self._ids["Location"]), processes, record_count, detail,
        )  # fmt: skip
        return table_of_rows(definitions.RUNS, [row])

    def _communicators(self) -> Rows:
        for number, found in enumerate(self._ids.communicators):
            size = 1 if found.kind == "self" else sum(len(group) for group in found.groups)
            yield (
                number, found.ref, self._text(found.name), found.kind,
                _choose(PARADIGMS, found.paradigm),
                self._ids["Comm"].optional(found.parent), size,
            )  # fmt: skip

    def _communicator_members(self) -> Rows:
        for number, found in enumerate(self._ids.communicators):
            for side, group in enumerate(found.groups):
                for rank, location in enumerate(group):
                    yield number, side, rank, *self._with_group(location)

    def _rma_group_members(self) -> Rows:
        for number, group in enumerate(self._ids.process_groups):
            for rank, location in enumerate(group):
                yield number, rank, *self._with_group(location)

    def _with_group(self, location: int) -> tuple[int | None, int | None]:
        return (location, self._ids.group_of_location[location]) if location >= 0 else (None, None)

    def _cart_dimensions(self) -> Rows:
        """Dimensions of the communicators that have a single grid.

        If there are several, the trace does not show which one MPI uses.
        """
        grids: dict[int, list[tuple[int, ...]]] = {}
        for _, communicator, dimensions in self._defs["CartTopology"].values():
            number = self._ids["Comm"].optional(communicator)
            if number is not None and self._defs["CartDimension"].keys() >= set(dimensions):
                grids.setdefault(number, []).append(dimensions)
        for number, found in sorted(grids.items()):
            for position, dimension in enumerate(found[0] if len(found) == 1 else ()):
                _, size, periodicity = self._defs["CartDimension"][dimension]
                yield number, position, min(size, _LAST_SIZE), periodicity == 1

    def _source_locations(self) -> Rows:
        for number, ref, (file, line) in self._numbered("SourceCodeLocation"):
            yield number, ref, self._text(file), _line(line)

    def _calling_contexts(self) -> Rows:
        kinds = ("Region", "SourceCodeLocation", "CallingContext")
        for number, ref, refs in self._numbered("CallingContext"):
            named = zip(kinds, refs, strict=True)
            yield number, ref, *(self._ids[kind].optional(value) for kind, value in named)

    def _attributes(self) -> Rows:
        for number, ref, (name, description, _) in self._numbered("Attribute"):
            yield number, ref, self._text(name), self._text(description)

    def _parameters(self) -> Rows:
        for number, ref, (name, kind) in self._numbered("Parameter"):
            yield number, ref, self._text(name), _choose(PARAMETER_KINDS, kind, "string")

    def _counters(self) -> Rows:
        for number, ref, values in self._numbered("MetricMember"):
            name, _, kind, mode, _, base, exponent, unit = values
            yield (
                number, ref, self._text(name), self._text(unit),
                _choose(COUNTER_KINDS, kind, "other"),
                _choose(ACCUMULATION_MODES, mode & 15, "absolute"),
                _choose(OCCURRENCES, mode >> 4, "point"),
                2 if base == 0 else 10, exponent,
            )  # fmt: skip

    def _counter_instances(self) -> Rows:
        kinds = ("Location", "LocationGroup", "SystemTreeNode")
        for number, ref, (_, recorder, kind, scope) in self._numbered("MetricInstance"):
            scopes = [
                self._ids[each].optional(scope) if kind == at else None
                for at, each in enumerate(kinds)
            ]
            yield (
                number, ref, self._ids["Location"].optional(recorder),
                _choose(COUNTER_SCOPES, kind, "group"), *scopes,
            )  # fmt: skip

    def _rma_windows(self) -> Rows:
        for number, ref, (name, communicator, _) in self._numbered("RmaWin"):
            yield number, ref, self._text(name), self._ids["Comm"].optional(communicator)

    def _io_handles(self) -> Rows:
        for number, ref, values in self._numbered("IoHandle"):
            name, file, paradigm, _, communicator, parent = values
            found = self._defs["IoRegularFile"].get(file) or self._defs["IoDirectory"].get(file)
            interface = self._defs["IoParadigm"].get(paradigm)
            yield (
                number, ref, self._text(name), self._text(found[0]) if found else None,
                self._text(interface[1]) if interface else None,
                self._ids["Comm"].optional(communicator), self._ids["IoHandle"].optional(parent),
            )  # fmt: skip
