"""Limits of the figures of one run, such as `waiting > 20%`, which make an analysis fail."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import get_type_hints

from tracemill.base.names import make_visible, shorten
from tracemill.base.near import did_you_mean, near_matches
from tracemill.base.text import printable
from tracemill.reports.document import CheckedLimit, Document, Efficiencies, Figures
from tracemill.reports.explanation import all_metrics
from tracemill.reports.units import Unit
from tracemill.schemas.definitions import PROFILE
from tracemill.sql.conditions import evaluate, refusal
from tracemill.sql.limits import SECONDS, read_limit
from tracemill.sql.metric_texts import Metric

_WAIT_STATE = "wait state"
_WRITTEN = {Unit.SHARE: "%", Unit.TIME: "s, ms, us or ns", Unit.COUNT: "a plain number"}
_HOW = "write FIGURE > NUMBER, such as 'waiting > 20%' or 'run_time > 1.5s'"
_LISTS = (
    "docs/reference/summary.md lists figures such as waiting and run_time, tracemill explain wait "
    "states"
)
_refusal = partial(refusal, "--fail-if")


@dataclass(frozen=True, kw_only=True)
class FigureLimit:
    """A limit of a figure; `number` is a ratio, seconds or a count."""

    text: str
    figure: str
    unit: Unit
    comparison: str
    number: float


def parse_limit(text: str) -> FigureLimit:
    """A limit from its text. Raises UsageError that lists the figures."""
    text = printable(text).strip()
    limit = read_limit(text)
    if limit is None:
        raise _refusal(text, f"this is not a condition: {_HOW}")
    figure = figure_name(limit.what)
    units = figure_units()
    unit = units.get(figure)
    if unit is None:
        advice = did_you_mean(near_matches(figure, units, most=1)) or _LISTS
        wrong = shorten(make_visible(limit.what.strip()))
        raise _refusal(text, f"no figure {wrong}: {advice}")
    given = Unit.SHARE if limit.unit == "%" else Unit.TIME if limit.unit in SECONDS else Unit.COUNT
    if given is not unit:
        raise _refusal(text, f"{figure} is limited in {_WRITTEN[unit]}: {_HOW}")
    if limit.sign:
        raise _refusal(text, f"a single run has no changes: give the number without {limit.sign}")
    return FigureLimit(
        text=text, figure=figure, unit=unit, comparison=limit.comparison, number=float(limit.value)
    )


def figure_name(text: str) -> str:
    """A name as figures are spelled: 'Parallel efficiency' is parallel_efficiency."""
    return "_".join(text.strip().lower().replace("-", " ").split())


def figure_units() -> dict[str, Unit]:
    """The units of all figures: those of the document, and shares of wait states."""
    waits = (each.name for each in all_metrics() if is_wait_state(each))
    return document_units() | dict.fromkeys(waits, Unit.SHARE)


@cache
def document_units() -> dict[str, Unit]:
    """The units of the figures and efficiencies of the document."""
    return {
        name: hint.__metadata__[0]
        for declared in (Figures, Efficiencies)
        for name, hint in get_type_hints(declared, include_extras=True).items()
    }


def is_wait_state(metric: Metric) -> bool:
    """Whether a metric is the time of a wait state."""
    return metric.kind == _WAIT_STATE and metric.unit == "ns"


def check_limits(limits: Sequence[FigureLimit], document: Document) -> Document:
    """The document of a run with checked limits."""
    return replace(document, conditions=tuple(_check(each, document) for each in limits))


def _check(limit: FigureLimit, document: Document) -> CheckedLimit:
    """Whether a limit holds for a run; it does not if the run has no such figure."""
    value = figure_of(limit.figure, document)
    expression = f"{limit.figure} {limit.comparison} {limit.number!r}"
    holds = value is not None and evaluate(expression, [{limit.figure: value}])[0][0]
    return CheckedLimit(condition=limit.text, figure=limit.figure, value=value, holds=holds)


def describe_limit(limit: FigureLimit, checked: CheckedLimit) -> str:
    """A checked limit in words: the bound, and the value of the figure."""
    if checked.value is None:
        return f"{limit.text} was not checked: the run has no {limit.figure}"
    value = {Unit.SHARE: f"{checked.value * 100:.6g}%", Unit.TIME: f"{checked.value:.9g} s"}.get(
        limit.unit, f"{checked.value:,.0f}"
    )
    return f"{limit.text}: {limit.figure} is {value}"


def figure_of(figure: str, document: Document) -> float | None:
    """The value of a figure; None if the run has none."""
    named: dict[str, float | None] = asdict(document.figures) | asdict(document.efficiencies)
    if figure in named:
        return named[figure]
    if document.run.detail == PROFILE:
        return None
    ratios = (each.wait_ratio for each in document.wait_states if each.metric == figure)
    return sum((ratio or 0.0 for ratio in ratios), 0.0)
