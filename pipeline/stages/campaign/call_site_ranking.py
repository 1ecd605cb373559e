"""Ranking of call sites by the rank correlation of their shares with processes."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tracemill.schemas.call_sites import CALL_SITE_RANKING
from tracemill.stages.arrays import Numbers, Relation, read_columns
from tracemill.stages.campaign.compared import Columns, correlation_columns, population_columns
from tracemill.stages.campaign.populations import Population, find_populations, read_runs
from tracemill.stages.campaign.series import Series, make_series
from tracemill.stages.models.rank_bootstrap import bootstrap_intervals
from tracemill.stages.models.rank_correlation import RankCorrelations, spearman
from tracemill.stages.models.ranks import Flags, Floats
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


class _Measures(NamedTuple):
    """One element per call site. Where there is no coefficient, or no interval, 0 stands."""

    rho: Floats
    p_value: Floats
    has_rho: Flags
    low: Floats
    high: Floats
    has_interval: Flags
    mean_share: Floats
    largest_share: Floats
    imbalance: Floats


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
    (run_ids,) = read_columns(communicating, "campaign_run_id::BIGINT")
    known = set(run_ids.tolist())
    runs = [run for run in read_runs(campaign_runs) if run.run_id in known]
    series = _read_series(call_site_times)
    paths = campaign_call_paths.to_arrow_table()
    ranked = [
        _rank(population, series, paths, options)
        for population in find_populations(runs, min_processes=min_processes)
    ]
    return pa.concat_tables([CALL_SITE_RANKING.empty(), *ranked])


def _read_series(call_site_times: Relation) -> Series:
    """Share, total time and most time of a process, by call site and run."""
    communicating = call_site_times.filter("communication_share IS NOT NULL")
    key, run, *values = read_columns(
        communicating,
        "call_path_key",
        "campaign_run_id::BIGINT",
        "communication_share",
        "total_ns",
        "longest_ns",
    )
    return make_series(key, run, *values)


def _rank(population: Population, series: Series, paths: pa.Table, options: _Options) -> pa.Table:
    """The rows of one population, by rank."""
    part = series.of_runs(population.run_ids)
    rows = population_columns(CALL_SITE_RANKING, population, len(part.items))
    rows |= _describe(part.items, paths)
    if population.runs and len(part.items):
        blocks = part.blocks(len(population.runs))
        measures = [_measure(population, *values, options=options) for values in blocks]
        joined = _Measures(*(np.concatenate(arrays) for arrays in zip(*measures, strict=True)))
        rows |= _columns(population, joined, options)
    table = CALL_SITE_RANKING.conform(pa.table(rows))
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
) -> _Measures:
    """Statistics of some call sites from matrices of call sites by runs."""
    rho, p_value, has_rho = spearman(population.processes, share)
    if population.reason:
        has_rho[:] = False
    is_largest = population.are_largest()
    largest_share = share[:, is_largest].mean(axis=1)
    low, high, has_interval = np.zeros_like(rho), np.zeros_like(rho), np.zeros_like(has_rho)
    wanted = np.flatnonzero(has_rho & (largest_share >= options.guard))
    low[wanted], high[wanted], has_interval[wanted] = bootstrap_intervals(
        population.processes, share[wanted], resamples=options.resamples, level=options.level
    )
    return _Measures(
        rho=rho,
        p_value=p_value,
        has_rho=has_rho,
        low=low,
        high=high,
        has_interval=has_interval,
        mean_share=share.mean(axis=1),
        largest_share=largest_share,
        imbalance=_imbalance(
            total[:, is_largest], longest[:, is_largest], population.processes.max()
        ),
    )


def _imbalance(total: Floats, longest: Floats, processes: int) -> Floats:
    """Most time of a process over the mean, in the mean of the runs with any time; 0 without."""
    has_time = total > 0
    ratio = np.maximum(longest * processes / np.where(has_time, total, 1), 1) * has_time
    mean: Floats = ratio.sum(axis=1) / np.maximum(has_time.sum(axis=1), 1)
    return mean


def _perfect(population: Population) -> float:
    """The p-value of shares in the order of the processes: the least there is."""
    return float(spearman(population.processes, population.processes[np.newaxis]).p_value[0])


def _columns(population: Population, measures: _Measures, options: _Options) -> Columns:
    """The columns that compare runs.

    Shares of a whole depend on each other: if one grows, others shrink. Benjamini and Yekutieli
    allow for that, Benjamini and Hochberg do not.
    """
    from scipy.stats import false_discovery_control  # 0.6 s, and only if calls are ranked

    has_rho, p_value = measures.has_rho, measures.p_value
    hochberg, yekutieli = np.zeros_like(p_value), np.zeros_like(p_value)
    hochberg[has_rho] = false_discovery_control(p_value[has_rho], method="bh")
    yekutieli[has_rho] = false_discovery_control(p_value[has_rho], method="by")
    correlations = RankCorrelations(measures.rho, p_value, has_rho)
    return correlation_columns(population, correlations) | {
        "perfect_p_value": pa.array(np.full(len(p_value), _perfect(population)), mask=~has_rho),
        "q_value": pa.array(hochberg, mask=~has_rho),
        "q_value_any_dependence": pa.array(yekutieli, mask=~has_rho),
        "spearman_low": pa.array(measures.low, mask=~measures.has_interval),
        "spearman_high": pa.array(measures.high, mask=~measures.has_interval),
        "mean_share": pa.array(measures.mean_share),
        "largest_share": pa.array(measures.largest_share),
        "is_above_guard": pa.array(measures.largest_share >= options.guard),
        "largest_imbalance": pa.array(measures.imbalance, mask=measures.imbalance == 0),
    }


CALL_SITE_RANKING_STAGE = PythonStage(
    name="call_site_ranking",
    outputs=(CALL_SITE_RANKING,),
    compute=rank_call_sites,
)  # fmt: skip
