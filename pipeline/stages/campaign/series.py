"""Values of many items in many runs, of which most items have few: dense only block by block."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.arrays import Numbers
from tracemill.stages.models.ranks import Floats

# Values of a block: 16 MB.
_BLOCK_VALUES = 1 << 21


@dataclass(frozen=True)
class Series:
    """One row per item and run, by item; `items` are the distinct items in ascending order.

    `first` is the first row of each item, followed by the number of rows.
    """

    items: NDArray[Any]
    first: Numbers
    run: Numbers
    values: tuple[NDArray[Any], ...]

    def of_runs(self, runs: Numbers) -> "Series":
        """The rows of some ascending runs, as positions in `runs`, and the items that have any."""
        place = np.searchsorted(runs, self.run)
        is_kept = np.append(runs, -1)[place] == self.run
        item = np.repeat(np.arange(len(self.items)), np.diff(self.first))[is_kept]
        counts = np.bincount(item, minlength=len(self.items))
        return Series(
            items=self.items[counts > 0],
            first=np.append(0, np.cumsum(counts[counts > 0])),
            run=place[is_kept],
            values=tuple(values[is_kept] for values in self.values),
        )

    def blocks(self, run_count: int) -> Iterator[tuple[Floats, ...]]:
        """Blocks of items in order, per kind of value a matrix of items by runs; else 0."""
        step = max(_BLOCK_VALUES // max(run_count, 1), 1)
        for start in range(0, len(self.items), step):
            items = slice(start, min(start + step, len(self.items)))
            yield tuple(self._dense(items, run_count, values) for values in self.values)

    def _dense(self, items: slice, run_count: int, values: NDArray[Any]) -> Floats:
        dense = np.zeros((items.stop - items.start, run_count))
        rows = slice(self.first[items.start], self.first[items.stop])
        lengths = np.diff(self.first[items.start : items.stop + 1])
        dense[np.repeat(np.arange(len(dense)), lengths), self.run[rows]] = values[rows]
        return dense


def make_series(item: NDArray[Any], run: Numbers, *values: NDArray[Any]) -> Series:
    """Series of rows in any order; an item has at most one row per run."""
    order = np.argsort(item, kind="stable")
    items, first = np.unique(item[order], return_index=True)
    return Series(
        items=items,
        first=np.append(first, len(item)),
        run=run[order],
        values=tuple(each[order] for each in values),
    )
