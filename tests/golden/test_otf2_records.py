"""Records beside calls and messages: gaps, unknown ones, RMA, I/O, samples."""

from tests.helpers.otf2_archive import UNDEFINED, Event, Trace, trace_of

PLACE = "time_ns sequence visit_id"


# --- Gaps in the measurement --------------------------------------------------------------------

ON, OFF = 1, 2


#         0    10   20   30   40   50   60   70
# main    [    [flush ]  off      on   off
def test_gaps_of_the_measurement_are_kept_and_counted(read):
    tables = read(
        trace_of(f"""
             0  enter main
            10  BufferFlush 25
            30  MeasurementOnOff {OFF}
            45  MeasurementOnOff {ON}
            60  MeasurementOnOff {OFF}
            70  leave main
        """)
    )
    assert tables.rows("measurement_gaps", "sequence kind begin_ns end_ns") == [
        (1, "buffer_flush", 10, 25),
        (2, "measurement_off", 30, 45),
        (4, "measurement_off", 60, 70),  # until the last record
    ]
    assert tables.rows("reading_findings", "kind location_id count time_ns") == [
        ("buffer_flush", 0, 1, 15),
        ("measurement_off", 0, 2, 15 + 10),
    ]


def test_switching_on_twice_is_no_gap(read):
    tables = read(trace_of(f"0 MeasurementOnOff {ON}\n 5 enter main\n 9 leave main"))
    assert tables.records("measurement_gaps") == []
    assert tables.findings() == {}


# --- Records that are not understood ------------------------------------------------------------


def test_records_of_unknown_kinds_are_counted(read):
    """A record is given a type that no OTF2 version has; its number shows where it is."""
    trace = trace_of(
        "0 enter main\n 5 OmpFork 305419896\n 7 enter work\n 8 leave work\n 9 leave main"
    )
    anchor = trace.write(read.next_folder())
    file = anchor.with_suffix("") / "0.evt"
    content = bytearray(file.read_bytes())
    place = content.index(bytes.fromhex("04 78 56 34 12"))  # 305419896 behind type and length
    content[place - 2] = 250
    file.write_bytes(content)
    tables = read.again(anchor)
    assert tables.visits("path enter_ns leave_ns") == [("main", 0, 9), ("main/work", 7, 8)]
    assert tables.findings() == {("unknown_record", 0): 1}
    assert tables.one("locations", "record_count") == (5,)
    assert tables.rows("record_counts", "record record_count") == [
        ("Enter", 2), ("Leave", 2), ("Unknown", 1),
    ]  # fmt: skip


def test_records_with_missing_definitions_are_counted(read):
    """Without any window, I/O handle, or team such records have no meaning."""
    tables = read("""
        0  enter main
        1  RmaPut 0 0 8 1
        2  IoSeek 0 5 0 5
        3  ParameterInt 0 5
        4  leave main
    """)
    assert tables.visits("path exclusive_ns") == [("main", 4)]
    assert tables.findings() == {("unknown_record", 0): 3}


def test_begin_and_end_of_the_program_make_no_visits(read):
    tables = read(
        [
            Event(0, "ProgramBegin", (0, [1, 2])),
            Event(1, "Enter", ("main",)),
            Event(2, "Leave", ("main",)),
            Event(3, "ProgramEnd", (-1,)),
        ]
    )
    assert tables.visits("path") == [("main",)]
    assert tables.one("locations", "record_count begin_ns end_ns") == (4, 0, 3)
    assert tables.findings() == {}


# --- One-sided communication --------------------------------------------------------------------


def test_one_sided_records_have_their_values(read):
    trace = trace_of(f"""
         0  enter MPI_Win_fence
         1  RmaWinCreate 4
         2  RmaCollectiveBegin
         3  RmaCollectiveEnd 0 2 4 {UNDEFINED} 0 0
         4  RmaGroupSync 1 4 0
         5  RmaRequestLock 4 0 70 0
         6  RmaAcquireLock 4 0 70 0
         7  RmaTryLock 4 0 71 1
         8  RmaReleaseLock 4 0 70
         9  RmaSync 4 0 2
        10  RmaWaitChange 4
        11  RmaPut 4 0 64 80
        12  RmaGet 4 0 32 81
        13  RmaAtomic 4 0 3 8 4 82
        14  RmaOpCompleteBlocking 4 80
        15  RmaOpCompleteNonBlocking 4 81
        16  RmaOpTest 4 82
        17  RmaOpCompleteRemote 4 82
        18  RmaWinDestroy 4
        19  leave MPI_Win_fence
    """)
    trace.define("RmaWin", 4, "window", 0, 0)
    tables = read(trace)
    columns = "time_ns kind remote_rank bytes bytes_received operation matching_id detail"
    assert tables.rows("rma_operations", columns) == [
        (1, "window_create", None, None, None, None, None, None),
        (3, "collective", None, 0, 0, "barrier", None, 2),
        (4, "group_sync", None, None, None, None, None, 1),
        (5, "request_lock", 0, None, None, None, 70, 0),
        (6, "acquire_lock", 0, None, None, None, 70, 0),
        (7, "try_lock", 0, None, None, None, 71, 1),
        (8, "release_lock", 0, None, None, None, 70, None),
        (9, "sync", 0, None, None, None, None, 2),
        (10, "wait_change", None, None, None, None, None, None),
        (11, "put", 0, 64, None, None, 80, None),
        (12, "get", 0, 32, None, None, 81, None),
        (13, "atomic", 0, 8, 4, None, 82, 3),
        (14, "complete_blocking", None, None, None, None, 80, None),
        (15, "complete_nonblocking", None, None, None, None, 81, None),
        (16, "test", None, None, None, None, 82, None),
        (17, "complete_remote", None, None, None, None, 82, None),
        (18, "window_destroy", None, None, None, None, None, None),
    ]
    columns = "rma_window_id enter_ns leave_ns begin_ns"
    assert tables.rows("rma_operations", columns, "kind = 'collective'") == [(0, 0, 19, 2)]
    assert tables.rows("rma_windows", "rma_window_id source_ref name communicator_id") == [
        (0, 4, "window", 0)
    ]
    assert tables.findings() == {}


# Group 7 holds the MPI ranks 2 and 0; group 9 does not exist, and UNDEFINED stands for none.
def test_groups_that_synchronize_have_their_members(read):
    trace = trace_of(f"""
        0 enter MPI_Win_start
        1 RmaGroupSync 1 4 7
        2 RmaGroupSync 1 4 9
        3 RmaGroupSync 3 4 {UNDEFINED}
        4 leave MPI_Win_start
    """)
    for process in (1, 2):
        trace.location("0 enter main\n 1 leave main", process=process)
    trace.group(7, "comm_group", [2, 0])
    trace.group(8, "locations", [1])
    trace.define("RmaWin", 4, "window", 0, 0)
    tables = read(trace)
    assert tables.rows("rma_operations", "kind rma_group_id detail remote_rank") == [
        ("group_sync", 2, 1, None),
        ("group_sync", None, 1, None),
        ("group_sync", None, 3, None),
    ]
    columns = "position location_id location_group_id"
    members = tables.rows("rma_group_members", columns, "rma_group_id = 2")
    assert members == [(0, 2, 2), (1, 0, 0)]
    assert tables.rows("rma_group_members", columns, "rma_group_id = 3") == []


def test_without_windows_groups_have_no_members(read):
    tables = read(trace_of("0 enter MPI_Send\n 1 leave MPI_Send"))
    assert tables.rows("rma_group_members", "position") == []


def test_a_window_that_is_not_defined_is_counted(read):
    trace = trace_of("0 enter MPI_Put\n 1 RmaPut 9 0 64 80\n 2 leave MPI_Put")
    trace.define("RmaWin", 4, "window", 77, 0)
    tables = read(trace)
    assert tables.rows("rma_operations", "kind rma_window_id bytes") == [("put", None, 64)]
    assert tables.rows("rma_windows", "communicator_id") == [(None,)]
    assert tables.findings() == {("impossible_id", None): 1, ("impossible_id", 0): 1}


# --- Input and output ---------------------------------------------------------------------------

READ, WRITE, FLUSH = 0, 1, 2


def define_file(trace: Trace) -> None:
    trace.define("IoRegularFile", 0, "/data/out.h5", 0)
    trace.define("IoParadigm", 0, "POSIX", "POSIX I/O", 0, 0, [], None, None)
    trace.define("IoHandle", 3, "out", 0, 0, 0, UNDEFINED, UNDEFINED)


def test_input_and_output_have_their_values(read):
    trace = Trace()
    trace.region("write", role="file_io")
    trace.location(f"""
         0  enter write
         1  IoCreateHandle 3 1 2 4
         2  IoDuplicateHandle 3 3 5
         3  IoSeek 3 -8 1 64
         4  IoChangeStatusFlags 3 2
         5  IoOperationBegin 3 {WRITE} 1 100 9
         6  IoOperationIssued 3 9
         7  IoOperationTest 3 9
         8  IoOperationComplete 3 90 9
         9  IoOperationBegin 3 {READ} 0 {(1 << 64) - 1} 10
        10  IoOperationCancelled 3 10
        11  IoAcquireLock 3 1
        12  IoReleaseLock 3 1
        13  IoTryLock 3 0
        14  IoDeleteFile 0 0
        15  IoDestroyHandle 3
        16  leave write
    """)
    define_file(trace)
    tables = read(trace)
    columns = "time_ns kind io_handle_id mode bytes matching_id detail"
    assert tables.rows("io_operations", columns) == [
        (1, "create_handle", 0, None, None, None, 4),
        (2, "duplicate_handle", 0, None, None, None, 5),
        (3, "seek", 0, None, None, None, 64),
        (4, "change_status", 0, None, None, None, 2),
        (5, "operation_begin", 0, "write", 100, 9, 1),
        (6, "operation_issued", 0, None, None, 9, None),
        (7, "operation_test", 0, None, None, 9, None),
        (8, "operation_complete", 0, None, 90, 9, None),
        (9, "operation_begin", 0, "read", None, 10, 0),  # the amount is unknown
        (10, "operation_cancelled", 0, None, None, 10, None),
        (11, "acquire_lock", 0, None, None, None, 1),
        (12, "release_lock", 0, None, None, None, 1),
        (13, "try_lock", 0, None, None, None, 0),
        (14, "delete_file", None, None, None, None, None),
        (15, "destroy_handle", 0, None, None, None, None),
    ]
    assert set(tables.rows("io_operations", "enter_ns leave_ns visit_id")) == {(0, 16, 0)}
    columns = "source_ref name file io_paradigm communicator_id parent_io_handle_id"
    assert tables.rows("io_handles", columns) == [
        (3, "out", "/data/out.h5", "POSIX I/O", None, None)
    ]
    assert tables.findings() == {}


# --- Calling contexts ---------------------------------------------------------------------------


def context_trace() -> Trace:
    """Contexts 0 main, 1 main → solve at solve.c:7."""
    trace = Trace()
    for name in ("main", "solve"):
        trace.region(name)
    trace.define("SourceCodeLocation", 0, "solve.c", 7)
    trace.define("CallingContext", 0, 0, UNDEFINED, UNDEFINED)
    trace.define("CallingContext", 1, 1, 0, 0)
    trace.define("InterruptGenerator", 0, "timer", 0, 1, 0, 1)
    return trace


def test_calling_contexts_are_entered_and_left_like_regions(read):
    trace = context_trace()
    trace.location("""
        0  CallingContextEnter 0 1
        2  CallingContextEnter 1 1
        5  CallingContextLeave 1
        9  CallingContextLeave 0
    """)
    tables = read(trace)
    assert tables.visits("path enter_ns leave_ns exclusive_ns") == [
        ("main", 0, 9, 6),
        ("main/solve @solve.c:7", 2, 5, 3),
    ]
    columns = "calling_context_id region_id source_location_id parent_calling_context_id"
    assert tables.rows("calling_contexts", columns) == [(0, 0, None, None), (1, 1, 0, 0)]
    assert tables.rows("source_locations", "file line") == [("solve.c", 7)]


def test_samples_are_kept(read):
    trace = context_trace()
    trace.location("0 enter main\n 3 CallingContextSample 1 2 0\n 4 CallingContextSample 8 2 0")
    tables = read(trace)
    assert tables.rows("samples", f"{PLACE} calling_context_id") == [(3, 1, 0, 1), (4, 2, 0, None)]
    assert tables.findings()["impossible_id", 0] == 1  # context 8


def test_a_context_that_is_not_defined_is_counted(read):
    trace = context_trace()
    trace.location("0 CallingContextEnter 5 1\n 9 CallingContextLeave 5")
    tables = read(trace)
    assert tables.visits("path") == [("(undefined region)",)]
    assert tables.findings() == {("impossible_id", 0): 2}


def test_contexts_may_have_any_identifier(read):
    trace = context_trace()
    trace.define("CallingContext", 4_000_000_000, 1, UNDEFINED, 0)
    trace.location("0 CallingContextEnter 4000000000 1\n 9 CallingContextLeave 4000000000")
    assert read(trace).visits("path") == [("solve",)]
