"""The sentences about a night: its summary, its regressions, and names of archives and series."""

from pathlib import Path

from tracemill.base.names import make_visible
from tracemill.base.text import join_words, printable
from tracemill.nightly.history import PastRun, RunSeries
from tracemill.nightly.judge import FASTER, Judgment, Regression
from tracemill.nightly.outcome import Night
from tracemill.reports.model import Finding
from tracemill.reports.units import format_count, format_share, format_time
from tracemill.reports.wording import count_of, nonempty
from tracemill.schemas.history import RUN_TIME

MOST_REGRESSIONS = 5


def describe_night(night: Night, judgment: Judgment, alarm_count: int) -> tuple[str, ...]:
    """A summary without regressions; `alarm_count` is the number of worse runs in other nights."""
    return nonempty(
        _describe_new_runs(night, judgment),
        _describe_failures(night),
        _describe_campaigns(night),
        _describe_unjudged(judgment),
        _describe_incomplete(judgment),
        *_describe_rest(night),
        f"Other nights of the last 24 hours found {count_of(alarm_count, 'worse run')}."
        if alarm_count
        else "",
    )


def _describe_new_runs(night: Night, judgment: Judgment) -> str:
    new, worse = count_of(len(night.analyzed), "new run"), len(judgment.worse)
    if not night.analyzed:
        return _describe_no_runs(night)
    if worse:
        some = "" if worse == len(night.analyzed) == 1 else f"{format_count(worse)} of them "
        return f"{new}, {some}worse than before."
    first = sum(not each.base for each in judgment.judged)
    if first == len(judgment.judged):
        return f"{new}; there is nothing yet to compare with."
    without = f"; {format_count(first)} without earlier runs" if first else ""
    faster = sum(each.verdict == FASTER for each in judgment.judged)
    better = f", {format_count(faster)} faster" if faster else ""
    return f"{new}, none worse than before{better}{without}."


def _describe_no_runs(night: Night) -> str:
    if night.unchanged_count and not (night.failed or night.left or night.again):
        archives = count_of(night.unchanged_count, "archive was", "archives were")
        return f"Nothing new: {archives} analyzed before."
    others = (night.again, night.failed, night.quarantined, night.waiting, night.left)
    if night.unchanged_count or any(others):
        return "No new runs."
    return f"No new runs: there is no archive below {make_visible(printable(str(night.source)))}."


def _describe_failures(night: Night) -> str:
    if not night.failed:
        old = count_of(len(night.quarantined), "archive that failed", "archives that failed")
        return f"{old} earlier did not change." if night.quarantined else ""
    first = night.failed[0]
    is_named = printable(str(first.path.parent)) in first.reason
    name = "" if is_named else f"{name_archive(first.path, night)}: "
    more = " …" if len(night.failed) > 1 else ""
    count = count_of(len(night.failed), "archive")
    return f"{count} could not be analyzed: {name}{make_visible(first.reason)}{more}"


def _describe_campaigns(night: Night) -> str:
    failed = [make_visible(each.name) for each in night.campaigns if each.reason]
    return f"{count_of(len(failed), 'campaign')} failed: {join_words(failed)}." if failed else ""


def _describe_unjudged(judgment: Judgment) -> str:
    if not judgment.unjudged:
        return ""
    count, first = count_of(len(judgment.unjudged), "new run"), judgment.unjudged[0]
    return f"{count} could not be compared: {make_visible(first.label)}: {first.reason}"


def _describe_incomplete(judgment: Judgment) -> str:
    if not judgment.incomplete:
        return ""
    traces = count_of(len(judgment.incomplete), "incomplete trace")
    names = join_words([make_visible(printable(each)) for each in judgment.incomplete])
    return f"Only the readable part of {traces} was analyzed: {names}."


def _describe_rest(night: Night) -> tuple[str, ...]:
    waiting = count_of(len(night.waiting), "archive is not ready", "archives are not ready")
    left = count_of(len(night.left), "archive is", "archives are")
    again = count_of(len(night.again), "run of earlier nights was", "runs of earlier nights were")
    return (
        f"{again} analyzed again." if night.again else "",
        f"{waiting} yet." if night.waiting else "",
        f"{left} left for the next night." if night.left else "",
    )


def describe_worst_regressions(judgment: Judgment) -> tuple[str, ...]:
    """The worst regressions, each with its main cause."""
    found = judgment.regressions
    worst = [describe_regression(each, most=1) for each in found[:MOST_REGRESSIONS]]
    more = len(found) - MOST_REGRESSIONS
    return (
        *(f"{each.headline} {each.detail}".strip() for each in worst),
        *([f"{format_count(more)} more on the page."] if more > 0 else []),
    )


def describe_regression(found: Regression, *, most: int | None = None) -> Finding:
    """The change and its base, then at most `most` causes."""
    causes = " ".join(
        " ".join(filter(None, (each.headline, each.detail))) for each in found.explanations[:most]
    )
    return Finding(f"{_describe_change(found)}.", causes)


def _describe_change(found: Regression) -> str:
    series = f"{_name_series(found.run.series)} ({make_visible(printable(found.run.label))})"
    base, ratio, change = _name_base(found), found.change_ratio, found.change
    if change.metric != RUN_TIME or ratio is None:
        return f"{series}: {make_visible(found.condition)} against {base}: {found.reason}"
    noise = "unknown" if change.noise_value is None else f"±{format_time(change.noise_value)}"
    return (
        f"{series} takes {format_share(abs(ratio))} {'longer' if ratio > 0 else 'less'} than "
        f"{base}: {format_time(change.base_value)} → {format_time(change.other_value)}, "
        f"noise {noise}"
    )


def _name_base(found: Regression) -> str:
    count = len(found.base)
    if found.is_baseline:
        return f"its baseline ({', '.join(_name_run(each, found.run) for each in found.base)})"
    return "the run before it" if count == 1 else f"the {count} runs before it"


def _name_run(run: PastRun, beside: PastRun) -> str:
    """The label of a run, with its application if it differs."""
    label, application = make_visible(run.label), run.series.application
    is_same = application == beside.series.application
    return label if is_same else f"{label} of {make_visible(printable(application))}"


def _name_series(series: RunSeries) -> str:
    """'lulesh with 8 processes'; threads are named if there are several."""
    size = count_of(series.processes, "process", "processes")
    threads = f" of {series.threads} threads" if series.threads > 1 else ""
    return f"{make_visible(printable(series.application))} with {size}{threads}"


def name_archive(path: Path, night: Night) -> str:
    """The path of an archive below the source of the night."""
    return make_visible(printable(str(path).removeprefix(f"{night.source}/")))
