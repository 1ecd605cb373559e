"""Commands that write results to files that other tools read."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tracemill.base.console import messages
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import Flag, RunName, Store


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
    extended: Annotated[bool, Flag] = False,
    overwrite: Annotated[bool, Flag] = False,
    store: Store = Path("store"),
) -> None:
    """Write every metric per call path, rank and thread.

    Columns: metric, call_path, rank, thread, value. Times are in seconds; other values are
    bytes or counts. A metric includes its sub-metrics and excludes callees; what happens in no
    call path, such as time outside visits, has an empty one. Totals compare with those of
    Scalasca's analyzer.

    Parameters
    ----------
    extended
        Add the waiting Scalasca's analyzer leaves out, and a column that tells it apart.
    overwrite
        Replace the file if it is there already.
    """
    from tracemill.shell.exports.severities import export_severities
    from tracemill.store.finding import open_run

    count = export_severities(
        open_run(store, run),
        output,
        is_extended=extended,
        is_overwriting=overwrite,
    )
    _tell_written(count, "rows", output)


def tables(
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
    from tracemill.shell.exports.tables import export_tables
    from tracemill.store.finding import open_run, open_store

    if run is not None and campaign is not None:
        raise UsageError("RUN and --campaign exclude each other: give one of them")
    if campaign is None:
        chosen = open_run(store, run)
    else:
        chosen = open_store(store).campaigns.open(campaign)
    _tell_written(export_tables(chosen, output), "tables", output)


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
    from tracemill.reports.windows import read_window
    from tracemill.shell.exports.perfetto import export_perfetto
    from tracemill.store.finding import open_run

    wanted = None if window is None else read_window(window)
    chosen = open_run(store, run)
    count = export_perfetto(chosen, output, window=wanted, is_overwriting=overwrite)
    _tell_written(count, "events", output)


def _tell_written(count: int, what: str, output: Path) -> None:
    messages().print(f"{count:,} {what} written to {output}", markup=False, soft_wrap=True)
