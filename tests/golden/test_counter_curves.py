"""Curves of counters: places in the picture, worked out by hand, and names."""

from dataclasses import replace

from tracemill.reports.pictures.counter_curves import CounterCurve, draw_counters

# The plot is from 76 to 628 across. Below the line of one name, it is from 30 to 254 down.
CURVE = CounterCurve(
    counter="IPC<1>",
    part="rank 0",
    unit="instructions",
    seconds=(0.0, 1.0, 2.0),
    values=(0.0, 10.0, 5.0),
    is_derived=False,
    is_as_recorded=False,
)


def test_a_curve_fills_the_plot_from_its_least_to_its_largest_value() -> None:
    assert 'points="76.0,254.0 352.0,30.0 628.0,142.0"' in draw_counters([CURVE])


def test_axes_have_round_numbers() -> None:
    drawn = draw_counters([CURVE])
    assert [f">{tick}</text>" in drawn for tick in ("0.5", "1.5", "4", "8", "9")] == [
        *(True, True, True, True),
        False,
    ]


def test_names_are_escaped_and_further_curves_left_out() -> None:
    drawn = draw_counters([replace(CURVE, part=f"rank {rank}") for rank in range(9)])
    assert "IPC&lt;1&gt; (rank 7)" in drawn
    assert "rank 8" not in drawn


def test_a_single_point_in_time_is_drawn() -> None:
    assert 'points="76.0,254.0"' in draw_counters([replace(CURVE, seconds=(3.0,), values=(2.0,))])
