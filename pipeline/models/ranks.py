"""Average ranks of many rows at once, kept as integers: every rank times two."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Ranks(NamedTuple):
    """Ranks of the values of each row, from 1, times two; equal values share their mean rank.

    `doubled` has the shape of the values. `is_new` tells of each place but the first, in the
    order of the values, whether its value differs from the one before: what is tied.
    """

    doubled: Floats
    is_new: Flags


def rank_rows(values: NDArray[np.number]) -> Ranks:
    """Rank each row of a matrix without NaN.

    A rank is at most the number of columns and a mean of ranks at most half-integral, so that
    doubled ranks, their products and sums of these are exact.
    """
    rows, columns = values.shape
    order = np.argsort(values, axis=1)
    sorted_values = np.take_along_axis(values, order, axis=1)
    is_new = sorted_values[:, 1:] != sorted_values[:, :-1]
    starts = np.ones((rows, columns), np.bool_)
    starts[:, 1:] = is_new
    first = np.flatnonzero(starts.ravel())
    length = np.diff(first, append=starts.size)
    # A group of ties takes the places first .. first + length - 1 of its row, counted from 0.
    means = 2 * (first % max(columns, 1)) + length + 1
    doubled = np.empty((rows, columns))
    np.put_along_axis(doubled, order, np.repeat(means, length).reshape(rows, columns), axis=1)
    return Ranks(doubled, is_new)
