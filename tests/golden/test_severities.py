"""Every metric per call path and location."""

import pytest

METRICS_OF_MESSAGES = ("bytes_sent", "comms_send", "syncs_send", "bytes_rcvd", "comms_recv")


def severities(run_query, tables) -> dict[tuple[str, str, int], int]:
    """Values by metric, name of the call, and location."""
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    found = run_query("severities", tables, "metric call_path_id location_id value")
    return {(metric, names[path], place): value for metric, path, place, value in found}


#            0    10   20   30   40   50
# rank 0                    [send     ]
# rank 1          [receive........]
@pytest.fixture
def late_message(trace):
    return trace("""
        0   30..50   MPI_Send   send 1 bytes 100
        1   10..42   MPI_Recv   recv 0 bytes 100
    """)


def test_time_and_visits_are_those_of_the_call_tree(run_query, late_message):
    values = severities(run_query, late_message)
    assert {key: value for key, value in values.items() if key[0] in ("time", "visits")} == {
        ("time", "main", 0): 30,
        ("time", "main", 1): 10,
        ("time", "MPI_Send", 0): 20,
        ("time", "MPI_Recv", 1): 32,
        ("visits", "main", 0): 1,
        ("visits", "main", 1): 1,
        ("visits", "MPI_Send", 0): 1,
        ("visits", "MPI_Recv", 1): 1,
    }


def test_a_message_counts_where_it_is_sent_and_where_it_is_received(run_query, late_message):
    values = severities(run_query, late_message)
    assert values["bytes_sent", "MPI_Send", 0] == 100
    assert values["comms_send", "MPI_Send", 0] == 1
    assert values["bytes_rcvd", "MPI_Recv", 1] == 100
    assert values["comms_recv", "MPI_Recv", 1] == 1


def test_a_value_of_zero_is_no_row(run_query, late_message):
    metrics = {metric for metric, _, _ in severities(run_query, late_message)}
    assert metrics == {
        "time", "visits", "bytes_sent", "bytes_rcvd", "comms_send", "comms_recv",
        "mpi_latesender", "mpi_cls_count",
    }  # fmt: skip


def test_messages_without_data_are_synchronisations(run_query, trace):
    values = severities(
        run_query,
        trace("""
            0   30..50   MPI_Send   send 1 bytes 0
            1   10..42   MPI_Recv   recv 0 bytes 0
        """),
    )
    counted = {key[0]: value for key, value in values.items() if key[0] not in ("time", "visits")}
    assert counted == {
        "syncs_send": 1,
        "syncs_recv": 1,
        "mpi_latesender": 20,
        "mpi_sls_count": 1,
    }


# The receive completes in MPI_Wait; the send is posted in MPI_Isend.
def test_a_nonblocking_message_counts_at_its_post_and_at_its_completion(run_query, trace):
    values = severities(
        run_query,
        trace("""
            0   0..5     MPI_Isend     isend 1 #1
            0   10..20   MPI_Waitall   isend_complete #1
            1   0..5     MPI_Irecv     irecv_request #1
            1   10..20   MPI_Wait      irecv 0 #1
        """),
    )
    places = {(name, place) for metric, name, place in values if metric in METRICS_OF_MESSAGES}
    assert places == {("MPI_Isend", 0), ("MPI_Wait", 1)}


# What was sent counts, received or not; what was received counts only if the send is known, and
# with the sender's length.
def test_sends_always_count_but_only_matched_receives(run_query, trace):
    values = severities(
        run_query,
        trace("""
            0   0..5     MPI_Send    send 1 tag 1 bytes 10
            0   10..15   MPI_Send    send 1 tag 2 bytes 20
            0   20..25   MPI_Rsend   send ? bytes 40
            1   30..35   MPI_Recv    recv 0 tag 1 bytes 16
            1   40..45   MPI_Recv    recv 0 tag 3 bytes 80
        """),
    )
    assert values["bytes_sent", "MPI_Send", 0] == 10 + 20
    assert values["bytes_sent", "MPI_Rsend", 0] == 40
    assert values["bytes_rcvd", "MPI_Recv", 1] == 10
    assert values["comms_recv", "MPI_Recv", 1] == 1


# Three waits in MPI_Recv: of 10 in order, of 20 and 30 in wrong order.
def test_a_metric_includes_its_sub_metrics(run_query):
    def wait(number: int, wait_ns: int, metric: str, *, empty: bool = False) -> dict[str, object]:
        return {"property": metric, "visit_id": number, "wait_ns": wait_ns} | {
            "is_synchronisation": empty
        }

    tables = {
        "call_tree": [],
        "wait_states": [
            wait(0, 10, "mpi_latesender"),
            wait(1, 20, "mpi_lswo_same"),
            wait(2, 30, "mpi_lswo_different", empty=True),
            wait(3, 40, "mpi_latereceiver"),
            wait(4, 50, "mpi_latereceiver", empty=True),
        ],
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
def test_waits_are_counted_by_call_not_by_message(run_query, trace):
    values = severities(
        run_query,
        trace("""
            0   40..45   MPI_Send      send 1 bytes 8
            2   60..65   MPI_Send      send 1 bytes 0
            1   0..5     MPI_Irecv     irecv_request #1; irecv_request #2
            1   10..70   MPI_Waitall   irecv 0 #1; irecv 2 #2
        """),
    )
    assert values["mpi_latesender", "MPI_Waitall", 1] == 50
    assert values["mpi_sls_count", "MPI_Waitall", 1] == 1
    assert ("mpi_cls_count", "MPI_Waitall", 1) not in values


def test_every_metric_is_described_once(run_query):
    rows = run_query("metrics", {}, "metric parent_metric title unit meaning")
    metrics = [metric for metric, *_ in rows]
    assert len(set(metrics)) == len(metrics)
    assert {parent for _, parent, *_ in rows} - {None} <= set(metrics)
    assert all(title and meaning.endswith(".") for *_, title, _, meaning in rows)
