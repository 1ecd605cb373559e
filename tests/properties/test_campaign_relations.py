"""Tables of random campaigns against a slow and obvious version of each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_stage
from tests.oracle import campaigns as oracle
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE
from tracemill.stages.campaign.growth import CALL_PATH_GROWTH_STAGE, METRIC_GROWTH_STAGE

SITES = ("main/MPI_Send", "main/MPI_Wait", "main/solve/MPI_Wait", "main/MPI_Init")
METRICS = ("mpi_latesender", "computation", "critical_path", "time")
EXAMPLES = settings(max_examples=12)


@st.composite
def runs(draw: st.DrawFn) -> list[MeasuredRun]:
    """Few different processes, sizes and times, so that much is tied, 0 or not there at all."""
    found = []
    for _ in range(draw(st.integers(2, 6))):
        processes = draw(st.sampled_from([1, 2, 3, 4, 6]))
        sites = draw(st.sets(st.sampled_from(SITES)))
        spent = {site: draw(times(processes, 6)) for site in sorted(sites)}
        if draw(st.integers(0, 3)):  # else only call sites are known
            spent["main"] = draw(times(processes, 50))
        run = MeasuredRun(processes, spent, size=draw(st.sampled_from([10.0, 20.0])))
        some = draw(st.lists(st.sampled_from(sorted(spent) or [""]), unique=True))
        share = {name: sum(spent[name]) // 2 for name in some if name}
        found.append(replace(run, waits=share, path=dict.fromkeys(share, processes)))
    return found


def times(processes: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, most), min_size=processes, max_size=processes)


@st.composite
def runs_with_metrics(draw: st.DrawFn) -> Tables:
    tables = tables_of(draw(runs()))
    keys = [row["call_path_key"] for row in tables["campaign_call_paths"]]
    tables["run_metrics"] = [
        {"campaign_run_id": run["campaign_run_id"], "metric": metric, "call_path_key": key,
         "value_ns": draw(st.integers(1, 30))}
        for run in tables["campaign_runs"]
        for metric in METRICS
        for key in draw(st.sets(st.sampled_from(keys)) if keys else st.just(set()))
    ]  # fmt: skip
    return tables


def compare(made: list[Any], expected: list[dict[str, Any]], *names: str) -> None:
    """Rows by key are the same in everything that is expected of them."""

    def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in ("size", *names))

    found, wanted = ({key(row): row for row in rows} for rows in (made, expected))
    assert found.keys() == wanted.keys()
    for place, row in wanted.items():
        for name in row.keys() & found[place].keys():
            value = row[name]
            is_number = isinstance(value, float)
            about = pytest.approx(value, rel=1e-9, abs=1e-7) if is_number else value
            assert found[place][name] == about, (place, name)


@EXAMPLES
@given(runs())
def test_call_sites_are_ranked_as_counted_by_hand(campaign: list[MeasuredRun]) -> None:
    tables = tables_of(campaign)
    (made,) = run_stage(CALL_SITE_RANKING_STAGE, tables, ranking_resamples=2).values()
    compare(made, oracle.ranking(tables), "call_path_key")


@EXAMPLES
@given(runs())
def test_call_paths_grow_as_counted_by_hand(campaign: list[MeasuredRun]) -> None:
    tables = tables_of(campaign)
    (made,) = run_stage(CALL_PATH_GROWTH_STAGE, tables).values()
    compare(made, oracle.call_path_growth(tables), "quantity", "call_path_key")


@EXAMPLES
@given(runs_with_metrics())
def test_metrics_grow_as_counted_by_hand(tables: Tables) -> None:
    (made,) = run_stage(METRIC_GROWTH_STAGE, tables).values()
    compare(made, oracle.metric_growth(tables), "metric")
