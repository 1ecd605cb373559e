"""Programs, ordered by their marks."""

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Section
from tracemill.reports.tables import TableSpec

PLACE = 30

ORDERS = TableSpec(
    query="programs_compared",
    title="Programs by mark",
    note=(
        "Lowest mark first: it scales worst. Only programs with the same definition of efficiency "
        "are compared. Source: this campaign, or a publication."
    ),
    row_limit=500,
    silent={"reason": None},
)
AGREEMENT = TableSpec(
    query="orders_compared", title="Agreement of the orders", silent={"reason": None}
)


def build(material: Material) -> Section | None:
    """The comparison of programs, if there are several."""
    orders = material.table(ORDERS)
    if len(set(orders.values("application"))) < 2:
        return None
    return Section(
        key="programs", title="Programs compared", tables=filled(orders, material.table(AGREEMENT))
    )
