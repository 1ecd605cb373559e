"""Time course: activity of all locations over the run."""

from tracemill.reports.material import Material
from tracemill.reports.model import Drawing, Drawn, Layout, Section, Table
from tracemill.reports.part_styles import color_of
from tracemill.reports.pictures.courses import Area, draw_course
from tracemill.reports.tables import TableSpec

PLACE = 60

COURSE = TableSpec(
    query="time_course",
    title="Parts of the time over the run",
    note="Waiting counts in the part in which it occurs.",
    layout=Layout.COURSE,
)


def build(material: Material) -> Section | None:
    """The parts of the time, from the start to the end of the run."""
    table = material.table(COURSE)
    if not table.rows:
        return None
    drawing = Drawing(name="time-course", title=COURSE.title, draw=lambda: _draw(table))
    return Section(key="time-course", title="Time course", tables=(table,), drawings=(drawing,))


def _draw(table: Table) -> Drawn:
    ratios: dict[str, list[float]] = {}
    for row in table.as_dicts():
        ratios.setdefault(str(row["part"]), []).append(float(row["time_ratio"] or 0))
    areas = [Area(part, tuple(values), color_of(part)) for part, values in ratios.items()]
    begins, ends = table.values("begin_ns"), table.values("end_ns")
    stretches = zip(begins, ends, strict=True)
    times = sorted({float(time or 0) / 1e9 for stretch in stretches for time in stretch})
    return draw_course(areas, times, "time-course")
