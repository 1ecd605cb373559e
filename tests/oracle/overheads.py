"""Overheads and imbalance, found by walking up from every visit, and by asking every location."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

Row = dict[str, Any]
Spent = Counter[tuple[int, int]]
"""Time by call path or region, and class of overhead."""


def sum_call_paths(
    visits: Iterable[Row], call_paths: Mapping[int, Row], overhead: Mapping[int, int]
) -> Spent:
    """Inclusive time of call paths: `overhead` gives the class of each region."""
    spent: Spent = Counter()
    for visit in visits:
        for path in _line(visit["call_path_id"], call_paths):
            spent[path, overhead[visit["region_id"]]] += visit["exclusive_ns"]
    return +spent


def sum_regions(
    visits: Collection[Row], call_paths: Mapping[int, Row], overhead: Mapping[int, int]
) -> Spent:
    """Inclusive time of regions: that of every visit counts once for each region it lies in."""
    spent: Spent = Counter()
    visited = {visit["call_path_id"] for visit in visits}
    for visit in visits:
        line = [path for path in _line(visit["call_path_id"], call_paths) if path in visited]
        for region in {call_paths[path]["region_id"] for path in line}:
            spent[region, overhead[visit["region_id"]]] += visit["exclusive_ns"]
    return +spent


def _line(path: int | None, call_paths: Mapping[int, Row]) -> list[int]:
    """A call path and all above it."""
    line = []
    while path is not None:
        line.append(path)
        path = call_paths[path]["parent_call_path_id"]
    return line


def find_deviations(times: Mapping[int, int], could: Collection[int]) -> dict[int, int]:
    """Time above the mean, negative if below, of each location that could take part or does.

    `times` are those of the locations that visit a call path. The mean is rounded.
    """
    locations = set(could) | set(times)
    mean = (Fraction(sum(times.values()), len(locations)) + Fraction(1, 2)).__floor__()
    return {place: times.get(place, 0) - mean for place in locations}
