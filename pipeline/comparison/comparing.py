"""Compares the runs of two sides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, TypeVar

import duckdb
import polars as pl

from tracemill.base.errors import StoreError, UsageError
from tracemill.campaign.gathering import SIZES, RunSize, lacks, open_runs, query_rows, sizes_in
from tracemill.campaign.site_matching import match_call_sites
from tracemill.comparison.causes import CRITICAL_PATH, TIME, Explained, find_causes, without_setup
from tracemill.comparison.changes import (
    CallPathChange,
    Cause,
    Change,
    EfficiencyChange,
    MetricChange,
    RankChange,
)
from tracemill.comparison.choosing import check_repetitions
from tracemill.comparison.efficiencies import read_efficiencies
from tracemill.comparison.noise import run_time_change
from tracemill.comparison.subtrees import Subtree, holding_subtree
from tracemill.engine.focusing.run import FocusedRun
from tracemill.reports.build import build_summary
from tracemill.reports.document import Document
from tracemill.reports.explanation import all_metrics
from tracemill.reports.tables import strip_header
from tracemill.schemas.definitions import PROFILE
from tracemill.schemas.history import RUN_TIME
from tracemill.sql.metric_texts import Metric
from tracemill.sql.query_files import Value, load_query
from tracemill.stages.models.welch import noise_of
from tracemill.store.completeness import is_complete
from tracemill.store.runs import Run

QUERY = "changes"
QUERIES = (SIZES, QUERY)
# Number of call paths of each metric, and of causes, with values by process.
PLACES_OF_METRIC = 3
PLACES_OF_CAUSES = 10
# Number of call paths of each metric that are listed.
CALL_PATHS_OF_METRIC = 20

Row = Mapping[str, Any]
Values = dict[str, Value]
AnyChange = TypeVar("AnyChange", bound=Change)


@dataclass(frozen=True, kw_only=True)
class Side:
    """Runs that are repetitions of each other; `incomplete` are ids of runs that lost data."""

    runs: tuple[Run, ...]
    sizes: tuple[RunSize, ...]
    incomplete: tuple[str, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        return tuple(run.run_id for run in self.runs)

    @property
    def label(self) -> str:
        """Labels of the runs, each once."""
        return ", ".join(dict.fromkeys(run.label for run in self.runs))

    @property
    def processes(self) -> tuple[int, ...]:
        """The distinct numbers of processes, smallest first."""
        return tuple(sorted({size.processes for size in self.sizes}))

    @property
    def threads(self) -> tuple[int, ...]:
        """The distinct numbers of threads per process, smallest first."""
        return tuple(sorted({size.threads for size in self.sizes}))

    @property
    def is_setup_excluded(self) -> bool:
        """Whether the run times leave out MPI setup."""
        return any(size.run_time_ns != size.whole_time_ns for size in self.sizes)


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """The changes from the runs of `base` to those of `other`.

    `rows` has every metric, in total and by call path; `ranked` has values by process for some call
    paths. `sql` are the two statements, for all runs of the store; none for parts of runs.
    `are_sites_joined` if some runs lack call sites.
    """

    base: Side
    other: Side
    rows: pl.DataFrame
    ranked: pl.DataFrame
    sql: tuple[str, ...]
    are_sites_joined: bool = False
    efficiencies: tuple[EfficiencyChange, ...] = ()

    @cached_property
    def run_time(self) -> MetricChange:
        """Elapsed time of the main part of the runs."""
        base_ns, other_ns = (
            [size.run_time_ns for size in side.sizes] for side in (self.base, self.other)
        )
        return run_time_change(base_ns, other_ns)

    @property
    def is_resized(self) -> bool:
        """Whether the numbers of processes differ."""
        return len({*self.base.processes, *self.other.processes}) > 1

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The summary of each run, by run id; not after the focus of a run has ended."""
        built = {
            run.run_id: build_summary(run).document for run in (*self.base.runs, *self.other.runs)
        }
        return {run_id: document for run_id, document in built.items() if document}

    @cached_property
    def metrics(self) -> tuple[MetricChange, ...]:
        """Every metric that occurs on a side, in the order of the list of metrics."""
        whole = self.rows.filter(pl.col("call_path_key").is_null())
        totals = {row["metric"]: row for row in whole.iter_rows(named=True)}
        return tuple(
            _change(MetricChange, totals[metric.name], parent_metric=metric.parent)
            for metric in all_metrics()
            if metric.name in totals
        )

    @cached_property
    def call_paths(self) -> tuple[CallPathChange, ...]:
        """The call paths in which each metric changed most."""
        return tuple(
            change
            for metric in self.metrics
            for change in self.call_paths_of(metric.metric, CALL_PATHS_OF_METRIC)
        )

    @cached_property
    def ranks(self) -> tuple[RankChange, ...]:
        """The largest changes by process, metric by metric."""
        return tuple(_change(RankChange, row) for row in self.ranked.iter_rows(named=True))

    def call_paths_of(self, metric: str, limit: int) -> tuple[CallPathChange, ...]:
        """The call paths in which a metric changed most, largest change first."""
        is_own = (pl.col("metric") == metric) & pl.col("call_path_key").is_not_null()
        changed = self.rows.filter(is_own & (pl.col("change_value") != 0)).head(limit)
        return tuple(_change(CallPathChange, row) for row in changed.iter_rows(named=True))

    def in_call_path(self, metric: str, call_path: str) -> tuple[CallPathChange, ...]:
        """A metric in all call paths with a name."""
        found = self.rows.filter((pl.col("metric") == metric) & (pl.col("call_path") == call_path))
        return tuple(_change(CallPathChange, row) for row in found.iter_rows(named=True))

    def of_metric(self, metric: str) -> MetricChange:
        """A metric in total, or the run time. Raises KeyError for an unknown metric."""
        if metric == RUN_TIME:
            return self.run_time
        found = next((each for each in self.metrics if each.metric == metric), None)
        return found or self.nothing_of(metric)

    def nothing_of(self, metric: str) -> MetricChange:
        """The change of a metric that occurs on no side."""
        declared = _metrics()[metric]
        return MetricChange(
            metric=metric,
            title=declared.title,
            unit=declared.unit,
            base_value=0.0,
            other_value=0.0,
            noise_value=0.0 if max(len(self.base.runs), len(self.other.runs)) > 1 else None,
            parent_metric=declared.parent,
        )

    def causes(self, metric: str | None = None, limit: int = 3) -> tuple[Cause, ...]:
        """The main causes of the change of a metric, or of the run time, worst first."""
        if metric not in (None, RUN_TIME, *_metrics()):
            return ()
        change = self.of_metric(metric or RUN_TIME).change_value
        direction = float((change > 0) - (change < 0))
        return self._causes(metric or RUN_TIME, direction, limit) if direction else ()

    @cached_property
    def holding_subtree(self) -> Subtree | None:
        """The deepest call path with most of the critical path's change; see holding_subtree."""
        return holding_subtree(self.rows, CRITICAL_PATH)

    @cached_property
    def in_run_time(self) -> frozenset[tuple[str, int | None]]:
        """Metrics and keys of call paths that the run times include."""
        rows = self._rows_of(RUN_TIME).select("metric", "call_path_key").iter_rows()
        return frozenset((metric, key) for metric, key in rows)

    def decisive_causes(self, limit: int) -> tuple[Cause, ...]:
        """Call paths where the critical path became longer or shorter, largest change first."""
        both = [each for up in (1.0, -1.0) for each in self._causes(RUN_TIME, up, limit)]
        found = [each for each in both if each.is_decisive]
        return tuple(sorted(found, key=lambda each: -abs(each.critical_path_ns))[:limit])

    def parts_of_time(self, limit: int) -> tuple[Cause, ...]:
        """The largest changes of time, up or down, each with the deepest explaining metric.

        They are at most `limit` in each direction of what the run time includes, and of all.
        """
        found = {
            (each.metric, each.call_path_key): each
            for rows in (self._rows_of(RUN_TIME), self.rows)
            for up in (1.0, -1.0)
            for each in self._explain(rows, TIME, up, limit)
        }
        return tuple(sorted(found.values(), key=lambda each: -abs(each.change_value)))

    def _causes(self, metric: str, direction: float, limit: int) -> tuple[Cause, ...]:
        return self._explain(self._rows_of(metric), metric, direction, limit)

    def _explain(
        self, rows: pl.DataFrame, metric: str, direction: float, limit: int
    ) -> tuple[Cause, ...]:
        processes = _common_processes(self.base, self.other)
        found = find_causes(rows, metric, direction, limit, processes=processes)
        return tuple(self._cause(each, direction) for each in found)

    def _rows_of(self, metric: str) -> pl.DataFrame:
        """The rows; those of the run time are without setup if both sides leave it out."""
        is_excluded = self.base.is_setup_excluded and self.other.is_setup_excluded
        return without_setup(self.rows) if metric == RUN_TIME and is_excluded else self.rows

    def _cause(self, found: Explained, direction: float) -> Cause:
        row = found.row
        own = self.ranked.filter(
            (pl.col("metric") == row["metric"]) & (pl.col("call_path_key") == row["call_path_key"])
        )
        amount = pl.col("change_value") * direction
        worst = own.filter(amount > 0).sort(-amount, "rank").head(1).to_dicts()
        return _change(
            Cause,
            row,
            critical_path_ns=found.critical_path_ns,
            critical_path_noise_ns=found.path["noise_value"] if found.path else None,
            is_waiting=found.is_waiting,
            is_decisive=found.is_decisive,
            rank=worst[0]["rank"] if worst else None,
            rank_change_value=worst[0]["change_value"] if worst else 0.0,
        )


def compare_runs(
    base: Sequence[Run], other: Sequence[Run], *, threads: int | None = None, memory_limit: str = ""
) -> Comparison:
    """The changes from `base` to `other`; runs of a side are repetitions of each other.

    Raises UsageError if a side is empty or has a run twice, or if only some runs have the detail
    profile, StoreError if a run lacks tables, and QueryError.
    """
    runs = {run.run_id: run for run in (*base, *other)}
    _check(base, other)
    matched = match_call_sites([*runs.values()], dict.fromkeys(runs, ""))
    with open_runs(
        [*runs.values()], QUERIES, matched=matched, threads=threads, memory_limit=memory_limit
    ) as tables:
        sizes = sizes_in(tables)
        before, after = (_side(each, sizes) for each in (base, other))
        rows, ranked, values = _read_changes(tables, before, after)
    efficiencies = read_efficiencies(runs.values(), threads=threads, memory_limit=memory_limit)
    are_whole = not any(isinstance(run, FocusedRun) for run in runs.values())
    return Comparison(
        base=before,
        other=after,
        rows=rows,
        ranked=ranked,
        sql=tuple(map(_with_values, values)) if are_whole else (),
        are_sites_joined=bool(matched.joined),
        efficiencies=efficiencies.change(before.run_ids, after.run_ids),
    )


def _read_changes(
    tables: duckdb.DuckDBPyConnection, base: Side, other: Side
) -> tuple[pl.DataFrame, pl.DataFrame, tuple[Values, Values]]:
    """Changes in total and by call path, those by process, and the values of both queries."""
    values: Values = {"base_runs": ",".join(base.run_ids), "other_runs": ",".join(other.run_ids)}

    def changes(given: Values) -> pl.DataFrame:
        return _with_noise(query_rows(tables, QUERY, given), len(base.runs), len(other.runs))

    rows = changes(values)
    places = ",".join(_places(rows, _common_processes(base, other)))
    placed = values | {"places": places}
    return rows, changes(placed) if places else rows.clear(), (values, placed)


def _side(runs: Sequence[Run], sizes: Mapping[str, RunSize]) -> Side:
    return Side(
        runs=tuple(runs),
        sizes=tuple(sizes[run.run_id] for run in runs),
        incomplete=tuple(run.run_id for run in runs if is_incomplete(run)),
    )


def is_incomplete(run: Run) -> bool:
    """True if the trace of the run could not be read completely."""
    try:
        return not is_complete(run)
    except StoreError:
        return False  # unknown for runs of an earlier version


def _check(base: Sequence[Run], other: Sequence[Run]) -> None:
    check_repetitions(base, other)
    _check_details((*base, *other))
    for run in (*base, *other):
        missing = lacks(run, QUERIES)
        if missing:
            raise StoreError(
                f"{run.run_id} ({run.label}): the store lacks {', '.join(missing)}: analyze the "
                "trace again"
            )


def _check_details(runs: Sequence[Run]) -> None:
    """Raise UsageError if some runs, but not all, have only the call tree."""
    coarse = next((run for run in runs if run.detail == PROFILE), None)
    fine = next((run for run in runs if run.detail != PROFILE), None)
    if coarse and fine:
        raise UsageError(
            f"{coarse.label} has the detail {coarse.detail}, {fine.label} {fine.detail}: their run "
            "times, waiting and overheads cannot be compared: analyze both with the same --detail"
        )


def _with_noise(found: Any, base_count: int, other_count: int) -> pl.DataFrame:
    """Rows of the query with their noise in place of the variances."""
    rows = pl.from_arrow(found)
    assert isinstance(rows, pl.DataFrame)
    noise = noise_of(
        rows["base_variance"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        rows["other_variance"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        base_count=base_count,
        other_count=other_count,
    )
    named = pl.Series("noise_value", noise).fill_nan(None)
    return rows.drop("base_variance", "other_variance").with_columns(named)


def _common_processes(base: Side, other: Side) -> int | None:
    """The number of processes; None if the numbers differ."""
    numbers = {*base.processes, *other.processes}
    return numbers.pop() if len(numbers) == 1 else None


def _places(rows: pl.DataFrame, processes: int | None) -> Iterator[str]:
    """Metrics and call paths with values by process: causes and the largest changes."""
    changed = rows.filter(pl.col("call_path_key").is_not_null() & (pl.col("change_value") != 0))
    largest = changed.group_by("metric", maintain_order=True).head(PLACES_OF_METRIC)
    wanted = [(row["metric"], row["call_path_key"]) for row in largest.iter_rows(named=True)]
    for direction in (1.0, -1.0):
        for chosen in (rows, without_setup(rows)):
            for metric in (RUN_TIME, TIME):
                causes = find_causes(
                    chosen, metric, direction, PLACES_OF_CAUSES, processes=processes
                )
                wanted += [(each.row["metric"], each.row["call_path_key"]) for each in causes]
    yield from sorted({f"{metric} {key}" for metric, key in wanted})
    yield from (f"{metric} all" for metric in sorted({metric for metric, _ in wanted}))


def _with_values(values: Values) -> str:
    """The query with its values instead of parameters, ready to run."""
    query = load_query(QUERY)
    text = strip_header(query.statement)
    for name, value in query.bind(values).items():
        written = f"'{value}'" if isinstance(value, str) else str(value).upper()
        text = text.replace(f"${name}::", f"{written}::")
    return text


@cache
def _metrics() -> Mapping[str, Metric]:
    return {metric.name: metric for metric in all_metrics()}


def _change(kind: type[AnyChange], row: Row, **more: Any) -> AnyChange:
    """The change that a row describes; its columns have the names of the fields."""
    metric = _metrics()[row["metric"]]
    values = {each.name: row[each.name] for each in fields(kind) if each.name in row}
    if "call_path" in values:
        values["call_path"] = values["call_path"] or ""
    return kind(title=metric.title, unit=metric.unit, **values | more)
