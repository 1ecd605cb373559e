"""A focus on random programs: the default changes nothing, and parts sum to the whole, exactly."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from tests.helpers.focus_laws import OF_MAIN_PART, differences, rows_in, tables_in
from tests.helpers.random_programs import random_spec
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.programs.generate import generate
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
