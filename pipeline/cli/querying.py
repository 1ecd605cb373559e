"""Commands that query runs with SQL, and explain tables, metrics and patterns."""

import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from tracemill.base.console import messages, print_error, results
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import EVERYTHING, Flag, FocusingOptions, Patterns, RunName, StorePath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckdb import DuckDBPyConnection

    from tracemill.shell.formats import RowFormat
    from tracemill.shell.session import Session
    from tracemill.sql.query_files import Query
    from tracemill.store.runs import Run, Store


def sql(
    query: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    run: RunName = None,
    all_runs: Annotated[bool, Flag] = False,
    campaign: str | None = None,
    graph: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json", "parquet"] | None = None,
    output: Path | None = None,
    harlequin: Annotated[bool, Flag] = False,
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Query the tables of a run with SQL (DuckDB).

    Every table is a view. The tables of forecasts in the store are there, too. Without QUERY,
    statements come from standard input, or from a prompt if that is a terminal.

    Examples:
      tracemill sql .examples
      tracemill sql ".examples waits_by_rank"
      tracemill sql "FROM wait_states ORDER BY wait_ns DESC LIMIT 10"
      tracemill sql "FROM messages" --output messages.parquet
      tracemill sql "FROM waits" --iteration 3..7

    Parameters
    ----------
    query
        Statements, separated by ';', or .tables, .describe TABLE, .examples, .examples N.
    all_runs
        Query all runs at once; every table starts with a column run_id.
    campaign
        Query the tables of this campaign instead of a run.
    graph
        Also compute the activity graph of the run: activities, with their slack, and
        activity_dependencies.
    format
        Output format; json and parquet need exactly one statement that returns rows.
        [default: by the suffix of --output, .txt, .csv, .json or .parquet, else table]
    output
        File to write. [default: standard output]
    harlequin
        Open harlequin, a full-screen editor; install it with `make harlequin`.
    """
    from tracemill.schemas.definitions import PROFILE
    from tracemill.shell.outputs import choose_format, opened
    from tracemill.shell.script import run_interruptibly
    from tracemill.shell.session import Session
    from tracemill.store.runs import Run

    if sum([run is not None, all_runs, campaign is not None]) > 1:
        raise UsageError("give only one of --run, --all-runs and --campaign")
    chosen_format = choose_format(format, output)
    is_prompt = query is None and (harlequin or sys.stdin.isatty())
    if is_prompt and (output is not None or chosen_format == "parquet"):
        raise UsageError("--output and --format parquet need a QUERY, or one on standard input")
    if harlequin and query is not None:
        raise UsageError("--harlequin takes no QUERY: type it in harlequin")
    with ExitStack() as stack:
        chosen = _open(store, run, campaign, is_over_all_runs=all_runs)
        if focus.options.given:
            if not isinstance(chosen, Run) or campaign is not None:
                raise UsageError("a focus is a part of a run: omit --all-runs and --campaign")
            chosen = stack.enter_context(focus.applied(chosen, has_records=True))
        connection = stack.enter_context(closing(chosen.connect()))
        if graph:
            if not isinstance(chosen, Run) or campaign is not None or focus.options.given:
                raise UsageError("--graph is of a whole run: omit --all-runs, --campaign and focus")
            _add_graph(connection, chosen)
        session = Session.begin(connection, store)
        if harlequin:
            from tracemill.shell.harlequin import run_harlequin

            run_harlequin(session, chosen.run_id if isinstance(chosen, Run) else "all_runs")
        elif is_prompt:
            _open_prompt(session, chosen, chosen_format)
        else:
            with opened(chosen_format, output) as place:
                script = sys.stdin.read() if query is None else query
                run_interruptibly(session, script, place)
                if isinstance(chosen, Run) and chosen.detail == PROFILE:
                    _note_missing(session, script, chosen)


def _note_missing(session: "Session", script: str, run: "Run") -> None:
    """Name the tables of a script that have no rows because only the call tree was read."""
    if empty := session.empty_tables(script):
        messages().print(
            f"{run.label} has the detail profile, without rows in {', '.join(empty)}: analyze it "
            "again with --detail calls or full",
            style="muted", markup=False, soft_wrap=True,
        )  # fmt: skip


def _open(
    store: Path, run: str | None, campaign: str | None, *, is_over_all_runs: bool
) -> "Store | Run":
    from tracemill.store.finding import existing_store, open_run
    from tracemill.store.forecasts import has_forecasts

    found = existing_store(store)
    if campaign is not None:
        return found.campaigns.open(campaign)
    if is_over_all_runs or (run is None and has_forecasts(store) and not found.runs()):
        return found
    return open_run(store, run)


def _add_graph(connection: "DuckDBPyConnection", run: "Run") -> None:
    from tracemill.engine.asking import computed_again
    from tracemill.schemas.replay import QUERIED

    with computed_again(run, QUERIED) as answer:
        for name in QUERIED:
            connection.register(name, answer.table(name))


def _open_prompt(session: "Session", chosen: "Store | Run", format: "RowFormat") -> None:
    from tracemill.shell.outputs import opened
    from tracemill.shell.prompt import run_prompt
    from tracemill.store.runs import Run

    name = f"{chosen.run_id} ({chosen.label})" if isinstance(chosen, Run) else chosen.path
    messages().print(f"{name}: .help for help, .quit to leave", markup=False)
    with opened(format, None) as place:
        run_prompt(session, place)


def tables(
    table: str | None = None, /, *, store: StorePath = Path("store"), patterns: Patterns = None
) -> None:
    """Explain the tables, or one table with its columns, units and rules.

    Needs no trace; a store only for tables of your own patterns.

    Parameters
    ----------
    table
        Name of a table. [default: list all]
    """
    from tracemill.patterns.catalog import table_of
    from tracemill.shell.table_reference import find_table, print_table, print_tables

    own = [table_of(query) for query in _usable_patterns(store, patterns)]
    if table is None:
        print_tables(results(), own)
    else:
        print_table(find_table(table, own), results())


def explain(
    *metric: str,
    format: Literal["text", "markdown"] = "text",
    store: StorePath = Path("store"),
    patterns: Patterns = None,
) -> None:
    """Explain a metric: what it measures, how, usual causes, and what to try.

    Needs no trace; a store only for metrics of your own patterns.

    Parameters
    ----------
    metric
        Name or title of a metric, such as mpi_latesender or Late Sender. [default: list all]
    format
        How to print the explanation.
    """
    from tracemill.reports.explanation import (
        all_metrics,
        describe_metric,
        find_metric,
        print_explanation,
        print_metrics,
    )

    own = _usable_patterns(store, patterns)
    metrics = all_metrics(own)
    if not metric:
        print_metrics(metrics, results())
        return
    found = find_metric(" ".join(metric), metrics)
    if format == "markdown":
        results().file.write(describe_metric(found, metrics, own))
    else:
        print_explanation(found, metrics, results(), own)


def list_patterns(*, store: StorePath = Path("store"), patterns: Patterns = None) -> None:
    """List the shipped patterns and your own, each with its metrics."""
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
    """The user's patterns; errors of unusable ones are printed."""
    from tracemill.patterns.own import patterns_beside

    found = patterns_beside(store, patterns)
    for error in found.errors:
        print_error(str(error))
    return found.usable


patterns = App(name="patterns", help="Patterns that are searched for in traces, and your own ones.")
patterns.command(list_patterns, name="list")
