"""Call tree: time by call path, from the root down."""

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Layout, Section
from tracemill.reports.tables import TableSpec
from tracemill.reports.wording import nonempty

PLACE = 80

CALL_TREE = TableSpec(
    query="call_tree_totals",
    title="Call paths",
    note=(
        "Inclusive time includes callees, exclusive time does not. The smallest call paths are "
        "left out."
    ),
    row_limit=250,
    layout=Layout.TREE,
    bars=("inclusive_ns",),
    silent={"kind": "program"},
    hidden=frozenset({"depth", "source"}),
)


def build(material: Material) -> Section:
    """Time by call path."""
    tree = material.table(CALL_TREE)
    empty = "" if tree.rows else "No region was visited."
    return Section(
        key="call-tree", title="Call tree", sentences=nonempty(empty), tables=filled(tree)
    )
