"""Cells with unknown content: number of rows, first line, and the word that may be meant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.readers.common.definition_tables import table_of_rows
from tracemill.readers.csv.parsing import ParsedBlock
from tracemill.schemas.matching import MISREAD_CELLS

MOST_CELLS = 50
"""Limit of the different cells that are collected for each use of a column."""
_LONGEST = 80
_MEANT = {
    "entry": "Enter", "begin": "Enter", "start": "Enter", "call": "Enter",
    "exit": "Leave", "end": "Leave", "stop": "Leave", "return": "Leave",
}  # fmt: skip


@dataclass
class Misread:
    """An unknown cell: a row of MISREAD_CELLS."""

    column_name: str
    cell: str
    row_count: int
    file: str
    first_line: int
    nearest: str | None

    def __str__(self) -> str:
        what = f'{self.column_name} "{self.cell}"' if self.cell else f"no {self.column_name}"
        rows = f"{self.row_count:,} row{'s' * (self.row_count > 1)}"
        hint = f" (did you mean {self.nearest}?)" if self.nearest else ""
        return f"{what} in {rows}, first in line {self.first_line}{hint}"


@dataclass
class MisreadCells:
    """Collects unknown cells in the order of the rows."""

    path: Path = Path()
    _seen: dict[tuple[str, str], dict[str, Misread]] = field(default_factory=dict)

    def add(
        self, block: ParsedBlock, rows: NDArray[np.intp], name: str, values: NDArray[Any], *,
        words: Sequence[str] = (), known: Sequence[str] = (), use: str = "",
    ) -> None:  # fmt: skip
        """Collect the values of a column in some rows, which are positions if there are `words`.

        The nearest of the `known` words may be meant. Each `use` of a column has its own limit, so
        that the collected cells do not depend on the ends of blocks.
        """
        found, first, counts = np.unique(values, return_index=True, return_counts=True)
        seen = self._seen.setdefault((name, use), {})
        for at in np.argsort(first).tolist():
            cell = (words[found[at]] if words else str(found[at]))[:_LONGEST]
            if cell not in seen:
                if len(seen) == MOST_CELLS:
                    continue
                line, meant = block.line(int(rows[first[at]])), nearest(cell, known)
                seen[cell] = Misread(name, cell, 0, self.path.name, line, meant)
            seen[cell].row_count += int(counts[at])

    def all(self) -> list[Misread]:
        """The collected cells by file and line."""
        made: dict[tuple[str, str], Misread] = {}
        found = [each for cells in self._seen.values() for each in cells.values()]
        for each in sorted(found, key=lambda one: (one.file, one.first_line, one.column_name)):
            first = made.setdefault((each.column_name, each.cell), replace(each, row_count=0))
            first.row_count += each.row_count
            first.nearest = first.nearest or each.nearest
        return list(made.values())


def nearest(cell: str, known: Sequence[str]) -> str | None:
    """The known word that may be meant, regardless of case."""
    meant = _MEANT.get(cell.casefold())
    if meant in known:
        return meant
    words = {word.casefold(): word for word in known}
    return next((words[word] for word in get_close_matches(cell.casefold(), words, n=1)), None)


def misread_table(found: Iterable[Misread]) -> pa.Table:
    """The cells as rows of MISREAD_CELLS."""
    return table_of_rows(MISREAD_CELLS, (tuple(vars(each).values()) for each in found))
