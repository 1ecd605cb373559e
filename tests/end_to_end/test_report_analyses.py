"""What reports say of the critical path, load balance, overheads and the course of time."""

import re
from typing import Any

import pytest

from tests.helpers.hand_made import (
    CLASSES,
    MS,
    HandMadeRun,
    late_sender_run,
    make_run_row,
    with_rows,
)
from tests.helpers.report_reading import (
    all_forms,
    late_sender_report,
    read_page,
    section_of,
    some_of,
    tables_of,
)
from tracemill.reports.build import build_report
from tracemill.reports.course import course_of
from tracemill.reports.units import Unit


def test_the_critical_path_is_told_with_its_course_and_what_it_costs() -> None:
    section = late_sender_report().section("critical-path")
    assert section.sentences == (
        "The critical path takes 100 ms. It consists of 90.0% computation and 10.0% communication. "
        'It spends most time in "main": 90.0 ms.',
        "It visits 2 processes in 2 segments, and spends most time on rank 0: 60.0 ms (60.0% of "
        "the path).",
        'Imbalance costs most in "main": all locations together lose 50.0 ms while the '
        "path is there.",
    )
    tables = {table.name: table.as_dicts() for table in section.tables}
    assert [
        (row["call_path"], row["path_ns"], row["worst_rank"], row["worst_ns"])
        for row in tables["critical_path_call_paths"]
    ] == [("main", 90 * MS, 0, 60 * MS), ("main/MPI_Recv", 10 * MS, 1, 10 * MS)]
    assert [
        (row["rank"], row["path_ns"], row["path_ratio"], row["computation_ns"])
        for row in tables["critical_path_by_location"]
    ] == [(0, 60 * MS, 0.6, 60 * MS), (1, 40 * MS, 0.4, 30 * MS)]
    (passage,) = tables["critical_path_passages"]
    assert (passage["from_rank"], passage["to_rank"], passage["kind"]) == (0, 1, "late sender")
    assert (passage["wait_ns"], passage["completion_ns"]) == (50 * MS, 10 * MS)
    assert passage["path_ratio"] == 0.1  # 10 of 100 ms


@pytest.mark.parametrize(
    ("kind", "name"),
    [("n_to_n", "N × N"), ("one_to_n", "one to N"), ("late_receiver", "late receiver")],
)
def test_why_the_path_passes_on_is_told_in_words(kind: str, name: str) -> None:
    (row,) = late_sender_run().tables["critical_path_partners"]
    run = with_rows(late_sender_run(), critical_path_partners=[{**row, "kind": kind}])
    (passage,) = tables_of(some_of(run, "critical_path"))["critical_path_passages"].as_dicts()
    assert passage["kind"] == name


def with_waiting(*times: tuple[str, int, bool]) -> HandMadeRun:
    """Waiting on the critical path: metric, nanoseconds, and whether it is extended."""
    rows = [
        {"property": name, "call_path_id": 2, "location_id": 1, "path_ns": time}
        | {"is_extended": is_beyond}
        for name, time, is_beyond in times
    ]
    return with_rows(late_sender_run(), critical_path_waits=rows)


def test_waiting_that_the_path_does_not_follow_is_told_with_its_amount() -> None:
    run = with_waiting(("mpi_latesender", 5 * MS, False), ("mpi_latesender", 2 * MS, True))
    report = some_of(run, "critical_path")
    said = (
        "The critical path contains 7.00 ms of waiting, 7.0% of its length. It does not "
        "follow this waiting to the cause."
    )
    assert report.section("critical-path").sentences[1] == said
    table = tables_of(report)["critical_path_waiting"]
    assert [(r["call_path"], r["path_ns"], r["path_ratio"]) for r in table.as_dicts()] == [
        ("main/MPI_Recv", 5 * MS, 0.05),
        ("main/MPI_Recv", 2 * MS, 0.02),
    ]


def test_starting_mpi_is_neither_longest_nor_costliest_on_the_critical_path() -> None:
    # MPI_Init takes 70 ms of the path on rank 1, and costs 80 ms; main has 20 and 10, and 30.
    run = late_sender_run(calls=("MPI_Send", "MPI_Init"))
    profile = [(2, 1, 70), (0, 0, 20), (0, 1, 10)]
    shares = [(0, 20, 0), (1, 10, 70)]
    (whole,) = run.tables["critical_path_summary"]
    run = with_rows(
        run,
        critical_path_summary=[{**whole, "computation_ns": 30 * MS, "communication_ns": 70 * MS}],
        critical_path_profile=[
            {"call_path_id": path, "location_id": place, "path_ns": time * MS}
            for path, place, time in profile
        ],
        critical_path_locations=[
            {"location_id": place, "segment_count": 1}
            | {"computation_ns": computation * MS, "communication_ns": communication * MS}
            for place, computation, communication in shares
        ],
        severities=[
            {"metric": "critical_imbalance_impact", "call_path_id": path, "value": time * MS}
            | {"location_id": 1}
            for path, time in ((2, 80), (0, 30))
        ],
    )
    section = section_of(run, "critical-path")
    assert section.sentences[1:] == (
        "It visits 2 processes in 2 segments, and spends most time on rank 0: 20.0 ms (66.7% of "
        "the path).",
        'Imbalance costs most in "main": all locations together lose 30.0 ms while the '
        "path is there.",
    )
    table = next(each for each in section.tables if each.name == "critical_path_by_location")
    assert [
        (row["rank"], row["path_ns"], row["communication_ns"], row["setup_ns"])
        for row in table.as_dicts()
    ] == [(1, 80 * MS, 0, 70 * MS), (0, 20 * MS, 0, 0)]


@pytest.mark.parametrize(
    ("main_ms", "said"), [(90, ""), (80, ", but with code before and after the main part")]
)
def test_starting_mpi_is_set_apart_on_the_critical_path(main_ms: int, said: str) -> None:
    # MPI_Recv, 10 of 100 ms on the path, becomes MPI_Init, and main shorter than that.
    run = late_sender_run(calls=("MPI_Send", "MPI_Init"))
    classes = [
        {"region_id": at, "overhead_id": CLASSES[name]}
        for at, name in enumerate(("user code", "point-to-point", "initialise/finalise"))
    ]
    profile = [
        {"call_path_id": 2, "location_id": 1, "path_ns": 10 * MS},
        {"call_path_id": 0, "location_id": 0, "path_ns": 6 * MS},
    ]
    main_part = [{"begin_ns": 0, "end_ns": main_ms * MS}]
    run = with_rows(run, region_classes=classes, critical_path_profile=profile, main_part=main_part)
    assert section_of(run, "critical-path").sentences[0] == (
        f"The critical path takes 90.0 ms without 10.0 ms of MPI setup{said}. It consists of "
        '100.0% computation. It spends most time in "main": 6.00 ms.'
    )


def test_locks_on_the_critical_path_are_no_computation() -> None:
    # Of 90 ms outside MPI the path spends 30 in a call that takes a lock.
    run = late_sender_run(calls=("omp_set_lock", "MPI_Recv"))
    classes = [
        {"region_id": at, "overhead_id": CLASSES[name]}
        for at, name in enumerate(("user code", "lock", "point-to-point"))
    ]
    profile = [
        {"call_path_id": path, "location_id": location, "path_ns": time * MS}
        for path, location, time in ((0, 0, 60), (1, 0, 30), (2, 1, 10))
    ]
    run = with_rows(run, region_classes=classes, critical_path_profile=profile)
    assert section_of(run, "critical-path").sentences[0] == (
        "The critical path takes 100 ms. It consists of 60.0% computation, 30.0% coordinating "
        "threads and 10.0% communication. "
        'It spends most time in "main": 60.0 ms.'
    )


def test_copies_to_a_device_on_the_critical_path_are_no_computation() -> None:
    # Of 90 ms outside MPI the path spends 30 in a call that copies to a device.
    run = late_sender_run(calls=("hipMemcpy", "MPI_Recv"))
    classes = [
        {"region_id": at, "overhead_id": CLASSES[name]}
        for at, name in enumerate(("user code", "device memory", "point-to-point"))
    ]
    profile = [
        {"call_path_id": path, "location_id": location, "path_ns": time * MS}
        for path, location, time in ((0, 0, 60), (1, 0, 30), (2, 1, 10))
    ]
    run = with_rows(run, region_classes=classes, critical_path_profile=profile)
    section = section_of(run, "critical-path")
    assert section.sentences[0].startswith(
        "The critical path takes 100 ms. It consists of 60.0% computation, 30.0% moving data "
        "outside MPI and 10.0% communication. "
    )
    values = {each.label: each.value for each in section.facts}
    assert values["of the path computation"] == pytest.approx(0.6)
    assert values["of the path moving data outside MPI"] == pytest.approx(0.3)


def test_no_part_of_the_path_is_all_of_it_beside_another() -> None:
    # Of 100 ms the path spends 20 us in a call that takes a lock.
    run = late_sender_run(calls=("omp_set_lock", "MPI_Recv"))
    (whole,) = run.tables["critical_path_summary"]
    run = with_rows(
        run,
        region_classes=[{"region_id": 1, "overhead_id": CLASSES["lock"]}],
        critical_path_summary=[whole | {"computation_ns": 100 * MS, "communication_ns": 0}],
        critical_path_profile=[{"call_path_id": 1, "location_id": 0, "path_ns": 20_000}],
    )
    said = section_of(run, "critical-path").sentences[0]
    assert "It consists of >99.9% computation and 0.02% coordinating threads. " in said


def without_path(run: HandMadeRun) -> HandMadeRun:
    names = [name for name in run.tables if name.startswith("critical_path")]
    return with_rows(run, **dict.fromkeys(names, ()))


def test_a_run_with_explicit_tasks_has_no_critical_path_and_says_so() -> None:
    run = with_rows(without_path(late_sender_run()), task_fragments=[{"is_first": True}])
    report = some_of(run, "summary", "critical_path")
    assert report.section("critical-path").sentences == (
        "There is no critical path: traces with suspended tasks are not supported.",
    )
    assert not any("ritical path" in said for said in report.section("summary").sentences)


def test_a_path_that_cannot_be_followed_to_its_start_says_so() -> None:
    (row,) = late_sender_run().tables["critical_path_summary"]
    run = with_rows(late_sender_run(), critical_path_summary=[{**row, "is_whole": False}])
    said = section_of(run, "critical-path").sentences
    assert said[-1].startswith("The path could not be followed back to the start")


def test_threads_are_named_where_ranks_do_not_suffice() -> None:
    # Both locations are threads of rank 0.
    places = [
        {"location_id": at, "location_group_id": 0, "rank": 0, "thread": at, "is_complete": True}
        for at in (0, 1)
    ]
    run = with_rows(late_sender_run(), locations=places, runs=[make_run_row(process_count=1)])
    section = section_of(run, "critical-path")
    assert section.sentences[1] == (
        "It visits 2 locations in 2 segments, and spends most time on rank 0 thread 0: 60.0 ms "
        "(60.0% of the path)."
    )
    table = next(each for each in section.tables if each.name == "critical_path_call_paths")
    assert table.values("worst_thread") == (0, 1)
    assert "worst_thread" not in table.hidden


def test_streams_on_the_critical_path_are_no_processes() -> None:
    places = [
        {"location_id": at, "location_group_id": 0, "rank": 0, "thread": at, "is_complete": True}
        | ({"kind": "gpu"} if at else {})
        for at in (0, 1)
    ]
    run = with_rows(late_sender_run(), locations=places, runs=[make_run_row(process_count=1)])
    section = section_of(run, "critical-path")
    assert section.sentences[1] == (
        "It visits 2 locations in 2 segments, and spends most time on rank 0: 60.0 ms (60.0% of "
        "the path)."
    )
    assert section.facts[-1].label == "locations on the path"


def test_a_path_on_one_process_stays_there() -> None:
    (row,) = late_sender_run().tables["critical_path_summary"]
    run = with_rows(
        late_sender_run(), critical_path_summary=[row | {"location_count": 1, "segment_count": 1}]
    )
    assert section_of(run, "critical-path").sentences[1] == "It stays on rank 0."


def test_uneven_computation_and_idle_time_are_told() -> None:
    section = late_sender_report().section("load-balance")
    assert section.sentences == (
        'Computation is least balanced in "main": rank 0 spends 90.0 ms there, 1.38 times the '
        "mean. Evenly distributed over 2 locations, it would take 65.0 ms on each.",
        "On average, a thread is idle for 25.0% of the run. Rank 1 is idle longest: 50.0 ms, all "
        "waiting.",
    )
    tables = {table.name: table.as_dicts() for table in section.tables}
    (uneven,) = tables["imbalance_by_call_path"]
    assert (uneven["excess_ns"], uneven["worst_rank"], uneven["worst_ns"]) == (25 * MS, 0, 90 * MS)
    assert [
        (row["rank"], row["overload_ns"], row["underload_ns"])
        for row in tables["imbalance_by_location"]
    ] == [(0, 25 * MS, 0), (1, 0, 25 * MS)]
    assert [(row["rank"], row["idle_ns"]) for row in tables["idle_by_location"]] == [(1, 50 * MS)]


def test_every_share_says_of_what() -> None:
    report = build_report(with_waiting(("mpi_latesender", 5 * MS, False)))
    tables = [table for section in report.sections for table in section.tables]
    titles = {
        column.title for table in tables for column in table.columns if column.unit is Unit.SHARE
    }
    labels = {
        fact.label
        for section in report.sections
        for fact in section.facts
        if fact.unit is Unit.SHARE
    }
    assert titles == {
        "Of all time", "Of the main part", "Of the run", "Of the path", "Of its time",
        "Of messages", "Of bytes",
    }  # fmt: skip
    assert labels
    assert all(label.startswith("of ") for label in labels)
    assert not re.search(r"\bShare\b(?! of)", "".join(all_forms(report)))


def with_imbalance(**changes: Any) -> HandMadeRun:
    (row,) = late_sender_run().tables["computational_imbalance"]
    return with_rows(late_sender_run(), computational_imbalance=[{**row, **changes}])


def test_work_of_one_location_alone_is_told_as_such() -> None:
    run = with_imbalance(visitor_count=1, mean_ns=45 * MS, longest_to_mean=2.0)
    assert section_of(run, "load-balance").sentences[0] == (
        'Computation is least balanced in "main": only rank 0 visits it, for 90.0 ms. Evenly '
        "distributed over 2 locations, it would take 45.0 ms on each."
    )


def test_a_small_excess_is_no_imbalance() -> None:
    # 0.4 ms of a run of 100 ms; 1 ms is told in its section, but not in the summary.
    balanced = section_of(with_imbalance(longest_ns=65 * MS + 400_000), "load-balance")
    assert balanced.sentences[0] == (
        "Computation is balanced: in every call path, the longest time of a location is at most "
        "400 µs above the mean."
    )
    report = some_of(with_imbalance(longest_ns=66 * MS), "summary", "load_balance")
    assert "least balanced" in report.section("load-balance").sentences[0]
    assert not any("balanced" in said for said in report.section("summary").sentences)


def test_idle_time_is_told_by_its_kinds() -> None:
    idle = {"wait_ns": 10, "idle_thread_ns": 20, "absent_ns": 30, "idle_ns": 60}
    rows = [
        {"location_id": 1, "idle_ratio": 0.6} | {kind: ms * MS for kind, ms in idle.items()}
    ]  # fmt: skip
    run = with_rows(late_sender_run(), idle_times=rows)
    assert section_of(run, "load-balance").sentences[1] == (
        "On average, a thread is idle for 60.0% of the run. Rank 1 is idle longest: 60.0 ms "
        "(10.0 ms waiting, 20.0 ms as an idle thread and 30.0 ms absent)."
    )


def test_overheads_are_told_by_class() -> None:
    section = late_sender_report().section("overheads")
    assert section.sentences == (
        "The time of all locations from the first to the last record of the run is 200 ms: 65.0% "
        "computation, 35.0% overhead, and 0% unidentified.",
        "Largest overheads: point-to-point 70.0 ms (35.0%).",
    )
    tables = {table.name: table.as_dicts() for table in section.tables}
    assert [
        (row["overhead_subclass"], row["time_ns"], row["worst_rank"], row["worst_ns"])
        for row in tables["overheads_by_class"]
    ] == [("user code", 130 * MS, 0, 90 * MS), ("point-to-point", 70 * MS, 1, 60 * MS)]
    assert [
        (row["call_path"], row["exclusive_ns"], row["exclusive_ratio"])
        for row in tables["overheads_by_call_path"]
    ] == [("main/MPI_Recv", 60 * MS, 0.3), ("main/MPI_Send", 10 * MS, 0.05)]
    (region,) = tables["overheads_by_region"]
    assert (region["region"], region["overhead_ns"], region["overhead_ratio"]) == (
        "main", 70 * MS, 0.35
    )  # fmt: skip
    assert [
        (row["rank"], row["computation_ns"], row["data_movement_ns"])
        for row in tables["overheads_by_location"]
    ] == [(0, 90 * MS, 10 * MS), (1, 40 * MS, 60 * MS)]


def test_the_course_of_time_is_drawn_in_every_form() -> None:
    # First half: 60 of 100 ms computation, 40 messages; second: 70 and 30.
    report = late_sender_report()
    html, markdown, text = all_forms(report)
    page = read_page(html)
    drawn = [value for name, value in page.attributes if name == "d"]
    assert drawn == ["M0 100V40h1V30h1V100h-1V100h-1z", "M0 40V0h1V0h1V30h-1V40h-1z"]
    assert "computation: 130 ms, 65.0%" in page.texts
    assert "| computation | 130 ms | 65.0% | ▅▆ |" in markdown
    assert re.search(r"^point-to-point +70\.0 ms +35\.0% +▃▂ *$", text, re.MULTILINE)
    assert "From 0 s to 100 ms" in text


def test_small_parts_are_drawn_together() -> None:
    spent = [("user code", 990), ("lock", 4), ("condition", 5)]
    run = with_rows(
        late_sender_run(),
        time_profile=[
            {
                "bin": 0, "begin_ns": 0, "end_ns": 1000,
                "overhead_id": CLASSES[name], "time_ns": 2 * time,
            }
            for name, time in spent
        ],
    )  # fmt: skip
    table = tables_of(some_of(run, "time_course"))["time_course"]
    assert [(row[0], row[3], row[4]) for row in table.rows] == [
        ("computation", 1980, 0.99),
        ("other", 18, 0.009),
    ]


@pytest.mark.parametrize(
    ("stretches", "most", "merged"),
    [(4, 4, (0, 1, 2, 3)), (4, 2, (0.5, 2.5)), (5, 3, (0.5, 2.5, 4)), (1, 60, (0,))],
)
def test_stretches_are_merged_to_what_fits(
    stretches: int, most: int, merged: tuple[float, ...]
) -> None:
    run = with_rows(
        late_sender_run(),
        time_profile=[
            {"bin": at, "begin_ns": at, "end_ns": at + 1, "overhead_id": 0, "time_ns": 2 * at}
            for at in range(stretches)
        ],
    )
    course = course_of(section_of(run, "time-course").tables[0], most_stretches=most)
    assert [part.ratios for part in course.parts] == [merged]
