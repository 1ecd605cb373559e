"""When a run is worse than those before it, by run times that are written by hand."""

from collections.abc import Sequence

import pytest

from pipeline.nightly.history import PastRun, Series
from pipeline.nightly.judging import LEAST_RATIO, LEAST_RATIO_OF_ONE, is_longer

SERIES = Series("cg", 4, 1)


def past(time: int, number: int = 0) -> PastRun:
    return PastRun(
        run_id=f"{number:012x}", generation="g", label=f"run_{number}", series=SERIES,
        recorded_ns=number, written_ns=number, values={"run_time": time},
    )  # fmt: skip


def longer(time: int, times: Sequence[int]) -> bool:
    least = LEAST_RATIO if len(times) > 1 else LEAST_RATIO_OF_ONE
    return is_longer(past(time), [past(each) for each in times], least)


@pytest.mark.parametrize(("time", "is_worse"), [(1_100, False), (1_101, True), (900, False)])
def test_against_a_single_run_more_than_a_tenth_is_worse(time: int, is_worse: bool) -> None:
    assert longer(time, [1_000]) is is_worse


@pytest.mark.parametrize(("time", "is_worse"), [(1_050, False), (1_051, True)])
def test_against_runs_that_do_not_vary_more_than_a_twentieth_is(time: int, is_worse: bool) -> None:
    assert longer(time, [1_000, 1_000]) is is_worse


def test_what_may_be_chance_is_not_worse() -> None:
    # The mean is 100 and the variance of the sample ((-4)² + 0 + 4²) / 2 = 16. The new run is taken
    # to vary alike: the error of the difference is √(16/3 + 16/1) = 4.6188, and the 0.975 quantile
    # of Student's t with 2 degrees of freedom is 4.3027 (any table): noise is ±19.87.
    times = [96_00, 100_00, 104_00]
    assert not longer(100_00 + 19_87, times)
    assert longer(100_00 + 19_88, times)


def test_runs_that_take_no_time_are_no_reason_to_fail() -> None:
    assert not longer(0, [0, 0])
    assert longer(1, [0, 0])
