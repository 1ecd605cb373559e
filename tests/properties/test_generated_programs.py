"""Simulated programs: the analyses find every wait and the critical path, to the nanosecond."""

from collections import Counter
from pathlib import Path

import pytest

from tests.helpers.computing import computed
from tests.helpers.otf2_reading import read_tables
from tests.helpers.random_programs import random_spec
from tests.helpers.truth_checking import RELATIONS, check_truth
from tracemill.kernels.simulation.layout import PROPERTIES
from tracemill.programs.generate import generate
from tracemill.programs.phases.building import build_program
from tracemill.programs.simulation import simulate
from tracemill.programs.timing import of_machine
from tracemill.programs.waits import Waits

PROGRAM_COUNT, BATCH = 300, 10
THREADED = 5
"""Every so many-th program forks threads."""


@pytest.mark.parametrize("first", range(0, PROGRAM_COUNT, BATCH))
def test_the_analyses_find_the_truth(first: int, tmp_path: Path) -> None:
    for number in range(first, first + BATCH):
        spec = random_spec(number, has_threads=number % THREADED == 0)
        generated = generate(spec, tmp_path / f"program{number}")
        read = read_tables(generated.anchor, tmp_path)
        with computed(RELATIONS, read) as found:
            check_truth(generated.anchor.parent, found, str(spec))


def test_the_programs_wait_in_every_way(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for number in range(PROGRAM_COUNT):
        spec = random_spec(number, has_threads=number % THREADED == 0)
        waits = Waits(spec.processes * spec.threads, tmp_path)
        timing = of_machine(spec.machine, spec.processes)
        simulate(build_program(spec), timing, seed=spec.seed, take_waits=waits.take)
        for block in waits.blocks():
            counts.update(PROPERTIES[row[0]] for row in block.tolist())
    assert {name: counts[name] for name in PROPERTIES if counts[name] < 20} == {}
