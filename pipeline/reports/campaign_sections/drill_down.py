"""Drill-down: from a cell of the grid to the call sites that lose there and their waiting."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section, Table
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, name_site, number, said, share_of

PLACE = 65
WORST = "worst_losses"

CELLS = TableSpec(
    query="losing_call_paths",
    title="Where in the grid which call paths lose",
    note=(
        "Up to three call paths per cell, those of the largest loss of either kind. Lost with "
        "processes: growth of its time over all locations, as a share of that of all call paths "
        "at fewer processes; lost with size: growth of its time per unit of computation, likewise. "
        "Lost waiting: how many of the points lost with processes are waiting. Each leads to its "
        "wait states."
    ),
    row_limit=500,
    titles={
        "loss_processes_ratio": "Lost with processes", "wait_loss_ratio": "Lost waiting",
        "loss_size_ratio": "Lost with size", "waiting_ratio": "Waiting, of its time",
        "path_share_ratio": "Of the critical path",
    },
    silent={"source": None},
)  # fmt: skip
WAITS = TableSpec(
    query="cell_wait_states",
    title="Wait states of the call paths that lose",
    note=(
        "In the best run at each corner of the cell. Longest rank: the one that spends most time "
        "in these calls. What the run waited for, and which rank caused it, tells "
        "`tracemill report RUN` with the run named here."
    ),
    row_limit=2_000,
    titles={
        "wait_ratio": "Of its time", "path_ratio": "Of the critical path",
        "longest_rank": "Longest rank",
    },
    silent={"longest_rank": None},
)  # fmt: skip


def build(material: Material) -> Section | None:
    """Cells with their call paths, then these with their wait states in each run."""
    cells, waits = material.table(CELLS), material.table(WAITS)
    if not cells.rows:
        return None
    return Section(
        key="drill-down",
        title="From cells to wait states",
        sentences=said(*describe_worst(material.rows(WORST))),
        tables=filled(*link_cells(cells, waits)),
        sources=(read_source(WORST),),
    )


def describe_worst(losses: Sequence[Row]) -> Iterator[str]:
    """The call path of every application that loses most in any cell, and what it waits in."""
    for row in losses:
        lost = f"{row['application']}: most is lost {_describe_loss(row)}"
        if row["finding"] is None:
            yield f"{lost}; it does not wait there."
            continue
        yield (
            f"{lost}, where it waits as {row['finding']} for {share_of(row['wait_ratio'])} of "
            f"its time: tracemill report {row['run']} shows why."
        )


def _describe_loss(row: Row) -> str:
    """By whom, over which side of the cell and how much: with size if not with processes."""
    if number(row["loss_processes_ratio"]) > 0:
        most = count_of(row["upper_processes"], "process", "processes")
        return (
            f"with processes by {name_site(row)} from {number(row['lower_processes']):,.0f} to "
            f"{most} ({share_of(row['loss_processes_ratio'])} of the time at fewer)"
        )
    return (
        f"with size, as nothing is with processes, by {name_site(row)} from {row['size_axis']} "
        f"{number(row['lower_size']):g} to {number(row['upper_size']):g} "
        f"({share_of(row['loss_size_ratio'])} of the time at the smaller, per unit of computation)"
    )


def link_cells(cells: Table, waits: Table) -> tuple[Table, Table]:
    """The tables with rows that lead from one to the first of the same in the other, and back."""
    lower, upper = (tuple(_key(row) for row in table.as_dicts()) for table in (waits, cells))
    below = {key: f"waits-{number}" for number, key in enumerate(dict.fromkeys(lower))}
    above = {key: f"cell-{number}" for number, key in enumerate(dict.fromkeys(upper))}
    firsts = {key: lower.index(key) for key in below}
    names = tuple(below[key] if firsts[key] == n else "" for n, key in enumerate(lower))
    return (
        replace(
            cells,
            row_names=tuple(above[key] for key in upper),
            row_links=tuple(below.get(key, "") for key in upper),
        ),
        replace(waits, row_names=names, row_links=tuple(above.get(key, "") for key in lower)),
    )


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("application", "lower_processes", "lower_size",
                                        "call_path"))  # fmt: skip
