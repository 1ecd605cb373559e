"""The normal form names the terms that times are made of."""

from fractions import Fraction

import numpy as np
import pytest

from tests.helpers.surface_cases import Floats, Time, grid, measure
from tracemill.stages.models.surfaces.measurements import Measurements, measurements
from tracemill.stages.models.surfaces.normal_form import fit_normal_form
from tracemill.stages.models.surfaces.normal_form_terms import Factor, write_factor

# Seconds of sleep in each of five iterations of the campaign program.
SLEEPS = {
    "n/p": lambda p, n: 0.2e-3 * n / p,
    "log2(p)": lambda p, n: 1e-3 * np.log2(p),
    "p^2": lambda p, n: 0.02e-3 * p**2,
}
ITERATIONS = 5


def overslept(sleep: Time, seed: int) -> Measurements:
    """45 runs on a loaded machine.

    Every sleep ends 60 to 150 µs late, and on 16 processes on two cores by up to 24 % later.
    """
    generator = np.random.default_rng(seed)
    p, n = (np.repeat(each, 3) for each in grid((1, 2, 4, 8, 16), (100, 200, 400)))
    late = 60e-6 + 30e-6 * generator.exponential(size=len(p)).clip(max=3)
    load = 1 + 0.24 * generator.random(len(p)) ** 4 * (p / 16) ** 2
    return measurements(p, n, ITERATIONS * (sleep(p, n) * load + late))


@pytest.mark.parametrize("term", SLEEPS)
def test_terms_are_named_in_spite_of_late_sleeps(term: str) -> None:
    """Being late is a constant; load that comes by chance sometimes looks like another term."""
    forms = [fit_normal_form(overslept(SLEEPS[term], seed)) for seed in range(20)]
    named = [{each.write("n") for each in form.terms} - {""} for form in forms]
    assert all(term in terms for terms in named)
    assert sum(terms == {term} for terms in named) >= 15


def test_the_example_of_extra_p_has_its_published_term() -> None:
    """Its quick start has three runs each on 4 to 64 processes: 2.83 = 2^(3/2) times longer."""
    times = [
        (8.31, 8.02, 8.14),
        (22.74, 22.66, 23.20),
        (65.79, 64.74, 66.62),
        (186.78, 184.68, 181.58),
        (528.86, 522.44, 531.78),
    ]
    processes = np.repeat([4.0, 8, 16, 32, 64], 3)
    form = fit_normal_form(measurements(processes, np.ones(15), np.array(times).ravel()))
    assert [term.write("n") for term in form.terms] == ["p^(3/2)"]
    # Medians over p^(3/2): 1.0175, 1.0050, 1.0280, 1.0202, 1.0329.
    assert form.coefficients[0] == pytest.approx(1.02, abs=0.01)
    assert form.cross_error < 0.02


EXACT = {
    "constant": (lambda p, n: 0 * p + 0.25, "0.25"),
    "size alone": (lambda p, n: 0.5 * n * np.log2(n), "0.5*n*log2(n)"),
    "product": (lambda p, n: 1 + 2e-3 * n**2 * np.log2(p), "1 + 0.002*n^2*log2(p)"),
    "quotient": (lambda p, n: 1e-3 * n**1.5 / p, "0.001*n^(3/2)/p"),
    "sum": (lambda p, n: 1 + 0.01 * n / p + 0.3 * np.log2(p), "1 + 0.01*n/p + 0.3*log2(p)"),
    "no constant": (lambda p, n: 0.01 * n / p + 0.3 * p, "0.01*n/p + 0.3*p"),
    "serial part": (lambda p, n: 0.5 * n + 2 * n / p, "0.5*n + 2*n/p"),
    "waiting for one": (lambda p, n: 3e-4 * n * (1 - 1 / p) + 1e-3, "0.0003*n*(1 - 1/p) + 0.001"),
    "caches": (lambda p, n: 3 * n / p ** (4 / 3), "3*n/p^(4/3)"),
}


@pytest.mark.parametrize(("time", "formula"), EXACT.values(), ids=EXACT)
def test_exact_times_give_their_formula(time: Time, formula: str) -> None:
    form = fit_normal_form(measure(time))
    assert sorted(form.formula("n").split(" + ")) == sorted(formula.split(" + "))
    assert form.cross_error < 1e-9


def test_leading_factors_grow_fastest() -> None:
    form = fit_normal_form(measure(lambda p, n: 1 + 0.01 * n / p + 0.3 * np.log2(p)))
    assert form.leading_in_processes == Factor(Fraction(0), 1)
    assert form.leading_in_size == Factor(Fraction(1), 0)
    assert fit_normal_form(measure(lambda p, n: 0 * p + 1)).leading_in_size is None


@pytest.mark.parametrize(
    ("power", "log", "text"),
    [
        ("1", 0, "p"),
        ("2/3", 0, "p^(2/3)"),
        ("0", 2, "log2(p)^2"),
        ("5/2", 1, "p^(5/2)*log2(p)"),
        ("-1", 0, "1/p"),
        ("-1/2", 1, "log2(p)/p^(1/2)"),
    ],
)
def test_factors_are_written_as_usual(power: str, log: int, text: str) -> None:
    assert write_factor(Factor(Fraction(power), log), "p") == text


def test_a_factor_of_the_other_processes_has_its_slope() -> None:
    """(1 - 1/x)' = 1/x^2."""
    value, slope = Factor(Fraction(0), 0, of_others=True).evaluate(np.array([1.0, 2, 4]))
    assert value.tolist() == [0, 0.5, 0.75]
    assert slope.tolist() == [1, 0.25, 0.0625]


def test_terms_that_sum_up_to_the_constant_are_no_obstacle() -> None:
    """1, 1/p and 1 - 1/p are dependent: no sum has them all; what follows no law is constant."""
    processes = 2.0 ** np.arange(6)
    times = np.array([1, 100, 1, 100, 1, 100.0])
    form = fit_normal_form(measurements(processes, np.ones(6), times), most_terms=3, width=6)
    # Least squares of relative errors: sum of 1/T over sum of 1/T^2.
    assert form.coefficients == pytest.approx([3.03 / 3.0003])


def test_noise_adds_no_terms() -> None:
    """Of 30 constants with 5 % of noise almost all are found constant."""
    forms = [
        fit_normal_form(measure(lambda p, n: 0 * p + 1, repetitions=3, noise=0.05, seed=seed))
        for seed in range(30)
    ]
    assert sum(len(form.terms) == 1 and form.terms[0].write("n") == "" for form in forms) >= 27


def test_two_values_cannot_distinguish_exponents() -> None:
    """With two sizes n^2 looks like any other growth: the plainest stands for it."""
    form = fit_normal_form(measure(lambda p, n: 1e-4 * n**2 / p, sizes=(100, 200)))
    factor = form.leading_in_size
    assert factor is None or factor in (Factor(Fraction(1), 0), Factor(Fraction(0), 1))


def test_sizes_below_one_have_no_logarithms() -> None:
    form = fit_normal_form(measure(lambda p, n: 2 * n / p, sizes=(0.25, 0.5, 0.75)))
    assert form.formula("n") == "2*n/p"


def test_coefficients_come_from_all_of_many_configurations() -> None:
    """Terms are chosen by 240 of these 800, coefficients by all of them."""

    def time(p: Floats, n: Floats) -> Floats:
        return 0.5 + 0.01 * n / p

    many = measure(time, range(2, 33, 2), range(10, 501, 10), noise=0.02)
    form = fit_normal_form(many)
    design = np.column_stack([np.ones(800), many.sizes / many.processes]) / many.times[:, None]
    expected, *_ = np.linalg.lstsq(design, np.ones(800), rcond=None)
    assert [term.write("n") for term in form.terms] == ["", "n/p"]
    assert form.coefficients == pytest.approx(expected.tolist(), rel=1e-9)
