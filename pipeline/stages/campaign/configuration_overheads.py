"""Overheads of every configuration against the one of its size with the fewest processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import polars as pl
import pyarrow as pa

from tracemill.schemas import Table
from tracemill.schemas.configuration_overheads import (
    CONFIGURATION_CALL_PATHS,
    CONFIGURATION_COMPARISONS,
    CONFIGURATION_OVERHEADS,
)
from tracemill.schemas.overheads import TAXONOMY
from tracemill.stages.arrays import Relation
from tracemill.stages.models.overhead_split import (
    LEAST_MATCHED,
    Spent,
    SplitOverheads,
    as_whole,
    losses_by_class,
    outside_by_class,
)
from tracemill.stages.stage import PythonStage

_TABLES = (CONFIGURATION_COMPARISONS, CONFIGURATION_OVERHEADS, CONFIGURATION_CALL_PATHS)
_SIZE = itemgetter("application", "size")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Timed(Spent):
    """Times of a run, and what others lose while its call paths compute (ns)."""

    losses: pl.DataFrame


@dataclass(frozen=True, kw_only=True)
class _Configuration:
    processes: int
    runs: Sequence[_Timed]


def compare_configurations(
    representative_runs: Relation,
    run_threads: Relation,
    run_thread_times: Relation,
    run_losses_by_class: Relation,
    *,
    overhead_tolerance: float = 0.2,
) -> tuple[pa.Table, ...]:
    """Compare the repetitions of each configuration with those of the base of its size.

    Overheads are split as by `tracemill overheads`; `overhead_tolerance` is its tolerance.
    """
    timed = representative_runs.join(
        run_threads.select("campaign_run_id").distinct(), "campaign_run_id"
    )
    runs = timed.order("application, size, processes, campaign_run_id").pl().to_dicts()
    parts: list[list[pl.DataFrame]] = [[] for _ in _TABLES]
    for (application, size), own in groupby(runs, key=_SIZE):
        found = list(_read(list(own), run_threads, run_thread_times, run_losses_by_class))
        for each in found[1:]:
            split = SplitOverheads(seq=found[0].runs, par=each.runs, tolerance=overhead_tolerance)
            if split.share >= 1 or split.matched_share < LEAST_MATCHED:
                continue
            place = {"application": application, "size": size, "processes": each.processes}
            rows = (_total(split, found[0].processes), _by_class(split), _by_call_path(split))
            for part, frame in zip(parts, rows, strict=True):
                part.append(frame.with_columns(**{k: pl.lit(v) for k, v in place.items()}))
    return tuple(map(_joined, _TABLES, parts))


def _joined(table: Table, parts: Sequence[pl.DataFrame]) -> pa.Table:
    if not parts:
        return table.empty()
    rows = pl.concat(parts, how="vertical_relaxed").sort(*table.key)
    return as_whole(rows, table.arrow_schema)


def _read(
    runs: Sequence[dict[str, int]], threads: Relation, times: Relation, losses: Relation
) -> Iterator[_Configuration]:
    """The configurations of a size, fewest processes first."""
    for processes, own in groupby(runs, key=itemgetter("processes")):
        numbers = [run["campaign_run_id"] for run in own]
        chosen = f"campaign_run_id IN ({', '.join(map(str, numbers))})"
        tables = [relation.filter(chosen).pl() for relation in (times, threads, losses)]
        timed = [
            _time(*(table.filter(campaign_run_id=number) for table in tables)) for number in numbers
        ]
        count = timed[0].thread_count
        yield _Configuration(
            processes=processes, runs=[each for each in timed if each.thread_count == count]
        )


def _time(times: pl.DataFrame, threads: pl.DataFrame, losses: pl.DataFrame) -> _Timed:
    return _Timed(
        main_ns=int(threads["main_ns"][0]),
        thread_count=len(threads),
        times=times.with_columns(call_path=pl.lit("")),  # call paths have keys here
        moved=losses_by_class(losses),
        outside=outside_by_class(times, threads),
        losses=losses,
    )


def _total(split: SplitOverheads, base_processes: int) -> pl.DataFrame:
    seq, par = split.seq, split.par
    row = {
        "base_processes": base_processes,
        "thread_count": split.thread_count,
        "base_thread_count": seq[0].thread_count,
        "run_count": len(par),
        "base_run_count": len(seq),
        "time_ns": sum(run.main_ns for run in par) / len(par),
        "base_ns": sum(run.main_ns for run in seq) / len(seq),
        "overhead_ns": split.total_ns,
        "unidentified_ns": split.unidentified_ns,
        "noise_ns": split.noise.get(None),
        "matched_share": split.matched_share,
    }
    return pl.DataFrame([row], schema_overrides={"noise_ns": pl.Float64})


def _by_class(split: SplitOverheads) -> pl.DataFrame:
    found = split.by_class
    classes = [TAXONOMY[number] for number in found["overhead_id"]]
    return found.with_columns(
        overhead_class=pl.Series([each.name for each in classes], dtype=pl.String),
        overhead_subclass=pl.Series([each.part for each in classes], dtype=pl.String),
    )


def _by_call_path(split: SplitOverheads) -> pl.DataFrame:
    scale = len(split.par) * split.thread_count
    losses = pl.concat(run.losses for run in split.par if isinstance(run, _Timed))
    charged = (
        losses.filter(pl.col("moved_to_overhead_id") != pl.col("overhead_id"))
        .group_by("call_path_key")
        .agg(charged_ns=pl.col("lost_ns").sum() / scale)
    )
    found = split.per_thread.join(charged, on="call_path_key", how="left")
    return found.with_columns(pl.col("charged_ns").fill_null(0.0))


CONFIGURATION_OVERHEADS_STAGE = PythonStage(
    name="configuration_overheads", outputs=_TABLES, compute=compare_configurations
)
