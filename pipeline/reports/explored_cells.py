"""Values of the exploration by metric, call path and location, as a page shows them.

Values of hidden call paths count for the closest shown caller. If there are too many, the smallest
are left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tracemill.reports.explored_tree import ExploredTree, Ints
from tracemill.reports.material import Material, Rows
from tracemill.reports.tables import Columns, largest_of, rows_at
from tracemill.reports.units import Value
from tracemill.stages.arrays import place, sum_by

SEVERITIES = "explored_severities"
WORK = "explored_work"
CLASSES = "explored_classes"
_DENSE = 8
"""Values are summed up in an array of all keys if these are up to so many times the values."""


@dataclass(frozen=True)
class Cells:
    """Values of a metric; keys number call paths times locations, in ascending order."""

    keys: Ints
    values: Ints

    def without(self, part: "Cells") -> "Cells":
        """The remaining cells after subtracting the cells of a part."""
        places = np.searchsorted(self.keys, part.keys)
        is_there = places < self.keys.size
        is_there[is_there] = self.keys[places[is_there]] == part.keys[is_there]
        values = self.values.copy()
        values[places[is_there]] -= part.values[is_there]
        return Cells(self.keys, values)


def read_cells(
    material: Material, metrics: Rows, tree: ExploredTree, locations: Rows
) -> dict[str, Cells]:
    """All values other than zero, by metric in the order of `metrics`.

    Values outside of all call paths have the place after the last of the shown ones.
    """
    places = _Places.of(tree, np.array([row["location_id"] for row in locations], np.int64))
    names = {row["metric_number"]: str(row["metric"]) for row in metrics}
    found: dict[str, list[Cells]] = defaultdict(list)
    for name, cells in (
        *_severities(material, places, names),
        *_times(material, places, names, tree),
        *_work(material, places),
    ):
        found[name].append(cells)
    summed = {name: places.summed(found[name]) for name in names.values() if name in found}
    return {name: cells for name, cells in summed.items() if cells.keys.size}


def sum_of(keys: Ints, values: Ints, key_count: int) -> Cells:
    """Cells with the sums of values of the same key, one of `key_count`, other than zero."""
    if key_count <= _DENSE * keys.size:
        sums = sum_by(keys, values, key_count)
        kept = np.flatnonzero(sums)
        return Cells(kept, sums[kept])
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))
    if not first.size:
        return Cells(first, first)
    sums = np.add.reduceat(values[order], first)
    kept = np.flatnonzero(sums)
    return Cells(keys[order][first[kept]], sums[kept])


def largest_cells(
    cells: dict[str, Cells], units: dict[str, str], most: int
) -> tuple[dict[str, Cells], bool]:
    """Up to `most` values that are largest within their unit, and whether others are left out.

    A metric includes its parts, so that its value is kept if that of a part is.
    """
    sizes = [each.keys.size for each in cells.values()]
    if sum(sizes) <= most:
        return cells, False
    totals: dict[str, int] = defaultdict(int)
    for name, each in cells.items():
        totals[units[name]] = max(totals[units[name]], int(each.values.sum()))
    weights = [np.abs(each.values) / (totals[units[name]] or 1) for name, each in cells.items()]
    together = np.concatenate(weights)
    is_kept = np.zeros(together.size, np.bool_)
    is_kept[largest_of(together, np.arange(together.size), most)] = True
    parts = np.split(is_kept, np.cumsum(sizes)[:-1])
    kept = zip(cells.items(), parts, strict=True)
    chosen = {name: Cells(each.keys[part], each.values[part]) for (name, each), part in kept}
    return {name: each for name, each in chosen.items() if each.keys.size}, True


@dataclass(frozen=True)
class _Places:
    """Where values belong: the first key of each call path, and what a location adds to it.

    Both are indexed by ids. The last one, which stands for no call path, is that of values outside.
    """

    of_path: Ints
    of_location: Ints
    count: int

    @staticmethod
    def of(tree: ExploredTree, locations: Ints) -> "_Places":
        of_location = place(locations, np.arange(locations.size))
        count = (tree.shown.size + 1) * locations.size
        return _Places(tree.places * locations.size, of_location, count)

    def keys(self, rows: Columns) -> Ints:
        """The key of each row."""
        keys: Ints = self.of_path[rows["call_path_id"]] + self.of_location[rows["location_id"]]
        return keys

    def sum(self, keys: Ints, values: Ints) -> Cells:
        """Cells with the sums of values of the same key."""
        return sum_of(keys, values, self.count)

    def summed(self, parts: list[Cells]) -> Cells:
        """The sum of cells."""
        if len(parts) == 1:
            return parts[0]
        keys, values = ([*each] for each in zip(*((x.keys, x.values) for x in parts), strict=True))
        return self.sum(np.concatenate(keys), np.concatenate(values))


def _severities(
    material: Material, places: _Places, names: Mapping[Value, str]
) -> Iterator[tuple[str, Cells]]:
    """Most rows of a metric are adjacent, as they are stored."""
    rows = material.arrays(SEVERITIES)
    if np.count_nonzero(np.diff(rows["metric_number"])) > len(names):
        rows = rows_at(rows, np.argsort(rows["metric_number"], kind="stable"))
    keys, numbers, values = places.keys(rows), rows["metric_number"], rows["value"]
    for begin, end in pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1), numbers.size]):
        if begin < end:
            yield names[int(numbers[begin])], places.sum(keys[begin:end], values[begin:end])


def _times(
    material: Material, places: _Places, names: Mapping[Value, str], tree: ExploredTree
) -> Iterator[tuple[str, Cells]]:
    """Visits, time by overhead class, and what visitors have above the mean of a call path."""
    rows = tree.times
    paths, given, own = rows["call_path_id"], rows["overhead_id"], rows["own_ns"]
    keys, means = places.keys(rows), tree.by_path("mean_ns")[paths]
    yield "visits", places.sum(keys, rows["visit_count"])
    is_above = rows["is_visited"] & (means >= 0) & (own > means)
    yield "imbalance_above", places.sum(keys[is_above], (own - means)[is_above])
    classes = np.where(given < 0, tree.by_path("overhead_id")[paths], given)
    counted = [column.tolist() for column in material.arrays(CLASSES).values()]
    of_class: dict[int, Cells] = {}
    for overhead_id, number in zip(*counted, strict=True):
        if overhead_id not in of_class:
            here = np.flatnonzero(classes == overhead_id)
            of_class[overhead_id] = places.sum(keys[here], own[here])
        yield names[number], of_class[overhead_id]


def _work(material: Material, places: _Places) -> Iterator[tuple[str, Cells]]:
    rows = material.arrays(WORK)
    keys = places.keys(rows)
    yield "critical_path_activities", places.sum(keys, rows["path_ns"])
    yield "non_critical_path_activities", places.sum(keys, rows["other_ns"])
