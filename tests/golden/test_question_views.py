"""Views for questions: names in place of numbers, and seconds.

rank 0  0         30..45  MPI_Send to 1
rank 1     10..........50  MPI_Recv from 0, which waits 30 - 10 = 20 ns
"""

TRACE = """
    0   30..45   MPI_Send   send 1
    1   10..50   MPI_Recv   recv 0
"""


def test_a_wait_names_who_waits_where_and_for_whom(run_query, trace):
    wanted = "rank thread wait_state call_path begin_seconds seconds"
    assert run_query("waits", trace(TRACE), wanted) == [
        (1, 0, "Late Sender", "main/MPI_Recv", 10e-9, 20e-9)
    ]
    wanted = "cause_rank cause_thread cause_call_path main_seconds kind wait_ns"
    assert run_query("waits", trace(TRACE), wanted) == [
        (0, 0, "main/MPI_Send", 20e-9, "mpi_latesender", 20)
    ]


def test_a_call_has_its_waiting(run_query, trace):
    wanted = "rank region call_path begin_seconds seconds exclusive_seconds wait_seconds"
    calls = [row for row in run_query("calls", trace(TRACE), wanted) if row[1] != "main"]
    assert sorted(calls) == [
        (0, "MPI_Send", "main/MPI_Send", 30e-9, 15e-9, 15e-9, 0),
        (1, "MPI_Recv", "main/MPI_Recv", 10e-9, 40e-9, 40e-9, 20e-9),
    ]


def test_a_message_has_ranks_and_calls_of_both_ends(run_query, trace):
    wanted = "from_rank from_thread to_rank to_thread from_call_path to_call_path"
    assert run_query("messages_by_rank", trace(TRACE), wanted) == [
        (0, 0, 1, 0, "main/MPI_Send", "main/MPI_Recv")
    ]


def test_an_iteration_has_its_rank_and_seconds(run_query):
    iteration = {"iteration": 3, "location_group_id": 7, "begin_ns": 100, "end_ns": 150}
    tables = {
        "iterations": [
            iteration | {"time_ns": 50, "computing_ns": 30, "wait_ns": 20, "path_ns": 5}
        ],
        "location_groups": [{"location_group_id": 7, "rank": 2}],
    }
    wanted = "iteration rank begin_seconds seconds computing_seconds wait_seconds path_seconds"
    assert run_query("iterations_by_rank", tables, wanted) == [
        (3, 2, 100e-9, 50e-9, 30e-9, 20e-9, 5e-9)
    ]
