"""Which way a trace is damaged: drawn from all ways that fit its format, by a seed."""

import random
from dataclasses import dataclass
from pathlib import Path

from tests.damage.mutators import MUTATORS, TEXT, Mutator
from tests.damage.text_mutators import TEXT_CHANGES

WAYS = MUTATORS + tuple(
    Mutator(name, change, weight, TEXT) for name, (change, weight) in TEXT_CHANGES.items()
)
_MORE = 0.15
"""How often there is another damage."""


@dataclass(frozen=True)
class Damage:
    """What was done to a trace, in words, and whether that `only_loses` bytes."""

    description: str
    only_loses: bool


def damage(folder: Path, *, format: str, seed: str) -> Damage:
    """Damage the trace in a folder in a way that depends on the seed alone."""
    draw = random.Random(seed)
    fitting = [way for way in WAYS if format in way.formats]
    weights = [way.weight for way in fitting]
    done: list[str] = []
    only_loses = True
    while not done or draw.random() < _MORE:
        (way,) = draw.choices(fitting, weights)
        change = way.apply(draw, folder)
        done += [change] if change else []
        only_loses &= way.only_loses
    return Damage("; ".join(done), only_loses)
