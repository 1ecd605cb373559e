"""Measure speed and memory of generating, reading, analyzing, reporting, forecasting."""

import argparse
import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from tests.bench.archives import PROGRAMS, provide_archive
from tests.bench.figures import record
from tests.bench.forecasts import provide_program
from tests.bench.measuring import REPETITIONS, Cost, FailedJobError, Trace, measure, repetitions_for
from tests.bench.places import event_file_bytes
from tests.bench.report import TITLES, cost_table, describe_size, real_table, stage_tables
from tests.bench.results import Measured, Results, this_machine
from tests.bench.text import provide_text
from tracemill.base.errors import PipelineError
from tracemill.base.text import hash_of
from tracemill.engine.analyze import versions

WIDTH = 160
PREPARED = ("replay", "forecast_run")
"""Jobs that analyze the trace before they are measured, once."""
GRAPH_STAGES = (
    "send_limits", "replay_edges", "replay_meetings", "replay_calls", "replay_records",
    "process_mpi_calls", "activities", "replays",
)  # fmt: skip
"""Stages of the analysis from matched calls to slack, POP metrics and gains."""
THREADS = sorted({1, min(2, os.cpu_count() or 1)})
REAL = ("n_lu_W_4", "l01_lulesh_8")
"""Traces of real programs that are measured where they are found."""
BUSY_LOAD = 0.5
"""Load before the measurements from which on they are doubtful."""

messages = Console(stderr=True, highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, show and record; 1 if that is not possible."""
    chosen = _parse(arguments)
    try:
        results = _measure_all(chosen)
    except (PipelineError, FailedJobError) as error:
        messages.print(str(error), markup=False)
        return 1
    except KeyboardInterrupt:
        messages.print("interrupted: nothing is recorded")
        return 130
    _show(results)
    if chosen.record:
        record(results)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    add = parser.add_argument
    add(
        "--events",
        type=_sizes,
        default="1000000,5000000,20000000",
        help="sizes of generated archives",
    )
    add("--program", choices=PROGRAMS, default="mixed", help="what generated archives are of")
    add(
        "--rows",
        type=_sizes,
        default="1000000,5000000",
        help="sizes of traces in CSV; empty for none",
    )
    add(
        "--operations",
        type=_sizes,
        default="1000000,5000000,20000000",
        help="simulated operations of forecasts; empty for none",
    )
    add("--regenerate", action="store_true", help="generate archives again, to measure that")
    add("--trace", type=Path, help="measure with this archive instead of generated traces")
    add(
        "--traces",
        type=Path,
        default=Path(os.environ.get("TRACES", "../shared/traces")),
        help=f"folder with the traces of real programs: {', '.join(REAL)}",
    )
    add("--memory-limit", default="", help="memory for queries of the whole analysis, e.g. 4GB")
    add(
        "--record",
        action="store_true",
        help="also put the figures into docs/reference/performance.md",
    )
    chosen = parser.parse_args(arguments)
    if not chosen.events and not chosen.trace:
        parser.error("--events: at least one size is needed")
    return chosen


def _measure_all(chosen: argparse.Namespace) -> Results:
    begin, machine = time.perf_counter(), this_machine()
    if machine.load_before > BUSY_LOAD:
        messages.print(
            f"the machine is busy (load {machine.load_before:.1f}): figures are doubtful"
        )
    archives, texts = _archives(chosen), () if chosen.trace else chosen.rows
    unit = measure("fixed_loop", Path(), repetitions=3).cpu_seconds
    messages.print(TITLES["bare_loop"], style="dim")
    bare_loop = measure("bare_loop", archives[0].path)
    real = () if chosen.trace else _real_traces(chosen.traces)
    return Results(
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine,
        versions=versions(),
        others=(bare_loop,),
        archives=tuple(_measure_archive(each, chosen.memory_limit) for each in archives),
        levels=() if chosen.trace else (_measure_levels(max(chosen.events)),),
        texts=tuple(_measure_text(rows) for rows in texts),
        programs=tuple(_measure_forecast(count) for count in chosen.operations),
        real=tuple(_measure_real(each) for each in real),
        fixed_loop_seconds=unit,
        bench_seconds=time.perf_counter() - begin,
    )


def _archives(chosen: argparse.Namespace) -> list[Trace]:
    if chosen.trace:
        return [_given(chosen.trace)]
    found = []
    for events in chosen.events:
        messages.print(f"{chosen.program}: archive of {events:,} events", style="dim")
        program = PROGRAMS[chosen.program]
        found.append(provide_archive(program, events, is_new_wanted=chosen.regenerate))
    return found


def _real_traces(folder: Path) -> list[Trace]:
    found = [folder / name for name in REAL if (folder / name).is_dir()]
    if len(found) < len(REAL):
        messages.print(f"{folder}: not all of {', '.join(REAL)} are there", markup=False)
    return [_given(path) for path in found]


def _given(path: Path) -> Trace:
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    made_by = hash_of(str(folder))
    return Trace(folder.name, path, made_by=made_by, byte_count=event_file_bytes(folder))


def _sizes(given: str) -> list[int]:
    sizes = {size for size in given.split(",") if size}
    if not all(size.isdecimal() and int(size) for size in sizes):
        raise argparse.ArgumentTypeError(f"{given}: not whole numbers from 1 on, with commas")
    return sorted(map(int, sizes))


def _measure_archive(trace: Trace, memory_limit: str) -> Measured:
    # The first run compiles kernels where no cache has them, and warms the disk's cache.
    events = measure("columns", trace.path).events
    measure("read", trace.path)
    generating = (trace.generating,) if trace.generating else ()
    costs = (*generating, *_measure_jobs(trace.path, events, memory_limit))
    return _measured(trace, events, costs)


def _measure_jobs(path: Path, events: int, memory_limit: str) -> Iterator[Cost]:
    jobs = [(job, 1) for job in ("library", "columns") if job == "columns" or job in _peers()]
    jobs += [("read", threads) for threads in THREADS]
    jobs += [("analyze", threads) for threads in THREADS]
    jobs += [("replay", 1), ("forecast_run", 1)]
    for job, threads in jobs:
        messages.print(f"{events:,} events: {TITLES[job]}, threads: {threads}", style="dim")
        cost = measure(
            job,
            path,
            threads=threads,
            repetitions=repetitions_for(events) if job not in PREPARED else 1,
            memory_limit=memory_limit if job == "analyze" else "",
        )
        yield cost
        if job == "analyze" and cost.stages and threads == THREADS[-1]:
            yield cost.of_stages("graph", GRAPH_STAGES)
            yield cost.of_stages("report", ("report",))


def _measure_levels(events: int) -> Measured:
    """The levels of detail, on a trace that consists of calls of user functions."""
    trace = provide_archive(PROGRAMS["functions"], events)
    costs = []
    for job in ("analyze", "analyze_calls", "analyze_profile"):
        messages.print(f"{trace.name}: {TITLES[job]}", style="dim")
        costs.append(measure(job, trace.path, threads=THREADS[-1]))
    return _measured(trace, costs[0].events, tuple(costs))


def _measure_real(trace: Trace) -> Measured:
    """Users wait for the whole command, and other programs read the same archive."""
    events = measure("columns", trace.path).events
    jobs = [(peer, 1) for peer in _peers()] + [("columns", 1), ("read", 1)]
    jobs += [("command", threads) for threads in THREADS]
    costs = []
    for job, threads in jobs:
        messages.print(f"{trace.name}: {TITLES[job]}, threads: {threads}", style="dim")
        costs.append(measure(job, trace.path, threads=threads, repetitions=REPETITIONS))
    return _measured(trace, events, tuple(costs))


def _peers() -> Iterator[str]:
    """Readers that are not ours, as far as they are installed."""
    if shutil.which("otf2-print"):
        yield "otf2_print"
    if importlib.util.find_spec("otf2"):
        yield from ("bare_loop", "library")


def _measure_text(rows: int) -> Measured:
    messages.print(f"{rows:,} rows: {TITLES['read_text']}", style="dim")
    trace = provide_text(rows)
    measure("read_text", trace.path)  # warms the disk's cache
    cost = measure("read_text", trace.path, repetitions=repetitions_for(rows))
    return _measured(trace, cost.events, (cost,))


def _measure_forecast(operations: int) -> Measured:
    messages.print(f"{operations:,} operations: {TITLES['forecast']}", style="dim")
    program = provide_program(operations)
    cost = measure("forecast", program.path, repetitions=repetitions_for(operations))
    return _measured(program, cost.events, (cost,))


def _measured(trace: Trace, events: int, costs: tuple[Cost, ...]) -> Measured:
    return Measured(
        name=trace.name,
        events=events,
        byte_count=trace.byte_count,
        made_by=trace.made_by,
        costs=costs,
    )


def _show(results: Results) -> None:
    console = Console(width=WIDTH, highlight=False)
    for table in (cost_table(results), real_table(results), *stage_tables(results)):
        console.print(table)
    for each in (*results.archives, *results.texts):
        console.print(describe_size(each), markup=False)
    minutes, seconds = divmod(round(results.bench_seconds), 60)
    console.print(f"The benchmark took {minutes} min {seconds} s.")


if __name__ == "__main__":
    sys.exit(main())
