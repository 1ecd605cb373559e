"""The command that shows overheads of a run, alone or against a sequential run."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import messages, results
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import EVERYTHING, Flag, FocusingOptions, StorePath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracemill.store.runs import Run

Format = Literal["text", "json", "csv"]


def overheads(
    seq: Annotated[
        str, Parameter(help="Sequential run, or the run with fewest threads; alone: any run.")
    ],
    par: Annotated[str | None, Parameter(help="Parallel run.")] = None,
    /,
    *,
    tolerance: str = "20%",
    with_setup: Annotated[bool, Flag] = False,
    force: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
    format: Format = "text",
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Show overheads of a parallel run against a sequential one, by class, call path and region.

    The overhead is the time of PAR minus the share of each thread in the time of SEQ. Several runs
    joined by commas, or a label that several runs share, are repetitions: means are compared, and
    the noise is shown. With one run, show which call paths compute while other threads lose time.

    Examples:
      tracemill overheads sB_p1 sB_p8
      tracemill overheads sB_p1_r1,sB_p1_r2 sB_p8_r1,sB_p8_r2,sB_p8_r3
      tracemill overheads sB_p8 --format json

    Parameters
    ----------
    tolerance
        Largest difference between times of the same computation, such as 20% or 0.2.
    with_setup
        Compare whole runs; both must be analyzed with --with-setup.
    force
        Compare the runs even if they seem to be two programs.
    format
        How to print the overheads; csv has one row per figure.
    """
    from tracemill.comparison.choosing import choose_runs
    from tracemill.store.finding import open_run

    share = _share(tolerance)
    with ExitStack() as stack:
        chosen = (
            [(open_run(store, seq),)]
            if par is None
            else [choose_runs(store, name) for name in (seq, par)]
        )
        first, *others = (
            [stack.enter_context(focus.applied(run, is_printed=format != "text")) for run in side]
            for side in chosen
        )
        if others:
            _show_against(first, others[0], share, format, with_setup, force)
        else:
            _show_losses(first[0], format)


def _share(text: str) -> float:
    """A share given in percent or as a number. Raises UsageError."""
    number, scale = (text.strip()[:-1], 100) if text.strip().endswith("%") else (text, 1)
    try:
        share = float(number) / scale
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise UsageError(f"--tolerance {text}: give a share from 0% to below 100%, such as 20%")
    return share


def _show_against(
    seq: "Sequence[Run]",
    par: "Sequence[Run]",
    tolerance: float,
    format: Format,
    with_setup: bool,
    force: bool,
) -> None:
    from tracemill.comparison.overhead_report import build_overheads_report
    from tracemill.comparison.overhead_tables import overheads_json, rows_csv, tables_of
    from tracemill.comparison.overheads import find_overheads, name_warnings
    from tracemill.reports.terminal import print_report

    for warning in name_warnings(seq, par):
        messages().print(f"warning: {warning}", markup=False, soft_wrap=True)
    found = find_overheads(seq, par, tolerance=tolerance, is_setup_included=with_setup, force=force)
    if format == "json":
        results().file.write(overheads_json(found))
    elif format == "csv":
        results().file.write(rows_csv(tables_of(found)))
    else:
        print_report(build_overheads_report(found), results())


def _show_losses(run: "Run", format: Format) -> None:
    from tracemill.reports.losses import build_losses_report
    from tracemill.reports.terminal import print_heading, print_section
    from tracemill.shell.formats import print_rows

    report = build_losses_report(run)
    (section,) = report.sections
    (table,) = section.tables or (None,)
    if format == "text" or table is None:
        print_heading(report, results())
        print_section(section, results())
        return
    names = [column.name for column in table.columns]
    print_rows(names, table.rows, format, results())
