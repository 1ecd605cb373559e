"""Drill-down: from a cell of the grid to its losing call paths and their wait states."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracemill.reports.campaign_sections.causes import name_cause
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section, Table
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, name_site, nonempty, number, share_of, size_of

PLACE = 55
WORST = "worst_losses"

CELLS = TableSpec(
    query="losing_call_paths",
    title="Losing call paths by grid cell",
    note=(
        "Up to three call paths per cell with the largest losses of either kind. Lost with "
        "processes: growth of its time over all locations, as a share of the time of all call "
        "paths with fewer processes. Lost with size: the same for its time per unit of "
        "computation. Lost waiting: waiting part of the loss with processes. Cause: the call path "
        "that it waits for with the most processes at the larger size, if it mostly waits and one "
        "cause is certain; the call path itself if it does not wait. Each call path links to its "
        "wait states."
    ),
    row_limit=500,
    titles={
        "loss_processes_ratio": "Lost with processes", "wait_loss_ratio": "Lost waiting",
        "loss_size_ratio": "Lost with size", "waiting_ratio": "Waiting, of its time",
        "path_share_ratio": "Of the critical path", "cause_call_path": "Cause",
        "cause_rank": "Rank",
    },
    silent={"source": None, "cause_rank": None},
)  # fmt: skip
WAITS = TableSpec(
    query="cell_wait_states",
    title="Wait states of losing call paths",
    note=(
        "In the best run at each corner of the cell. Longest rank: the rank with the most time in "
        "these calls. For causes, see `tracemill report RUN` with the run named here."
    ),
    row_limit=2_000,
    titles={
        "wait_ratio": "Of its time", "path_ratio": "Of the critical path",
        "longest_rank": "Longest rank",
    },
    silent={"longest_rank": None},
)  # fmt: skip


def build(material: Material) -> Section | None:
    """Cells with their call paths, and the wait states of these call paths in each run."""
    cells, waits = material.table(CELLS), material.table(WAITS)
    if not cells.rows:
        return None
    return Section(
        key="drill-down",
        title="From cells to wait states",
        sentences=nonempty(*describe_worst(material.rows(WORST))),
        tables=filled(*link_cells(cells, waits)),
        sources=(read_source(WORST),),
    )


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


def link_cells(cells: Table, waits: Table) -> tuple[Table, Table]:
    """The tables with links from each row to the first matching row of the other table."""
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
