"""Lost parallelism, nanosecond by nanosecond, with exact fractions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

Pieces = Mapping[int, Sequence[tuple[int, int]]]
"""For each location, its state in every ns: (call path or -1, class); class 0 computes."""


def losses(pieces: Pieces) -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
    """Time lost while a call path computes alone, and with others, by path and losing class."""
    found: dict[tuple[int, int], list[Fraction]] = defaultdict(lambda: [Fraction(), Fraction()])
    for states in zip(*pieces.values(), strict=True):
        computing = [path for path, overhead in states if overhead == 0]
        for path in computing:
            for _, overhead in states:
                if overhead:
                    found[path, overhead][len(computing) > 1] += Fraction(1, len(computing))
    return {key: (alone, shared) for key, (alone, shared) in found.items()}


def lost_time(pieces: Pieces) -> int:
    """The sum over time of the locations that do not compute while some do (ns)."""
    total = 0
    for states in zip(*pieces.values(), strict=True):
        computing = sum(overhead == 0 for _, overhead in states)
        total += (len(states) - computing) if computing else 0
    return total
