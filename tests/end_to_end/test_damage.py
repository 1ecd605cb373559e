"""A thousand ways to damage real traces: none crashes, hangs, or loses records in silence.

Every way follows from its number and a seed. Those of `python -m tests.damage` are more.
"""

from pathlib import Path

import pytest

from tests.damage.mutators import OTF2
from tests.damage.running import Outcomes, Plan, try_ways

DATA = Path(__file__).resolve().parents[2] / "data"
SEED, WAYS = 1, 130
# Format, trace, and every how many damaged copies one is analysed as a whole, which costs most.
TRACES = [
    (OTF2, "e03_lr_exact", 0),
    (OTF2, "e05_wrong_order", 0),
    (OTF2, "e06_critical_path", 0),
    (OTF2, "m01_late_sender", 26),
    (OTF2, "m03_ls_waitall", 0),
    (OTF2, "m29_hybrid", 65),
    (OTF2, "m31_omp_tasks", 0),
    (OTF2, "z01_otf2v3_nbc_rma", 0),
]


@pytest.mark.parametrize(("format", "name", "analysed"), TRACES)
def test_damage_is_refused_or_counted(format: str, name: str, analysed: int) -> None:
    """Shows how often each outcome occurred with `-rP`."""
    plan = Plan(trace=DATA / name, format=format, seed=SEED, last=WAYS, analysed=analysed)
    outcomes = Outcomes()
    for result in try_ways(plan):
        outcomes.add(name, result)
    print(outcomes)
    assert outcomes.problems == []
    assert outcomes.counts.total() == WAYS


def test_there_are_a_thousand_ways() -> None:
    assert len(TRACES) * WAYS >= 1_000
