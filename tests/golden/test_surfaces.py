"""Tables of surfaces: fits, the composed model, noise, and the runs that they represent."""

import math
import random
from typing import Any

import numpy as np
import pytest

from tests.helpers.running import run_query
from tests.helpers.surface_cases import NS, Tables, campaign, computed, only
from tracemill.schemas.surfaces import FITTED_MODELS
from tracemill.stages.models.surfaces.choice import judge
from tracemill.stages.models.surfaces.measurements import measurements

# --- Fits -----------------------------------------------------------------------------------------


def test_every_model_has_a_row(surfaces: Tables) -> None:
    fits = surfaces["surface_fits"]
    assert tuple(row["model"] for row in fits) == FITTED_MODELS
    assert {(row["configuration_count"], row["run_count"]) for row in fits} == {(9, 9)}
    chosen = only(fits, is_chosen=True)
    assert (chosen["model"], chosen["formula"]) == ("normal form", "1 + n/p")
    assert (chosen["parameter_count"], chosen["rank"], chosen["reason"]) == (2, 1, None)
    assert chosen["cross_validated_error"] < 1e-9


def test_figures_of_a_fit_are_listed(surfaces: Tables) -> None:
    rows = [row for row in surfaces["surface_parameters"] if row["model"] == "Amdahl"]
    assert [(row["ordinal"], row["parameter"]) for row in rows] == [
        (0, "T_par(2)"), (1, "T_seq(2)"), (2, "T_par(4)"), (3, "T_seq(4)"), (4, "T_par(8)"),
        (5, "T_seq(8)"),
    ]  # fmt: skip
    assert [row["value"] for row in rows] == pytest.approx([2, 1, 4, 1, 8, 1])


def test_points_hold_measured_and_fitted_times(surfaces: Tables) -> None:
    points = surfaces["surface_points"]
    row = only(points, model="normal form", processes=4, size=8.0)
    assert (row["measured_ns"], row["fitted_ns"]) == (3 * NS, 3 * NS)
    assert (row["lower_ns"], row["upper_ns"]) == (None, None)
    smooth = only(points, model="smooth", processes=4, size=8.0)
    assert smooth["lower_ns"] < smooth["fitted_ns"] < smooth["upper_ns"]


def test_pairs_that_were_not_run_are_fitted_too() -> None:
    tables = campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8))
    del tables["campaign_runs"][4]
    row = only(computed(tables)["surface_points"], model="Amdahl", processes=2, size=4.0)
    assert (row["measured_ns"], row["fitted_ns"]) == (None, 3 * NS)


# --- The composed model ---------------------------------------------------------------------------

SOLVE, SERIAL, RARE = 1, 2, 3


def with_paths(tables: Tables, times: dict[int, Any]) -> Tables:
    """A campaign in which the critical path spends given seconds in call paths."""
    costs = [
        {"campaign_run_id": run["campaign_run_id"], "call_path_key": key, "exclusive_ns": 1,
         "critical_path_ns": round(time(run["processes"], run["size"]) * NS)}
        for run in tables["campaign_runs"]
        for key, time in times.items()
    ]  # fmt: skip
    paths = [{"call_path_key": key} for key in times]
    return tables | {"run_call_paths": costs, "campaign_call_paths": paths}


def test_the_composed_model_is_the_sum_of_its_call_paths() -> None:
    """T = n/p + 1: n/p in solve, 0.999 in serial and 0.001 in rare, less than 1 % of it."""
    tables = with_paths(
        campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8)),
        {SOLVE: lambda p, n: n / p, SERIAL: lambda p, n: 0.999, RARE: lambda p, n: 0.001},
    )
    made = computed(tables)
    fit = only(made["surface_fits"], model="composed")
    assert (fit["formula"], fit["parameter_count"]) == ("1 + n/p", 3)
    assert fit["cross_validated_error"] < 1e-9
    # The most processes and their largest size: 8/4 of 3 s.
    columns = ("ordinal", "part", "call_path_key", "formula", "processes", "size")
    rows = made["composed_terms"]
    assert [tuple(row[name] for name in columns) for row in rows] == [
        (0, "call path", SOLVE, "n/p", 4, 8),
        (1, "call path", SERIAL, "0.999", 4, 8),
        (2, "other call paths", None, "0.001", 4, 8),
    ]
    shares = [row["share_ratio"] for row in rows]
    assert shares == pytest.approx([2 / 3, 0.999 / 3, 0.001 / 3])


def test_time_outside_of_the_path_is_a_term() -> None:
    tables = with_paths(
        campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8)), {SOLVE: lambda p, n: n / p}
    )
    made = computed(tables)
    parts = [(row["part"], row["formula"]) for row in made["composed_terms"]]
    assert parts == [("call path", "n/p"), ("outside of the path", "1")]


def test_a_call_path_of_few_configurations_is_not_modeled_alone() -> None:
    """`rare` takes time with 4 processes only: three configurations, none of which can be left."""
    tables = with_paths(
        campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8)),
        {SOLVE: lambda p, n: n / p, SERIAL: lambda p, n: 1 - (p == 4) / 4,
         RARE: lambda p, n: (p == 4) / 4},
    )  # fmt: skip
    rows = computed(tables)["composed_terms"]
    assert {row["call_path_key"] for row in rows} == {SOLVE, SERIAL}


def test_a_call_path_that_is_long_once_is_not_modeled_alone() -> None:
    """`rare` takes 5 % of the path in one of three repetitions, else nothing."""
    tables = campaign(lambda p, n: n / p + 1, (1, 2, 4), (2, 4, 8))
    runs = tables["campaign_runs"]
    tables["campaign_runs"] = [
        run | {"campaign_run_id": 3 * run["campaign_run_id"] + number, "repetition": number + 1}
        for run in runs for number in range(3)
    ]  # fmt: skip
    times = {SOLVE: lambda p, n: n / p, SERIAL: lambda p, n: 0.9, RARE: lambda p, n: 0.1}
    made = with_paths(tables, times)
    for row in made["run_call_paths"]:
        if row["call_path_key"] == RARE and row["campaign_run_id"] % 3 > 0:
            row["critical_path_ns"] = 0
    assert {row["call_path_key"] for row in computed(made)["composed_terms"]} == {
        SOLVE,
        SERIAL,
        None,
    }


def test_few_configurations_have_no_composed_model() -> None:
    tables = with_paths(campaign(lambda p, n: 4 / p, (1, 2, 4), (4,)), {SOLVE: lambda p, n: 4 / p})
    fit = only(computed(tables)["surface_fits"], model="composed")
    assert fit["reason"] == "needs call paths that take time in 4 configurations"


def test_without_traces_there_is_no_composed_model(surfaces: Tables) -> None:
    fit = only(surfaces["surface_fits"], model="composed")
    assert fit["reason"] == "needs the critical path of every run, from traces"
    assert surfaces["composed_terms"] == []


# --- Noise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "noise", "verdict"),
    [
        (0.06, 0.03, "within noise"),
        (0.061, 0.03, "not explained by noise"),
        (0.02, 0.0, "within noise"),  # at least 1 % is noise
        (0.25, 0.03, "not explained by noise"),
        (0.251, 0.03, "rejected"),
        (0.28, 0.15, "within noise"),
        (0.25, None, "noise not known"),
        (0.251, None, "rejected"),
    ],
)
def test_a_model_is_judged_by_the_noise(error: float, noise: float | None, verdict: str) -> None:
    assert judge(error, noise) == verdict


def test_noise_is_pooled_over_configurations() -> None:
    """1 and 1.2 deviate by 0.1414 from 1.1; three times 2 do not; a single run does not count."""
    p, n = np.array([1, 1, 2, 2, 2, 4.0]), np.ones(6)
    found = measurements(p, n, np.array([1, 1.2, 2, 2, 2, 3]))
    assert found.noise == pytest.approx(math.sqrt(0.02 / 1.1**2 / (1 + 2)))
    assert measurements(p[3:], n[3:], np.array([1.0, 2, 3])[:3]).noise is not None
    assert measurements(np.array([1.0, 2]), n[:2], np.array([1.0, 2])).noise is None


def test_without_repetitions_the_noise_is_not_known(surfaces: Tables) -> None:
    """Only a model that could be fitted has a verdict; all of these fit to within 25 %."""
    found = {
        (row["cross_validated_error"] is None, row["noise_ratio"], row["verdict"])
        for row in surfaces["surface_fits"]
    }
    assert found == {(True, None, None), (False, None, "noise not known")}


def test_limits_are_not_extrapolated_by_a_model_that_noise_does_not_explain() -> None:
    """n/p + 1 s, but every other configuration takes 12 % longer, whenever it is repeated."""
    tables = campaign(
        lambda p, n: (n / p + 1) * (1 + 0.12 * (math.log2(p * n) % 2)), (1, 2, 4), (2, 4, 8)
    )
    again = [row | {"campaign_run_id": row["campaign_run_id"] + 100, "repetition": 2}
             for row in tables["campaign_runs"]]  # fmt: skip
    tables["campaign_runs"] += again
    made = computed(tables)
    verdicts = {row["model"]: row["verdict"] for row in made["surface_fits"]}
    unexplained = [row for row in made["scalability_limits"]
                   if verdicts[row["model"]] == "not explained by noise"]  # fmt: skip
    assert unexplained
    assert not any(row["is_extrapolated"] for row in unexplained)
    assert any(row["note"] and "beyond the measured range" in row["note"] for row in unexplained)


# --- Runs -----------------------------------------------------------------------------------------


def test_the_fastest_launch_represents_its_configuration() -> None:
    """Two threads take 5 s at the median and once 1 s, four threads 4 s: those count."""
    times = {(2, ""): (5, 5, 1), (4, ""): (4, 4, 9), (4, "block=8"): (6,)}
    runs = [
        {"campaign_run_id": number, "processes": 1, "threads": threads, "size": 1.0,
         "variant": variant, "repetition": repetition, "state": "measured", "time_ns": time}
        for number, (threads, variant, repetition, time) in enumerate(
            (*launch, repetition, time)
            for launch, each in times.items()
            for repetition, time in enumerate(each, 1)
        )
    ]  # fmt: skip
    runs.append(runs[0] | {"campaign_run_id": 9, "size": 2.0, "state": "failed", "time_ns": None})
    found = run_query("representative_runs", {"campaign_runs": runs}, "campaign_run_id time_ns")
    assert found == [(3, 4), (4, 4), (5, 9)]


def test_applications_are_kept_apart() -> None:
    first = campaign(lambda p, n: n / p, (1, 2, 4), (2, 4, 8), application="a")
    second = campaign(lambda p, n: n * p, (1, 2, 4), (2, 4, 8), application="b")
    for row in second["campaign_runs"]:
        row["campaign_run_id"] += 9
    both = {name: first[name] + second[name] for name in first}
    alone = computed(first), computed(second)
    assert computed(both) == {name: alone[0][name] + alone[1][name] for name in alone[0]}


def test_the_order_of_runs_does_not_matter() -> None:
    tables = campaign(lambda p, n: n / p + math.sqrt(p * n), (1, 2, 4), (2, 4, 8))
    shuffled = random.Random(1).sample(tables["campaign_runs"], 9)
    assert computed(tables) == computed(tables | {"campaign_runs": shuffled})


def test_no_result_is_infinite_or_nan() -> None:
    """Times of a nanosecond to tens of years."""
    tables = computed(campaign(lambda p, n: 1e-9 * p**10 * n**15, (1, 2, 4, 8), (1, 2, 4)))
    for rows in tables.values():
        for row in rows:
            figures = [value for value in row.values() if isinstance(value, float)]
            assert all(math.isfinite(value) for value in figures), row
