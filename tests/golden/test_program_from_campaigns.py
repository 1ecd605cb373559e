"""Described programs made from runs with several numbers of processes, by hand."""

import tomllib
from collections.abc import Callable
from math import log2
from typing import Any

import pytest

from tests.helpers.recorded_calls import record
from tracemill.forecast.from_traces.campaigns import Chosen, program_from_runs
from tracemill.forecast.from_traces.computing import Given
from tracemill.forecast.from_traces.fitting import fit_sizes, fit_times
from tracemill.forecast.from_traces.making import Options

COUNTS = (1, 2, 4, 8)


def program_of(
    calls: Callable[[int, int], str], options: Options | None = None, **growth: float
) -> dict[str, Any]:
    """The program of runs whose processes make the calls of (rank, processes)."""
    recordings = [
        record({rank: calls(rank, count) for rank in range(count)}, label=f"p{count}")
        for count in COUNTS
    ]
    chosen = Chosen("sweep", "model", recordings, [100] * len(COUNTS), growth)
    return tomllib.loads(program_from_runs(chosen, options or Options()))


# --- Fits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "c"), [(800, 50, 30), (800, 0, 0), (0, 70, 0), (0, 0, 25), (640, 0, 40), (0, 9, 3)]
)
def test_terms_of_exact_times_are_found(a: float, b: float, c: float) -> None:
    times = [a / p + b + c * log2(p) for p in COUNTS]
    model = fit_times(COUNTS, times)
    assert (model.shared, model.replicated, model.logarithmic) == pytest.approx((a, b, c))
    assert model.at(16) == pytest.approx(a / 16 + b + 4 * c)


def test_relative_errors_are_least() -> None:
    # A constant b for times 1 and 2: Σ((b − m) / m)² is least at b = Σ(1/m) / Σ(1/m²) = 1.5 / 1.25.
    model = fit_times([2, 2], [1.0, 2.0])
    assert model.at(2) == pytest.approx(1.2)


def test_terms_below_one_percent_everywhere_are_left_out() -> None:
    # The constant is at most 0.9 of 100.9 at 8 processes: it goes; at 1.1 of 101.1 it stays.
    small = fit_times(COUNTS, [800 / p + 0.9 for p in COUNTS])
    assert small.replicated == 0
    assert fit_times(COUNTS, [800 / p + 1.1 for p in COUNTS]).replicated == pytest.approx(1.1)


def test_no_term_is_negative() -> None:
    # Times that fall faster than 1 / p would need a negative term.
    model = fit_times(COUNTS, [1000 / p - 20 for p in COUNTS])
    assert min(model.shared, model.replicated, model.logarithmic) == 0


def test_the_explained_share_of_the_variance() -> None:
    assert fit_times(COUNTS, [800 / p for p in COUNTS]).r_squared == pytest.approx(1)
    assert fit_times(COUNTS, [5.0] * 4).r_squared is None


def test_sizes_are_a_power_of_processes() -> None:
    model = fit_sizes([2, 4, 8], [1000 * p**-0.5 for p in (2, 4, 8)])
    assert (model.factor, model.exponent) == pytest.approx((1000, -0.5))
    assert fit_sizes([4, 4], [30, 30]).exponent == 0


# --- Programs ------------------------------------------------------------------------------------


def test_each_term_is_a_part() -> None:
    # Per process and iteration 80,000 / p + 1000 + 500 log2 p.
    def calls(rank: int, count: int) -> str:
        time = round(80_000 / count + 1000 + 500 * log2(count))
        return f"3 * (solve {time}, barrier)"

    (loop,) = program_of(calls)["phase"]
    shared, replicated, logarithmic, _ = loop["phase"]
    assert (shared["kind"], shared["name"]) == ("parallel", "solve")
    assert shared["time_ns"] == pytest.approx(80_000, rel=1e-4)
    assert (replicated["kind"], replicated["name"]) == ("serial", "solve replicated")
    assert replicated["time_ns"] == pytest.approx(1000, rel=1e-3)
    factor, rest = logarithmic["time_ns"].split(" * ", 1)
    assert (logarithmic["kind"], rest) == ("serial", "log2(p)")
    assert float(factor) == pytest.approx(500, rel=1e-3)


def test_the_maximum_of_a_single_process_is_fitted() -> None:
    # The last process works 7000, the others wait: their mean would fall with their number.
    def calls(rank: int, count: int) -> str:
        return "work 7000, barrier" if rank == count - 1 else "barrier"

    work, _ = program_of(calls)["phase"]
    assert (work["kind"], work["on"]) == ("serial", "first")
    assert work["time_ns"] == pytest.approx(7000)


def test_a_call_path_in_several_places_shares_its_model() -> None:
    # 2000 / p before the barrier, 6000 / p after it.
    def calls(rank: int, count: int) -> str:
        return f"solve {2000 // count}, barrier, solve {6000 // count}, allreduce 8"

    first, _, second, _ = program_of(calls)["phase"]
    assert (first["time_ns"], second["time_ns"]) == pytest.approx((2000, 6000))


def test_bytes_are_fitted() -> None:
    # Neighbors in a line exchange 4096 / p bytes; all agree on 8.
    def calls(rank: int, count: int) -> str:
        partners = [each for each in (rank - 1, rank + 1) if 0 <= each < count]
        steps = [f"isend {each} {4096 // count}, irecv {each}" for each in partners]
        return ", ".join([*steps, "waitall", "solve 900", "allreduce 8"])

    program = program_of(calls)
    exchange, _, allreduce = program["phase"]
    assert exchange["offsets"] == [[-1], [1]]
    factor, exponent = exchange["bytes"].split(" * p ** ")
    assert (float(factor), float(exponent)) == pytest.approx((4096, -1))
    assert allreduce["bytes"] == 8
    assert (program["name"], program["grid"]) == ("model", [8])


def test_comments_say_how_well_a_model_fits() -> None:
    recordings = [record({0: "solve 800", 1: "solve 800"}, label="p2"), record({0: "solve 1600"})]
    chosen = Chosen("sweep", "model", recordings, [9, 9], {"main/solve": 0.25})
    text = program_from_runs(chosen, Options())
    assert "# Made from 2 runs of campaign sweep with 1 and 2 processes;" in text
    assert "# its operations are those of p2." in text
    comment = "main/solve: max/mean 1.00; in all 1.6e-06s / p; r² 1.000; sum over processes grows"
    assert f"# {comment} as p^0.25" in text


def test_given_parts_overrule_models() -> None:
    def calls(rank: int, count: int) -> str:
        return f"solve {8000 // count}, rest 1000, barrier"

    given = Given(replicated=("rest",), parts={"solve": "8000 / p"})
    solve, rest, _ = program_of(calls, Options(given=given))["phase"]
    assert (solve["kind"], solve["time_ns"]) == ("serial", "8000 / p")
    assert (rest["kind"], rest["time_ns"]) == ("serial", 1000)


def test_the_run_of_median_time_gives_the_operations() -> None:
    recordings = [record({0: "solve 9", 1: "solve 9"}, label=name) for name in "abc"]
    assert Chosen("sweep", "model", recordings, [30, 10, 20]).typical.label == "c"
