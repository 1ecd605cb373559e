"""A night in words."""

from collections.abc import Sequence

from tracemill.base.names import make_visible
from tracemill.base.text import join_words, printable
from tracemill.nightly.history import PastRun, Series
from tracemill.nightly.nights import Alarm, is_of_last_day
from tracemill.nightly.outcome import NightOutcome
from tracemill.nightly.verdicts import FASTER, Judgement, Regression
from tracemill.reports.model import Finding
from tracemill.reports.units import format_count, format_share, format_time
from tracemill.reports.wording import count_of, said
from tracemill.schemas.history import RUN_TIME

MOST_ALARMS = 5


def describe_night(night: NightOutcome, judgement: Judgement) -> tuple[str, ...]:
    """What there is to look at in a few sentences, apart from what each regression is."""
    return said(
        _describe_verdict(night, judgement),
        _describe_failures(night),
        _describe_campaigns(night),
        _describe_unjudged(judgement),
        _describe_rest(night),
    )


def _describe_verdict(night: NightOutcome, judgement: Judgement) -> str:
    worse = len(judgement.worse)
    new = count_of(len(night.analysed), "new run")
    if not night.analysed:
        known = count_of(night.unchanged_count, "archive")
        if night.unchanged_count and not (night.failed or night.left or night.again):
            return f"Nothing new: {known} known already."
        return "No new runs." if _has_archives(night) else f"No new runs: {_no_archives(night)}"
    if worse:
        return f"{new}, {format_count(worse)} of them worse than before."
    without = sum(not judged.base for judged in judgement.judged)
    compared = len(judgement.judged) - without
    if not compared:
        return f"{new}; there is nothing yet to compare with."
    first = f"; {format_count(without)} without any before" if without else ""
    faster = sum(judged.word == FASTER for judged in judgement.judged)
    better = f", {format_count(faster)} faster" if faster else ""
    return f"{new}, none worse than before{better}{first}."


def _has_archives(night: NightOutcome) -> bool:
    others = (night.again, night.failed, night.quarantined, night.waiting, night.left)
    return bool(night.unchanged_count or any(others))


def _no_archives(night: NightOutcome) -> str:
    return f"there is no archive to look at below {make_visible(printable(str(night.source)))}."


def _describe_failures(night: NightOutcome) -> str:
    if not night.failed:
        known = count_of(len(night.quarantined), "archive that failed", "archives that failed")
        return f"{known} earlier did not change." if night.quarantined else ""
    first = night.failed[0]
    is_named = printable(str(first.path.parent)) in first.reason
    name = "" if is_named else f"{name_archive(first.path, night)}: "
    more = " …" if len(night.failed) > 1 else ""
    count = count_of(len(night.failed), "archive")
    return f"{count} could not be analysed: {name}{make_visible(first.reason)}{more}"


def _describe_campaigns(night: NightOutcome) -> str:
    failed = [make_visible(each.name) for each in night.campaigns if each.reason]
    if not failed:
        return ""
    return f"{count_of(len(failed), 'campaign')} could not be made: {join_words(failed)}."


def _describe_unjudged(judgement: Judgement) -> str:
    if not judgement.unjudged:
        return ""
    first = judgement.unjudged[0]
    return (
        f"{count_of(len(judgement.unjudged), 'new run')} could not be compared: "
        f"{make_visible(first.label)}: {first.reason}"
    )


def _describe_rest(night: NightOutcome) -> str:
    waiting = count_of(len(night.waiting), "archive is not ready", "archives are not ready")
    left = count_of(len(night.left), "archive is", "archives are")
    again = count_of(len(night.again), "run of earlier nights was", "runs of earlier nights were")
    return " ".join(
        said(
            f"{again} analysed anew." if night.again else "",
            f"{waiting} yet." if night.waiting else "",
            f"{left} left for the next night." if night.left else "",
        )
    )


def describe_alarms(judgement: Judgement) -> tuple[str, ...]:
    """The worst regressions with what explains most of each."""
    found = judgement.regressions
    told = [describe_regression(each, most=1) for each in found[:MOST_ALARMS]]
    more = len(found) - MOST_ALARMS
    return (
        *(f"{each.headline} {each.detail}".strip() for each in told),
        *([f"{count_of(more, 'more', 'more')} in the page."] if more > 0 else []),
    )


def describe_others(night: NightOutcome, alarms: Sequence[Alarm]) -> str:
    """How much else was worse in nights of the last day, such as those of other hosts."""
    count = sum(is_of_last_day(alarm, night.started_at) for alarm in alarms)
    if not count:
        return ""
    return f"Other nights of the last 24 hours found {count_of(count, 'worse run')}."


def describe_regression(found: Regression, *, most: int | None = None) -> Finding:
    """What is worse, by how much, than what; then what explains it."""
    causes = " ".join(
        " ".join(filter(None, (each.headline, each.detail))) for each in found.explanations[:most]
    )
    return Finding(f"{_describe_change(found)}.", causes)


def _describe_change(found: Regression) -> str:
    series = f"{name_series(found.run.series)} ({make_visible(printable(found.run.label))})"
    base, ratio = _name_base(found), found.change_ratio
    if found.metric != RUN_TIME or ratio is None:
        return f"{series}: {make_visible(found.condition)} against {base}: {found.reason}"
    noise = found.noise_value
    known = "what of it is noise is not known" if noise is None else f"noise ±{format_time(noise)}"
    return (
        f"{series} takes {format_share(abs(ratio))} {'longer' if ratio > 0 else 'less'} than "
        f"{base}: {format_time(found.base_value)} → {format_time(found.value)}, {known}"
    )


def _name_base(found: Regression) -> str:
    count = len(found.base)
    if found.is_baseline:
        return f"its baseline ({', '.join(_name_run(each, found.run) for each in found.base)})"
    return "the run before it" if count == 1 else f"the {count} runs before it"


def _name_run(run: PastRun, beside: PastRun) -> str:
    """Its label, and what it is a run of if that is another application."""
    label, application = make_visible(run.label), run.series.application
    is_same = application == beside.series.application
    return label if is_same else f"{label} of {make_visible(printable(application))}"


def name_series(series: Series) -> str:
    """'lulesh with 8 processes'; threads are told where there are several."""
    size = count_of(series.processes, "process", "processes")
    threads = f" of {series.threads} threads" if series.threads > 1 else ""
    return f"{make_visible(printable(series.application))} with {size}{threads}"


def name_archive(path: object, night: NightOutcome) -> str:
    """Where an archive lies below the folder of the night."""
    text = str(path)
    return make_visible(printable(text.removeprefix(f"{night.source}/")))
