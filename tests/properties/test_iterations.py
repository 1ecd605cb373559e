"""Iterations: the search finds what trying everything finds, and iterations share out the run."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.helpers.computing import Computation, computed
from tests.helpers.otf2_reading import read_tables
from tests.helpers.random_programs import random_spec
from tests.oracle.iterations import Call, Loop, Run, all_loops, best_loop, longest_calls
from tracemill.programs.generate import generate
from tracemill.stages.iteration_search import Body, Spans, Window, choose_loop, list_candidates

SEQUENCE_COUNT, BATCH = 1500, 250
PROGRAM_COUNT = 40
OPERATION = 9
SETUPS = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
RELATIONS = ("iterations", "iteration_loop", "iteration_candidates", "main_part", "region_classes")


@pytest.mark.parametrize("first", range(0, SEQUENCE_COUNT, BATCH))
def test_the_search_finds_the_loop_that_trying_everything_finds(first: int) -> None:
    outcomes: Counter[bool] = Counter()
    for seed in range(first, first + BATCH):
        run = random_run(Random(seed))
        candidates = list(list_candidates(bodies_of(run), window_of(run)))
        found, wanted = choose_loop(candidates), best_loop(all_loops(run))
        holding = {
            (each.body.call_path, each.region, each.is_run)
            for each in candidates
            if not each.reason
        }
        assert holding == {(loop.caller, loop.region, loop.is_run) for loop in all_loops(run)}, seed
        assert (found is None) == (wanted is None), seed
        outcomes[wanted is not None] += 1
        if found and wanted and found.spans:
            head = found.body.call_path, found.region, found.is_run
            assert head == (wanted.caller, wanted.region, wanted.is_run), seed
            spans = np.stack([found.spans.begin, found.spans.end], axis=2).tolist()
            assert spans == [list(map(list, wanted.spans[p])) for p in sorted(wanted.spans)], seed
            assert found.similarity == pytest.approx(wanted.similarity), seed
            assert found.coverage == pytest.approx(wanted.coverage), seed
    assert min(outcomes.values()) > BATCH // 10


@pytest.mark.parametrize("first", range(0, SEQUENCE_COUNT, BATCH))
def test_a_region_with_one_visit_more_on_a_process_is_never_a_head(first: int) -> None:
    for seed in range(first, first + BATCH):
        random = Random(seed)
        run = random_run(random, process_count=random.randint(2, 4))
        calls = {process: list(each) for process, each in run.calls[0].items()}
        process = random.choice(sorted(calls))
        at = random.randrange(len(calls[process]))
        region, begin, _ = calls[process][at]
        counts = {sum(call[0] == region for call in each) for each in calls.values()}
        if len(counts) > 1:
            continue
        calls[process].insert(at, (region, begin, begin))
        changed = replace(run, calls={0: calls})
        candidates = list(list_candidates(bodies_of(changed), window_of(changed)))
        loop = choose_loop(candidates)
        assert loop is None or loop.region != region, seed
        reasons = {each.reason for each in candidates if each.region == region}
        assert reasons <= {"counts differ"}, seed


@pytest.mark.parametrize("first", range(0, PROGRAM_COUNT, 10))
def test_iterations_of_programs_are_those_of_trying_everything(first: int, tmp_path: Path) -> None:
    for number in range(first, first + 10):
        spec = random_spec(number, has_threads=number % 5 == 0)
        spec = replace(spec, iterations=2 + number % 5)
        generated = generate(spec, tmp_path / f"program{number}")
        with computed(RELATIONS, read_tables(generated.anchor, tmp_path)) as found:
            check_program(found, str(spec))


def check_program(found: Computation, what: str) -> None:
    run, groups = read_run(found)
    wanted = best_loop(all_loops(run))
    loops = found.records("iteration_loop")
    rows = found.records("iterations")
    assert len(loops) == (wanted is not None), what
    if wanted is None:
        assert rows == [], what
        return
    (loop,) = loops
    head = loop["call_path_id"], loop["region_id"], loop["is_run"]
    assert head == (wanted.caller, wanted.region, wanted.is_run), what
    spans = {
        (row["location_group_id"], row["iteration"]): (row["begin_ns"], row["end_ns"])
        for row in rows
    }
    assert spans == clip(wanted, run), what
    spent = sum(row["time_ns"] for row in rows) + loop["before_ns"] + loop["after_ns"]
    assert spent == len(groups) * (run.end - run.begin), what
    check_computing(found, rows, what)


def check_computing(found: Computation, rows: Sequence[Mapping[str, int]], what: str) -> None:
    """Time of computing, moment by moment, where no threads are forked."""
    if found.rows("SELECT 1 FROM locations WHERE thread > 0", "locations"):
        return
    visits = found.rows(
        """
        SELECT location_group_id, visits.enter_ns, visits.leave_ns, overhead_id, visit_id,
            parent_visit_id
        FROM visits
        INNER JOIN locations USING (location_id)
        INNER JOIN region_classes USING (region_id)
        """,
        "visits", "locations", "region_classes",
    )  # fmt: skip
    inside: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for _, enter, leave, _, _, parent in visits:
        inside[parent].append((enter, leave))
    for row in rows:
        begin, end = row["begin_ns"], row["end_ns"]
        total = 0
        for group, enter, leave, overhead, visit, _ in visits:
            if group == row["location_group_id"] and not overhead:
                parts = [(enter, leave, 1), *((*span, -1) for span in inside[visit])]
                total += sum(
                    sign * max(min(stop, end) - max(start, begin), 0) for start, stop, sign in parts
                )
        assert row["computing_ns"] == total, what


def clip(loop: Loop, run: Run) -> dict[tuple[int, int], tuple[int, int]]:
    """The iterations inside the main part, by process and number."""
    return {
        (process, number): (
            min(max(begin, run.begin), run.end), min(max(end, run.begin), run.end),
        )
        for process, spans in loop.spans.items()
        for number, (begin, end) in enumerate(spans)
    }  # fmt: skip


def read_run(found: Computation) -> tuple[Run, list[int]]:
    """The calls of a trace, with its main part and its operations."""
    visits, locations = found.records("visits"), found.records("locations")
    names = {row["region_id"]: row["name"] for row in found.records("regions")}
    classes = found.rows(
        """
        SELECT region_id, overhead_class
        FROM region_classes INNER JOIN overhead_classes USING (overhead_id)
        """,
        "region_classes", "overhead_classes",
    )  # fmt: skip
    moving = {region for region, kind in classes if kind in ("data movement", "synchronisation")}
    groups = {row["location_id"]: row["location_group_id"] for row in locations}
    firsts = {row["location_id"]: groups[row["location_id"]] for row in locations
              if not row["thread"]}  # fmt: skip
    operations: dict[int, list[int]] = defaultdict(list)
    for row in visits:
        if row["region_id"] in moving:
            operations[groups[row["location_id"]]].append(row["enter_ns"])
    left_out = {region for region, name in names.items() if name in SETUPS}
    ((begin, end),) = found.rows("SELECT begin_ns, end_ns FROM main_part", "main_part")
    depths: dict[int | None, int] = {
        row["call_path_id"]: row["depth"] for row in found.records("call_paths")
    }
    run = Run(
        longest_calls(visits, firsts, left_out), {**depths, None: -1}, begin, end, operations,
        len(locations),
    )  # fmt: skip
    return run, sorted(set(firsts.values()))


def random_run(random: Random, process_count: int = 0) -> Run:
    """Calls of a few processes: something before, a loop with changing calls, something after."""
    process_count = process_count or random.randint(1, 3)
    body = [random.randrange(6) for _ in range(random.randint(1, 4))]
    body += [OPERATION] if random.random() < 0.8 else []
    count, seldom = random.randint(1, 8), random.choice((0, 0, 2, 3))
    before = [random.randrange(8) for _ in range(random.randint(0, 4))]
    after = [random.randrange(8) for _ in range(random.randint(0, 4))]
    regions = before + [
        region
        for at in range(count)
        for region in body + [7] * (seldom > 0 and at % max(seldom, 1) == 0)
    ] + (body[:1] if random.random() < 0.3 else []) + after  # fmt: skip
    calls = {}
    for process in range(process_count):
        own = list(regions)
        if random.random() < 0.1:
            own.insert(random.randrange(len(own) + 1), random.randrange(8))
        calls[process] = _place(own, random)
    begin = random.choice((0, 0, 15))
    end = max(call[2] for each in calls.values() for call in each) + random.choice((0, 40))
    return Run({0: calls}, {0: 0}, min(begin, end - 1), end, _operations(calls), process_count)


def _place(regions: Sequence[int], random: Random) -> list[Call]:
    """The calls one after the other, with small gaps."""
    calls, time = [], random.randrange(5)
    for region in regions:
        length = random.choice((1, 2, 5, 5, 5, 30))
        calls.append((region, time, time + length))
        time += length + random.randrange(2)
    return calls


def _operations(calls: Mapping[int, Sequence[Call]]) -> dict[int, list[int]]:
    return {
        process: [begin for region, begin, _ in each if region == OPERATION]
        for process, each in calls.items()
    }


def bodies_of(run: Run) -> list[Body]:
    calls = run.calls[0]
    flat = np.array([call for process in sorted(calls) for call in calls[process]], np.int64)
    firsts = np.cumsum([0, *(len(calls[process]) for process in sorted(calls))])
    return [Body(0, 0, firsts, *(np.ascontiguousarray(column) for column in flat.T))]


def window_of(run: Run) -> Window:
    def communicate(spans: Spans) -> bool:
        held = [
            any(begin <= moment < end for moment in run.operations[process])
            for process, (begins, ends) in enumerate(zip(spans.begin, spans.end, strict=True))
            for begin, end in zip(begins, ends, strict=True)
        ]
        return run.location_count < 2 or float(np.mean(held)) >= 0.8

    return Window(begin=run.begin, end=run.end, communicate=communicate)
