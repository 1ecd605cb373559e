"""What the command about two runs does; `cli` only turns text into this call."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tracemill.base.console import messages, results
from tracemill.base.errors import RegressionError
from tracemill.base.files import check_folder, write_text
from tracemill.commands import ReportFormat, format_of, render
from tracemill.comparison.choosing import choose_runs
from tracemill.comparison.comparing import Comparison, compare
from tracemill.comparison.conditions import Verdict, holds, parse
from tracemill.comparison.document import to_json
from tracemill.comparison.report import build
from tracemill.reports.terminal import print_report

Format = ReportFormat | Literal["json"]


def compare_runs(
    base: str,
    other: str,
    *,
    fail_if: Sequence[str],
    store: Path,
    format: Format | None,
    output: Path | None,
) -> None:
    """Tell what changed between two runs, or sets of repetitions, in the format wanted.

    Raises RegressionError, after everything is told, if a condition of `fail_if` holds.
    """
    conditions = [parse(each) for each in fail_if]
    if format is None:
        is_json = output is not None and output.suffix.lower() == ".json"
        format = "json" if is_json else format_of(output)
    if output is not None:
        check_folder(output)
    comparison = compare(choose_runs(store, base), choose_runs(store, other))
    verdicts = [holds(each, comparison) for each in conditions]
    if format == "terminal" and output is None:
        print_report(build(comparison, verdicts), results())
    else:
        _write(_render(comparison, verdicts, format), output)
    _refuse(comparison, verdicts)


def _render(comparison: Comparison, verdicts: Sequence[Verdict], format: Format) -> str:
    if format == "json":
        return to_json(comparison, verdicts)
    return render(build(comparison, verdicts), format)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        results().file.write(text)
        return
    write_text(output, text)
    messages().print(f"comparison written to {output}", markup=False, soft_wrap=True)


def _refuse(comparison: Comparison, verdicts: Sequence[Verdict]) -> None:
    """Raise RegressionError if a condition holds."""
    failed = [f"{each.expression}: {each.reason}" for each in verdicts if each.holds]
    if failed:
        sides = f"{comparison.base.label} → {comparison.other.label}"
        raise RegressionError(f"{sides}: {'; '.join(failed)}")
