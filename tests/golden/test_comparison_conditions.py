"""Conditions on comparisons: how they are read, and when they hold."""

import pytest

from tests.helpers.compared_sides import comparison_of
from tracemill.base.errors import UsageError
from tracemill.comparison.conditions import check_condition, parse_condition

LESS = "main/less<int, 3> in >> x/MPI_Recv"
VALUES = (
    ("time", None, 100_000_000.0, 120_000_000.0),
    ("mpi_latesender", None, 0.0, 5.0),
    ("mpi_latesender", LESS, 0.0, 5.0),
    ("time", LESS, 4_000_000.0, 7_000_000.0),
    ("bytes_cin", None, 100.0, 90.0),
    ("visits", None, 10.0, 10.0),
)
SLOWER = comparison_of(*VALUES, times=((2_000_000_000,), (2_100_000_000,)))


@pytest.mark.parametrize(
    ("expression", "is_held"),
    [
        # 2 s → 2.1 s: 5 % more, exactly
        ("run_time > +5%", False),
        ("run_time >= +5%", True),
        ("run_time > 4.9%", True),
        ("Run time>+99ms", True),
        ("run_time > +100ms", False),
        ("run_time > 2s", True),
        ("run_time > 2100 ms", False),
        ("run_time >= 2100ms", True),
        ("run_time < -1%", False),
        # 100 ms → 120 ms
        ("time > +19.9%", True),
        ("time > +20%", False),
        ("time > +2e1%", None),
        ("time > +19_000us", None),
        ("time > +19000us", True),
        ("time > +.5 ms", True),
        ("time > 0.5s", False),
        # From nothing, any part is more.
        ("mpi_latesender > +1000000%", True),
        ("Late Sender > +4ns", True),
        ("Late Sender > +5ns", False),
        (f"Late Sender in {LESS} >= +5ns", True),
        (f"time in {LESS} > +75%", False),
        (f"time in '{LESS}' > +74.9%", True),
        (f"visits in {LESS} > 0", False),
        # 100 → 90
        ("Bytes received in collectives < -9.5%", True),
        ("bytes_cin <= -10", True),
        ("bytes_cin < 90", False),
        ("bytes_cin > 80", True),
        ("visits > +0%", False),
        ("mpi_wait_nxn > 0s", False),
    ],
)
def test_a_condition_limits_a_change_or_a_value(expression: str, is_held: bool | None) -> None:
    if is_held is None:
        with pytest.raises(UsageError, match="this is not a condition"):
            parse_condition(expression)
        return
    assert check_condition(expression, SLOWER).holds is is_held


def test_noise_matters_for_changes_but_not_for_values() -> None:
    noisy = comparison_of(*VALUES, noise=20_000_000.0, times=((1, 2), (1, 2)))
    clear = comparison_of(*VALUES, noise=19_999_999.0, times=((1, 2), (1, 2)))
    assert not check_condition("time > +5%", noisy).holds
    assert not check_condition("time > +5ms", noisy).holds
    assert check_condition("time > 5ms", noisy).holds
    assert check_condition("time > +5%", clear).holds


def test_a_verdict_shows_the_actual_value() -> None:
    verdict = check_condition(f"time in {LESS} > +5%", SLOWER)
    assert verdict.reason == f'Time in "{LESS}": +3.00 ms (+75.0%), 4.00 ms → 7.00 ms'
    assert verdict.change.change_value == 3_000_000
    noisy = comparison_of(*VALUES, noise=2_000_000.0)
    assert check_condition("time > +5%", noisy).reason.endswith("beyond the noise of ±2.00 ms")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "this is not a condition: write METRIC"),
        ("time", "this is not a condition"),
        ("time > much", "this is not a condition"),
        ("time = 5s", "this is not a condition"),
        ("> 5%", "this is not a condition"),
        ("mpi_latesendr > 5%", r"no metric mpi_latesendr: did you mean mpi_latesender\?"),
        ("nosuch > 5%", "no metric nosuch: tracemill explain lists metrics, docs/reference/"),
        ("wating > 5%", r"no metric wating: did you mean waiting\?"),
        ("waiting > 5", "waiting is limited in %: write"),
        ("mpi_latesender in main > 5%", "the share of a call path is unknown: limit its change"),
        ("time > 5", "time is limited in %, s, ms, us or ns"),
        ("visits > 5ms", "visits is limited in % or nothing"),
        ("run_time in main > 5%", "run_time is that of a run, not of a call path"),
        ("a\nb\x1b[1m > 5%", r"--fail-if a\\nb\\x1b\[1m > 5%: no metric"),
    ],
)
def test_the_error_of_a_wrong_condition_shows_the_right_form(expression: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_condition(expression)


def test_the_error_of_an_unknown_call_path_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="no call path main/MPI_Recv: did you mean main/less<int"):
        check_condition("time in main/MPI_Recv > 5%", SLOWER)
