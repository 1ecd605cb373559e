"""Overheads T_o = T_p - T_s / p of a parallel run against a sequential one, and their causes.

Source: Truong and Fahringer 2001 (SCALEA); the split of computation follows from times alone.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tracemill.base.errors import UsageError
from tracemill.campaign.names import DEFAULT_PATTERNS, REPETITION, SIZE, read_name
from tracemill.comparison.overhead_times import COMPUTATION, RunTimes, read_times
from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.store.runs import Run

REPLICATED, ADDITIONAL = overhead_id("replicated code"), overhead_id("algorithm change")
UNIDENTIFIED = frozenset(
    {number for number, each in enumerate(TAXONOMY) if each.name == "unidentified"} | {COMPUTATION}
)
LEAST_MATCHED = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class Overheads:
    """Overheads of `par` against `seq`; times of the tables are per thread of `par` (ns)."""

    seq: RunTimes
    par: RunTimes
    tolerance: float

    @property
    def share(self) -> float:
        """Share of the sequential time that would fall to each thread: P_s / P."""
        return self.seq.thread_count / self.par.thread_count

    @property
    def total_ns(self) -> float:
        """T_o of the run."""
        return self.par.main_ns - self.seq.main_ns * self.share

    @cached_property
    def call_paths(self) -> pl.DataFrame:
        """Call paths of both runs with sums over threads (ns); `work_ns` is T_o times P."""
        return split(self.seq.times, self.par.times, tolerance=self.tolerance)

    @cached_property
    def classes(self) -> dict[int, float]:
        """Overhead by class; computation stands for what times cannot explain."""
        sums: Counter[int] = Counter()
        others = self.call_paths.filter(pl.col("overhead_id") != COMPUTATION)
        for overhead, work in others.select("overhead_id", "work_ns").iter_rows():
            sums[overhead] += work
        for name, overhead in (
            ("replicated_ns", REPLICATED),
            ("additional_ns", ADDITIONAL),
            ("unidentified_ns", COMPUTATION),
        ):
            sums[overhead] += int(self.call_paths[name].sum())
        for side, sign in ((self.par, 1), (self.seq, -1)):
            for part in (side.moved, side.outside):
                for overhead, time in part.items():
                    sums[overhead] += sign * time
        return {each: sums[each] / self.par.thread_count for each in sorted(sums) if sums[each]}

    @property
    def unidentified_ns(self) -> float:
        """T_u: overhead without an identified cause."""
        return sum(time for each, time in self.classes.items() if each in UNIDENTIFIED)

    @property
    def matched_share(self) -> float:
        """Share of the computing time of SEQ in call paths that PAR has, too."""
        computing = self.call_paths.filter(pl.col("seq_class") == COMPUTATION)
        total = int(computing["seq_ns"].sum())
        matched = int(computing.filter(pl.col("participant_count") > 0)["seq_ns"].sum())
        return matched / total if total else 1.0

    @cached_property
    def regions(self) -> pl.DataFrame:
        """Regions of both runs: inclusive times of processes (ns)."""
        seq = _by_region(self.seq).select("region", pl.col("mean").alias("seq_ns"))
        found = seq.join(_by_region(self.par), on="region", how="full", coalesce=True)
        found = found.with_columns(pl.col("seq_ns", "mean", "max").fill_null(0))
        expected = pl.col("seq_ns") * self.share
        charged = [self.par.charged.get(name, 0) for name in found["region"]]
        return found.select(
            "region",
            "seq_ns",
            par_mean_ns="mean",
            par_max_ns="max",
            overhead_mean_ns=pl.col("mean") - expected,
            overhead_max_ns=pl.col("max") - expected,
            charged_ns=pl.Series(charged, dtype=pl.Float64) / self.par.thread_count,
        ).sort(pl.col("overhead_max_ns").neg(), "region")


def _by_region(side: RunTimes) -> pl.DataFrame:
    """Mean over processes and longest time of a process; without visits it counts 0."""
    return side.regions.group_by("region").agg(
        mean=pl.col("time_ns").sum() / side.process_count,
        max=pl.col("time_ns").max().cast(pl.Float64),
    )


def split(seq: pl.DataFrame, par: pl.DataFrame, *, tolerance: float) -> pl.DataFrame:
    """Call paths of both runs; additional computation is split into its causes."""
    time, seq_ns = pl.col("time_ns"), pl.col("seq_ns")
    of_seq = seq.group_by("call_path_key").agg(
        seq_ns=time.sum(),
        seq_class=pl.col("overhead_id").first(),
        seq_path=pl.col("call_path").first(),
    )
    of_par = (
        par.join(of_seq.select("call_path_key", "seq_ns"), on="call_path_key", how="left")
        .group_by("call_path_key")
        .agg(
            par_ns=time.sum(),
            par_max_ns=time.max(),
            least_ns=time.min(),
            common_ns=pl.min_horizontal(time, seq_ns.fill_null(0)).sum(),
            participant_count=pl.len().cast(pl.Int64),
            possible_count=pl.col("possible_count").max(),
            overhead_id=pl.col("overhead_id").first(),
            call_path=pl.col("call_path").first(),
        )
    )
    found = of_par.join(of_seq, on="call_path_key", how="full", coalesce=True)
    found = found.with_columns(
        is_new=seq_ns.is_null(),
        overhead_id=pl.coalesce("overhead_id", "seq_class"),
        call_path=pl.coalesce("call_path", "seq_path"),
    )
    numbers = (
        "seq_ns", "par_ns", "par_max_ns", "least_ns", "common_ns", "participant_count",
        "possible_count",
    )  # fmt: skip
    found = found.with_columns(pl.col(numbers).fill_null(0))
    found = found.with_columns(work_ns=pl.col("par_ns") - seq_ns)
    return _split_work(found, tolerance).sort("call_path_key")


def _split_work(found: pl.DataFrame, tolerance: float) -> pl.DataFrame:
    """Columns of replicated, additional and unidentified computation, which sum to `work_ns`."""
    seq_ns, par_ns, work, count = (
        pl.col(name) for name in ("seq_ns", "par_ns", "work_ns", "participant_count")
    )
    is_computation = pl.col("overhead_id") == COMPUTATION
    is_replicated = (
        is_computation
        & ~pl.col("is_new")
        & (count > 1)
        & (count == pl.col("possible_count"))
        & (pl.col("least_ns") >= (1 - tolerance) * seq_ns)
    )
    replicated = pl.when(is_replicated).then(pl.col("common_ns") - seq_ns).otherwise(0)
    is_more = par_ns > (1 + tolerance) * seq_ns * count
    is_additional = pl.col("is_new") | ((is_replicated | (count == 1)) & is_more)
    rest = work - replicated
    additional = pl.when(is_computation & is_additional).then(rest).otherwise(0)
    unidentified = pl.when(is_computation & ~is_additional).then(rest).otherwise(0)
    return found.with_columns(
        replicated_ns=replicated, additional_ns=additional, unidentified_ns=unidentified
    )


def find_overheads(
    seq: Run, par: Run, *, tolerance: float, is_setup_included: bool = False, force: bool = False
) -> Overheads:
    """Compare two runs; raises UsageError if they are not a sequential and a parallel run."""
    found = Overheads(seq=read_times(seq), par=read_times(par), tolerance=tolerance)
    counts = found.seq.thread_count, found.par.thread_count
    if counts[0] > counts[1]:
        raise UsageError(
            f"SEQ {seq.label} has {counts[0]} threads, more than PAR {par.label} with {counts[1]}: "
            "exchange the runs"
        )
    for side in (found.seq, found.par):
        if is_setup_included and not side.is_whole:
            raise UsageError(
                f"{side.run.label} was analyzed without MPI setup: analyze the trace with "
                "--with-setup first"
            )
    if found.matched_share < LEAST_MATCHED and not force:
        raise UsageError(
            f"these are two programs: only {found.matched_share:.1%} of the computing time of "
            f"{seq.label} is in call paths that {par.label} has: name other runs, or give --force"
        )
    return found


def name_warnings(seq: Run, par: Run) -> Iterator[str]:
    """Differences of size or repetition in the names of two runs."""
    for pattern in DEFAULT_PATTERNS:
        named = [read_name(run.label, pattern) for run in (seq, par)]
        first, second = named
        if first is None or second is None:
            continue
        for each in (SIZE, REPETITION):
            one, other = first.parameters.get(each), second.parameters.get(each)
            if one != other:
                yield f"the names differ in {each}: {one} in {seq.label}, {other} in {par.label}"
        return
