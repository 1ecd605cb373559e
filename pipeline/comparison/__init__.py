"""Compares two runs, or two sets of repetitions, and separates changes from noise."""

from tracemill.comparison.changes import CallPathChange, Cause, Change, MetricChange, RankChange
from tracemill.comparison.comparing import Comparison, Side, compare_runs

__all__ = [
    "CallPathChange",
    "Cause",
    "Change",
    "Comparison",
    "MetricChange",
    "RankChange",
    "Side",
    "compare_runs",
]
