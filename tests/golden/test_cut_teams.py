"""Traces of teams that end early, some threads before others: no time comes out of nothing."""

import shutil
from collections import defaultdict
from os import SEEK_END
from pathlib import Path

import pytest

from tests.helpers.otf2_archive import Trace
from tests.helpers.otf2_reading import ReadTrace, read_archive

TIMES = "enter_ns leave_ns exclusive_ns"
DATA = Path(__file__).parents[2] / "data"
OPENMP, TEAM = 3, 5
END_OF_FILE = b"\x02\x01"
FIRST = f"""
     0  enter main
    10  ThreadFork {OPENMP} 2
    11  ThreadTeamBegin {TEAM}
    12  enter parallel
    28  leave parallel
    29  ThreadTeamEnd {TEAM}
    30  ThreadJoin {OPENMP}
"""
SECOND = f"""
    50  ThreadFork {OPENMP} 2
    51  ThreadTeamBegin {TEAM}
    52  enter parallel
"""


@pytest.fixture
def read_cut(read):
    """Read a trace of a master whose file is cut after its last record, and of a worker."""

    def find(master: str, *starts: int) -> ReadTrace:
        folder = read.next_folder()
        anchor = cut_trace(master, *starts).write(folder)
        with (folder / "traces" / "0.evt").open("r+b") as events:
            events.truncate(events.seek(0, SEEK_END) - len(END_OF_FILE))
        found: ReadTrace = read.again(anchor, allow_damaged=True)
        return found

    return find


def cut_trace(master: str, *starts: int) -> Trace:
    """A master, and a worker that works for 10 from each start on."""
    trace = Trace()
    trace.region("main")
    trace.region("parallel", role="parallel", paradigm="openmp")
    trace.location(master, process=0)
    work = (
        f"{start} ThreadTeamBegin {TEAM}\n{start} enter parallel\n"
        f"{start + 10} leave parallel\n{start + 10} ThreadTeamEnd {TEAM}"
        for start in starts
    )
    trace.location("\n".join(work), process=0)
    trace.team(TEAM, [location.ref for location in trace.locations])
    return trace


#           0   10f           30j  |        the master's records end here
# master    [main [parallel  ]     |
# worker            [parallel]           [parallel]     [parallel]
#                   15      25           60      70     80      90
#
# The fork records of the worker's later work are lost: it has its own time, but no time
# since the fork at 10.
def test_work_after_the_last_recorded_join_has_no_forking_call_path(read_cut):
    tables = read_cut(FIRST, 15, 60, 80)
    assert tables.visits(f"path {TIMES}", location=1) == [
        ("main/parallel", 15, 25, 20),  # from the fork (10) to the join (30)
        ("parallel", 60, 70, 10),
        ("parallel", 80, 90, 10),
    ]
    assert tables.rows("thread_team_members", "begin_ns end_ns", "location_id = 1") == [(15, 25)]
    assert tables.findings()["team_without_fork", 1] == 2


def test_a_worker_outside_the_last_recorded_fork_gets_none_of_its_time(read_cut):
    tables = read_cut(FIRST, 60)
    assert tables.visits(f"path {TIMES}", location=1) == [("parallel", 60, 70, 10)]
    assert tables.rows("thread_team_members", "begin_ns", "location_id = 1") == []


# The records of the master end at 52 within the second team: the worker's next work belongs
# to it, the first since the fork at 50. Later work belongs to an unknown team.
def test_a_team_that_never_joins_has_its_next_work_only(read_cut):
    tables = read_cut(FIRST + SECOND, 15, 60, 80)
    assert tables.visits(f"path {TIMES}", location=1) == [
        ("main/parallel", 15, 25, 20),
        ("main/parallel", 60, 70, 20),
        ("parallel", 80, 90, 10),
    ]
    assert tables.findings()["team_without_fork", 1] == 1


def exclusive_times(tables: ReadTrace) -> dict[int, list[int]]:
    """Exclusive times of each location's visits, in the order of entering."""
    found: dict[int, list[int]] = defaultdict(list)
    for location, exclusive_ns in tables.visits("location_id exclusive_ns"):
        found[location].append(exclusive_ns)
    return found


def assert_times_fit(cut: ReadTrace, whole: ReadTrace) -> None:
    """Lost records add no time to visits, and visits lie between the records of their location."""
    before = exclusive_times(whole)
    for location, times in exclusive_times(cut).items():
        assert min(times) >= 0
        assert all(time <= most for time, most in zip(times, before[location], strict=False))
    spans = {place: span for place, *span in cut.rows("locations", "location_id begin_ns end_ns")}
    for location, enter_ns, leave_ns in cut.visits("location_id enter_ns leave_ns"):
        begin_ns, end_ns = spans[location]
        assert begin_ns <= enter_ns <= leave_ns <= end_ns


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("m28_omp_critical", ("0", "4294967296", "8589934592", "12884901888")),
        ("m29_hybrid", ("0", "4294967296", "8589934592")),
        ("m29_hybrid", ("1", "4294967297", "8589934593")),
    ],
)
def test_cutting_a_file_adds_no_time(name, files, tmp_path: Path):
    whole = read_archive(DATA / name / "traces.otf2", tmp_path / "whole")
    for file in files:
        size = (DATA / name / "traces" / f"{file}.evt").stat().st_size
        for percent in (15, 35, 60, 85):
            copy = shutil.copytree(DATA / name, tmp_path / f"{file}at{percent}")
            with (copy / "traces" / f"{file}.evt").open("r+b") as events:
                events.truncate(size * percent // 100)
            store = tmp_path / f"store{file}at{percent}"
            assert_times_fit(read_archive(copy / "traces.otf2", store, allow_damaged=True), whole)
