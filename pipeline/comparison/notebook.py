"""A comparison as notebooks show it."""

from dataclasses import fields

from tracemill.comparison.comparing import Comparison
from tracemill.comparison.report import build_comparison_report
from tracemill.reports.notebook import summary_html


class ShownComparison(Comparison):
    """A comparison with its summary in HTML."""

    @classmethod
    def of(cls, found: Comparison) -> "ShownComparison":
        """The comparison, as notebooks show it."""
        return cls(**{each.name: getattr(found, each.name) for each in fields(found)})

    def __repr__(self) -> str:
        return f"<comparison of {self.base.label} and {self.other.label}>"

    def _repr_html_(self) -> str:
        return summary_html(build_comparison_report(self))
