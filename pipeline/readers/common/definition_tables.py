"""The trace's definitions as tables of the store."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from tracemill.readers.common.definitions import UNDEFINED_32, UNDEFINED_64
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import TraceOrigin
from tracemill.schemas import communicators, definitions, named_values
from tracemill.schemas.columns import PARADIGMS
from tracemill.schemas.table import Table

_LOCATION_KINDS = {1: "cpu_thread", 2: "gpu", 3: "metric"}
_GROUP_KINDS = {1: "process", 2: "accelerator"}
_COUNTER_KINDS = ("other", "papi", "rusage", "user")
_ACCUMULATION = ("accumulated", "absolute", "relative")
_PARAMETER_KINDS = ("string", "int64", "uint64")

_LAST_SIZE = (1 << 31) - 1

ARTIFICIAL_REGIONS = ("(undefined region)", "TASKS", "THREADS")
"""Regions that are no code: for impossible ids, and the roots of tasks and created threads."""


def _table(table: Table, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Rows, in the order of the declared columns, as a table."""
    columns = list(zip(*rows, strict=True))
    if not columns:
        return table.empty()
    arrays = {
        column.name: pa.array(values, pa.string() if column.values else column.type)
        for column, values in zip(table.columns, columns, strict=True)
    }
    return table.conform(pa.table(arrays))


def _signed(ref: int) -> int:
    """An unsigned 64-bit identifier as the signed number with the same bits."""
    return ref - (1 << 64) if ref >= 1 << 63 else ref


def _line(number: int) -> int:
    """A line of source code; 0, which stands for none, if no file has so many."""
    return number if number < 1 << 31 else 0


def _choose(names: Sequence[str], code: int, fallback: str) -> str:
    return names[code] if code < len(names) else fallback


class DefinitionTables:
    """Tables that follow from the definitions alone."""

    def __init__(self, origin: TraceOrigin, identifiers: Identifiers) -> None:
        self._origin, self._ids = origin, identifiers
        self._defs = identifiers.definitions
        self._text = self._defs.text

    def _optional_text(self, ref: int) -> str | None:
        return None if ref == UNDEFINED_32 else self._text(ref)

    def all(self) -> Iterable[tuple[Table, pa.Table]]:
        yield definitions.SYSTEM_TREE_NODES, self._system_tree_nodes()
        yield definitions.LOCATION_GROUPS, self._location_groups()
        yield communicators.COMMUNICATORS, self._communicators()
        yield communicators.COMMUNICATOR_MEMBERS, self._communicator_members()
        yield communicators.CART_DIMENSIONS, self._cart_dimensions()
        yield definitions.SOURCE_LOCATIONS, self._source_locations()
        yield definitions.CALLING_CONTEXTS, self._calling_contexts()
        yield named_values.ATTRIBUTES, self._attributes()
        yield named_values.PARAMETERS, self._parameters()
        yield named_values.COUNTERS, self._counters()
        yield communicators.RMA_WINDOWS, self._rma_windows()
        yield communicators.RMA_GROUP_MEMBERS, self._rma_group_members()
        yield communicators.IO_HANDLES, self._io_handles()

    def _system_tree_nodes(self) -> pa.Table:
        nodes = self._ids["SystemTreeNode"]
        found = self._defs["SystemTreeNode"].values()
        rows = (
            (number, nodes.optional(parent), self._text(name), self._text(kind))
            for number, (name, kind, parent) in enumerate(found)
        )
        return _table(definitions.SYSTEM_TREE_NODES, rows)

    def _location_groups(self) -> pa.Table:
        groups, nodes = self._ids["LocationGroup"], self._ids["SystemTreeNode"]
        found = self._defs["LocationGroup"].items()
        rows = (
            (
                number, ref, self._text(name), _GROUP_KINDS.get(kind, "unknown"),
                self._ids.rank_of_group[number], nodes.optional(node), groups.optional(creator),
            )
            for number, (ref, (name, kind, node, creator)) in enumerate(found)
        )  # fmt: skip
        return _table(definitions.LOCATION_GROUPS, rows)

    def region_name(self, number: int) -> str:
        ref = self._ids["Region"].refs[number]
        return self._text(self._defs["Region"][ref][0])

    def regions(self, used_artificial: Sequence[bool]) -> pa.Table:
        """Regions, then those artificial ones that occur."""
        rows = [self._region_row(number) for number in range(len(self._ids["Region"]))]
        for offset, name in enumerate(ARTIFICIAL_REGIONS):
            if used_artificial[offset]:
                number = len(self._ids["Region"]) + offset
                ref = -1 - offset
                rows.append((number, ref, name, name, "artificial", "none", None, None, None))
        return _table(definitions.REGIONS, rows)

    def _region_row(self, number: int) -> tuple[Any, ...]:
        ref = self._ids["Region"].refs[number]
        name, canonical, _, role, paradigm, _, file, begin, end = self._defs["Region"][ref]
        return (
            number, ref, self._text(name), self._text(canonical),
            _choose(definitions.REGION_ROLES, role, "unknown"),
            _choose(PARADIGMS, paradigm, "unknown"),
            self._optional_text(file) or None, _line(begin) or None, _line(end) or None,
        )  # fmt: skip

    def locations(self, outcomes: Sequence[Sequence[Any]]) -> pa.Table:
        """Locations; `outcomes` gives record count, visits, begin, end and completeness of each."""
        rows = (
            (
                number, _signed(ref), self._text(name), _LOCATION_KINDS.get(kind, "unknown"),
                self._ids.group_of_location[number],
                self._ids.rank_of_group[self._ids.group_of_location[number]],
                self._ids.thread_of_location[number], declared, *outcomes[number],
            )
            for number, (ref, (name, kind, declared, _)) in enumerate(
                self._defs["Location"].items()
            )
        )  # fmt: skip
        return _table(definitions.LOCATIONS, rows)

    def run(self, run_id: str, *, begin_ns: int, end_ns: int, record_count: int) -> pa.Table:
        resolution, offset, _, started = self._defs.clock
        processes = sum(kind == 1 for _, kind, *_ in self._defs["LocationGroup"].values())
        row = (
            run_id, self._origin.trace_id, self._origin.format, self._origin.creator,
            self._origin.machine_name, resolution, _signed(offset),
            None if started == UNDEFINED_64 else _signed(started), begin_ns, end_ns,
            len(self._ids["Location"]), processes, record_count,
        )  # fmt: skip
        return _table(definitions.RUNS, [row])

    def _communicators(self) -> pa.Table:
        numbers = self._ids["Comm"]
        rows = (
            (
                number, found.ref, self._text(found.name), found.kind,
                _choose(PARADIGMS, found.paradigm, "unknown"), numbers.optional(found.parent),
                1 if found.kind == "self" else sum(len(group) for group in found.groups),
            )
            for number, found in enumerate(self._ids.communicators)
        )  # fmt: skip
        return _table(communicators.COMMUNICATORS, rows)

    def _communicator_members(self) -> pa.Table:
        owner = self._ids.group_of_location
        rows = (
            (number, side, rank, *((m, owner[m]) if m >= 0 else (None, None)))
            for number, found in enumerate(self._ids.communicators)
            for side, group in enumerate(found.groups)
            for rank, m in enumerate(group)
        )
        return _table(communicators.COMMUNICATOR_MEMBERS, rows)

    def _cart_dimensions(self) -> pa.Table:
        """Those of communicators with one grid; of several, nobody knows which MPI goes by."""
        grids: dict[int, list[tuple[int, ...]]] = {}
        for _, communicator, dimensions in self._defs["CartTopology"].values():
            number = self._ids["Comm"].optional(communicator)
            is_defined = all(each in self._defs["CartDimension"] for each in dimensions)
            if number is not None and is_defined:
                grids.setdefault(number, []).append(dimensions)
        rows = (
            (number, place, min(size, _LAST_SIZE), periodicity == 1)
            for number, found in sorted(grids.items())
            if len(found) == 1
            for place, each in enumerate(found[0])
            for _, size, periodicity in (self._defs["CartDimension"][each],)
        )
        return _table(communicators.CART_DIMENSIONS, rows)

    def _source_locations(self) -> pa.Table:
        found = self._defs["SourceCodeLocation"].items()
        rows = (
            (number, ref, self._text(file), _line(line))
            for number, (ref, (file, line)) in enumerate(found)
        )
        return _table(definitions.SOURCE_LOCATIONS, rows)

    def _calling_contexts(self) -> pa.Table:
        regions, contexts = self._ids["Region"], self._ids["CallingContext"]
        places = self._ids["SourceCodeLocation"]
        found = self._defs["CallingContext"].items()
        rows = (
            (
                number, ref, regions.optional(region), places.optional(place),
                contexts.optional(parent),
            )
            for number, (ref, (region, place, parent)) in enumerate(found)
        )  # fmt: skip
        return _table(definitions.CALLING_CONTEXTS, rows)

    def _attributes(self) -> pa.Table:
        found = self._defs["Attribute"].items()
        rows = (
            (number, ref, self._text(name), self._text(description))
            for number, (ref, (name, description, _)) in enumerate(found)
        )
        return _table(named_values.ATTRIBUTES, rows)

    def _parameters(self) -> pa.Table:
        found = self._defs["Parameter"].items()
        rows = (
            (number, ref, self._text(name), _choose(_PARAMETER_KINDS, kind, "string"))
            for number, (ref, (name, kind)) in enumerate(found)
        )
        return _table(named_values.PARAMETERS, rows)

    def _counters(self) -> pa.Table:
        found = self._defs["MetricMember"].items()
        rows = (
            (
                number, ref, self._text(name), self._text(unit),
                _choose(_COUNTER_KINDS, kind, "other"),
                _choose(_ACCUMULATION, mode & 15, "absolute"), 2 if base == 0 else 10, exponent,
            )
            for number, (ref, (name, _, kind, mode, _, base, exponent, unit)) in enumerate(found)
        )  # fmt: skip
        return _table(named_values.COUNTERS, rows)

    def _rma_windows(self) -> pa.Table:
        found = self._defs["RmaWin"].items()
        rows = (
            (number, ref, self._text(name), self._ids["Comm"].optional(communicator))
            for number, (ref, (name, communicator, _)) in enumerate(found)
        )
        return _table(communicators.RMA_WINDOWS, rows)

    def _rma_group_members(self) -> pa.Table:
        owner = self._ids.group_of_location
        rows = (
            (number, place, *((m, owner[m]) if m >= 0 else (None, None)))
            for number, group in enumerate(self._ids.process_groups)
            for place, m in enumerate(group)
        )
        return _table(communicators.RMA_GROUP_MEMBERS, rows)

    def _io_handles(self) -> pa.Table:
        rows = (
            self._io_handle_row(number, ref, *values)
            for number, (ref, values) in enumerate(self._defs["IoHandle"].items())
        )
        return _table(communicators.IO_HANDLES, rows)

    def _io_handle_row(
        self, number: int, ref: int, name: int, file: int, paradigm: int, _: int, communicator: int,
        parent: int,
    ) -> tuple[Any, ...]:  # fmt: skip
        found = self._defs["IoRegularFile"].get(file) or self._defs["IoDirectory"].get(file)
        interface = self._defs["IoParadigm"].get(paradigm)
        return (
            number, ref, self._text(name), self._text(found[0]) if found else None,
            self._text(interface[1]) if interface else None,
            self._ids["Comm"].optional(communicator), self._ids["IoHandle"].optional(parent),
        )  # fmt: skip
