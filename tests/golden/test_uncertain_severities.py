"""The share of each metric in uncertain events."""

from tests.helpers.running import run_query

COLUMNS = "metric total_ns uncertain_ns uncertain_ratio"


def wait(visit: int, metric: str, wait_ns: int, confidence: int) -> dict[str, object]:
    return {"property": metric, "visit_id": visit, "wait_ns": wait_ns, "confidence": confidence}


def finding(metric: str, value: int, confidence: int) -> dict[str, object]:
    return {"property": metric, "value": value, "confidence": confidence}


# Late Sender          30 (sure) + 20 (75%)              = 50
#   Wrong Order        8 (50%)     = 8
#     Same Source      2 (99%)                           = 2
# A metric includes its sub-metrics: of Late Sender 50 + 8 + 2 ns, 20 + 8 + 2 are uncertain.
def test_metrics_include_the_uncertain_waits_of_their_parts() -> None:
    waits = [
        wait(1, "mpi_latesender", 30, 100),
        wait(2, "mpi_latesender", 20, 75),
        wait(3, "mpi_latesender_wo", 8, 50),
        wait(4, "mpi_lswo_same", 2, 99),
    ]
    assert run_query("uncertain_severities", {"wait_states": waits}, COLUMNS) == [
        ("Late Sender", 60, 30, 30 / 60),
        ("Late Sender, Wrong Order", 10, 10, 1.0),
        ("Wrong Order, Same Source", 2, 2, 1.0),
    ]


def test_metrics_without_uncertain_events_have_no_row() -> None:
    waits = [wait(1, "mpi_latesender", 30, 100), wait(2, "mpi_latereceiver", 5, 0)]
    assert run_query("uncertain_severities", {"wait_states": waits}, COLUMNS) == [
        ("Late Receiver", 5, 5, 1.0)
    ]
    assert run_query("uncertain_severities", {"wait_states": waits[:1]}, COLUMNS) == []


# A pattern finds the whole metric, so its parts are not added. Counts are no times.
def test_findings_of_time_count_by_themselves() -> None:
    findings = [
        finding("communication_cost", 40, 100),
        finding("communication_cost", 10, 75),
        finding("dominating_communication", 10, 75),
        finding("frequent_communication", 7, 75),
    ]
    assert run_query("uncertain_severities", {"findings": findings}, COLUMNS) == [
        ("Communication Cost", 50, 10, 10 / 50),
        ("Dominating Communication", 10, 10, 1.0),
    ]
