"""Phases: stretches between large changes of activity."""

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.micro_trace import Tables
from tests.helpers.running import query_rows, run_stage
from tracemill.base.errors import UsageError
from tracemill.cli.phasing import phases as phases_command
from tracemill.reports.phase_text import describe_phases
from tracemill.stages.phase_boundaries import bin_edges, change_strengths, find_candidates, smooth
from tracemill.stages.phases import PHASES_STAGE, find_kinds, times_until


def test_curves_are_smoothed_over_the_bins_that_exist() -> None:
    curve = np.array([0.0, 3.0, 6.0, 0.0])
    assert smooth(curve, 3).tolist() == pytest.approx([1.5, 3.0, 3.0, 3.0])
    assert smooth(curve, 1).tolist() == pytest.approx(curve.tolist())


def test_a_change_weighs_by_the_height_of_its_stretch() -> None:
    # Up by 1 and 3 (height 4), down by 2 (height 2): products 4, 12, 4 of 20, times the range 4.
    found = change_strengths(np.array([0.0, 1.0, 4.0, 4.0, 2.0]))
    assert found.tolist() == pytest.approx([0, 4 / 5, 12 / 5, 0, 4 / 5])


def test_a_flat_curve_has_no_say() -> None:
    assert change_strengths(np.full(5, 0.3)).tolist() == [0] * 5


def test_a_candidate_is_the_greatest_within_reach() -> None:
    strengths = np.array([0, 2, 0, 1, 0, 0, 4, 0.0])
    assert find_candidates(strengths, 2) == [(1, 0.5), (6, 1.0)]
    assert find_candidates(strengths, 1) == [(1, 0.5), (3, 0.25), (6, 1.0)]


def test_the_middle_of_equal_ones_counts() -> None:
    assert find_candidates(np.array([0, 1, 1, 1, 0, 0, 0.0]), 2) == [(2, 1.0)]
    assert find_candidates(np.array([0, 1, 1, 0, 0, 0, 0.0]), 2) == [(2, 1.0)]
    # Bin 4 is no candidate, as a greater one is within reach of it.
    assert find_candidates(np.array([0, 0, 1, 1, 1, 0, 2.0]), 2) == [(3, 0.5), (6, 1.0)]


def test_bins_are_whole_nanoseconds() -> None:
    assert bin_edges(5, 15, 4).tolist() == [5, 7, 10, 12, 15]


def test_time_is_summed_until_every_edge() -> None:
    # Key 0: 2..7 and 6..20, key 1: before all edges.
    key, begin, end = np.array([0, 0, 1]), np.array([2, 6, 0]), np.array([7, 20, 4])
    found = times_until(key, begin, end, np.array([4, 8, 12]), 2)
    assert found.tolist() == [[0, 3 + 2, 3 + 6], [0, 0, 0]]


def test_phases_are_alike_if_their_times_by_region_are() -> None:
    # Half of the differences is 7 and 10 of 100; the limit is 15 of the first phase.
    times = [[60, 40], [67, 33], [100, 0], [60, 60], [60, 71]]
    assert find_kinds([np.array(time) for time in times]) == [0, 0, 1, 0, 2]


# 40 bins of 5 ns: thread 0 computes for 100 ns, then communicates for 100 ns.
HALVES: Tables = {
    "main_part": [{"begin_ns": 0, "end_ns": 1000}],
    "activities": [
        {"location_id": 0, "begin_ns": 0, "end_ns": 500, "activity": "computing"}
        | {"call_activity": "computing"},
        {"location_id": 0, "begin_ns": 500, "end_ns": 800, "activity": "blocked"}
        | {"call_activity": "communicating"},
        {"location_id": 0, "begin_ns": 800, "end_ns": 1000, "activity": "communicating"}
        | {"call_activity": "communicating"},
    ],
    "critical_path_segments": [{"location_id": 0, "begin_ns": 0, "end_ns": 900}],
}


def test_a_run_of_two_halves_has_two_phases_at_every_level() -> None:
    """Waiting belongs to the activity of the call: at 800 no phase begins."""
    found = run_stage(PHASES_STAGE, HALVES)["phases"]
    assert [row["threshold"] for row in found] == [0.5, 0.5, 0.25, 0.25, 0.1, 0.1, 0.05, 0.05]
    assert [row["parent_phase"] for row in found] == [None, None, 0, 1, 0, 1, 0, 1]
    first, second = found[:2]
    assert (first["begin_ns"], first["end_ns"], first["strength"]) == (0, 500, None)
    assert (second["begin_ns"], second["end_ns"], second["strength"]) == (500, 1000, 1.0)
    assert (first["computing_ratio"], second["computing_ratio"]) == (1.0, 0.0)
    assert (second["blocked_ratio"], second["communicating_ratio"]) == (0.6, 0.4)
    assert (second["wait_ns"], first["path_ns"], second["path_ns"]) == (300, 500, 400)


def test_a_main_part_shorter_than_its_bins_has_no_phases() -> None:
    tables = HALVES | {"main_part": [{"begin_ns": 0, "end_ns": 199}]}
    assert query_rows("phases", tables) == []


def test_kinds_that_recur_are_named() -> None:
    begins = {0: 0, 1: 100, 2: 420, 3: 740}
    rows = [
        {"phase": at, "kind": min(at, 1), "begin_ns": begin * 10**6, "end_ns": (begin + 9) * 10**6}
        for at, begin in begins.items()
    ]
    assert describe_phases(rows) == (
        "The main part has 4 phases of 2 kinds. Phase kind 1 recurs 3 times, every 320 ms."
    )
    assert describe_phases(rows[:1]) == "The main part has a single phase."


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threshold": 0.0}, "--threshold 0.0: give a number above 0 and up to 1"),
        ({"threshold": float("nan")}, "--threshold nan: give"),
        ({"threshold": 1.5}, "--threshold 1.5: give"),
        ({"smooth": 4}, "--smooth 4: give an odd number from 1 to --bins, which is 200"),
        ({"smooth": 11, "bins": 10}, "--smooth 11: give an odd number from 1 to --bins"),
        ({"bins": 0}, "--bins 0: give a number from 1 to"),
        ({"curves": "computing,heat"}, "--curves: no curve heat: known are computing, blocked"),
        ({"curves": "computing", "weights": "1,2"}, "--weights 1,2: give a number"),
        ({"curves": "computing", "weights": "-1"}, "--weights -1: give a number"),
    ],
)
def test_bad_input_is_refused(given: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refusal:
        phases_command(**given, store=tmp_path)  # type: ignore[arg-type]
    assert message in str(refusal.value)
