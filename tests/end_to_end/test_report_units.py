"""Values as text: right to the digits shown, and short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracemill.base.names import drop_arguments, shorten, shorten_path
from tracemill.reports.trees import DEEPEST, nest
from tracemill.reports.units import Unit, format_share, format_size, format_time, format_value


@given(st.lists(st.integers(0, 200), max_size=60))
def test_rows_of_a_tree_nest_without_gaps(depths: list[int]) -> None:
    rows = nest(depths)
    open_branches = 0
    for row in rows:
        assert row.level == open_branches
        open_branches += row.has_children
        open_branches -= row.closes
        assert 0 <= open_branches <= DEEPEST
    assert open_branches == 0


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0 s"),
        (1, "1.00 ns"),
        (850, "850 ns"),
        (999.96, "1.00 µs"),
        (12_345, "12.3 µs"),
        (999_960, "1.00 ms"),
        (250_000_000, "250 ms"),
        (1_000_000_000, "1.000 s"),
        (12_345_678_901, "12.35 s"),
        (4_321_000_000_000, "4,321 s"),
        (-5_000_000, "-5.00 ms"),
    ],
)
def test_times_have_three_or_four_digits(nanoseconds: float, text: str) -> None:
    assert format_time(nanoseconds) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (1_048_576, "1,048,576"),
        (1_048_576.0, "1,048,576"),
        (27_034.7579652, "27,035"),
        (27.0347579652, "27.03"),
        (0.125, "0.125"),
    ],
)
def test_only_whole_amounts_have_all_digits(amount: float, text: str) -> None:
    assert format_value(amount, Unit.AMOUNT) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(24.0, "24"), (12_452_840.0, "12,452,840"), (963.1856, "963.2"), (1.0, "1.000")],
)
def test_counts_of_counters_are_whole(value: float, text: str) -> None:
    assert format_value(value, Unit.NUMBER) == text


def test_what_was_formatted_before_does_not_matter() -> None:
    for unit, zero in ((Unit.COUNT, "0"), (Unit.NUMBER, "0.000"), (Unit.AMOUNT, "0")):
        assert [format_value(value, unit) for value in (-0.0, 0.0, -0.0)] == [zero] * 3
    texts = [format_value(value, Unit.NUMBER) for value in (1, 1.0, True, 1)]
    assert texts == ["1", "1.000", "yes", "1"]


@given(st.integers(1, 10**18))
def test_a_time_as_text_is_right_to_the_digits_shown(nanoseconds: int) -> None:
    number, unit = format_time(nanoseconds).split()
    value = float(number.replace(",", "")) * {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}[unit]
    assert value == pytest.approx(nanoseconds, rel=0.0051)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (1536, "1.50 KiB"),
        (1023.99 * 1024, "1.00 MiB"),
        (5 * 1024**4, "5.00 TiB"),
    ],
)
def test_sizes_have_binary_prefixes(size: float, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.00001, "<0.01%"), (0.0012, "0.12%"), (0.123, "12.3%"), (1.0, "100.0%")],
)
def test_small_shares_stay_visible(share: float, text: str) -> None:
    assert format_share(share) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [(0.0, "0.0"), (-0.0004, "0.0"), (0.0004, "0.0"), (-0.0006, "-0.1"), (0.123, "+12.3")],
)
def test_changes_in_points_have_a_sign_unless_they_round_to_zero(change: float, text: str) -> None:
    assert format_value(change, Unit.POINTS) == text


@given(st.text(max_size=300), st.integers(10, 100))
def test_shortened_names_are_short_and_keep_both_ends(name: str, longest: int) -> None:
    short = shorten(name, longest)
    assert len(short) <= longest
    assert short[:2] == name[:2]
    assert short[-3:] == name[-3:]


def test_a_long_call_path_loses_its_middle() -> None:
    path = "/".join(["main", *(f"function_{at:02}" for at in range(20)), "MPI_Recv"])
    assert shorten_path(path, 40) == "main/…/function_18/function_19/MPI_Recv"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main"),
        ("send(Domain&, void (*)(int))/MPI_Send", "send(…)/MPI_Send"),
        ("run()", "run()"),
        ("(anonymous namespace)::work(int)", "(anonymous namespace)::work(…)"),
        ("unbalanced(", "unbalanced("),
    ],
)
def test_cpp_names_lose_their_argument_lists(name: str, short: str) -> None:
    assert drop_arguments(name) == short
