"""Searches and rankings as tables of a store."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from tracemill.forecast.ranking import Order, Ranking
from tracemill.forecast.search import Candidate
from tracemill.forecast.search_programs import ProgramSearch
from tracemill.programs.language.data_program import format_grid
from tracemill.programs.parts import rounded_number
from tracemill.schemas import Table
from tracemill.schemas.forecast_search import GRID_SEARCH, VARIANT_RANKING
from tracemill.store.forecasts import publish


def search_tables(searches: Iterable[ProgramSearch]) -> dict[Table, pa.Table]:
    """The table grid_search of searches."""
    rows = [
        _identity(each) | {"search_id": each.search_id} | _grid(candidate)
        for each in searches
        for candidate in each.search.candidates
    ]
    return {GRID_SEARCH: _table(GRID_SEARCH, rows)}


def ranking_tables(ranking: Ranking) -> dict[Table, pa.Table]:
    """The tables of a ranking: variant_ranking, and grid_search with all searches."""
    rows = [
        row | {"ranking_id": ranking.ranking_id} for order in ranking.orders for row in _rows(order)
    ]
    return {VARIANT_RANKING: _table(VARIANT_RANKING, rows), **search_tables(ranking.searches)}


def store_ranking(store: Path, ranking: Ranking) -> None:
    """Keep a ranking and its searches in a store, each in a folder of its own."""
    for each in ranking.searches:
        publish(store, f"search={each.search_id}", search_tables([each]))
    if has_order(ranking):
        tables = ranking_tables(ranking)
        name = f"ranking={ranking.ranking_id}"
        publish(store, name, {VARIANT_RANKING: tables[VARIANT_RANKING]})


def has_order(ranking: Ranking) -> bool:
    """True for a ranking of more than one search; a single one has nothing to be ranked with."""
    return len(ranking.searches) > 1


def _identity(search: ProgramSearch) -> dict[str, Any]:
    """Columns that both tables have of a search."""
    return {
        "program": search.contender.program.name,
        "variant": search.contender.variant or "",
        "cluster": search.cluster.name,
        "max_processes": search.max_processes,
        "min_efficiency_ratio": search.limits.min_efficiency,
        "is_exact": search.limits.is_exact,
    }


def _grid(candidate: Candidate) -> dict[str, Any]:
    return {
        "grid": format_grid(candidate.grid),
        "processes": candidate.processes,
        "evenness_ratio": float(candidate.evenness),
        "fate": candidate.fate,
        "step": candidate.step,
        "bound_ns": rounded_number(candidate.bound_ns),
        "time_ns": None if candidate.time_ns is None else rounded_number(candidate.time_ns),
        "efficiency_ratio": candidate.efficiency,
    }


def _rows(order: Order) -> Iterable[dict[str, Any]]:
    for each in order.ranked:
        grid = _grid(each.best)
        yield _identity(each.search) | {
            "rank": each.rank,
            "grid": grid["grid"],
            "processes": grid["processes"],
            "time_ns": grid["time_ns"],
            "of_best_ratio": each.of_best,
            "efficiency_ratio": grid["efficiency_ratio"],
            "nearly_best_processes": each.nearly_best_processes,
            "evaluated_count": each.search.search.count("evaluated"),
            "possible_loss_ratio": each.search.search.possible_loss,
        }


def _table(table: Table, rows: Iterable[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=table.arrow_schema)
