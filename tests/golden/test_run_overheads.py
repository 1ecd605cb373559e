"""Overheads of a parallel run against a sequential one."""

from typing import Any

import polars as pl
import pytest
from scipy import stats

from tests.helpers.gathering import program, query_runs
from tests.helpers.run_times import run_times, times_of
from tracemill.base.errors import UsageError
from tracemill.comparison import overheads
from tracemill.comparison.overhead_tables import (
    call_path_comparison,
    region_comparison,
    run_comparison,
)
from tracemill.comparison.overheads import Overheads, find_overheads, name_warnings
from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.stages.models.overhead_split import split

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


def counted(
    times: dict[int, int], instructions: float | None, cycles: float | None
) -> pl.DataFrame:
    """Times of one call path; counts are divided evenly among threads."""
    count = len(times)
    return times_of({"work": times}, possible=4).with_columns(
        instructions=pl.lit(instructions and instructions / count, pl.Float64),
        cycles=pl.lit(cycles and cycles / count, pl.Float64),
    )


COUNTED = "work_ns replicated_ns additional_ns unidentified_ns lower_ipc_ns lower_frequency_ns"


def counted_parts(seq: pl.DataFrame, par: pl.DataFrame) -> tuple[float | None, ...]:
    (row,) = split(seq, par, tolerance=0.2).select(COUNTED.split()).rows()
    return row


# SEQ does 400 instructions in 800 cycles and 400 ns, PAR 440 in 1100 cycles and 480 ns.
def test_more_instructions_are_additional_work() -> None:
    additional = (1 - 400 / 440) * 480
    # At 2.5 instead of 2 cycles per instruction, 400 instructions take 200 more cycles of 0.5 ns.
    ipc = 200 * 0.5
    # 1000 cycles take 480 / 1100 ns each, not 0.5 ns.
    frequency = 1000 * (480 / 1100 - 0.5)
    seq, par = counted({0: 400}, 400, 800), counted(dict.fromkeys(range(4), 120), 440, 1100)
    found = counted_parts(seq, par)
    assert found == pytest.approx((80, 0, additional, 80 - additional, ipc, frequency))
    assert ipc + frequency == pytest.approx(80 - additional)


def test_without_cycles_the_rest_is_not_split() -> None:
    par = counted(dict.fromkeys(range(4), 120), 440, None)
    found = counted_parts(counted({0: 400}, 400, 800), par)
    assert found[2:] == (
        pytest.approx((1 - 400 / 440) * 480),
        pytest.approx(80 - 480 / 11),
        None,
        None,
    )


def test_without_instructions_of_one_side_times_decide() -> None:
    for seq, par in ((None, 440), (400, None)):
        times = counted({0: 400}, seq, 800), counted(dict.fromkeys(range(4), 120), par, 1100)
        assert counted_parts(*times) == (80, 0, 0, 80, None, None)


# Every thread does the 100 instructions of SEQ, in 110 ns instead of 100: (1 - 100/400) * 440 = 330
# is the time of more instructions, of it 300 replicated.
def test_replicated_computation_is_a_part_of_more_instructions() -> None:
    par = counted(dict.fromkeys(range(4), 110), 400, 440)
    found = counted_parts(counted({0: 100}, 100, 100), par)
    assert found == pytest.approx((340, 300, 30, 10, 10, 0))


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
    return Overheads(seq=[seq], par=[par], tolerance=0.2)


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
        {"overhead_id": overhead_id("collective"), "time_ns": 60, "noise_ns": None},
        {"overhead_id": overhead_id("unparallelised code"), "time_ns": 75, "noise_ns": None},
    ]


def test_regions_show_the_mean_and_the_longest_process():
    rows = {
        row.pop("region"): tuple(row.values()) for row in region_comparison(example()).to_pylist()
    }
    # serial: 100 on one of four processes, 100/4 of the sequential time; 300 charged to it.
    assert rows == {
        "MPI_Bcast": (0, 135, 160, 135, 160, 0, None),
        "serial": (100, 25, 100, 0, 75, 75, None),
        "solve": (400, 100, 100, 0, 0, 0, None),
    }


def test_call_paths_have_the_largest_overhead_first():
    rows = call_path_comparison(example()).to_pylist()
    found = [tuple(list(row.values())[1:]) for row in rows]
    assert found[0] == ("MPI_Bcast", 0, 135, 160, 4, 135, 0, 0, 0, None, None, None)
    assert set(found[1:]) == {
        ("serial", 100, 25, 100, 1, 0, 0, 0, 0, None, None, None),
        ("solve", 400, 100, 100, 4, 0, 0, 0, 0, None, None, None),
    }


# SEQ takes 500 and 540 ns, PAR 260 and 280 ns on 4 threads, all of it outside of visits.
def test_repetitions_give_means_and_their_noise() -> None:
    seq, par = (
        [run_times(f"{name}{time}", {}, main_ns=time, count=count) for time in times]
        for name, times, count in (("seq", (500, 540), 1), ("par", (260, 280), 4))
    )
    found = Overheads(seq=seq, par=par, tolerance=0.2)
    outside = overhead_id("outside visits")
    assert (found.total_ns, found.classes) == (270 - 520 / 4, {outside: 140})
    # Variances 10²/2 of the shares of SEQ and 20²/2 of PAR; 1.47 degrees of freedom.
    errors = 50 / 2, 200 / 2
    freedom = sum(errors) ** 2 / (errors[0] ** 2 + errors[1] ** 2)
    noise = stats.t.ppf(0.975, freedom) * sum(errors) ** 0.5
    assert found.noise == {None: pytest.approx(noise), outside: pytest.approx(noise)}
    (row,) = run_comparison(found).to_pylist()
    assert (row["time_ns"], row["noise_ns"]) == (140, round(noise))


# Each run of PAR is compared with the mean of SEQ. A call path that a run lacks counts 0.
def test_call_paths_of_repetitions_are_means() -> None:
    seq = [run_times(f"s{n}", {"work": {0: n}}, main_ns=500, count=1) for n in (300, 500)]
    par = [
        run_times(
            "p1", {"work": dict.fromkeys(range(4), 110), "new": {0: 8}}, main_ns=200, count=4
        ),
        run_times("p2", {"work": dict.fromkeys(range(4), 130)}, main_ns=200, count=4),
    ]
    found = Overheads(seq=seq, par=par, tolerance=0.2)
    rows = {row["call_path"]: row for row in call_path_comparison(found).to_pylist()}
    names = ("seq_ns", "par_mean_ns", "overhead_ns", "additional_ns", "unidentified_ns")
    assert [rows["work"][name] for name in names] == [400, 120, 20, 0, 20]
    assert [rows["new"][name] for name in names] == [0, 1, 1, 1, 0]
    assert sum(found.classes.values()) == pytest.approx(found.total_ns)
    regions = {row["region"]: row for row in region_comparison(found).to_pylist()}
    assert (regions["work"]["par_mean_ns"], regions["work"]["overhead_mean_ns"]) == (120, 20)
    assert regions["work"]["noise_ns"] == rows["work"]["noise_ns"] > 0


def test_repetitions_have_equal_numbers_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [run_times(f"x{count}", {}, main_ns=9, count=count) for count in (1, 2, 4)]
    monkeypatch.setattr(overheads, "read_times", lambda _: runs)
    one, *others = (each.run for each in runs)
    with pytest.raises(UsageError, match="equal numbers of threads: x2 has 2 and x4 has 4"):
        find_overheads([one], others, tolerance=0.2)
    with pytest.raises(UsageError, match="run x1 is given twice"):
        find_overheads([one, one], others, tolerance=0.2)


def find(monkeypatch: pytest.MonkeyPatch, seq: Any, par: Any, **options: Any) -> Overheads:
    by_run = {seq.run.run_id: seq, par.run.run_id: par}
    monkeypatch.setattr(overheads, "read_times", lambda runs: [by_run[run.run_id] for run in runs])
    return find_overheads([seq.run], [par.run], tolerance=0.2, **options)


def test_the_sequential_run_has_no_more_threads(monkeypatch):
    found = example()
    with pytest.raises(UsageError, match="SEQ a_p4_n4_r1 has 4 threads, more than PAR a_p1_n4_r1"):
        find(monkeypatch, found.par[0], found.seq[0])


def test_two_programs_are_compared_only_by_force(monkeypatch):
    seq = run_times("seq", {"other": {0: 60}, "solve": {0: 40}}, main_ns=100, count=1)
    par = run_times("par", {"solve": {0: 20, 1: 20}}, main_ns=20, count=2)
    with pytest.raises(UsageError, match=r"two programs: only 40\.0% of the computing time of seq"):
        find(monkeypatch, seq, par)
    assert find(monkeypatch, seq, par, force=True).total_ns == 20 - 50


def test_whole_runs_must_be_analyzed_as_such(monkeypatch):
    found = example()
    with pytest.raises(UsageError, match="a_p1_n4_r1 was analyzed without MPI setup"):
        find(monkeypatch, found.seq[0], found.par[0], is_setup_included=True)


def test_names_that_differ_in_size_or_repetition_are_pointed_out():
    one, other = (
        run_times(name, {}, main_ns=1, count=1).run for name in ("x_p1_n4_r1", "x_p2_n8_r2")
    )
    assert list(name_warnings([one], [other])) == [
        "the names differ in size: 4 in x_p1_n4_r1, 8 in x_p2_n8_r2",
        "the names differ in repetition: 1 in x_p1_n4_r1, 2 in x_p2_n8_r2",
    ]
    assert list(name_warnings([one], [one])) == []


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
