"""Commands that compute: the analysis of a trace, a campaign of many, a trace that is generated."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.cli.parameters import Flag, MemoryLimit, Store, Threads

if TYPE_CHECKING:
    from tracemill.engine.analyze import Options


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
    """Analyse a trace and tell what costs most.

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
        Analyse what is readable of a damaged trace and count what is missing.
    overhead_classes
        CSV file that says which class of overhead each region belongs to.
        [default: queries/overheads/overhead_classes.csv]
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    no_report
        Write no HTML and Markdown report.
    """
    from tracemill import commands

    options = read_options(
        threads,
        memory_limit,
        allow_damaged=allow_damaged,
        force=force,
        overhead_classes=overhead_classes,
        patterns=patterns,
    )
    if explain:
        commands.explain_trace(trace, store=store, options=options)
    else:
        commands.analyze_trace(trace, store=store, options=options, has_report=not no_report)


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

    Traces that are not yet analysed are, several at once. What a campaign file says counts
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
        Threads, and runs analysed at once. [default: all processors]
    memory_limit
        Memory for queries, such as 2GB; the rest goes to disk. At least 64MB.
        [default: 80% of the memory]
    force
        Compute everything of the campaign again; analysed runs are kept.
    allow_damaged
        Analyse what is readable of damaged traces, and leave out wrong lines of tables and lists.
    overhead_classes
        CSV file that says which class of overhead each region belongs to.
        [default: queries/overheads/overhead_classes.csv]
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    no_report
        Write no HTML and Markdown report.
    """
    from tracemill import campaign_commands

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
    campaign_commands.run_campaign(
        runs,
        told={key: value for key, value in told.items() if value is not None},
        store=store,
        options=options,
        has_report=not no_report,
    )


def read_options(
    threads: int | None,
    memory_limit: str | None,
    *,
    allow_damaged: bool,
    force: bool,
    overhead_classes: Path | None,
    patterns: Path | None,
) -> "Options":
    """The options that commands which analyse have in common."""
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
    from tracemill import commands

    commands.generate_trace(spec, output=output)
