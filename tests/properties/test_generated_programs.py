"""Programs whose truth is known: the analyses find every wait and the critical path, to the ns."""

from collections import Counter
from pathlib import Path

import pytest

from pipeline.generator.generate import Generated, generate, machine_of
from pipeline.generator.kernels.layout import PROPERTIES
from pipeline.generator.phases import build_program
from pipeline.generator.simulation import simulate
from pipeline.generator.truth import settle_waits, total_waits
from tests.analysing import Analyst
from tests.random_programs import random_spec

PROGRAM_COUNT, BATCH = 300, 10
THREADED = 10
"""Every so many-th program forks threads; then the generator knows no critical path."""

WAITS = """
    SELECT property, call_paths.path, waits.location_id, visit_id, start_ns, wait_ns,
        cause_location_id, cause_visit_id, is_beyond_reference
    FROM wait_states AS waits
    INNER JOIN call_paths USING (call_path_id)
"""
PATH = """
    SELECT call_paths.path, location_id, path_ns
    FROM critical_path_profile
    INNER JOIN call_paths USING (call_path_id)
"""
SEGMENTS = "SELECT location_id, begin_ns, end_ns FROM critical_path_segments ORDER BY ordinal"
NOT_ANALYSED = ("mpi_rma_", "omp_fork")


@pytest.fixture(scope="module")
def analyst() -> Analyst:
    return Analyst("wait_states", "critical_path_profile")


@pytest.mark.parametrize("first", range(0, PROGRAM_COUNT, BATCH))
def test_the_analyses_find_what_is_true(first: int, analyst: Analyst, tmp_path: Path) -> None:
    for number in range(first, first + BATCH):
        spec = random_spec(number, has_threads=number % THREADED == 0)
        generated = generate(spec, tmp_path / f"program{number}")
        analyst.analyse(generated.anchor)
        check(generated, analyst, str(spec))


def test_the_programs_wait_in_every_way() -> None:
    counts: Counter[str] = Counter()
    for number in range(PROGRAM_COUNT):
        spec = random_spec(number, has_threads=number % THREADED == 0)
        outcome = simulate(build_program(spec), machine_of(spec), has_truth=True)
        for name, total in total_waits(settle_waits(outcome)).items():
            counts[name] += total["count"]
    assert {name: counts[name] for name in PROPERTIES if counts[name] < 20} == {}


def check(generated: Generated, analyst: Analyst, what: str) -> None:
    truth = generated.truth
    waits = [tuple(row.values()) for row in truth.wait_states().to_pylist()]
    analysed = [row for row in waits if not row[0].startswith(NOT_ANALYSED)]
    assert analyst.rows(WAITS) == sorted(analysed, key=repr), what
    if truth.path is None:
        return
    path = [tuple(row.values()) for row in truth.critical_path().to_pylist()]
    assert analyst.rows(PATH) == sorted(path, key=repr), what
    assert analyst.in_order(SEGMENTS) == [tuple(row) for row in truth.path.segments.tolist()], what
