"""The changes of run times that count as different, for run times written by hand."""

from collections.abc import Sequence

import pytest

from tracemill.comparison.noise import run_time_change
from tracemill.nightly.history import PastRun, RunSeries
from tracemill.nightly.judge import is_significant, least_ratio

SERIES = RunSeries("cg", 4, 1)


def past(time: int, number: int = 0) -> PastRun:
    return PastRun(
        run_id=f"{number:012x}", generation="g", label=f"run_{number}", series=SERIES,
        recorded_ns=number, written_ns=number, run_time_ns=time,
    )  # fmt: skip


def counts(time: int, times: Sequence[int]) -> bool:
    base = [past(each) for each in times]
    return is_significant(run_time_change(times, [time]), least_ratio(base))


@pytest.mark.parametrize(
    ("time", "is_counted"), [(1_100, False), (1_101, True), (900, False), (899, True)]
)
def test_against_a_single_run_more_than_a_tenth_counts(time: int, is_counted: bool) -> None:
    assert counts(time, [1_000]) is is_counted


@pytest.mark.parametrize(("time", "is_counted"), [(1_050, False), (1_051, True), (949, True)])
def test_against_equal_runs_more_than_a_twentieth_counts(time: int, is_counted: bool) -> None:
    assert counts(time, [1_000, 1_000]) is is_counted


def test_a_change_explained_by_chance_does_not_count() -> None:
    # The mean is 100 and the variance of the sample ((-4)² + 0 + 4²) / 2 = 16. The new run is taken
    # to vary alike: the error of the difference is √(16/3 + 16/1) = 4.6188, and the 0.975 quantile
    # of Student's t with 2 degrees of freedom is 4.3027 (any table): noise is ±19.87.
    times = [96_00, 100_00, 104_00]
    assert not counts(100_00 + 19_87, times)
    assert counts(100_00 + 19_88, times)


def test_run_times_of_zero_can_be_compared() -> None:
    assert not counts(0, [0, 0])
    assert counts(1, [0, 0])
