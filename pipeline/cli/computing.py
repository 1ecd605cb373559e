"""Commands that compute: analyze a trace, compare many in a campaign, generate a trace."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tracemill.base.console import ProgressReporter, messages, print_error, print_places, results
from tracemill.base.errors import PipelineError, RegressionError, UsageError
from tracemill.cli.parameters import DEFAULTS, AnalyzingOptions, FailIf, Flag, StorePath

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis, Options
    from tracemill.readers.common.source import Source
    from tracemill.reports.document import Document
    from tracemill.reports.limits import FigureLimit
    from tracemill.reports.model import Report
    from tracemill.store.runs import Run, Store

SummaryFormat = Literal["terminal", "json"]
_READING_RUNS = {"read": "gathering runs"}


def analyze(
    trace: Annotated[
        Path,
        Parameter(help="OTF2 anchor file (.otf2), the folder that contains it, or a trace in CSV."),
    ],
    /,
    *,
    store: StorePath = Path("store"),
    force: Annotated[bool, Flag] = False,
    explain: Annotated[bool, Flag] = False,
    fail_if: FailIf = None,
    format: SummaryFormat = "terminal",
    reader: Literal["own", "library"] = "own",
    common: AnalyzingOptions = DEFAULTS,
) -> None:
    """Analyze a trace and print what costs most.

    Only missing and outdated tables are computed.

    Examples:
      tracemill analyze traces.otf2 --fail-if "waiting > 20%" --fail-if "parallel_efficiency < 70%"

    Parameters
    ----------
    fail_if
        Exit with 23 if this condition holds: FIGURE, <, <=, > or >=, and a number. Figures are
        those of --format json, such as waiting (its share of the main part), parallel_efficiency or
        run_time, and wait states as tracemill explain names them. Units are %, s, ms, us, ns. The
        run is stored all the same. Can be repeated.
    format
        json prints the summary as one document, described in docs/reference/summary.md.
    force
        Compute everything again; earlier generations are kept.
    explain
        Print what would be computed and why; compute nothing.
    reader
        Read an OTF2 archive with the official library, if it is installed. Tables are the same.
    """
    from tracemill.readers import open_source

    if explain and (fail_if or format != "terminal"):
        raise UsageError("--explain computes nothing: omit --fail-if and --format")
    limits = _read_limits(fail_if or [])
    options = common.options(force=force)
    source = open_source(trace, uses_library=reader == "library")
    if explain:
        _explain_trace(source, store, options)
        return
    document = _analyze_trace(
        source, store, options, has_report=not common.no_report, limits=limits, format=format
    )
    _raise_for(document, limits)


def _read_limits(conditions: Sequence[str]) -> "list[FigureLimit]":
    """The conditions of --fail-if; what parses them is loaded only for them."""
    if not conditions:
        return []
    from tracemill.reports.limits import parse_limit

    return [parse_limit(each) for each in conditions]


def _analyze_trace(
    source: "Source", store: Path, options: "Options", *, has_report: bool,
    limits: "Sequence[FigureLimit]", format: SummaryFormat,
) -> "Document":  # fmt: skip
    """Analyze a trace, then print the summary and where the results are."""
    from tracemill.engine.analyze import analyze_source
    from tracemill.reports.build import build_report, build_summary
    from tracemill.reports.document import places_of
    from tracemill.reports.files import write_reports
    from tracemill.store.runs import Store

    with ProgressReporter() as reporter:
        analysis = analyze_source(
            source, store=Store(store), options=options, reporter=reporter, keeps_database=True
        )
    _print_outcome(analysis)
    _print_idle_rules(analysis, options)
    build = build_report if has_report else build_summary
    report = build(
        analysis.run,
        threads=options.threads,
        memory_limit=options.memory_limit,
        database=analysis.database,
    )
    assert report.document is not None  # that of a run
    document = _check(report.document, limits)
    try:  # write before printing: a reader such as `head` may close the pipe
        written = write_reports(report, store) if has_report else []
    except PipelineError:
        _print_results(report, document, format)
        raise
    places = [*written, ("tables", analysis.run.path)]
    document = replace(document, files=places_of(places))
    _print_results(report, document, format)
    if format == "terminal":
        print_places(places)
    return document


def _check(document: "Document", limits: "Sequence[FigureLimit]") -> "Document":
    """The document with what became of the limits."""
    if not limits:
        return document
    from tracemill.reports.limits import check_limits

    return check_limits(limits, document)


def _print_results(report: "Report", document: "Document", format: SummaryFormat) -> None:
    """Print the summary, for people or for scripts."""
    from tracemill.reports.document import to_json
    from tracemill.reports.terminal import print_summary

    if format == "json":
        results().file.write(to_json(document))
    else:
        print_summary(report, results())


def _raise_for(document: "Document", limits: "Sequence[FigureLimit]") -> None:
    """Print each condition that holds or cannot be checked; raise RegressionError if one holds."""
    if not limits:
        return
    from tracemill.reports.limits import describe_limit

    held = []
    for limit, checked in zip(limits, document.conditions, strict=True):
        text = f"{document.run.label}: {describe_limit(limit, checked)}"
        if checked.holds:
            held.append(text)
        elif checked.value is None:
            messages().print(text, markup=False, soft_wrap=True)
    for text in held[:-1]:
        print_error(text)
    if held:
        raise RegressionError(held[-1])


def _explain_trace(source: "Source", store: Path, options: "Options") -> None:
    """Print which tables an analysis would compute or reuse, and why."""
    from tracemill.engine.analyze import preview_source
    from tracemill.reports.terminal import print_grid
    from tracemill.store.runs import Store

    decisions = preview_source(source, store=Store(store), options=options)
    if not any(each.is_computed for each in decisions):
        results().print(f"nothing to compute: all {len(decisions)} tables are unchanged")
        return
    rows = [
        (each.table, "compute" if each.is_computed else "keep", each.reason) for each in decisions
    ]
    print_grid(results(), ("table", "action", "why"), rows)


def _print_outcome(analysis: "Analysis") -> None:
    """Print how much was computed, or that there was nothing to do."""
    took = f" in {analysis.seconds:.1f} s" if analysis.is_new else ""
    text = f"{analysis.summary}{took}" if analysis.is_new else f"nothing to do: {analysis.summary}"
    messages().print(text, style="muted", markup=False, soft_wrap=True)


def _print_idle_rules(analysis: "Analysis", options: "Options") -> None:
    """Print the user's rules that have no effect, for instance because of a typing error."""
    from tracemill.stages.idle_overhead_rules import describe_idle_rules

    for name, path in options.files.items():
        idle = describe_idle_rules(analysis.run, str(options.parameters[name]))
        if idle:
            messages().print(f"{path}: {idle}", markup=False, soft_wrap=True)


def campaign(
    runs: Annotated[
        Path | None,
        Parameter(
            help="Folder with traces below it, or a campaign file (TOML), a list of runs or of "
            "measurements (CSV), Extra-P or mpiP files. [default: all runs in the store]"
        ),
    ] = None,
    /,
    *,
    store: StorePath = Path("store"),
    name: str | None = None,
    pattern: str | None = None,
    application: str | None = None,
    size: str | None = None,
    computation_size: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    size_per_process: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    variants: Literal["apart", "best"] | None = None,
    scaling: Literal["fixed size", "scaled size", "both"] | None = None,
    attainable: float | None = None,
    rank_across_references: Annotated[bool, Flag] = False,
    published_marks: Path | None = None,
    run_reports: Annotated[bool, Flag] = False,
    monitoring: Path | None = None,
    force: Annotated[bool, Flag] = False,
    common: AnalyzingOptions = DEFAULTS,
) -> None:
    """Compare many runs of a program: how it scales, and which calls scale worst.

    New traces are analyzed in parallel. Options take precedence over a campaign file.

    Parameters
    ----------
    name
        Name of the campaign. [default: that of RUNS]
    pattern
        Pattern of the names of traces, such as p{p}_n{n}_r{r}: processes, size, repetition; also
        {t} for threads, {application} for the program, and any other word.
        [default: the first that fits of p{p}_n{n}_r{r}, p{p}_n{n}, p{p}_r{r}, p{p}, np{p}]
    application
        Name of the program. [default: the rest of the names without the pattern]
    size
        Parameter that is the problem size. [default: n]
    computation_size
        Amount of computation as an expression, such as "n**3". [default: the size]
    size_per_process
        Size that falls to one process as an expression, such as "n/sqrt(p)".
        [default: the amount of computation / p]
    variants
        Runs that differ in other parameters: treat each value as a program of its own, or use the
        best run of each configuration. [default: apart]
    scaling
        How sizes grow with processes; selects the contents of the report. [default: both]
    attainable
        Computation size that a process could do per second, to compute the achieved efficiency.
    rank_across_references
        Rank programs together although their speed-ups refer to different numbers of processes.
    published_marks
        Table of marks of other programs to compare with, such as the one in data/published_marks.
    run_reports
        Write the report of every analyzed run too, so that the page leads to them. This takes about
        a second per run.
    monitoring
        Table of further characteristics of runs, such as power (CSV with columns trace or label,
        characteristic, value, unit).
    force
        Compute all tables of the campaign again; analyzed runs are kept.
    """
    fields = {
        "name": name,
        "pattern": pattern,
        "application": application,
        "size": size,
        "computation_size": computation_size,
        "size_per_process": size_per_process,
        "variants": variants,
        "scaling": scaling,
        "attainable_per_second": attainable,
        "with_setup": common.with_setup or None,
        "rank_across_references": rank_across_references or None,
        "published_marks": str(published_marks.absolute()) if published_marks else None,
        "monitoring": str(monitoring.absolute()) if monitoring else None,
    }
    given = {key: value for key, value in fields.items() if value is not None}
    has_report = not common.no_report
    if run_reports and not has_report:
        raise UsageError("--run-reports needs a report: omit --no-report")
    options = common.options(force=force)
    _run_campaign(runs, given, store, options, has_report=has_report, has_run_reports=run_reports)


def _run_campaign(
    runs: Path | None,
    fields: Mapping[str, Any],
    store: Path,
    options: "Options",
    *,
    has_report: bool,
    has_run_reports: bool,
) -> None:
    """Make a campaign, then print its summary and where the results are."""
    from tracemill.campaign.campaign import make_campaign, plan_campaign
    from tracemill.reports.build_campaign import build_campaign_report, build_campaign_summary
    from tracemill.reports.files import write_reports
    from tracemill.reports.pictures.drawing import require_matplotlib
    from tracemill.reports.terminal import print_summary
    from tracemill.store.runs import Store

    if has_report:
        require_matplotlib()
    if runs is None and options.parameters:
        raise UsageError(
            "--overhead-classes needs RUNS: runs in the store are not analyzed again: give the "
            "folder of their traces"
        )
    opened = Store(store)
    with ProgressReporter(titles=_READING_RUNS) as reporter:
        plan = plan_campaign(
            runs,
            fields=fields,
            store=opened,
            reporter=reporter,
            allow_damaged=options.allow_damaged,
        )
        analysis = make_campaign(plan, store=opened, options=options, reporter=reporter)
    _print_outcome(analysis)
    if has_run_reports:
        _write_run_reports(analysis.run, opened, options)
    build = build_campaign_report if has_report else build_campaign_summary
    report = build(analysis.run, threads=options.threads, memory_limit=options.memory_limit)
    written = write_reports(report, store) if has_report else []
    print_summary(report, results())
    print_places([*written, ("tables", analysis.run.path)])


def _write_run_reports(campaign: "Run", store: "Store", options: "Options") -> None:
    """Write the reports of all analyzed runs of a campaign."""
    from tracemill.reports.build import build_report
    from tracemill.reports.files import write_reports

    for run_id in campaign.read("campaign_runs", ["run_id"])["run_id"].to_pylist():
        run = None if run_id is None else store.current(run_id)
        if run is not None:
            report = build_report(run, threads=options.threads, memory_limit=options.memory_limit)
            write_reports(report, store.path)


def generate(
    spec: Path, /, *, output: Path, cluster: Path | None = None, grid: str | None = None,
    variant: str | None = None,
) -> None:  # fmt: skip
    """Generate the trace of a described program, with its true results.

    The program is simulated event by event. The folder contains the OTF2 archive, truth.json (run
    time, waits by kind, length of the critical path, run times with a part scaled),
    truth_wait_states.csv (every wait with its cause), truth_critical_path.csv and
    truth_critical_path_segments.csv.

    Parameters
    ----------
    spec
        TOML file that describes the program; see data/programs for examples.
    output
        New or empty folder to write to.
    cluster
        TOML file that describes a cluster; messages use its channels. Programs with a grid need
        one.
    grid
        Processes in each dimension, such as 4x4; by default those of the program.
    variant
        Variant of a program with a grid.
    """
    from tracemill.forecast.described import parse_grid
    from tracemill.programs import generate as generator
    from tracemill.programs.clusters.reading import read_cluster
    from tracemill.programs.language.data_program import DataProgram
    from tracemill.programs.language.reading import read_program

    program = read_program(spec)
    described = None if cluster is None else read_cluster(cluster)
    if isinstance(program, DataProgram):
        if described is None:
            raise UsageError(f"{spec}: a program with a grid needs a cluster: add --cluster FILE")
        placed = program.place(parse_grid(grid) if grid else None, variant)
        generated = generator.generate(placed, output, cluster=described)
    elif grid is not None or variant is not None:
        raise UsageError(f"{spec}: --grid and --variant are for programs with a grid")
    else:
        generated = generator.generate(program, output, cluster=described)
    summary = generated.summary
    seconds = summary["run_ns"] / 1e9
    text = f"{generated.record_count:,} records of a run of {seconds:.3g} s written to {output}"
    messages().print(text, markup=False, soft_wrap=True)
    if not isinstance(program, DataProgram) and program.lonely_phases:
        names = ", ".join(dict.fromkeys(program.lonely_phases))
        text = f"a single process has no partner: phases {names} only compute"
        messages().print(text, markup=False, soft_wrap=True)
    results().print(str(generated.anchor), style="path", markup=False, soft_wrap=True)
