"""Builds the report of a campaign from its tables.

This is separate from `build` because it imports SciPy, which starts slowly.
"""

from collections.abc import Callable
from functools import partial

from tracemill.base.names import make_visible, shorten
from tracemill.reports.build import ReportedRun
from tracemill.reports.campaign_sections import build_campaign_sections, summary
from tracemill.reports.material import Material
from tracemill.reports.model import Report, Section, Subject


def build_campaign_report(
    campaign: ReportedRun, *, threads: int | None = None, memory_limit: str = ""
) -> Report:
    """The whole report of a campaign. Raises QueryError if a table does not fit its query."""
    return _build(campaign, build_campaign_sections, threads, memory_limit)


def build_campaign_summary(
    campaign: ReportedRun, *, threads: int | None = None, memory_limit: str = ""
) -> Report:
    """Only the summary section, for the terminal output of an analysis."""
    return _build(campaign, lambda material: (summary.build(material),), threads, memory_limit)


def _build(
    campaign: ReportedRun,
    build: Callable[[Material], tuple[Section, ...]],
    threads: int | None,
    memory_limit: str,
) -> Report:
    connection = campaign.connect(threads=threads, memory_limit=memory_limit, tables=())
    try:
        provide = partial(campaign.provide, connection)
        material = Material(connection, campaign.manifest, summary.OVERVIEW, provide=provide)
        return Report(
            title=shorten(make_visible(campaign.run_id)),
            subtitle=summary.describe_size(material.overview),
            name=campaign.run_id,
            sections=build(material),
            subject=Subject.CAMPAIGN,
        )
    finally:
        connection.close()
