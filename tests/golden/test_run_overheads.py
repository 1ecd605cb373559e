"""Overheads of a parallel run against a sequential one."""

from typing import Any

import pytest

from tests.helpers.gathering import program, query_runs
from tests.helpers.run_times import run_times, times_of
from tracemill.base.errors import UsageError
from tracemill.comparison import overheads
from tracemill.comparison.overhead_tables import (
    call_path_comparison,
    region_comparison,
    run_comparison,
)
from tracemill.comparison.overheads import Overheads, find_overheads, name_warnings, split
from tracemill.schemas.overheads import TAXONOMY, overhead_id

SERIAL = {0: 400}


def parts(seq: dict[int, int], par: dict[int, int], *, possible: int = 4) -> tuple[int, ...]:
    """Replicated, additional and unidentified time of one call path, summed over threads."""
    known = times_of({"work": seq} if seq else {}, possible=1)
    found = split(known, times_of({"work": par} if par else {}, possible=possible), tolerance=0.2)
    columns = ("work_ns", "replicated_ns", "additional_ns", "unidentified_ns")
    (row,) = found.select(columns).rows()
    return tuple(int(each) for each in row)


def test_computation_that_is_not_in_the_sequential_run_is_additional():
    assert parts({}, {0: 10, 1: 5}) == (15, 0, 15, 0)


# All four threads do at least 80 % of the sequential work: 100 + 90 + 100 + 100 - 100.
def test_computation_that_every_thread_repeats_is_replicated():
    assert parts({0: 100}, {0: 100, 1: 90, 2: 100, 3: 100}) == (290, 290, 0, 0)
    # One does less than 80 %: times cannot explain it.
    assert parts({0: 100}, {0: 100, 1: 79, 2: 100, 3: 100}) == (279, 0, 0, 279)
    # Only three of four threads take part.
    assert parts({0: 100}, {0: 100, 1: 100, 2: 100}) == (200, 0, 0, 200)


# 100 on each thread is replicated. 8 on top of it lie within the tolerance of 20 %, 40 do not.
def test_more_than_the_sequential_work_on_each_thread():
    assert parts({0: 100}, dict.fromkeys(range(4), 108)) == (332, 300, 0, 32)
    assert parts({0: 100}, dict.fromkeys(range(4), 140)) == (460, 300, 160, 0)


def test_one_thread_that_computes_more_than_the_sequential_run():
    assert parts({0: 100}, {2: 121}) == (21, 0, 21, 0)
    assert parts({0: 100}, {2: 120}) == (20, 0, 0, 20)
    assert parts({0: 100}, {2: 70}) == (-30, 0, 0, -30)


def test_a_divided_or_missing_computation_is_unidentified_negative_too():
    assert parts(SERIAL, dict.fromkeys(range(4), 101)) == (4, 0, 0, 4)
    assert parts(SERIAL, dict.fromkeys(range(4), 95)) == (-20, 0, 0, -20)
    assert parts(SERIAL, {}) == (-400, 0, 0, -400)


# SEQ: 500 ns, 400 in solve, 100 in serial. PAR: 4 threads of 260 ns.
#
# thread 0  [serial 100][solve 100][Bcast 60 ]
# others    [Bcast 100 ][solve 100][Bcast 60 ]      300 of Bcast are lost to serial
def example() -> Overheads:
    seq = run_times("a_p1_n4_r1", {"solve": {0: 400}, "serial": {0: 100}}, main_ns=500, count=1)
    collective, lost = overhead_id("collective"), overhead_id("unparallelised code")
    par = run_times(
        "a_p4_n4_r1",
        {
            "solve": dict.fromkeys(range(4), 100),
            "serial": {0: 100},
            "MPI_Bcast": {0: 60, 1: 160, 2: 160, 3: 160},
        },
        main_ns=260,
        count=4,
        moved={collective: -300, lost: 300},
        charged={"serial": 300},
    )
    return Overheads(seq=seq, par=par, tolerance=0.2)


def test_classes_sum_to_the_overhead_of_the_run():
    found = example()
    assert found.total_ns == 260 - 500 / 4
    # Bcast: (60 + 3 * 160 - 300) / 4; computation is the same in both runs.
    assert {TAXONOMY[each].part: time for each, time in found.classes.items()} == {
        "collective": 60,
        "unparallelised code": 75,
    }
    assert found.unidentified_ns == 0
    assert run_comparison(found).to_pylist() == [
        {"overhead_id": overhead_id("collective"), "time_ns": 60},
        {"overhead_id": overhead_id("unparallelised code"), "time_ns": 75},
    ]


def test_regions_show_the_mean_and_the_longest_process():
    rows = {
        row.pop("region"): tuple(row.values()) for row in region_comparison(example()).to_pylist()
    }
    # serial: 100 on one of four processes, 100/4 of the sequential time; 300 charged to it.
    assert rows == {
        "MPI_Bcast": (0, 135, 160, 135, 160, 0),
        "serial": (100, 25, 100, 0, 75, 75),
        "solve": (400, 100, 100, 0, 0, 0),
    }


def test_call_paths_have_the_largest_overhead_first():
    rows = call_path_comparison(example()).to_pylist()
    found = [tuple(list(row.values())[1:]) for row in rows]
    assert found[0] == ("MPI_Bcast", 0, 135, 160, 4, 135, 0, 0, 0)
    assert set(found[1:]) == {
        ("serial", 100, 25, 100, 1, 0, 0, 0, 0),
        ("solve", 400, 100, 100, 4, 0, 0, 0, 0),
    }


def find(monkeypatch: pytest.MonkeyPatch, seq: Any, par: Any, **options: Any) -> Overheads:
    by_run = {seq.run.run_id: seq, par.run.run_id: par}
    monkeypatch.setattr(overheads, "read_times", lambda run: by_run[run.run_id])
    return find_overheads(seq.run, par.run, tolerance=0.2, **options)


def test_the_sequential_run_has_no_more_threads(monkeypatch):
    found = example()
    with pytest.raises(UsageError, match="SEQ a_p4_n4_r1 has 4 threads, more than PAR a_p1_n4_r1"):
        find(monkeypatch, found.par, found.seq)


def test_two_programs_are_compared_only_by_force(monkeypatch):
    seq = run_times("seq", {"other": {0: 60}, "solve": {0: 40}}, main_ns=100, count=1)
    par = run_times("par", {"solve": {0: 20, 1: 20}}, main_ns=20, count=2)
    with pytest.raises(UsageError, match=r"two programs: only 40\.0% of the computing time of seq"):
        find(monkeypatch, seq, par)
    assert find(monkeypatch, seq, par, force=True).total_ns == 20 - 50


def test_whole_runs_must_be_analyzed_as_such(monkeypatch):
    found = example()
    with pytest.raises(UsageError, match="a_p1_n4_r1 was analyzed without MPI setup"):
        find(monkeypatch, found.seq, found.par, is_setup_included=True)


def test_names_that_differ_in_size_or_repetition_are_pointed_out():
    one, other = (
        run_times(name, {}, main_ns=1, count=1).run for name in ("x_p1_n4_r1", "x_p2_n8_r2")
    )
    assert list(name_warnings(one, other)) == [
        "the names differ in size: 4 in x_p1_n4_r1, 8 in x_p2_n8_r2",
        "the names differ in repetition: 1 in x_p1_n4_r1, 2 in x_p2_n8_r2",
    ]
    assert list(name_warnings(one, one)) == []


# path 0  main           10 and 30 ns, from 0 on
#      1  └── solve      20 ns on process 0
def test_times_are_read_by_call_path_and_thread():
    tables = program("main\n  solve", {(0, 0): 10, (1, 0): 20, (0, 1): 30}, [0, 1])
    tables["runs"] = [{"run_id": "x", "end_ns": 100}]
    tables["main_part"] = [{"begin_ns": 5, "end_ns": 25}]
    tables["region_classes"] = [{"region_id": n, "overhead_id": 0} for n in range(2)]
    tables["setup_times"] = [{"call_path_id": 0, "location_id": 0, "time_ns": 5}]
    for row in tables["visits"]:
        row["region_id"] = row["call_path_id"]
    found = query_runs("compared_times", {"x": tables})
    assert [(row["call_path"], row["location_id"], row["time_ns"]) for row in found] == [
        ("main", 0, 10 - 5),
        ("main", 1, 30),
        ("main/solve", 0, 20),
    ]
    found = query_runs("compared_regions", {"x": tables})
    # Visits are clipped to the main part, from 5 to 25.
    assert [(row["region"], row["location_id"], row["time_ns"]) for row in found] == [
        ("main", 0, 5),
        ("main", 1, 20),
        ("solve", 0, 15),
    ]
