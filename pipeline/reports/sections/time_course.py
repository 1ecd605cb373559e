"""Time course: what all locations did when."""

from pipeline.reports.material import Material
from pipeline.reports.model import Layout, Section
from pipeline.reports.tables import TableSpec

PLACE = 60

COURSE = TableSpec(
    query="time_course",
    title="Parts of the time over the run",
    note="Waiting belongs to the part in which it happens.",
    layout=Layout.COURSE,
)


def build(material: Material) -> Section | None:
    """The parts of the time, from the start of the run to its end."""
    table = material.table(COURSE)
    if not table.rows:
        return None
    return Section(key="time-course", title="Time course", tables=(table,))
