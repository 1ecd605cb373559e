"""Jobs of the benchmark, each measured in its own process.

    python -m tests.bench.jobs JOB SOURCE --threads N --folder DIR

Prints what the job cost as one line of JSON. The cost of imports is listed apart as start-up;
loading compiled kernels belongs to the work.
"""

import argparse
import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench import peers
from tests.bench.peers import open_archive, read_locations
from tests.bench.places import ARCHIVE, CLUSTERS, event_file_bytes
from tests.bench.stage_meter import (
    StageCost,
    StageMeter,
    forget_peak,
    peak_bytes,
    processor_seconds,
)

if TYPE_CHECKING:
    from tracemill.store.manifest import TableRecord
    from tracemill.store.runs import Run

REPLAYS = 20
"""Replays of a graph are measured together, as a single one is too short."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How a job is done: on so many threads, in this folder, with so much memory for queries."""

    threads: int
    folder: Path
    memory_limit: str = ""


@dataclass(frozen=True)
class Job:
    """A measured piece of work: modules imported beforehand, and a function of its arguments.

    The function returns at least the number of `events` it dealt with. If it prepares something, it
    also returns the cost without that.
    """

    imports: tuple[str, ...]
    work: Callable[[Path, Setting], dict[str, Any]]


def generate(description: Path, setting: Setting) -> dict[str, Any]:
    """What `tracemill generate` does: from a description to the archive with its truth."""
    from tracemill.programs.generate import generate
    from tracemill.programs.language.reading import read_program

    output = setting.folder / ARCHIVE
    made = generate(read_program(description), output)
    return {"events": made.record_count, "bytes": event_file_bytes(output)}


def read(trace: Path, setting: Setting) -> dict[str, Any]:
    """The reading stage: archive or text to Parquet."""
    import pyarrow.parquet as pq

    from tracemill.readers import open_source
    from tracemill.store.runs import Store

    source = open_source(trace)
    with Store(setting.folder).begin("bench") as generation:
        source.read(
            generation,
            run_id="bench",
            threads=setting.threads,
            allow_damaged=False,
            report=lambda count: None,
        )
        for table in source.tables:
            generation.finish(table)
        (runs,) = generation.files("runs")
        events = pq.read_table(runs, columns=["record_count"], partitioning=None)[0][0].as_py()
        written = sum(table.byte_count for table in generation.finished.values())
    return {"events": events, "bytes": written}


def analyze(trace: Path, setting: Setting, detail: str = "full") -> dict[str, Any]:
    """The whole main job into a new store; its report is the last of the stages."""
    from tracemill.engine.analyze import Options, analyze
    from tracemill.reports.build import build_report
    from tracemill.reports.files import write_reports
    from tracemill.store.runs import Store

    meter = StageMeter()
    options = Options(
        threads=setting.threads, memory_limit=setting.memory_limit, parameters={"detail": detail}
    )
    analysis = analyze(trace, store=Store(setting.folder), options=options, reporter=meter)
    if not analysis.is_new:
        raise RuntimeError(f"{setting.folder} is not new")
    meter.stage_started("report", None)
    report = build_report(analysis.run, threads=setting.threads, memory_limit=setting.memory_limit)
    write_reports(report, setting.folder)
    meter.stage_finished("report", 0.0)
    manifest = analysis.run.manifest
    stages = _with_tables(meter.costs, trace, manifest.tables)
    return {
        "events": _record_count(analysis.run),
        "bytes": manifest.byte_count,
        "stages": {name: asdict(cost) for name, cost in stages.items()},
    }


def command(trace: Path, setting: Setting) -> dict[str, Any]:
    """`tracemill analyze` as users run it: with start-up, report and printed summary."""
    from tracemill.store.runs import Store

    arguments = [sys.executable, "-m", "tracemill", "analyze", str(trace)]
    arguments += ["--store", str(setting.folder), "--threads", str(setting.threads)]
    if setting.memory_limit:
        arguments += ["--memory-limit", setting.memory_limit]
    begin, start = processor_seconds(), time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    measured = {
        "cpu_seconds": processor_seconds() - begin,
        "wall_seconds": time.perf_counter() - start,
        "start_up_cpu_seconds": 0.0,
        "peak_bytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
    }
    (run,) = Store(setting.folder).runs()
    return measured | {"events": _record_count(run), "bytes": run.manifest.byte_count}


def columns(trace: Path, setting: Setting) -> dict[str, Any]:
    """Our decoder alone: archive to columns, which are discarded."""
    from tracemill.readers.common.identifiers import Identifiers
    from tracemill.readers.otf2.records import open_reader

    archive = open_archive(trace)
    refs, present = list(archive.definitions["Location"]), Identifiers(archive.definitions).present
    with open_reader(archive, refs, present) as reader:
        return read_locations(archive, reader)


def forecast(description: Path, setting: Setting) -> dict[str, Any]:
    """The full simulation of a program on data/clusters/fat-tree.toml."""
    from tracemill.forecast.simulation import simulate
    from tracemill.programs.clusters.reading import read_cluster
    from tracemill.programs.language.data_program import DataProgram
    from tracemill.programs.language.reading import read_program

    program = read_program(description)
    if not isinstance(program, DataProgram):
        raise TypeError(f"{description}: no program of data")
    placed, cluster = program.place(program.grid), read_cluster(CLUSTERS / "fat-tree.toml")
    outcome = simulate(placed, cluster, shortcuts="none")
    actions = sum(map(_count_actions, placed.phases)) * placed.process_count
    return {"events": actions + round(sum(level.transfers for level in outcome.levels))}


def _count_actions(phase: Any) -> int:
    """Parts, starts and waits of each process."""
    if inner := getattr(phase, "phases", ()):
        return phase.iterations * sum(map(_count_actions, inner))
    return 2 if hasattr(phase, "nonblocking") else 1


def replay(trace: Path, setting: Setting) -> dict[str, Any]:
    """The activity graph of a run with the same durations again, an activity being an event."""
    from tracemill.kernels import replay as kernels
    from tracemill.replay.opening import opened_graph

    with opened_graph(_analyzed(trace, setting)) as opened:
        found = opened.scaled.found
        kernels.replay(found.graph, found.duration)  # loads the kernel

        def work() -> int:
            for _ in range(REPLAYS):
                kernels.replay(found.graph, found.duration)
            return REPLAYS * len(found.end)

        return _metered(work)


def forecast_run(trace: Path, setting: Setting) -> dict[str, Any]:
    """The forecast of a recorded run on data/clusters/fat-tree.toml."""
    from tracemill.forecast.replayed.forecasting import forecast_on
    from tracemill.programs.clusters.reading import read_cluster

    run, cluster = _analyzed(trace, setting), read_cluster(CLUSTERS / "fat-tree.toml")

    def work() -> int:
        forecast_on(run, cluster)
        return _record_count(run)

    return _metered(work)


def _analyzed(trace: Path, setting: Setting) -> "Run":
    from tracemill.engine.analyze import Options, analyze
    from tracemill.store.runs import Store

    options = Options(threads=setting.threads, memory_limit=setting.memory_limit)
    return analyze(trace, store=Store(setting.folder), options=options).run


def _record_count(run: "Run") -> int:
    return int(run.read("runs", ["record_count"])["record_count"][0].as_py())


READING = ("tracemill.readers.otf2.source", "tracemill.store")
ANALYZING = (
    *READING, "tracemill.engine.analyze", "tracemill.reports.build", "tracemill.reports.files",
)  # fmt: skip
JOBS: Mapping[str, Job] = {
    "generate": Job(
        ("tracemill.programs.generate", "tracemill.programs.language.process_kinds"), generate
    ),
    "library": Job(READING, peers.library),
    "columns": Job(READING, columns),
    "read": Job(READING, read),
    "read_text": Job(("tracemill.readers.csv.source", "tracemill.store"), read),
    "analyze": Job(ANALYZING, analyze),
    "analyze_calls": Job(ANALYZING, partial(analyze, detail="calls")),
    "analyze_profile": Job(ANALYZING, partial(analyze, detail="profile")),
    "forecast": Job(
        ("tracemill.forecast.simulation", "tracemill.programs.clusters.reading"), forecast
    ),
    "replay": Job(("tracemill.replay.opening", "tracemill.engine.analyze", "duckdb"), replay),
    "forecast_run": Job(
        ("tracemill.forecast.replayed.forecasting", "tracemill.engine.analyze", "duckdb"),
        forecast_run,
    ),
    "command": Job(("tracemill.store",), command),
    "bare_loop": Job(("otf2", *READING), peers.bare_loop),
    "otf2_print": Job(READING, peers.otf2_print),
    "fixed_loop": Job((), peers.fixed_loop),
}


def main() -> int:
    """Do one job; print its cost."""
    print(json.dumps(do_job(sys.argv[1:])))
    return 0


def do_job(arguments: Sequence[str]) -> dict[str, Any]:
    """Do the job named on the command line; return its cost."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.jobs", description=__doc__)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("source", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--memory-limit", default="")
    chosen = parser.parse_args(arguments)
    job = JOBS[chosen.job]
    for module in job.imports:
        importlib.import_module(module)
    setting = Setting(
        threads=chosen.threads, folder=chosen.folder, memory_limit=chosen.memory_limit
    )
    start_up, start = processor_seconds(), time.perf_counter()
    found = job.work(chosen.source, setting)
    cost = {
        "cpu_seconds": processor_seconds() - start_up,
        "wall_seconds": time.perf_counter() - start,
        "start_up_cpu_seconds": start_up,
        "peak_bytes": _peak_of(found),
    }
    return cost | found


def _metered(work: Callable[[], int]) -> dict[str, Any]:
    """The cost of a part of a job, which returns its number of events."""
    forget_peak()
    begin, start = processor_seconds(), time.perf_counter()
    events = work()
    return {
        "events": events,
        "cpu_seconds": processor_seconds() - begin,
        "wall_seconds": time.perf_counter() - start,
        "peak_bytes": peak_bytes(),
    }


def _with_tables(
    costs: Mapping[str, StageCost], trace: Path, tables: "Mapping[str, TableRecord]"
) -> dict[str, StageCost]:
    """The costs with the rows and bytes of the stored tables that each stage made."""
    from tracemill.engine.graph import build_graph
    from tracemill.engine.recipe import standard_recipe
    from tracemill.readers import open_source

    found = dict(costs)
    for stage in build_graph(open_source(trace), standard_recipe()):
        if stage.name in costs:
            made = [tables[table.name] for table in stage.outputs]
            found[stage.name] = replace(
                costs[stage.name],
                rows=sum(table.row_count for table in made),
                bytes=sum(table.byte_count for table in made),
            )
    return found


def _peak_of(found: Mapping[str, Any]) -> int:
    """The most memory held; stages each begin anew."""
    return max(peak_bytes(), *(cost["peak_bytes"] for cost in found.get("stages", {}).values()), 0)


if __name__ == "__main__":
    sys.exit(main())
