"""Channels of the cluster, and how a forecast was made."""

from tracemill.base.names import make_visible
from tracemill.reports.forecast_sections.material import ForecastMaterial
from tracemill.reports.forecast_sections.tables import channel_table, column_of
from tracemill.reports.model import Column, Section, Table
from tracemill.reports.units import Unit
from tracemill.schemas.forecasts import FORECAST_INTERVALS

MOST_ROWS = 100


def build_channels(material: ForecastMaterial) -> Section | None:
    """The use of the channels; None without any."""
    if not material.channels:
        return None
    return Section(key="channels", title="Channels", tables=(channel_table(material.channels),))


def build(material: ForecastMaterial) -> Section:
    """Shortcuts, the comparison with the full simulation, and where the tables are."""
    forecast = material.forecast
    cluster = make_visible(forecast["cluster"])
    return Section(
        key="method",
        title="How it was made",
        sentences=(
            f"The program was simulated on the described cluster {cluster} with shortcuts: "
            f"{forecast['shortcuts']}.",
            *(f"Not simulated: {make_visible(each)}." for each in material.skipped),
            "The tables of this page are in the store: tracemill sql "
            f"\"FROM forecast_intervals WHERE forecast_id = '{forecast['forecast_id']}'\".",
        ),
        tables=(_comparison(material),) if material.full_times else (),
    )


def _comparison(material: ForecastMaterial) -> Table:
    """Intervals with and without shortcuts, largest difference first."""
    rows = [
        (row["interval"], row["time_ns"], full, row["time_ns"] - full)
        for row, full in zip(material.intervals, material.full_times, strict=True)
    ]
    rows.sort(key=lambda row: -abs(row[3]))
    return Table(
        name="comparison",
        title="Times with and without shortcuts, largest difference first",
        columns=(
            column_of(FORECAST_INTERVALS, "interval"),
            Column(name="time_ns", title="With shortcuts", unit=Unit.TIME),
            Column(name="full_time_ns", title="Without", unit=Unit.TIME),
            Column(name="change_ns", title="Difference", unit=Unit.TIME_CHANGE),
        ),
        rows=tuple(rows[:MOST_ROWS]),
        sql="",
        is_cut=len(rows) > MOST_ROWS,
    )
