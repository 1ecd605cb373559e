"""Laws of surfaces and scalability functions, and slow versions of their algorithms."""

from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.running import run_query
from tests.helpers.surface_cases import Floats, grid, measure
from tracemill.stages.models.surfaces.computation_size import computation_size
from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.indices import serial_fraction
from tracemill.stages.models.surfaces.limits import Ranges, find_sign_changes, places_along
from tracemill.stages.models.surfaces.measurements import Measurements, measurements
from tracemill.stages.models.surfaces.normal_form import fit_normal_form
from tracemill.stages.models.surfaces.normal_form_terms import CONSTANT
from tracemill.stages.models.surfaces.scalability import Path, follow, scaled_size
from tracemill.stages.models.surfaces.separable import Separable, fit_in_two_steps, fit_jointly
from tracemill.stages.models.surfaces.smooth import fit_smooth
from tracemill.stages.models.surfaces.two_parts import fit_without_overlap

positive = st.floats(0.01, 100)
FITS = {
    "two steps": lambda measured: fit_in_two_steps(measured, is_relative=True),
    "joint": fit_jointly,
    "without overlap": fit_without_overlap,
    "normal form": fit_normal_form,
    "smooth": fit_smooth,
}


@st.composite
def noisy(draw: st.DrawFn) -> Measurements:
    """A sum of two terms and a constant with some noise, on a small grid, in any order."""
    c0, c1, c2 = (draw(positive) for _ in range(3))
    generator = np.random.default_rng(draw(st.integers(0, 1000)))
    p, n = (np.repeat(each, 2) for each in grid((1, 2, 4, 8), (10, 20, 40)))
    times = (c0 + c1 * n / p + c2 * np.log2(p)) * (1 + 0.05 * generator.standard_normal(len(p)))
    order = generator.permutation(len(p))
    return measurements(p[order], n[order], times[order])


@st.composite
def separable(draw: st.DrawFn) -> Separable:
    return Separable(
        (draw(positive), draw(positive), draw(positive)), draw(positive), draw(positive)
    )


# --- Fits -----------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(noisy(), st.floats(1e-6, 1e6), st.sampled_from(sorted(FITS)))
def test_other_units_of_time_scale_the_surface(
    measured: Measurements, factor: float, model: str
) -> None:
    scaled = measurements(measured.processes, measured.sizes, measured.times * factor)
    p, n = grid((1, 3, 16), (10, 25))
    before, after = (FITS[model](each).evaluate(p, n) for each in (measured, scaled))
    assert after.time == pytest.approx(before.time * factor, rel=1e-5)


@settings(max_examples=15)
@given(noisy(), st.randoms(use_true_random=False), st.sampled_from(sorted(FITS)))
def test_the_order_of_runs_does_not_matter(measured: Measurements, random: Any, model: str) -> None:
    order = random.sample(range(len(measured.times)), len(measured.times))
    columns = (each[order] for each in (measured.processes, measured.sizes, measured.times))
    again = FITS[model](measurements(*columns))
    assert again.parameters == FITS[model](measured).parameters


@settings(max_examples=25)
@given(noisy())
def test_cross_validated_errors_equal_fits_without_one_configuration(
    measured: Measurements,
) -> None:
    """The cross-validated error of the chosen terms, by one least-squares fit per configuration."""
    form, medians = fit_normal_form(measured), measured.medians()
    p, n, times = medians.processes, medians.sizes, medians.times
    columns = np.array([term.evaluate(p, n)[0] for term in form.terms]).T / times[:, None]
    errors = []
    for left_out in range(len(times)):
        seen = np.arange(len(times)) != left_out
        coefficients, *_ = np.linalg.lstsq(columns[seen], np.ones(seen.sum()), rcond=None)
        ratio = float(columns[left_out] @ coefficients)
        errors.append(2 * abs(ratio - 1) / (abs(ratio) + 1))
    assert form.cross_error == pytest.approx(np.mean(errors), rel=1e-6)


@settings(max_examples=25)
@given(noisy())
def test_no_single_term_is_much_better_than_the_normal_form(measured: Measurements) -> None:
    """Against every p^i log2(p)^j n^k with a constant, each fitted by itself."""
    form, medians = fit_normal_form(measured, most_terms=1), measured.medians()
    p, n, times = medians.processes, medians.sizes, medians.times
    best = form.cross_error
    for i in (-1, -0.5, 0, 0.5, 1, 2):
        for j in (0, 1) if i >= 0 else (0,):
            for k in (0, 0.5, 1, 2):
                column = p**i * np.log2(p) ** j * n**k / times
                design = np.column_stack([1 / times, column])
                if np.linalg.matrix_rank(design) < 2:
                    continue
                coefficients, *_ = np.linalg.lstsq(design, np.ones(len(times)), rcond=None)
                if (coefficients < 0).any():
                    continue
                hat = design @ np.linalg.pinv(design)
                residual = (1 - design @ coefficients) / (1 - np.diag(hat))
                best = min(best, float(np.mean(2 * np.abs(residual) / (np.abs(1 - residual) + 1))))
    # Simpler ones win over what is better by chance; what halves the error does not come by chance.
    assert form.cross_error <= 2.01 * best


@settings(max_examples=25)
@given(noisy())
def test_normal_forms_have_no_negative_parts(measured: Measurements) -> None:
    form = fit_normal_form(measured, most_terms=3)
    assert min(form.coefficients) >= 0
    assert len(set(form.terms)) == len(form.terms)
    assert CONSTANT not in form.terms[1:]


# --- Scalability ----------------------------------------------------------------------------------


@settings(max_examples=50)
@given(separable(), st.floats(1, 100), st.floats(1, 100), st.floats(-1, 2), st.floats(0.5, 3))
def test_s_is_the_slope_of_the_mean_speed_up(
    surface: Separable, p0: float, s0: float, power: float, exponent: float
) -> None:
    """Along p = p0 t, s = s0 t^power, where s = n^exponent."""
    measured = measure(lambda p, n: n / p)
    size = computation_size(f"n ** {exponent!r}", "n", measured)
    path = Path(
        lambda t: (p0 * t, p0 + 0 * t), lambda t: (s0 * t**power, s0 * power * t ** (power - 1))
    )

    def speed_up(t: Floats) -> Floats:
        amount, processes = s0 * t**power, p0 * t
        time = surface.evaluate(processes, amount ** (1 / exponent)).time
        return amount / (processes * time)

    t, step = np.array([0.7, 1.0, 5.0]), 1e-5
    found = follow(surface, size, path, t)
    slope = (speed_up(t * (1 + step)) - speed_up(t * (1 - step))) / (2 * step * t)
    assert found.mean_speed_up == pytest.approx(speed_up(t), rel=1e-9)
    assert found.change == pytest.approx(
        slope, rel=1e-4, abs=1e-7 * float(found.mean_speed_up.max())
    )


@given(st.floats(0.5, 2), st.floats(1, 50), st.floats(1, 50))
def test_scaled_sizes_go_through_their_start(power: float, p0: float, s0: float) -> None:
    path = scaled_size(Function(f"p ** {power!r}", {"p": 0}), np.array([p0]), np.array([s0]))
    assert path.amounts(np.array([p0]))[0] == pytest.approx([s0])
    assert path.amounts(np.array([2 * p0]))[0] == pytest.approx([s0 * 2**power])


@given(st.lists(st.floats(1.1, 200), min_size=1, max_size=4, unique=True), st.booleans())
def test_every_root_far_from_others_is_found(roots: list[float], is_negative: bool) -> None:
    roots = sorted(roots)
    if any(b / a < 1.2 for a, b in pairwise(roots)):
        return
    sign = -1 if is_negative else 1

    def course(curve: Any, t: Floats) -> Floats:
        return sign * np.prod([t / root - 1 for root in roots], axis=0)

    ranges = Ranges(np.ones(1), np.full(1, 16.0), np.full(1, 256.0))
    values = course(0, places_along(ranges))
    (found,) = find_sign_changes(values, course, ranges)
    assert [change.t for change in found.changes] == pytest.approx(roots, rel=1e-9)
    assert [change.is_extrapolated for change in found.changes] == [root > 16 for root in roots]


@given(st.floats(0, 1), st.floats(0.1, 100), st.integers(1, 64), st.integers(2, 64))
def test_serial_fractions_come_back(alpha: float, first: float, p0: int, ratio: int) -> None:
    def time(p: float) -> float:
        return first * (alpha + (1 - alpha) / p)

    p = p0 * ratio
    found = serial_fraction(*(np.array([x]) for x in (float(p), time(p), float(p0), time(p0))))
    assert found == pytest.approx([alpha], abs=1e-6)


# --- Runs that stand for their configuration ------------------------------------------------------


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 2), st.integers(1, 2), st.integers(1, 3), st.sampled_from(["", "b"]),
            st.one_of(st.none(), st.integers(0, 20)),
        ),
        max_size=25,
    )
)  # fmt: skip
def test_representative_runs_are_those_of_the_least_median(
    given_runs: list[tuple[int, int, int, str, int | None]],
) -> None:
    runs = [
        {"campaign_run_id": number, "processes": p, "size": float(n), "threads": threads,
         "variant": variant, "repetition": 1, "time_ns": time,
         "state": "failed" if time is None else "measured"}
        for number, (p, n, threads, variant, time) in enumerate(given_runs)
    ]  # fmt: skip
    times: dict[Any, list[int]] = {}
    for p, n, threads, variant, time in given_runs:
        if time is not None:
            times.setdefault((p, n, threads, variant), []).append(time)
    best = {
        pair: min(
            (median(each), *launch[2:]) for launch, each in times.items() if launch[:2] == pair
        )
        for pair in {launch[:2] for launch in times}
    }
    expected = [
        (number,)
        for number, (p, n, threads, variant, time) in enumerate(given_runs)
        if time is not None and best[p, n][1:] == (threads, variant)
    ]
    assert run_query("representative_runs", {"campaign_runs": runs}, "campaign_run_id") == expected
