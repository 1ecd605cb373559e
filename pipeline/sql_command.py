"""What `tracemill sql` does: which tables are meant, where statements come from and rows go."""

import sys
from pathlib import Path

from tracemill.base.console import messages
from tracemill.base.errors import UsageError
from tracemill.shell import RowFormat, Session, run_interruptibly
from tracemill.shell.outputs import choose_format, opened
from tracemill.store import Run, Store
from tracemill.store.finding import open_run, open_store


def run_sql(
    query: str | None,
    *,
    run: str | None,
    is_over_all_runs: bool,
    campaign: str | None,
    store: Path,
    format: RowFormat | None,
    output: Path | None,
    has_harlequin: bool,
) -> None:
    """Run a query, the statements on standard input, or a prompt if that is a terminal."""
    if sum([run is not None, is_over_all_runs, campaign is not None]) > 1:
        raise UsageError("--run, --all-runs and --campaign exclude each other: give one of them")
    chosen_format = choose_format(format, output)
    is_prompt = query is None and (has_harlequin or sys.stdin.isatty())
    if is_prompt and (output is not None or chosen_format == "parquet"):
        raise UsageError("--output and --format parquet need a QUERY, or one on standard input")
    if has_harlequin and query is not None:
        raise UsageError("--harlequin takes no QUERY: type it there")
    chosen = _chosen(store, run, is_over_all_runs=is_over_all_runs, campaign=campaign)
    connection = chosen.connect()
    try:
        session = Session.begin(connection)
        if has_harlequin:
            _open_harlequin(session, chosen)
        elif is_prompt:
            _open_prompt(session, chosen, chosen_format)
        else:
            with opened(chosen_format, output) as place:
                script = sys.stdin.read() if query is None else query
                run_interruptibly(session, script, place)
    finally:
        connection.close()


def _chosen(
    store: Path, run: str | None, *, is_over_all_runs: bool, campaign: str | None
) -> Store | Run:
    if campaign is not None:
        return open_store(store).campaigns.open(campaign)
    return open_store(store) if is_over_all_runs else open_run(store, run)


def _open_prompt(session: Session, chosen: Store | Run, format: RowFormat) -> None:
    from tracemill.shell.prompt import run_prompt

    messages().print(f"{_title(chosen)}: .help for help, .quit to leave", markup=False)
    with opened(format, None) as place:
        run_prompt(session, place)


def _open_harlequin(session: Session, chosen: Store | Run) -> None:
    from tracemill.shell.harlequin import run_harlequin

    run_harlequin(session, chosen.run_id if isinstance(chosen, Run) else "all_runs")


def _title(chosen: Store | Run) -> str:
    return f"{chosen.run_id} ({chosen.label})" if isinstance(chosen, Run) else str(chosen.path)
