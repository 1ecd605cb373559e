"""Figures of the summaries of compared runs, such as the share of waiting."""

from tracemill.base.errors import MissingInputError
from tracemill.comparison.changes import MetricChange
from tracemill.comparison.comparing import Comparison
from tracemill.comparison.noise import measured_change
from tracemill.reports.limits import figure_of, figure_units
from tracemill.reports.units import Unit
from tracemill.reports.wording import start
from tracemill.store.runs import Run

_UNITS = {Unit.SHARE: "ratio", Unit.TIME: "ns", Unit.COUNT: "occurrences"}
_NANOSECONDS = 10**9


def figure_change(comparison: Comparison, figure: str, title: str = "") -> MetricChange:
    """A figure of the summaries of both sides. Raises MissingInputError if a run has none."""
    unit = figure_units()[figure]
    base, other = (
        [_value(comparison, run, figure) for run in side.runs]
        for side in (comparison.base, comparison.other)
    )
    title = title or start(figure.replace("_", " "))
    return measured_change(base, other, metric=figure, title=title, unit=_UNITS[unit])


def _value(comparison: Comparison, run: Run, figure: str) -> float:
    """The figure of a run: a share, nanoseconds or a count."""
    value = figure_of(figure, comparison.documents[run.run_id])
    if value is None:
        raise MissingInputError(
            f"{run.label}, analyzed with the detail {run.detail}, has no {figure}: it cannot be "
            "limited"
        )
    return value * (_NANOSECONDS if figure_units()[figure] is Unit.TIME else 1)
