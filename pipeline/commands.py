"""What the commands do; `cli` only turns text into these calls."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tracemill.base.console import ProgressReporter, messages, print_error, results, tell_places
from tracemill.base.errors import PipelineError, StoreError, UsageError
from tracemill.base.files import check_folder, write_text
from tracemill.base.text import describe_moment
from tracemill.reports.build import build_report, build_summary
from tracemill.reports.files import write_reports
from tracemill.reports.html import render_html
from tracemill.reports.markdown import render_markdown
from tracemill.reports.model import Report
from tracemill.reports.terminal import print_grid, print_report, print_summary
from tracemill.reports.units import format_size
from tracemill.reports.windows import read_window
from tracemill.store import RunSummary, Store
from tracemill.store.completeness import is_complete
from tracemill.store.database import AGAIN
from tracemill.store.finding import open_run, open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracemill.engine.analyze import Analysis, Options
    from tracemill.shell import Format
    from tracemill.sql.query_files import Query

ReportFormat = Literal["terminal", "markdown", "html"]
_FORMAT_OF_SUFFIX: dict[str, ReportFormat] = {
    "": "terminal",
    ".txt": "terminal",
    ".md": "markdown",
    ".html": "html",
}


def analyze_trace(trace: Path, *, store: Path, options: "Options", has_report: bool) -> None:
    """Analyse a trace, then tell the worst findings and where everything lies."""
    from tracemill.engine.analyze import analyze

    with ProgressReporter() as reporter:
        analysis = analyze(trace, store=Store(store), options=options, reporter=reporter)
    tell_what_was_done(analysis)
    _tell_idle_rules(analysis, options)
    build = build_report if has_report else build_summary
    report = build(analysis.run, threads=options.threads, memory_limit=options.memory_limit)
    console = results()
    try:  # before anything is printed: who reads it, such as `head`, may stop at any line
        written = write_reports(report, store) if has_report else []
    except PipelineError:
        print_summary(report, console)
        raise
    print_summary(report, console)
    tell_places([*written, ("tables", analysis.run.path)])


def explain_trace(trace: Path, *, store: Path, options: "Options") -> None:
    """Say which tables an analysis would compute or reuse, and why; do nothing."""
    from tracemill.engine.analyze import explain

    decisions = explain(trace, store=Store(store), options=options)
    if not any(each.is_computed for each in decisions):
        results().print(f"nothing to compute: all {len(decisions)} tables are unchanged")
        return
    rows = [
        (each.table, "compute" if each.is_computed else "keep", each.reason) for each in decisions
    ]
    print_grid(results(), ("table", "action", "why"), rows)


def tell_what_was_done(analysis: "Analysis") -> None:
    """Say how much was computed, or that there was nothing to do."""
    seconds = sum(analysis.stage_seconds.values())
    took = f" in {seconds:.1f} s" if analysis.is_new else ""
    text = f"{analysis.summary}{took}" if analysis.is_new else f"nothing to do: {analysis.summary}"
    messages().print(text, style="muted", markup=False, soft_wrap=True)


def _tell_idle_rules(analysis: "Analysis", options: "Options") -> None:
    """Name the user's own rules that change nothing, for instance because of a slip."""
    from tracemill.stages.idle_overhead_rules import describe_idle_rules

    for name, path in options.files.items():
        idle = describe_idle_rules(analysis.run, str(options.parameters[name]))
        if idle:
            messages().print(f"{path}: {idle}", markup=False, soft_wrap=True)


def generate_trace(spec: Path, *, output: Path) -> None:
    """Write the trace of a described program, and say how long the program runs."""
    from tracemill.programs.generate import generate
    from tracemill.programs.spec import read_spec

    program = read_spec(spec)
    generated = generate(program, output)
    summary = generated.summary
    seconds = summary["run_ns"] / 1e9
    text = f"{generated.record_count:,} records of a run of {seconds:.3g} s written to {output}"
    messages().print(text, markup=False, soft_wrap=True)
    if program.lonely_phases:
        names = ", ".join(dict.fromkeys(program.lonely_phases))
        text = f"one process has nobody to exchange with: only computing in {names}"
        messages().print(text, markup=False, soft_wrap=True)
    results().print(str(generated.anchor), style="path", markup=False, soft_wrap=True)


def list_runs(store: Path) -> None:
    """List the runs of a store with their sizes, latest first."""
    summaries = open_store(store).summaries()
    if not summaries:
        messages().print(f"no runs in {store}: analyse a trace first", markup=False)
        return
    titles = ("run", "label", "ranks", "records", "size", "analysed", "state")
    rows = [(summary.run, _describe_run(summary)) for summary in summaries]
    there = [row for run, row in rows if run is None or run.path.exists()]
    print_grid(results(), titles, there, numeric=("ranks", "records", "size"))


def _describe_run(summary: RunSummary) -> tuple[str, ...]:
    run, size = summary.run, format_size(summary.byte_count)
    if run is None:
        return (summary.run_id, "", "", "", size, "", summary.state)
    when = describe_moment(run.manifest.created_at)
    lost = run.missing_tables()
    if lost:
        state = f"the store has lost {', '.join(lost[:3])}: {AGAIN}"
        return (run.run_id, run.label, "", "", size, when, state)
    try:
        counts = run.read("runs", ["process_count", "record_count"]).to_pylist()[0]
    except StoreError as error:
        return (run.run_id, run.label, "", "", size, when, str(error))
    try:
        state = summary.state if is_complete(run) else "incomplete trace"
    except StoreError as error:
        state = str(error)
    ranks, records = f"{counts['process_count']:,}", f"{counts['record_count']:,}"
    return (run.run_id, run.label, ranks, records, size, when, state)


def export_severities(
    run: str | None, *, output: Path, is_beyond_reference: bool, is_overwriting: bool, store: Path
) -> None:
    """Write the severities of a run to a CSV or Parquet file."""
    from tracemill.shell.exports import severities as export

    chosen = open_run(store, run)
    count = export.export_severities(
        chosen, output, is_beyond_reference=is_beyond_reference, is_overwriting=is_overwriting
    )
    messages().print(f"{count:,} rows written to {output}", markup=False, soft_wrap=True)


def export_tables(run: str | None, *, campaign: str | None, output: Path, store: Path) -> None:
    """Write the tables of a run or a campaign to a folder."""
    from tracemill.shell.exports import tables as table_export

    if run is not None and campaign is not None:
        raise UsageError("RUN and --campaign exclude each other: give one of them")
    if campaign is None:
        chosen = open_run(store, run)
    else:
        chosen = open_store(store).campaigns.open(campaign)
    count = table_export.export_tables(chosen, output)
    messages().print(f"{count:,} tables written to {output}", markup=False, soft_wrap=True)


def export_perfetto(
    run: str | None, *, output: Path, window: str | None, is_overwriting: bool, store: Path
) -> None:
    """Write a run, or a window of it, as Chrome trace events."""
    from tracemill.shell.exports import perfetto

    wanted = None if window is None else read_window(window)
    chosen = open_run(store, run)
    count = perfetto.export_perfetto(chosen, output, window=wanted, is_overwriting=is_overwriting)
    messages().print(f"{count:,} events written to {output}", markup=False, soft_wrap=True)


def tell_quality(run: str | None, *, fail_on: str | None, store: Path, format: "Format") -> None:
    """Print what is missing or doubtful in the trace of a run; fail if that is too much."""
    from tracemill.quality import judge, print_quality, refuse

    chosen = open_run(store, run)
    named = None if fail_on is None else judge(chosen, fail_on)
    print_quality(chosen, format, results())
    if fail_on is not None and named is not None:
        refuse(chosen, fail_on, named)


def report_run(
    run: str | None,
    *,
    store: Path,
    format: ReportFormat | None,
    output: Path | None,
    window: str | None = None,
    has_drawings: bool = False,
) -> None:
    """Print the report of a run, or write it to a file whose suffix may choose the format.

    One with a window of the timeline replaces the page in the store unless it is wanted elsewhere;
    one with drawings lies there alone.
    """
    if has_drawings and (output is not None or format is not None):
        raise UsageError("--pictures are written beside the page in the store: without --output")
    windows = () if window is None else (read_window(window),)
    is_for_store = has_drawings or (bool(windows) and output is None and format is None)
    format = format or format_of(output)
    if output is not None:
        check_folder(output)
    chosen = open_run(store, run)
    report = build_report(chosen, windows=windows)
    if is_for_store:
        tell_places(write_reports(report, store, has_drawings=has_drawings))
        return
    if format == "terminal" and output is None:
        print_report(report, results())
        return
    text = render(report, format)
    if output is None:
        results().file.write(text)
        return
    write_text(output, text)
    messages().print(f"report written to {output}", markup=False, soft_wrap=True)


def format_of(output: Path | None) -> ReportFormat:
    """The format that the suffix of a file means. Raises UsageError if it means none."""
    if output is None:
        return "terminal"
    format = _FORMAT_OF_SUFFIX.get(output.suffix.lower())
    if format is None:
        known = ", ".join(suffix for suffix in _FORMAT_OF_SUFFIX if suffix)
        raise UsageError(
            f"cannot tell the format of {output} by its suffix: use {known} or give --format"
        )
    return format


def render(report: Report, format: ReportFormat) -> str:
    """A report as text in some format."""
    if format == "html":
        return render_html(report)
    if format == "markdown":
        return render_markdown(report)
    from tracemill.base.console import plain

    console = plain()
    print_report(report, console)
    return console.export_text()


def show_tables(name: str | None, *, store: Path, patterns: Path | None) -> None:
    """Explain all tables in a line each, or one with its columns; also those of own patterns."""
    from tracemill.patterns.catalogue import table_of
    from tracemill.shell.table_reference import find_table, print_table, print_tables

    own = [table_of(query) for query in _usable_patterns(store, patterns)]
    if name is None:
        print_tables(results(), own)
    else:
        print_table(find_table(name, own), results())


def list_patterns(store: Path, patterns: Path | None) -> None:
    """List the patterns of the catalogue and the user's, then say which of these cannot be used.

    Raises PatternError if there are such.
    """
    from tracemill.patterns.own import patterns_beside
    from tracemill.reports.pattern_list import print_patterns

    found = patterns_beside(store, patterns)
    print_patterns(found.usable, results())
    if found.errors:
        *others, last = found.errors
        for error in others:
            print_error(str(error))
        raise last


def _usable_patterns(store: Path, patterns: Path | None) -> "Sequence[Query]":
    """The user's patterns; what is wrong with others is told and keeps nobody from asking."""
    from tracemill.patterns.own import patterns_beside

    found = patterns_beside(store, patterns)
    for error in found.errors:
        print_error(str(error))
    return found.usable


def explain_metric(
    name: str | None,
    *,
    format: Literal["text", "markdown"],
    store: Path,
    patterns: Path | None,
) -> None:
    """List all metrics in a line each, or explain one; also those of own patterns."""
    from tracemill.reports.explanation import (
        describe_metric,
        find_metric,
        list_metrics,
        print_explanation,
        print_metrics,
    )

    own = _usable_patterns(store, patterns)
    metrics = list_metrics(own)
    if name is None:
        print_metrics(metrics, results())
        return
    metric = find_metric(name, metrics)
    if format == "markdown":
        results().file.write(describe_metric(metric, metrics, own))
    else:
        print_explanation(metric, metrics, results(), own)
