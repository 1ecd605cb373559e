"""Commands that tell what is known: of the runs in a store, and of tables and metrics."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tracemill.cli.parameters import Flag, RunName, Store


def runs(*, store: Store = Path("store")) -> None:
    """List the analysed runs: ranks, records, size on disk, when, and their state."""
    from tracemill import commands

    commands.list_runs(store)


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
    from tracemill import sql_command

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
    from tracemill import commands

    commands.tell_quality(run, fail_on=fail_on, store=store, format=format)


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
    from tracemill import commands

    commands.report_run(
        run, store=store, format=format, output=output, window=window, has_drawings=pictures
    )


def compare(
    base: Annotated[str, Parameter(help="A: a run by id or its beginning, label, or trace path.")],
    other: Annotated[str, Parameter(help="B, the same.")],
    /,
    *,
    fail_if: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None,
    store: Store = Path("store"),
    format: Literal["terminal", "markdown", "json", "html"] | None = None,
    output: Path | None = None,
) -> None:
    """Tell what changed from run A to run B: by metric, call path and rank.

    Several runs joined by commas, or a label that several have, are repetitions: then also which
    changes are beyond noise.

    Examples:
      tracemill compare before after
      tracemill compare 1f2e,77a0,c3d4 after --output comparison.html
      tracemill compare before after --fail-if "run_time > +5%" --fail-if "mpi_latesender > +20%"

    Parameters
    ----------
    fail_if
        Exit with 23 if this holds: METRIC [in CALL_PATH], <, <=, > or >=, and a number. With % or a
        sign it limits the change, else the value of B; units are s, ms, us, ns. Can be repeated.
        Metrics are run_time and those of tracemill explain. With repetitions, no change within
        the noise counts.
    format
        How to tell it; html is one self-contained page. [default: by the suffix of --output,
        .html, .md, .json or .txt, else terminal]
    output
        File to write. [default: standard output]
    """
    from tracemill import compare_command

    compare_command.compare_runs(
        base, other, fail_if=fail_if or [], store=store, format=format, output=output
    )


def tables(
    table: str | None = None,
    /,
    *,
    store: Store = Path("store"),
    patterns: Path | None = None,
) -> None:
    """Explain the tables, or one table with its columns, units and rules.

    Needs no trace, and a store only for tables of patterns of your own.

    Parameters
    ----------
    table
        Name of a table. [default: list all]
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    """
    from tracemill import commands

    commands.show_tables(table, store=store, patterns=patterns)


def explain(
    *metric: str,
    format: Literal["text", "markdown"] = "text",
    store: Store = Path("store"),
    patterns: Path | None = None,
) -> None:
    """Explain a metric: what it measures, how, usual causes, and what to try.

    Needs no trace, and a store only for metrics of patterns of your own.

    Parameters
    ----------
    metric
        Name or title of a metric, such as mpi_latesender or Late Sender. [default: list all]
    format
        How to print the explanation.
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    """
    from tracemill import commands

    name = " ".join(metric) or None
    commands.explain_metric(name, format=format, store=store, patterns=patterns)


def list_patterns(*, store: Store = Path("store"), patterns: Path | None = None) -> None:
    """List the patterns: those of the catalogue and your own, each with its metrics.

    Parameters
    ----------
    patterns
        Folder of patterns of your own, besides the folder patterns in the store.
    """
    from tracemill import commands

    commands.list_patterns(store, patterns)
