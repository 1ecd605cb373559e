"""The report of a night: regressions and causes, run times, failures, campaigns, earlier nights."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from tracemill.base.names import make_visible
from tracemill.base.text import describe_moment
from tracemill.campaign.gathering import SIZES
from tracemill.comparison.changes import Cause
from tracemill.comparison.efficiencies import PARALLEL, QUERY
from tracemill.comparison.sentences import OUTSIDE
from tracemill.nightly.history import PastRun, RunSeries
from tracemill.nightly.judge import HISTORY, Judgment, Regression
from tracemill.nightly.pages import Pages
from tracemill.nightly.result import Alarm, Document
from tracemill.nightly.wording import describe_regression
from tracemill.reports.model import (
    Column,
    Fact,
    Finding,
    Opening,
    Report,
    Section,
    ShownQuery,
    Subject,
    Table,
    Trend,
)
from tracemill.reports.sections.efficiencies import GRADES, MULTIPLICATIVE, TITLE
from tracemill.reports.tables import read_source
from tracemill.reports.units import Unit, Value, format_value
from tracemill.reports.wording import count_of

MOST_ROWS, MOST_ALARMS = 500, 20
MOST_SAID = 2
"""Sentences of the verdict: the new runs, then what failed."""
MOST_VALUES = 40
"""Number of runs that a trend shows, the last ones."""
MOST_STATEMENTS = 5
"""Number of regressions with the SQL of their causes; each takes some 30 kB."""
_BEFORE = "Before: mean of the runs it was compared with."
_BEFORE_LATEST = (
    "Before: mean of the runs that the latest was compared with, or of the "
    f"{HISTORY} before it if it is not new."
)

Row = Mapping[str, Any]
"""Values of a table's row by column; the address of its page is `page`, its trend `trend`."""


@dataclass(frozen=True, kw_only=True)
class NightReport:
    """The content of the report of a night.

    `sentences` are its summary. `history` holds all runs of the store, oldest first, and `alarms`
    regressions of earlier nights. `titles` are those of all efficiencies, in the order of reports.
    """

    document: Document
    judgment: Judgment
    sentences: tuple[str, ...]
    history: Sequence[PastRun]
    alarms: Sequence[Alarm]
    pages: Pages
    titles: Mapping[str, str]

    def build(self) -> Report:
        """The night as a report, for the renderers of all reports."""
        folded = (self._efficiencies(), self._new_runs(), self._campaigns(), self._earlier_nights())
        sections = (
            self._summary(),
            self._causes(),
            self._trends(),
            self._not_analyzed(),
            *(replace(each, is_folded=True) for each in folded),
        )
        started_at = self.document["started_at"]
        return Report(
            title=f"Night of {describe_moment(started_at)}",
            subtitle=f"Archives in {make_visible(self.document['source'])}, and "
            f"{count_of(len(self.history), 'run')} in the store.",
            name=started_at,
            sections=tuple(
                each for each in sections if each.facts or any(table.rows for table in each.tables)
            ),
            subject=Subject.NIGHT,
        )

    def _link(self, run_id: str) -> str:
        return self.pages.link(self.pages.of_run(run_id))

    def _summary(self) -> Section:
        counts = self.document["counts"]
        findings, cards = (
            tuple(
                replace(describe_regression(each, most=most), page=self._link(each.run.run_id))
                for each in self.judgment.regressions
            )
            for most in (None, 1)
        )
        return Section(
            key="summary",
            title="Summary",
            facts=tuple(
                Fact(label, counts[name], Unit.COUNT, meaning)
                for name, (label, meaning) in _COUNTS.items()
            ),
            sentences=self.sentences,
            findings=findings,
            opening=Opening(verdict=" ".join(self.sentences[:MOST_SAID]), findings=cards),
        )

    def _efficiencies(self) -> Section:
        """Efficiencies of new runs, with those before; a dash for a run without computation."""
        found = {each["metric"] for run in self.document["new"] for each in run["efficiencies"]}
        parts = [name for name in self.titles if name in found and name != PARALLEL]
        rows = [
            run | _efficiency_cells(run, parts) | {"page": self.pages.link(run["report"])}
            for run in reversed(self.document["new"])
        ]
        table = _table(
            "efficiencies",
            "Efficiencies of new runs",
            (*_EFFICIENCY_COLUMNS, *(_efficiency(name, self.titles[name]) for name in parts)),
            rows if found else [],
            note=f"Latest first. {MULTIPLICATIVE} {_BEFORE} {GRADES}",
        )
        return Section(
            key="efficiencies", title=TITLE, tables=(table,), sources=(read_source(QUERY),)
        )

    def _causes(self) -> Section:
        table = _table(
            "causes",
            "Causes of regressions",
            _CAUSE_COLUMNS,
            [
                _cause_row(found, cause) | {"page": self._link(found.run.run_id)}
                for found in self.judgment.regressions
                for cause in found.causes
            ],
            note="The metrics and call paths that explain most of each change, summed over all "
            "processes; Rank is the process with the largest change. Outside of regions: time in "
            "which processes are in no recorded function, such as before main.",
        )
        sources = _statements(self.judgment.regressions[:MOST_STATEMENTS])
        return Section(key="causes", title="Causes", tables=(table,), sources=tuple(sources))

    def _trends(self) -> Section:
        series: defaultdict[RunSeries, list[PastRun]] = defaultdict(list)
        for run in self.history:
            series[run.series].append(run)
        new = {each.run.series for each in self.judgment.judged}
        worse = {each.run.series for each in self.judgment.regressions}
        ordered = sorted(
            series, key=lambda s: (s not in worse, s not in new, -series[s][-1].recorded_ns, s)
        )
        table = _table(
            "trends",
            "Run times by application",
            _TREND_COLUMNS,
            [
                _trend_row(series[each], self.judgment)
                | {"page": self._link(series[each][-1].run_id)}
                for each in ordered
            ],
            note="Runs of one application with as many processes and threads, oldest first, "
            f"the last {MOST_VALUES}. {_BEFORE_LATEST} Series that got worse this night are "
            "marked.",
        )
        return Section(
            key="trends",
            title="Trends",
            sentences=(f"{count_of(len(ordered), 'series', 'series')} of comparable runs.",),
            tables=(table,),
            sources=(_run_times(),),
        )

    def _new_runs(self) -> Section:
        rows = [
            run
            | {
                "recorded": describe_moment(run["recorded_at"]).removesuffix(" UTC"),
                "base_count": len(run["base_runs"]),
                "page": self.pages.link(run["report"]),
            }
            for run in reversed(self.document["new"])
        ]
        table = _table(
            "runs",
            "New runs",
            _RUN_COLUMNS,
            rows,
            note=f"Latest first; times are in UTC. {_BEFORE}",
        )
        return Section(
            key="runs", title="Runs of this night", tables=(table,), sources=(_run_times(),)
        )

    def _not_analyzed(self) -> Section:
        rows = [
            self._archive_row(each, state)
            for name, state in _STATES.items()
            for each in self.document[name]
        ]
        table = _table(
            "not_analyzed",
            "Archives that were not analyzed or not compared",
            _FAILURE_COLUMNS,
            rows,
            note="An archive that failed is in quarantine: later nights try it again when it "
            "changes or with --retry; if the store failed, every night does.",
        )
        return Section(key="not-analyzed", title="Not analyzed", tables=(table,))

    def _archive_row(self, archive: Row | str, state: str) -> Row:
        row = {"path": archive} if isinstance(archive, str) else archive
        since = row.get("since")
        path = row.get("path", "").removeprefix(f"{self.document['source']}/")
        return {
            "archive": row.get("label", path),
            "state": state,
            "since": describe_moment(since) if since else "",
            "reason": row.get("reason", ""),
        }

    def _campaigns(self) -> Section:
        campaigns = self.document["campaigns"]
        rows = [
            each | {"state": _campaign_state(each), "page": self.pages.link(each["report"])}
            for each in campaigns
        ]
        has_reasons = any(each["reason"] for each in campaigns)
        table = _table(
            "campaigns",
            "Campaigns of the configuration",
            _CAMPAIGN_COLUMNS if has_reasons else _CAMPAIGN_COLUMNS[:-1],
            rows,
        )
        return Section(key="campaigns", title="Campaigns", tables=(table,))

    def _earlier_nights(self) -> Section:
        """Nights before this one, and those of other hosts at the same time."""
        rows = [
            each | {"night": describe_moment(each["started_at"])}
            for each in self.document["nights"]
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
    name: str, title: str, columns: tuple[Column, ...], rows: Sequence[Row], *, note: str = ""
) -> Table:
    """A table of at most MOST_ROWS rows; threads are hidden if no process has several."""
    shown = rows[:MOST_ROWS]
    return Table(
        name=name,
        title=title,
        columns=columns,
        rows=tuple(tuple(_cell(row[column.name]) for column in columns) for row in shown),
        sql="",
        note=note,
        hidden=frozenset({"threads"} if all(row.get("threads") == 1 for row in shown) else ()),
        is_cut=len(rows) > MOST_ROWS,
        row_pages=tuple(row["page"] for row in shown if "page" in row),
        trends=tuple(row["trend"] for row in shown if "trend" in row),
        trend_title="Run time",
    )


def _campaign_state(campaign: Row) -> str:
    if campaign["reason"]:
        return "failed"
    return "updated" if campaign["is_new"] else "unchanged"


def _cell(value: Value) -> Value:
    return make_visible(value) if isinstance(value, str) else value


def _text(name: str, title: str, *, is_whole: bool = False, is_path: bool = False) -> Column:
    return Column(name=name, title=title, unit=Unit.TEXT, is_whole=is_whole, is_path=is_path)


_COUNTS = {
    "new": ("new runs", ""),
    "regressions": ("worse than before", ""),
    "failed": ("failed this night", "Archives that were tried and could not be analyzed."),
    "quarantined": ("failed earlier", "Archives in quarantine: they were not tried again, because "
                    "they have not changed since they failed."),
    "waiting": ("not ready", "Archives that are incomplete or changed a moment ago."),
    "left": ("left for later", "Archives that the time of this night was too short for."),
}  # fmt: skip
"""Labels and meanings of the counts of a night."""
_STATES = {
    "failed": "failed this night",
    "quarantined": "failed earlier",
    "unjudged": "not compared",
    "waiting": "not ready",
    "left": "left for the next night",
}
_SERIES_COLUMNS = (
    _text("application", "Application"),
    Column(name="processes", title="Processes", unit=Unit.COUNT),
    Column(name="threads", title="Threads", unit=Unit.COUNT),
)


def _efficiency(name: str, title: str) -> Column:
    return Column(name=name, title=title, unit=Unit.SHARE, is_efficiency=True)


_EFFICIENCY_COLUMNS = (
    _text("label", "Run"),
    *_SERIES_COLUMNS,
    _efficiency(PARALLEL, "Parallel efficiency"),
    _efficiency("base_ratio", "Before"),
    Column(name="points", title="Change (percentage points)", unit=Unit.POINTS),
)
_CHANGE = Column(name="change_ratio", title="Change", unit=Unit.SHARE_CHANGE)
_CAUSE_COLUMNS = (
    _text("run", "Run"),
    _text("metric", "Metric"),
    _text("call_path", "Call path", is_path=True),
    Column(name="before", title="Before", unit=Unit.NUMBER),
    Column(name="now", title="Now", unit=Unit.NUMBER),
    _CHANGE,
    Column(name="rank", title="Rank", unit=Unit.NUMBER),
    Column(name="rank_change", title="Change on it", unit=Unit.NUMBER),
)
_TREND_COLUMNS = (
    *_SERIES_COLUMNS,
    Column(name="run_count", title="Runs", unit=Unit.COUNT),
    _text("last", "Latest recorded"),
    Column(name="before_ns", title="Before", unit=Unit.TIME),
    Column(name="latest_ns", title="Latest", unit=Unit.TIME),
    _CHANGE,
)
_RUN_COLUMNS = (
    _text("label", "Run"),
    *_SERIES_COLUMNS,
    _text("recorded", "Recorded"),
    Column(name="run_time_ns", title="Run time", unit=Unit.TIME),
    Column(name="base_run_time_ns", title="Before", unit=Unit.TIME),
    Column(name="base_count", title="Of runs", unit=Unit.COUNT),
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
    _text("name", "Campaign"),
    _text("state", "State"),
    _text("reason", "Reason", is_whole=True),
)
_NIGHT_COLUMNS = (
    _text("night", "Night"),
    Column(name="new", title="New runs", unit=Unit.COUNT),
    Column(name="regressions", title="Worse", unit=Unit.COUNT),
    Column(name="failed", title="Failed", unit=Unit.COUNT),
    _text("verdict", "Verdict"),
)


def _format(unit: str, value: float, *, is_change: bool = False) -> str:
    """A value as text, as the metrics of one column have different units."""
    units = {"ns": Unit.TIME, "bytes": Unit.SIZE}
    text = format_value(value, units.get(unit, Unit.COUNT))
    return f"+{text}" if is_change and value > 0 else text


def _cause_row(found: Regression, cause: Cause) -> dict[str, Any]:
    return {
        "run": f"{found.run.series.application} ({found.run.label})",
        "metric": cause.title,
        "call_path": cause.call_path or OUTSIDE,
        "before": _format(cause.unit, cause.base_value),
        "now": _format(cause.unit, cause.other_value),
        "change_ratio": cause.change_ratio,
        "rank": cause.rank,
        "rank_change": _format(cause.unit, cause.rank_change_value, is_change=True),
    }


def _efficiency_cells(run: Row, parts: Sequence[str]) -> dict[str, Any]:
    """Efficiencies of a run by metric, with the parallel efficiency before and its change."""
    found = {each["metric"]: each for each in run["efficiencies"]}
    whole = found.get(PARALLEL, {"ratio": None, "base_ratio": None})
    is_known = None not in (whole["ratio"], whole["base_ratio"])
    return {
        **{name: found[name]["ratio"] if name in found else None for name in parts},
        PARALLEL: whole["ratio"],
        "base_ratio": whole["base_ratio"],
        "points": whole["ratio"] - whole["base_ratio"] if is_known else None,
    }


def _statements(regressions: Sequence[Regression]) -> Iterator[ShownQuery]:
    """The SQL of the causes, once for each run."""
    for each in {each.run.run_id: each for each in regressions if each.sql}.values():
        run = make_visible(f"{each.run.series.application} ({each.run.label})")
        for name, sql in zip(("changes", "changes by rank"), each.sql, strict=True):
            yield ShownQuery(f"{name} of {run}", sql)


def _run_times() -> ShownQuery:
    return ShownQuery("run times, by run id", read_source(SIZES).sql)


def _trend_row(runs: Sequence[PastRun], judgment: Judgment) -> dict[str, Any]:
    """The row of a series; the latest run is marked if it is worse."""
    latest = runs[-1]
    times = [run.run_time_ns for run in runs[-MOST_VALUES:]]
    judged = next((each for each in judgment.judged if each.run == latest), None)
    base = judged.base if judged else runs[:-1][-HISTORY:]
    before = fmean(run.run_time_ns for run in base) if base else None
    trend = Trend(
        values=tuple(map(float, times)), unit=Unit.TIME, is_marked=latest.run_id in judgment.worse
    )
    return asdict(latest.series) | {
        "run_count": len(runs),
        "last": describe_moment(latest.recorded_at),
        "before_ns": before,
        "latest_ns": latest.run_time_ns,
        "change_ratio": (latest.run_time_ns - before) / before if before else None,
        "trend": trend,
    }
