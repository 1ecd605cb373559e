"""Commands that write results to files for other tools."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from tracemill.base.console import messages
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import EVERYTHING, Flag, FocusingOptions, RunName, StorePath


def severities(
    run: RunName = None,
    /,
    *,
    output: Annotated[
        Path,
        Parameter(
            help="File to write, such as severities.csv; its suffix (.csv, .parquet) selects the "
            "format."
        ),
    ],
    extended: Annotated[bool, Flag] = False,
    overwrite: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
) -> None:
    """Write every metric per call path, rank and thread.

    Columns: metric, call_path, rank, thread, value. Times are in seconds; other values are
    bytes or counts. A metric includes its sub-metrics and excludes callees. Values outside any
    call path have an empty one. Totals are comparable with those of Scalasca's analyzer.

    Parameters
    ----------
    extended
        Add wait states that Scalasca's analyzer lacks, and a column that marks them.
    overwrite
        Replace an existing file.
    """
    from tracemill.shell.exports.severities import export_severities
    from tracemill.store.finding import open_run

    count = export_severities(
        open_run(store, run), output, is_extended=extended, is_overwriting=overwrite
    )
    _print_written(count, "rows", output)


def tables(
    run: RunName = None,
    /,
    *,
    output: Annotated[Path, Parameter(help="New or empty folder to write to.")],
    campaign: str | None = None,
    store: StorePath = Path("store"),
) -> None:
    """Write every table of a run to a Parquet file.

    Meanings and units are in the files' metadata; `tracemill tables` prints them.

    Parameters
    ----------
    campaign
        Write the tables of this campaign instead of a run.
    """
    from tracemill.shell.exports.tables import export_tables
    from tracemill.store.finding import existing_store, open_run

    if run is not None and campaign is not None:
        raise UsageError("give either RUN or --campaign")
    if campaign is None:
        chosen = open_run(store, run)
    else:
        chosen = existing_store(store).campaigns.open(campaign)
    _print_written(export_tables(chosen, output), "tables", output)


def perfetto(
    run: RunName = None,
    /,
    *,
    output: Path,
    window: str | None = None,
    overwrite: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
) -> None:
    """Write the run as Chrome trace events, for ui.perfetto.dev and other viewers.

    They are calls, messages, waits with flows from the calls that were late, counters, iterations,
    phases and the critical path. Processes are numbered by rank; times are in microseconds since
    the trace's zero.

    Parameters
    ----------
    output
        File to write: .json, or compressed .json.gz.
    window
        Period to export, such as 1.2s..1.3s or 800ms..900ms; without a unit, in seconds.
        [default: the whole run]
    overwrite
        Replace an existing file.
    """
    from tracemill.reports.windows import read_window
    from tracemill.shell.exports.perfetto import export_perfetto
    from tracemill.store.finding import open_run

    wanted = None if window is None else read_window(window)
    chosen = open_run(store, run)
    chosen.require_records("the export for Perfetto needs")
    count = export_perfetto(chosen, output, window=wanted, is_overwriting=overwrite)
    _print_written(count, "events", output)


def speedscope(
    run: RunName = None,
    /,
    *,
    output: Path,
    summed: Annotated[bool, Flag] = False,
    overwrite: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Write the call tree with its times as a profile for speedscope.app.

    The first profile is that of all locations together; one of each thread and GPU stream follows.

    Parameters
    ----------
    output
        File to write: .json, or compressed .json.gz.
    summed
        Write only the profile of all locations together.
    overwrite
        Replace an existing file.
    """
    from tracemill.shell.exports.speedscope import export_speedscope
    from tracemill.store.finding import open_run

    with focus.applied(open_run(store, run)) as chosen:
        count = export_speedscope(
            chosen, output, name=chosen.label, is_summed=summed, is_overwriting=overwrite
        )
    _print_written(count, "profiles" if count != 1 else "profile", output)


def picture(
    run: RunName = None,
    /,
    *,
    of: Literal["timeline", "messages", "waits", "efficiencies"],
    output: Annotated[
        Path,
        Parameter(
            help="File to write, such as timeline.svg; its suffix (.svg, .png) selects the format."
        ),
    ],
    overwrite: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Draw a picture of a run, as SVG or PNG.

    A focus restricts it to a part of the run.

    Parameters
    ----------
    of
        Timeline, matrix of messages or of waits between ranks, or the
        POP efficiencies.
    overwrite
        Replace an existing file.
    """
    from tracemill.reports.plots import export_picture
    from tracemill.store.finding import open_run

    whole = open_run(store, run)
    whole.require_records(f"--of {of} needs")
    with focus.applied(whole) as chosen:
        export_picture(chosen, of, output, is_overwriting=overwrite)
    messages().print(f"{of} written to {output}", markup=False, soft_wrap=True)


def _print_written(count: int, what: str, output: Path) -> None:
    messages().print(f"{count:,} {what} written to {output}", markup=False, soft_wrap=True)


export = App(name="export", help="Write results to files for other tools.")
for exported in (severities, tables, perfetto, speedscope, picture):
    export.command(exported)
