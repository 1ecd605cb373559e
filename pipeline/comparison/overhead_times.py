"""Times of a run by call path, region and class, for overheads against another run."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tracemill.base.errors import UsageError
from tracemill.campaign.gathering import lacks, query_runs
from tracemill.schemas.overheads import overhead_id
from tracemill.store.runs import Run

TIMES, REGIONS, LOSSES, THREADS = (
    "compared_times", "compared_regions", "compared_losses", "compared_threads",
)  # fmt: skip
QUERIES = (TIMES, REGIONS, LOSSES, THREADS)
COMPUTATION = overhead_id("user code")


@dataclass(frozen=True, kw_only=True, eq=False)
class RunTimes:
    """Times of one run (ns) in its main part or focus; `main_ns` is the mean over threads.

    `times`: a row per call path and visiting thread; `regions`: a row per region and process.
    `moved`: what lost parallelism moves from class to class; `charged`: lost time by region, with
    everything below it. `outside`: time outside of visits by class.
    """

    run: Run
    main_ns: float
    is_whole: bool
    thread_count: int
    process_count: int
    times: pl.DataFrame
    regions: pl.DataFrame
    moved: Mapping[int, int]
    charged: Mapping[str, int]
    outside: Mapping[int, int]


def read_times(run: Run) -> RunTimes:
    """Read a run; raises UsageError if an older version made it."""
    missing = lacks(run, QUERIES)
    if missing:
        names = ", ".join(missing)
        raise UsageError(f"{run.label} lacks {names}: analyze the trace again")
    found = query_runs([run], QUERIES, {}, threads=None, memory_limit="")
    times, regions, losses, threads = (pl.DataFrame(table) for table in found)
    if threads.is_empty():
        raise UsageError(f"{run.label} has no threads: nothing to compare")
    total_ns = int(threads["main_ns"].sum())
    whole, rest = divmod(total_ns, len(threads))
    return RunTimes(
        run=run,
        main_ns=total_ns / len(threads) if rest else whole,
        is_whole=bool(threads["is_whole"][0]),
        thread_count=len(threads),
        process_count=threads["location_group_id"].n_unique(),
        times=times,
        regions=regions,
        moved=_moved(losses),
        charged=_charged(run, losses),
        outside=_outside(times, threads),
    )


def _moved(losses: pl.DataFrame) -> Counter[int]:
    moved: Counter[int] = Counter()
    known = losses.filter(pl.col("moved_to_overhead_id").is_not_null())
    columns = ("overhead_id", "moved_to_overhead_id", "lost_ns")
    for overhead, target, lost in known.select(columns).iter_rows():
        moved[overhead] -= lost
        moved[target] += lost
    return moved


def _outside(times: pl.DataFrame, threads: pl.DataFrame) -> Counter[int]:
    visited = dict(times.group_by("location_id").agg(pl.col("time_ns").sum()).iter_rows())
    outside: Counter[int] = Counter()
    columns = ("location_id", "overhead_id", "main_ns")
    for location, overhead, main_ns in threads.select(columns).iter_rows():
        outside[overhead] += main_ns - visited.get(location, 0)
    return outside


def _charged(run: Run, losses: pl.DataFrame) -> Counter[str]:
    """Lost time by name of region: of all call paths with the region at or above them."""
    charged: Counter[str] = Counter()
    if losses.is_empty():
        return charged
    paths = run.read("call_paths", ["call_path_id", "parent_call_path_id", "region_id"])
    above = {row["call_path_id"]: row for row in paths.to_pylist()}
    names = {
        row["region_id"]: row["name"]
        for row in run.read("regions", ["region_id", "name"]).to_pylist()
    }
    by_path = losses.group_by("call_path_id").agg(pl.col("lost_ns").sum())
    for path, lost in by_path.iter_rows():
        regions, here = set(), path
        while here is not None:
            regions.add(names[above[here]["region_id"]])
            here = above[here]["parent_call_path_id"]
        charged.update(dict.fromkeys(regions, lost))
    return charged
