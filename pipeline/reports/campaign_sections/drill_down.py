"""Drill-down: from a cell of the grid to its losing call paths and their wait states."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracemill.reports.campaign_sections.causes import name_cause
from tracemill.reports.material import Material
from tracemill.reports.model import Section, Table
from tracemill.reports.pivots import pivot_each
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, name_site, nonempty, number, share_of, size_of

_Key = tuple[object, ...]
PLACE = 55
WORST = "worst_losses"

CELLS = TableSpec(
    query="losing_call_paths",
    title="Losing call paths by grid cell",
    note=(
        "Up to three call paths per cell with the largest losses of either kind, by the processes "
        "and the size where the cell ends. Lost with processes: growth of its time over all "
        "locations, as a share of the time of all call paths with fewer processes. Lost with "
        "size: the same for its time per unit of computation. Lost waiting: waiting part of the "
        "loss with processes. Cause: the call path that it waits for with the most processes, "
        "if it mostly waits and one cause is certain; the call path itself if it does not wait. "
        "Each call path leads to its wait states, each cell to its run."
    ),
    row_limit=500,
    titles={
        "upper_size": "Size",
        "loss_processes_ratio": "Lost with processes", "wait_loss_ratio": "Lost waiting",
        "loss_size_ratio": "Lost with size", "cause_call_path": "Cause",
    },
    silent={"source": None},
)  # fmt: skip
WAITS = TableSpec(
    query="cell_wait_states",
    title="Wait states of losing call paths",
    note=(
        "In the best run of each configuration. For causes, see the report of the run that a cell "
        "leads to."
    ),
    row_limit=2_000,
    titles={"wait_ratio": "Of its time"},
)
_LOSSES = ("loss_processes_ratio", "loss_size_ratio", "wait_loss_ratio")


def build(material: Material) -> Section | None:
    """Cells with their call paths, and the wait states of these call paths in each run."""
    cells, waits = material.table(CELLS), material.table(WAITS)
    if not cells.rows:
        return None
    return Section(
        key="drill-down",
        title="Where efficiency is lost",
        sentences=nonempty(*describe_worst(material.rows(WORST))),
        tables=link_cells(
            pivot_each(cells, _LOSSES, ("call_path", "source", "cause_call_path"),
                       end="upper_"),
            pivot_each(waits, ("wait_ns", "wait_ratio"), ("call_path", "finding")),
        ),
        sources=(read_source(WORST),),
    )  # fmt: skip


def describe_worst(losses: Sequence[Row]) -> Iterator[str]:
    """The call path with the largest loss of each application, and its wait state."""
    for row in losses:
        lost = f"{row['application']}: the largest loss is {_describe_loss(row)}"
        if row["finding"] is None:
            yield f"{lost}; it has no waiting."
            continue
        yield (
            f"{lost}; {row['finding']} is {share_of(row['wait_ratio'])} of its time. For causes: "
            f"tracemill report {row['run']}"
        )


def _describe_loss(row: Row) -> str:
    """The call path, side of the cell and amount of a loss: with processes, else with size."""
    cause = name_cause(row)
    where = f"{f'waiting for {cause} ' if cause else ''}in {name_site(row)}"
    if number(row["loss_processes_ratio"]) > 0:
        most = count_of(row["upper_processes"], "process", "processes")
        return (
            f"{where}, from {number(row['lower_processes']):,.0f} to "
            f"{most} ({share_of(row['loss_processes_ratio'])} of the time with fewer)"
        )
    return (
        f"{where}, from {row['size_axis']} "
        f"{size_of(row['lower_size'])} to {size_of(row['upper_size'])} "
        f"({share_of(row['loss_size_ratio'])} of the time at the smaller size, per unit of "
        "computation; no loss with processes)"
    )


def link_cells(cells: Sequence[Table], waits: Sequence[Table]) -> tuple[Table, ...]:
    """The tables; call paths of the first one of each kind lead to those of the other kind."""
    if not (cells and waits):
        return (*cells, *waits)
    above = [_key(row, "upper_size") for row in cells[0].as_dicts()]
    below = [_key(row, "size") for row in waits[0].as_dicts()]
    return (
        _linked(cells[0], "cell", above, "waits", below),
        *cells[1:],
        _linked(waits[0], "waits", below, "cell", above),
        *waits[1:],
    )


def _linked(
    table: Table, name: str, keys: Sequence[_Key], other: str, others: Sequence[_Key]
) -> Table:
    """The table with names of its rows, and a link to the first row of the same call path.

    Preferred is one of the same size.
    """
    firsts: dict[_Key, int] = {}
    for at, key in enumerate(others):
        firsts.setdefault(key, at)
        firsts.setdefault(key[:2], at)
    found = (firsts.get(key, firsts.get(key[:2])) for key in keys)
    return replace(
        table,
        row_names=tuple(f"{name}-{at}" for at, _ in enumerate(keys)),
        row_links=tuple("" if at is None else f"{other}-{at}" for at in found),
    )


def _key(row: Row, size: str) -> _Key:
    """Application, call path and size."""
    return row["application"], row["call_path"], row[size]
