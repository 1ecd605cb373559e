"""What reports say of waiting: how much, where, for whom, and what is not known of it."""

from typing import Any

import pytest

from tests.helpers.hand_made import (
    CLASSES,
    MS,
    HandMadeRun,
    late_sender_run,
    make_run_row,
    waits,
    with_rows,
)
from tests.helpers.report_reading import (
    all_forms,
    late_sender_report,
    section_of,
    some_of,
    tables_of,
)
from tracemill.reports.build import build_report, build_summary


def test_one_late_sender_is_told_in_plain_words() -> None:
    # 200 ms in all: main 90 + 40, MPI_Send 10, MPI_Recv 60, of which 50 wait.
    summary = late_sender_report().section("summary")
    assert summary.sentences == (
        "Run time: 100 ms. All locations together spent 200 ms, 35.0% in MPI and 25.0% waiting.",
    )
    (finding,) = summary.findings
    assert finding.headline == "Late Sender: 50.0 ms, 25.0% of all time."
    assert finding.detail == (
        '1 wait in "main/MPI_Recv". Only rank 1 waits, all for rank 0 in "main/MPI_Send".'
    )
    assert summary.remarks == (
        "Trace quality: no problems found.",
        "Meaning and what to try: tracemill explain mpi_latesender",
    )


def test_parts_of_the_time_add_up_to_all_of_it() -> None:
    parts = tables_of(late_sender_report())["time_parts"]
    assert parts.rows == (
        ("computation", 130 * MS, 0.65),
        ("waiting", 50 * MS, 0.25),
        ("point-to-point, not waiting", 20 * MS, 0.1),
    )


def test_the_worst_thread_is_named_where_threads_differ() -> None:
    run = late_sender_run()
    locations = [{**row, "thread": row["rank"], "rank": 0} for row in run.tables["locations"]]
    parts = ("wait_states", "flat_profile")
    tables = tables_of(some_of(with_rows(run, locations=locations), *parts))
    for name in ("waits_by_property", "waits_by_call_path"):
        (row,) = tables[name].as_dicts()
        assert (row["worst_rank"], row["worst_thread"]) == (0, 1)
        assert "worst_thread" not in tables[name].hidden
    regions = {row["region"]: row["worst_thread"] for row in tables["top_regions"].as_dicts()}
    assert (regions["main"], regions["MPI_Recv"]) == (0, 1)
    one_thread = tables_of(some_of(run, *parts))
    assert (
        "worst_thread" in one_thread["waits_by_property"].hidden & one_thread["top_regions"].hidden
    )


def test_a_program_without_mpi_is_not_said_to_be_analyzed_for_messages() -> None:
    run = late_sender_run(calls=("omp_set_lock", "work"))
    regions = [row | {"paradigm": "openmp"} for row in run.tables["regions"]]
    run = with_rows(run, regions=regions)
    lock = {"location_id": 0, "call_path_id": 1}
    alone = [make_run_row() | {"process_count": 1}]
    said = section_of(with_rows(run, runs=alone, lock_operations=[lock]), "wait-states").sentences
    assert said[0] == "Analyzed for waiting: thread locks."
    assert section_of(with_rows(run, runs=alone), "wait-states").sentences == ()


def test_one_process_has_no_matrix_of_who_waits_for_whom() -> None:
    run = with_rows(late_sender_run(), runs=[make_run_row() | {"process_count": 1}])
    assert "waits_between_ranks" in tables_of(late_sender_report())
    assert "waits_between_ranks" not in tables_of(some_of(run, "wait_states"))


def test_who_had_a_lock_before_lets_in_others() -> None:
    run = late_sender_run(calls=("omp_set_lock", "omp_set_lock"))
    (wait,) = waits((1, 2, 50, 0))
    lock = "omp_lock_contention_api"
    metrics = [*run.tables["metrics"], {"metric": lock, "title": "Lock", "unit": "ns"}]
    (finding,) = section_of(
        with_rows(run, metrics=metrics, wait_states=[wait | {"property": lock}]), "summary"
    ).findings
    assert "Only rank 1 waits, until rank 0 lets it in." in finding.detail


def test_time_lost_elsewhere_is_charged_to_the_location_that_caused_it() -> None:
    rows = tables_of(late_sender_report())["time_by_location"].as_dicts()
    assert [(row["rank"], row["wait_ns"], row["caused_ns"]) for row in rows] == [
        (0, 0, 50 * MS),
        (1, 50 * MS, 0),
    ]


def test_a_finding_names_who_loses_most_and_whom_that_one_waits_for() -> None:
    # Location 1 waits 30 + 5 ms, location 0 only 20 ms; of the 35 ms, 30 are for location 0.
    run = with_rows(
        late_sender_run(), wait_states=waits((1, 2, 30, 0), (1, 2, 5, 1), (0, 2, 20, 1))
    )
    (finding,) = build_summary(run).section("summary").findings
    assert finding.headline == "Late Sender: 55.0 ms, 27.5% of all time."
    assert finding.detail == (
        '3 waits in "main/MPI_Recv". Rank 1 waits most, 35.0 ms, '
        '30.0 ms of it for rank 0 in "main/MPI_Send". 3 of the waits are uncertain.'
    )


def test_call_paths_of_a_kind_are_ordered_by_cost_and_equal_ones_by_number() -> None:
    run = with_rows(late_sender_run(), wait_states=waits((1, 2, 5, 0), (1, 1, 5, 0), (1, 0, 9, 0)))
    (finding,) = build_summary(run).section("summary").findings
    assert finding.headline == "Late Sender: 19.0 ms, 9.5% of all time."
    assert finding.detail.startswith('3 waits, 9.00 ms of it in "main". ')
    assert 'Then 5.00 ms in "main/MPI_Send" and 5.00 ms in "main/MPI_Recv".' in finding.detail


def test_threads_are_named_where_a_process_has_several() -> None:
    run = with_rows(late_sender_run(), runs=[make_run_row(process_count=1)])
    (finding,) = build_summary(run).section("summary").findings
    assert "Only rank 1 thread 0 waits, all for rank 0 thread 0" in finding.detail


def test_rows_that_belong_to_no_location_make_a_trace_incomplete_too() -> None:
    lost = {"count": 3, "is_loss": True, "detail": "Gone."}
    run = with_rows(
        late_sender_run(), trace_quality=[{"kind": "unreadable_row", "location_id": None} | lost]
    )
    assert build_summary(run).section("summary").remarks[0] == (
        "Incomplete trace: 3 × unreadable row; the figures cover only readable data."
    )


def test_what_is_only_doubtful_leaves_a_trace_complete() -> None:
    doubtful = {"kind": "unmatched_send", "location_id": 0, "count": 3, "detail": "No receive."}
    run = with_rows(late_sender_run(), trace_quality=[doubtful])
    said = some_of(run, "summary", "trace_quality")
    assert not said.section("summary").remarks[0].startswith("Incomplete")
    (table,) = said.section("trace-quality").tables
    assert table.title == "Problems of the trace"


def test_cells_that_are_not_understood_are_told() -> None:
    """The worst one in the summary, all of them in a table."""
    cells = [
        {"column_name": "Event Type", "cell": "Entry", "row_count": 2, "file": "a.csv",
         "first_line": 3, "nearest": "Enter"},
        {"column_name": "Partner", "cell": "", "row_count": 1500, "file": "a.csv",
         "first_line": 1200, "nearest": None},
        {"column_name": "Tag", "cell": "-5", "row_count": 2, "file": "a.csv",
         "first_line": 7, "nearest": None},
    ]  # fmt: skip
    run = with_rows(late_sender_run(), misread_cells=cells)
    report = some_of(run, "summary", "trace_quality")
    assert (
        "Could not interpret: an empty Partner in 1,500 rows, first in line 1,200 of a.csv. "
        "2 other cells: see the table misread_cells." in report.section("summary").remarks
    )
    only = build_summary(with_rows(late_sender_run(), misread_cells=cells[:1]))
    assert (
        'Could not interpret: Event Type "Entry" in 2 rows, first in line 3 of a.csv; did you mean '
        "Enter?" in only.section("summary").remarks
    )
    (table,) = report.section("trace-quality").tables
    assert [row[:3] for row in table.rows] == [
        ("Partner", "", 1500), ("Event Type", "Entry", 2), ("Tag", "-5", 2),
    ]  # fmt: skip
    two = build_summary(with_rows(late_sender_run(), misread_cells=cells[::2]))
    (line,) = [each for each in two.section("summary").remarks if "Could not interpret" in each]
    assert line.endswith("did you mean Enter? 1 other cell: see the table misread_cells.")


def test_a_damaged_trace_is_told_in_one_line() -> None:
    run = with_rows(
        late_sender_run(),
        trace_quality=[
            {"kind": "clock_violation", "location_id": 0, "count": 3, "detail": "Clocks differ."},
            {"kind": "clock_violation", "location_id": 1, "count": 1, "detail": "Clocks differ."},
            {
                "kind": "missing_records",
                "location_id": 1,
                "count": 1200,
                "is_loss": True,
                "detail": "Gone.",
            },
        ],
        locations=[
            {"location_id": 0, "is_complete": True},
            {"location_id": 1, "rank": 1, "declared_count": 1300, "record_count": 100},
        ],
    )
    first = (
        "Incomplete trace: 1 of 2 locations could not be read completely; the figures cover only "
        "readable data."
    )
    line = "Trace quality: 1 location incomplete; 1,200 × missing records; 4 × clock violation."
    report = build_report(run)
    assert line in report.section("summary").remarks
    assert report.section("summary").remarks[0] == first
    assert all(line.replace("×", "×") in form for form in all_forms(report))


def test_records_of_an_incomplete_location_add_up() -> None:
    """1300 announced: 100 read, of which 40 are not understood, so that 60 are kept."""
    lost = {"is_loss": True, "detail": "Gone."}
    findings = [
        (1, "missing_records", 1200), (1, "unknown_record", 40), (2, "unknown_record", 1),
        (3, "missing_location", 1), (3, "missing_records", 29), (4, "dropped_attribute", 7),
    ]  # fmt: skip
    read = {1: (1300, 100), 2: (5, 5), 3: (29, 0), 4: (6, 6)}
    run = with_rows(
        late_sender_run(),
        trace_quality=[
            {"location_id": place, "kind": kind, "count": count} | lost
            for place, kind, count in findings
        ],
        locations=[
            {"location_id": place, "declared_count": declared, "record_count": count}
            for place, (declared, count) in read.items()
        ],
    )
    (table,) = [
        each
        for each in section_of(run, "trace-quality").tables
        if each.title == "Incomplete locations"
    ]
    titles = [column.title for column in table.columns[3:]]
    assert titles == ["Recorded", "Not read", "Unknown", "Kept", "Values dropped"]
    assert [row[3:] for row in table.rows] == [
        (1300, 1200, 40, 60, 0), (5, 0, 1, 4, 0), (29, 29, 0, 0, 0), (6, 0, 0, 6, 7),
    ]  # fmt: skip


def test_wait_states_without_result_are_named() -> None:
    run = with_rows(late_sender_run(), wait_states=[])
    summary = section_of(run, "summary")
    said = "No waiting was found (searched: Wait at Barrier, Late Receiver and Late Sender)."
    assert summary.remarks[0] == said


def coverage(run: HandMadeRun) -> str:
    (said,) = [
        sentence
        for sentence in section_of(run, "wait-states").sentences
        if sentence.startswith("Analyzed")
    ]
    return said.removeprefix("Analyzed for waiting: messages and collectives between processes.")


def test_time_that_may_hold_other_waiting_is_named() -> None:
    # MPI_Send (10 of 200 ms) becomes a barrier of threads, MPI_Recv (60 ms) one of a window.
    names = (("main", "user"), ("!$omp barrier", "openmp"), ("MPI_Win_fence", "mpi"))
    regions = [
        {"region_id": at, "name": name, "paradigm": paradigm}
        for at, (name, paradigm) in enumerate(names)
    ]
    classes = [
        {"region_id": at, "overhead_id": CLASSES["barrier" if at else "user code"]}
        for at in range(3)
    ]
    run = with_rows(
        late_sender_run(), regions=regions, region_classes=classes, wait_states=[]
    )  # fmt: skip
    assert coverage(run) == (
        " Not analyzed: one-sided communication (30.0% of all time) and synchronization of threads "
        "and devices (5.0% of all time)."
    )


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("MPI_Barrier", ""),
        ("MPI_Allreduce", ""),
        ("MPI_Waitall", ""),
        ("MPI_File_write_at", ""),
        ("MPI_File_write_at_all", "collective file access with missing members"),
        ("mpi_file_open_", "collective file access with missing members"),
        ("PMPI_Win_unlock", "one-sided communication"),
        ("MPI_Comm_split", "creating communicators"),
        ("MPI_Comm_rank", ""),
        ("MPI_Mprobe", "probing for messages"),
        ("MPI_Iprobe", ""),
    ],
)
def test_calls_that_may_hold_other_waiting(call: str, kind: str) -> None:
    run = with_rows(late_sender_run(calls=("MPI_Send", call)), wait_states=[])
    assert coverage(run) == (f" Not analyzed: {kind} (30.0% of all time)." if kind else "")


def test_waiting_that_is_told_is_not_named_again() -> None:
    # Of the 60 ms in MPI_Mprobe 50 were found to be waiting, if only in this test.
    assert coverage(late_sender_run(calls=("MPI_Send", "MPI_Mprobe"))) == (
        " Not analyzed: probing for messages (5.0% of all time)."
    )


def test_nonblocking_collectives_without_records_are_named() -> None:
    run = with_rows(late_sender_run(calls=("MPI_Ibarrier", "MPI_Wait")), wait_states=[])
    assert coverage(run) == (
        " Not analyzed: completing nonblocking collectives, which are not recorded "
        "(30.0% of all time)."
    )
    recorded = with_rows(run, collectives=[{"is_nonblocking": True, "is_complete": True}])
    assert coverage(recorded) == ""


def test_collectives_without_all_members_are_named() -> None:
    run = with_rows(
        late_sender_run(),
        collectives=[{"collective_id": 0}, {"collective_id": 1, "is_complete": True}],
        collective_members=[
            {"collective_id": 0, "location_id": 0, "enter_ns": 5 * MS, "leave_ns": 7 * MS},
            {"collective_id": 1, "location_id": 0, "enter_ns": 8 * MS, "leave_ns": 9 * MS},
        ],
    )
    assert coverage(run) == (" Not analyzed: collectives with missing members (1.0% of all time).")
    # Of the 2 ms, 1 is in the main part, which all time is.
    later = with_rows(run, main_part=[{"begin_ns": 6 * MS, "end_ns": 100 * MS}])
    assert coverage(later) == (
        " Not analyzed: collectives with missing members (0.50% of all time)."
    )


def test_with_threads_barriers_of_openmp_are_analyzed_too() -> None:
    run = with_rows(late_sender_run(), thread_teams=[{"thread_team_id": 0}])
    assert any(
        "collectives between processes, OpenMP barriers." in said
        for said in section_of(run, "wait-states").sentences
    )


def test_locks_are_analyzed_where_they_are_recorded() -> None:
    run = late_sender_run(calls=("pthread_mutex_unlock", "pthread_mutex_lock"))
    regions = [row | {"paradigm": "pthread"} for row in run.tables["regions"]]
    classes = [
        {"region_id": 0, "overhead_id": CLASSES["user code"]},
        {"region_id": 1, "overhead_id": CLASSES["lock"]},
        {"region_id": 2, "overhead_id": CLASSES["lock"]},
    ]
    run = with_rows(run, regions=regions, region_classes=classes, wait_states=[])
    # Of 200 ms 60 are in taking the mutex; giving it back is no waiting.
    assert coverage(run) == (
        " Not analyzed: synchronization of threads and devices (30.0% of all time)."
    )
    recorded = with_rows(run, lock_operations=[{"call_path_id": 2, "visit_id": 3}])
    said = section_of(recorded, "wait-states").sentences
    assert "Analyzed for waiting: messages and collectives between processes, thread locks." in said


def barrier_run(**changes: Any) -> HandMadeRun:
    """A barrier that rank 1 entered 50 ms before rank 0, and left 5 ms after it."""
    wait = waits((1, 2, 50, 0))[0] | {"property": "mpi_barrier_wait", "confidence": 100}
    completion = wait | {"property": "mpi_barrier_completion", "wait_ns": 5 * MS}
    completion["is_completion"] = True
    return with_rows(
        late_sender_run(calls=("MPI_Send", "MPI_Barrier")),
        wait_states=[wait | changes, completion | changes],
        visits=[{"visit_id": 1, "call_path_id": 2, "region_id": 2}],
    )


def test_waiting_at_a_barrier_is_told_with_whom_it_waited_for() -> None:
    summary = build_summary(barrier_run()).section("summary")
    (finding,) = summary.findings
    assert finding.headline == "Wait at Barrier: 50.0 ms, 25.0% of all time."
    assert finding.detail == (
        '1 wait in "main/MPI_Barrier". Only rank 1 waits, all for rank 0 to enter it.'
    )


def test_completing_later_than_others_is_no_waiting() -> None:
    tables = tables_of(some_of(barrier_run(), "summary", "wait_states", "flat_profile"))
    kinds = tables["waits_by_property"].as_dicts()
    assert [(row["finding"], row["wait_ns"]) for row in kinds] == [("Wait at Barrier", 50 * MS)]
    assert [row[4] for row in tables["waits_by_cause"].rows] == ["Wait at Barrier"]
    caused = [row["caused_ns"] for row in tables["time_by_location"].as_dicts()]
    assert caused == [50 * MS, 0]
    parts = dict(row[:2] for row in tables["time_parts"].rows)
    assert parts["waiting"] == 50 * MS


def test_extended_wait_states_are_separate() -> None:
    # 50 ms as Scalasca finds it, and 20 ms more that it does not look for.
    beyond = barrier_run(is_extended=True).tables["wait_states"][0]
    run = barrier_run()
    run = with_rows(
        run, wait_states=[*run.tables["wait_states"], beyond | {"visit_id": 7, "wait_ns": 20 * MS}]
    )
    report = some_of(run, "summary", "wait_states")
    summary = report.section("summary")
    assert summary.sentences[0] == (
        "Run time: 100 ms. All locations together spent 200 ms, 35.0% in MPI, 25.0% waiting and "
        "10.0% waiting in extended wait states."
    )
    assert [finding.headline for finding in summary.findings] == [
        "Wait at Barrier: 50.0 ms, 25.0% of all time.",
        "Wait at Barrier (extended, not in Scalasca): 20.0 ms, 10.0% of all time.",
    ]
    tables = tables_of(report)
    kinds = tables["waits_by_property"].as_dicts()
    assert [(row["finding"], row["is_extended"], row["wait_ns"]) for row in kinds] == [
        ("Wait at Barrier", False, 50 * MS),
        ("Wait at Barrier", True, 20 * MS),
    ]
    assert "is_extended" not in tables["waits_by_property"].hidden
    parts = dict(row[:2] for row in tables["time_parts"].rows)
    assert (parts["waiting"], parts["extended waiting"]) == (50 * MS, 20 * MS)


def test_waits_that_the_reference_knows_are_not_marked() -> None:
    tables = tables_of(some_of(barrier_run(), "wait_states"))
    assert "is_extended" in tables["waits_by_property"].hidden


def test_one_process_alone_waits_for_nobody() -> None:
    alone = make_run_row(process_count=1, location_count=1)
    run = with_rows(late_sender_run(), runs=[alone], wait_states=[])
    assert build_summary(run).section("summary").remarks[0] == (
        "No waiting is possible between fewer than two locations."
    )


def test_small_waits_are_left_to_the_tables() -> None:
    # 50 ms of 200 and 50 µs, which is 0.025%: told only if nothing is larger.
    small = waits((1, 1, 1, 0))[0] | {"wait_ns": 50_000}
    large = waits((1, 2, 50, 0))[0] | {"visit_id": 5}
    barrier = small | {"property": "mpi_barrier_wait"}
    both = build_summary(with_rows(late_sender_run(), wait_states=[barrier, large]))
    assert [found.headline for found in both.section("summary").findings] == [
        "Late Sender: 50.0 ms, 25.0% of all time."
    ]
    alone = build_summary(with_rows(late_sender_run(), wait_states=[small]))
    assert [found.headline for found in alone.section("summary").findings] == [
        "Late Sender: 50.0 µs, 0.03% of all time."
    ]
