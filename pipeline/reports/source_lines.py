"""Source lines of the call paths that a report shows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tracemill.reports.material import Material
from tracemill.reports.model import Column, Section, Table

QUERY = "sources_of_call_paths"
SOURCE = "source"


def with_sources(sections: Sequence[Section], material: Material) -> tuple[Section, ...]:
    """The sections, whose tables show file and line of call paths where they are known."""
    shown = {
        str(value)
        for section in sections
        for table in section.tables
        for column in table.columns
        if column.is_path
        for value in table.values(column.name)
        if value is not None
    }
    found = material.arrays(QUERY, call_paths=sorted(shown)) if shown else {}
    sources = dict(zip(*map(list, found.values()), strict=True)) if found else {}
    return tuple(
        replace(section, tables=tuple(_with_sources(table, sources) for table in section.tables))
        for section in sections
    )


def _with_sources(table: Table, sources: Mapping[str, str]) -> Table:
    """The table with sources of its call paths; a column `source` is that of the first column."""
    own = {}
    if SOURCE in (column.name for column in table.columns):
        first = table.columns[0].name
        pairs = zip(table.values(first), table.values(SOURCE), strict=True)
        own = {str(name): str(source) for name, source in pairs if source is not None}

    def place(at: int, column: Column) -> Column:
        known = own if at == 0 and own else sources if column.is_path else {}
        values = map(str, table.values(column.name)) if known else ()
        return replace(column, sources={each: known[each] for each in values if each in known})

    columns = tuple(place(at, column) for at, column in enumerate(table.columns))
    return replace(table, columns=columns)
