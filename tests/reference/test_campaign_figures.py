"""A campaign of 45 recorded runs whose times are known: n/p + n/4 + 5 log2 p + 0.1 p^2 + 50 ms."""

import math
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.ring_campaigns import campaign as make_campaign
from tests.helpers.ring_campaigns import rows
from tests.helpers.running import query_rows
from tracemill.base.expressions import Expression
from tracemill.engine.analyze import Analysis

TRACES = Path(__file__).parents[3] / "shared" / "traces"
pytestmark = pytest.mark.skipif(not TRACES.exists(), reason="the traces are not here")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    store, pattern = tmp_path_factory.mktemp("store"), "sB_model_p{p}_n{n}_r{r}"
    return make_campaign(TRACES, store, threads=2, pattern=pattern, application="sB")


def found(campaign: Analysis, table: str, columns: str, **wanted: Any) -> list[tuple[Any, ...]]:
    """Rows with these values, ordered."""
    names = [*columns.split(), *wanted]
    values = tuple(wanted.values())
    count = len(names) - len(wanted)
    kept = [row for row in rows(campaign, table, " ".join(names)) if row[count:] == values]
    return sorted(row[:count] for row in kept)


def truth(processes: int, size: float) -> float:
    """Milliseconds according to the program."""
    tree = 5 * (processes.bit_length() - 1)
    return size / processes + size / 4 + tree + 0.1 * processes**2 + 50


def test_the_serial_part_is_measured(campaign: Analysis) -> None:
    shares = found(campaign, "serial_fractions", "processes measured_share", size=400)
    assert [(p, round(share, 4)) for p, share in shares] == [
        (2, 0.4224), (4, 0.5529), (8, 0.6583), (16, 0.6532),
    ]  # fmt: skip
    index = found(campaign, "performance_indices", "processes value note", model="Gustafson",
                  size=400)  # fmt: skip
    assert [(p, round(value, 3), note) for p, value, note in index] == [
        (1, 1, None), (2, 1.578, None), (4, 2.341, None), (8, 3.392, None), (16, 6.203, None),
    ]  # fmt: skip


def test_size_relative_efficiency(campaign: Analysis) -> None:
    index = found(campaign, "performance_indices", "processes value reference_point",
                  model="size-relative", size=400)  # fmt: skip
    values = {p: (round(value, 1), reference) for p, value, reference in index}
    assert [values[p] for p in (1, 8, 16)] == [(723.8, "none"), (221.7, "none"), (110.1, "none")]


def test_the_rate_of_the_program_has_no_reference(campaign: Analysis) -> None:
    """On one process the rate is the size-relative efficiency."""
    keys = {"measure": "general speed-up", "constraint_kind": "whole plane", "model": "measured",
            "reference_point": "none", "size": 400}  # fmt: skip
    index = dict(found(campaign, "performance_indices", "processes value", **keys))
    assert round(index[1], 1) == 723.8
    assert index[8] == pytest.approx(8 * 221.7, rel=1e-3)


def test_the_noise_of_every_configuration(campaign: Analysis) -> None:
    tables = {"campaign_runs": campaign.run.read("campaign_runs").to_pylist()}
    noise = [row["noise_ratio"] for row in query_rows("configurations", tables, row_limit=99)]
    assert (len(noise), round(min(noise), 4), round(max(noise), 3)) == (15, 0.0008, 0.099)
    # All have three repetitions.
    assert round(math.sqrt(sum(each**2 for each in noise) / 15), 4) == 0.0365


def test_the_composed_model_is_within_noise(campaign: Analysis) -> None:
    ((error, noise, verdict, is_chosen),) = found(
        campaign, "surface_fits", "cross_validated_error noise_ratio verdict is_chosen",
        model="composed",
    )  # fmt: skip
    assert (round(noise, 4), verdict, is_chosen) == (0.0365, "within noise", True)
    assert error < 0.0358 + 0.002  # of the true terms with free factors
    points = found(campaign, "surface_points", "measured_ns fitted_ns", model="composed")
    near = [abs(fitted / measured - 1) <= 0.02 for measured, fitted in points]
    assert (sum(near) >= 13, len(near)) == (True, 15)


def test_the_composed_model_knows_the_terms_of_the_program(campaign: Analysis) -> None:
    names = dict(rows(campaign, "campaign_call_paths", "call_path_key call_path"))
    terms = {
        names.get(key, part): formula
        for key, part, formula in rows(campaign, "composed_terms", "call_path_key part formula")
    }
    for call_path, factor in (
        ("main/solve", "*n/p"), ("main/serial_part", "*n"), ("main/tree", "*log2(p)"),
        ("main/quad", "*p^2"), ("main/imbalanced", "0.0505"),
    ):  # fmt: skip
        assert factor in terms[call_path]
    assert "other call paths" in terms


def test_scaling_at_one_process(campaign: Analysis) -> None:
    """S = 1/T - n T_n / T^2 = 0.166 by the program's times."""
    ((change,),) = found(
        campaign, "scalability_functions", "value", model="composed",
        constraint_kind="fixed processes", processes=1, size=400,
    )  # fmt: skip
    assert change == pytest.approx(0.17, rel=0.1)


def test_the_model_foresees_more_processes_and_data(campaign: Analysis) -> None:
    """402.4 ms are true for 32 processes at n = 800; the parameters are those of all terms."""
    assert truth(32, 800) == pytest.approx(402.4)
    terms = rows(campaign, "composed_terms", "formula")
    assert fitted_ms([formula for (formula,) in terms], 32, 800) == pytest.approx(402.4, rel=0.05)


def fitted_ms(formulas: list[str], processes: int, size: int) -> float:
    """The sum of formulas as they are written."""
    values = {"p": float(processes), "n": size}
    return 1e3 * sum(Expression(each.replace("^", "**")).evaluate(values) for each in formulas)


def test_the_path_of_the_main_part_is_as_long_as_the_run(campaign: Analysis) -> None:
    times = dict(rows(campaign, "campaign_runs", "campaign_run_id time_ns"))
    paths = dict(rows(campaign, "run_totals", "campaign_run_id critical_path_ns"))
    assert len(paths) == 45
    assert paths == times
