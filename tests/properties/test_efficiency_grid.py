"""Laws of the marks of any grid, and the grid compared with a slow version.

Efficiencies are multiples of 1/1024, so that sums and differences are exact.
"""

from collections.abc import Mapping
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tests.oracle import efficiency_grid as oracle
from tracemill.stages.models.efficiency_grid.cells import Cells, EfficiencyGrid, cover_grid
from tracemill.stages.models.efficiency_grid.configurations import (
    Runs,
    reduce_to_best,
    speed_up_efficiency,
)
from tracemill.stages.models.efficiency_grid.marks import (
    Extent,
    Region,
    find_growth,
    measure_region,
)
from tracemill.stages.models.efficiency_grid.parts import find_parts, find_signs
from tracemill.stages.models.efficiency_grid.rankings import compare_orders

Place = tuple[float, float]
Points = Mapping[Place, float]
STEPS = 1024

steps = st.integers(0, STEPS)
efficiencies = steps.map(lambda number: number / STEPS)
sides = st.integers(2, 6)
lines = st.lists(st.integers(1, 64), min_size=2, max_size=6, unique=True).map(
    lambda numbers: sorted(map(float, numbers))
)


@st.composite
def full_grids(draw: st.DrawFn) -> Points:
    ps, ds = draw(lines), draw(lines)
    return {(p, d): draw(steps) / STEPS for p in ps for d in ds}


@st.composite
def sparse_grids(draw: st.DrawFn) -> tuple[Points, set[Place]]:
    """Configurations with an efficiency, and some without; the others were not tried."""
    ps, ds = (range(1, draw(sides) + 1) for _ in range(2))
    places = [(float(p), float(d)) for p in ps for d in ds]
    states = st.sampled_from(("known", "known", "known", "untried", "untried", "unknown"))
    drawn = draw(st.lists(states, min_size=len(places), max_size=len(places)))
    by_state = {state: [] for state in drawn}
    for place, state in zip(places, drawn, strict=True):
        by_state[state].append(place)
    points = {place: draw(steps) / STEPS for place in by_state.get("known", ())}
    return points or {places[0]: 1.0}, set(by_state.get("unknown", ())) - {places[0]}


def grid_of(points: Points, without: set[Place] = frozenset()) -> EfficiencyGrid:
    places = [*points, *without]
    values = [points.get(place, np.nan) for place in places]
    ps, ds = np.array(places).reshape(-1, 2).T
    return EfficiencyGrid(ps, ds, np.array(values))


def extent_of(points: Points) -> Extent:
    ps, ds = [p for p, _ in points], [d for _, d in points]
    most, least = max(points.values()), min(points.values())
    return Extent(min(ps), min(ds), max(ps), max(ds), most, least)


def region_of(points: Points) -> Region:
    region = measure_region(cover_grid(grid_of(points)), extent_of(points))
    assert region is not None
    return region


def marks_of(points: Points) -> tuple[float, float, float]:
    return astuple(region_of(points).marks)


def near(*values: float) -> object:
    return pytest.approx(values, rel=1e-12, abs=1e-12)


def listed(cells: Cells) -> list[oracle.Cell]:
    sides = (cells.p1, cells.p2, cells.d1, cells.d2)
    return [oracle.Cell(*cell) for cell in zip(*(side.tolist() for side in sides), strict=True)]


# --- Laws of the marks -----------------------------------------------------------------------


@given(full_grids())
def test_exchanging_processes_and_size_exchanges_their_marks(points: Points) -> None:
    procs, data, both = marks_of(points)
    assert marks_of({(d, p): e for (p, d), e in points.items()}) == near(data, procs, both)


@given(full_grids(), st.integers(2, 3))
def test_growth_over_the_ranges_does_not_depend_on_density(points: Points, times: int) -> None:
    """Each cell is divided, with efficiency in between as if it grew evenly (bilinear)."""
    ps, ds = sorted({p for p, _ in points}), sorted({d for _, d in points})
    fine_ps, fine_ds = (refined(values, times) for values in (ps, ds))
    coarse = np.array([[points[p, d] for d in ds] for p in ps])
    along = np.array([np.interp(fine_ps, ps, column) for column in coarse.T]).T
    fine = np.array([np.interp(fine_ds, ds, row) for row in along])
    dense = {(p, d): fine[i, k] for i, p in enumerate(fine_ps) for k, d in enumerate(fine_ds)}
    assert astuple(region_of(dense).growth) == near(*astuple(region_of(points).growth))


def refined(values: list[float], times: int) -> list[float]:
    at = np.arange((len(values) - 1) * times + 1) / times
    return np.interp(at, np.arange(len(values)), values).tolist()


@given(full_grids())
def test_growth_over_the_ranges_is_that_between_the_borders(points: Points) -> None:
    """The mean over sizes of the difference between most and fewest processes, by trapezoids."""
    ps, ds = sorted({p for p, _ in points}), sorted({d for _, d in points})
    rise = [points[ps[-1], d] - points[ps[0], d] for d in ds]
    fall = [points[p, ds[-1]] - points[p, ds[0]] for p in ps]
    with_processes = np.trapezoid(rise, ds) / (ds[-1] - ds[0])
    with_size = np.trapezoid(fall, ps) / (ps[-1] - ps[0])
    growth = region_of(points).growth
    assert (growth.procs, growth.data) == near(with_processes, with_size)


# --- Covering with gaps --------------------------------------------------------------------------


@settings(max_examples=300)
@given(sparse_grids())
def test_cells_are_those_found_by_trying_everything(grid: tuple[Points, set[Place]]) -> None:
    points, without = grid
    cells = cover_grid(grid_of(points, without))
    expected = oracle.cover(points, without)
    assert listed(cells) == expected
    assume(expected)
    region = measure_region(cells, extent_of(points))
    assert region is not None
    assert astuple(region.marks) == near(*oracle.marks_of(points, expected))


@given(sparse_grids())
def test_cells_do_not_overlap_and_their_covered_share_is_right(
    grid: tuple[Points, set[Place]],
) -> None:
    points, without = grid
    cells = cover_grid(grid_of(points, without))
    squares = [
        (p, d)
        for cell in listed(cells)
        for p in range(int(cell.p1), int(cell.p2))
        for d in range(int(cell.d1), int(cell.d2))
    ]
    assert len(squares) == len(set(squares))
    assume(squares)
    extent = extent_of(points)
    region = measure_region(cells, extent)
    width = extent.max_processes - extent.min_processes
    assert region is not None
    assert region.covered_share * width * (extent.max_size - extent.min_size) == pytest.approx(
        len(squares)
    )


# --- Parts -----------------------------------------------------------------------------------


@settings(max_examples=200)
@given(sparse_grids())
def test_parts_are_those_found_by_spreading(grid: tuple[Points, set[Place]]) -> None:
    points, without = grid
    cells = cover_grid(grid_of(points, without))
    growth = find_growth(cells)
    boxes = listed(cells)
    for at, values in enumerate((growth.processes, growth.size, growth.both)):
        exact = [oracle.growth_of(points, box)[at] for box in boxes]
        signs = [(value > 0) - (value < 0) for value in exact]
        found = find_signs(cells, values)
        assert found.tolist() == signs
        assert find_parts(cells, found).tolist() == oracle.parts_of(boxes, signs)


# --- The best runs ---------------------------------------------------------------------------


@st.composite
def measured_runs(draw: st.DrawFn) -> list[tuple[int, float, int, int, bool]]:
    """Processes, size, setup, time, and whether it was measured, of each run."""
    one = st.tuples(
        st.integers(1, 4),
        st.integers(1, 3).map(float),
        st.integers(0, 2),
        st.integers(1, 9),
        st.booleans(),
    )
    return draw(st.lists(one, min_size=1, max_size=30))


def runs_of(rows: list[tuple[int, float, int, int, bool]]) -> Runs:
    processes, size, setup, time, is_measured = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    return Runs(processes, size, setup, time, is_measured, np.zeros(len(rows), np.bool_))


@given(measured_runs())
def test_the_best_run_is_the_shortest_and_repetitions_share_its_setup(
    rows: list[tuple[int, float, int, int, bool]],
) -> None:
    runs = runs_of(rows)
    efficiency, reference = speed_up_efficiency(runs)
    found = reduce_to_best(runs, efficiency)
    places = sorted({row[:2] for row in rows})
    assert list(zip(found.processes.tolist(), found.size.tolist(), strict=True)) == places
    for at, place in enumerate(places):
        own = [number for number, row in enumerate(rows) if row[:2] == place]
        measured = [number for number in own if rows[number][4]]
        best = min(measured, key=lambda number: (rows[number][3], number), default=-1)
        assert found.best[at] == best
        assert found.run_count[at] == len(measured)
        assert found.failed_count[at] == len(own) - len(measured)
        alike = sorted(rows[n][3] for n in measured if rows[n][2] == rows[best][2])
        assert found.repetition_count[at] == len(alike)
        if alike:
            assert found.longest_ns[at] == alike[-1]
            assert found.median_ns[at] == int(np.median(alike))
            same_size = [row for row in rows if row[4] and row[1] == place[1]]
            fewest, _, _, least, _ = min(same_size, key=lambda row: (row[0], row[3]))
            assert reference[best] == fewest
            ideal = least * fewest
            assert efficiency[best] == pytest.approx(ideal / (alike[0] * place[0]), rel=1e-12)


# --- Orders ----------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), min_size=3, max_size=12))
def test_the_agreement_of_orders_equals_scipy(pairs: list[tuple[int, int]]) -> None:
    one, other = np.array(pairs, np.float64).T
    found = compare_orders(one, other)
    assert found.pair_count == len(pairs)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found.rho is None
    else:
        assert found.rho == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)
