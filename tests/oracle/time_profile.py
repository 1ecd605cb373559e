"""Time by class of overhead, found by looking at every single nanosecond."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Spent = Counter[tuple[int, int]]
"""Nanoseconds by bin and class of overhead."""


def sum_bins(classes: Mapping[int, int], begin: int, width: int) -> Spent:
    """The classes that one location is in, by nanosecond, summed up in bins."""
    return Counter(((time - begin) // width, overhead) for time, overhead in classes.items())


def classes_of(
    visits: Iterable[Row], overhead: Mapping[int, int], base: int, run: range
) -> dict[int, int]:
    """The class of the innermost visit of a location at every nanosecond, or else `base`.

    `overhead` gives the class of each region. Visits come in the order of entering.
    """
    classes = dict.fromkeys(run, base)
    for visit in visits:
        inside = range(visit["enter_ns"], visit["leave_ns"])
        classes |= dict.fromkeys(inside, overhead[visit["region_id"]])
    return classes
