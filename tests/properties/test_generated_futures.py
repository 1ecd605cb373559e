"""What the generator says would be, if a part took longer or less, against slow simulations."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.helpers.random_programs import random_spec
from tests.oracle.machine import Simulation
from tracemill.programs.generate import generate
from tracemill.programs.phases.building import build_program
from tracemill.programs.phases.computing import region_of
from tracemill.programs.spec import Phase, Rma, Spec, WhatIf

PROGRAM_COUNT, BATCH = 100, 50
FACTORS = (0, 0.5, 0.333333, 1, 3)


@pytest.mark.parametrize("first", range(0, PROGRAM_COUNT, BATCH))
def test_a_run_with_a_part_scaled_takes_as_long_as_said(first: int, tmp_path: Path) -> None:
    for number in range(first, first + BATCH):
        spec = random_spec(number, has_threads=number % 5 == 0, is_quiet=True)
        spec = replace(spec, phases=tuple(map(with_fences, spec.phases)))
        spec = replace(spec, what_if=questions(spec, Random(number)))
        summary = generate(spec, tmp_path / f"program{number}").summary
        said = [summary["run_ns"], *(each["run_ns"] for each in summary["what_if"])]
        assert said == [run_ns(spec, each) for each in (None, *spec.what_if)], str(spec)


def with_fences(phase: Phase) -> Phase:
    """One-sided communication between fences; the slow machine knows no other."""
    return replace(phase, synchronization="fences") if isinstance(phase, Rma) else phase


def questions(spec: Spec, random: Random) -> tuple[WhatIf, ...]:
    regions = [region_of(phase) for phase in spec.phases]
    ranks = range(spec.processes)
    return (
        WhatIf(factor=random.choice(FACTORS), region=random.choice(regions)),
        WhatIf(factor=random.choice(FACTORS), rank=random.choice(ranks)),
        WhatIf(
            factor=random.choice(FACTORS), region=random.choice(regions), rank=random.choice(ranks)
        ),
    )


def run_ns(spec: Spec, what_if: WhatIf | None) -> int:
    def factor(region: str, rank: int) -> Fraction:
        is_meant = (
            what_if is not None
            and what_if.region in (None, region)
            and what_if.rank in (None, rank)
        )
        return Fraction(str(what_if.factor)) if what_if and is_meant else Fraction(1)

    return Simulation(build_program(spec), spec.machine, factor).run_ns
