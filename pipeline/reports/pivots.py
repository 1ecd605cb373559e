"""Tables over processes and size: a column per number of processes, a row per size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tracemill.reports.model import Table
from tracemill.reports.run_links import anchor_of
from tracemill.reports.units import Value

ACROSS = "processes"
LARGEST = "largest_size"
"""Column of tables that average over sizes: the size whose runs a cell leads to."""
_Sizes = Mapping[int, Value]


def pivot(
    table: Table,
    value: str,
    keys: Sequence[str],
    *,
    title: str = "",
    note: str | None = None,
    is_heat: bool = False,
    end: str = "",
) -> Table:
    """One figure of a table by configuration: processes across, the columns `keys` down.

    Processes and size are in the columns with these names after the prefix `end`. Cells lead to
    the runs of their configuration, where the keys have the application, and the size or rows have
    a largest one. The SQL returns exactly the rows.
    """
    across_name = f"{end}{ACROSS}"
    columns = {column.name: column for column in table.columns}
    kept = [name for name in keys if name in columns]
    counts = sorted({int(processes or 0) for processes in table.values(across_name)})
    cells = _cells(table, value, kept, across_name)
    sizes = _cells(table, LARGEST, kept, across_name) if LARGEST in columns else {}
    of = columns[value]
    across = (replace(of, name=f"p{p}", title=f"{p}", is_heat=is_heat, meaning="") for p in counts)
    return replace(
        table,
        name=f"{table.name}_{value}",
        title=title or f"{table.title}: {of.title}",
        note=table.note if note is None else note,
        columns=(*(columns[name] for name in kept), *across),
        rows=tuple((*key, *(found.get(p) for p in counts)) for key, found in cells.items()),
        sql=_sql(table.sql, value, kept, counts, across_name),
        hidden=table.hidden & set(kept),
        cell_links=tuple(
            tuple(_links(dict(zip(kept, key, strict=True)), counts, f"{end}size", sizes.get(key)))
            for key in cells
        ),
    )


def _cells(
    table: Table, value: str, keys: Sequence[str], across: str
) -> dict[tuple[Value, ...], dict[int, Value]]:
    """The first value of every number of processes, by key."""
    cells: dict[tuple[Value, ...], dict[int, Value]] = {}
    for row in table.as_dicts():
        found = cells.setdefault(tuple(row[name] for name in keys), {})
        if row[value] is not None:
            found.setdefault(int(row[across] or 0), row[value])
    return cells


def _links(
    key: dict[str, Value], counts: Sequence[int], size: str, largest: _Sizes | None
) -> Iterator[str]:
    """The anchor of the configuration of each cell; empty for the keys."""
    yield from ("" for _ in key)
    sizes = dict.fromkeys(counts, key[size]) if size in key else largest or {}
    for processes in counts:
        anchor = anchor_of(key.get("application"), processes, sizes.get(processes))
        yield f"#{anchor}" if "application" in key and processes in sizes else ""


def _sql(sql: str, value: str, keys: Sequence[str], counts: Sequence[int], across: str) -> str:
    named = ", ".join(keys)
    cells = ",\n    ".join(
        f"any_value({value}) FILTER (WHERE {across} = {count}) AS p{count}" for count in counts
    )
    return (
        f"SELECT {named},\n    {cells}\n"
        f"FROM (SELECT *, row_number() OVER () AS place FROM (\n{sql}\n))\n"
        f"GROUP BY {named}\nORDER BY min(place)"
    )


def pivot_each(
    table: Table, values: Sequence[str], keys: Sequence[str], *, end: str = ""
) -> tuple[Table, ...]:
    """A table for each figure, the first with the note; none for figures without values.

    Keys are after application and size.
    """
    shown = [name for name in values if any(each is not None for each in table.values(name))]
    return tuple(
        pivot(table, name, ("application", f"{end}size", *keys), note=None if at == 0 else "",
              title=table.title if len(values) == 1 else "", end=end)
        for at, name in enumerate(shown)
    )  # fmt: skip


def by_size(table: Table, value: str, title: str, *, is_heat: bool = False) -> Table:
    """A figure of every configuration: processes across, sizes down."""
    return pivot(table, value, ("application", "size"), title=title, is_heat=is_heat)
