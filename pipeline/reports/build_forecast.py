"""Builds the report of a forecast from its tables."""

from collections.abc import Sequence

from tracemill.base.names import make_visible, shorten
from tracemill.reports.forecast_sections import intervals, method, summary
from tracemill.reports.forecast_sections.material import ForecastMaterial
from tracemill.reports.model import Report, Section, Subject


def build_forecast_report(material: ForecastMaterial) -> Report:
    """The whole report of a forecast."""
    sections = (
        summary.build(material),
        *intervals.build(material),
        method.build_channels(material),
        method.build(material),
    )
    return _report(material, [section for section in sections if section])


def build_forecast_summary(material: ForecastMaterial) -> Report:
    """The summary with the worst intervals, for a terminal."""
    return _report(material, [summary.build_short(material)])


def _report(material: ForecastMaterial, sections: Sequence[Section]) -> Report:
    forecast = material.forecast
    place = f"on {forecast['cluster']}, grid {forecast['grid']}"
    return Report(
        title=shorten(make_visible(material.name)),
        subtitle=make_visible(f"Forecast {place}"),
        name=forecast["forecast_id"],
        sections=tuple(sections),
        subject=Subject.FORECAST,
    )
