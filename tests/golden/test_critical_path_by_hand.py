"""The critical path of data/e06_critical_path, worked out by hand from its trace.txt."""

from collections.abc import Callable

import pytest

from tests.helpers.running import run_queries
from tracemill.engine.analyze import Analysis
from tracemill.store import Run

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


# Rank 0: MPI_Init 10 to 100, f 100 to 5100; MPI_Barrier 5200 to 7300 less 2050, main 7300 to 8000.
# Rank 1: MPI_Recv 2100 to 5150 less 3000, h 5150 to 7150.
# Rank 2: MPI_Recv 1100 to 7200 less 6050, main 7200 to 7250.
def test_the_profile_of_a_written_trace(e06):
    names = {
        row["call_path_id"]: row["path"].rpartition("/")[2]
        for row in e06.read("call_paths", ["call_path_id", "path"]).to_pylist()
    }
    found = e06.read("critical_path_profile").to_pylist()
    times = {(names[row["call_path_id"]], row["location_id"]): row["path_ns"] for row in found}
    assert times == {
        ("MPI_Init", 0): 90 * US,
        ("f", 0): 5000 * US,
        ("MPI_Barrier", 0): 50 * US,
        ("main", 0): 700 * US,
        ("MPI_Recv", 1): 50 * US,
        ("h", 1): 2000 * US,
        ("MPI_Recv", 2): 50 * US,
        ("main", 2): 50 * US,
    }


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


# The path is 7990 long. Work is 8060 less waiting: rank 0 8060 - 2050 = 6010, rank 1 8060 - 3000 -
# 50 (barrier: 7250.5 - 7200.5) = 5010, rank 2 8060 - 6050 = 2010. So they lose 1980, 2980 and 5980.
# The path has main 750, MPI_Init 90, f 5000, MPI_Barrier 50, MPI_Recv 100, h 2000. What they lack:
#     rank 0   MPI_Recv 100, h 2000: 2100 in all
#     rank 1   main 20 (it has 730), f 5000, MPI_Recv 50: 5070 in all
#     rank 2   f 5000, MPI_Recv 50, h 2000: 7050 in all
# f: 5000 * 2980 / 5070 + 5000 * 5980 / 7050 = 7179.990767
# main: 20 * 2980 / 5070 = 11.755424, of which rank 0 has 700 / 750, rank 2 50 / 750
# h: 2000 * 1980 / 2100 + 2000 * 5980 / 7050 = 3582.168186
# MPI_Recv: 100 * 1980 / 2100 + 50 * 2980 / 5070 + 50 * 5980 / 7050 = 166.085622, half on each rank
# Between partitions rank 0 lacks MPI_Recv 100 and h 2000, and loses 7990 - (770 + 90 + 5000 + 50 +
# 50 MPI_Send + 50 MPI_Finalize) = 1980. Rank 1 lacks f 5000 and loses 7990 - (750 + 90 + 50 + 100 +
# 2000 + 2000 g + 40 + 50) = 2910. Rank 2 lacks f 5000 and h 2000: 7990 - (770 + 90 + 50 + 100 +
# 1000 g + 50) = 5930.
# f: 2910 + 5000 * 5930 / 7000 = 7145.714286. h: 2000 * 1980 / 2100 + 2000 * 5930 / 7000 = 3580
# MPI_Recv: 100 * 1980 / 2100 = 94.285714, half on each rank
def test_the_impacts_of_a_written_trace(e06):
    tables = {name: e06.read(name).to_pylist() for name in e06.tables}
    (found,) = run_queries({"critical_path_severities": ""}, tables)
    names = {row["call_path_id"]: row["path"].rpartition("/")[2] for row in tables["call_paths"]}
    values = {
        (metric, names[path], place): value
        for metric, path, place, value in found
        if metric in ("critical_imbalance_impact", "inter_partition_imbalance")
    }
    assert values == {
        ("critical_imbalance_impact", "f", 0): 7_179_991,
        ("critical_imbalance_impact", "main", 0): 10_972,
        ("critical_imbalance_impact", "main", 2): 784,
        ("critical_imbalance_impact", "h", 1): 3_582_168,
        ("critical_imbalance_impact", "MPI_Recv", 1): 83_043,
        ("critical_imbalance_impact", "MPI_Recv", 2): 83_043,
        ("inter_partition_imbalance", "f", 0): 7_145_714,
        ("inter_partition_imbalance", "h", 1): 3_580_000,
        ("inter_partition_imbalance", "MPI_Recv", 1): 47_143,
        ("inter_partition_imbalance", "MPI_Recv", 2): 47_143,
    }
