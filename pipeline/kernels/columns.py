"""Functions on named tuples of columns."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Columns = TypeVar("Columns", bound=tuple[NDArray[Any], ...])


def empty(kind: type[Columns], length: int, **widths: int) -> Columns:
    """Uninitialized columns of the dtypes that the tuple's annotations declare.

    `widths` gives the number of values per row of some columns.
    """
    made: dict[str, NDArray[Any]] = {}
    for name, annotation in kind.__annotations__.items():
        dtype = annotation.__args__[1].__args__[0]
        made[name] = np.empty((length, widths[name]) if name in widths else length, dtype)
    return kind(**made)


def each(columns: Columns, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Columns:
    """The same tuple with every column changed."""
    make: Callable[..., Columns] = type(columns)
    return make(*(change(column) for column in columns))


def rows_at(columns: Columns, rows: NDArray[Any]) -> Columns:
    """Copies of chosen rows."""
    return each(columns, lambda column: column.take(rows, axis=0))


def with_room(columns: Columns, needed: int) -> Columns:
    """The same columns with room for `needed` rows; the size is a power of two."""
    if needed <= len(columns[0]):
        return columns
    capacity = 1 << int(needed - 1).bit_length()

    def grow(column: NDArray[Any]) -> NDArray[Any]:
        larger = np.empty((capacity, *column.shape[1:]), column.dtype)
        larger[: len(column)] = column
        return larger

    return each(columns, grow)
