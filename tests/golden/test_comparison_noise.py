"""How much of a change may be chance: Welch's interval for the difference of two means."""

import numpy as np
import pytest
from scipy import stats

from tests.helpers.compared_sides import comparison_of
from tracemill.stages.models.welch import noise_of

FIRST = (27.5, 21.0, 19.0, 23.6, 17.0, 17.9)
SECOND = (27.1, 22.0, 20.8)


def noise(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    variances = [np.array([np.var(each, ddof=1) if len(each) > 1 else np.nan])
                 for each in (first, second)]  # fmt: skip
    return float(noise_of(*variances, base_count=len(first), other_count=len(second))[0])


def test_noise_is_half_the_interval_of_welchs_test() -> None:
    found = stats.ttest_ind(SECOND, FIRST, equal_var=False).confidence_interval(0.95)
    assert noise(FIRST, SECOND) == pytest.approx((found.high - found.low) / 2)
    assert noise(SECOND, FIRST) == pytest.approx((found.high - found.low) / 2)


def test_two_runs_on_each_side_by_hand() -> None:
    """Variances 2 and 2, errors 1 and 1: two degrees of freedom, whose quantile is 4.3027."""
    assert noise((1.0, 3.0), (11.0, 13.0)) == pytest.approx(4.3027 * 2**0.5, rel=1e-4)


def test_a_single_run_is_assumed_to_vary_like_the_others() -> None:
    """One more value lies so far from the mean of three others by chance: t(2) s sqrt(1 + 1/3)."""
    spread = stats.t.ppf(0.975, 2) * np.std(SECOND, ddof=1) * np.sqrt(1 + 1 / 3)
    assert noise(SECOND, (20.0,)) == noise((20.0,), SECOND) == pytest.approx(spread)


def test_without_repetitions_there_is_no_noise_estimate() -> None:
    assert np.isnan(noise((1.0,), (2.0,)))
    change = comparison_of(times=((1000,), (1500,))).run_time
    assert (change.noise_value, change.is_beyond_noise) == (None, None)


def test_equal_repetitions_have_no_noise() -> None:
    assert noise((5.0, 5.0, 5.0), (6.0, 6.0)) == 0
    assert noise((5.0, 5.0), (6.0,)) == 0


@pytest.mark.parametrize(
    ("times", "is_beyond"),
    [
        (((1000, 1002), (1100, 1101)), True),
        # Errors 40² / 2 + 60² / 2 times 2: half the interval is 4 times as wide as the change.
        (((1000, 1080), (1040, 1160)), False),
        (((1000, 1000), (1000, 1000)), False),
    ],
)
def test_run_times_are_judged_by_their_repetitions(
    times: tuple[tuple[int, ...], tuple[int, ...]], is_beyond: bool
) -> None:
    change = comparison_of(times=times).run_time
    assert change.is_beyond_noise is is_beyond
    assert (change.base_value, change.other_value) == tuple(map(np.mean, times))
