"""Ranking of call sites, and of causes, by the rank correlation of their shares with processes."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tracemill.schemas import Table
from tracemill.schemas.call_sites import CALL_SITE_RANKING
from tracemill.schemas.causes import CAUSE_RANKING
from tracemill.stages.arrays import Numbers, Relation, read_columns
from tracemill.stages.campaign.compared import (
    Columns,
    correlation_columns,
    join_blocks,
    population_columns,
)
from tracemill.stages.campaign.populations import Population, populations_with
from tracemill.stages.campaign.series import Series, make_series
from tracemill.stages.models.rank_bootstrap import bootstrap_intervals
from tracemill.stages.models.rank_correlation import spearman
from tracemill.stages.models.ranks import Floats
from tracemill.stages.stage import PythonStage

_ORDER = [
    ("spearman", "descending"),
    ("largest_share", "descending"),
    ("call_path", "ascending"),
    ("call_path_key", "ascending"),
]


class _Options(NamedTuple):
    """Parameters of the ranking."""

    guard: float
    resamples: int
    level: float


def rank_call_sites(
    campaign_runs: Relation,
    campaign_call_paths: Relation,
    communication_times: Relation,
    call_site_times: Relation,
    *,
    min_processes: int = 2,
    ranking_share_guard: float = 0.01,
    ranking_resamples: int = 1000,
    ranking_level: float = 0.95,
) -> pa.Table:
    """Rank the call sites of every application over all runs, and over the runs of each size.

    The compared value is the call site's share of the communication of a run, which does not depend
    on the amount of work. A run that does not visit a call site has share 0. Vetter and McCracken
    2001.
    """
    options = _Options(ranking_share_guard, ranking_resamples, ranking_level)
    communicating = communication_times.filter("communication_ns > 0")
    sites = call_site_times.filter("communication_share IS NOT NULL")
    series = _read_series(sites, "communication_share", "total_ns")
    populations = populations_with(communicating, campaign_runs, min_processes=min_processes)
    return _rank_all(CALL_SITE_RANKING, populations, series, campaign_call_paths, options)


def rank_causes(
    campaign_runs: Relation,
    campaign_call_paths: Relation,
    cause_times: Relation,
    *,
    min_processes: int = 2,
    ranking_share_guard: float = 0.01,
    ranking_resamples: int = 1000,
    ranking_level: float = 0.95,
) -> pa.Table:
    """Rank the causes of waiting in the same way, by their share of all waiting of a run."""
    options = _Options(ranking_share_guard, ranking_resamples, ranking_level)
    series = _read_series(cause_times, "waiting_share", "caused_ns")
    populations = populations_with(cause_times, campaign_runs, min_processes=min_processes)
    return _rank_all(CAUSE_RANKING, populations, series, campaign_call_paths, options)


def _read_series(times: Relation, share: str, total: str) -> Series:
    """Share, total time and most time of a process, by call path and run."""
    key, run, *values = read_columns(
        times, "call_path_key", "campaign_run_id::BIGINT", share, total, "longest_ns"
    )
    return make_series(key, run, *values)


def _rank_all(
    ranking: Table, populations: Iterable[Population], series: Series, call_paths: Relation,
    options: _Options,
) -> pa.Table:  # fmt: skip
    """The rows of all populations."""
    paths = call_paths.to_arrow_table()
    ranked = [_rank(ranking, each, series, paths, options) for each in populations]
    return pa.concat_tables([ranking.empty(), *ranked])


def _rank(
    ranking: Table, population: Population, series: Series, paths: pa.Table, options: _Options
) -> pa.Table:
    """The rows of one population, by rank."""
    part = series.of_runs(population.run_ids)
    rows = population_columns(ranking, population, len(part.items))
    rows |= _describe(part.items, paths)
    if population.runs and len(part.items):
        blocks = part.blocks(len(population.runs))
        measures = (_measure(population, *values, options=options) for values in blocks)
        rows |= _with_discovery_rates(population, join_blocks(measures))
    table = ranking.conform(pa.table(rows))
    table = table.take(pc.sort_indices(table, sort_keys=_ORDER))
    place = table.schema.get_field_index("rank")
    ranks = pa.array(np.arange(1, len(table) + 1, dtype=np.int32))
    return table.set_column(place, table.schema.field(place), ranks)


def _describe(keys: Numbers, paths: pa.Table) -> Columns:
    """Rows of call sites before any comparison."""
    found = paths.take(pc.index_in(pa.array(keys), value_set=paths["call_path_key"]))
    return {
        "call_path_key": found["call_path_key"],
        "rank": np.ones(len(keys), np.int32),
        "call_path": found["call_path"],
        "operation": pc.coalesce(found["operation"], found["region"]),
        "place": found["place"],
    }


def _measure(
    population: Population, share: Floats, total: Floats, longest: Floats, *, options: _Options
) -> Columns:
    """Columns of some call sites from matrices of call sites by runs."""
    columns = correlation_columns(population, share)
    is_largest = population.are_largest()
    largest_share = share[:, is_largest].mean(axis=1)
    low, high, has_interval = np.zeros((3, len(share)))
    is_above = largest_share >= options.guard
    wanted = np.flatnonzero(np.asarray(columns["spearman"].is_valid()) & is_above)
    low[wanted], high[wanted], has_interval[wanted] = bootstrap_intervals(
        population.processes, share[wanted], resamples=options.resamples, level=options.level
    )
    processes = population.processes.max()
    imbalance = _imbalance(total[:, is_largest], longest[:, is_largest], processes)
    return columns | {
        "spearman_low": pa.array(low, mask=has_interval == 0),
        "spearman_high": pa.array(high, mask=has_interval == 0),
        "mean_share": share.mean(axis=1),
        "largest_share": largest_share,
        "is_above_guard": is_above,
        "largest_imbalance": pa.array(imbalance, mask=imbalance == 0),
    }


def _imbalance(total: Floats, longest: Floats, processes: int) -> Floats:
    """Most time of a process over the mean, in the mean of the runs with any time; 0 without."""
    has_time = total > 0
    ratio = np.maximum(longest * processes / np.where(has_time, total, 1), 1) * has_time
    mean: Floats = ratio.sum(axis=1) / np.maximum(has_time.sum(axis=1), 1)
    return mean


def _with_discovery_rates(population: Population, columns: Columns) -> Columns:
    """Add the least possible p-value, and the rates of false discoveries.

    Shares of a whole depend on each other: if one grows, others shrink. Benjamini and Yekutieli
    allow for that, Benjamini and Hochberg do not.
    """
    from scipy.stats import false_discovery_control  # 0.6 s, and only if calls are ranked

    is_null = np.asarray(columns["p_value"].is_null())
    p_values = columns["p_value"].drop_null().to_numpy()
    perfect = spearman(population.processes, population.processes[np.newaxis]).p_value[0]
    hochberg, yekutieli = np.zeros((2, len(is_null)))
    hochberg[~is_null] = false_discovery_control(p_values, method="bh")
    yekutieli[~is_null] = false_discovery_control(p_values, method="by")
    return columns | {
        "perfect_p_value": pa.array(np.full(len(is_null), perfect), mask=is_null),
        "q_value": pa.array(hochberg, mask=is_null),
        "q_value_any_dependence": pa.array(yekutieli, mask=is_null),
    }


CALL_SITE_RANKING_STAGE = PythonStage(
    name="call_site_ranking", outputs=(CALL_SITE_RANKING,), compute=rank_call_sites
)
CAUSE_RANKING_STAGE = PythonStage(
    name="cause_ranking", outputs=(CAUSE_RANKING,), compute=rank_causes
)
