"""Rows as Arrow tables of a declared table."""

import math
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from tracemill.schemas import Table
from tracemill.schemas.table import ENUM, STRING

Row = tuple[Any, ...]
"""Values in the order of the declared columns."""

_LARGEST_NS = 2**62
_NS = 1_000_000_000


def rows_as_table(table: Table, rows: Iterable[Row]) -> pa.Table:
    """The rows as columns of the declared names."""
    columns = list(zip(*rows, strict=True)) or [()] * len(table.columns)
    arrays = [
        pa.array(values, STRING if column.type == ENUM else column.type)
        for values, column in zip(columns, table.columns, strict=True)
    ]
    return pa.table(arrays, names=list(table.column_names))


def known(value: float | None) -> float | None:
    """The value, or nothing instead of one that is not finite."""
    return float(value) if value is not None and math.isfinite(value) else None


def nanoseconds(seconds: float) -> int | None:
    """Whole nanoseconds; nothing where the seconds are not positive or beyond all times."""
    exact = seconds * _NS
    return round(exact) if 0 < exact < _LARGEST_NS else None
