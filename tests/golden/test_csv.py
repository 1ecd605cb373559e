"""Traces in CSV: what each row becomes. Expected rows are worked out beside each trace."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.csv_reading import read_text
from tracemill.engine.analyze import Analysis

DATA = Path(__file__).parents[2] / "data"

#            0    1    2    3 s
# process 0  [main               ]
#                 [foo ][bar]
NESTED = """\
Timestamp (s), Event Type, Name, Process
0, Enter, main(), 0
1, Enter, "foo(int, int)", 0
1.75, Leave, "foo(int, int)", 0
1.75, Enter, bar, 0
2.000000001, Leave, bar, 0
3, Leave, main(), 0
"""


def test_visits_nest_as_in_pipit(tmp_path: Path) -> None:
    """Seconds become nanoseconds: main itself has 3 s less 0.75 s less 0.250000001 s."""
    found = read_text(NESTED, tmp_path)
    assert found.visits("path enter_ns leave_ns exclusive_ns is_closed") == [
        ("main()", 0, 3_000_000_000, 1_999_999_999, True),
        ("main()/foo(int, int)", 1_000_000_000, 1_750_000_000, 750_000_000, True),
        ("main()/bar", 1_750_000_000, 2_000_000_001, 250_000_001, True),
    ]
    assert found.rows("locations", "name rank thread record_count is_complete") == [
        ("thread 0", 0, 0, 6, True)
    ]
    assert found.findings() == {}


def test_the_name_of_a_region_gives_its_role(tmp_path: Path) -> None:
    names = ["main", "MPI_Send", "MPI_Allreduce", "!$omp parallel @a.c:3", "pthread_create"]
    rows = [f"{at},Enter,{name},0" for at, name in enumerate(names)]
    found = read_text("\n".join(["Timestamp (ns),Event Type,Name,Process", *rows]), tmp_path)
    assert found.rows("regions", "name role paradigm") == [  # by name
        ("!$omp parallel @a.c:3", "parallel", "openmp"),
        ("MPI_Allreduce", "coll_all2all", "mpi"),
        ("MPI_Send", "point2point", "mpi"),
        ("main", "function", "user"),
        ("pthread_create", "function", "pthread"),
    ]
    assert found.findings() == {("unclosed_visit", 0): 5}


def test_rows_of_locations_may_be_mixed(tmp_path: Path) -> None:
    """Processes 7 and 2, the latter with threads 0 and 5: ranks follow the order of numbers."""
    text = """\
Process,Thread,Name,Event Type,Timestamp (ns)
7,,a,Enter,10
2,5,a,Enter,11
2,,a,Enter,12
2,5,a,Leave,13
7,,a,Leave,14
2,,a,Leave,15
"""
    found = read_text(text, tmp_path)
    assert found.rows("locations", "location_id rank thread") == [(0, 0, 0), (1, 0, 1), (2, 1, 0)]
    assert found.visits("location_id enter_ns leave_ns") == [(0, 12, 15), (1, 11, 13), (2, 10, 14)]


def test_the_example_is_analyzed(analysis_of: Callable[[str], Analysis]) -> None:
    """The receive waits from 2000 until the send begins at 6000, rank 0 from 7500 to 8500.

    #            0   2000   6000 6500  7000 7500   8500  9000  10000
    # rank 0     [main        [Send]       [Barrier      ]      ]
    # rank 1     [main [Recv..............]      [Barrier]      ]
    """
    run = analysis_of("late_sender.csv").run
    assert run.label == "late_sender"
    waits = run.read("wait_states", ["property", "location_id", "wait_ns", "cause_location_id"])
    assert sorted(tuple(row.values()) for row in waits.to_pylist() if row["wait_ns"]) == [
        ("mpi_barrier_wait", 0, 8500 - 7500, 1),
        ("mpi_latesender", 1, 6000 - 2000, 0),
    ]
    (message,) = run.read("messages", ["bytes", "tag", "send_ns", "receive_ns"]).to_pylist()
    assert tuple(message.values()) == (4096, 7, 6100, 6600)
    times = run.read("call_tree", ["location_id", "call_path_id", "exclusive_ns"]).to_pylist()
    # main itself: 10000 less 500 and 1500; less 5000 and 500.
    assert [row["exclusive_ns"] for row in times if row["call_path_id"] == 0] == [8000, 4500]
    assert run.read("trace_quality").num_rows == 0


def test_a_communicator_is_defined_by_a_row(tmp_path: Path) -> None:
    """Rank 0 of communicator 5 is process 1: it receives from process 0, which is rank 1."""
    text = """\
Timestamp (ns),Event Type,Name,Process,Partner,Communicator,Definition
0,Define Communicator,odd,0,,,"{""id"": 5, ""members"": [1, 0]}"
0,Enter,main,0,,,
0,Enter,main,1,,,
1,Instant,MpiSend,0,0,5,
2,Instant,MpiRecv,1,1,5,
3,Instant,MpiRecv,1,2,5,
4,Instant,MpiRecv,1,0,6,
"""
    found = read_text(text, tmp_path)
    assert found.rows("communicators", "source_ref name kind paradigm size") == [
        (5, "odd", "group", "mpi", 2)
    ]
    assert found.rows("communicator_members", "comm_rank location_id") == [(0, 1), (1, 0)]
    operations = found.rows("mpi_operations", "kind location_id communicator_id peer_group_id tag")
    assert operations == [
        ("send", 0, 0, 1, 0),
        ("recv", 1, 0, 0, 0),
        ("recv", 1, 0, None, 0),  # there is no rank 2
        ("recv", 1, None, None, 0),  # nor a communicator 6
    ]
    assert found.findings()["impossible_id", 1] == 2


def test_a_communicator_may_lie_on_a_grid(tmp_path: Path) -> None:
    """Another one has a grid that is none."""
    text = """\
Timestamp (ns),Event Type,Name,Process,Definition
0,Define Communicator,cart,0,"{""id"": 5, ""members"": [1, 0], ""grid"": [[2, true], [1, false]]}"
0,Define Communicator,odd,0,"{""id"": 6, ""members"": [1, 0], ""grid"": [[2, 1]]}"
0,Define Communicator,odd,0,"{""id"": 7, ""members"": [1, 0], ""grid"": 2}"
0,Enter,main,0,
0,Enter,main,1,
"""
    found = read_text(text, tmp_path)
    assert found.rows("cart_dimensions", "communicator_id dimension size is_periodic") == [
        (0, 0, 2, True),
        (0, 1, 1, False),
    ]
    assert found.findings()["impossible_id", None] == 2


def test_threads_hang_below_the_region_that_forked_them(tmp_path: Path) -> None:
    """The team's region on thread 1 is a child of main; the fork is at 10, the join at 30."""
    text = """\
Timestamp (ns),Event Type,Name,Process,Thread,Communicator,Number,Definition
0,Define Communicator,team,0,0,,,"{""id"": 1, ""paradigm"": ""openmp"", ""members"": [0, [0, 1]]}"
0,Enter,main,0,0,,,
10,Instant,ThreadFork,0,0,,2,
11,Instant,ThreadTeamBegin,0,0,1,,
12,Instant,ThreadTeamBegin,0,1,1,,
13,Enter,!$omp parallel,0,1,,,
13,Enter,!$omp parallel,0,0,,,
20,Leave,!$omp parallel,0,1,,,
21,Leave,!$omp parallel,0,0,,,
22,Instant,ThreadTeamEnd,0,1,1,,
23,Instant,ThreadTeamEnd,0,0,1,,
30,Instant,ThreadJoin,0,0,,,
40,Leave,main,0,0,,,
"""
    found = read_text(text, tmp_path)
    assert found.rows("thread_teams", "location_id fork_ns join_ns call_path_id") == [
        (0, 10, 30, 0)
    ]
    assert found.visits("location_id path enter_ns leave_ns") == [
        (0, "main", 0, 40),
        (0, "main/!$omp parallel", 13, 21),
        (1, "main/!$omp parallel", 13, 20),
    ]
    assert found.rows("thread_team_members", "location_id begin_ns end_ns") == [
        (0, 11, 23), (1, 12, 22),
    ]  # fmt: skip


def test_values_belong_to_the_record_before(tmp_path: Path) -> None:
    """Two counters at one position; an attribute of the enter, which is record 0."""
    text = """\
Timestamp (ns),Event Type,Name,Process,Variable,Value,Definition
0,Define Counter,PAPI_X,0,,,"{""id"": 3}"
0,Define Counter,load,0,,,"{""id"": 4}"
0,Define Attribute,note,0,,,"{""id"": 9}"
0,Enter,main,0,,,
0,More,AttributeText,0,9,warm,
5,Instant,Counter,0,3,12,
5,More,Counter,0,4,0.5,
7,Leave,main,0,,,
"""
    found = read_text(text, tmp_path)
    assert found.rows("counter_values", "sequence counter_id value_integer value_float") == [
        (1, 0, 12, None),
        (1, 1, None, 0.5),
    ]
    assert found.rows("record_attributes", "sequence attribute_id value_text visit_id") == [
        (0, 0, "warm", 0)
    ]
    assert found.rows("locations", "record_count") == [(3,)]


def test_values_without_their_record_are_counted(tmp_path: Path) -> None:
    text = """\
Timestamp (ns),Event Type,Name,Process,Variable,Value,Definition
0,More,Attribute,0,9,1,
1,Enter,main,0,,,
2,Leave,main,0,,,
"""
    assert read_text(text, tmp_path).findings() == {("unknown_record", 0): 1}


@pytest.mark.parametrize("table_name", ["visits", "call_paths", "locations"])
def test_compressed_text_is_the_same_trace(tmp_path: Path, table_name: str) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.mkdir()
    packed.mkdir()
    expected = read_text(NESTED, plain).records(table_name)
    assert read_text(gzip.compress(NESTED.encode()), packed).records(table_name) == expected
