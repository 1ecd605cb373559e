"""Overheads of the configurations of a campaign against the fewest processes of their size."""

from typing import Any

import pytest

from tests.helpers.running import query_rows, run_stage
from tracemill.reports.campaign_sections.overheads import describe_largest
from tracemill.schemas.overheads import overhead_id
from tracemill.stages.campaign.configuration_overheads import CONFIGURATION_OVERHEADS_STAGE

Row = dict[str, Any]
Tables = dict[str, list[Row]]
MAIN, SOLVE, SERIAL, BCAST = 100, 101, 102, 103
COMPUTING, COLLECTIVE = overhead_id("user code"), overhead_id("collective")
LOST, OUTSIDE = overhead_id("unparallelised code"), overhead_id("outside visits")
NAMED: Tables = {
    "campaign_call_paths": [
        {"call_path_key": key, "call_path": name, "region": name, "depth": 1}
        | {"parent_call_path_key": MAIN if key != MAIN else None}
        for key, name in (
            (MAIN, "main"), (SOLVE, "main/solve"), (SERIAL, "main/serial"),
            (BCAST, "main/MPI_Bcast"),
        )
    ]
}  # fmt: skip
CLASSES = {SOLVE: COMPUTING, SERIAL: COMPUTING, BCAST: COLLECTIVE}


def run(
    number: int, processes: int, main_ns: int, times: dict[int, dict[int, int]], lost: int = 0
) -> Tables:
    """A run of size 4: times by call path and thread; `lost` ns of MPI_Bcast are lost to serial."""
    own = {"campaign_run_id": number}
    loss = {"call_path_key": SERIAL, "overhead_id": COLLECTIVE, "moved_to_overhead_id": LOST}
    stay = {"call_path_key": SOLVE, "overhead_id": COLLECTIVE, "moved_to_overhead_id": COLLECTIVE}
    return {
        "representative_runs": [
            own | {"application": "app", "processes": processes, "size": 4.0, "time_ns": main_ns}
        ],
        "run_threads": [
            own
            | {"location_id": thread, "main_ns": main_ns, "overhead_id": OUTSIDE, "is_first": True}
            for thread in range(processes)
        ],
        "run_thread_times": [
            own
            | {"call_path_key": key, "location_id": thread, "overhead_id": CLASSES[key]}
            | {"time_ns": time, "possible_count": processes, "instructions": None, "cycles": None}
            for key, by_thread in times.items()
            for thread, time in by_thread.items()
        ],
        "run_losses_by_class": [own | loss | {"lost_ns": lost}, own | stay | {"lost_ns": 7}]
        if lost
        else [],
    }


def joined(*runs: Tables) -> Tables:
    return {name: [row for each in runs for row in each[name]] for name in runs[0]}


# 1 process:  500 ns, 400 in solve, 100 in serial.
# 4 processes: 260 and 280 ns.
#
# thread 0  [serial 100][solve 100][Bcast 60 or 80 ]
# others    [Bcast 100 ][solve 100][Bcast 60 or 80 ]      300 of Bcast are lost to serial
def example() -> Tables:
    def parallel(number: int, more: int) -> Tables:
        bcast = {0: 60 + more} | dict.fromkeys((1, 2, 3), 160 + more)
        times = {SOLVE: dict.fromkeys(range(4), 100), SERIAL: {0: 100}, BCAST: bcast}
        return run(number, 4, 260 + more, times, lost=300)

    return joined(
        run(0, 1, 500, {SOLVE: {0: 400}, SERIAL: {0: 100}}), parallel(1, 0), parallel(2, 20)
    )


def compared(tables: Tables) -> dict[str, list[Row]]:
    return run_stage(CONFIGURATION_OVERHEADS_STAGE, tables)


def test_repetitions_are_compared_with_the_fewest_processes() -> None:
    found = compared(example())
    (total,) = found["configuration_comparisons"]
    names = [
        "processes",
        "base_processes",
        "thread_count",
        "run_count",
        "time_ns",
        "base_ns",
        "overhead_ns",
    ]
    assert [total[name] for name in names] == [4, 1, 4, 2, 270, 500, 270 - 500 / 4]
    assert (total["unidentified_ns"], total["matched_share"]) == (0, 1)
    # The single run varies like the others: t(1) = 12.7062, variance 200, errors 200 (1 + 1/2).
    assert total["noise_ns"] == round(12.7062047 * 300**0.5)
    classes = {row["overhead_id"]: row["time_ns"] for row in found["configuration_overheads"]}
    # Bcast: 60 + 3 * 160 = 540, and 80 more on average of both runs, less 300.
    assert classes == {COLLECTIVE: (540 + 40 - 300) / 4, LOST: 75}
    paths = {row["call_path_key"]: row for row in found["configuration_call_paths"]}
    names = ["overhead_ns", "charged_ns", "participant_count", "par_max_ns"]
    assert [paths[SERIAL][name] for name in names] == [0, 75, 1, 100]
    assert [paths[BCAST][name] for name in names] == [145, 0, 4, 170]


# MPI_Bcast: 60 and 3 * 160 ns, 20 more on each thread in the second run.
def test_regions_show_the_mean_and_the_longest_process() -> None:
    tables = example()
    found = query_rows("configuration_regions", tables | compared(tables) | NAMED)
    names = "region seq_ns par_mean_ns par_max_ns overhead_mean_ns overhead_max_ns charged_ns"
    assert [tuple(row[name] for name in names.split()) for row in found] == [
        # In main: 500 ns on one process; 260 and 280 ns on each of four; all losses.
        ("main", 500, 270, 270, 145, 145, round(307 / 4)),
        ("main/MPI_Bcast", 0, 145, 170, 145, 170, 0),
        ("main/serial", 100, 25, 100, 0, 75, 75),
        ("main/solve", 400, 100, 100, 0, 0, round(7 / 4)),
    ]


def test_a_size_without_other_configurations_is_not_compared() -> None:
    found = compared(run(0, 1, 500, {SOLVE: {0: 400}}))
    assert [found[name] for name in found] == [[], [], []]


def test_another_program_is_not_compared() -> None:
    """Of 500 ns of computing, 100 are in call paths of both."""
    other = run(1, 2, 100, {SERIAL: {0: 50, 1: 50}})
    tables = joined(run(0, 1, 500, {SOLVE: {0: 400}, SERIAL: {0: 100}}), other)
    assert compared(tables)["configuration_comparisons"] == []


def test_the_summary_names_the_code_that_others_wait_for() -> None:
    tables = compared(example()) | NAMED
    tables["campaign_settings"] = [{"application": "app", "size_name": "n"}]
    rows = query_rows("largest_overheads", tables)
    assert list(describe_largest(rows)) == [
        "app: with 4 processes at n = 4, the mean overhead is 145 ns (± 220 ns by chance) against "
        "an even division of the time with 1 process: 51.7% is unparallelized code, most of it "
        'while "main/serial" runs.'
    ]
    rows[0] |= {"overhead_ns": -20, "noise_ns": None}
    assert list(describe_largest(rows)) == [
        "app: with 4 processes at n = 4, it is 20.0 ns faster than its share of 1 process."
    ]


@pytest.mark.parametrize("name", ["compared_configurations", "overheads_of_configurations"])
def test_tables_of_the_report_have_a_row_per_result(name: str) -> None:
    counts = {"compared_configurations": 1, "overheads_of_configurations": 2}
    assert len(query_rows(name, compared(example()), row_limit=9)) == counts[name]
