"""The critical path of data/e06_critical_path, worked out by hand from its trace.txt."""

from collections.abc import Callable

import pytest

from tracemill.engine.analyze import Analysis
from tracemill.store.runs import Run

US = 1_000


@pytest.fixture(scope="module")
def e06(analysis_of: Callable[[str], Analysis]) -> Run:
    """The analysis of data/e06_critical_path, whose events are in its trace.txt."""
    return analysis_of("e06_critical_path").run


# From trace.txt, in microseconds, for ranks 0, 1 and 2. All call MPI_Init at 10 and MPI_Finalize at
# 8000, so the path ends on rank 0 at 8000. The barrier's begin records are at 5200.5, 7200.5 and
# 7250.5: rank 0 waited for rank 2, from its 5200.5 to 7250.5. Before entering the barrier at 7250,
# rank 2 received from 1100 to 7200 what rank 1 sent at 7150: 6050 of waiting. Before 7150 rank 1
# received from 2100 to 5150 what rank 0 sent at 5100: 3000. Before 5100 rank 0 did not wait.
def test_the_path_of_a_written_trace(e06):
    columns = ["location_id", "begin_ns", "end_ns", "kind", "cause_location_id", "wait_ns"]
    found = e06.read("critical_path_segments", columns).to_pylist()
    assert [tuple(row.values()) for row in found] == [
        (0, 10 * US, 5100 * US, None, None, 0),
        (1, 2100 * US, 7150 * US, "late_sender", 0, 3000 * US),
        (2, 1100 * US, 7250 * US, "late_sender", 1, 6050 * US),
        (0, 5200 * US, 8000 * US, "barrier", 2, 2050 * US),
    ]


# Communication is MPI_Init, MPI_Barrier and MPI_Recv: 90 + 50 + 50 + 50 of 8000 - 10. Records are
# from 0 to 8060. Every receive takes 50 after its message is sent, the barrier 7300 - 5200 - 2050.
def test_the_shares_of_a_written_trace(e06):
    assert e06.read("critical_path_summary").to_pylist() == [
        {
            "begin_ns": 10 * US,
            "end_ns": 8000 * US,
            "wall_ns": 8060 * US,
            "computation_ns": 7750 * US,
            "communication_ns": 240 * US,
            "segment_count": 4,
            "location_count": 3,
            "is_whole": True,
        }
    ]
    shares = e06.read("critical_path_locations").to_pylist()
    assert [tuple(row.values()) for row in shares] == [
        (0, 2, 5700 * US, 140 * US), (1, 1, 2000 * US, 50 * US), (2, 1, 50 * US, 50 * US),
    ]  # fmt: skip
    partners = e06.read("critical_path_partners").to_pylist()
    assert [tuple(row.values()) for row in partners] == [
        (0, 1, "late_sender", 1, 3000 * US, 50 * US),
        (1, 2, "late_sender", 1, 6050 * US, 50 * US),
        (2, 0, "barrier", 1, 2050 * US, 50 * US),
    ]
