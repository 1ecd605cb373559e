"""Indices: speed-ups and efficiencies, each with its constraint, model and reference."""

from tracemill.base.text import join_words
from tracemill.reports.campaign_sections.efficiency import CELLS, MARKS
from tracemill.reports.material import Material
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec, read_source
from tracemill.reports.wording import Row, count_of, nonempty

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
    tables = material.tables(MARKS, CELLS, INDICES, SERIAL_PARTS)
    if not tables:
        return None
    return Section(
        key="indices",
        title="Indices",
        sentences=nonempty(
            describe_blocks(material.rows(BLOCKS)[0]), describe_computation(material.overview)
        ),
        tables=tables,
        sources=(read_source(BLOCKS),),
    )


def describe_blocks(blocks: Row) -> str:
    """The number of blocks and their references; nothing for a single block."""
    if int(blocks["block_count"] or 0) < 2:
        return ""
    references = [
        count_of(blocks[name], one, many)
        for name, one, many in (
            ("point_count", "measured point", "measured points"),
            ("fit_count", "fit or estimate", "fits or estimates"),
        )
        if blocks[name]
    ]
    return (
        f"There are {count_of(blocks['block_count'], 'block')} of indices, each with one "
        f"constraint and one reference; the references are {join_words(references)}."
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
