"""The scalability function S, where it changes sign, and how far efficiency stays above a bound."""

import numpy as np
import pytest

from tests.helpers.surface_cases import Floats, cm5, cm5_slopes, grid, measure
from tracemill.stages.models.surfaces.computation_size import computation_size
from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.indices import (
    Point,
    general_speed_up,
    gustafson_speed_up,
    linear_efficiency,
    mean_speed_up,
    serial_fraction,
)
from tracemill.stages.models.surfaces.limits import Ranges, find_sign_changes, places_along
from tracemill.stages.models.surfaces.measurements import UndeterminedError
from tracemill.stages.models.surfaces.scalability import (
    Path,
    fixed_processes,
    fixed_size,
    follow,
    scaled_size,
)
from tracemill.stages.models.surfaces.separable import Separable

CM5 = Separable((0.0300746, -0.00011629, 3.33514e-6), 0.767314, 0.00868232)
MEASURED = measure(cm5, range(2, 33, 2), range(10, 501, 10))
# Operations of a matrix multiplication.
OPERATIONS = computation_size("2 * n**3", "n", MEASURED)
PROCESSES, SIZES = grid([2, 5, 16, 31], [20, 130, 480])


# --- Constraints, on the published surface --------------------------------------------------------


def test_s_at_fixed_size() -> None:
    """S(p) = -s/(p^2 T) - s T_p/(p T^2)."""
    p, s, time = PROCESSES, 2 * SIZES**3, cm5(PROCESSES, SIZES)
    by_p, _ = cm5_slopes(PROCESSES, SIZES)
    found = follow(CM5, OPERATIONS, fixed_size(s), p)
    assert found.mean_speed_up == pytest.approx(s / (p * time))
    assert found.sizes == pytest.approx(SIZES)
    assert found.change == pytest.approx(-s / (p**2 * time) - s * by_p / (p * time**2))
    assert found.elasticity == pytest.approx(found.change * p / found.mean_speed_up)


def test_s_at_fixed_processes() -> None:
    """S(s) = 1/(p T) - s T_s/(p T^2), with T_s = T_n / (6 n^2)."""
    p, s, time = PROCESSES, 2 * SIZES**3, cm5(PROCESSES, SIZES)
    by_s = cm5_slopes(PROCESSES, SIZES)[1] / (6 * SIZES**2)
    found = follow(CM5, OPERATIONS, fixed_processes(p), s)
    assert found.change == pytest.approx(1 / (p * time) - s * by_s / (p * time**2))


def test_s_at_scaled_size() -> None:
    """R = (s/p)/T with s/p fixed: S = -(s/p) (T_p + T_s s/p) / T^2."""
    p, s, time = PROCESSES, 2 * SIZES**3, cm5(PROCESSES, SIZES)
    by_p, by_n = cm5_slopes(PROCESSES, SIZES)
    by_s = by_n / (6 * SIZES**2)
    path = scaled_size(Function("p", {"p": 0}), p, s)
    found = follow(CM5, OPERATIONS, path, p)
    assert found.change == pytest.approx(-(s / p) * (by_p + by_s * s / p) / time**2)


def test_s_along_any_path() -> None:
    """Along p = 2 + t, s = 10^5 t^2, against differences of R itself."""

    def size_of(t: Floats) -> Floats:
        return (1e5 * t**2 / 2) ** (1 / 3)

    def speed_up(t: Floats) -> Floats:
        return 1e5 * t**2 / ((2 + t) * cm5(2 + t, size_of(t)))

    path = Path(lambda t: (2 + t, 1 + 0 * t), lambda t: (1e5 * t**2, 2e5 * t))
    t, step = np.array([1.0, 4.0, 20.0]), 1e-5
    found = follow(CM5, OPERATIONS, path, t)
    difference = (speed_up(t + step) - speed_up(t - step)) / (2 * step)
    assert found.mean_speed_up == pytest.approx(speed_up(t))
    assert found.change == pytest.approx(difference, rel=1e-6)
    assert found.sizes == pytest.approx(size_of(t))


def test_work_that_is_shared_perfectly_is_perfectly_scalable() -> None:
    shared = Separable((0.5, 0.0, 0.0), 1.0, 0.0)
    size = computation_size("n", "n", MEASURED)
    for path, t in ((fixed_size(SIZES), PROCESSES), (fixed_processes(PROCESSES), SIZES)):
        assert follow(shared, size, path, t).elasticity == pytest.approx(0, abs=1e-12)


def test_the_amount_of_computation_may_depend_on_processes() -> None:
    """With n per process s = n p: to stay at s = 120, 3 processes have 40 each."""
    size = computation_size("n * p", "n", MEASURED)
    found = follow(CM5, size, fixed_size(np.array([120.0])), np.array([3.0]))
    time, by_p, by_n = cm5(3.0, 40.0), *cm5_slopes(3.0, 40.0)
    slope = by_p + by_n * -120 / 9
    assert found.sizes == pytest.approx([40])
    assert found.change == pytest.approx([-120 / (9 * time) - 120 * slope / (3 * time**2)])


# --- Amounts of computation -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "slope"),
    [
        ("2 * n**3", 128.0, 96.0),
        ("n^2 / 3 - n", 4 / 3, 5 / 3),
        ("n * log2(n)", 8.0, 2 + 1 / np.log(2)),
        ("sqrt(n) + exp(n - 4)", 3.0, 1.25),
        ("-(-n)", 4.0, 1.0),
        ("2 ** n", 16.0, 16 * np.log(2)),
        ("n // 3 + n", 5.0, 1.0),
        ("ceil(n / 3) * floor(n / 3) * n", 8.0, 2.0),
        ("max(n**2, n, 3)", 16.0, 8.0),
        ("min(n**2, 3 * n)", 12.0, 3.0),
        # ln(n)^2 / ln(10), as log10(n) is ln(n) / ln(10).
        ("log(n) * log10(n)", np.log(4) ** 2 / np.log(10), np.log(4) / (2 * np.log(10))),
    ],
)
def test_expressions_are_differentiated(text: str, value: float, slope: float) -> None:
    found = Function(text, {"n": 0}).evaluate(np.array([4.0]))
    assert found.value == pytest.approx([value])
    assert found.slopes[0] == pytest.approx([slope])


@pytest.mark.parametrize("text", ["n +", "m", "n if n else 1", "f(n)", "n % 2", "True", "n.real"])
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(UndeterminedError, match=r"is no expression|cannot be|can be"):
        Function(text, {"n": 0}).evaluate(np.array([4.0]))


@pytest.mark.parametrize("text", ["1 / n", "n - 100", "5"])
def test_amounts_must_be_positive_and_grow(text: str) -> None:
    with pytest.raises(UndeterminedError, match=r"not positive|does not grow"):
        computation_size(text, "n", MEASURED)


def test_sizes_are_found_from_amounts() -> None:
    size = computation_size("n**2 + 3*n", "n", MEASURED)
    sizes = np.array([1e-3, 7.0, 250.0, 1e6])
    found = size.invert(np.ones(4), sizes**2 + 3 * sizes)
    assert found == pytest.approx(sizes, rel=1e-12)


def test_an_amount_below_all_sizes_has_no_size() -> None:
    size = computation_size("n + 100", "n", MEASURED)
    assert np.isnan(size.invert(np.ones(1), np.array([50.0]))).all()


# --- Changes of sign ------------------------------------------------------------------------------


def test_changes_of_sign_are_found() -> None:
    """(t - 3)(t - 20) is positive up to 3, and again from 20; (t - 3) grows through 3."""
    ranges = Ranges(np.full(2, 1.0), np.full(2, 16.0), np.full(2, 256.0))

    def course(curve: Floats, t: Floats) -> Floats:
        return np.where(curve == 0, (t - 3) * (t - 20), t - 3)

    places = places_along(ranges)
    values = course(np.array([[0], [1]]), places)
    first, second = find_sign_changes(values, course, ranges)  # type: ignore[arg-type]
    assert [each.t for each in first.changes] == pytest.approx([3, 20])
    assert [each.is_falling for each in first.changes] == [True, False]
    assert [each.is_extrapolated for each in first.changes] == [False, True]
    assert [each.is_falling for each in second.changes] == [False]
    assert (first.first, second.first) == (1, -1)


def test_rounding_errors_have_no_sign() -> None:
    ranges = Ranges(np.ones(1), np.full(1, 16.0), np.full(1, 256.0))
    noise = np.random.default_rng(1).normal(0, 1e-12, places_along(ranges).shape)
    (signs,) = find_sign_changes(noise, lambda curve, t: 0 * t, ranges)
    assert (signs.changes, signs.first, signs.known_to) == ((), 0, 256)


def test_curves_without_values_have_no_sign() -> None:
    ranges = Ranges(np.ones(1), np.full(1, 16.0), np.full(1, 256.0))
    nothing = np.full(places_along(ranges).shape, np.nan)
    (signs,) = find_sign_changes(nothing, lambda curve, t: np.nan * t, ranges)
    assert signs.first is None


# --- Indices --------------------------------------------------------------------------------------


def test_indices_compare_two_runs() -> None:
    """12 units in 3 s on 4 processes, against 2 units in 1 s on 2."""
    at, reference = Point(4, 12, 3), Point(2, 2, 1)
    assert general_speed_up(at, reference) == 2  # (12/3) / (2/1)
    assert mean_speed_up(at, reference) == 1  # (12/12) / (2/2)
    assert linear_efficiency(Point(8, 2, 0.4), Point(2, 2, 1)) == 0.625  # 2*1/8 / 0.4


def test_the_speed_up_of_gustafson() -> None:
    """A quarter of the time on 8 processes is serial: 8 * 3/4 + 1/4."""
    assert gustafson_speed_up(np.array([8.0]), np.array([0.25])) == [6.25]


def test_the_serial_fraction_of_karp_and_flatt() -> None:
    """T(1) = 10 and T(5) = 4: (0.4 - 0.2) / (1 - 0.2); T(5) = 1.5 is faster than linear."""
    p, one = np.array([5.0, 5.0]), np.ones(2)
    found = serial_fraction(p, np.array([4.0, 1.5]), one, 10 * one)
    assert found == pytest.approx([0.25, -0.0625])


def test_a_serial_fraction_without_a_sequential_run() -> None:
    """T(2) = 0.55 and T(10) = 0.19 are 0.1 + 0.9/p."""
    found = serial_fraction(np.array([10.0]), np.array([0.19]), np.array([2.0]), np.array([0.55]))
    assert found == pytest.approx([0.1])
