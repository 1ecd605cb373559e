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
from tracemill.comparison.sentences import signed
from tracemill.reports.explanation import all_metrics, find_metric
from tracemill.reports.units import format_count, format_share_change, format_size, format_time
from tracemill.reports.wording import name_path
from tracemill.schemas.history import RUN_TIME
from tracemill.sql.conditions import evaluate, refusal
from tracemill.sql.limits import SECONDS, read_limit
from tracemill.sql.metric_texts import Metric

_NANOSECONDS = 10**9
_HOW = (
    "write METRIC [in CALL_PATH] > NUMBER, the number with % or a sign for a change, such as "
    "'run_time > +5%', 'mpi_latesender in main/MPI_Recv > +2ms' or 'run_time > 1.5s'"
)


_refusal = partial(refusal, "--fail-if")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A limit of a metric, in total or in a call path.

    `expression` compares the `value` of the other side, the `change`, or the `ratio` of the change
    to the base with a number; see `tracemill.sql.conditions`.
    """

    text: str
    metric: str
    call_path: str | None
    expression: str
    is_change: bool


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
    metric, call_path = _names(limit.what, text)
    unit, is_time = limit.unit, metric is None or metric.unit == "ns"
    name = RUN_TIME if metric is None else metric.name
    if name == RUN_TIME and call_path is not None:
        raise _refusal(text, f"{RUN_TIME} is that of a run, not of a call path: use time")
    if unit != "%" and is_time != (unit in SECONDS):
        units = "%, s, ms, us or ns" if is_time else "% or nothing"
        raise _refusal(text, f"{name} is limited in {units}: {_HOW}")
    quantity = "ratio" if unit == "%" else "change" if limit.sign else "value"
    number = float(limit.value * (_NANOSECONDS if unit in SECONDS else 1))
    return Condition(
        text=text,
        metric=name,
        call_path=call_path,
        expression=f"{quantity} {limit.comparison} {limit.sign}{number!r}",
        is_change=quantity != "value",
    )


def _names(what: str, text: str) -> tuple[Metric | None, str | None]:
    """The metric, None for the run time, and the call path; titles may contain the word "in"."""
    metrics = all_metrics()
    parts = what.split(" in ")
    for count in range(len(parts), 0, -1):
        name = " in ".join(parts[:count]).strip()
        call_path = " in ".join(parts[count:]).strip().strip("\"'") or None
        if name.lower().replace(" ", "_") == RUN_TIME:
            return None, call_path
        try:
            return find_metric(name, metrics), call_path
        except MissingInputError:
            continue
    wanted = parts[0].strip()
    names = [RUN_TIME, *(metric.name for metric in metrics)]
    advice = did_you_mean(near_matches(wanted, names, most=1)) or f"metrics: {', '.join(names)}"
    raise _refusal(text, f"no metric {shorten(make_visible(wanted))}: {advice}")


def check_condition(expression: str | Condition, comparison: Comparison) -> CheckedCondition:
    """Check a condition. Raises UsageError if it is malformed or its call path is on no side."""
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


def _reason(condition: Condition, change: Change) -> str:
    """The actual values, compared with the noise."""
    format = {"ns": format_time, "bytes": format_size}.get(change.unit, format_count)
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
