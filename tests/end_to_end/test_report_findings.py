"""What reports tell about findings: sentences for what matters, tables and meanings for all."""

from typing import Any

from tests.helpers.hand_made import MS, HandMadeRun, late_sender_run
from tests.helpers.report_reading import section_of
from tests.helpers.running import run_query
from tracemill.reports.build import build_summary
from tracemill.schemas import BY_NAME


def metric(name: str, title: str, unit: str = "ns") -> dict[str, Any]:
    meaning = f"What {title} means."
    return {"metric": name, "kind": "finding", "title": title, "unit": unit, "meaning": meaning}


def finding(
    name: str, value: int, place: int = 2, location: int = 1, **more: Any
) -> dict[str, Any]:
    row = {"property": name, "call_path_id": place, "location_id": location, "value": value}
    return row | {"confidence": 100} | more


def run_with(*findings: dict[str, Any], **tables: Any) -> HandMadeRun:
    """One late sender on two processes, whose time is 200 ms in all, and some findings."""
    run = late_sender_run()
    metrics = [
        metric("communication_cost", "Communication Cost"),
        metric("large_messages", "Large Messages"),
        metric("master_worker_starving", "Workers Starving"),
        metric("master_overloaded", "Master Overloaded"),
        metric("tasks_too_fine", "Tasks Too Fine"),
        metric("mine", "Mine", "bytes"),
    ]
    names = BY_NAME["finding_totals"].column_names
    totals = run_query("finding_totals", {"findings": findings})
    everything = {
        "findings": findings,
        "finding_totals": [dict(zip(names, row, strict=True)) for row in totals],
        "metrics": [*run.tables["metrics"], *metrics],
    }
    return HandMadeRun(label=run.label, tables=run.tables | everything | tables)


def sentences(run: HandMadeRun) -> tuple[str, ...]:
    return build_summary(run).section("summary").sentences


def test_what_the_table_tells_needs_no_sentence() -> None:
    plain = sentences(late_sender_run())
    run = run_with(finding("communication_cost", 70 * MS), finding("large_messages", 1 * MS))
    assert sentences(run) == plain
    (table, _) = section_of(run, "findings").tables
    assert table.values("finding") == ("Communication Cost", "Large Messages")


# 12 of 200 ms.
def test_large_messages_are_told_with_their_share() -> None:
    told = sentences(run_with(finding("large_messages", 12 * MS)))
    assert 'Found: Large Messages 12.0 ms, 6.0% of all time, most in "main/MPI_Recv".' in told


def test_a_finding_of_the_user_is_told_however_small_and_explained() -> None:
    pattern = {"pattern": "mine", "is_own": True, "metrics": "mine"}
    run = run_with(finding("large_messages", 12 * MS), finding("mine", 100), patterns=[pattern])
    told = next(each for each in sentences(run) if each.startswith("Found"))
    assert told.startswith("Found (may overlap): Large Messages 12.0 ms")
    assert told.endswith('; Mine 100 B, most in "main/MPI_Recv".')
    explained = {each.metric: each for each in section_of(run, "metrics").explanations}
    assert list(explained) == ["mpi_latesender", "large_messages", "mine"]
    assert explained["mine"].meaning == "What Mine means."


# Process 1 gets its work from process 0: 10 + 20 of 200 ms of waiting for it.
def test_a_master_is_told_with_what_its_workers_lose() -> None:
    run = run_with(
        finding("master_worker_starving", 10 * MS, cause_location_id=0, confidence=90),
        finding("master_worker_starving", 20 * MS, cause_location_id=0, confidence=90),
        finding("master_overloaded", 5 * MS, 0, 0, cause_location_id=1, confidence=90),
        finding("tasks_too_fine", 3 * MS, cause_location_id=0, confidence=90),
        finding("tasks_too_fine", 4 * MS, cause_location_id=0, confidence=90),
        master_workers=[
            {"master_group_id": 0, "worker_group_id": 1, "round_count": 7, "confidence": 90}
        ],
    )
    assert (
        "Rank 0 assigns work to 1 other rank in 7 rounds (confidence 90%). They wait 30.0 ms for "
        "it, 15.0% of all time. For 5.00 ms, it works for one of them while another waits. "
        "Getting 2 tasks took 7.00 ms, more than computing them."
    ) in sentences(run)


def test_call_paths_of_the_costliest_finding_come_first() -> None:
    run = run_with(
        finding("large_messages", 3 * MS, 1, 0),
        finding("communication_cost", 2 * MS, 1, 0),
        finding("communication_cost", 5 * MS, 2, 1),
    )
    _, table = section_of(run, "findings").tables
    assert list(zip(table.values("finding"), table.values("call_path"), strict=True)) == [
        ("Communication Cost", "main/MPI_Recv"),
        ("Communication Cost", "main/MPI_Send"),
        ("Large Messages", "main/MPI_Send"),
    ]
