"""The intervals of a forecast: a table of all, and a section for each of the worst."""

from collections.abc import Collection, Iterator

from tracemill.base.names import make_visible
from tracemill.reports.forecast_sections.material import ForecastMaterial, Row, lost_share
from tracemill.reports.forecast_sections.tables import (
    THIS,
    interval_table,
    neighbor_table,
    operation_table,
    section_key,
)
from tracemill.reports.material import filled
from tracemill.reports.model import Fact, Picture, Section
from tracemill.reports.pictures.process_bars import draw_process_bars
from tracemill.reports.units import Unit
from tracemill.reports.wording import count_of, name_path

MOST_ROWS = 1_000
MOST_SECTIONS = 40
MOST_NESTED = 20


def build(material: ForecastMaterial) -> Iterator[Section]:
    """The table of intervals, then the intervals with the most lost time in program order."""
    detailed = {row["interval_id"] for row in material.worst[:MOST_SECTIONS]}
    yield Section(
        key="intervals",
        title="Intervals",
        sentences=(
            "Times are those of all processes, with nested intervals; the time of an interval is "
            "that of its longest process. The color is the share of lost time.",
        ),
        tables=(
            interval_table(
                material.worst[:MOST_ROWS],
                title="All intervals, most lost time first",
                detailed=detailed,
            ),
        ),
        remarks=_describe_cut(len(material.intervals), len(detailed)),
    )
    for number in sorted(detailed):
        yield _detail(material, material.intervals[number], detailed)


def _describe_cut(count: int, detailed: int) -> tuple[str, ...]:
    if detailed == count:
        return ()
    return (f"Sections follow for the {detailed} of {count} intervals with the most lost time.",)


def _detail(material: ForecastMaterial, row: Row, detailed: Collection[int]) -> Section:
    own = [each for each in material.operations if each["interval_id"] == row["interval_id"]]
    return Section(
        key=section_key(row),
        title=make_visible(row["interval"]),
        facts=(
            Fact("time", row["time_ns"], Unit.TIME),
            Fact("efficiency", row["efficiency_ratio"], Unit.SHARE),
            Fact("lost", lost_share(row), Unit.SHARE),
            Fact("overlap", row["overlap_ns"], Unit.TIME),
            Fact("desynchronized before", row["before_ns"], Unit.TIME),
            Fact("desynchronized after", row["after_ns"], Unit.TIME),
        ),
        pictures=(_picture(material, row),),
        tables=filled(
            neighbor_table(list(_around(material, row)), detailed=detailed),
            operation_table(own, title="Operations by class"),
        ),
    )


def _picture(material: ForecastMaterial, row: Row) -> Picture:
    processes = material.processes(row["interval_id"])
    count = count_of(material.forecast["processes"], "process", "processes")
    return Picture(
        name=f"processes-{row['interval_id']}",
        title="Time of each process",
        draw=lambda: draw_process_bars(processes),
        description=f"The parts of the time of {count} in {name_path(row['interval'])}.",
        of="forecast_processes",
    )


def _around(material: ForecastMaterial, row: Row) -> Iterator[tuple[str, Row]]:
    """The enclosing interval, those before and after in the same list, and nested ones."""
    parent = row["parent_interval_id"]
    if parent is not None:
        yield "above", material.intervals[parent]
        beside = _nested(material, parent)
        position = [each["interval_id"] for each in beside].index(row["interval_id"])
        if position:
            yield "before", beside[position - 1]
        yield THIS, row
        if position + 1 < len(beside):
            yield "after", beside[position + 1]
    else:
        yield THIS, row
    for nested in _nested(material, row["interval_id"])[:MOST_NESTED]:
        yield "below", nested


def _nested(material: ForecastMaterial, number: int) -> list[Row]:
    return [row for row in material.intervals if row["parent_interval_id"] == number]
