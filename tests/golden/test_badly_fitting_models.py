"""A model that is far off is never offered as one that describes the runs."""

from fractions import Fraction
from typing import Any

import numpy as np

from tracemill.reports.campaign_sections.efficiency import describe_marks
from tracemill.reports.campaign_sections.runs import describe_names, describe_varying
from tracemill.reports.campaign_sections.surface import _pictures, describe_choice
from tracemill.stages.models.surfaces.choice import LARGEST_ERROR, Fit, _choose, fit_all
from tracemill.stages.models.surfaces.measurements import measurements
from tracemill.stages.models.surfaces.normal_form import NormalForm
from tracemill.stages.models.surfaces.normal_form_terms import ONE, Factor, Term


def fits_of(times: list[float]) -> list[Fit]:
    """Times of 1, 2, 4, … processes at one size."""
    processes = 2.0 ** np.arange(len(times))
    return fit_all(measurements(processes, np.full(len(times), 10.0), np.array(times)))


def sentences_on(**row: Any) -> list[str]:
    given = {
        "application": "x", "model": "Amdahl", "formula": "8/p", "is_chosen": False,
        "cross_validated_ratio": None, "reason": "too few runs", "noise_ratio": 0.03,
        "verdict": "within noise",
    }  # fmt: skip
    return list(describe_choice([given | row]))


# Two programs under one name: one takes 1 s, the other 100 s, in turn.
def test_no_model_is_chosen_if_the_best_has_a_large_error() -> None:
    fits = fits_of([1, 100, 1, 100, 1, 100])
    first = next(fit for fit in fits if fit.rank == 1)
    assert first.cross_error is not None
    assert first.cross_error > LARGEST_ERROR
    assert not any(fit.is_chosen for fit in fits)


def test_a_bad_fit_is_reported() -> None:
    assert sentences_on(cross_validated_ratio=16.7) == [
        "x: no model describes these runs: the best is T = 8/p in seconds on p processes, off by "
        "1670.0% for configurations left out of the fit."
    ]
    off = (
        "x: T = 8/p in seconds on p processes, off by 10.0% for configurations left out of the fit"
    )
    assert sentences_on(cross_validated_ratio=0.1, is_chosen=True) == [
        f"{off}, within noise (repetitions differ by 3.0%)."
    ]
    assert sentences_on(
        cross_validated_ratio=0.1, is_chosen=True, verdict="not explained by noise"
    ) == [f"{off}, more than noise (repetitions differ by 3.0%): limits are not extrapolated."]
    assert sentences_on(cross_validated_ratio=0.1, is_chosen=True, verdict="noise not known") == [
        f"{off}; without repetitions, the noise is not known."
    ]


def test_measured_times_are_drawn_without_a_model() -> None:
    measured = [
        {"application": "x", "processes": p, "size": n, "measured_ns": n / p, "measured_rate": p}
        for p in (1, 2) for n in (10, 20)
    ]  # fmt: skip
    titles = [picture.title for picture in _pictures(measured, [], [], {})]
    assert titles == ["Measured time of x", "Rate of x"]


def test_a_formula_is_chosen_unless_a_smooth_surface_halves_its_error() -> None:
    """`smooth`, of more parameters, is first only where half the error is not enough."""
    fits = {error: _choose([judged("joint", error, 4), judged("smooth", 0.05, 16)])
            for error in (0.099, 0.101)}  # fmt: skip
    assert {error: fit and fit.model for error, fit in fits.items()} == {
        0.099: "joint", 0.101: "smooth",
    }  # fmt: skip


def test_a_formula_that_describes_nothing_does_not_hide_a_smooth_surface() -> None:
    chosen = _choose([judged("joint", LARGEST_ERROR + 0.01, 4), judged("smooth", 0.2, 16)])
    assert chosen is not None
    assert chosen.model == "smooth"


def test_the_best_formula_is_chosen_before_a_smooth_surface() -> None:
    fits = [judged("joint", 0.09, 4), judged("without overlap", 0.06, 6)]
    chosen = _choose([*fits, judged("smooth", 0.05, 16)])
    assert chosen is not None
    assert chosen.model == "without overlap"


def judged(model: str, error: float, parameters: int) -> Fit:
    """A fit with an error and a number of parameters only."""
    powers = tuple(Fraction(number) for number in range(parameters))
    surface = NormalForm(
        tuple(Term(Factor(power, 0), ONE) for power in powers), (1.0,) * parameters, error, error
    )
    return Fit(model, surface, error, error)


def test_a_smooth_surface_is_explained() -> None:
    rows: list[dict[str, Any]] = [
        {"application": "x", "model": "smooth", "formula": "3*p^-0.5 * smooth deviation",
         "is_chosen": True, "parameter_count": 16, "cross_validated_ratio": 0.03, "reason": None,
         "noise_ratio": 0.03, "verdict": "within noise"},
        {"application": "x", "model": "joint", "formula": "8/p", "is_chosen": False,
         "parameter_count": 4, "cross_validated_ratio": 0.07, "reason": None},
    ]  # fmt: skip
    (sentence,) = describe_choice(rows)
    assert "no formula" in sentence
    assert "16 effective parameters" in sentence
    assert "Measured and fitted times" in sentence
    assert sentence.endswith("The best formula, T = 8/p in seconds, has an error of 7.0%.")


def test_models_that_cannot_be_judged_are_not_called_unfitted() -> None:
    (sentence,) = sentences_on()
    assert "models can be fitted" in sentence
    assert sentences_on(formula=None) == ["x: no model can be fitted: too few runs."]


MARKS = {
    "application": "x", "region": "whole", "reason": None, "cell_count": 3, "covered_ratio": 3 / 8,
    "process_growth": -0.5, "data_growth": 0.25, "min_efficiency_ratio": 0.1,
    "max_efficiency_ratio": 1.0, "min_processes": 1, "max_processes": 4, "min_size": 100.0,
    "max_size": 400.0,
}  # fmt: skip


def test_the_sentence_on_growth_names_the_covered_range_and_the_range_of_efficiency() -> None:
    assert list(describe_marks([MARKS])) == [
        "x: on average where neighbors were measured (37.5% of the grid), efficiency falls by 50.0 "
        "points from 1 to 4 processes and grows by 25.0 points from size 100 to 400. Over all "
        "configurations, it is 10.0% to 100.0%."
    ]
    (sentence,) = describe_marks([MARKS | {"covered_ratio": 1.0}])
    assert sentence.startswith("x: on average, efficiency falls by 50.0 points from 1 to 4")


def test_growth_within_rounding_is_no_change() -> None:
    (sentence,) = describe_marks([MARKS | {"data_growth": -8e-9, "process_growth": 4e-4}])
    assert "less than 0.1 points from 1 to 4 processes and does not change from size" in sentence


def test_runs_grouped_by_name_are_reported() -> None:
    names = {"application": "x", "run_count": 2, "first_label": "x1", "last_label": "x2"}
    assert list(describe_names([names])) == [
        "x: 2 runs are grouped by the names of their traces, x1 to x2."
    ]
    varying = {"application": "x", "parameter": "block", "parameter_values": "32, 64"}
    (sentence,) = describe_varying([varying])
    assert sentence.startswith("x: runs differ in block (32, 64). The grid")
