"""Conditions on a comparison that define a regression, such as `mpi_latesender > +20%`."""

from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from tracemill.base.errors import MissingInputError
from tracemill.base.names import format_path, make_visible, shorten
from tracemill.base.near import did_you_mean, near_matches
from tracemill.base.text import printable
from tracemill.comparison.changes import Change
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.figures import figure_change
from tracemill.comparison.sentences import signed
from tracemill.reports.explanation import all_metrics, find_metric
from tracemill.reports.limits import document_units, figure_name, is_wait_state
from tracemill.reports.units import (
    Unit,
    format_count,
    format_share,
    format_share_change,
    format_size,
    format_time,
)
from tracemill.reports.wording import name_path
from tracemill.schemas.definitions import PROFILE
from tracemill.schemas.history import RUN_TIME
from tracemill.sql.conditions import evaluate, refusal
from tracemill.sql.limits import SECONDS, read_limit

_NANOSECONDS = 10**9
_HOW = (
    "write METRIC [in CALL_PATH] > NUMBER, the number with a sign for a change, such as "
    "'run_time > +5%', 'mpi_latesender in main/MPI_Recv > +2ms' or 'waiting > 20%'"
)
_LISTS = "tracemill explain lists metrics, docs/reference/summary.md figures such as waiting"
_refusal = partial(refusal, "--fail-if")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A limit of a metric, in total or in a call path, or of a figure of summaries.

    `expression` compares the `value` of the other side, the `change`, or the `ratio` of the change
    to the base with a number; see `tracemill.sql.conditions`.
    """

    text: str
    metric: str
    call_path: str | None
    expression: str
    is_change: bool
    is_figure: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckedCondition:
    """The result of a condition: whether it holds, for which change, and the reason in words.

    A condition on changes does not hold for a change within the noise.
    """

    expression: str
    holds: bool
    change: Change
    reason: str


def parse_condition(text: str) -> Condition:
    """A condition from its text. Raises UsageError that shows the syntax."""
    text = printable(text).strip()
    limit = read_limit(text)
    if limit is None:
        raise _refusal(text, f"this is not a condition: {_HOW}")
    subject = _subject(limit.what, text)
    unit, is_time = limit.unit, subject.unit == "ns"
    if subject.call_path is not None and subject.is_figure:
        raise _refusal(text, f"{subject.name} is that of a run, not of a call path: {_HOW}")
    is_ratio = subject.unit == Unit.SHARE
    if unit != "%" and (is_ratio or is_time != (unit in SECONDS)):
        units = "%, s, ms, us or ns" if is_time else "%" if is_ratio else "% or nothing"
        raise _refusal(text, f"{subject.name} is limited in {units}: {_HOW}")
    is_share = unit == "%" and not limit.sign and subject.has_share
    if is_share and subject.call_path is not None:
        raise _refusal(text, f"the share of a call path is unknown: limit its change: {_HOW}")
    quantity = (
        "value" if is_share else "ratio" if unit == "%" else "change" if limit.sign else "value"
    )
    number = float(limit.value * (_NANOSECONDS if unit in SECONDS else 1))
    return Condition(
        text=text,
        metric=subject.name,
        call_path=subject.call_path,
        expression=f"{quantity} {limit.comparison} {limit.sign}{number!r}",
        is_change=quantity != "value",
        is_figure=is_share or (subject.is_figure and subject.name != RUN_TIME),
    )


@dataclass(frozen=True, kw_only=True)
class _Subject:
    """The subject of a condition; `has_share` if a percentage without a sign limits its share."""

    name: str
    unit: str
    call_path: str | None
    is_figure: bool
    has_share: bool


def _subject(what: str, text: str) -> _Subject:
    """The figure or metric, and the call path; titles may contain the word "in"."""
    metrics, figures = all_metrics(), document_units()
    parts = what.split(" in ")
    for count in range(len(parts), 0, -1):
        name = " in ".join(parts[:count]).strip()
        call_path = " in ".join(parts[count:]).strip().strip("\"'") or None
        figure = figure_name(name)
        if figure in figures:
            unit = figures[figure]
            return _Subject(
                name=figure, unit="ns" if unit is Unit.TIME else unit, call_path=call_path,
                is_figure=True, has_share=unit is Unit.SHARE,
            )  # fmt: skip
        try:
            metric = find_metric(name, metrics)
        except MissingInputError:
            continue
        return _Subject(
            name=metric.name, unit=metric.unit, call_path=call_path,
            is_figure=False, has_share=is_wait_state(metric),
        )  # fmt: skip
    wanted = parts[0].strip()
    names = [*figures, *(metric.name for metric in metrics)]
    advice = did_you_mean(near_matches(wanted, names, most=1)) or _LISTS
    raise _refusal(text, f"no metric {shorten(make_visible(wanted))}: {advice}")


def check_condition(expression: str | Condition, comparison: Comparison) -> CheckedCondition:
    """Check a condition.

    Raises UsageError if it is malformed or its call path is on no side, MissingInputError if a run
    does not have its figure.
    """
    condition = parse_condition(expression) if isinstance(expression, str) else expression
    changes = _limited(condition, comparison)
    quantities = [
        {"value": each.other_value, "change": each.change_value, "ratio": each.change_ratio}
        for each in changes
    ]
    held, _ = evaluate(condition.expression, quantities)
    judged = [
        (is_held and not (condition.is_change and change.is_beyond_noise is False), change)
        for is_held, change in zip(held, changes, strict=True)
    ]
    is_held, change = max(judged, key=lambda each: (each[0], abs(each[1].change_value)))
    return CheckedCondition(
        expression=condition.text, holds=is_held, change=change, reason=_reason(condition, change)
    )


def _limited(condition: Condition, comparison: Comparison) -> list[Change]:
    """The changes that a condition limits: several if call paths share a name."""
    if condition.is_figure:
        titles = {each.name: each.title for each in all_metrics()}
        return [figure_change(comparison, condition.metric, titles.get(condition.metric, ""))]
    _check_detail(condition, comparison)
    if condition.call_path is None:
        return [comparison.of_metric(condition.metric)]
    found = comparison.in_call_path(condition.metric, condition.call_path)
    if found:
        return list(found)
    call_paths = comparison.rows.drop_nulls("call_path")["call_path"].unique(maintain_order=True)
    if condition.call_path not in call_paths:
        close = get_close_matches(condition.call_path, call_paths.to_list(), n=1, cutoff=0.3)
        advice = (
            f"did you mean {make_visible(close[0])}?"
            if close
            else "the report of the comparison lists call paths"
        )
        problem = f"no call path {format_path(condition.call_path)}: {advice}"
        raise _refusal(condition.text, problem)
    return [comparison.nothing_of(condition.metric)]


def _check_detail(condition: Condition, comparison: Comparison) -> None:
    """Raise MissingInputError for a metric that runs of the detail profile do not have."""
    is_there = condition.metric in (RUN_TIME, *(each.metric for each in comparison.metrics))
    if not is_there and comparison.base.runs[0].detail == PROFILE:
        raise MissingInputError(
            f"--fail-if {condition.text}: the runs have the detail profile and no "
            f"{condition.metric}: analyze them with --detail calls or full"
        )


def _reason(condition: Condition, change: Change) -> str:
    """The actual values, compared with the noise."""
    formats = {"ns": format_time, "bytes": format_size, "ratio": format_share}
    format = formats.get(change.unit, format_count)
    place = f" in {name_path(condition.call_path)}" if condition.call_path else ""
    text = (
        f"{change.title}{place}: {signed(change, change.change_value)} "
        f"({format_share_change(change.change_ratio)}), {format(change.base_value)} → "
        f"{format(change.other_value)}"
    )
    if change.is_beyond_noise is None or not change.change_value:
        return text
    where = "beyond" if change.is_beyond_noise else "within"
    return f"{text}, {where} the noise of ±{format(change.noise_value or 0.0)}"
