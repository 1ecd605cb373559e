"""Conditions on a comparison, such as `mpi_latesender > +20%`: what counts as a regression."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from pipeline.comparison.changes import Change
from pipeline.comparison.comparing import Comparison
from pipeline.comparison.sentences import signed
from pipeline.errors import MissingInputError, UsageError
from pipeline.explain import find_metric, list_metrics
from pipeline.patterns.metric_texts import Metric
from pipeline.reports.units import (
    format_count,
    format_path,
    format_share_change,
    format_size,
    format_time,
    make_visible,
    shorten,
)
from pipeline.reports.wording import name_path
from schemas.history import RUN_TIME

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_NANOSECONDS = {"s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1.0}
# Names of call paths may hold anything: the last comparison is the one that is meant.
_CONDITION = re.compile(
    r"(?P<what>.+)(?P<comparison>[<>]=?)\s*(?P<sign>[+-]?)\s*"
    r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>%|s|ms|us|µs|ns|)",
    re.DOTALL,
)
_HOW = (
    "write METRIC [in CALL_PATH] > NUMBER, the number with % or a sign for a change, such as "
    "'run_time > +5%', 'mpi_latesender in main/MPI_Recv > +2ms' or 'run_time > 1.5s'"
)
_LONGEST = 200


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A limit of a metric, as a whole or in a call path.

    `amount` is a ratio if `is_relative`, else in the unit of the metric. If `is_change`, it limits
    the change, else the value of the other side.
    """

    text: str
    metric: str
    call_path: str | None
    comparison: str
    amount: float
    is_change: bool
    is_relative: bool


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a condition holds, for which change, and that in words.

    A change that is within the noise fulfils no condition on changes.
    """

    expression: str
    holds: bool
    change: Change
    reason: str


def parse(expression: str) -> Condition:
    """A condition from its text. Raises UsageError, which says how to write one."""
    text = expression.encode("utf-8", "replace").decode().strip()
    shown = shorten(make_visible(text), _LONGEST)
    matches = _CONDITION.fullmatch(text)
    if matches is None:
        raise UsageError(f"--fail-if {shown}: it is no condition: {_HOW}")
    metric, call_path = _names(matches["what"], shown)
    unit, is_time = matches["unit"], metric is None or metric.unit == "ns"
    name = RUN_TIME if metric is None else metric.name
    if name == RUN_TIME and call_path is not None:
        raise UsageError(f"--fail-if {shown}: {RUN_TIME} is that of the whole run: use time")
    if unit != "%" and is_time != (unit in _NANOSECONDS):
        units = "%, s, ms, us or ns" if is_time else "% or nothing"
        raise UsageError(f"--fail-if {shown}: {name} is limited in {units}: {_HOW}")
    factor = 0.01 if unit == "%" else _NANOSECONDS.get(unit, 1.0)
    number = float(matches["number"]) * factor
    return Condition(
        text=text,
        metric=name,
        call_path=call_path,
        comparison=matches["comparison"],
        amount=-number if matches["sign"] == "-" else number,
        is_change=bool(matches["sign"]) or unit == "%",
        is_relative=unit == "%",
    )


def _names(text: str, shown: str) -> tuple[Metric | None, str | None]:
    """The metric, None for the run time, and the call path in front of a limit.

    A title such as that of bytes_cin may hold the word that a call path follows.
    """
    metrics = list_metrics()
    parts = text.split(" in ")
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
    known = [RUN_TIME, *(metric.name for metric in metrics)]
    close = get_close_matches(wanted.lower(), known, n=1)
    advice = f"did you mean {close[0]}?" if close else f"metrics: {', '.join(known)}"
    raise UsageError(f"--fail-if {shown}: no metric {shorten(make_visible(wanted))}: {advice}")


def holds(expression: str | Condition, comparison: Comparison) -> Verdict:
    """Whether a condition holds for a comparison.

    Raises UsageError if it is none, or names a call path that neither side has.
    """
    condition = parse(expression) if isinstance(expression, str) else expression
    judged = [(_holds(condition, change), change) for change in _limited(condition, comparison)]
    is_held, change = max(judged, key=lambda each: (each[0], abs(each[1].change_value)))
    return Verdict(
        expression=condition.text,
        holds=is_held,
        change=change,
        reason=_reason(condition, change),
    )


def _limited(condition: Condition, comparison: Comparison) -> list[Change]:
    """The changes that a condition is about: several if call paths share a name."""
    if condition.call_path is None:
        return [comparison.of_metric(condition.metric)]
    found = comparison.in_call_path(condition.metric, condition.call_path)
    if found:
        return list(found)
    known = comparison.rows.drop_nulls("call_path")["call_path"].unique(maintain_order=True)
    if condition.call_path not in known:
        close = get_close_matches(condition.call_path, known.to_list(), n=1, cutoff=0.3)
        advice = (
            f"did you mean {make_visible(close[0])}?"
            if close
            else "the comparison names those there are"
        )
        shown = shorten(make_visible(condition.text), _LONGEST)
        raise UsageError(
            f"--fail-if {shown}: no call path {format_path(condition.call_path)}: {advice}"
        )
    return [comparison.nothing_of(condition.metric)]


def _holds(condition: Condition, change: Change) -> bool:
    if condition.is_change and change.is_beyond_noise is False:
        return False
    value = change.change_value if condition.is_change else change.other_value
    if condition.is_relative:
        value = change.change_ratio
    return _COMPARISONS[condition.comparison](value, condition.amount)


def _reason(condition: Condition, change: Change) -> str:
    """What is, as opposed to what may be."""
    format = {"ns": format_time, "bytes": format_size}.get(change.unit, format_count)
    place = f" in {name_path(condition.call_path)}" if condition.call_path else ""
    told = (
        f"{change.title}{place}: {signed(change, change.change_value)} "
        f"({format_share_change(change.change_ratio)}), {format(change.base_value)} → "
        f"{format(change.other_value)}"
    )
    if change.is_beyond_noise is None or not change.change_value:
        return told
    where = "beyond" if change.is_beyond_noise else "within"
    return f"{told}, {where} the noise of ±{format(change.noise_value or 0.0)}"
