"""Definitions: names, identifiers, locations, communicators and their members."""

import ctypes

import pytest

from tests.helpers.otf2_archive import UNDEFINED, Trace, trace_of

# Groups in OTF2's numbers: locations that ranks count, ranks of a communicator.
OWN_GROUP = 50


def mpi_trace(processes: int) -> Trace:
    """Processes with MPI_COMM_WORLD as communicator 0, of the ranks in group 1."""
    return trace_of(*["0 enter MPI_Init\n 9 leave MPI_Init"] * processes)


# --- Names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["a/b", "first\nsecond", "", " ", "void f<T>::operator()(int)", "größe", "x" * 10_000],
    ids=["slash", "newline", "empty", "blank", "template", "utf-8", "long"],
)
def test_a_region_may_have_any_name(read, name):
    trace = Trace()
    trace.region("main")
    ref = trace.region(name)
    trace.location(f"0 enter main\n 1 enter {ref}\n 2 leave {ref}\n 3 leave main")
    tables = read(trace)
    assert tables.rows("regions", "name canonical_name") == [("main", "main"), (name, name)]
    assert tables.rows("call_paths", "path") == [("main",), (f"main/{name}",)]


def test_regions_of_the_same_name_stay_apart(read):
    trace = Trace()
    for ref in (0, 1):
        trace.define("Region", ref, "f", f"f.{ref}", "", 1, 2, 0, UNDEFINED, 0, 0)
    for ref in (0, 1):
        trace.location(f"0 enter {ref}\n 4 leave {ref}")
    tables = read(trace)
    assert tables.rows("call_paths", "call_path_id region_id path") == [(0, 0, "f"), (1, 1, "f")]
    assert tables.visits("region_id call_path_id") == [(0, 0), (1, 1)]


def test_text_that_is_not_utf_8_is_shown_with_escapes_and_counted(read):
    trace = Trace()
    trace.location("0 enter caf\udce9\n 1 leave caf\udce9", name="thr\udcffead")
    tables = read(trace)
    assert tables.rows("regions", "name") == [("caf\\xe9",)]
    assert tables.rows("locations", "name") == [("thr\\xffead",)]
    assert tables.findings() == {("invalid_text", None): 2}


def test_source_positions_are_kept_if_they_are_recorded(read):
    trace = Trace()
    trace.define("Region", 0, "solve", "_Z5solvev", "", 1, 2, 0, "solve.cpp", 10, 42)
    trace.define("Region", 1, "main", "main", "", 1, 2, 0, UNDEFINED, 0, 0)
    trace.location()
    columns = "name canonical_name role paradigm file begin_line end_line"
    assert read(trace).rows("regions", columns) == [
        ("solve", "_Z5solvev", "function", "compiler", "solve.cpp", 10, 42),
        ("main", "main", "function", "compiler", None, None, None),
    ]


def test_an_impossible_line_is_null(read):
    trace = mpi_trace(1)
    trace.define("SourceCodeLocation", 0, "main.c", UNDEFINED)
    trace.define("Region", 7, "far", "far", "", 0, 0, 0, "main.c", UNDEFINED, 1 << 31)
    tables = read(trace)
    assert tables.rows("regions", "begin_line end_line", "name = 'far'") == [(None, None)]
    assert tables.rows("source_locations", "file line") == [("main.c", 0)]


def test_references_to_missing_definitions_are_counted(read):
    """A name and a file of a region, the group of a communicator, a member of another group."""
    trace = mpi_trace(2)
    trace.define("Region", 7, 4_000, "far", "", 0, 0, 0, 4_001, 1, 2)
    trace.define("Comm", 5, "lost", 99, UNDEFINED, 0)
    trace.group(OWN_GROUP, "comm_locations", [0, 77])
    assert read(trace).findings() == {("impossible_id", None): 4}


def test_roles_and_paradigms_have_names(read):
    trace = Trace()
    trace.region("MPI_Recv", role="point2point", paradigm="mpi")
    trace.region("parallel", role="parallel", paradigm="openmp")
    trace.region("taskwait", role="task_wait", paradigm="openmp")
    trace.region("spin", role="kernel", paradigm="cuda")
    trace.define("Region", 9, "later", "later", "", 200, 200, 0, UNDEFINED, 0, 0)
    trace.location()
    assert read(trace).rows("regions", "name role paradigm") == [
        ("MPI_Recv", "point2point", "mpi"),
        ("parallel", "parallel", "openmp"),
        ("taskwait", "task_wait", "openmp"),
        ("spin", "kernel", "cuda"),
        ("later", "unknown", "unknown"),  # roles of OTF2 versions to come
    ]


def test_definitions_may_refer_to_later_ones(read):
    """Communicator before groups, groups before locations, all before the clock and their names."""
    trace = mpi_trace(2)
    trace.define("SystemTreeNode", 2, "leaf", "node", 1)
    trace.define("SystemTreeNode", 1, "middle", "node", 0)
    trace.define("Comm", 6, "half", 1, 0, 0)
    trace.define("CallingContext", 1, 0, 0, 2)
    trace.define("CallingContext", 2, 0, UNDEFINED, UNDEFINED)
    trace.define("SourceCodeLocation", 0, "main.c", 7)
    forwards = read(trace)
    trace.backwards = True
    backwards = read(trace)
    assert backwards.tables.keys() == forwards.tables.keys()
    for name in forwards.tables.keys() - {"runs"}:  # each archive has an id of its own
        assert backwards.records(name) == forwards.records(name), name
    assert backwards.rows("communicators", "name size") == [("MPI_COMM_WORLD", 2), ("half", 2)]
    assert backwards.findings() == {}


# --- Repeated and foreign identifiers -----------------------------------------------------------


def test_the_first_of_repeated_definitions_counts(read):
    """EZTrace writes a group anew when it learns more."""
    trace = mpi_trace(2)
    trace.group(0, "comm_locations", [0, 1])
    trace.group(1, "comm_group", [0, 1])
    trace.define("Comm", 0, "MPI_COMM_WORLD", 1, UNDEFINED, 0)
    trace.group(1, "comm_group", [0])
    tables = read(trace)
    assert tables.one("communicators", "size") == (2,)
    assert tables.findings() == {("repeated_definition", None): 1}


def test_local_identifiers_are_translated_by_the_maps_of_their_location(read):
    """Location 1 calls region 0 what is region 2 of the trace, and so on."""
    trace = Trace()
    for name in ("main", "work", "step"):
        trace.region(name)
    trace.location("0 enter main\n 1 enter work\n 2 leave work\n 3 leave main")
    local = "0 enter 1\n 1 enter 0\n 2 leave 0\n 3 leave 1"
    trace.location(local, id_maps={"region": [2, 0, 1]})
    tables = read(trace)
    assert tables.visits("location_id region_id path") == [
        (0, 0, "main"),
        (0, 1, "main/work"),
        (1, 0, "main"),
        (1, 2, "main/step"),
    ]


def test_communicators_of_messages_are_translated_too(read):
    """The sender's communicator 0 is communicator 5 of the trace."""
    trace = Trace()
    events = "0 enter MPI_Send\n 1 MpiSend 1 0 7 64\n 2 leave MPI_Send"
    trace.location(events, id_maps={"comm": [5]})
    trace.location()
    trace.group(0, "comm_locations", [0, 1])
    trace.group(1, "comm_group", [0, 1])
    trace.group(2, "comm_group", [1, 0])
    trace.define("Comm", 4, "world", 1, UNDEFINED, 0)
    trace.define("Comm", 5, "turned", 2, UNDEFINED, 0)
    tables = read(trace)
    assert tables.rows("mpi_operations", "communicator_id peer_rank peer_group_id") == [(1, 1, 0)]


# --- Places -------------------------------------------------------------------------------------


def test_locations_belong_to_processes_and_these_to_places(read):
    trace = Trace()
    trace.location(name="Master thread", process=0)
    trace.location(name="OMP thread 1", process=0)
    trace.location(name="Master thread", process=1)
    trace.define("SystemTreeNode", 7, "node1", "node", 0)
    trace.define("LocationGroup", 9, "accelerator", 2, 7, 1)
    trace.define("Location", 1 << 63, "stream", 2, 0, 9)
    tables = read(trace)
    assert tables.rows(
        "system_tree_nodes", "system_tree_node_id parent_system_tree_node_id name class_name"
    ) == [(0, None, "machine", "machine"), (1, 0, "node1", "node")]
    columns = (
        "location_group_id source_ref kind rank system_tree_node_id creating_location_group_id"
    )
    assert tables.rows("location_groups", columns) == [
        (0, 0, "process", 0, 0, None),
        (1, 1, "process", 1, 0, None),
        (2, 9, "accelerator", 1, 1, 1),  # the rank of the process that drives it
    ]
    assert tables.rows(
        "locations", "location_id source_ref kind location_group_id rank thread"
    ) == [
        (0, 0, "cpu_thread", 0, 0, 0),
        (1, 1 << 32, "cpu_thread", 0, 0, 1),
        (2, 1, "cpu_thread", 1, 1, 0),
        (3, -(1 << 63), "gpu", 2, 1, 1),  # behind the thread of its rank
    ]


def test_threads_of_a_process_are_counted_before_its_gpus(read):
    trace = Trace()
    trace.location(process=0)
    trace.location(process=0, kind="gpu")
    trace.location(process=0, kind="metric")
    trace.location(process=0)
    assert read(trace).rows("locations", "kind thread") == [
        ("cpu_thread", 0),
        ("gpu", 2),
        ("metric", 3),
        ("cpu_thread", 1),
    ]


def test_visits_of_a_gpu_are_profiled_like_any_other(read):
    trace = Trace()
    trace.region("spin", role="kernel", paradigm="cuda")
    trace.location("0 enter main\n 9 leave main")
    trace.location("2 enter spin\n 6 leave spin", process=0, kind="gpu")
    assert read(trace).visits("path enter_ns leave_ns", location=1) == [("spin", 2, 6)]


def test_ranks_follow_the_group_of_all_mpi_locations(read):
    """The process defined last is rank 0."""
    trace = mpi_trace(3)
    trace.group(0, "comm_locations", [2, 0, 1])
    trace.group(1, "comm_group", [0, 1, 2])
    trace.define("Comm", 0, "MPI_COMM_WORLD", 1, UNDEFINED, 0)
    tables = read(trace)
    assert tables.rows("location_groups", "location_group_id rank") == [(0, 1), (1, 2), (2, 0)]
    assert tables.rows("communicator_members", "comm_rank location_id location_group_id") == [
        (0, 2, 2),
        (1, 0, 0),
        (2, 1, 1),
    ]


# --- Communicators ------------------------------------------------------------------------------


def test_a_sub_communicator_has_ranks_of_its_own(read):
    trace = mpi_trace(3)
    trace.group(OWN_GROUP, "comm_group", [2, 0])
    trace.define("Comm", 3, "odd one", OWN_GROUP, 0, 0)
    tables = read(trace)
    columns = "communicator_id source_ref name kind paradigm parent_communicator_id size"
    assert tables.rows("communicators", columns) == [
        (0, 0, "MPI_COMM_WORLD", "group", "mpi", None, 3),
        (1, 3, "odd one", "group", "mpi", 0, 2),
    ]
    where = "communicator_id = 1"
    assert tables.rows("communicator_members", "side comm_rank location_id", where) == [
        (0, 0, 2),
        (0, 1, 0),
    ]


def test_communicators_lie_on_grids(read):
    """Communicator 2 has two grids, communicator 3 one of an undefined dimension."""
    trace = mpi_trace(2)
    for ref in (1, 2, 3):
        trace.define("Comm", ref, "cart", 1, UNDEFINED, 0)
    trace.define("CartDimension", 7, "x", 2, 1)
    trace.define("CartDimension", 8, "y", 1, 0)
    for ref, communicator, dimensions in (
        (0, 1, [8, 7]), (1, 2, [7]), (2, 2, [8, 7]), (3, 3, [9]), (4, 77, [7]),
    ):  # fmt: skip
        array = (ctypes.c_uint32 * len(dimensions))(*dimensions)
        trace.define("CartTopology", ref, "grid", communicator, len(dimensions), array)
    columns = "communicator_id dimension size is_periodic"
    assert read(trace).rows("cart_dimensions", columns) == [(1, 0, 1, False), (1, 1, 2, True)]


def test_an_inter_communicator_has_two_sides(read):
    trace = mpi_trace(3)
    trace.group(OWN_GROUP, "comm_group", [0])
    trace.group(OWN_GROUP + 1, "comm_group", [1, 2])
    trace.define("InterComm", 1, "bridge", OWN_GROUP, OWN_GROUP + 1, 0, 0)
    tables = read(trace)
    where = "communicator_id = 1"
    assert tables.one("communicators", "name kind size", where) == ("bridge", "inter", 3)
    assert tables.rows("communicator_members", "side comm_rank location_id", where) == [
        (0, 0, 0),
        (1, 0, 1),
        (1, 1, 2),
    ]


def test_comm_self_has_one_member_which_is_not_listed(read):
    trace = mpi_trace(2)
    trace.group(OWN_GROUP, "comm_self", [])
    trace.define("Comm", 1, "MPI_COMM_SELF", OWN_GROUP, UNDEFINED, 0)
    tables = read(trace)
    assert tables.one("communicators", "kind size", "communicator_id = 1") == ("self", 1)
    assert tables.rows("communicator_members", "comm_rank", "communicator_id = 1") == []


def test_members_may_be_named_as_locations_or_as_processes(read):
    """Flag 1 makes a group's members locations; newer traces count processes as ranks."""
    trace = mpi_trace(2)
    trace.group(0, "comm_locations", [0, 1])
    trace.group(1, "comm_group", [1, 0], flags=1)
    trace.define("Comm", 0, "by location", 1, UNDEFINED, 0)
    trace.group(2, "comm_location_groups", [0, 1])
    trace.group(3, "comm_location_group_group", [1])
    trace.define("Comm", 1, "by process", 3, UNDEFINED, 0)
    rows = read(trace).rows("communicator_members", "communicator_id comm_rank location_id")
    assert rows == [(0, 0, 1), (0, 1, 0), (1, 0, 1)]


def test_members_and_groups_that_are_not_defined_leave_gaps(read):
    trace = mpi_trace(1)
    trace.group(0, "comm_locations", [0, 99])
    trace.group(1, "comm_group", [0, 1, 2])
    trace.define("Comm", 0, "gaps", 1, UNDEFINED, 0)
    trace.define("Comm", 1, "no group", 44, 55, 0)
    tables = read(trace)
    assert tables.rows("communicators", "name kind size parent_communicator_id") == [
        ("gaps", "group", 3, None),
        ("no group", "unknown", 0, None),
    ]
    columns = "comm_rank location_id location_group_id"
    assert tables.rows("communicator_members", columns) == [
        (0, 0, 0),
        (1, None, None),
        (2, None, None),
    ]


def test_communicators_are_numbered_by_identifier_whatever_their_kind(read):
    trace = mpi_trace(2)
    trace.define("Comm", 9, "late", 1, UNDEFINED, 0)
    trace.define("InterComm", 5, "between", 1, 1, 0, 0)
    assert read(trace).rows("communicators", "communicator_id source_ref name") == [
        (0, 0, "MPI_COMM_WORLD"),
        (1, 5, "between"),
        (2, 9, "late"),
    ]


# --- The run ------------------------------------------------------------------------------------


def test_the_run_names_its_source(read):
    trace = Trace(resolution=1_000, global_offset=5_000)
    trace.location("5000 enter main\n 5007 leave main")
    trace.location("5002 enter main\n 5009 leave main")
    columns = "source_format creator timer_resolution global_offset_ticks started_at_ns"
    tables = read(trace)
    assert tables.one("runs", columns) == ("otf2", "test", 1_000, 5_000, 1_000_000_000)
    # 9 ticks of a millisecond after the first
    assert tables.one("runs", "begin_ns end_ns record_count") == (0, 9_000_000, 4)
