"""The examples of CSV in data/ against results worked out by hand, in the figures beside them."""

from collections.abc import Callable

import pytest

from tests.helpers.otf2_reading import ReadTrace
from tracemill.engine.analyze import Analysis
from tracemill.store.runs import Run

MS = 1_000_000
TABLES = (
    "call_paths", "critical_path_profile", "critical_path_segments", "critical_path_summary",
    "locations", "messages", "reading_findings", "visits", "wait_states",
)  # fmt: skip
WAITS = "property location_id start_ns wait_ns cause_location_id"


def tables_of(run: Run) -> ReadTrace:
    return ReadTrace({name: run.read(name) for name in TABLES})


@pytest.fixture
def call_graph(analysis_of: Callable[[str], Analysis]) -> ReadTrace:
    return tables_of(analysis_of("call_graph.csv").run)


#            0  2  5   12  14  16    35   40  55  60  66  70   80  90  94 95 96 97 99 100 ms
# rank 0    [main                                                                        ]
#                  [Init] [solve                ]             [Finalize     ]
#                             [kernel] [kernel]
# thread 1                    [20 prefetch 50]
# rank 1    [main                                                                    ......
#               [Init   ] [solve                       ]          [Fin.]      [write_log ...
#                             [kernel               ]                            [flush]
def test_a_call_graph_is_profiled(call_graph: ReadTrace) -> None:
    """What is open ends with the last record of its location, at 99 ms."""
    visits = call_graph.visits("location_id path enter_ns leave_ns exclusive_ns is_closed")
    main = "main(int, char**)"
    assert [(at, path, b // MS, e // MS, t // MS, ok) for at, path, b, e, t, ok in visits] == [
        (0, main, 0, 100, 100 - 7 - 48 - 15, True),
        (0, f"{main}/MPI_Init", 5, 12, 7, True),
        (0, f"{main}/solve", 12, 60, 48 - 20 - 15, True),
        (0, f"{main}/solve/kernel", 15, 35, 20, True),
        (0, f"{main}/solve/kernel", 40, 55, 15, True),
        (0, f"{main}/MPI_Finalize", 80, 95, 15, True),
        (1, "prefetch", 20, 50, 30, True),
        (2, main, 0, 99, 99 - 12 - 56 - 4 - 3, False),
        (2, f"{main}/MPI_Init", 2, 14, 12, True),
        (2, f"{main}/solve", 14, 70, 56 - 50, True),
        (2, f"{main}/solve/kernel", 16, 66, 50, True),
        (2, f"{main}/MPI_Finalize", 90, 94, 4, True),
        (2, f"{main}/write_log", 96, 99, 3 - 2, False),
        (2, f"{main}/write_log/flush", 97, 99, 2, True),
    ]
    assert call_graph.findings() == {("unclosed_visit", 2): 2}
    places = call_graph.rows("locations", "name rank thread")
    assert places == [("Master thread", 0, 0), ("OMP thread 1", 0, 1), ("Master thread", 1, 0)]


def test_waiting_and_the_critical_path_follow_from_a_call_graph(call_graph: ReadTrace) -> None:
    """Rank 1 stays in MPI_Init after rank 0; rank 0 waits in MPI_Finalize for rank 1."""
    assert call_graph.rows("wait_states", WAITS) == [
        ("mpi_finalize_wait", 0, 80 * MS, (90 - 80) * MS, 2),
        ("mpi_init_completion", 2, 12 * MS, (14 - 12) * MS, 0),
    ]
    # The path ends where rank 1 enters MPI_Finalize, at 90 ms, and begins with its MPI_Init, at 2.
    assert call_graph.rows("critical_path_segments", "location_id begin_ns end_ns") == [
        (2, 2 * MS, 90 * MS)
    ]
    (summary,) = call_graph.rows("critical_path_summary", "computation_ns communication_ns")
    assert summary == ((90 - 14) * MS, 12 * MS)
    path = call_graph.rows("critical_path_profile", "call_path_id path_ns")
    names = dict(call_graph.rows("call_paths", "call_path_id path"))
    assert {names[call_path]: time // MS for call_path, time in path} == {
        "main(int, char**)": 90 - 2 - 12 - 56,
        "main(int, char**)/MPI_Init": 12,
        "main(int, char**)/solve": 56 - 50,
        "main(int, char**)/solve/kernel": 50,
    }


#           0  2000   6000 6500   7000 7500   8500 9000   10000 ns
# rank 0   [main     [Send]           [Barrier.........]      ]
# rank 1   [main [Recv..............]         [Barrier ]      ]
def test_the_example_of_events_waits_as_drawn(analysis_of: Callable[[str], Analysis]) -> None:
    run = tables_of(analysis_of("late_sender.csv").run)
    assert run.rows("wait_states", WAITS) == [
        ("mpi_barrier_wait", 0, 7_600, 8_600 - 7_600, 1),
        ("mpi_latesender", 1, 2_000, 6_000 - 2_000, 0),
    ]
    assert run.rows("messages", "sender_location_id receiver_location_id tag bytes") == [
        (0, 1, 7, 4096)
    ]
    # Rank 0 until it sends, rank 1 from receiving to its barrier, and either to the end.
    assert run.rows("critical_path_segments", "location_id begin_ns end_ns")[:2] == [
        (0, 0, 6_000),
        (1, 2_000, 8_500),
    ]
    assert run.findings() == {}
