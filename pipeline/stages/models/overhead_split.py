"""Overheads T_o = T_p - T_s / p of parallel runs against sequential ones, and their causes.

Source: Truong and Fahringer 2001 (SCALEA); the split of computation follows from times, and from
instructions where both sides counted them.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.stages.models.welch import noise_of

COMPUTATION = overhead_id("user code")
REPLICATED, ADDITIONAL = overhead_id("replicated code"), overhead_id("algorithm change")
UNIDENTIFIED = frozenset(
    {number for number, each in enumerate(TAXONOMY) if each.name == "unidentified"} | {COMPUTATION}
)
LEAST_MATCHED = 0.5
"""Share of the computing time of SEQ in common, below which these are two programs."""
WORK = "work_ns"
_SPLIT = ("replicated_ns", "additional_ns", "unidentified_ns")
_SLOWER = ("lower_ipc_ns", "lower_frequency_ns")
_PARTS = (*_SPLIT, *_SLOWER)
_SUMS = ("seq_ns", "par_ns", "par_max_ns", WORK, *_SPLIT)
_COUNTED = ("instructions", "cycles")
Key = Any
"""Key of a figure; see `Pair.figures`."""
Figures = Mapping[Key, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class Spent:
    """Times (ns) of the main part or focus of a run, or means of several runs.

    `times` has a row per call path and visiting thread, with `instructions` and `cycles`, which are
    null if not counted. `moved`: what lost parallelism moves from class to class. `outside`: time
    outside of visits by class.
    """

    main_ns: float
    thread_count: int
    times: pl.DataFrame
    moved: Mapping[int, float]
    outside: Mapping[int, float]


def mean_of(runs: Sequence[Spent]) -> Spent:
    """The mean of repetitions; its `times` have the rows of all runs, whose sums are means."""
    if len(runs) == 1:
        return runs[0]
    count = len(runs)
    times = pl.concat(run.times for run in runs)
    return Spent(
        main_ns=sum(run.main_ns for run in runs) / count,
        thread_count=runs[0].thread_count,
        times=times.with_columns(pl.col("time_ns", *_COUNTED) / count),
        moved=_mean([run.moved for run in runs]),
        outside=_mean([run.outside for run in runs]),
    )


def losses_by_class(losses: pl.DataFrame) -> Counter[int]:
    """Time (ns) that lost parallelism adds to each class, negative where it comes from."""
    moved: Counter[int] = Counter()
    for overhead, target, lost in losses.select(
        "overhead_id", "moved_to_overhead_id", "lost_ns"
    ).iter_rows():
        moved[overhead] -= lost
        moved[target] += lost
    return moved


def mean_time(threads: pl.DataFrame) -> float:
    """Time of the run, of rows of compared_threads: the mean over threads."""
    whole, rest = divmod(int(threads["main_ns"].sum()), len(threads))
    return whole + rest / len(threads) if rest else whole


def outside_by_class(times: pl.DataFrame, threads: pl.DataFrame) -> Counter[int]:
    """Time outside of visits, of rows of compared_times and compared_threads."""
    visited = dict(times.group_by("location_id").agg(pl.col("time_ns").sum()).iter_rows())
    outside: Counter[int] = Counter()
    for location, overhead, main in threads.select(
        "location_id", "overhead_id", "main_ns"
    ).iter_rows():
        outside[overhead] += main - visited.get(location, 0)
    return outside


def _mean(values: Sequence[Mapping[int, float]]) -> dict[int, float]:
    keys = sorted({key for each in values for key in each})
    return {key: sum(each.get(key, 0) for each in values) / len(values) for key in keys}


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """One parallel run against a sequential one, or against the mean of several."""

    seq: Spent
    par: Spent
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
        """Overhead by class per thread; computation stands for what cannot be explained."""
        sums: dict[int, float] = defaultdict(float)
        others = self.call_paths.filter(pl.col("overhead_id") != COMPUTATION)
        for overhead, work in others.select("overhead_id", WORK).iter_rows():
            sums[overhead] += work
        for name, overhead in zip(_SPLIT, (REPLICATED, ADDITIONAL, COMPUTATION), strict=True):
            sums[overhead] += _sum(self.call_paths[name])
        for side, sign in ((self.par, 1), (self.seq, -1)):
            for part in (side.moved, side.outside):
                for overhead, time in part.items():
                    sums[overhead] += sign * time
        return {each: sums[each] / self.par.thread_count for each in sorted(sums) if sums[each]}

    @property
    def figures(self) -> dict[Key, float]:
        """All overheads per thread: of the run (None), of classes, and of call paths by key."""
        count = self.par.thread_count
        paths = self.call_paths.select("call_path_key", WORK).iter_rows()
        of_paths = {("call path", key): work / count for key, work in paths}
        found: dict[Key, float] = {None: self.total_ns}
        found.update(self.classes)
        found.update(of_paths)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitOverheads:
    """Overheads of repetitions: the mean over the runs of `par`, each against the mean of `seq`.

    All runs of a side have the same number of threads.
    """

    seq: Sequence[Spent]
    par: Sequence[Spent]
    tolerance: float

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every parallel run against the mean of the sequential ones."""
        seq = mean_of(self.seq)
        return tuple(Pair(seq=seq, par=each, tolerance=self.tolerance) for each in self.par)

    @property
    def thread_count(self) -> int:
        """Number of threads of PAR."""
        return self.par[0].thread_count

    @property
    def share(self) -> float:
        """Share of the sequential time that would fall to each thread: P_s / P."""
        return self.pairs[0].share

    @property
    def total_ns(self) -> float:
        """T_o of the run."""
        return sum(pair.total_ns for pair in self.pairs) / len(self.pairs)

    @cached_property
    def call_paths(self) -> pl.DataFrame:
        """Call paths of both sides with sums over threads (ns); `work_ns` is T_o times P."""
        if len(self.pairs) == 1:
            return self.pairs[0].call_paths
        count = len(self.pairs)
        rows = pl.concat((pair.call_paths for pair in self.pairs), how="vertical_relaxed")
        first = ("overhead_id", "call_path", "seq_class")
        return (
            rows.group_by("call_path_key")
            .agg(
                *(pl.col(name).sum() / count for name in _SUMS),
                *(_complete(name) / count for name in _SLOWER),
                *(pl.col(name).drop_nulls().first() for name in first),
                pl.col("participant_count").max(),
            )
            .sort("call_path_key")
        )

    @cached_property
    def classes(self) -> dict[int, float]:
        """Overhead by class per thread; computation stands for what cannot be explained."""
        return _mean([pair.classes for pair in self.pairs])

    @property
    def per_thread(self) -> pl.DataFrame:
        """Call paths with times per thread of PAR and their noise (ns), largest overhead first."""
        names = {name: name for name in _PARTS} | {"par_mean_ns": "par_ns", "overhead_ns": WORK}
        noise = [self.noise.get(("call path", key)) for key in self.call_paths["call_path_key"]]
        found = with_noise(self.call_paths, noise).with_columns(
            **{name: pl.col(of) / self.thread_count for name, of in names.items()}
        )
        return found.sort(pl.col(WORK).abs().neg(), "call_path_key")

    @property
    def by_class(self) -> pl.DataFrame:
        """Classes of overhead per thread, and their noise (ns)."""
        rows = {"overhead_id": list(self.classes), "time_ns": list(self.classes.values())}
        frame = pl.DataFrame(rows, schema={"overhead_id": pl.Int32, "time_ns": pl.Float64})
        return with_noise(frame, [*map(self.noise.get, self.classes)])

    @property
    def unidentified_ns(self) -> float:
        """T_u: overhead without an identified cause."""
        return sum(time for each, time in self.classes.items() if each in UNIDENTIFIED)

    @property
    def matched_share(self) -> float:
        """Share of the computing time of SEQ in call paths that PAR has, too."""
        computing = self.call_paths.filter(pl.col("seq_class") == COMPUTATION)
        total = _sum(computing["seq_ns"])
        matched = _sum(computing.filter(pl.col("participant_count") > 0)["seq_ns"])
        return matched / total if total else 1.0

    @cached_property
    def noise(self) -> dict[Key, float]:
        """How far overheads may differ by chance (ns), by key of `Pair.figures`; see noise_of.

        Empty with one run on each side.
        """
        if len(self.seq) < 2 and len(self.par) < 2:
            return {}
        par = self.par[0]
        pairs = [Pair(seq=each, par=par, tolerance=self.tolerance) for each in self.seq]
        return welch_noise([each.figures for each in pairs], [each.figures for each in self.pairs])


def welch_noise(seq: Sequence[Figures], par: Sequence[Figures]) -> dict[Key, float]:
    """Noise of the difference of two means, by key; a figure that a run lacks is 0."""
    keys = list(dict.fromkeys(key for each in (*par, *seq) for key in each))
    variances = [
        np.array([[each.get(key, 0.0) for key in keys] for each in side], np.float64).var(
            axis=0, ddof=len(side) > 1
        )
        for side in (seq, par)
    ]
    noise = noise_of(*variances, base_count=len(seq), other_count=len(par))
    return dict(zip(keys, noise.tolist(), strict=True))


def with_noise(rows: pl.DataFrame, noise: Sequence[float | None]) -> pl.DataFrame:
    """The rows with a column `noise_ns`."""
    return rows.with_columns(noise_ns=pl.Series(noise, dtype=pl.Float64))


def as_whole(rows: pl.DataFrame, schema: pa.Schema) -> pa.Table:
    """The columns of a declared table, with whole nanoseconds."""
    whole = rows.select(
        pl.col(name).round().cast(pl.Int64) if name.endswith("_ns") else pl.col(name)
        for name in schema.names
    )
    return whole.to_arrow().cast(schema)


def _sum(column: pl.Series) -> float:
    total: float = column.sum()  # type: ignore[assignment]
    return total


def _complete(name: str) -> pl.Expr:
    """The sum of a group; null if a value is."""
    column = pl.col(name)
    return pl.when(~column.is_null().any()).then(column.sum())


def split(seq: pl.DataFrame, par: pl.DataFrame, *, tolerance: float) -> pl.DataFrame:
    """Call paths of both runs; additional computation is split into its causes."""
    time, seq_ns = pl.col("time_ns"), pl.col("seq_ns")
    of_seq = seq.group_by("call_path_key").agg(
        seq_ns=time.sum(),
        seq_class=pl.col("overhead_id").first(),
        seq_path=pl.col("call_path").first(),
        **{f"seq_{name}": _complete(name) for name in _COUNTED},
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
            **{f"par_{name}": _complete(name) for name in _COUNTED},
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
    return _split_unidentified(_split_work(found, tolerance)).sort("call_path_key")


def _split_work(found: pl.DataFrame, tolerance: float) -> pl.DataFrame:
    """Columns of replicated, additional and unidentified computation, which sum to `work_ns`.

    Instructions beyond those of SEQ are additional work, at the rate of PAR; replicated
    computation is a part of it. Without them, only some additional work can be recognized.
    """
    seq_ns, par_ns, work, count = (
        pl.col(name) for name in ("seq_ns", "par_ns", WORK, "participant_count")
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
    by_time = pl.when(is_additional).then(work - replicated).otherwise(0)
    more = 1 - pl.col("seq_instructions") / pl.col("par_instructions")
    by_instructions = pl.when(pl.col("par_instructions") > 0).then(more * par_ns - replicated)
    additional = pl.when(is_computation).then(pl.coalesce(by_instructions, by_time)).otherwise(0)
    rest = pl.when(is_computation).then(work - replicated - additional).otherwise(0)
    return found.with_columns(
        replicated_ns=replicated, additional_ns=additional, unidentified_ns=rest
    )


def _split_unidentified(found: pl.DataFrame) -> pl.DataFrame:
    """Columns of slower computation by fewer instructions per cycle and by lower frequency.

    They sum to the unidentified time where both runs counted instructions and cycles, else they
    are null. Instructions of SEQ take the cycles per instruction of PAR, then its time per cycle.
    """
    instructions = pl.col("seq_instructions")
    seq_cycles, par_cycles = pl.col("seq_cycles"), pl.col("par_cycles")
    at_rate_of_par = instructions * par_cycles / pl.col("par_instructions")
    seq_time, par_time = pl.col("seq_ns") / seq_cycles, pl.col("par_ns") / par_cycles
    is_known = (
        (pl.col("overhead_id") == COMPUTATION)
        & (pl.col("par_instructions") > 0)
        & (seq_cycles > 0)
        & (par_cycles > 0)
    )
    return found.with_columns(
        lower_ipc_ns=pl.when(is_known).then((at_rate_of_par - seq_cycles) * seq_time),
        lower_frequency_ns=pl.when(is_known).then(at_rate_of_par * (par_time - seq_time)),
    )
