"""Accesses to files: operations, bytes and time per file, call path and location."""

from typing import Any

from tests.helpers.hand_made import HandMadeRun
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_query
from tracemill.sql.query_files import load_query

ACCESS = "io_handle_id location_id mode operation_count nonblocking_count unfinished_count bytes"
TIMES = "io_handle_id location_id mode time_ns in_flight_ns"
FILES = [
    {"io_handle_id": 0, "name": "posix", "file": "/data/in", "io_paradigm": "POSIX"},
    {"io_handle_id": 1, "name": "stdout"},
]


def accesses(tables: Tables, columns: str, handles: Any = FILES) -> list[tuple[Any, ...]]:
    return run_query("file_accesses", tables | {"io_handles": handles}, columns)


# Both reads take 8 (from 11 to 19) and 6 (from 31 to 37); the second one gets 40 of 64 bytes.
READS = """
    0    10..20   read   operation_begin on 0 read 64 #7 @11;
                         operation_complete on 0 moved 64 #7 @19
    0    30..40   read   operation_begin on 0 read 64 #7 @31;
                         operation_complete on 0 moved 40 #7 @37
    0    50..60   write  operation_begin on 1 write 8 #7 @52;
                         operation_complete on 1 moved 8 #7 @53
"""


def test_moved_bytes_count_and_time_lasts_from_begin_to_end(trace):
    tables = trace(READS)
    assert accesses(tables, ACCESS) == [
        (0, 0, "read", 2, 0, 0, 64 + 40),
        (1, 0, "write", 1, 0, 0, 8),
    ]
    assert accesses(tables, TIMES) == [(0, 0, "read", 8 + 6, 0), (1, 0, "write", 1, 0)]


def test_a_handle_without_a_file_shows_its_name(trace):
    columns = "file io_paradigm call_path_id"
    assert accesses(trace(READS), columns) == [("/data/in", "POSIX", 1), ("stdout", "", 2)]


# Begun at 10 and at 20, ended by a call of their own at 50 (from 45 on) in the order 9, 8; both
# belong to where they began.
def test_a_nonblocking_operation_is_in_flight_until_another_call_ends_it(trace):
    tables = trace("""
        0    10..15   aio_read    operation_begin on 0 read 64 #8; operation_issued on 0 #8
        0    20..25   aio_read    operation_begin on 0 read 32 #9; operation_issued on 0 #9
        0    45..50   aio_return  operation_complete on 0 moved 32 #9 @48;
                                  operation_complete on 0 moved 64 #8 @50
    """)
    assert accesses(tables, ACCESS) == [(0, 0, "read", 2, 2, 0, 96)]
    assert accesses(tables, TIMES) == [(0, 0, "read", 0, (50 - 10) + (48 - 20))]


def test_cancelled_operations_move_nothing_and_open_ones_take_no_time(trace):
    tables = trace("""
        0    10..15   aio_read    operation_begin on 0 read 64 #8
        0    20..25   aio_cancel  operation_cancelled on 0 #8
        0    30..35   aio_read    operation_begin on 0 read 32 #8
        0    40..45   aio_read    operation_begin on 0 read 16 #8
    """)
    assert accesses(tables, ACCESS) == [(0, 0, "read", 3, 3, 3, 0 + 32 + 16)]
    assert accesses(tables, TIMES) == [(0, 0, "read", 0, 25 - 10)]


# Thread 1 ends what thread 0 began; what thread 1 began and ended itself under the same number is
# its own. Thread 0: 10 to 40. Thread 1: 22 to 28.
def test_another_thread_may_end_an_operation(trace):
    tables = trace("""
        0    10..15   aio_read    operation_begin on 0 read 64 #8
        0.1  20..30   read        operation_begin on 0 read 8 #8 @22;
                                  operation_complete on 0 moved 8 #8 @28
        0.1  35..40   aio_return  operation_complete on 0 moved 64 #8
        1    50..60   aio_return  operation_complete on 0 moved 99 #8
    """)
    assert accesses(tables, f"{TIMES} bytes") == [
        (0, 0, "read", 0, 40 - 10, 64),
        (0, 1, "read", 28 - 22, 0, 8),
    ]


def test_the_same_number_on_another_handle_is_another_operation(trace):
    tables = trace("""
        0    10..50   f  operation_begin on 0 read 64 #8 @10; operation_begin on 1 read 8 #8 @20;
                         operation_complete on 1 moved 8 #8 @30;
                         operation_complete on 0 moved 64 #8 @50
    """)
    assert accesses(tables, TIMES) == [(0, 0, "read", 40, 0), (1, 0, "read", 10, 0)]


# They leave one record, but take as long as the call.
def test_opening_seeking_and_closing_take_their_call(trace):
    tables = trace("""
        0    10..15   open    create_handle on 0 @14
        0    20..21   lseek   seek on 0
        0    30..38   close   destroy_handle on 0 @31
        0    40..45   dup     duplicate_handle on 1
        0    50..55   unlink  delete_file
    """)
    assert accesses(tables, f"{TIMES} bytes") == [
        (0, 0, "close", 8, 0, 0),
        (0, 0, "seek", 1, 0, 0),
        (0, 0, "open", 5, 0, 0),
        (1, 0, "open", 5, 0, 0),
    ]


# MPI-IO (handle 1) writes through POSIX (handle 0), which HDF5 (handle 2) uses by way of MPI-IO.
STACKED = [
    {"io_handle_id": 0, "name": "posix", "parent_io_handle_id": 1},
    {"io_handle_id": 1, "name": "mpi", "parent_io_handle_id": 2},
    {"io_handle_id": 2, "name": "hdf5"},
    {"io_handle_id": 3, "name": "alone", "parent_io_handle_id": 4},
    {"io_handle_id": 4, "name": "silent"},
]


def test_a_handle_below_one_with_operations_is_inner(trace):
    tables = trace("""
        0    10..20   f   operation_begin on 0 write 8 #1; operation_complete on 0 moved 8 #1
        0    30..40   g   operation_begin on 2 write 8 #1; operation_complete on 2 moved 8 #1
        0    50..60   h   operation_begin on 3 write 8 #1; operation_complete on 3 moved 8 #1
    """)
    found = accesses(tables, "io_handle_id is_inner", STACKED)
    assert found == [(0, True), (2, False), (3, False)]


# Handle 0 is inner and repeats the 8 bytes of handle 2.
def test_metrics_leave_out_inner_handles_and_are_extended(trace):
    tables = trace("""
        0    10..20   f   operation_begin on 0 write 8 #1; operation_complete on 0 moved 8 #1
        0    30..40   g   operation_begin on 2 write 8 #1; operation_complete on 2 moved 8 #1
        0    50..55   h   operation_begin on 3 read 5 #1; operation_complete on 3 moved 4 #1
        0    60..61   i   operation_begin on 3 flush 0 #1; operation_complete on 3 moved 0 #1
        0    70..73   j   destroy_handle on 3
    """) | {"io_handles": STACKED}
    found = run_query("severities", tables)
    assert [row for row in found if row[0].startswith("io_")] == [
        ("io_bytes_read", 3, 0, True, 4),
        ("io_bytes_written", 2, 0, True, 8),
        ("io_operations", 2, 0, True, 1),
        ("io_operations", 3, 0, True, 1),
        ("io_operations", 4, 0, True, 1),
        ("io_reads", 3, 0, True, 1),
        ("io_time", 2, 0, True, 10),
        ("io_time", 3, 0, True, 5),
        ("io_time", 4, 0, True, 1),
        ("io_time", 5, 0, True, 3),
        ("io_writes", 2, 0, True, 1),
    ]


# File a: 200 and 100 bytes written in 40 ns and 60 ns, 30 read in 20 ns, 15 of them in flight; its
# open takes 10. File b: only an open of 50.
ACCESSES = [
    {"file": "a", "location_id": 0, "mode": "write", "operation_count": 2, "bytes": 200,
     "time_ns": 40},
    {"file": "a", "location_id": 1, "mode": "write", "operation_count": 1, "bytes": 100,
     "time_ns": 60},
    {"file": "a", "location_id": 1, "mode": "read", "operation_count": 3, "bytes": 30, "time_ns": 5,
     "in_flight_ns": 15},
    {"file": "a", "location_id": 1, "mode": "open", "operation_count": 1, "time_ns": 10},
    {"file": "b", "location_id": 0, "mode": "open", "operation_count": 1, "time_ns": 50},
]  # fmt: skip


def query_totals(name: str, **values: int) -> list[tuple[Any, ...]]:
    connection = HandMadeRun({"file_accesses": ACCESSES}).connect()
    return connection.execute(load_query(name).statement, values or None).fetchall()


def test_files_are_ordered_by_time_with_rates_of_a_location():
    per_second = 300 * 10**9 // (40 + 60), 30 * 10**9 // (5 + 15)
    assert query_totals("file_totals", row_limit=9) == [
        ("a", "", 2, 6, 30, 300, 40 + 60 + 5 + 10, 15, per_second[1], per_second[0]),
        ("b", "", 1, 0, 0, 0, 50, 0, None, None),
    ]
    assert len(query_totals("file_totals", row_limit=1)) == 1


def test_the_cookbook_gives_the_size_of_accesses():
    columns = [row[:2] + row[2:4] + row[5:6] for row in query_totals("files_with_most_time")]
    assert columns == [
        ("a", "", "write", 3, 300 / 3),
        ("b", "", "open", 1, 0),
        ("a", "", "read", 3, 30 / 3),
        ("a", "", "open", 1, 0),
    ]


def test_a_trace_without_files_has_no_accesses(trace):
    tables = trace("0  10..20  MPI_Barrier  collective barrier")
    assert run_query("file_accesses", tables) == []
    assert run_query("collective_file_calls", tables) == []
