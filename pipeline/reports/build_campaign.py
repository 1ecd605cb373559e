"""From a campaign's tables to its report.

It stands apart from `build`, as it needs SciPy, which starts slowly.
"""

from functools import partial

from pipeline.reports.build import ReportedRun
from pipeline.reports.campaign_sections import build_campaign_sections, summary
from pipeline.reports.material import Material
from pipeline.reports.model import Report, Subject
from pipeline.reports.units import make_visible, shorten


def build_campaign_report(
    campaign: ReportedRun, *, threads: int | None = None, memory_limit: str = ""
) -> Report:
    """The whole report of a campaign. Raises QueryError if a table does not fit its query."""
    connection = campaign.connect(threads=threads, memory_limit=memory_limit, tables=())
    try:
        provide = partial(campaign.provide, connection)
        material = Material(connection, campaign.manifest, summary.OVERVIEW, provide=provide)
        return Report(
            title=shorten(make_visible(campaign.run_id)),
            subtitle=summary.describe_size(material.overview),
            name=campaign.run_id,
            sections=build_campaign_sections(material),
            subject=Subject.CAMPAIGN,
        )
    finally:
        connection.close()
