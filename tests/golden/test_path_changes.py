"""What grows, does not shrink or shrinks on the critical path over the runs of a campaign."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import pytest

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.micro_trace import Tables
from tests.helpers.running import query_rows, run_query
from tracemill.reports.campaign_sections.critical_path import (
    describe_changes,
    describe_knowledge,
    describe_lengths,
    make_parts,
)

SERIAL, SOLVE, TREE, CALL = "main/serial", "main/solve", "main/tree", "main/MPI_Bcast"
NAMES = {1000 + number: name for number, name in enumerate((SERIAL, SOLVE, TREE, CALL))}


def run(processes: int, path: Mapping[str, int], **more: Any) -> MeasuredRun:
    """A run with nanoseconds of the critical path by call path."""
    return MeasuredRun(processes, {name: [1] * processes for name in NAMES.values()},
                       path=path, **more)  # fmt: skip


def campaign(*runs: MeasuredRun) -> Tables:
    tables = tables_of(runs)
    for number, row in enumerate(tables["campaign_runs"]):
        row |= {"time_ns": 1000, "run_id": f"run{number}"}
    for row in tables["campaign_call_paths"]:
        row["parent_call_path_key"] = 1001 if row["call_path"] == CALL else None
    tables["campaign_settings"][0]["size_name"] = "n"
    return tables


def changes(tables: Tables, columns: str) -> dict[str, tuple[Any, ...]]:
    found = run_query("path_changes", tables, f"call_path_key {columns}")
    return {NAMES[key]: tuple(values) for key, *values in found}


# Of 1000 ns, serial has 100, solve 890 and tree 10 with 1 process; then 100, 90 and 60 of 250.
FEW = {SERIAL: 100, SOLVE: 890, TREE: 10}
MANY = {SERIAL: 100, SOLVE: 90, TREE: 60}


def test_the_median_over_repetitions_counts() -> None:
    tables = campaign(
        run(4, {SERIAL: 100, SOLVE: 100}), run(4, {SERIAL: 100, SOLVE: 300}), run(4, {SERIAL: 100})
    )
    columns = "call_path_key path_ns path_share run_count"
    assert run_query("configuration_paths", tables, columns) == [
        # Shares 1/2, 1/4 and 1.
        (1000, 100, 1 / 2, 3),
        # 100, 300 and 0 ns: shares 1/2, 3/4 and 0.
        (1001, 100, 1 / 2, 3),
    ]


def test_deviation_is_relative_to_the_mean_of_repetitions() -> None:
    """90, 100 and 110: standard deviation 10."""
    tables = campaign(*(run(4, {SERIAL: time}) for time in (90, 100, 110)))
    assert run_query("configuration_paths", tables, "deviation_ratio") == [(0.1,)]
    assert run_query("configuration_paths", campaign(run(4, {SERIAL: 9})), "deviation_ratio") == [
        (None,)
    ]


def test_call_paths_grow_stay_or_shrink() -> None:
    tables = campaign(run(1, FEW), run(1, FEW), run(8, MANY), run(8, MANY))
    assert changes(tables, "verdict smallest_ns largest_ns largest_share divided_ns") == {
        SERIAL: ("does not shrink", 100, 100, 100 / 250, 100 / 8),
        SOLVE: ("shrinks", 890, 90, 90 / 250, 890 / 8),
        TREE: ("grows", 10, 60, 60 / 250, 10 / 8),
    }


def test_small_call_paths_are_left_out() -> None:
    """Below 1% of the path at both ends."""
    few, many = {SERIAL: 995, TREE: 5}, {SERIAL: 992, TREE: 8}
    assert list(changes(campaign(run(1, few), run(8, many)), "verdict")) == [SERIAL]


# Repetitions of 90 and 110 with 1 process: deviation sqrt(200) / 100, with one degree of freedom;
# 195, 200 and 205 with 2: 5 / 200, with two. Noise: the root of the mean square over three.
NOISE = sqrt((1 * (sqrt(200) / 100) ** 2 + 2 * (5 / 200) ** 2) / 3)


@pytest.mark.parametrize(("most", "verdict"), [(119, "does not shrink"), (121, "grows")])
def test_changes_within_twice_the_noise_do_not_count(most: int, verdict: str) -> None:
    """Twice the noise of 8.4% is 16.9%, of the larger time: of 119 it is 20.1, of 121 20.4."""
    tables = campaign(
        *(run(1, {SERIAL: time, SOLVE: 800}) for time in (90, 110)),
        *(run(2, {SERIAL: time}) for time in (195, 200, 205)),
        run(4, {SERIAL: most}),
    )
    found = changes(tables, "noise_ratio least_change_ns verdict")[SERIAL]
    assert found == (pytest.approx(NOISE), pytest.approx(2 * NOISE * most), verdict)


@pytest.mark.parametrize(
    ("most", "verdict"), [(101, "does not shrink"), (103, "grows"), (97, "shrinks")]
)
def test_changes_of_two_percent_count_if_there_is_no_noise(most: int, verdict: str) -> None:
    tables = campaign(*[run(1, {SERIAL: 100})] * 2, *[run(4, {SERIAL: most})] * 2)
    assert changes(tables, "noise_ratio verdict") == {SERIAL: (0, verdict)}


@pytest.mark.parametrize(
    ("most", "verdict"), [(130, "does not shrink"), (140, "grows"), (70, "shrinks")]
)
def test_without_repetitions_changes_of_a_quarter_count(most: int, verdict: str) -> None:
    """A quarter of the larger time."""
    tables = campaign(run(1, {SERIAL: 100}), run(4, {SERIAL: most}))
    assert changes(tables, "noise_ratio verdict") == {SERIAL: (None, verdict)}


def test_noise_where_a_call_path_is_small_does_not_count() -> None:
    """With 1 process, tree has 2 and 18 of about 10000 ns: 113% deviation, but 0.1% of the path."""
    small = [run(1, {TREE: time, SOLVE: 10_000}) for time in (2, 18)]
    large = [run(8, {TREE: time, SOLVE: 500}) for time in (99, 101)]
    noise = sqrt(2) / 100
    found = changes(campaign(*small, *large), "noise_ratio verdict")
    assert found[TREE] == (pytest.approx(noise), "grows")


def test_every_size_has_its_own_ends() -> None:
    tables = campaign(
        run(1, {SERIAL: 10}, size=100), run(4, {SERIAL: 20}, size=100),
        run(2, {SERIAL: 30}, size=400), run(8, {SERIAL: 90}, size=400),
    )  # fmt: skip
    columns = "largest_size smallest_processes largest_processes smallest_ns largest_ns"
    assert run_query("path_changes", tables, columns) == [(100, 1, 4, 10, 20), (400, 2, 8, 30, 90)]


def test_if_sizes_grow_with_processes_the_ends_have_different_sizes() -> None:
    tables = campaign(*(run(p, {SERIAL: 10 * p}, size=100 * p) for p in (1, 2, 4)))
    columns = "smallest_size largest_size smallest_processes largest_processes divided_ns verdict"
    assert run_query("path_changes", tables, columns) == [(100, 400, 1, 4, None, "grows")]


def test_a_single_number_of_processes_has_no_changes() -> None:
    assert run_query("path_changes", campaign(run(4, FEW), run(4, FEW)), "verdict") == []


# --- Sentences -----------------------------------------------------------------------------------


def sentences(*runs: MeasuredRun) -> list[str]:
    tables = campaign(*runs)
    rows = query_rows("changed_call_paths", tables, row_limit=9)
    known = query_rows("path_knowledge", tables)
    paths = query_rows("path_by_configuration", tables, row_limit=99)
    return [
        *describe_lengths(rows),
        *describe_knowledge(known, paths),
        *(f"{finding.headline} {finding.detail}" for finding in describe_changes(rows)),
    ]


def test_the_summary_says_first_what_grows_then_what_stays_then_what_shrinks() -> None:
    assert sentences(run(1, FEW), run(1, FEW), run(8, MANY), run(8, MANY)) == [
        "program: from 1 to 8 processes, the critical path without MPI setup shrinks from 1.00 µs "
        "to 250 ns (medians of 2 runs).",
        f'Grows on the critical path: "{TREE}" from 10.0 ns to 60.0 ns, 24.0%.',
        f'Does not shrink on the critical path: "{SERIAL}" from 100 ns to 100 ns, 40.0%.',
        f'Shrinks on the critical path: "{SOLVE}" from 890 ns to 90.0 ns, 36.0%.',
    ]


def test_what_shrinks_less_than_divided_says_so() -> None:
    """With 8 times as many processes, 800 ns could become 100."""
    *_, last = sentences(*[run(1, {SOLVE: 800})] * 2, *[run(8, {SOLVE: 400})] * 2)
    assert last.endswith("from 800 ns to 400 ns, 100.0% (divided evenly: 100 ns).")


def test_calls_of_mpi_are_not_named_but_their_callers() -> None:
    few, many = {SOLVE: 900, CALL: 100}, {SOLVE: 200, CALL: 300}
    found = sentences(run(1, few), run(1, few), run(8, many), run(8, many))
    assert not any("MPI_Bcast" in sentence for sentence in found)
    assert found[1:] == [
        "Grows on the critical path: nothing, beyond noise.",
        f'Shrinks on the critical path: "{SOLVE}" from 900 ns to 200 ns, 40.0% '
        "(divided evenly: 113 ns).",
        f'Communication itself: without its waiting, from 100 ns to 300 ns in calls from "{SOLVE}",'
        " 60.0% of the path.",
    ]


def test_if_sizes_grow_nothing_has_to_shrink() -> None:
    found = sentences(run(1, {SERIAL: 100}, size=1), run(8, {SERIAL: 100}, size=8))
    assert found == [
        "program: from 1 process at n = 1 to 8 processes at n = 8, the critical path without MPI "
        "setup grows from 100 ns to 100 ns.",
        "program: the noise is not known, because no configuration was repeated. On the critical "
        "path, changes of less than 25% do not count.",
        "Grows on the critical path: nothing, beyond noise.",
        f'Does not grow on the critical path: "{SERIAL}" from 100 ns to 100 ns, 100.0%.',
    ]


def test_runs_of_one_number_of_processes_say_what_takes_most_of_the_path() -> None:
    assert sentences(run(8, MANY)) == [
        "program: all traces have 8 processes, so what grows with processes is not known. Largest "
        f'on the critical path: "{SERIAL}" (40.0%), "{SOLVE}" (36.0%) and "{TREE}" (24.0%).'
    ]
    *_, last = sentences(run(8, {SERIAL: 30, CALL: 70}))
    assert last.endswith(f'critical path: communication itself (70.0%) and "{SERIAL}" (30.0%).')


def test_runs_without_traces_say_what_is_not_known() -> None:
    tables = campaign(run(1, {}), run(8, {}))
    for row in tables["campaign_runs"]:
        row["run_id"] = None
    assert list(describe_knowledge(query_rows("path_knowledge", tables), [])) == [
        "program: what grows on the critical path and what causes waiting is not known, because "
        "the runs have no traces."
    ]


def test_parts_of_the_picture_sum_to_the_path() -> None:
    """With 2 processes, 5 ns of the path are in small call paths, and 20 in communication."""
    tables = campaign(run(1, FEW), run(2, {SERIAL: 100, SOLVE: 400, TREE: 55, CALL: 20}))
    rows = query_rows("path_by_configuration", tables, row_limit=99)
    for row in rows:
        row["whole_path_ns"] += 5 * (row["processes"] - 1)
    parts = make_parts(rows, query_rows("changed_call_paths", tables, row_limit=9), [1, 2])
    assert [(part.name, part.verdict, [round(1e9 * v) for v in part.values]) for part in parts] == [
        ("serial", "does not shrink", [100, 100]),
        ("tree", "grows", [10, 55]),
        ("solve", "shrinks", [890, 400]),
        ("communication", "", [0, 20]),
        ("others", "", [0, 5]),
    ]
