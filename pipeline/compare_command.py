"""What the command about two runs does; `cli` only turns text into this call."""

from pathlib import Path
from typing import Literal

from pipeline.commands import ReportFormat, format_of, render
from pipeline.comparison.choosing import choose_runs
from pipeline.comparison.comparing import compare
from pipeline.comparison.document import to_json
from pipeline.comparison.report import build
from pipeline.console import messages, results
from pipeline.files import check_folder, write_text
from pipeline.reports.terminal import print_report

Format = ReportFormat | Literal["json"]


def compare_runs(
    base: str, other: str, *, store: Path, format: Format | None, output: Path | None
) -> None:
    """Tell what changed between two runs, or sets of repetitions, in the format wanted."""
    if format is None:
        is_json = output is not None and output.suffix.lower() == ".json"
        format = "json" if is_json else format_of(output)
    if output is not None:
        check_folder(output)
    comparison = compare(choose_runs(store, base), choose_runs(store, other))
    if format == "terminal" and output is None:
        print_report(build(comparison), results())
        return
    text = to_json(comparison) if format == "json" else render(build(comparison), format)
    if output is None:
        results().file.write(text)
        return
    write_text(output, text)
    messages().print(f"comparison written to {output}", markup=False, soft_wrap=True)
