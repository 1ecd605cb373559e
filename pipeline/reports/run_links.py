"""Links on the page of a campaign: from configurations and cells to their runs, and to reports."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tracemill.reports.model import Section, Table
from tracemill.reports.units import Value
from tracemill.reports.wording import Row, number

RUNS = "listed_runs"
"""Query of the table that all links lead to."""
_ENDS = ("", "largest_", "upper_")
"""Prefixes of the columns that name a configuration; of two ends, the one with more processes."""
_Names = tuple[str, str]


def anchor_of(application: object, processes: object, size: object) -> str:
    """The name of the first run of a configuration on the page."""
    name = re.sub(r"[^\w.-]+", "-", str(application))
    return f"runs-{name}-p{processes}-n{number(size if isinstance(size, int | float) else 0):g}"


def link_runs(sections: tuple[Section, ...], store: Path) -> tuple[Section, ...]:
    """The sections with a link from every row to the runs behind it.

    Rows of a configuration lead to its runs in the table of all runs; runs lead to their reports
    in the store, where they have one. Cells lead to the report of the shortest run of their
    configuration, else to its runs. Rows that already lead elsewhere stay as they are.
    """
    listed = next(
        (table for section in sections for table in section.tables if table.name == RUNS), None
    )
    if listed is None:
        return sections
    pages = dict(_pages(listed, store))
    anchors = {_anchor(row) for row in listed.as_dicts()}
    shortest = dict(_shortest(listed.as_dicts(), pages))
    cells = {f"#{each}": shortest.get(each, f"#{each}") for each in anchors}

    def linked(tables: tuple[Table, ...]) -> tuple[Table, ...]:
        return tuple(_link(_link_cells(table, cells), anchors, pages) for table in tables)

    return tuple(
        replace(
            section,
            tables=linked(section.tables),
            opening=section.opening
            and replace(section.opening, tables=linked(section.opening.tables)),
        )
        for section in sections
    )


def _shortest(rows: Sequence[Row], pages: Mapping[Value, str]) -> Iterator[tuple[str, str]]:
    """The report of the shortest run of each configuration that has one, by its anchor."""
    for row in sorted(rows, key=lambda row: -number(row["time_ns"])):
        if row["run"] in pages:
            yield _anchor(row), pages[row["run"]]


def _link_cells(table: Table, addresses: Mapping[str, str]) -> Table:
    """The table with the addresses that its cells lead to in place of anchors."""
    links = (tuple(addresses.get(each, "") for each in row) for row in table.cell_links)
    return replace(table, cell_links=tuple(links))


def _pages(listed: Table, store: Path) -> Iterator[tuple[Value, str]]:
    """Run ids with a report, and its address relative to the page of the campaign."""
    for run in dict.fromkeys(listed.values("run")):
        if run and (store / "reports" / f"run={run}" / "index.html").is_file():
            yield run, f"../run={run}/index.html"


def _link(table: Table, anchors: set[str], pages: Mapping[Value, str]) -> Table:
    names = {column.name for column in table.columns}
    rows = table.as_dicts()
    if "run" in names and pages and not table.row_pages:
        table = replace(table, row_pages=tuple(pages.get(row["run"], "") for row in rows))
    if table.name == RUNS:
        first = {_anchor(row): at for at, row in reversed(list(enumerate(rows)))}
        own = {at: name for name, at in first.items()}
        return replace(table, row_names=tuple(own.get(at, "") for at in range(len(rows))))
    ends = ((f"{end}processes", size) for end in _ENDS for size in (f"{end}size", "size"))
    end = next((end for end in ends if names.issuperset(end)), None)
    if end is None or "application" not in names or table.row_links:
        return table
    found = [_anchor(row, end) for row in rows]
    return replace(table, row_links=tuple(name if name in anchors else "" for name in found))


def _anchor(row: Row, names: _Names = ("processes", "size")) -> str:
    processes, size = names
    return anchor_of(row["application"], row[processes], row[size])
