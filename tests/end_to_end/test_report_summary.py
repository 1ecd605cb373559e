"""The summary of a report: at most twelve lines, shares of the main part, no false all-clear."""

from tests.helpers.hand_made import MS, HandMadeRun, late_sender_run, waits, with_rows
from tests.helpers.report_reading import some_of, tables_of
from tracemill.reports.build import build_summary
from tracemill.reports.model import Section


def count_lines(summary: Section) -> int:
    """Lines in a terminal: title and size of the run are above the summary."""
    return 2 + len(summary.sentences) + len(summary.findings) + len(summary.remarks)


def test_a_kind_includes_the_kinds_that_are_part_of_it() -> None:
    """30 ms of late senders, and 20 ms of them in wrong order: 50 ms in all."""
    late, wrong = waits((1, 2, 30, 0), (1, 1, 20, 0))
    run = with_rows(late_sender_run(), wait_states=[late, wrong | {"property": "mpi_lswo_same"}])
    report = some_of(run, "summary", "wait_states")
    (finding,) = report.section("summary").findings
    assert finding.headline == "Late Sender: 50.0 ms, 25.0% of all time."
    kinds = tables_of(report)["waits_by_property"].as_dicts()
    assert [(row["finding"], row["part_of"], row["wait_ns"]) for row in kinds] == [
        ("Late Sender", None, 50 * MS),
        ("Wrong Order", "Late Sender", 20 * MS),
    ]


def test_shares_refer_to_the_main_part() -> None:
    """Of 50 ms of waiting, 10 lie before the main part, and of 200 ms of all locations 100."""
    (wait,) = waits((1, 2, 50, 0))
    run = with_rows(
        late_sender_run(),
        main_part=[{"begin_ns": 20 * MS, "end_ns": 100 * MS}],
        setup_times=[{"call_path_id": 0, "location_id": 0, "time_ns": 80 * MS},
                     {"call_path_id": 0, "location_id": 1, "time_ns": 20 * MS}],
        wait_states=[wait | {"start_ns": 10 * MS}],
    )  # fmt: skip
    summary = build_summary(run).section("summary")
    # MPI 70 ms and waiting 40 ms, of 100 ms
    assert summary.sentences[0] == (
        "Run time: 80.0 ms without MPI setup (100 ms with it). All locations together spent "
        "100 ms, 70.0% in MPI and 40.0% waiting."
    )
    assert summary.findings[0].headline == "Late Sender: 40.0 ms, 40.0% of all time."
    parts = {row[0]: row[1] for row in tables_of(some_of(run, "summary"))["time_parts"].rows}
    assert parts == {
        "computation": 30 * MS, "waiting": 40 * MS, "point-to-point, not waiting": 30 * MS
    }  # fmt: skip


def test_inclusive_times_of_regions_refer_to_the_main_part_too() -> None:
    run = with_rows(
        late_sender_run(),
        main_part=[{"begin_ns": 20 * MS, "end_ns": 100 * MS}],
        setup_times=[{"call_path_id": 0, "location_id": 0, "time_ns": 80 * MS},
                     {"call_path_id": 2, "location_id": 1, "time_ns": 20 * MS}],
    )  # fmt: skip
    regions = tables_of(some_of(run, "flat_profile"))["top_regions"].as_dicts()
    assert {row["region"]: (row["exclusive_ns"], row["inclusive_ns"]) for row in regions} == {
        "main": (50 * MS, 100 * MS), "MPI_Recv": (40 * MS, 40 * MS), "MPI_Send": (10 * MS, 10 * MS)
    }  # fmt: skip


def test_calls_without_records_are_no_all_clear() -> None:
    """MPI_Send was visited, but no message was recorded."""
    run = with_rows(late_sender_run(), wait_states=[], mpi_operations=[])
    summary = build_summary(run).section("summary")
    assert summary.remarks == (
        "No waiting was found in the records that the trace has. Messages were not recorded: "
        "waiting in 2 calls such as MPI_Send (35.0% of all time) is unknown.",
        "Trace quality: no problems found.",
    )


def crowded_run() -> HandMadeRun:
    """Nine kinds of waiting."""
    names = [f"kind_{number}" for number in range(9)]
    run = late_sender_run()
    known = [{"metric": name, "kind": "wait state", "title": name, "unit": "ns"} for name in names]
    lost = waits(*((1, 2, 9 - number, 0) for number in range(9)))
    return with_rows(
        run,
        metrics=[*run.tables["metrics"], *known],
        wait_states=[each | {"property": name} for each, name in zip(lost, names, strict=True)],
    )


def test_the_worst_kinds_are_shown() -> None:
    """Title and size, run time, five kinds, quality and advice."""
    summary = build_summary(crowded_run()).section("summary")
    assert [finding.metric for finding in summary.findings] == [f"kind_{at}" for at in range(5)]
    assert count_lines(summary) == 2 + 1 + 5 + 2


def test_the_summary_has_at_most_twelve_lines() -> None:
    """Of 50 ms of waiting, three call paths cause 15 ms each; and everything else is wrong, too."""
    cell = {"column_name": "Partner", "cell": "", "row_count": 1, "file": "a.csv", "first_line": 2}
    lost = {"kind": "unreadable_row", "location_id": None, "count": 3, "is_loss": True}
    crowded = with_rows(
        crowded_run(),
        root_causes=[
            {"kind": "latesender", "call_path_id": path, "location_id": 0, "direct_ns": 15.0 * MS}
            for path in range(3)
        ],
        mpi_operations=[],
        misread_cells=[cell],
        trace_quality=[lost | {"detail": "Gone."}],
    )
    summary = build_summary(crowded).section("summary")
    # Run time and causes; messages that were not recorded, losses, cells, quality and advice.
    assert len(summary.sentences) == 1 + 3
    assert len(summary.remarks) == 4 + 1
    assert len(summary.findings) == 1
    assert count_lines(summary) == 12
