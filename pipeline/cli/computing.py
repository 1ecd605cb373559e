"""Commands that compute: the analysis of a trace, a campaign of many, a trace that is generated."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tracemill.base.console import ProgressReporter, messages, results, tell_places
from tracemill.base.errors import PipelineError, UsageError
from tracemill.cli.parameters import Flag, MemoryLimit, Store, Threads

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis, Options

_READING_RUNS = {"read": "gathering runs"}


def analyze(
    trace: Annotated[
        Path,
        Parameter(help="OTF2 anchor file (.otf2) or the folder that holds it, or a trace in CSV."),
    ],
    /,
    *,
    store: Store = Path("store"),
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    force: Annotated[bool, Flag] = False,
    explain: Annotated[bool, Flag] = False,
    allow_damaged: Annotated[bool, Flag] = False,
    overhead_classes: Path | None = None,
    patterns: Path | None = None,
    no_report: Annotated[bool, Flag] = False,
) -> None:
    """Analyze a trace and tell what costs most.

    What was computed before and is unchanged is not computed again.

    Parameters
    ----------
    threads
        Threads to use. [default: all processors]
    memory_limit
        Memory for queries, such as 2GB; the rest goes to disk. At least 64MB.
        [default: 80% of the memory]
    force
        Compute everything again; earlier generations are kept.
    explain
        Say what would be computed, and why, and stop.
    allow_damaged
        Analyze what is readable of a damaged trace and count what is missing.
    overhead_classes
        CSV file that says which class of overhead each region belongs to.
        [default: queries/overheads/overhead_classes.csv]
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    no_report
        Write no HTML and Markdown report.
    """
    options = read_options(
        threads,
        memory_limit,
        allow_damaged=allow_damaged,
        force=force,
        overhead_classes=overhead_classes,
        patterns=patterns,
    )
    if explain:
        _explain_trace(trace, store, options)
    else:
        _analyze_trace(trace, store, options, has_report=not no_report)


def _analyze_trace(trace: Path, store: Path, options: "Options", *, has_report: bool) -> None:
    """Analyze a trace, then tell the worst findings and where everything lies."""
    from tracemill.engine.analyze import analyze
    from tracemill.reports.build import build_report, build_summary
    from tracemill.reports.files import write_reports
    from tracemill.reports.terminal import print_summary
    from tracemill.store import Store

    with ProgressReporter() as reporter:
        analysis = analyze(trace, store=Store(store), options=options, reporter=reporter)
    _tell_what_was_done(analysis)
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


def _explain_trace(trace: Path, store: Path, options: "Options") -> None:
    """Say which tables an analysis would compute or reuse, and why; do nothing."""
    from tracemill.engine.analyze import explain
    from tracemill.reports.terminal import print_grid
    from tracemill.store import Store

    decisions = explain(trace, store=Store(store), options=options)
    if not any(each.is_computed for each in decisions):
        results().print(f"nothing to compute: all {len(decisions)} tables are unchanged")
        return
    rows = [
        (each.table, "compute" if each.is_computed else "keep", each.reason) for each in decisions
    ]
    print_grid(results(), ("table", "action", "why"), rows)


def _tell_what_was_done(analysis: "Analysis") -> None:
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
    store: Store = Path("store"),
    name: str | None = None,
    pattern: str | None = None,
    application: str | None = None,
    size: str | None = None,
    computation_size: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    variants: Literal["apart", "best"] | None = None,
    scaling: Literal["fixed size", "scaled size", "both"] | None = None,
    attainable: float | None = None,
    whole_run: Annotated[bool, Flag] = False,
    include_setup: Annotated[bool, Flag] = False,
    rank_across_references: Annotated[bool, Flag] = False,
    published_marks: Path | None = None,
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    force: Annotated[bool, Flag] = False,
    allow_damaged: Annotated[bool, Flag] = False,
    overhead_classes: Path | None = None,
    patterns: Path | None = None,
    no_report: Annotated[bool, Flag] = False,
) -> None:
    """Compare many runs of a program: how it scales, and which calls scale worst.

    Traces that are not yet analyzed are, several at once. What a campaign file says counts
    unless an option says otherwise.

    Parameters
    ----------
    name
        Name of the campaign. [default: that of RUNS]
    pattern
        How names of traces tell parameters, such as p{p}_n{n}_r{r}: processes, size, repetition;
        also {t}, the threads, {application}, the program, and any other word.
        [default: the first that fits of p{p}_n{n}_r{r}, p{p}_n{n}, p{p}_r{r}, p{p}, np{p}]
    application
        Name of the program. [default: what the pattern leaves of the names]
    size
        Parameter that is the problem size. [default: n]
    computation_size
        Amount of computation as an expression, such as "n**3". [default: the size]
    variants
        What to do with runs that differ in other parameters: each value is a program of its own,
        or the best of each configuration counts. [default: apart]
    scaling
        How sizes go with processes, and so what the report tells. [default: both]
    attainable
        Computation size that a process could do per second: efficiency is then that achieved.
    whole_run
        Count runs from first to last record, not from MPI_Init to MPI_Finalize.
    include_setup
        Count MPI_Init and MPI_Finalize as communication.
    rank_across_references
        Rank programs together whose speed-ups refer to different numbers of processes.
    published_marks
        Table of other programs' marks to compare with, such as the one in data/published_marks.
    threads
        Threads, and runs analyzed at once. [default: all processors]
    memory_limit
        Memory for queries, such as 2GB; the rest goes to disk. At least 64MB.
        [default: 80% of the memory]
    force
        Compute everything of the campaign again; analyzed runs are kept.
    allow_damaged
        Analyze what is readable of damaged traces, and leave out wrong lines of tables and lists.
    overhead_classes
        CSV file that says which class of overhead each region belongs to.
        [default: queries/overheads/overhead_classes.csv]
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    no_report
        Write no HTML and Markdown report.
    """
    told = {
        "name": name,
        "pattern": pattern,
        "application": application,
        "size": size,
        "computation_size": computation_size,
        "variants": variants,
        "scaling": scaling,
        "attainable_per_second": attainable,
        "whole_run": whole_run or None,
        "include_setup": include_setup or None,
        "rank_across_references": rank_across_references or None,
        "published_marks": str(published_marks.absolute()) if published_marks else None,
    }
    options = read_options(
        threads,
        memory_limit,
        allow_damaged=allow_damaged,
        force=force,
        overhead_classes=overhead_classes,
        patterns=patterns,
    )
    _run_campaign(
        runs,
        told={key: value for key, value in told.items() if value is not None},
        store=store,
        options=options,
        has_report=not no_report,
    )


def _run_campaign(
    runs: Path | None,
    *,
    told: Mapping[str, Any],
    store: Path,
    options: "Options",
    has_report: bool,
) -> None:
    """Make a campaign, then tell what it shows and where everything lies."""
    from tracemill.campaign.campaign import make_campaign, plan_campaign
    from tracemill.reports.build_campaign import build_campaign_report, build_campaign_summary
    from tracemill.reports.files import write_reports
    from tracemill.reports.terminal import print_summary
    from tracemill.store import Store

    if runs is None and options.parameters:
        raise UsageError(
            "--overhead-classes without RUNS: runs of the store stay as they were analyzed: name "
            "their traces"
        )
    opened = Store(store)
    with ProgressReporter(titles=_READING_RUNS) as reporter:
        plan = plan_campaign(
            runs,
            fields=told,
            store=opened,
            reporter=reporter,
            allow_damaged=options.allow_damaged,
        )
        analysis = make_campaign(plan, store=opened, options=options, reporter=reporter)
    _tell_what_was_done(analysis)
    build = build_campaign_report if has_report else build_campaign_summary
    report = build(analysis.run, threads=options.threads, memory_limit=options.memory_limit)
    written = write_reports(report, store) if has_report else []
    print_summary(report, results())
    tell_places([*written, ("tables", analysis.run.path)])


def read_options(
    threads: int | None,
    memory_limit: str | None,
    *,
    allow_damaged: bool,
    force: bool,
    overhead_classes: Path | None,
    patterns: Path | None,
) -> "Options":
    """The options that commands which analyze have in common."""
    from tracemill.engine.analyze import Options, available_threads
    from tracemill.stages.overhead_classes import read_rules

    files = {} if overhead_classes is None else {"overhead_classes": overhead_classes}
    return Options(
        threads=threads or available_threads(),
        memory_limit=memory_limit or "",
        allow_damaged=allow_damaged,
        force=force,
        parameters={name: read_rules(path) for name, path in files.items()},
        files={name: str(path.absolute()) for name, path in files.items()},
        patterns=(patterns.absolute(),) if patterns else (),
    )


def generate(spec: Path, /, *, output: Path) -> None:
    """Generate the trace of a described program, and what is true about it.

    The program is simulated event by event. Beside the OTF2 archive stand truth.json (run time,
    waits by kind, length of the critical path, run times with a part scaled),
    truth_wait_states.csv (every wait with its cause), truth_critical_path.csv and
    truth_critical_path_segments.csv.

    Parameters
    ----------
    spec
        TOML file that describes the program; see data/programs for examples.
    output
        Folder to make, which must not exist or be empty.
    """
    from tracemill.programs import generate as generator
    from tracemill.programs.spec import read_spec

    program = read_spec(spec)
    generated = generator.generate(program, output)
    summary = generated.summary
    seconds = summary["run_ns"] / 1e9
    text = f"{generated.record_count:,} records of a run of {seconds:.3g} s written to {output}"
    messages().print(text, markup=False, soft_wrap=True)
    if program.lonely_phases:
        names = ", ".join(dict.fromkeys(program.lonely_phases))
        text = f"one process has nobody to exchange with: only computing in {names}"
        messages().print(text, markup=False, soft_wrap=True)
    results().print(str(generated.anchor), style="path", markup=False, soft_wrap=True)
