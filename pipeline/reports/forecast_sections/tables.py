"""Tables of the report of a forecast: intervals, operations, channels and parts of the time."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from tracemill.reports.forecast_sections.material import PARTS, ForecastMaterial, Row, lost_share
from tracemill.reports.model import Column, Layout, Table
from tracemill.reports.tables import title_of
from tracemill.reports.units import Unit, unit_of
from tracemill.schemas import Table as Declared
from tracemill.schemas.forecasts import FORECAST_CHANNELS, FORECAST_INTERVALS, FORECAST_OPERATIONS

_TITLES = {
    "insufficient_ns": "Insufficient parallelism",
    "class": "Class of operation",
    "before_ns": "Desynchronized before",
    "after_ns": "Desynchronized after",
    "busy_ratio": "Utilization",
}
_OF_INTERVALS = (
    "interval", "time_ns", "efficiency_ratio", "lost_ns", "insufficient_ns", "communication_ns",
    "idle_ns",
)  # fmt: skip
_IN_TERMINALS = (
    "interval", "lost_ns", "insufficient_ns", "communication_ns", "idle_ns", "time_ns",
    "efficiency_ratio",
)  # fmt: skip
_OF_OPERATIONS = ("class", "operation_count", "time_ns", "overlap_ns", "before_ns", "after_ns")
_OF_CHANNELS = ("level", "transfers", "bytes", "busy_ns", "busy_ratio")


def column_of(declared: Declared, name: str, *, has_bar: bool = False) -> Column:
    """A column of a stored table with its title, unit and meaning."""
    column = next(each for each in declared.columns if each.name == name)
    unit = Unit.AMOUNT if name in ("operation_count", "transfers") else unit_of(name, (0,))
    is_text = name in ("interval", "class", "level")
    return Column(
        name=name,
        title=_TITLES.get(name, title_of(name)),
        unit=Unit.TEXT if is_text else unit,
        has_bar=has_bar,
        is_path=name == "interval",
        meaning=column.meaning.replace("`", ""),
    )


def interval_table(
    rows: Sequence[Row], *, title: str, detailed: Collection[int] = (), note: str = ""
) -> Table:
    """Intervals, colored by the share of lost time; those in `detailed` link to their section."""
    made = _table(FORECAST_INTERVALS, "intervals", title, _OF_INTERVALS, rows, bar="lost_ns")
    return replace(
        made,
        note=note,
        row_names=tuple(f"row-{row['interval_id']}" for row in rows),
        row_links=tuple(section_key(row) if row["interval_id"] in detailed else "" for row in rows),
        row_shades=tuple(map(lost_share, rows)),
    )


def worst_intervals(material: ForecastMaterial, *, limit: int) -> Table:
    """The intervals with the most lost time, for a terminal."""
    rows = material.worst[:limit]
    title = "Intervals, largest lost time of all processes first"
    made = _table(FORECAST_INTERVALS, "worst", title, _IN_TERMINALS, rows, bar="lost_ns")
    return replace(made, is_cut=len(rows) < len(material.worst))


def neighbor_table(rows: Sequence[tuple[str, Row]], *, detailed: Collection[int]) -> Table:
    """An interval and those around it, with the relation in a first column."""
    made = interval_table([row for _, row in rows], title="Around it", detailed=detailed)
    return replace(
        made,
        columns=(Column(name="relation", title="Where", unit=Unit.TEXT), *made.columns),
        rows=tuple((relation, *row) for (relation, _), row in zip(rows, made.rows, strict=True)),
        row_names=(),
        row_links=tuple(
            "" if relation == THIS else link or f"row-{row['interval_id']}"
            for link, (relation, row) in zip(made.row_links, rows, strict=True)
        ),
    )


THIS = "this interval"


def operation_table(rows: Sequence[Row], *, title: str) -> Table:
    """Operations of an interval by class."""
    return _table(FORECAST_OPERATIONS, "operations", title, _OF_OPERATIONS, rows, bar="time_ns")


def channel_table(rows: Sequence[Row]) -> Table:
    """Use of the channels."""
    title = "Channels by level of the cluster"
    return _table(FORECAST_CHANNELS, "channels", title, _OF_CHANNELS, rows, bar="busy_ratio")


def part_table(interval: Row) -> Table:
    """The parts of the time of all processes, as a stacked bar."""
    total = interval["total_ns"] or 1
    return Table(
        name="parts",
        title="Time of all processes",
        columns=(
            Column(name="part", title="Part", unit=Unit.TEXT),
            Column(name="time_ns", title="Time", unit=Unit.TIME, has_bar=True),
            Column(name="time_ratio", title="Share", unit=Unit.SHARE),
        ),
        rows=tuple(
            (part, interval[column], interval[column] / total) for part, column in PARTS.items()
        ),
        sql="",
        layout=Layout.PARTS,
    )


def section_key(interval: Row) -> str:
    """Key of the section of an interval."""
    return f"interval-{interval['interval_id']}"


def _table(
    declared: Declared,
    name: str,
    title: str,
    names: Sequence[str],
    rows: Sequence[Row],
    *,
    bar: str,
) -> Table:
    return Table(
        name=name,
        title=title,
        columns=tuple(column_of(declared, each, has_bar=each == bar) for each in names),
        rows=tuple(tuple(row[each] for each in names) for row in rows),
        sql="",
    )
