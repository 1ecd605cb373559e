"""Programs: put into the order of their marks."""

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec

PLACE = 30

ORDERS = TableSpec(
    query="programs_compared",
    title="Programs in the order of their marks",
    note=(
        "Lowest mark first, which scales worst. Only programs whose efficiency means the same "
        "are compared. Source tells whose marks they are: of this campaign, or as published."
    ),
    row_limit=500,
    silent={"reason": None},
)
AGREEMENT = TableSpec(
    query="orders_compared",
    title="How far the orders agree",
    silent={"reason": None},
)


def build(material: Material) -> Section | None:
    """The comparison of programs, if there are several."""
    orders = material.table(ORDERS)
    if len(set(orders.values("application"))) < 2:
        return None
    return Section(
        key="programs",
        title="Programs compared",
        tables=filled(orders, material.table(AGREEMENT)),
    )
