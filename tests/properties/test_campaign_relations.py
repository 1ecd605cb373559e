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
from tests.oracle import efficiency_grid as grid_oracle
from tracemill.schemas.scalability import GROWTHS, SPLITS, WHOLE
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE
from tracemill.stages.campaign.growth import CALL_PATH_GROWTH_STAGE, METRIC_GROWTH_STAGE
from tracemill.stages.campaign.scalability import SCALABILITY_STAGE

SITES = ("main/MPI_Send", "main/MPI_Wait", "main/solve/MPI_Wait", "main/MPI_Init")
METRICS = ("mpi_latesender", "computation", "critical_path", "time")
EXAMPLES = settings(max_examples=12)

efficiencies = st.integers(0, 1024).map(lambda number: number / 1024)


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


# --- Marks ---------------------------------------------------------------------------------------


@st.composite
def grids(draw: st.DrawFn) -> Tables:
    """Configurations with an efficiency, without one, and some that nobody tried."""
    numbers = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True)
    places = [(p, float(d)) for p in draw(numbers) for d in draw(numbers)]
    states = st.sampled_from(("measured", "measured", "measured", "failed", "missing"))
    rows = []
    for p, d in dict.fromkeys(places):
        state = draw(states)
        efficiency = draw(efficiencies) if state == "measured" else None
        rows.append({"application": "x", "processes": p, "size": d, "computation_size": d,
                     "state": state, "efficiency": efficiency,
                     "reason": None if state == "measured" else "it is not there",
                     "efficiency_definition": "as given"})  # fmt: skip
    return {"efficiency_grid": rows}


@settings(max_examples=25)
@given(grids())
def test_programs_are_marked_as_counted_by_hand(tables: Tables) -> None:
    rows = tables["efficiency_grid"]
    points = {
        (float(row["processes"]), row["size"]): row["efficiency"]
        for row in rows
        if row["efficiency"] is not None
    }
    lines = [(float(row["processes"]), row["size"]) for row in rows]
    cells = grid_oracle.cover(points, lines)
    _, made = run_stage(SCALABILITY_STAGE, tables).values()
    (whole,) = (row for row in made if row["region"] == WHOLE)
    check_region(whole, points, cells)
    assert whole["configuration_count"] == len(points)
    assert (whole["reason"] is None) == bool(cells)
    for at, split in enumerate(SPLITS[1:]):
        growth = [grid_oracle.growth_of(points, cell)[at] for cell in cells]
        signs = [(value > 0) - (value < 0) for value in growth]
        parts = grid_oracle.parts_of(cells, signs)
        own = {row["part"]: row for row in made if row["split_by"] == split}
        assert set(own) == set(parts)
        for part, row in own.items():
            inside = [cell for cell, number in zip(cells, parts, strict=True) if number == part]
            corners = {(p, d) for c in inside for p in (c.p1, c.p2) for d in (c.d1, c.d2)}
            check_region(row, {place: points[place] for place in corners}, inside)
            assert row["configuration_count"] == len(corners)
            assert row["growth"] == GROWTHS[signs[parts.index(part)] + 1]


def check_region(
    row: Mapping[str, Any],
    points: Mapping[tuple[float, float], float],
    cells: list[grid_oracle.Cell],
) -> None:
    assert row["cell_count"] == len(cells)
    if points:
        (ps, ds), values = zip(*points, strict=True), points.values()
        names = "min_processes max_processes min_size max_size min_efficiency max_efficiency"
        assert [row[name] for name in names.split()] == [
            min(ps), max(ps), min(ds), max(ds), min(values), max(values)
        ]  # fmt: skip
    marks = [row[name] for name in ("mark_procs", "mark_data", "mark_all")]
    if cells:
        expected = grid_oracle.marks_of(points, cells)
        assert marks == pytest.approx(expected, rel=1e-12, abs=1e-12)
    else:
        assert marks == [None] * 3
