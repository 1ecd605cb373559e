"""Commands that show runs: report, trace quality, comparison."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import messages, plain, print_places, results
from tracemill.base.errors import RegressionError, UntrustedTraceError, UsageError
from tracemill.cli.parameters import EVERYTHING, FailIf, Flag, FocusingOptions, RunName, StorePath

if TYPE_CHECKING:
    from tracemill.reports.model import Report
    from tracemill.shell.formats import Format
    from tracemill.store.runs import Run

ReportFormat = Literal["terminal", "markdown", "json", "html"]
_FORMAT_OF_SUFFIX: dict[str, ReportFormat] = {
    "": "terminal",
    ".txt": "terminal",
    ".md": "markdown",
    ".json": "json",
    ".html": "html",
}
_OF_CHECKS = ("junit", "github")
_REST = "--format terminal prints them, --output comparison.html writes a page"
_ANY = "any"
"""The condition that holds if there is any finding."""
_HOW = (
    "compare counts and numbers with = <> < <= > >=, such as 'clock_violations > 10', and join "
    "with and, or, not, + - * / ( ); or give any"
)
_COUNTS = "quality_counts"
_ALL_ROWS = 1 << 62


def report(
    run: RunName = None,
    /,
    *,
    store: StorePath = Path("store"),
    format: Literal["terminal", "markdown", "json", "html"] | None = None,
    output: Path | None = None,
    pictures: Annotated[bool, Flag] = False,
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Show the report of a run.

    A focus restricts it to a part of the run; its page lies beside that of the whole run, such as
    index.iteration-3..7.html.

    Examples:
      tracemill report l01 --iteration 3..7
      tracemill report l01 --window 1.2s..1.3s --ranks 0-3

    Parameters
    ----------
    format
        Output format; html is one self-contained page, json the summary as one document, described
        in docs/reference/summary.md. [default: by the suffix of --output, .html, .md, .json or
        .txt, else terminal]
    output
        File to write. [default: standard output; with a focus, the page in the store]
    pictures
        Write the main pictures as SVG and PNG, beside the page in the store.
    """
    from tracemill.base.files import check_folder
    from tracemill.reports.build import build_report, build_summary
    from tracemill.reports.document import places_of, to_json
    from tracemill.reports.files import write_reports
    from tracemill.store.finding import open_run

    if pictures and (output is not None or format is not None):
        raise UsageError("--pictures go beside the page in the store: omit --output and --format")
    is_for_store = pictures or (bool(focus.options.given) and output is None and format is None)
    format = format or _format_of(output)
    if output is not None:
        check_folder(output)
    whole = open_run(store, run)
    with focus.applied(whole, is_printed=is_for_store) as chosen:
        built = (build_summary if format == "json" else build_report)(chosen)
    if is_for_store:
        print_places(write_reports(built, store, has_drawings=pictures))
    elif format == "json" and built.document is not None:
        tables = [] if focus.options.given else [("tables", whole.path)]
        _write(to_json(replace(built.document, files=places_of(tables))), output, "summary")
    else:
        _show(built, format, output, "report")


def _format_of(output: Path | None) -> ReportFormat:
    """The format for the suffix of a file; raises UsageError for other suffixes."""
    if output is None:
        return "terminal"
    format = _FORMAT_OF_SUFFIX.get(output.suffix.lower())
    if format is None:
        known = ", ".join(suffix for suffix in _FORMAT_OF_SUFFIX if suffix)
        raise UsageError(f"the suffix of {output} is no known format: use {known} or give --format")
    return format


def _show(report: "Report", format: ReportFormat, output: Path | None, what: str) -> None:
    """Print a report in a format, or write it to a file; `what` names it."""
    from tracemill.reports.html import render_html
    from tracemill.reports.markdown import render_markdown
    from tracemill.reports.terminal import print_report

    if format == "html":
        _write(render_html(report), output, what)
    elif format == "markdown":
        _write(render_markdown(report), output, what)
    elif output is None:
        print_report(report, results())
    else:
        console = plain()
        print_report(report, console)
        _write(console.export_text(), output, what)


def _write(text: str, output: Path | None, what: str) -> None:
    from tracemill.base.files import write_text

    if output is None:
        results().file.write(text)
        return
    write_text(output, text)
    messages().print(f"{what} written to {output}", markup=False, soft_wrap=True)


def quality(
    run: RunName = None,
    /,
    *,
    fail_on: str | None = None,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Print what is missing, damaged or uncertain in the trace of a run, and where.

    Parameters
    ----------
    fail_on
        Exit with 22 if this condition holds, such as "clock_violations > 10", or any. Conditions
        compare counts, joined with and, or, not: findings, losses, incomplete_locations, and the
        printed kinds (singular or plural).
    format
        How to print the findings.
    """
    from tracemill.store.finding import open_run

    chosen = open_run(store, run)
    named = None if fail_on is None else _check(chosen, fail_on)
    _print_quality(chosen, format)
    if named is not None:
        counts = ", ".join(f"{name} = {count:,}" for name, count in named.items())
        raise UntrustedTraceError(f"{chosen.label}: {fail_on} holds: {counts}")


def _print_quality(run: "Run", format: "Format") -> None:
    """Print the quality of a run's trace in words and tables, or row by row."""
    from tracemill.reports.material import Material
    from tracemill.reports.sections import trace_quality
    from tracemill.reports.tables import TableSpec
    from tracemill.reports.terminal import print_section
    from tracemill.shell.formats import print_rows

    by_location = TableSpec(
        query="quality_by_location",
        title="Where",
        row_limit=1_000,
        silent={"thread": 0, "time_ns": None},
        hidden=frozenset({"location_id", "is_loss", "detail"}),
    )
    connection = run.connect(tables=())
    try:
        material = Material(connection, run.manifest, provide=partial(run.provide, connection))
        if format == "table":
            print_section(trace_quality.build(material, by_location), results())
        else:
            print_rows(*material.fetch(by_location.query, _ALL_ROWS), format, results())
    finally:
        connection.close()


def _check(run: "Run", expression: str) -> Mapping[str, int] | None:
    """The counts that a condition names, or None if it does not hold; raises UsageError."""
    from tracemill.reports.tables import fetch
    from tracemill.sql.conditions import ConditionError, UnknownNameError, evaluate, refusal
    from tracemill.sql.query_files import load_query

    connection = run.connect(tables=())
    try:
        for name in load_query(_COUNTS).inputs:
            run.provide(connection, name)
        _, rows = fetch(connection, _COUNTS)
    finally:
        connection.close()
    counts = {str(name): int(str(count)) for _, name, count in rows}
    known = counts | {str(kind): counts[str(name)] for kind, name, _ in rows if kind is not None}
    try:
        is_any = expression.strip().lower() == _ANY
        (holds,), names = evaluate("findings > 0" if is_any else expression, [known])
    except UnknownNameError as error:
        names_known = f"counts: {', '.join(counts)}; or kinds as quality prints them"
        raise refusal("--fail-on", expression, f"{error}: {names_known}") from error
    except ConditionError as error:
        raise refusal("--fail-on", expression, f"{error}: {_HOW}") from error
    return {name: known[name] for name in names} if holds else None


def compare(
    base: Annotated[
        str, Parameter(help="Run A: id or its first characters, label, or trace path.")
    ],
    other: Annotated[
        str, Parameter(help="Run B: id or its first characters, label, or trace path.")
    ],
    /,
    *,
    fail_if: FailIf = None,
    store: StorePath = Path("store"),
    format: Literal["terminal", "markdown", "json", "html", "junit", "github"] | None = None,
    output: Path | None = None,
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Show what changed from run A to run B: by metric, call path and rank.

    A focus holds for both sides; one of a side stands behind its name, as in l01@iteration=3.

    Several runs joined by commas, or a label that several runs share, are repetitions; the
    comparison then shows which changes exceed noise.

    Examples:
      tracemill compare before after
      tracemill compare 1f2e,77a0,c3d4 after --output comparison.html
      tracemill compare before after --fail-if "run_time > +5%" --fail-if "mpi_latesender > +20%"
      tracemill compare before after --region solve
      tracemill compare l01@iteration=3 l01@iteration=30

    Parameters
    ----------
    fail_if
        Exit with 23 if this condition holds: METRIC [in CALL_PATH], <, <=, > or >=, and a number. A
        number with a sign limits the change from A to B, another one the value of B; units are %,
        s, ms, us, ns. Metrics are the figures of analyze --fail-if, with the same meaning, and
        those of tracemill explain; of those without a share, % limits the change. With repetitions,
        changes within noise do not count. Can be repeated.
    format
        Output format; html is one self-contained page, junit and github are the conditions of
        --fail-if, as test cases or as annotations of a workflow. [default: by the suffix of
        --output, .html, .md, .json or .txt, else the first sections of terminal]
    output
        File to write. [default: standard output]
    """
    from tracemill.base.files import check_folder
    from tracemill.comparison.checks import comparison_checks, render_checks
    from tracemill.comparison.choosing import chosen_side
    from tracemill.comparison.comparing import compare_runs
    from tracemill.comparison.conditions import check_condition, parse_condition
    from tracemill.comparison.document import comparison_json
    from tracemill.comparison.naming import title_of
    from tracemill.comparison.report import build_comparison_report
    from tracemill.reports.terminal import print_first

    conditions = [parse_condition(each) for each in fail_if or []]
    if format in _OF_CHECKS and not conditions:
        raise UsageError(f"--format {format} shows conditions: add --fail-if CONDITION")
    is_short = format is None and output is None
    format = format or _format_of(output)
    if output is not None:
        check_folder(output)
    part = focus.options
    with chosen_side(store, base, part) as before, chosen_side(store, other, part) as after:
        comparison = compare_runs(before, after)
        verdicts = [check_condition(each, comparison) for each in conditions]
    sides = title_of(comparison)
    if format == "json":
        _write(comparison_json(comparison, verdicts), output, "comparison")
    elif format == "junit" or format == "github":
        checks = comparison_checks(comparison, verdicts)
        _write(render_checks(checks, format, suite=f"tracemill compare {sides}"), output, "checks")
    elif is_short:
        print_first(build_comparison_report(comparison, verdicts), results(), _REST)
    else:
        _show(build_comparison_report(comparison, verdicts), format, output, "comparison")
    failed = [f"{each.expression}: {each.reason}" for each in verdicts if each.holds]
    if failed:
        raise RegressionError(f"{sides}: {'; '.join(failed)}")
