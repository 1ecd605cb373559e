"""The command line: text into calls. Whatever is heavy is imported when a command runs."""

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter, UnusedCliTokensError

from pipeline.console import (
    discard,
    messages,
    open_missing_streams,
    print_error,
    results,
    tolerate_narrow_encodings,
)
from pipeline.errors import PipelineError, UsageError
from pipeline.text import bytes_of
from pipeline.version import VERSION

if TYPE_CHECKING:
    from pipeline.run import Options

INTERRUPTED = 130
BROKEN_PIPE = 141
SMALLEST_MEMORY = 64_000_000
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}

Store = Annotated[Path, Parameter(name="--store", help="Folder that holds the results.")]
Flag = Parameter(negative="", show_default=False)
RunName = Annotated[
    str | None,
    Parameter(help="Run id or its beginning, label, or trace path. [default: the latest run]"),
]


def _check_threads(_: object, threads: int | None) -> None:
    if threads is not None and threads < 1:
        raise ValueError("give at least one thread")


def _check_memory(_: object, limit: str | None) -> None:
    if limit is None:
        return
    if bytes_of(limit) < SMALLEST_MEMORY:
        raise ValueError("give at least 64MB")


def _describe(error: CycloptsError) -> str:
    """What is wrong with a command line, in a line that says what to write."""
    command = " ".join(error.command_chain or ())
    if isinstance(error, MissingArgumentError) and error.argument:
        meaning = (error.argument.parameter.help or "a value").rstrip(".")
        text = f"{command} needs {error.argument.name}: {meaning}"
    elif isinstance(error, UnusedCliTokensError):
        surplus = " ".join(error.unused_tokens or ())
        text = f"{command} cannot use {surplus}: quote words that belong together"
    else:
        text = str(error)
    return f"tracemill: {text} (see --help)"


app = App(
    name="tracemill",
    help="Find out where a parallel program loses its time, from a trace of one of its runs.",
    help_format="plaintext",
    help_formatter="plain",
    version=VERSION,
    suppress_keyboard_interrupt=False,
    error_formatter=_describe,
)
export = App(name="export", help="Write results to files that other tools read.")
app.command(export)


@app.command
def analyze(
    trace: Annotated[
        Path,
        Parameter(help="OTF2 anchor file (.otf2) or the folder that holds it, or a trace in CSV."),
    ],
    /,
    *,
    store: Store = Path("store"),
    threads: Annotated[int | None, Parameter(validator=_check_threads)] = None,
    memory_limit: Annotated[str | None, Parameter(validator=_check_memory)] = None,
    force: Annotated[bool, Flag] = False,
    explain: Annotated[bool, Flag] = False,
    allow_damaged: Annotated[bool, Flag] = False,
    overhead_classes: Path | None = None,
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
    no_report
        Write no HTML and Markdown report.
    """
    from pipeline import commands

    options = _options(
        threads,
        memory_limit,
        allow_damaged=allow_damaged,
        force=force,
        overhead_classes=overhead_classes,
    )
    if explain:
        commands.explain_trace(trace, store=store, options=options)
    else:
        commands.analyze_trace(trace, store=store, options=options, has_report=not no_report)


def _options(
    threads: int | None,
    memory_limit: str | None,
    *,
    allow_damaged: bool,
    force: bool,
    overhead_classes: Path | None,
) -> "Options":
    from pipeline.run import Options, available_threads
    from pipeline.stages.overhead_classes import read_rules

    files = {} if overhead_classes is None else {"overhead_classes": overhead_classes}
    return Options(
        threads=threads or available_threads(),
        memory_limit=memory_limit or "",
        allow_damaged=allow_damaged,
        force=force,
        parameters={name: read_rules(path) for name, path in files.items()},
        files={name: str(path.absolute()) for name, path in files.items()},
    )


@app.command
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
    threads: Annotated[int | None, Parameter(validator=_check_threads)] = None,
    memory_limit: Annotated[str | None, Parameter(validator=_check_memory)] = None,
    force: Annotated[bool, Flag] = False,
    allow_damaged: Annotated[bool, Flag] = False,
    overhead_classes: Path | None = None,
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
    no_report
        Write no HTML and Markdown report.
    """
    from pipeline import campaign_commands

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
    options = _options(
        threads,
        memory_limit,
        allow_damaged=allow_damaged,
        force=force,
        overhead_classes=overhead_classes,
    )
    campaign_commands.run_campaign(
        runs,
        told={key: value for key, value in told.items() if value is not None},
        store=store,
        options=options,
        has_report=not no_report,
    )


@app.command
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
    from pipeline import commands

    commands.generate_trace(spec, output=output)


@app.command
def runs(*, store: Store = Path("store")) -> None:
    """List the analysed runs: ranks, records, size on disk, when, and their state."""
    from pipeline import commands

    commands.list_runs(store)


@export.command
def severities(
    run: RunName = None,
    /,
    *,
    output: Annotated[
        Path,
        Parameter(
            help="File to write, such as severities.csv; its suffix, .csv or .parquet, chooses "
            "the format."
        ),
    ],
    beyond_reference: Annotated[bool, Flag] = False,
    overwrite: Annotated[bool, Flag] = False,
    store: Store = Path("store"),
) -> None:
    """Write every metric per call path, rank and thread.

    Columns: metric, call_path, rank, thread, value. Times are in seconds; other values are
    bytes or counts. A metric includes its sub-metrics and excludes callees; what happens in no
    call path, such as time outside visits, has an empty one. Totals compare with those of
    Scalasca's analyser.

    Parameters
    ----------
    beyond_reference
        Add the waiting Scalasca's analyser leaves out, and a column that tells it apart.
    overwrite
        Replace the file if it is there already.
    """
    from pipeline import commands

    commands.export_severities(
        run,
        output=output,
        is_beyond_reference=beyond_reference,
        is_overwriting=overwrite,
        store=store,
    )


@export.command(name="tables")
def all_tables(
    run: RunName = None,
    /,
    *,
    output: Annotated[Path, Parameter(help="Folder to make, which must not exist or be empty.")],
    campaign: str | None = None,
    store: Store = Path("store"),
) -> None:
    """Write every table of a run to a Parquet file of its own.

    Meanings and units are in the files' metadata; `tracemill tables` tells them too.

    Parameters
    ----------
    campaign
        Write the tables of the campaign of that name instead of those of a run.
    """
    from pipeline import commands

    commands.export_tables(run, campaign=campaign, output=output, store=store)


@export.command
def events(
    run: RunName = None,
    /,
    *,
    output: Path,
    overwrite: Annotated[bool, Flag] = False,
    memory_limit: Annotated[str | None, Parameter(validator=_check_memory)] = None,
    store: Store = Path("store"),
) -> None:
    """Write every record as a trace in CSV, which can be analysed again.

    Columns are those of schemas/CSV.md; those that no record fills are left out.

    Parameters
    ----------
    output
        File to write: .csv, or compressed .csv.gz or .csv.zst.
    overwrite
        Replace the file if it is there already.
    memory_limit
        Memory for queries, such as 2GB; the rest goes to disk, beside the output. [default: 1GB]
    """
    from pipeline import commands

    commands.export_events(
        run,
        output=output,
        memory_limit=memory_limit,
        is_overwriting=overwrite,
        store=store,
    )


@export.command
def perfetto(
    run: RunName = None,
    /,
    *,
    output: Path,
    window: str | None = None,
    overwrite: Annotated[bool, Flag] = False,
    store: Store = Path("store"),
) -> None:
    """Write calls and messages as Chrome trace events, which ui.perfetto.dev and others open.

    Processes are numbered by rank; times are in microseconds since the trace's zero.

    Parameters
    ----------
    output
        File to write: .json, or compressed .json.gz.
    window
        Only what overlaps this stretch of the run, such as 1.2s..1.3s, in seconds unless a unit
        (s, ms, us, ns) is given. [default: the whole run]
    overwrite
        Replace the file if it is there already.
    """
    from pipeline import commands

    commands.export_perfetto(
        run, output=output, window=window, is_overwriting=overwrite, store=store
    )


@app.command
def sql(
    query: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    run: RunName = None,
    all_runs: Annotated[bool, Flag] = False,
    campaign: str | None = None,
    store: Store = Path("store"),
    format: Literal["table", "csv", "json", "parquet"] | None = None,
    output: Path | None = None,
    harlequin: Annotated[bool, Flag] = False,
) -> None:
    """Query the tables of a run with SQL (DuckDB).

    Every table is a view. Without QUERY, statements come from standard input, or from a prompt
    if that is a terminal.

    Examples:
      tracemill sql .examples
      tracemill sql ".examples waits_by_rank"
      tracemill sql "FROM wait_states ORDER BY wait_ns DESC LIMIT 10"
      tracemill sql "FROM messages" --output messages.parquet

    Parameters
    ----------
    query
        Statements, separated by ';', or .tables, .describe TABLE, .examples, .examples N.
    all_runs
        Query all runs at once; every table then starts with a column run_id.
    campaign
        Query the tables of the campaign of that name instead of those of a run.
    format
        How to write rows; json and parquet take one statement that returns some.
        [default: by the suffix of --output, .txt, .csv, .json or .parquet, else table]
    output
        File to write. [default: standard output]
    harlequin
        Open harlequin, an editor that fills the terminal, if `make harlequin` installed it.
    """
    from pipeline import sql_command

    sql_command.run_sql(
        query,
        run=run,
        is_over_all_runs=all_runs,
        campaign=campaign,
        store=store,
        format=format,
        output=output,
        has_harlequin=harlequin,
    )


@app.command
def quality(
    run: RunName = None,
    /,
    *,
    fail_on: str | None = None,
    store: Store = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Tell what is missing, damaged or doubtful in the trace of a run, and where.

    Parameters
    ----------
    fail_on
        Exit with 22 if this holds, such as "clock_violations > 10", or any. It compares counts,
        joined with and, or, not: of the kinds that are printed, also in the plural, and findings,
        losses and incomplete_locations.
    format
        How to print the findings.
    """
    from pipeline import commands

    commands.tell_quality(run, fail_on=fail_on, store=store, format=format)


@app.command
def report(
    run: RunName = None,
    /,
    *,
    store: Store = Path("store"),
    format: Literal["terminal", "markdown", "html"] | None = None,
    output: Path | None = None,
    window: str | None = None,
    pictures: Annotated[bool, Flag] = False,
) -> None:
    """Show the report of a run.

    Parameters
    ----------
    format
        How to show it; html is one self-contained page. [default: by the suffix of --output,
        .html, .md or .txt, else terminal]
    output
        File to write. [default: standard output; with --window, the page in the store]
    window
        Stretch of the run that the page's timeline shows in full detail, such as 1.2s..1.3s,
        in seconds unless a unit (s, ms, us, ns) is given.
    pictures
        Write the main pictures as SVG and PNG, beside the page in the store.
    """
    from pipeline import commands

    commands.report_run(
        run, store=store, format=format, output=output, window=window, has_drawings=pictures
    )


@app.command
def tables(table: str | None = None, /) -> None:
    """Explain the tables, or one table with its columns, units and rules.

    Parameters
    ----------
    table
        Name of a table. [default: list all]
    """
    from pipeline import commands

    commands.show_tables(table)


@app.command
def explain(*metric: str, format: Literal["text", "markdown"] = "text") -> None:
    """Explain a metric: what it measures, how, usual causes, and what to try.

    Needs no trace and no store.

    Parameters
    ----------
    metric
        Name or title of a metric, such as mpi_latesender or Late Sender. [default: list all]
    format
        How to print the explanation.
    """
    from pipeline import commands

    commands.explain_metric(" ".join(metric) or None, format=format)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; our own bugs raise.

    0 for success, 130 if interrupted, 141 if whoever reads the output, such as `head`, has seen
    enough, else that of the error.
    """
    has_output = open_missing_streams()
    tolerate_narrow_encodings()
    if not has_output:
        print_error("standard output is closed: open it, or give it a place such as >/dev/null")
        return PipelineError.exit_code
    try:
        _run(list(sys.argv[1:] if arguments is None else arguments))
    except CycloptsError:
        return UsageError.exit_code
    except PipelineError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        print_error("interrupted: nothing half-written was published")
        return INTERRUPTED
    except BrokenPipeError:
        discard(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        discard(sys.stdout)
        print_error(f"cannot write to standard output: {error.strerror}")
        return PipelineError.exit_code
    return 0


def _run(arguments: list[str]) -> None:
    app(
        arguments,
        console=results(),
        error_console=messages(),
        exit_on_error=False,
        result_action="return_value",
    )
    sys.stdout.flush()
