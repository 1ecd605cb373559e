"""Region call graph: calls between regions and their cost."""

from collections.abc import Sequence

from tracemill.base.text import join_words
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec
from tracemill.reports.wording import Row, count_of, name_region, time_of

PLACE = 90
NAMED_ENTRIES = 5

_TITLES = {"here_ns": "Here", "forked_ns": "Forked", "together_ns": "Together"}
_NOTE = (
    "Times are with MPI setup. Here: on the locations that are in the caller themselves. "
    "Forked: on locations whose threads were forked there."
)
ENTRY_REGIONS = TableSpec(
    query="entry_regions",
    title="Entry regions",
    row_limit=20,
    titles=_TITLES,
    silent={"forked_ns": 0},
)
HEAVIEST_EDGES = TableSpec(
    query="heaviest_edges",
    title="Most expensive calls",
    note=_NOTE,
    row_limit=25,
    bars=("here_ns", "forked_ns"),
    titles=_TITLES,
    silent={"kind": "call", "forked_ns": 0},
)


def build(material: Material) -> Section:
    """The dynamic call graph of the code regions."""
    entries = material.table(ENTRY_REGIONS)
    edges = material.table(HEAVIEST_EDGES)
    return Section(
        key="region-call-graph",
        title="Region call graph",
        sentences=(describe_graph(entries.as_dicts(), edges.as_dicts()),),
        tables=filled(edges, entries),
    )


def describe_graph(entries: Sequence[Row], edges: Sequence[Row]) -> str:
    """The entry regions and the most expensive call."""
    if not entries:
        return "The graph is empty: no region was executed."
    names = join_words([name_region(row["region"]) for row in entries[:NAMED_ENTRIES]])
    others = " and others" if len(entries) > NAMED_ENTRIES else ""
    entered = f"Execution enters at {names}{others}."
    if not edges:
        return f"{entered} No region calls another."
    heaviest = edges[0]
    caller, callee = (name_region(heaviest[side]) for side in ("caller", "callee"))
    return (
        f"{entered} The most expensive call is {caller} → {callee}: "
        f"{time_of(heaviest['together_ns'])} in {count_of(heaviest['visit_count'], 'visit')}."
    )
