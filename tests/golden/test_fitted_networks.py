"""Networks fitted to messages: latency and time per byte of each kind of link."""

import numpy as np
import pytest

from tracemill.forecast.replayed.fitting import Line, Typical, fit_line, fit_link, fit_links

# Klinov 2008: copies of so many bytes on MVS-15K, inside a node and between nodes.
SIZES = np.array([500, 1_500, 5_000, 30_000, 40_000, 100_000])
INSIDE_US = (2, 4, 5, 30, 40, 93)
BETWEEN_US = (7, 7.5, 20.5, 122, 208, 458)


def line(times_us: tuple[float, ...]) -> Line:
    times = 1_000.0 * np.array(times_us)
    return fit_line(Typical(SIZES, np.ones(len(SIZES), np.int64), times))


def test_the_published_measurements_inside_a_node() -> None:
    # The 8th of 15 slopes is (93 - 5) us / 95,000 bytes.
    fitted = line(INSIDE_US)
    assert fitted.latency_ns == pytest.approx(1_873.7, abs=0.05)
    assert fitted.ns_per_byte == pytest.approx(0.92632, abs=0.000005)


def test_the_published_measurements_between_nodes() -> None:
    fitted = line(BETWEEN_US)
    assert fitted.latency_ns == pytest.approx(2_717.3, abs=0.05)
    assert fitted.ns_per_byte == pytest.approx(4.53266, abs=0.000005)


def test_the_lower_quartile_of_a_size_counts() -> None:
    # 0-based place 0.25 * 4 = 1 of the sorted times; the disturbed message does not count.
    sizes = np.repeat([0, 2_000], 5)
    times = np.array([900, 100, 110, 120, 130, 90_000, 2_100, 2_110, 2_120, 2_130])
    found = fit_link(sizes, times)
    assert found is not None
    assert found.typical.times.tolist() == [110, 2_110]
    assert found.line == Line(110.0, 1.0)
    assert found.messages == 10


def test_a_size_counts_from_three_messages_on() -> None:
    assert fit_link(np.array([8, 8]), np.array([100, 100])) is None
    found = fit_link(np.array([8, 8, 8, 5_000]), np.array([100, 100, 100, 9_000]))
    assert found is not None
    assert found.typical.sizes.tolist() == [8]


def test_sizes_that_are_near_each_other_have_no_slope() -> None:
    found = fit_link(np.repeat([0, 999], 3), np.repeat([100, 1_100], 3))
    assert found is not None
    assert found.line == Line(600.0, None)


def test_slopes_weigh_as_much_as_the_rarer_size() -> None:
    # Slopes 1 (weight 1), 3 (weight 9), 5 (weight 1): half of 11 is reached at 3.
    typical = Typical(
        np.array([0, 1_000, 2_000]), np.array([9, 1, 9]), np.array([0.0, 1_000.0, 6_000.0])
    )
    # (1000 - 0) / 1000 = 1, (6000 - 0) / 2000 = 3, (6000 - 1000) / 1000 = 5.
    assert fit_line(typical).ns_per_byte == 3


def test_neither_value_is_negative() -> None:
    falling = Typical(np.array([0, 2_000]), np.array([3, 3]), np.array([500.0, 100.0]))
    assert fit_line(falling) == Line(300.0, 0.0)
    steep = Typical(np.array([1_000, 3_000]), np.array([3, 3]), np.array([100.0, 4_100.0]))
    assert fit_line(steep) == Line(0.0, 2.0)


def test_intervals_hold_the_values_and_are_repeatable() -> None:
    draws = np.random.default_rng(1)
    sizes = np.repeat([100, 4_000, 60_000], 50)
    times = 2_000 + sizes // 2 + draws.integers(0, 400, len(sizes))
    first, again = fit_link(sizes, times), fit_link(sizes, times)
    assert first is not None
    assert again is not None
    assert first.latency_interval == again.latency_interval
    low, high = first.slope_interval
    assert low <= first.line.slope <= high
    assert first.line.slope == pytest.approx(0.5, rel=0.01)
    low, high = first.latency_interval
    assert low <= first.line.latency_ns <= high


def test_links_inside_and_between_nodes_are_fitted_alone() -> None:
    columns = {
        "is_between": np.array([False, True] * 6),
        "bytes": np.repeat([0, 2_000], 6),
        "time_ns": np.array([10, 70] * 3 + [2_010, 8_070] * 3),
    }
    found = fit_links(columns)
    assert {each: fit.line for each, fit in found.items()} == {
        False: Line(10.0, 1.0), True: Line(70.0, 4.0)
    }  # fmt: skip
