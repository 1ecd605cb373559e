"""What the page of a campaign says first; figures by hand, like those of the traces sB."""

from dataclasses import replace
from typing import Any

import pytest

from tracemill.reports.campaign_opening import Knowledge, Point, Series

Row = dict[str, Any]


def series(*points: tuple[int, float], sizes: int = 3, is_weak: bool = False) -> Series:
    """Processes and efficiencies; the speed-up is their product."""
    return Series(
        application="sB",
        size_name="n",
        size_count=sizes,
        is_weak=is_weak,
        points=tuple(
            Point(name=str(p), processes=p, size=400.0, efficiency=share, speed_up=p * share)
            for p, share in points
        ),
    )


def change(path: str, fewest: float, most: float, verdict: str = "", **more: Any) -> Row:
    """Milliseconds of the critical path with 1 and with 16 processes, 550 and 175 in total."""
    return {
        "application": "sB", "call_path": path, "verdict": verdict, "fewest_ns": fewest * 1e6,
        "most_ns": most * 1e6, "is_communication": False, "smallest_processes": 1,
        "largest_processes": 16, "smallest_size": 400.0, "largest_size": 400.0,
        "smallest_total_ns": 550e6, "largest_total_ns": 175e6, "caller_call_path": None,
        "run_count": 1, **more,
    }  # fmt: skip


SOLVE = change("main/solve", 400, 25, "shrinks")
SERIAL = change("main/serial_part", 100, 100, "does not shrink")
IMBALANCED = change("main/imbalanced", 50, 50, "does not shrink")
STOPPING = series((1, 1.0), (4, 0.52), (8, 0.306), (16, 0.152))


def say(found: Series, *changes: Row, taking_part: int | None = None) -> str:
    losses = [
        {"application": "sB", "call_path": "main/serial_part", "processes": 16, "size": 400.0,
         "participant_count": taking_part}
    ]  # fmt: skip
    known = Knowledge({"sB": list(changes)}, {"sB": losses if taking_part else []})
    return " ".join(known.describe(found))


# Speed-ups are 1, 2.08, 2.448 and 2.432: beyond 8 processes nothing is gained.
# Divided evenly, 550 ms would take 34.375 ms on 16, so that 140.625 of 175 ms are lost:
#     serial_part  100 - 100 / 16 = 93.75 ms = 66.7%
#     imbalanced    50 -  50 / 16 = 46.875 ms = 33.3%
#     solve         25 - 400 / 16 = 0
def test_the_verdict_names_the_turn_and_what_decides() -> None:
    assert say(STOPPING, SOLVE, SERIAL, IMBALANCED, taking_part=1) == (
        'At n = 400, beyond 8 processes, the unparallelized "main/serial_part" decides: '
        "efficiency 30.6% at 8, 15.2% at 16. Of the 141 ms lost against an even division, "
        '"main/serial_part" takes 93.8 ms (66.7%) and "main/imbalanced" takes 46.9 ms (33.3%).'
    )


@pytest.mark.parametrize(
    ("verdict", "taking_part", "expected"),
    [
        ("does not shrink", 4, 'the partially parallelized "main/serial_part" decides'),
        ("grows", None, 'the growing "main/serial_part" decides'),
        ("does not shrink", None, 'beyond 8 processes, "main/serial_part" decides'),
    ],
)
def test_what_decides_is_called_what_it_is(
    verdict: str, taking_part: int | None, expected: str
) -> None:
    found = change("main/serial_part", 100, 100, verdict)
    assert expected in say(STOPPING, found, SOLVE, taking_part=taking_part)


# Calls together are 40 + 80 ms with 16 processes, more than serial_part.
def test_communication_counts_as_one() -> None:
    calls = [
        change(f"main/step/MPI_{name}", 0, most, is_communication=True,
               caller_call_path="main/step")
        for name, most in (("Send", 40), ("Recv", 80))
    ]  # fmt: skip
    said = say(STOPPING, SERIAL, *calls, taking_part=1)
    assert 'communication in calls from "main/step" decides' in said
    assert "Of the 141 ms lost against an even division, " in said
    repeated = say(STOPPING, SERIAL | {"run_count": 3})
    assert "Of the 141 ms lost against an even division (median of 3 runs), " in repeated
    assert " takes 120 ms (85.3%)" in said


# Speed-up still grows: 1, 3.6 and 8. Efficiency was good up to 4 processes.
def test_while_speed_up_grows_the_turn_is_the_last_good_efficiency() -> None:
    growing = series((1, 1.0), (4, 0.9), (16, 0.5), sizes=1)
    assert say(growing, SERIAL, taking_part=1).startswith(
        'Beyond 4 processes, the unparallelized "main/serial_part" decides: efficiency 90.0% at '
        "4, 50.0% at 16."
    )
    assert say(growing) == "Beyond 4 processes, efficiency falls: 90.0% at 4, 50.0% at 16."


# Only the efficiencies are known: 90% is good, 50% is not.
def test_without_speed_ups_the_turn_is_the_last_good_efficiency() -> None:
    known = series((1, 1.0), (4, 0.9), (16, 0.5), sizes=1)
    unknown = replace(known, points=tuple(replace(each, speed_up=0.0) for each in known.points))
    assert unknown.turn.processes == 4
    assert say(unknown) == "Beyond 4 processes, efficiency falls: 90.0% at 4, 50.0% at 16."


# Speed-ups are 1, 0.8 and 0.8: more than one process brings nothing.
def test_a_program_without_any_speed_up_turns_at_its_first_point() -> None:
    assert say(series((1, 1.0), (2, 0.4), (4, 0.2), sizes=1)) == (
        "Beyond 1 process, more of them bring nothing: efficiency 100.0% at 1, 20.0% at 4."
    )


def test_without_traces_the_verdict_is_of_efficiency_alone() -> None:
    assert say(STOPPING) == (
        "At n = 400, beyond 8 processes, more of them bring nothing: efficiency 30.6% at 8, "
        "15.2% at 16."
    )


def test_a_program_that_scales_well_has_a_calm_sentence() -> None:
    assert say(series((1, 1.0), (16, 0.93)), SERIAL) == (
        "At n = 400, the program scales well from 1 to 16 processes: efficiency is 93.0% with 16."
    )
    weak = series((2, 1.0), (16, 1.02), is_weak=True)
    assert say(weak) == (
        "With weak scaling, the program scales well from 2 to 16 processes: efficiency is 102.0% "
        "with 16."
    )


def test_an_efficiency_that_is_low_from_the_start_is_not_blamed_on_scaling() -> None:
    assert say(series((4, 0.60), (16, 0.59), sizes=1), SERIAL) == (
        "Efficiency is 59.0%, but does not fall from 4 to 16 processes."
    )


# The size grows: what counts is the growth, 175 - 100 = 75 ms, 60 of them in serial_part.
def test_with_weak_scaling_growth_is_lost() -> None:
    scaled = change(
        "main/serial_part", 40, 100, "grows", smallest_size=100.0, smallest_total_ns=100e6
    )
    said = say(series((1, 1.0), (16, 0.57), is_weak=True), scaled)
    assert said == (
        'With weak scaling, beyond 1 process, the growing "main/serial_part" decides: efficiency '
        "100.0% at 1, 57.0% at 16. Of the 75.0 ms lost against the run with 1, "
        '"main/serial_part" takes 60.0 ms (80.0%).'
    )


def test_changes_of_other_configurations_decide_nothing() -> None:
    assert "decides" not in say(STOPPING, change("main/f", 1, 9, largest_processes=8))
