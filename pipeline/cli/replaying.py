"""Commands that run a trace again: what changes would bring, and how efficient the run is."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import ProgressReporter, results
from tracemill.base.errors import UsageError
from tracemill.base.names import format_path
from tracemill.cli.keeping import print_kept
from tracemill.cli.parameters import (
    EVERYTHING,
    Flag,
    FocusingOptions,
    RunName,
    StorePath,
    check_positive,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from tracemill.replay.opening import Opened
    from tracemill.replay.what_if import Changed
    from tracemill.reports.material import Material
    from tracemill.store.runs import Run

Format = Literal["table", "csv", "json"]
PopName = Annotated[
    str | None,
    Parameter(
        help="Campaign, run id or its first characters, label, or trace path. [default: the latest "
        "run]"
    ),
]
_SHOWN_PATHS = 20


def what_if(
    run: RunName = None,
    /,
    *,
    scale: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    paths: Annotated[int | None, Parameter(validator=check_positive)] = None,
    output: Annotated[bool, Flag] = False,
    store: StorePath = Path("store"),
    format: Format = "table",
) -> None:
    """Print how long a run would take if parts of it took longer or shorter.

    The trace is run again: waiting follows from what the others do then. Messages are received from
    the same senders, locks go round in the same order, and tasks run where they ran. Parts are:

    solve                a region and what it calls, without MPI; or an MPI function
    own:solve            the region itself
    path:main/solve      a call path itself; path:main/solve/** with all below
    rank:3, location:3.1, node:n01    computation there; rank:3/solve only of a region
    computation, mpi, mpi:point-to-point, mpi:collective, threads    a class
    messages             calls that complete messages; messages:inside and messages:between nodes,
                         messages>65536 of more bytes

    Examples:
      tracemill what-if --scale solve=0.5
      tracemill what-if --scale rank:0=0 --scale mpi=0
      tracemill what-if --paths 5
      tracemill what-if l01 --scale solve=0.5 --output
      tracemill report "l01 what-if solve=0.5"

    Parameters
    ----------
    scale
        Part and factor, such as solve=0.5; 0 removes the part. Several factors multiply.
    paths
        Print so many paths, the critical one and the next longest.
    output
        Keep the changed run in the store, with all tables. Its label is that of the run, what-if,
        and all parts with factors. Commands without a run, campaigns and nights never use it.
    format
        How to print the rows.
    """
    from tracemill.replay.opening import opened_graph
    from tracemill.replay.what_if import change
    from tracemill.stages.scaling import parse_scale
    from tracemill.store.finding import open_run

    scales = [parse_scale(text) for text in scale]
    if not scales and paths is None:
        raise UsageError("what-if needs a part and a factor: add --scale solve=0.5, or --paths 5")
    if output and not scales:
        raise UsageError("--output keeps a changed run: add --scale solve=0.5")
    with opened_graph(open_run(store, run)) as opened:
        if scales:
            _print_changed(opened, change(opened, scales), format)
            if format == "table":
                _print_unrecorded(opened)
        if output:
            _keep(opened, scales, store)
        if paths is not None:
            _print_paths(opened, paths, format)


def _keep(opened: "Opened", scales: list[tuple[str, float]], store: Path) -> None:
    from tracemill.replay.what_if import keep_changed

    with ProgressReporter() as reporter:
        kept = keep_changed(opened, scales, store, reporter)
    print_kept(kept)


def _print_unrecorded(opened: "Opened") -> None:
    """Print which calls may wait for others that no record names: it is in their durations."""
    from tracemill.reports.material import Material

    answer = opened.answer
    material = Material(answer.connection, opened.run.manifest, provide=answer.provide)
    _print_hidden(material, "This waiting is part of the calls' durations and stays as recorded.")


def _print_hidden(material: "Material", where: str) -> None:
    from tracemill.reports.sections.wait_states import UNRECORDED, describe_unrecorded

    for sentence in describe_unrecorded(material.rows(UNRECORDED)):
        results().print(f"{sentence} {where}", markup=False, soft_wrap=True)


def _print_changed(opened: "Opened", changed: "Changed", format: Format) -> None:
    from tracemill.reports.terminal import print_grid
    from tracemill.reports.units import format_share, format_time
    from tracemill.shell.formats import print_rows

    rows = list(_path_rows(opened, changed))
    if format != "table":
        names = ("call_path", "path_ns", "path_before_ns", "run_ns", "run_before_ns")
        times = changed.changed_ns, changed.run_ns
        print_rows(names, [(*row, *times) for row in rows], format, results())
        return
    gain = changed.run_ns - changed.changed_ns
    share = format_share(abs(gain) / changed.run_ns) if changed.run_ns else "0%"
    results().print(
        f"Run time: {format_time(changed.changed_ns)} instead of {format_time(changed.run_ns)}, "
        f"{format_time(abs(gain))} ({share}) {'less' if gain >= 0 else 'more'}.",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    results().print()
    print_grid(
        results(),
        ("Call path on the critical path", "Then", "Before"),
        [
            (format_path(name), format_time(then), format_time(before))
            for name, then, before in rows[:_SHOWN_PATHS]
        ],
        numeric=("Then", "Before"),
    )


def _path_rows(opened: "Opened", changed: "Changed") -> Iterator[tuple[str, int, int]]:
    """Call paths on the critical path of either run, the longest in the changed one first."""
    both = zip(changed.after.tolist(), changed.before.tolist(), strict=True)
    named = zip([*opened.call_paths, "outside of all calls"], both, strict=True)
    rows = [(name, then, before) for name, (then, before) in named if then or before]
    yield from sorted(rows, key=lambda row: (-row[1], -row[2]))


def _print_paths(opened: "Opened", count: int, format: Format) -> None:
    from tracemill.reports.terminal import print_grid
    from tracemill.reports.units import format_time
    from tracemill.shell.formats import print_rows
    from tracemill.stages.near_paths import find_near_paths

    names, place = [*opened.call_paths, "outside of all calls", ""], _named_places(opened)
    found = find_near_paths(opened.scaled.found, opened.total_slack, count)
    rows = [
        (at, path.length, path.slack, path.shared, names[path.alone], place.get(path.location, ""))
        for at, path in enumerate(found, 1)
    ]
    if format != "table":
        titles = ("path", "length_ns", "slack_ns", "shared_ns", "call_path", "location")
        print_rows(titles, rows, format, results())
        return
    titles = ("Path", "Length", "Slack", "Shared with path 1", "Alone longest in", "Location")
    shown = [
        (str(at), *(format_time(each) for each in times), format_path(name), where)
        for at, *times, name, where in rows
    ]
    results().print()
    print_grid(results(), titles, shown, numeric=titles[:4])
    if any(path.slack == 0 for path in found[1:]):
        results().print(
            "Several paths are longest: shortening only what path 1 does not share with the others "
            "gains nothing.",
            markup=False, soft_wrap=True,
        )  # fmt: skip


def _named_places(opened: "Opened") -> dict[int, str]:
    """Rank and thread of each location, such as 3.0."""
    names, ids = opened.scaled.names, opened.scaled.found.location_ids.tolist()
    places = zip(ids, names.rank.tolist(), names.thread.tolist(), strict=True)
    return {each: f"{rank}.{thread}" for each, rank, thread in places}


def pop(
    name: PopName = None,
    /,
    *,
    interval: Literal["init to finalize", "whole"] | None = None,
    store: StorePath = Path("store"),
    format: Format = "table",
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Print the efficiencies of a run, a focus or a campaign as POP defines them.

    Parallel efficiency is the share of all time that is computation. Its parts are load balance,
    serialization (waiting for what others compute) and transfer (the network), and for teams of
    threads those of OpenMP. The ideal network takes no time; it is the replayed trace.

    For a campaign, it prints a column for each configuration. Computation scaling is the useful
    time of all threads with the fewest CPUs (processes × threads), divided by that of the
    configuration; with counters, its parts are instructions, instructions per cycle and clock
    frequency. Global efficiency is parallel efficiency × computation scaling.

    Examples:
      tracemill pop --interval whole
      tracemill pop --iteration 3..7
      tracemill pop sweep

    Parameters
    ----------
    interval
        Interval: from leaving MPI_Init to entering MPI_Finalize, or from the first record to the
        last. [default: both; a focus in time has its own]
    format
        How to print the efficiencies.
    """
    from tracemill.forecast.described import find_source
    from tracemill.store.finding import open_run

    found = open_run(store, None) if name is None else find_source(name, store)
    if found.source.format != "campaign":
        with focus.applied(found) as opened:
            _print_run(opened, interval, format)
    elif interval is None and focus == EVERYTHING:
        _print_campaign(found, format)
    else:
        raise UsageError(f"{found.run_id} is a campaign: --interval and a focus are for runs")


def _print_run(run: "Run", interval: str | None, format: Format) -> None:
    from tracemill.reports.material import Material
    from tracemill.reports.sections import efficiencies
    from tracemill.reports.terminal import print_section
    from tracemill.shell.formats import print_rows

    connection = run.connect(tables=())
    try:
        metrics = _metrics_of(run, interval)

        def provide(name: str) -> None:
            if name == "pop_metrics":
                connection.register(name, metrics)
            else:
                run.provide(connection, name)

        material = Material(connection, run.manifest, provide=provide)
        built = efficiencies.build(material)
        run.require_records("pop needs")
        if built is None:
            raise UsageError(f"{run.label}: no thread computes: there are no efficiencies")
        if format != "table":
            print_rows(*material.fetch(efficiencies.EFFICIENCIES.query), format, results())
            return
        print_section(built, results())
        _print_hidden(material, "It hides in useful or transfer time.")
    finally:
        connection.close()


def _print_campaign(campaign: "Run", format: Format) -> None:
    from tracemill.reports.campaign_sections import efficiencies, summary, without_prefixes
    from tracemill.reports.material import Material
    from tracemill.reports.terminal import print_section
    from tracemill.shell.formats import print_rows

    connection = campaign.connect(tables=())
    try:
        provide = partial(campaign.provide, connection)
        material = Material(connection, campaign.manifest, summary.OVERVIEW, provide=provide)
        built = efficiencies.build(material)
        if built is None:
            raise UsageError(f"{campaign.run_id}: no run has a trace: there are no efficiencies")
        if format == "table":
            print_section(without_prefixes(material, built), results())
        else:
            print_rows(*material.fetch(efficiencies.QUERY), format, results())
    finally:
        connection.close()


def _metrics_of(run: "Run", interval: str | None) -> "pa.Table":
    """The POP metrics of a run, or of one of its intervals; raises UsageError without that."""
    import pyarrow.compute as pc

    rows = run.read("pop_metrics")
    if interval is None or not rows.num_rows:
        return rows
    kept = rows.filter(pc.field("interval") == interval)
    if not kept.num_rows:
        (only,) = rows["interval"].unique().to_pylist()
        reason = (
            "a focus has periods of its own: omit --interval"
            if only == "focus"
            else "no MPI_Init and MPI_Finalize of all processes: there is only whole"
        )
        raise UsageError(f"--interval {interval}: {run.label}: {reason}")
    return kept
