"""Models of T(p, n) give back the surfaces that they are made of, and their slopes."""

from collections.abc import Callable
from csv import DictReader
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.surface_cases import CM5_GRID, Floats, Time, cm5, cm5_slopes, grid, measure
from tracemill.stages.models.surfaces.amdahl import fit_amdahl
from tracemill.stages.models.surfaces.choice import FITS, fit_all
from tracemill.stages.models.surfaces.measurements import (
    Measurements,
    UndeterminedError,
    measurements,
)
from tracemill.stages.models.surfaces.separable import fit_in_two_steps, fit_jointly
from tracemill.stages.models.surfaces.smooth import fit_smooth
from tracemill.stages.models.surfaces.surface import Surface
from tracemill.stages.models.surfaces.two_parts import (
    TwoParts,
    fit_with_overlap,
    fit_without_overlap,
)

ROOT = Path(__file__).parents[2]
CM5 = measure(cm5, range(2, 33, 2), range(10, 501, 10))


def in_two_steps(measured: Measurements) -> Surface:
    return fit_in_two_steps(measured, is_relative=False)


def in_two_relative_steps(measured: Measurements) -> Surface:
    return fit_in_two_steps(measured, is_relative=True)


def farthest(surface: Surface, time: Time, points: tuple[Floats, Floats] = CM5_GRID) -> float:
    """The largest relative difference between a surface and the truth."""
    return float(np.abs(surface.evaluate(*points).time / time(*points) - 1).max())


# --- The published surface ------------------------------------------------------------------------


@pytest.mark.parametrize("fit", [in_two_steps, in_two_relative_steps, fit_jointly])
def test_the_published_surface_comes_back(fit: Callable[[Measurements], Surface]) -> None:
    surface = fit(CM5)
    assert len(CM5.times) == 800
    assert farthest(surface, cm5) < 1e-9
    values, slopes = surface.evaluate(*CM5_GRID), cm5_slopes(*CM5_GRID)
    assert values.by_processes == pytest.approx(slopes[0], rel=1e-9)
    assert values.by_size == pytest.approx(slopes[1], rel=1e-9)


@pytest.mark.parametrize("fit", [in_two_relative_steps, fit_jointly])
@pytest.mark.parametrize("seed", range(5))
def test_noise_of_one_percent_moves_it_by_less(
    fit: Callable[[Measurements], Surface], seed: int
) -> None:
    noisy = measure(cm5, range(2, 33, 2), range(10, 501, 10), noise=0.01, seed=seed)
    assert farthest(fit(noisy), cm5) < 0.01


def test_steps_without_weights_are_not_good_enough() -> None:
    noisy = measure(cm5, range(2, 33, 2), range(10, 501, 10), noise=0.01, seed=2)
    assert farthest(in_two_steps(noisy), cm5) > 0.01


def test_the_file_of_times_holds_the_published_surface() -> None:
    with (ROOT / "data" / "campaigns" / "cm5_surface.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = [
            (float(r["processes"]), float(r["size"]), float(r["time_s"])) for r in DictReader(file)
        ]
    processes, sizes, times = np.array(rows).T
    assert (processes.tolist(), sizes.tolist()) == tuple(each.tolist() for each in CM5_GRID)
    assert times == pytest.approx(cm5(*CM5_GRID), rel=1e-11)
    assert farthest(in_two_steps(measurements(processes, sizes, times)), cm5) < 1e-9


def test_the_mean_of_p_times_the_factor_is_one() -> None:
    surface = fit_jointly(CM5)
    found = dict(surface.parameters)
    p = CM5_GRID[0]
    assert np.mean(p * (found["alpha"] / p + found["beta"])) == pytest.approx(1)
    # As published, but for the scale: 0.767314 + 0.00868232 * 17, 17 being the mean of p.
    scale = 0.767314 + 0.00868232 * 17
    assert found["c3"] == pytest.approx(3.33514e-6 * scale, rel=1e-9)
    assert found["beta"] == pytest.approx(0.00868232 / scale, rel=1e-9)


def test_a_joint_fit_needs_no_complete_grid() -> None:
    """The first of two steps mistakes p T for a function of n alone."""
    is_kept = CM5.processes * CM5.sizes < 4000
    some = CM5.keep(is_kept)
    assert farthest(fit_jointly(some), cm5) < 1e-9
    assert farthest(in_two_relative_steps(some), cm5) > 1e-3


# --- Computation and communication ----------------------------------------------------------------


def summed(p: Floats, n: Floats) -> Floats:
    return 2e-6 * n**1.7 / p + (0.001 + 0.002 * np.log2(p) + 0.0005 * p) * n**0.3


def longest(p: Floats, n: Floats) -> Floats:
    return np.maximum(2e-6 * n**1.7 / p, 0.0002 * np.log2(p) * n**0.3)


def test_the_sum_of_computation_and_communication_comes_back() -> None:
    surface = fit_without_overlap(measure(summed))
    assert farthest(surface, summed, grid([1, 3, 32], [50, 300])) < 1e-6
    assert surface.formula("n") == ("2e-06*n^1.7/p + (0.001 + 0.002*log2(p) + 0.0005*p)*n^0.3")


def test_the_longer_of_computation_and_communication_comes_back() -> None:
    surface = fit_with_overlap(measure(longest))
    assert farthest(surface, longest) < 1e-6
    assert surface.formula("n") == "max(2e-06*n^1.7/p, 0.0002*log2(p)*n^0.3)"


def test_a_part_that_takes_no_time_is_not_written() -> None:
    assert fit_with_overlap(measure(lambda p, n: 3 * n / p)).formula("n") == "3*n/p"
    assert fit_without_overlap(measure(lambda p, n: 0 * p + 3)).formula("n") == "3"


def test_the_longer_of_overlapping_parts_gives_the_slope() -> None:
    surface = TwoParts(
        is_overlapping=True,
        computation=8.0,
        computation_exponent=1.0,
        communication=(0.0, 0.0, 1.0),
        communication_exponent=0.0,
        parameter_count=6,
    )
    # 8 n/p is longer than p up to p = 4 for n = 2.
    values = surface.evaluate(np.array([2.0, 8.0]), np.array([2.0, 2.0]))
    assert values.time.tolist() == [8, 8]
    assert values.by_processes.tolist() == [-4, 1]
    assert values.by_size.tolist() == [4, 0]


# --- Amdahl ---------------------------------------------------------------------------------------


def test_parallel_and_sequential_times_come_back() -> None:
    surface = fit_amdahl(measure(lambda p, n: 3 * n / p + n**0.5, sizes=(100, 400)))
    assert dict(surface.parameters) == pytest.approx(
        {"T_par(100)": 300, "T_seq(100)": 10, "T_par(400)": 1200, "T_seq(400)": 20}
    )
    assert surface.largest_speed_up(100) == pytest.approx(31)
    assert surface.largest_speed_up(200) is None
    assert surface.formula("n") == "300/p + 10 at n = 100; 1200/p + 20 at n = 400"


def test_beyond_the_sizes_times_are_extrapolated_linearly() -> None:
    surface = fit_amdahl(measure(lambda p, n: n / p + 5, sizes=(100, 200, 300)))
    values = surface.evaluate(np.array([2.0, 2.0]), np.array([50.0, 600.0]))
    assert values.time == pytest.approx([30, 305])
    assert values.by_size == pytest.approx([0.5, 0.5])


# --- Smooth ---------------------------------------------------------------------------------------


def test_a_power_law_is_smooth() -> None:
    surface = fit_smooth(measure(lambda p, n: 0.01 * n**2 / p))
    assert farthest(surface, lambda p, n: 0.01 * n**2 / p, grid([1, 3, 64], [50, 800])) < 1e-9
    assert surface.formula("n") == "0.01*p^-1*n^2 * smooth deviation"


def test_intervals_hold_most_further_runs() -> None:
    """Of 2000 further runs 95 % are expected inside; noise is what spreads repetitions."""
    surface = fit_smooth(measure(summed, repetitions=5, noise=0.05))
    further = measure(summed, repetitions=134, noise=0.05, seed=2)
    lower, upper = surface.interval(further.processes, further.sizes)
    inside = (lower < further.times) & (further.times < upper)
    assert 0.92 < inside.mean() < 0.98
    assert 0.04 < dict(surface.parameters)["noise of log T"] < 0.06


def test_intervals_widen_outside_the_measurements() -> None:
    surface = fit_smooth(measure(summed, repetitions=3, noise=0.02))
    lower, upper = surface.interval(np.array([4.0, 1024.0]), np.array([200.0, 200.0]))
    assert upper[1] / lower[1] > 2 * upper[0] / lower[0]


# --- Slopes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", FITS)
def test_slopes_match_the_values(model: str) -> None:
    measured = measure(cm5, (2, 4, 8, 16, 32), (50, 100, 200, 300, 500))
    parts = np.outer(measured.times, [0.25, 0.75]) + np.outer(measured.sizes, [0.01, -0.01])
    surface = FITS[model](replace(measured, parts=parts), None)
    p, n = grid([2, 5, 11, 24], [60, 130, 410])
    values, step = surface.evaluate(p, n), 1e-5
    for slope, name in ((values.by_processes, "p"), (values.by_size, "n")):
        up, down = (
            surface.evaluate(*((p * f, n) if name == "p" else (p, n * f))).time
            for f in (1 + step, 1 - step)
        )
        x = p if name == "p" else n
        assert slope == pytest.approx((up - down) / (2 * step * x), rel=1e-5, abs=1e-12)


# --- Choice ---------------------------------------------------------------------------------------


def test_the_simplest_of_equally_good_models_is_chosen() -> None:
    fits = {fit.model: fit for fit in fit_all(measure(lambda p, n: 3e-3 * n / p))}
    assert [fit.model for fit in fits.values() if fit.is_chosen] == ["normal form"]
    surface = fits["normal form"].surface
    assert surface is not None
    assert (surface.formula("n"), surface.parameter_count) == ("0.003*n/p", 1)
    exact = [fit.cross_error for fit in fits.values() if fit.model != "smooth"]
    assert max(error for error in exact if error is not None) < 1e-9


def test_the_published_surface_chooses_its_own_form() -> None:
    noisy = measure(cm5, range(2, 33, 4), range(10, 501, 40), noise=0.01)
    chosen = next(fit for fit in fit_all(noisy) if fit.is_chosen)
    assert chosen.model in ("two steps, relative", "joint")
    assert chosen.error is not None
    assert chosen.cross_error is not None
    # The mean of |x| of a normal variable is 0.8 standard deviations.
    assert chosen.error < chosen.cross_error < 0.011


def test_repetitions_are_left_out_together() -> None:
    """Amdahl's model of one size with two numbers of processes needs both of them."""
    measured = measurements(
        np.array([1.0, 1.0, 2.0, 2.0]), np.full(4, 10.0), np.array([4.0, 4.1, 2.1, 2.2])
    )
    fit = next(fit for fit in fit_all(measured) if fit.model == "Amdahl")
    assert fit.surface is not None
    assert (fit.cross_error, fit.rank) == (None, None)
    assert "without one of the configurations" in fit.reason


def test_ranks_follow_the_cross_validated_errors() -> None:
    fits = [fit for fit in fit_all(measure(summed, repetitions=2, noise=0.03)) if fit.rank]
    ranked = sorted(fits, key=lambda fit: fit.rank or 0)
    assert [fit.rank for fit in ranked] == [*range(1, len(fits) + 1)]
    errors = [fit.cross_error or 0 for fit in ranked]
    assert errors[1:] == sorted(errors[1:])
    assert errors[0] <= min(errors) * 1.02


# --- Undetermined models --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("processes", "sizes", "model", "reason"),
    [
        ([4], [10, 20, 40, 80], "two steps", "needs 3 sizes and 2 numbers of processes"),
        ([4], [10, 20, 40, 80], "with overlap", "needs 2 numbers of processes"),
        ([4], [10, 20, 40, 80], "Amdahl", "needs one size with two numbers of processes"),
        ([1, 2, 4, 8], [10], "joint", "there are 1 and 4"),
        ([1, 2], [10], "normal form", "needs 3 configurations: there are 2"),
        ([1], [10], "smooth", "needs 2 configurations: there are 1"),
    ],
)
def test_missing_models_have_reasons(
    processes: list[float], sizes: list[float], model: str, reason: str
) -> None:
    fits = {fit.model: fit for fit in fit_all(measure(lambda p, n: n / p, processes, sizes))}
    assert fits[model].surface is None
    assert reason in fits[model].reason


@pytest.mark.parametrize(
    ("processes", "sizes", "fitted"),
    [
        ([4], [10, 20, 40, 80], {"normal form", "smooth"}),
        (
            [1, 2, 4, 8],
            [10],
            {"without overlap", "with overlap", "Amdahl", "normal form", "smooth"},
        ),
    ],
)
def test_one_number_of_processes_or_one_size_gives_some_models(
    processes: list[float], sizes: list[float], fitted: set[str]
) -> None:
    fits = fit_all(measure(lambda p, n: n / p + 1, processes, sizes))
    assert {fit.model for fit in fits if fit.surface is not None} == fitted
    assert sum(fit.is_chosen for fit in fits) == 1


def test_constant_times_are_a_constant() -> None:
    fits = {fit.model: fit for fit in fit_all(measure(lambda p, n: 0 * p + 2.5))}
    chosen = next(fit for fit in fits.values() if fit.is_chosen)
    assert chosen.surface is not None
    assert (chosen.model, chosen.surface.formula("n")) == ("normal form", "2.5")
    assert {fit.model for fit in fits.values() if fit.surface is None} == {"composed"}  # no path


@pytest.mark.parametrize(
    ("processes", "sizes", "times", "reason"),
    [
        ([1, 2], [1, 1], [0, 0], "no measured run has a time above 0"),
        ([], [], [], "no measured run has a time above 0"),
        ([1, 2], [1, 1], [-1, np.nan], "no measured run has a time above 0"),
        ([1, 2], [0, 1], [1, 1], "not between 0 and 1e"),
        ([1, 2], [1, 1e80], [1, 1], "not between 0 and 1e"),
        ([0, 2], [1, 1], [1, 1], "not between 0 and 1e"),
    ],
)
def test_unusable_measurements_are_refused(
    processes: list[float], sizes: list[float], times: list[float], reason: str
) -> None:
    with pytest.raises(UndeterminedError, match=reason):
        measurements(np.array(processes), np.array(sizes), np.array(times))


def test_runs_that_took_no_time_are_left_out() -> None:
    measured = measurements(np.array([1.0, 2.0, 4.0]), np.full(3, 5.0), np.array([3.0, -1.0, 0.0]))
    assert measured.processes.tolist() == [1]
