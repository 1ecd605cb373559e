"""Overheads T_o = T_p - T_s / p of parallel runs against sequential ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tracemill.base.errors import UsageError
from tracemill.base.text import join_words
from tracemill.campaign.names import DEFAULT_PATTERNS, REPETITION, SIZE, read_name
from tracemill.comparison.choosing import check_repetitions
from tracemill.comparison.overhead_times import RunTimes, read_times
from tracemill.stages.models.overhead_split import LEAST_MATCHED, Key, SplitOverheads, welch_noise
from tracemill.store.runs import Run


@dataclass(frozen=True, kw_only=True, eq=False)
class Overheads(SplitOverheads):
    """Overheads of `par` against `seq`; times of the tables are per thread of `par` (ns)."""

    seq: Sequence[RunTimes]
    par: Sequence[RunTimes]

    @cached_property
    def regions(self) -> pl.DataFrame:
        """Regions of both sides: inclusive times of processes (ns)."""
        seq = _by_region(self.seq).select("region", pl.col("mean").alias("seq_ns"))
        found = seq.join(_by_region(self.par), on="region", how="full", coalesce=True)
        found = found.with_columns(pl.col("seq_ns", "mean", "max").fill_null(0))
        expected = pl.col("seq_ns") * self.share
        charged = [
            sum(run.charged.get(name, 0) for run in self.par) / len(self.par)
            for name in found["region"]
        ]
        return found.select(
            "region",
            "seq_ns",
            par_mean_ns="mean",
            par_max_ns="max",
            overhead_mean_ns=pl.col("mean") - expected,
            overhead_max_ns=pl.col("max") - expected,
            charged_ns=pl.Series(charged, dtype=pl.Float64) / self.thread_count,
        ).sort(pl.col("overhead_max_ns").neg(), "region")

    @cached_property
    def region_noise(self) -> dict[Key, float]:
        """How far the mean overheads of regions may differ by chance (ns); see `noise`."""
        if not self.noise:
            return {}
        seq, par = ([_means(run) for run in side] for side in (self.seq, self.par))
        shared = [{name: time * self.share for name, time in each.items()} for each in seq]
        return welch_noise(shared, par)


def _means(run: RunTimes) -> dict[Key, float]:
    return dict(_by_region([run]).select("region", "mean").iter_rows())


def _by_region(side: Sequence[RunTimes]) -> pl.DataFrame:
    """Mean over processes and longest time of a process, both as means over runs.

    A process without visits counts 0.
    """
    parts = (
        run.regions.group_by("region").agg(
            mean=pl.col("time_ns").sum() / run.process_count / len(side),
            max=pl.col("time_ns").max() / len(side),
        )
        for run in side
    )
    return pl.concat(parts).group_by("region").agg(pl.col("mean", "max").sum())


def find_overheads(
    seq: Sequence[Run],
    par: Sequence[Run],
    *,
    tolerance: float,
    is_setup_included: bool = False,
    force: bool = False,
) -> Overheads:
    """Compare runs; raises UsageError if they are not sequential and parallel ones.

    The runs of a side are repetitions.
    """
    check_repetitions(seq, par)
    runs = {run.run_id: run for run in (*seq, *par)}
    times = dict(zip(runs, read_times([*runs.values()]), strict=True))
    sides = [[times[run.run_id] for run in side] for side in (seq, par)]
    counts = [_thread_count(side) for side in sides]
    found = Overheads(seq=sides[0], par=sides[1], tolerance=tolerance)
    labels = [label_of(side) for side in sides]
    if counts[0] > counts[1]:
        raise UsageError(
            f"SEQ {labels[0]} has {counts[0]} threads, more than PAR {labels[1]} with {counts[1]}: "
            "exchange the runs"
        )
    for run in (*found.seq, *found.par):
        if is_setup_included and not run.is_whole:
            raise UsageError(
                f"{run.run.label} was analyzed without MPI setup: analyze the trace with "
                "--with-setup first"
            )
    if found.matched_share < LEAST_MATCHED and not force:
        raise UsageError(
            f"these are two programs: only {found.matched_share:.1%} of the computing time of "
            f"{labels[0]} is in call paths that {labels[1]} has: name other runs, or give --force"
        )
    return found


def label_of(side: Sequence[RunTimes]) -> str:
    """Labels of the runs of a side, each once."""
    return ", ".join(dict.fromkeys(each.run.label for each in side))


def _thread_count(side: Sequence[RunTimes]) -> int:
    """The number of threads of all runs of a side."""
    counts = {each.thread_count: each.run.label for each in side}
    if len(counts) > 1:
        listed = join_words([f"{label} has {count}" for count, label in counts.items()])
        raise UsageError(
            f"repetitions must have equal numbers of threads: {listed}: name other runs"
        )
    return side[0].thread_count


def name_warnings(seq: Sequence[Run], par: Sequence[Run]) -> Iterator[str]:
    """Differences of size, and of the repetition of single runs, in the names of two sides."""
    compared = (SIZE, REPETITION) if len(seq) == len(par) == 1 else (SIZE,)
    for pattern in DEFAULT_PATTERNS:
        named = [[read_name(run.label, pattern) for run in side] for side in (seq, par)]
        if any(each is None for side in named for each in side):
            continue
        for parameter in compared:
            values = [
                list(dict.fromkeys(each.parameters.get(parameter) for each in side if each))
                for side in named
            ]
            if sorted(map(str, values[0])) != sorted(map(str, values[1])):
                one, other = (join_words([*map(str, each)]) for each in values)
                yield (
                    f"the names differ in {parameter}: {one} in {seq[0].label}, {other} in "
                    f"{par[0].label}"
                )
        return
