"""Exact p-values of rank correlations of few values."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.models.ranks import Floats

EXACT_LIMIT = 9
"""So many values have all their permutations counted."""


def permutation_p_values(reference: Floats, products: Floats, ranks: Floats) -> Floats:
    """Two-sided p-value of each series of at most nine values.

    The share of the n! assignments of ranks whose Σ xy is at least as far from its mean.
    `reference` and `ranks` are doubled ranks, `products` the sums found. Integers make equal
    distances equal. SciPy's permutation_test takes over 100 times as long.
    """
    is_new = np.diff(np.sort(ranks, axis=1)) != 0
    found = products.astype(np.int64)
    p_values = np.empty(len(found))
    codes = is_new @ (1 << np.arange(is_new.shape[1]))
    ordered = tuple(np.sort(reference).astype(np.int64).tolist())
    for code in np.unique(codes):
        is_alike = codes == code
        tied = _ranks_of_ties(int(code), len(reference))
        p_values[is_alike] = _two_sided(ordered, tied)[found[is_alike]]
    return p_values


def _ranks_of_ties(code: int, count: int) -> tuple[int, ...]:
    """Doubled ranks in ascending order; bit i is set if place i + 1 starts a new value."""
    starts = [0] + [place for place in range(1, count) if code >> (place - 1) & 1]
    ends = [*starts[1:], count]
    return tuple(
        first + last + 1
        for first, last in zip(starts, ends, strict=True)
        for _ in range(first, last)
    )


@lru_cache(maxsize=2048)
def _two_sided(reference: tuple[int, ...], ranks: tuple[int, ...]) -> Floats:
    """The p-value for every sum of products that can occur, as an array that it indexes."""
    ways = _ways_to_sum(reference, ranks)
    count = len(ranks)
    distance = np.abs(count * np.arange(len(ways)) - sum(reference) * sum(ranks))
    order = np.argsort(-distance, kind="stable")
    at_least = np.cumsum(ways[order])
    # Of equal distances the last has counted them all.
    last = np.searchsorted(-distance[order], -distance, side="right") - 1
    p_values: Floats = at_least[last] / ways.sum()
    p_values.flags.writeable = False
    return p_values


def _ways_to_sum(reference: tuple[int, ...], ranks: tuple[int, ...]) -> NDArray[np.int64]:
    """For each sum of products, the number of the n! orders of `ranks` that give it.

    Counted over sets: a set of k ranks extends each of its subsets of k - 1.
    """
    count = len(ranks)
    top = sum(x * y for x, y in zip(sorted(reference), sorted(ranks), strict=True))
    ways = np.zeros((1 << count, top + 1), np.int64)
    ways[0, 0] = 1
    for chosen in range(1, 1 << count):
        x = reference[chosen.bit_count() - 1]
        for place in range(count):
            if chosen >> place & 1:
                step = x * ranks[place]
                ways[chosen, step:] += ways[chosen ^ 1 << place, : top + 1 - step]
    return ways[-1]
