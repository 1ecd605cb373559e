"""Every metric per call path and location."""

from collections.abc import Callable

import pyarrow.parquet as pq
import pytest

from tests.helpers.hand_made import HandMadeRun
from tests.helpers.micro_trace import Tables, read_trace
from tests.helpers.running import run_stage, with_overheads
from tracemill.shell.exports.severities import export_severities
from tracemill.stages.imbalance import IMBALANCE_STAGE

ROLES = {"MPI_Send": "point2point", "MPI_Recv": "point2point", "MPI_Barrier": "barrier"}
METRICS_OF_MESSAGES = ("bytes_sent", "comms_send", "syncs_send", "bytes_rcvd", "comms_recv")


@pytest.fixture
def severities(run_query) -> Callable[[Tables | str], dict[tuple[str, str, int], int]]:
    """Values by metric, name of the call, and location; of tables or a trace as text."""

    def find(tables: Tables | str) -> dict[tuple[str, str, int], int]:
        tables = read_trace(tables) if isinstance(tables, str) else tables
        names = {row["region_id"]: row["name"] for row in tables["regions"]}
        found = run_query("severities", tables, "metric call_path_id location_id value")
        return {(metric, names[path], place): value for metric, path, place, value in found}

    return find


#            0    10   20   30   40   50
# rank 0                    [send     ]
# rank 1          [receive........]
@pytest.fixture
def late_message(trace):
    return trace("""
        0   30..50   MPI_Send   send 1 bytes 100
        1   10..42   MPI_Recv   recv 0 bytes 100
    """)


def test_time_and_visits_are_exported_from_the_call_tree(run_query, late_message):
    cells = run_query("severity_cells", late_message, "metric call_path rank value")
    assert [cell for cell in cells if cell[0] in ("time", "visits")] == [
        ("time", "main", 0, 30e-9),
        ("time", "main", 1, 10e-9),
        ("time", "main/MPI_Recv", 1, 32e-9),
        ("time", "main/MPI_Send", 0, 20e-9),
        ("visits", "main", 0, 1),
        ("visits", "main", 1, 1),
        ("visits", "main/MPI_Recv", 1, 1),
        ("visits", "main/MPI_Send", 0, 1),
    ]


def cells_of(run_query, tables, *kinds: str) -> set[tuple[str, str, int, float]]:
    """Exported nanoseconds of metrics of some kinds by metric, call path and rank."""
    for region in tables["regions"]:
        role = ROLES.get(region["name"], "function")
        region |= {"paradigm": "mpi" if role != "function" else "user", "role": role}
    tables = with_overheads(tables)
    tables |= run_stage(IMBALANCE_STAGE, tables)
    cells = run_query("severity_cells", tables, "metric call_path rank value")
    metrics = run_query("metrics", {}, "metric kind")
    wanted = {metric for metric, kind in metrics if kind in kinds}
    return {(*cell[:3], round(cell[3] * 1e9)) for cell in cells if cell[0] in wanted}


def test_overheads_imbalance_and_idle_time_are_exported(run_query, late_message):
    late_message["runs"] = [{"begin_ns": 0, "end_ns": 50}]
    for location, end in zip(late_message["locations"], (50, 42), strict=True):
        location |= {"begin_ns": 0, "end_ns": end}
    assert cells_of(run_query, late_message, "overhead", "imbalance", "idle") == {
        ("computation", "main", 0, 30),
        ("computation", "main", 1, 10),
        ("overhead_data_movement", "main/MPI_Send", 0, 20),
        ("overhead_point_to_point", "main/MPI_Send", 0, 20),
        ("overhead_data_movement", "main/MPI_Recv", 1, 32),
        ("overhead_point_to_point", "main/MPI_Recv", 1, 32),
        ("overhead_unidentified", "", 1, 8),
        ("overhead_outside_visits", "", 1, 8),
        ("imbalance", "main", 0, 10),
        ("imbalance_above", "main", 0, 10),
        ("imbalance", "main", 1, 10),
        ("imbalance_below", "main", 1, 10),
        ("idle", "main/MPI_Recv", 1, 20),
        ("idle_waiting", "main/MPI_Recv", 1, 20),
        ("idle", "", 1, 8),
        ("idle_absent", "", 1, 8),
    }


def test_single_and_absent_participants_are_exported(run_query, trace):
    # work on rank 0 only: 30, a mean of 10 for three ranks; main is even but for that.
    tables = trace("""
        0   0..30   work
        1   0..30   MPI_Barrier
        2   0..30   MPI_Barrier
    """)
    found = cells_of(run_query, tables, "imbalance")
    assert {cell for cell in found if cell[1] == "main/work"} == {
        ("imbalance", "main/work", 0, 20),
        ("imbalance_above", "main/work", 0, 20),
        ("imbalance_above_single", "main/work", 0, 20),
        *(
            (metric, "main/work", rank, 10)
            for rank in (1, 2)
            for metric in (
                "imbalance",
                "imbalance_below",
                "imbalance_below_bypass",
                "imbalance_below_singularity",
            )
        ),
    }


def test_a_message_counts_where_it_is_sent_and_where_it_is_received(severities, late_message):
    values = severities(late_message)
    assert values["bytes_sent", "MPI_Send", 0] == 100
    assert values["comms_send", "MPI_Send", 0] == 1
    assert values["bytes_rcvd", "MPI_Recv", 1] == 100
    assert values["comms_recv", "MPI_Recv", 1] == 1


def test_a_value_of_zero_is_no_row(severities, late_message):
    metrics = {metric for metric, _, _ in severities(late_message)}
    assert metrics == {
        "bytes_sent", "bytes_rcvd", "comms_send", "comms_recv", "mpi_latesender", "mpi_cls_count",
        "delay_latesender",
    }  # fmt: skip


def test_messages_without_data_are_synchronizations(severities):
    values = severities("""
        0   30..50   MPI_Send   send 1 bytes 0
        1   10..42   MPI_Recv   recv 0 bytes 0
    """)
    assert {key[0]: value for key, value in values.items()} == {
        "syncs_send": 1,
        "syncs_recv": 1,
        "mpi_latesender": 20,
        "mpi_sls_count": 1,
        "delay_latesender": 20,  # rank 0 was in main for longer
    }


# The receive completes in MPI_Wait; the send is posted in MPI_Isend.
def test_a_nonblocking_message_counts_at_its_post_and_at_its_completion(severities):
    values = severities("""
        0   0..5     MPI_Isend     isend 1 #1
        0   10..20   MPI_Waitall   isend_complete #1
        1   0..5     MPI_Irecv     irecv_request #1
        1   10..20   MPI_Wait      irecv 0 #1
    """)
    places = {(name, place) for metric, name, place in values if metric in METRICS_OF_MESSAGES}
    assert places == {("MPI_Isend", 0), ("MPI_Wait", 1)}


# Sent data counts, received or not; received data counts only if the send is recorded, with the
# sender's length.
def test_sends_always_count_but_only_matched_receives(severities):
    values = severities("""
        0   0..5     MPI_Send    send 1 tag 1 bytes 10
        0   10..15   MPI_Send    send 1 tag 2 bytes 20
        0   20..25   MPI_Rsend   send ? bytes 40
        1   30..35   MPI_Recv    recv 0 tag 1 bytes 16
        1   40..45   MPI_Recv    recv 0 tag 3 bytes 80
    """)
    assert values["bytes_sent", "MPI_Send", 0] == 10 + 20
    assert values["bytes_sent", "MPI_Rsend", 0] == 40
    assert values["bytes_rcvd", "MPI_Recv", 1] == 10
    assert values["comms_recv", "MPI_Recv", 1] == 1


def wait(number: int, wait_ns: int, metric: str, **others: bool) -> dict[str, object]:
    return {"property": metric, "visit_id": number, "wait_ns": wait_ns} | others


# Three waits in MPI_Recv: of 10 in order, of 20 and 30 in wrong order.
def test_a_metric_includes_its_sub_metrics(run_query):
    tables = {
        "wait_states": [
            wait(0, 10, "mpi_latesender"),
            wait(1, 20, "mpi_lswo_same"),
            wait(2, 30, "mpi_lswo_different", is_synchronization=True),
            wait(3, 40, "mpi_latereceiver"),
            wait(4, 50, "mpi_latereceiver", is_synchronization=True),
        ]
    }
    assert dict(run_query("severities", tables, "metric value")) == {
        "mpi_latesender": 10 + 20 + 30,
        "mpi_latesender_wo": 20 + 30,
        "mpi_lswo_same": 20,
        "mpi_lswo_different": 30,
        "mpi_cls_count": 2,
        "mpi_clswo_count": 1,
        "mpi_sls_count": 1,
        "mpi_slswo_count": 1,
        "mpi_latereceiver": 40 + 50,
        "mpi_clr_count": 1,
        "mpi_slr_count": 1,
    }


# A Waitall that waited for two late messages has waited once.
def test_waits_are_counted_by_call_not_by_message(severities):
    values = severities("""
        0   40..45   MPI_Send      send 1 bytes 8
        2   60..65   MPI_Send      send 1 bytes 0
        1   0..5     MPI_Irecv     irecv_request #1; irecv_request #2
        1   10..70   MPI_Waitall   irecv 0 #1; irecv 2 #2
    """)
    assert values["mpi_latesender", "MPI_Waitall", 1] == 50
    assert values["mpi_sls_count", "MPI_Waitall", 1] == 1
    assert ("mpi_cls_count", "MPI_Waitall", 1) not in values


# Rank 1 sends nothing to the gather and receives nothing; the barrier has no data at all. The
# second gather is alone on its communicator, and counts like any other.
def test_every_end_of_a_blocking_collective_counts(severities, trace):
    values = severities(trace("""
        0    0..5    MPI_Gather    collective gather root 0 sent 8 received 16
        0   10..15   MPI_Gather    collective gather comm 1 root 0 sent 4 received 4
        0   20..25   MPI_Barrier   collective barrier
        1    0..5    MPI_Gather    collective gather root 0
        1   20..25   MPI_Barrier   collective barrier
        2    0..5    MPI_Gather    collective gather root 0 sent 8
        2   10..15   MPI_Bcast     collective bcast comm 2 root 1 received 32
        2   20..25   MPI_Barrier   collective barrier
        """, comm1="self", comm2=[2, 1]))  # fmt: skip
    assert values == {
        ("bytes_cout", "MPI_Gather", 0): 8 + 4,
        ("bytes_cout", "MPI_Gather", 2): 8,
        ("bytes_cin", "MPI_Gather", 0): 16 + 4,
        ("bytes_cin", "MPI_Bcast", 2): 32,
        ("comms_cxch", "MPI_Gather", 0): 2,
        ("comms_csrc", "MPI_Gather", 2): 1,
        ("comms_cdst", "MPI_Bcast", 2): 1,
        ("syncs_coll", "MPI_Gather", 1): 1,
        ("syncs_coll", "MPI_Barrier", 0): 1,
        ("syncs_coll", "MPI_Barrier", 1): 1,
        ("syncs_coll", "MPI_Barrier", 2): 1,
    }


def test_alltoallv_counts_but_no_nonblocking_collective(severities):
    values = severities("""
        0    0..5    MPI_Alltoallv   collective alltoallv sent 8 received 8
        0   10..15   MPI_Ibarrier    nonblocking_collective_request #1
        0   20..25   MPI_Wait        nonblocking_collective barrier #1
    """)
    assert {metric for metric, *_ in values} == {"bytes_cout", "bytes_cin", "comms_cxch"}


# Three calls on one call path: two of them waited beyond what the reference looks at.
def test_extended_waits_have_rows_of_their_own(run_query):
    waits = [
        wait(number, 10 * (number + 1), "mpi_wait_nxn", is_extended=number > 0)
        for number in range(3)
    ]
    columns = "metric is_extended value"
    assert run_query("severities", {"wait_states": waits}, columns) == [
        ("mpi_wait_nxn", False, 10),
        ("mpi_wait_nxn", True, 20 + 30),
    ]


@pytest.mark.parametrize(
    ("is_extended", "expected"),
    [
        (False, [{"metric": "mpi_wait_nxn", "value": 2.0}]),
        (
            True,
            [
                {"metric": "mpi_wait_nxn", "value": 2.0, "extended": False},
                {"metric": "mpi_wait_nxn", "value": 3.0, "extended": True},
            ],
        ),
    ],
)
def test_extended_waits_are_exported_only_on_request(tmp_path, is_extended, expected):
    run = HandMadeRun(
        {
            "metrics": [{"metric": "mpi_wait_nxn", "unit": "ns"}],
            "call_paths": [{"path": "main"}],
            "locations": [{}],
            "severities": [
                {"metric": "mpi_wait_nxn", "is_extended": False, "value": 2_000_000_000},
                {"metric": "mpi_wait_nxn", "is_extended": True, "value": 3_000_000_000},
            ],
        }
    )
    output = tmp_path / "severities.parquet"
    count = export_severities(run, output, is_extended=is_extended)
    assert count == len(expected)
    place = {"call_path": "main", "rank": 0, "thread": 0}
    assert pq.read_table(output).to_pylist() == [place | row for row in expected]


def test_every_metric_is_described_once(run_query):
    rows = run_query("metrics", {}, "metric parent_metric title unit meaning")
    metrics = [metric for metric, *_ in rows]
    assert len(set(metrics)) == len(metrics)
    assert {parent for _, parent, *_ in rows} - {None} <= set(metrics)
    assert all(title and meaning.endswith(".") for *_, title, _, meaning in rows)
