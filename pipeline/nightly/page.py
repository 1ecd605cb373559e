"""The index page of a store's nights: what is new, worse, failed, and how run times go on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracemill.base.names import make_visible
from tracemill.base.text import describe_moment
from tracemill.nightly.history import PastRun
from tracemill.nightly.nights import Alarm, PastNight, alarms_of
from tracemill.nightly.outcome import Failure, NightOutcome
from tracemill.nightly.page_times import APPLICATION, MOST_ROWS, RUN, new_runs, trends
from tracemill.nightly.pages import Pages
from tracemill.nightly.verdicts import Judgement, Regression
from tracemill.nightly.wording import (
    describe_night,
    describe_others,
    describe_regression,
    name_archive,
)
from tracemill.reports.model import (
    Column,
    Fact,
    Finding,
    Report,
    Section,
    Source,
    Subject,
    Table,
)
from tracemill.reports.units import Unit, Value, format_value
from tracemill.reports.wording import count_of, said

MOST_NIGHTS, MOST_ALARMS = 30, 20
MOST_STATEMENTS = 5
"""So many regressions have the SQL of their causes beside them; each takes some 30 kB."""


def build_page(
    night: NightOutcome,
    judgement: Judgement,
    history: Sequence[PastRun],
    nights: Sequence[PastNight],
    pages: Pages,
) -> Report:
    """The page of a night as a report.

    `history` are the runs of the store, oldest first, and `nights` those before this one, latest
    first.
    """
    alarms = alarms_of(nights, judgement.worse)
    sections = (
        _summary(night, judgement, alarms, pages),
        _regressions(judgement, pages),
        trends(judgement, history, pages),
        new_runs(judgement, pages),
        _failures(night, judgement),
        _campaigns(night, pages),
        _nights(nights, alarms, pages),
    )
    return Report(
        title=f"Night of {describe_moment(night.started_at)}",
        subtitle=f"Archives in {make_visible(str(night.source))}, and "
        f"{count_of(len(history), 'run')} in the store.",
        name=night.started_at,
        sections=tuple(section for section in sections if section is not None),
        subject=Subject.NIGHT,
    )


def _summary(
    night: NightOutcome, judgement: Judgement, alarms: Sequence[Alarm], pages: Pages
) -> Section:
    worse = len(judgement.worse)
    return Section(
        key="summary",
        title="Summary",
        facts=(
            Fact("new runs", len(night.analysed), Unit.COUNT),
            Fact("worse than before", worse, Unit.COUNT),
            Fact("failed", len(night.failed), Unit.COUNT),
            Fact("in quarantine", len(night.quarantined), Unit.COUNT),
            Fact("not ready", len(night.waiting), Unit.COUNT),
            Fact("left for later", len(night.left), Unit.COUNT),
        ),
        sentences=said(*describe_night(night, judgement), describe_others(night, alarms)),
        findings=tuple(
            replace(describe_regression(each), page=pages.link(pages.of_run(each.run.run_id)))
            for each in judgement.regressions
        ),
    )


def _regressions(judgement: Judgement, pages: Pages) -> Section | None:
    """The causes as a table: metric, call path and rank of each."""
    causes = [(found, cause) for found in judgement.regressions for cause in found.causes]
    if not causes:
        return None
    shown = causes[:MOST_ROWS]
    return Section(
        key="causes",
        title="Causes",
        tables=(
            Table(
                name="causes",
                title="What is worse, where, and on which rank",
                note="The metrics and call paths that explain most of each change, over all "
                "processes, and how much of it is on the process that it is largest on.",
                columns=_CAUSE_COLUMNS,
                rows=tuple(
                    (
                        make_visible(found.run.series.application),
                        make_visible(found.run.label),
                        cause.title,
                        cause.call_path or "in no call path",
                        *(_shown(cause.unit, v) for v in (cause.base_value, cause.other_value)),
                        cause.change_ratio,
                        cause.rank,
                        _shown(cause.unit, cause.rank_change_value, is_change=True),
                    )
                    for found, cause in shown
                ),
                sql="",
                row_pages=tuple(pages.link(pages.of_run(found.run.run_id)) for found, _ in shown),
                is_cut=len(shown) < len(causes),
            ),
        ),
        sources=tuple(_statements(judgement.regressions[:MOST_STATEMENTS])),
    )


def _statements(regressions: Sequence[Regression]) -> Iterator[Source]:
    """What the causes come from, once for each run."""
    told = {each.run.run_id: each for each in regressions if each.sql}
    for each in told.values():
        run = make_visible(f"{each.run.series.application} ({each.run.label})")
        for name, sql in zip(("changes", "changes by rank"), each.sql, strict=True):
            yield Source(f"{name} of {run}", sql)


_CAUSE_COLUMNS = (
    APPLICATION,
    RUN,
    Column(name="metric", title="Metric", unit=Unit.TEXT),
    Column(name="call_path", title="Call path", unit=Unit.TEXT, is_path=True),
    Column(name="before", title="Before", unit=Unit.NUMBER),
    Column(name="now", title="Now", unit=Unit.NUMBER),
    Column(name="change_ratio", title="Change", unit=Unit.SHARE_CHANGE),
    Column(name="rank", title="Rank", unit=Unit.NUMBER),
    Column(name="rank_change", title="On it", unit=Unit.NUMBER),
)


def _shown(unit: str, value: float, *, is_change: bool = False) -> str:
    """A value as text, as metrics of one column have different units."""
    units = {"ns": Unit.TIME, "bytes": Unit.SIZE}
    text = format_value(value, units.get(unit, Unit.COUNT))
    return f"+{text}" if is_change and value > 0 else text


# --- Failures, campaigns, nights before ----------------------------------------------------------


def _failures(night: NightOutcome, judgement: Judgement) -> Section | None:
    failed = (
        *((each, "failed") for each in night.failed),
        *((each, "failed earlier") for each in night.quarantined),
    )
    rows: list[tuple[Value, ...]] = [
        (name_archive(each.path, night), when, _since(each), make_visible(each.reason))
        for each, when in failed
    ]
    rows += [
        (make_visible(each.label), "not compared", "", make_visible(each.reason))
        for each in judgement.unjudged
    ]
    rows += [
        (name_archive(each.path, night), "not ready", "", make_visible(each.reason))
        for each in night.waiting
    ]
    rows += [(name_archive(path, night), "left for the next night", "", "") for path in night.left]
    if not rows:
        return None
    return Section(
        key="not-analysed",
        title="Not analysed",
        tables=(
            Table(
                name="not_analysed",
                title="Archives that are not, or not fully, told of",
                note="Those that failed are tried again when they change, or every night if it was "
                "the store that failed.",
                columns=_FAILURE_COLUMNS,
                rows=tuple(rows[:MOST_ROWS]),
                sql="",
                is_cut=len(rows) > MOST_ROWS,
            ),
        ),
    )


_FAILURE_COLUMNS = (
    Column(name="archive", title="Archive", unit=Unit.TEXT),
    Column(name="state", title="State", unit=Unit.TEXT),
    Column(name="since", title="First failed", unit=Unit.TEXT),
    Column(name="reason", title="Reason", unit=Unit.TEXT, is_whole=True),
)


def _since(failure: Failure) -> str:
    return describe_moment(failure.since) if failure.since else ""


def _campaigns(night: NightOutcome, pages: Pages) -> Section | None:
    if not night.campaigns:
        return None
    rows: list[tuple[Value, ...]] = []
    links: list[str] = []
    for each in night.campaigns:
        state = "failed" if each.reason else "made anew" if each.is_new else "unchanged"
        rows.append((make_visible(each.name), state, make_visible(each.reason)))
        links.append(pages.link(pages.of_campaign(each.run.run_id)) if each.run else "")
    return Section(
        key="campaigns",
        title="Campaigns",
        tables=(
            Table(
                name="campaigns",
                title="Campaigns of the configuration",
                columns=(
                    Column(name="campaign", title="Campaign", unit=Unit.TEXT),
                    Column(name="state", title="State", unit=Unit.TEXT),
                    Column(name="reason", title="Reason", unit=Unit.TEXT, is_whole=True),
                ),
                rows=tuple(rows),
                sql="",
                hidden=frozenset() if any(row[2] for row in rows) else frozenset({"reason"}),
                row_pages=tuple(links),
            ),
        ),
    )


def _nights(nights: Sequence[PastNight], alarms: Sequence[Alarm], pages: Pages) -> Section | None:
    """Nights before this one, and those of other hosts at the same time."""
    if not nights:
        return None
    told = Table(
        name="nights",
        title="The last nights",
        columns=(
            Column(name="night", title="Night", unit=Unit.TEXT),
            Column(name="new_count", title="New runs", unit=Unit.COUNT),
            Column(name="worse_count", title="Worse", unit=Unit.COUNT),
            Column(name="failed_count", title="Failed", unit=Unit.COUNT),
            Column(name="verdict", title="Verdict", unit=Unit.TEXT),
        ),
        rows=tuple(
            (
                describe_moment(night.started_at),
                night.new_count,
                night.worse_count,
                night.failed_count,
                night.verdict,
            )
            for night in nights
        ),
        sql="",
    )
    return Section(
        key="nights",
        title="Nights before, and on other hosts",
        findings=tuple(
            Finding(
                make_visible(alarm.sentence),
                f"Night of {describe_moment(alarm.started_at)}.",
                page=pages.link(pages.of_run(alarm.run_id)),
            )
            for alarm in alarms[:MOST_ALARMS]
        ),
        tables=(told,),
    )
