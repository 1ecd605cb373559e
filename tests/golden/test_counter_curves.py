"""Curves of counters: places in the picture, worked out by hand, and names."""

from dataclasses import replace
from math import inf, nan

import pytest

from tests.helpers.hand_made import HandMadeRun, make_run_row
from tracemill.reports import timeline_counters
from tracemill.reports.build import build_report
from tracemill.reports.pictures.counter_curves import CounterCurve, draw_counters
from tracemill.reports.sections.counters import _pictures

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


def test_neighbors_on_an_axis_have_different_numbers() -> None:
    drawn = draw_counters([replace(CURVE, values=(1e9, 1e9 + 3, 1e9))])
    assert [f">{1_000_000_000 + at}</text>" in drawn for at in range(5)] == [True] * 4 + [False]


def test_names_are_escaped_and_further_curves_left_out() -> None:
    drawn = draw_counters([replace(CURVE, part=f"rank {rank}") for rank in range(9)])
    assert "IPC&lt;1&gt; (rank 7)" in drawn
    assert "rank 8" not in drawn


def test_files_of_pictures_have_plain_names_of_any_counter() -> None:
    names = ("hwmon3:power1/in*", "a" * 1000, "::")
    pictures = _pictures([replace(CURVE, counter=name) for name in names])
    assert [picture.name for picture in pictures] == [
        "counters-1-hwmon-power1-in", "counters-2-" + "a" * 59, "counters-3",
    ]  # fmt: skip


def test_a_single_point_in_time_is_drawn() -> None:
    assert 'points="76.0,254.0"' in draw_counters([replace(CURVE, seconds=(3.0,), values=(2.0,))])


# Bins of 5 ms; sensors may deliver no number. Score-P writes # where there is no unit.
@pytest.mark.parametrize(
    ("unit", "last", "range"), [("W", 3.0, "1 to 3 W."), ("#", 687.6e6, "1 to 687,600,000.")]
)
def test_values_that_are_no_numbers_are_not_drawn(unit: str, last: float, range: str) -> None:
    ms = 1_000_000
    run = HandMadeRun(
        {
            "runs": [make_run_row(end_ns=20 * ms)],
            "location_groups": [{"name": "MPI Rank 0"}],
            "locations": [{}],
            "counters": [{"counter_id": 0, "name": "power", "unit": unit}],
            "counter_recordings": [{"recording_id": 0, "counter_id": 0, "value_count": 4}],
            "counter_profile": [
                {"bin": at, "begin_ns": 5 * ms * at, "end_ns": 5 * ms * (at + 1)}
                | {"value": value, "covered_ns": 5 * ms, "method": "exact"}
                for at, value in enumerate((1.0, inf, nan, last))
            ],
        }
    )
    (picture,) = build_report(run).section("counters").pictures
    assert picture.description == f"power (MPI Rank 0): {range}"
    assert 'points="76.0,254.0 628.0,30.0"' in picture.svg


def counted(monkeypatch: pytest.MonkeyPatch, most_values: int) -> list[str]:
    """What the pictures of two counters of two processes show."""
    monkeypatch.setattr(timeline_counters, "MOST_VALUES", most_values)
    run = HandMadeRun(
        {
            "runs": [make_run_row(end_ns=20)],
            "location_groups": [
                {"location_group_id": at, "name": f"MPI Rank {at}"} for at in (0, 1)
            ],
            "locations": [{"location_id": at, "location_group_id": at} for at in (0, 1)],
            "counters": [{"counter_id": at, "name": name} for at, name in enumerate(("b", "a"))],
            "counter_recordings": [{"recording_id": at, "counter_id": at} for at in (0, 1)],
            "counter_profile": [
                {"counter_id": counter, "scope_id": rank, "bin": at, "value": 10 * rank + at + 1}
                | {"begin_ns": 10 * at, "end_ns": 10 * at + 10, "covered_ns": 10}
                | {"method": "exact", "scope": "process"}
                for counter in (0, 1)
                for rank in (0, 1)
                for at in (0, 1)
            ],
        }
    )
    return [picture.description for picture in build_report(run).section("counters").pictures]


def test_pictures_show_each_process_and_all_together_only_if_these_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert counted(monkeypatch, 8) == [
        f"{name} (MPI Rank 0): 1 to 2. {name} (MPI Rank 1): 11 to 12." for name in "ab"
    ]
    assert counted(monkeypatch, 7) == [f"{name} (the run): 12 to 14." for name in "ab"]
