"""Builds the report of a campaign from its tables.

This is separate from `build` because it imports SciPy, which starts slowly.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tracemill.base.names import make_visible, shorten
from tracemill.reports.build import ReportedRun
from tracemill.reports.campaign_opening import describe_verdict, opening_of, without_shown
from tracemill.reports.campaign_sections import build_campaign_sections, summary
from tracemill.reports.material import Material
from tracemill.reports.model import Report, Section, Subject
from tracemill.reports.run_links import link_runs
from tracemill.store.runs import Run

CAMPAIGN_DEPTH = 2
"""Folders between the store and a generation of a campaign: campaigns, and that of its name."""


def build_campaign_report(
    campaign: Run, *, threads: int | None = None, memory_limit: str = ""
) -> Report:
    """The whole report of a campaign. Raises QueryError if a table does not fit its query."""
    store = campaign.path.parents[CAMPAIGN_DEPTH]

    def build(material: Material) -> tuple[Section, ...]:
        opening = opening_of(material)
        sections = (without_shown(each, opening) for each in build_campaign_sections(material))
        first, *others = sections
        first = replace(_with(opening.verdict, first), opening=opening)
        return link_runs((first, *others), store)

    return _build(campaign, build, threads, memory_limit)


def build_campaign_summary(
    campaign: ReportedRun, *, threads: int | None = None, memory_limit: str = ""
) -> Report:
    """Only the summary section with the verdict, for the terminal output of an analysis."""

    def build(material: Material) -> tuple[Section, ...]:
        return (_with(describe_verdict(material), summary.build(material)),)

    return _build(campaign, build, threads, memory_limit)


def _with(verdict: str, section: Section) -> Section:
    """The section with the verdict as its first sentence."""
    others = (each for each in section.sentences if each not in verdict)
    return replace(section, sentences=(verdict, *others))


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
