"""Check that no two rows of a table share a key, while the table streams by."""

from collections.abc import Sequence
from itertools import islice, permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tracemill.schemas import Table, Violation

_FEW = 5_000
_FULL = 100_000  # a smaller row group is the last one
_MOST_PERMUTED = 4  # columns of a key whose orders are all tried
_SPREAD = 64  # a bitmap is used while ids span at most this many times their number


class KeyCheck:
    """Checks that keys of one file are unique, row group by row group.

    Ascending keys are unique; this needs one comparison per row, and holds for almost every table.
    The columns of the key may ascend in another order than declared. As soon as no order is left
    in which they do, each row group is checked by itself, and `is_certain` is False: then
    `repeated_in_file` checks a file of several row groups, except for partitioned tables.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._last: pa.Table | None = None
        self._orders = _orders_of(table.key)
        self.is_certain = True

    def violations(self, rows: pa.Table) -> list[Violation]:
        """Keys repeated within `rows`, the next row group, or in an earlier one."""
        keys = rows.select(self._table.key)
        follows = [self._last, keys] if self._last is not None else [keys]
        self._last = keys.slice(keys.num_rows - 1)
        if self.is_certain:
            joined = pa.concat_tables(follows)
            ascending = (each for each in self._orders if _is_ascending(joined.select(each)))
            is_last = rows.num_rows < _FULL
            self._orders = list(islice(ascending, 1 if is_last else None))
            if self._orders:
                return []
        self.is_certain = False
        return [] if _is_distinct(keys) else _repeated(self._table, keys)


def repeated_in_file(table: Table, path: str) -> list[Violation]:
    """Repeated keys in a whole Parquet file; holds all its keys in memory."""
    return repeated_keys(table, pq.read_table(path, columns=list(table.key), partitioning=None))


def repeated_keys(table: Table, rows: pa.Table) -> list[Violation]:
    """Repeated keys among all rows of a table."""
    keys = rows.select(table.key)
    return [] if _count_distinct(keys) == keys.num_rows else _repeated(table, keys)


def _orders_of(key: Sequence[str]) -> list[tuple[str, ...]]:
    """Orders of the columns of a key, the declared one first."""
    return list(permutations(key)) if len(key) <= _MOST_PERMUTED else [tuple(key)]


def _repeated(table: Table, keys: pa.Table) -> list[Violation]:
    counted = keys.group_by(list(table.key)).aggregate([([], "count_all")])
    several = counted.filter(pc.greater(counted["count_all"], 1))
    rule = f"({', '.join(table.key)}) is unique"
    surplus = pc.sum(several["count_all"]).as_py() - several.num_rows
    examples = several.slice(0, 3).select(table.key).to_pylist()
    return [Violation(table.name, rule, surplus, tuple(str(row) for row in examples))]


def _is_ascending(keys: pa.Table) -> bool:
    """True if every row's key is greater than the one before, column by column."""
    columns = [_comparable(column) for column in keys.columns]
    if keys.num_rows < 2 or any(column.null_count for column in columns):
        return keys.num_rows < 2
    grows: pa.Array | None = None
    for column in reversed(columns):
        before, after = column.slice(0, len(column) - 1), column.slice(1)
        greater = pc.greater(after, before)
        grows = (
            greater if grows is None else pc.or_(greater, pc.and_(pc.equal(after, before), grows))
        )
    return pc.all(grows).as_py()


def _comparable(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole.indices if pa.types.is_dictionary(whole.type) else whole


def _is_distinct(keys: pa.Table) -> bool:
    if keys.num_columns == 1 and pa.types.is_integer(keys.column(0).type):
        return _are_integers_distinct(keys.column(0))
    return _count_distinct(keys) == keys.num_rows


def _count_distinct(keys: pa.Table) -> int:
    if keys.num_rows <= _FEW:  # grouping loads two libraries, which takes longer
        return len(set(zip(*keys.to_pydict().values(), strict=True)))
    return keys.group_by(keys.column_names).aggregate([]).num_rows


def _are_integers_distinct(column: pa.ChunkedArray) -> bool:
    values = column.to_numpy()
    low, high = int(values.min()), int(values.max())
    if high - low >= _SPREAD * len(values):
        return len(np.unique(values)) == len(values)
    is_seen = np.zeros(high - low + 1, dtype=bool)
    is_seen[values - low] = True
    return int(np.count_nonzero(is_seen)) == len(values)
