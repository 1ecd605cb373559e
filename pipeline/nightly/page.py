"""The report of a night: regressions and causes, run times, failures, campaigns, earlier nights."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from tracemill.base.names import make_visible
from tracemill.base.text import describe_moment
from tracemill.campaign.gathering import SIZES
from tracemill.comparison import Cause
from tracemill.nightly.history import PastRun, Series
from tracemill.nightly.judge import JudgedRun, Judgment, Regression
from tracemill.nightly.outcome import Night
from tracemill.nightly.pages import Pages
from tracemill.nightly.result import Alarm, EarlierNight
from tracemill.nightly.wording import describe_regression, name_archive
from tracemill.reports.model import (
    Column,
    Fact,
    Finding,
    Report,
    Section,
    Source,
    Subject,
    Table,
    Trend,
)
from tracemill.reports.tables import read_source
from tracemill.reports.units import Unit, Value, format_value
from tracemill.reports.wording import count_of

MOST_ROWS, MOST_ALARMS = 500, 20
MOST_VALUES = 40
"""Number of runs that a trend shows, the last ones."""
MOST_STATEMENTS = 5
"""Number of regressions with the SQL of their causes; each takes some 30 kB."""

Row = tuple[Value, ...]


@dataclass(frozen=True, kw_only=True)
class NightReport:
    """What the report of a night shows.

    `sentences` are the summary, `history` all runs of the store, oldest first, `earlier` the nights
    before, latest first, and `alarms` their regressions.
    """

    night: Night
    judgment: Judgment
    sentences: tuple[str, ...]
    history: Sequence[PastRun]
    earlier: Sequence[EarlierNight]
    alarms: Sequence[Alarm]
    pages: Pages

    def build(self) -> Report:
        """The night as a report, for the renderers of all reports."""
        sections = (
            self._summary(),
            self._causes(),
            self._trends(),
            self._new_runs(),
            self._not_analyzed(),
            self._campaigns(),
            self._earlier_nights(),
        )
        return Report(
            title=f"Night of {describe_moment(self.night.started_at)}",
            subtitle=f"Archives in {make_visible(str(self.night.source))}, and "
            f"{count_of(len(self.history), 'run')} in the store.",
            name=self.night.started_at,
            sections=tuple(section for section in sections if section is not None),
            subject=Subject.NIGHT,
        )

    def _link(self, run_id: str) -> str:
        return self.pages.link(self.pages.of_run(run_id))

    def _summary(self) -> Section:
        night = self.night
        facts = {
            "new runs": len(night.analyzed),
            "worse than before": len(self.judgment.worse),
            "failed": len(night.failed),
            "in quarantine": len(night.quarantined),
            "not ready": len(night.waiting),
            "left for later": len(night.left),
        }
        return Section(
            key="summary",
            title="Summary",
            facts=tuple(Fact(name, count, Unit.COUNT) for name, count in facts.items()),
            sentences=self.sentences,
            findings=tuple(
                replace(describe_regression(each), page=self._link(each.run.run_id))
                for each in self.judgment.regressions
            ),
        )

    def _causes(self) -> Section | None:
        causes = [(found, cause) for found in self.judgment.regressions for cause in found.causes]
        if not causes:
            return None
        table = _table(
            "causes",
            "Causes of regressions",
            _CAUSE_COLUMNS,
            [_cause_row(found, cause) for found, cause in causes],
            note="The metrics and call paths that explain most of each change, summed over all "
            "processes; Rank is the process with the largest change.",
            links=[self._link(found.run.run_id) for found, _ in causes],
        )
        sources = _statements(self.judgment.regressions[:MOST_STATEMENTS])
        return Section(key="causes", title="Causes", tables=(table,), sources=tuple(sources))

    def _trends(self) -> Section | None:
        series: defaultdict[Series, list[PastRun]] = defaultdict(list)
        for run in self.history:
            series[run.series].append(run)
        if not series:
            return None
        new = {each.run.series for each in self.judgment.judged}
        worse = {each.run.series for each in self.judgment.regressions}
        ordered = sorted(
            series, key=lambda s: (s not in worse, s not in new, -series[s][-1].recorded_ns, s)
        )
        table = _table(
            "trends",
            "Run times by application",
            _TREND_COLUMNS,
            [_trend_row(each, series[each]) for each in ordered],
            note="Runs of one application with as many processes and threads, oldest first, "
            f"the last {MOST_VALUES}; Usual is the median of those before the latest. Series that "
            "got worse this night are marked.",
            hidden=_constant(ordered),
            links=[self._link(series[each][-1].run_id) for each in ordered],
            trends=[_trend(series[each], self.judgment.worse) for each in ordered],
        )
        sentence = f"{count_of(len(ordered), 'series', 'series')} of comparable runs."
        return Section(
            key="trends",
            title="Trends",
            sentences=(sentence,),
            tables=(table,),
            sources=(_run_times(),),
        )

    def _new_runs(self) -> Section | None:
        judged = self.judgment.judged[::-1]
        if not judged:
            return None
        table = _table(
            "runs",
            "New runs",
            _RUN_COLUMNS,
            [_run_row(each) for each in judged],
            note="Latest first; times are in UTC. Before is the mean of the runs that it was "
            "compared with.",
            hidden=_constant([each.run.series for each in judged]),
            links=[self._link(each.run.run_id) for each in judged],
        )
        return Section(
            key="runs", title="Runs of this night", tables=(table,), sources=(_run_times(),)
        )

    def _not_analyzed(self) -> Section | None:
        night, row = self.night, self._archive_row
        rows = [
            *(row(each.path, "failed", each.reason, each.since) for each in night.failed),
            *(row(e.path, "failed earlier", e.reason, e.since) for e in night.quarantined),
            *(
                (make_visible(each.label), "not compared", "", make_visible(each.reason))
                for each in self.judgment.unjudged
            ),
            *(row(each.path, "not ready", each.reason) for each in night.waiting),
            *(row(path, "left for the next night", "") for path in night.left),
        ]
        if not rows:
            return None
        table = _table(
            "not_analyzed",
            "Archives that were not analyzed or not compared",
            _FAILURE_COLUMNS,
            rows,
            note="An archive that failed is tried again when it changes, or every night if the "
            "store failed.",
        )
        return Section(key="not-analyzed", title="Not analyzed", tables=(table,))

    def _archive_row(self, path: Path, state: str, reason: str, since: str = "") -> Row:
        moment = describe_moment(since) if since else ""
        return name_archive(path, self.night), state, moment, make_visible(reason)

    def _campaigns(self) -> Section | None:
        campaigns, pages = self.night.campaigns, self.pages
        if not campaigns:
            return None
        has_reasons = any(each.reason for each in campaigns)
        table = _table(
            "campaigns",
            "Campaigns of the configuration",
            _CAMPAIGN_COLUMNS,
            [
                (
                    make_visible(each.name),
                    "failed" if each.reason else "updated" if each.is_new else "unchanged",
                    make_visible(each.reason),
                )
                for each in campaigns
            ],
            hidden=frozenset() if has_reasons else frozenset({"reason"}),
            links=[
                pages.link(pages.of_campaign(each.run.run_id)) if each.run else ""
                for each in campaigns
            ],
        )
        return Section(key="campaigns", title="Campaigns", tables=(table,))

    def _earlier_nights(self) -> Section | None:
        """Nights before this one, and those of other hosts at the same time."""
        if not self.earlier:
            return None
        rows = [
            (
                describe_moment(each.started_at),
                each.new_count,
                each.worse_count,
                each.failed_count,
                each.verdict,
            )
            for each in self.earlier
        ]
        findings = (
            Finding(
                make_visible(alarm.sentence),
                f"Night of {describe_moment(alarm.started_at)}.",
                page=self._link(alarm.run_id),
            )
            for alarm in self.alarms[:MOST_ALARMS]
        )
        return Section(
            key="nights",
            title="Earlier nights, and nights of other hosts",
            findings=tuple(findings),
            tables=(_table("nights", "The last nights", _NIGHT_COLUMNS, rows),),
        )


def _table(
    name: str,
    title: str,
    columns: tuple[Column, ...],
    rows: Sequence[Row],
    *,
    note: str = "",
    hidden: frozenset[str] = frozenset(),
    links: Sequence[str] = (),
    trends: Sequence[Trend] = (),
) -> Table:
    """A table of at most MOST_ROWS rows, each with a link and a trend if they are given."""
    return Table(
        name=name,
        title=title,
        columns=columns,
        rows=tuple(rows[:MOST_ROWS]),
        sql="",
        note=note,
        hidden=hidden,
        is_cut=len(rows) > MOST_ROWS,
        row_pages=tuple(links[:MOST_ROWS]),
        trends=tuple(trends[:MOST_ROWS]),
        trend_title="Run time",
    )


def _text(name: str, title: str, *, is_whole: bool = False, is_path: bool = False) -> Column:
    return Column(name=name, title=title, unit=Unit.TEXT, is_whole=is_whole, is_path=is_path)


_SERIES_COLUMNS = (
    _text("application", "Application"),
    Column(name="processes", title="Processes", unit=Unit.COUNT),
    Column(name="threads", title="Threads", unit=Unit.COUNT),
)
_CHANGE = Column(name="change_ratio", title="Change", unit=Unit.SHARE_CHANGE)
_CAUSE_COLUMNS = (
    _text("application", "Application"),
    _text("label", "Run"),
    _text("metric", "Metric"),
    _text("call_path", "Call path", is_path=True),
    Column(name="before", title="Before", unit=Unit.NUMBER),
    Column(name="now", title="Now", unit=Unit.NUMBER),
    _CHANGE,
    Column(name="rank", title="Rank", unit=Unit.NUMBER),
    Column(name="rank_change", title="On it", unit=Unit.NUMBER),
)
_TREND_COLUMNS = (
    *_SERIES_COLUMNS,
    Column(name="run_count", title="Runs", unit=Unit.COUNT),
    _text("last", "Latest recorded"),
    Column(name="usual_ns", title="Usual", unit=Unit.TIME),
    Column(name="latest_ns", title="Latest", unit=Unit.TIME),
    _CHANGE,
)
_RUN_COLUMNS = (
    _text("label", "Run"),
    *_SERIES_COLUMNS,
    _text("recorded", "Recorded"),
    Column(name="run_time_ns", title="Run time", unit=Unit.TIME),
    Column(name="before_ns", title="Before", unit=Unit.TIME),
    Column(name="before_count", title="Of runs", unit=Unit.COUNT),
    _CHANGE,
    Column(name="noise_ns", title="Noise", unit=Unit.TIME),
    _text("verdict", "Verdict"),
    _text("run_id", "Run id"),
)
_FAILURE_COLUMNS = (
    _text("archive", "Archive"),
    _text("state", "State"),
    _text("since", "First failed"),
    _text("reason", "Reason", is_whole=True),
)
_CAMPAIGN_COLUMNS = (
    _text("campaign", "Campaign"),
    _text("state", "State"),
    _text("reason", "Reason", is_whole=True),
)
_NIGHT_COLUMNS = (
    _text("night", "Night"),
    Column(name="new_count", title="New runs", unit=Unit.COUNT),
    Column(name="worse_count", title="Worse", unit=Unit.COUNT),
    Column(name="failed_count", title="Failed", unit=Unit.COUNT),
    _text("verdict", "Verdict"),
)


def _format(unit: str, value: float, *, is_change: bool = False) -> str:
    """A value as text, as the metrics of one column have different units."""
    units = {"ns": Unit.TIME, "bytes": Unit.SIZE}
    text = format_value(value, units.get(unit, Unit.COUNT))
    return f"+{text}" if is_change and value > 0 else text


def _cause_row(found: Regression, cause: Cause) -> Row:
    return (
        make_visible(found.run.series.application),
        make_visible(found.run.label),
        cause.title,
        cause.call_path or "in no call path",
        _format(cause.unit, cause.base_value),
        _format(cause.unit, cause.other_value),
        cause.change_ratio,
        cause.rank,
        _format(cause.unit, cause.rank_change_value, is_change=True),
    )


def _statements(regressions: Sequence[Regression]) -> Iterator[Source]:
    """The SQL of the causes, once for each run."""
    for each in {each.run.run_id: each for each in regressions if each.sql}.values():
        run = make_visible(f"{each.run.series.application} ({each.run.label})")
        for name, sql in zip(("changes", "changes by rank"), each.sql, strict=True):
            yield Source(f"{name} of {run}", sql)


def _run_times() -> Source:
    return Source("run times, by run id", read_source(SIZES).sql)


def _series_cells(series: Series) -> Row:
    return make_visible(series.application), series.processes, series.threads


def _constant(series: Sequence[Series]) -> frozenset[str]:
    """Columns of series that need not be shown."""
    return frozenset({"threads"} if all(each.threads == 1 for each in series) else ())


def _trend_row(series: Series, runs: Sequence[PastRun]) -> Row:
    *before, latest = (run.run_time_ns for run in runs[-MOST_VALUES:])
    usual = float(median(before)) if before else None
    return (
        *_series_cells(series),
        len(runs),
        describe_moment(runs[-1].recorded_at),
        usual,
        latest,
        (latest - usual) / usual if usual else None,
    )


def _trend(runs: Sequence[PastRun], worse: Collection[str]) -> Trend:
    shown = runs[-MOST_VALUES:]
    return Trend(
        values=tuple(float(run.run_time_ns) for run in shown),
        unit=Unit.TIME,
        is_marked=shown[-1].run_id in worse,
    )


def _run_row(judged: JudgedRun) -> Row:
    run, change = judged.run, judged.change
    return (
        make_visible(run.label),
        *_series_cells(run.series),
        describe_moment(run.recorded_at).removesuffix(" UTC"),
        run.run_time_ns,
        change.base_value if change else None,
        len(judged.base),
        judged.change_ratio,
        change.noise_value if change else None,
        judged.verdict,
        run.run_id,
    )
