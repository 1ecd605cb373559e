"""Indices: speed-ups and efficiencies, each with its constraint, model and reference."""

from collections.abc import Sequence
from dataclasses import replace

from tracemill.reports.campaign_sections.efficiency import CELLS, MARKS, describe_marks
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.pivots import pivot_each
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, nonempty, number, size_of

PLACE = 90

INDICES = TableSpec(
    query="indices",
    title="Performance indices P(U, B, M, O)",
    note=(
        "Every index has a measure, constraint, model and reference point. Blocks differ in "
        "constraint, definition or reference point. Do not compare numbers of different blocks: a "
        "slower reference gives a larger speed-up. Without a reference point (none), general "
        "speed-up is the rate s/T per second, and size-relative efficiency the size that falls to "
        "one process per second."
    ),
    row_limit=1_000,
    titles={"measure": "Measure (U)", "constraint_kind": "Constraint (B)", "model": "Model (M)",
            "reference_point": "Reference (O)", "index_value": "Value"},
    silent={"note": None},
)  # fmt: skip
BLOCKS = "index_blocks"
SERIAL_PARTS = TableSpec(
    query="serial_parts",
    title="Serial fraction (Karp and Flatt)",
    note=(
        "Outside 0 to 1, the linear model does not hold: the program gains more, or loses time. "
        "The measured share is that of the time in which exactly one thread computes (Gustafson)."
    ),
    row_limit=500,
    titles={
        "is_in_range": "In range",
        "reference_processes": "Reference processes",
        "measured_share_ratio": "Measured share",
    },
)


def build(material: Material) -> Section | None:
    """Marks of the grid, all indices, and serial fractions."""
    marks, cells, indices, serial = map(material.table, (MARKS, CELLS, INDICES, SERIAL_PARTS))
    blocks = material.rows(BLOCKS)[0]
    index_keys = ("block", "measure", "constraint_kind", "model", "reference_point")
    tables = filled(
        replace(marks, claim=next(describe_marks(marks.as_dicts()), "")),
        *(
            replace(each, claim=describe_cells(cells.as_dicts()) if at == 0 else "")
            for at, each in enumerate(
                pivot_each(cells, ("mark_all", "mark_procs", "mark_data"), (), end="upper_")
            )
        ),
        *(
            replace(each, claim=describe_indices(len(indices.rows), blocks))
            for each in pivot_each(indices, ("index_value",), index_keys)
        ),
        *(
            replace(each, claim=describe_serial_part(serial.as_dicts()))
            for each in pivot_each(serial, ("serial_fraction",), ())
        ),
    )
    if not tables:
        return None
    return Section(
        key="indices",
        title="Indices",
        sentences=nonempty(describe_blocks(blocks), describe_computation(material.overview)),
        tables=tables,
        sources=(read_source(BLOCKS),),
    )


def describe_cells(cells: Sequence[Row]) -> str:
    """The range of the marks of all cells, in points."""
    if not cells:
        return ""
    marks = [100 * number(row["mark_all"]) for row in cells]
    count = count_of(len(cells), "cell")
    return f"MarkAll is {min(marks):+.1f} to {max(marks):+.1f} points over {count}."


def describe_indices(count: int, blocks: Row) -> str:
    """The number of indices and of their blocks."""
    within = count_of(blocks["block_count"], "block")
    return f"{count_of(count, 'index', 'indices')} in {within}; do not compare blocks."


def describe_serial_part(rows: Sequence[Row]) -> str:
    """The serial fraction with the most processes at the largest size."""
    known = [row for row in rows if row["serial_fraction"] is not None]
    if not known:
        return ""
    row = max(known, key=lambda row: (number(row["size"]), number(row["processes"])))
    processes = count_of(row["processes"], "process", "processes")
    return f"With {processes} at size {size_of(row['size'])}: {number(row['serial_fraction']):.3g}."


def describe_blocks(blocks: Row) -> str:
    """The number of blocks, and what they are for; nothing for a single block."""
    if int(blocks["block_count"] or 0) < 2:
        return ""
    return (
        f"Speed-ups and efficiencies are in {count_of(blocks['block_count'], 'block')}; compare "
        "only numbers of the same block, because others refer to other runs or definitions."
    )


def describe_computation(overview: Row) -> str:
    """The amount of computation, and the results that depend on it."""
    names, amounts = overview["size_names"], overview["computation_sizes"]
    what = f"The amount of computation is {amounts}"
    how = ""
    if names == amounts:
        what = f"The amount of computation is the size {names} itself"
        how = f'; change it with --computation-size, for example "{names}**3"'
    return (
        f"{what}. Speed-ups between sizes, efficiency at scaled size and the scalability function "
        f"S depend on it{how}."
    )
