"""Run times on the page of a night: their course by application, and those of the new runs."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from tracemill.base.names import make_visible
from tracemill.base.text import describe_moment
from tracemill.campaign.gathering import SIZES
from tracemill.nightly.history import PastRun, Series
from tracemill.nightly.pages import Pages
from tracemill.nightly.verdicts import Judged, Judgement
from tracemill.reports.model import Column, Section, Source, Table, Trend
from tracemill.reports.tables import read_source
from tracemill.reports.units import Unit, Value
from tracemill.reports.wording import count_of

MOST_SERIES = 200
MOST_VALUES = 40
"""A trend shows so many runs, the last ones."""
MOST_ROWS = 500
APPLICATION = Column(name="application", title="Application", unit=Unit.TEXT)
RUN = Column(name="label", title="Run", unit=Unit.TEXT)


def trends(judgement: Judgement, history: Sequence[PastRun], pages: Pages) -> Section | None:
    """Run times over time: what is worse first, what is new, then what ran last."""
    series: defaultdict[Series, list[PastRun]] = defaultdict(list)
    for run in history:
        series[run.series].append(run)
    if not series:
        return None
    new = {judged.run.series for judged in judgement.judged}
    alarming = {each.run.series for each in judgement.regressions}
    worse = judgement.worse
    ordered = sorted(
        series, key=lambda s: (s not in alarming, s not in new, -series[s][-1].recorded_ns, s)
    )
    shown = ordered[:MOST_SERIES]
    return Section(
        key="trends",
        title="Trends",
        sentences=(_describe_extent(len(ordered), len(shown)),),
        tables=(
            Table(
                name="trends",
                title="Run times by application",
                note="Runs of one application with as many processes and threads, oldest first, "
                f"the last {MOST_VALUES}; usual is the median of those before the latest. Marked "
                "is what this night calls worse.",
                columns=_TREND_COLUMNS,
                rows=tuple(_trend_row(each, series[each]) for each in shown),
                sql="",
                hidden=_constant(shown),
                row_pages=tuple(
                    pages.link(pages.of_run(series[each][-1].run_id)) for each in shown
                ),
                trends=tuple(_trend(series[each], worse) for each in shown),
                trend_title="Run time",
                is_cut=len(shown) < len(ordered),
            ),
        ),
        sources=(_run_times(),),
    )


def _run_times() -> Source:
    """The run times of all runs, as the history of nights remembers them."""
    return Source("run times, by run id", read_source(SIZES).sql)


_SERIES_COLUMNS = (
    APPLICATION,
    Column(name="processes", title="Processes", unit=Unit.COUNT),
    Column(name="threads", title="Threads", unit=Unit.COUNT),
)
_TREND_COLUMNS = (
    *_SERIES_COLUMNS,
    Column(name="run_count", title="Runs", unit=Unit.COUNT),
    Column(name="last", title="Latest recorded", unit=Unit.TEXT),
    Column(name="usual_ns", title="Usual", unit=Unit.TIME),
    Column(name="latest_ns", title="Latest", unit=Unit.TIME),
    Column(name="change_ratio", title="Change", unit=Unit.SHARE_CHANGE),
)


def _describe_extent(all_count: int, shown_count: int) -> str:
    told = count_of(all_count, "series", "series")
    more = f", the {shown_count} that ran last are shown" if shown_count < all_count else ""
    return f"{told} of runs that can be compared{more}."


def _trend_row(series: Series, runs: Sequence[PastRun]) -> tuple[Value, ...]:
    *before, latest = (run.run_time_ns for run in runs[-MOST_VALUES:])
    usual = _median(before)
    return (
        *_cells(series),
        len(runs),
        describe_moment(runs[-1].recorded_at),
        usual,
        latest,
        None if not usual else (latest - usual) / usual,
    )


def _cells(series: Series) -> tuple[Value, ...]:
    """Of _SERIES_COLUMNS."""
    return make_visible(series.application), series.processes, series.threads


def _trend(runs: Sequence[PastRun], worse: Collection[str]) -> Trend:
    shown = runs[-MOST_VALUES:]
    return Trend(
        values=tuple(float(run.run_time_ns) for run in shown),
        unit=Unit.TIME,
        is_marked=shown[-1].run_id in worse,
    )


def _median(values: Sequence[int]) -> float | None:
    if not values:
        return None
    ordered, middle = sorted(values), len(values) // 2
    return float(ordered[middle] if len(values) % 2 else sum(ordered[middle - 1 : middle + 1]) / 2)


def _constant(series: Sequence[Series]) -> frozenset[str]:
    return frozenset({"threads"} if all(each.threads == 1 for each in series) else ())


# --- New runs ------------------------------------------------------------------------------------


def new_runs(judgement: Judgement, pages: Pages) -> Section | None:
    """What this night analysed, and what each run was held against."""
    if not judgement.judged:
        return None
    shown = tuple(reversed(judgement.judged))[:MOST_ROWS]
    return Section(
        key="runs",
        title="Runs of this night",
        tables=(
            Table(
                name="runs",
                title="New runs",
                note="Latest first; moments are in UTC. Before is the mean of so many runs that it "
                "was held against.",
                columns=_RUN_COLUMNS,
                rows=tuple(map(_run_row, shown)),
                sql="",
                hidden=_constant([judged.run.series for judged in shown]),
                row_pages=tuple(pages.link(pages.of_run(judged.run.run_id)) for judged in shown),
                is_cut=len(shown) < len(judgement.judged),
            ),
        ),
        sources=(_run_times(),),
    )


_RUN_COLUMNS = (
    RUN,
    *_SERIES_COLUMNS,
    Column(name="recorded", title="Recorded", unit=Unit.TEXT),
    Column(name="run_time_ns", title="Run time", unit=Unit.TIME),
    Column(name="before_ns", title="Before", unit=Unit.TIME),
    Column(name="before_count", title="Of runs", unit=Unit.COUNT),
    Column(name="change_ratio", title="Change", unit=Unit.SHARE_CHANGE),
    Column(name="noise_ns", title="Noise", unit=Unit.TIME),
    Column(name="verdict", title="Verdict", unit=Unit.TEXT),
    Column(name="run_id", title="Run id", unit=Unit.TEXT),
)


def _run_row(judged: Judged) -> tuple[Value, ...]:
    run, change = judged.run, judged.change
    return (
        make_visible(run.label),
        *_cells(run.series),
        describe_moment(run.recorded_at).removesuffix(" UTC"),
        run.run_time_ns,
        change.base_value if change else None,
        len(judged.base),
        judged.change_ratio,
        change.noise_value if change else None,
        judged.word,
        run.run_id,
    )
