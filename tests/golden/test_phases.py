"""Phases: stretches between large changes of activity."""

from pathlib import Path

import numpy as np
import pytest

from tests.golden.test_overheads import classified, message_trace, thread_trace
from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.running import Row, query_rows, run_query
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import Focusing
from tracemill.cli.phasing import check_curves
from tracemill.cli.phasing import phases as phases_command
from tracemill.reports.phase_text import describe_phases, grid_of_phases
from tracemill.schemas.overheads import ACTIVITIES
from tracemill.schemas.phases import ratio_name
from tracemill.stages.phase_boundaries import change_strengths, find_candidates, smooth
from tracemill.stages.phases import bin_edges, find_kinds


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


def test_phases_are_alike_if_their_times_by_region_are() -> None:
    # Half of the differences is 7 and 10 of 100; the limit is 15 of the first phase.
    times = [[60, 40], [67, 33], [100, 0], [60, 60], [60, 71]]
    assert find_kinds([np.array(time) for time in times]) == [0, 0, 1, 0, 2]


# 200 bins of 5 ns: the thread computes for 500 ns, then receives for 500 ns, of which it waits 300.
def halves() -> Tables:
    tables = classified(read_trace("0 0..500 work\n0 500..1000 MPI_Recv"))
    (receive,) = [row for row in tables["visits"] if row["enter_ns"] == 500]
    return tables | {
        "runs": [{"begin_ns": 0, "end_ns": 1000}],
        "main_part": [{"begin_ns": 0, "end_ns": 1000}],
        "wait_states": [wait_of(receive, 500, 300)],
        "critical_path_segments": [
            {"ordinal": 0, "location_id": 0, "begin_ns": 0, "end_ns": 600},
            {"ordinal": 1, "location_id": 0, "begin_ns": 500, "end_ns": 900, "wait_ns": 100},
        ],
    }


def wait_of(visit: Row, start: int, length: int, **more: object) -> Row:
    names = ("location_id", "visit_id", "call_path_id")
    times = {"property": f"p{start}", "start_ns": start, "wait_ns": length}
    return {name: visit[name] for name in names} | times | more


def test_a_run_of_two_halves_has_two_phases_at_every_level() -> None:
    """Waiting belongs to the activity of the call: at 800 no phase begins."""
    found = query_rows("phases", halves())
    assert [row["threshold"] for row in found] == [0.5, 0.5, 0.25, 0.25, 0.1, 0.1, 0.05, 0.05]
    assert [row["parent_phase"] for row in found] == [None, None, 0, 1, 0, 1, 0, 1]
    first, second = found[:2]
    assert (first["begin_ns"], first["end_ns"], first["strength"]) == (0, 500, None)
    assert (second["begin_ns"], second["end_ns"], second["strength"]) == (500, 1000, 1.0)
    assert (first["computing_ratio"], second["computing_ratio"]) == (1.0, 0.0)
    assert (second["blocked_ratio"], second["communicating_ratio"]) == (0.6, 0.4)
    assert (second["wait_ns"], first["path_ns"], second["path_ns"]) == (300, 500, 400)
    assert [row["kind"] for row in found[:2]] == [0, 1]


def test_the_curve_of_waiting_shows_where_it_ends() -> None:
    found = query_rows(
        "phases", halves(), phase_curves="blocked", phase_thresholds="1", phase_smooth=1
    )
    assert [row["begin_ns"] for row in found] == [0, 500, 800]


def test_a_curve_without_weight_has_no_say() -> None:
    choice = {"phase_curves": "blocked,computing", "phase_weights": "0,1", "phase_smooth": 1}
    found = query_rows("phases", halves(), phase_thresholds="0.05", **choice)
    assert [row["begin_ns"] for row in found] == [0, 500]


def sending(*sends: tuple[int, int]) -> Tables:
    """Messages with these times and bytes."""
    messages = [
        {"message_id": at, "ordinal": at, "send_ns": time, "bytes": size}
        for at, (time, size) in enumerate(sends)
    ]
    return halves() | {"messages": messages, "unmatched_messages": [], "counter_profile": []}


# Bins of 5 ns: 600 bytes are sent at 300, 800 at 304, both in bin 60.
def test_bytes_sent_are_a_curve_on_request() -> None:
    tables = sending((300, 600), (304, 800))
    requested = {"phase_curves": "bytes_sent,computing"}
    assert run_query("further_curves", tables, "curve bin value", **requested) == [
        ("bytes_sent", 60, 1400.0)
    ]
    assert run_query("further_curves", tables) == []


# From 300 on, 10 bytes are sent in every bin.
def test_a_phase_begins_when_bytes_are_sent() -> None:
    tables = sending(*((time, 10) for time in range(300, 1000, 5)))
    choice = {"phase_curves": "bytes_sent", "phase_thresholds": "1", "phase_smooth": 1}
    assert run_query("phases", tables, "begin_ns", **choice) == [(0,), (300,)]


# The profile has bins of 100 ns. The sum of 40 is spread over 20 bins of 5 ns, the mean is not.
def test_counters_are_curves() -> None:
    counters = [{"counter_id": 0, "name": "FLOP"}, {"counter_id": 1, "name": "power"}]
    profile = [
        {"counter_id": at, "bin": 0, "begin_ns": 0, "end_ns": 100, "value": 40.0, "method": method}
        for at, method in enumerate(["exact", "mean"])
    ]
    tables = halves() | {"counters": counters, "counter_profile": profile, "messages": []}
    found = run_query("further_curves", tables, "curve bin value", phase_curves="FLOP,power")
    assert found == [
        *(("FLOP", at, 2.0) for at in range(20)),
        *(("power", at, 40.0) for at in range(20)),
    ]


def shares(tables: Tables, begin: int, end: int) -> dict[str, float]:
    """Share of each activity in a main part, as one bin."""
    main = {"main_part": [{"begin_ns": begin, "end_ns": end}], "critical_path_segments": []}
    choice = {"phase_bins": 1, "phase_smooth": 1, "phase_thresholds": "1"}
    (row,) = query_rows("phases", tables | main, **choice)
    return {name: row[ratio_name(name)] for name in ACTIVITIES if row[ratio_name(name)]}


#           0    10   20   30   40   50   60
# rank 0    [         [Send]
# rank 1    [         [Recv     ]    [Barr]
def test_the_class_of_overhead_determines_the_activity() -> None:
    tables = classified(message_trace()) | {"wait_states": []}
    assert shares(tables, 20, 30) == {"communicating": 1.0}
    assert shares(tables, 40, 60) == {"unknown": 0.5, "computing": 0.25, "synchronizing": 0.25}


# Waits of 22 to 30 and 28 to 34 overlap; completion does not count. The send lasts 10.
def test_waiting_is_taken_off_the_activity_of_the_call() -> None:
    tables = classified(message_trace())
    (call,) = [row for row in tables["visits"] if row["leave_ns"] == 40]
    waits = [wait_of(call, 22, 8), wait_of(call, 28, 6), wait_of(call, 35, 5, is_completion=True)]
    found = shares(tables | {"wait_states": waits}, 20, 40)
    assert found == {"blocked": 12 / 40, "communicating": 18 / 40, "unknown": 10 / 40}


# The worker is idle until the fork at 5, from the join at 60 to the end of the process at 70, and
# when the process is over, until 80. The master computes until 5 and from 60 to 70.
def test_workers_outside_regions_are_idle() -> None:
    tables = classified(thread_trace()) | {"wait_states": []}
    assert shares(tables, 0, 5) == {"computing": 0.5, "idle": 0.5}
    assert shares(tables, 60, 80) == {"computing": 0.25, "idle": 0.5, "unknown": 0.25}


def test_streams_of_accelerators_have_no_part_in_phases() -> None:
    tables = classified(message_trace()) | {"wait_states": []}
    tables["locations"][0]["kind"] = "gpu"
    assert shares(tables, 20, 60) == {
        "computing": 0.25, "communicating": 0.5, "synchronizing": 0.25,
    }  # fmt: skip
    assert run_query("time_profile_holds_the_overheads", tables) == []


def test_a_main_part_shorter_than_its_bins_has_no_phases() -> None:
    tables = halves() | {"main_part": [{"begin_ns": 0, "end_ns": 199}]}
    assert query_rows("phases", tables) == []


def test_activities_are_named_as_everywhere() -> None:
    row = {"phase": 0, "kind": 0, "begin_ns": 0, "end_ns": 9, "strength": None}
    shares = {"io_ratio": 0.5, "create_destroy_ratio": 0.5, "idle_ratio": 0}
    assert grid_of_phases([row | shares]).titles[5:] == ("I/O", "Create/destroy")


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
        ({"focus": Focusing(threshold="0")}, "--threshold 0: give a number above 0 and up to 1"),
        ({"focus": Focusing(threshold="nan")}, "--threshold nan: give"),
        ({"focus": Focusing(threshold="1.5")}, "--threshold 1.5: give"),
        ({"focus": Focusing(threshold="low")}, "--threshold low: give"),
        ({"smooth": 4}, "--smooth 4: give an odd number from 1 to --bins, which is 200"),
        ({"smooth": 11, "bins": 10}, "--smooth 11: give an odd number from 1 to --bins"),
        ({"bins": 0}, "--bins 0: give a number from 1 to"),
    ],
)
def test_bad_input_is_refused(given: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refusal:
        phases_command(**given, store=tmp_path)  # type: ignore[arg-type]
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("names", "weights", "message"),
    [
        ("computing,heat", "", "--curves: no curve heat: known are computing, blocked"),
        ("FLOP,heat", "", "unknown, bytes_sent, FLOP"),
        ("FLOP,FLOP", "", "--curves: FLOP is named twice: name it once, with a weight"),
        ("computing", "1,2", "--weights 1,2: give a number of at least 0 for each of 1 curves"),
        ("computing", "-1", "--weights -1: give a number"),
        ("", "1", "for each of 7 curves"),
    ],
)
def test_unknown_curves_and_wrong_weights_are_refused(
    names: str, weights: str, message: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        check_curves(names, weights, ["FLOP"])
    assert message in str(refusal.value)
