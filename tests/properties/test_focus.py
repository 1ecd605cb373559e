"""A focus on random programs: the default changes nothing, and parts sum to the whole, exactly."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.helpers.focus_laws import OF_MAIN_PART, differences, rows_in, tables_in
from tests.helpers.random_programs import random_spec
from tests.oracle.efficiencies import Periods, useful_times
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.engine.focusing.options import FocusOptions
from tracemill.engine.focusing.pop import pop_tables
from tracemill.engine.focusing.resolve import resolve_focus
from tracemill.programs.generate import generate
from tracemill.stages.focus_times import FocusTimes
from tracemill.store.runs import Run, Store

Programs = Callable[[int], Run]
PROGRAMS = range(12)
THREADED, LARGE = 3, 11


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Analyzes the program of a number once; every third forks threads, one has 64 processes."""
    folder = tmp_path_factory.mktemp("programs")

    @cache
    def analyzed(number: int) -> Run:
        spec = random_spec(number, has_threads=number % THREADED == 0)
        if number == LARGE:
            spec = replace(spec, processes=64)
        anchor = generate(spec, folder / f"program{number}").anchor
        return analyze(anchor, store=Store(folder / "store"), options=Options(threads=1)).run

    return analyzed


def cuts_of(run: Run, random: Random) -> list[int]:
    (whole,) = run.read("runs").to_pylist()
    return sorted(random.randint(whole["begin_ns"] + 1, whole["end_ns"] - 1) for _ in range(2))


@pytest.mark.parametrize("number", PROGRAMS)
def test_a_focus_on_the_whole_run_changes_no_table(program: Programs, number: int) -> None:
    run = program(number)
    found = tables_in(run, window="-..-")
    of_main_part = {"main_part", "focus", "setup_times", *OF_MAIN_PART}
    for name in found.keys() - of_main_part:
        assert found[name].to_pylist() == run.read(name).to_pylist(), name


@pytest.mark.parametrize("number", PROGRAMS)
def test_a_focus_on_the_main_part_changes_no_table_of_it(program: Programs, number: int) -> None:
    run = program(number)
    (main,) = run.read("main_part").to_pylist()
    found = tables_in(run, window=f"{main['begin_ns']}ns..{main['end_ns']}ns")
    for name in ("main_part", *OF_MAIN_PART):
        assert found[name].to_pylist() == run.read(name).to_pylist(), name


@pytest.mark.parametrize("number", PROGRAMS)
def test_windows_sum_to_the_whole(program: Programs, number: int) -> None:
    run = program(number)
    first, second = cuts_of(run, Random(number))
    windows = [f"-..{first}ns", f"{first}ns..{second}ns", f"{second}ns..-"]
    parts = [{"window": window} for window in windows if first < second]
    whole = tables_in(run, window="-..-")
    assert not parts or differences(run, whole, parts) == {}


@pytest.mark.parametrize("number", PROGRAMS)
def test_ranks_sum_to_the_whole(program: Programs, number: int) -> None:
    run = program(number)
    last = max(run.read("locations")["rank"].to_pylist())
    middle = last // 2
    parts = [{"ranks": f"0-{middle}"}, {"ranks": f"{middle + 1}-{last}"}]
    assert differences(run, {}, parts if last > middle else [{"ranks": f"0-{last}"}]) == {}


@pytest.mark.parametrize("number", PROGRAMS)
def test_a_focus_keeps_call_paths_causes_and_waits(program: Programs, number: int) -> None:
    run = program(number)
    first, second = cuts_of(run, Random(number))
    if first == second:
        return
    kept = ("property", "visit_id", "call_path_id", "cause_location_id", "cause_visit_id",
            "message_id", "collective_id", "confidence")  # fmt: skip
    waits, found = (
        {tuple(row[name] for name in kept) for row in rows_in(run, "wait_states", **options)}
        for options in ({}, {"window": f"{first}ns..{second}ns"})
    )
    assert found <= waits
    assert "call_paths" not in tables_in(run, window=f"{first}ns..{second}ns")


RECORDED = (
    "m31_omp_tasks", "m28_omp_critical", "m29_hybrid", "m18_master_worker", "r_y2_pthread",
    "z01_otf2v3_nbc_rma", "e06_critical_path", "counters/f1_counters", "counters/f5_sparse",
)  # fmt: skip


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_run_is_the_sum_of_its_windows(
    analysis_of: Callable[[str], Analysis], name: str
) -> None:
    """Tasks, locks, teams, threads and one-sided communication, each cut in three."""
    run = analysis_of(name).run
    first, second = cuts_of(run, Random(7))
    whole = tables_in(run, window="-..-")
    assert {
        name
        for name in whole.keys() - {"main_part", "focus", "setup_times", *OF_MAIN_PART}
        if not whole[name].equals(run.read(name).cast(whole[name].schema))
    } == set()
    windows = (f"-..{first}ns", f"{first}ns..{second}ns", f"{second}ns..-")
    assert differences(run, whole, [{"window": window} for window in windows]) == {}


# Efficiencies

Pop = dict[str, Any]
CLASSES = ("useful_ns", "mpi_ns", "barrier_wait_ns", "outside_ns", "other_ns")
RECORDED_EFFICIENCIES = (
    "m31_omp_tasks", "m28_omp_critical", "m29_hybrid", "m18_master_worker", "r_y2_pthread",
    "z01_otf2v3_nbc_rma", "e06_critical_path", "e03_lr_exact",
)  # fmt: skip


def efficiencies_of(run: Run, periods: Periods) -> tuple[Pop, dict[int, Pop]]:
    """Efficiencies of periods of locations by convention and metric, and times of locations."""
    focus = resolve_focus(run, FocusOptions(window="-..-"))
    rows = [(location, *period) for location, own in periods.items() for period in own]
    times = FocusTimes.of(*zip(*rows, strict=True), first=focus.times.first, last=focus.times.last)
    tables = pop_tables(replace(focus, times=times))
    return found_in(tables["pop_metrics"].to_pylist(), tables["pop_locations"].to_pylist())


def stored(run: Run, interval: str) -> tuple[Pop, dict[int, Pop]]:
    """The same of an interval of the run as stored."""
    metrics, locations = (
        [row for row in run.read(name).to_pylist() if row["interval"] == interval]
        for name in ("pop_metrics", "pop_locations")
    )
    return found_in(metrics, locations)


def found_in(metrics: list[Pop], locations: list[Pop]) -> tuple[Pop, dict[int, Pop]]:
    without = [{k: v for k, v in row.items() if k != "interval"} for row in locations]
    return (
        {(row["convention"], row["metric"]): row["value"] for row in metrics},
        {row["location_id"]: row for row in without},
    )


def periods_of(run: Run, random: Random) -> Periods:
    """A few periods of each process, which its threads share; each process has at least one."""
    (whole,) = run.read("runs").to_pylist()
    own: dict[int, list[tuple[int, int]]] = {}
    found = {}
    for row in run.read("locations").to_pylist():
        group = row["location_group_id"]
        if group not in own:
            cuts = sorted({
                random.randint(whole["begin_ns"], whole["end_ns"])
                for _ in range(2 * random.randint(1, 3))
            } | {whole["begin_ns"] + 1, whole["begin_ns"] + 2})  # fmt: skip
            own[group] = list(pairwise(cuts))[::2]
        found[row["location_id"]] = own[group]
    return found


def rest_of(run: Run, periods: Periods) -> Periods:
    """The time of locations outside of their periods."""
    (whole,) = run.read("runs").to_pylist()
    found = {}
    for location, own in periods.items():
        edges = [whole["begin_ns"], *(time for period in own for time in period), whole["end_ns"]]
        found[location] = list(zip(edges[::2], edges[1::2], strict=True))
    return found


def check_focused_efficiencies(run: Run, seed: int) -> None:
    """The laws of efficiencies of periods."""
    periods = periods_of(run, Random(seed))
    metrics, locations = efficiencies_of(run, periods)
    others = efficiencies_of(run, rest_of(run, periods))
    _, whole = stored(run, "whole")
    assert locations.keys() == whole.keys()
    run_ns, rest_ns = metrics["times", "run_time"], others[0]["times", "run_time"]
    for location, row in locations.items():
        length = sum(end - begin for begin, end in periods[location])
        assert sum(row[name] for name in CLASSES) == run_ns
        # MPI has all time outside of the periods, too.
        outside = {"mpi_ns": run_ns + rest_ns - run_time_of(run)}
        for name in CLASSES:
            both = row[name] + others[1][location][name]
            assert both == whole[location][name] + outside.get(name, 0), (location, name)
        assert length <= run_ns
    assert metrics["times", "ideal_run_time"] <= run_ns
    parts = ("load_balance", "serialization_efficiency", "transfer_efficiency")
    found = {name: value for (convention, name), value in metrics.items()
             if convention == "multiplicative"}  # fmt: skip
    top = found.get("mpi_efficiency", found.get("parallel_efficiency"))
    if top is not None and set(parts) <= found.keys():
        product = 1.0
        for name in parts:
            product *= found[name]
        assert product == pytest.approx(top, rel=1e-12)
    if "mpi_efficiency" in found:
        product = found["mpi_efficiency"] * found["openmp_efficiency"]
        assert product == pytest.approx(found["parallel_efficiency"], rel=1e-12)


def run_time_of(run: Run) -> int:
    (whole,) = run.read("runs").to_pylist()
    length: int = whole["end_ns"] - whole["begin_ns"]
    return length


def check_whole_intervals(run: Run) -> None:
    """Efficiencies of the periods of a stored interval are those of this interval."""
    for interval in ("init to finalize", "whole"):
        metrics, locations = stored(run, interval)
        periods = {
            row["location_id"]: [(row["begin_ns"], row["end_ns"])] for row in locations.values()
        }
        if periods:
            assert efficiencies_of(run, periods) == (metrics, locations)


@pytest.mark.parametrize("number", PROGRAMS)
def test_efficiencies_of_all_of_an_interval_are_those_stored(
    program: Programs, number: int
) -> None:
    check_whole_intervals(program(number))


@pytest.mark.parametrize("number", PROGRAMS)
def test_efficiencies_of_periods_obey_their_laws(program: Programs, number: int) -> None:
    for seed in range(3):
        check_focused_efficiencies(program(number), seed)


@pytest.mark.parametrize("name", RECORDED_EFFICIENCIES)
def test_efficiencies_of_periods_of_recorded_runs(
    analysis_of: Callable[[str], Analysis], name: str
) -> None:
    run = analysis_of(name).run
    check_whole_intervals(run)
    check_focused_efficiencies(run, 7)


@pytest.mark.parametrize("number", [each for each in PROGRAMS if each % THREADED])
def test_useful_time_of_periods_is_that_of_visits(program: Programs, number: int) -> None:
    run = program(number)
    periods = periods_of(run, Random(number))
    metrics, locations = efficiencies_of(run, periods)
    expected = useful_times(run, {location: periods[location] for location in locations})
    assert {location: row["useful_ns"] for location, row in locations.items()} == expected
    mean = sum(expected.values()) / len(expected)
    assert metrics["times", "mean_useful_time"] == mean


@pytest.mark.parametrize("number", PROGRAMS)
def test_efficiencies_of_ranks_have_only_their_threads(program: Programs, number: int) -> None:
    run = program(number)
    tables = pop_tables(resolve_focus(run, FocusOptions(ranks="0")))
    everywhere = {
        (row["interval"], row["location_id"]): row["useful_ns"]
        for row in run.read("pop_locations").to_pylist()
    }
    ranks = dict(zip(*(run.read("locations")[name].to_pylist()
                       for name in ("location_id", "rank")), strict=True))  # fmt: skip
    assert {
        (row["interval"], row["location_id"]): row["useful_ns"]
        for row in tables["pop_locations"].to_pylist()
    } == {key: value for key, value in everywhere.items() if ranks[key[1]] == 0}
