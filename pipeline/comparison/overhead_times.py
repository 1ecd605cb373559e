"""Times of a run by call path, region and class, for overheads against another run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tracemill.base.errors import UsageError
from tracemill.campaign.gathering import lacks, query_runs
from tracemill.campaign.site_matching import match_call_sites
from tracemill.stages.models.overhead_split import (
    Spent,
    losses_by_class,
    mean_time,
    outside_by_class,
)
from tracemill.store.runs import Run

TIMES, REGIONS, LOSSES, THREADS = (
    "compared_times", "compared_regions", "compared_losses", "compared_threads",
)  # fmt: skip
QUERIES = (TIMES, REGIONS, LOSSES, THREADS)


@dataclass(frozen=True, kw_only=True, eq=False)
class RunTimes(Spent):
    """Times of one run (ns) in its main part or focus.

    `regions`: a row per region and process. `charged`: lost time by region, with everything below
    it. `are_sites_joined` if call sites are not distinguished, because a compared run has none.
    """

    run: Run
    is_whole: bool
    process_count: int
    regions: pl.DataFrame
    charged: Mapping[str, int]
    are_sites_joined: bool = False


def read_times(runs: Sequence[Run]) -> list[RunTimes]:
    """Read runs; raises UsageError if an older version made one."""
    for run in runs:
        if missing := lacks(run, QUERIES):
            names = ", ".join(missing)
            raise UsageError(f"{run.label} lacks {names}: analyze the trace again")
    matched = match_call_sites(runs, {run.run_id: "" for run in runs})
    found = query_runs(runs, QUERIES, {}, matched=matched, threads=None, memory_limit="")
    tables = [pl.DataFrame(table) for table in found]
    return [
        replace(
            _times(run, *(table.filter(run_id=run.run_id) for table in tables)),
            are_sites_joined=bool(matched.joined),
        )
        for run in runs
    ]


def _times(
    run: Run,
    times: pl.DataFrame,
    regions: pl.DataFrame,
    losses: pl.DataFrame,
    threads: pl.DataFrame,
) -> RunTimes:
    if threads.is_empty():
        raise UsageError(f"{run.label} has no threads: nothing to compare")
    return RunTimes(
        run=run,
        main_ns=mean_time(threads),
        is_whole=bool(threads["is_whole"][0]),
        thread_count=len(threads),
        process_count=threads["location_group_id"].n_unique(),
        times=times,
        regions=regions,
        moved=losses_by_class(losses),
        charged=_charged(run, losses),
        outside=outside_by_class(times, threads),
    )


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
