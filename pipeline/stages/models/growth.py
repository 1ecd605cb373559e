"""Growth with the number of processes: exponents by least squares."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.models.ranks import Flags, Floats

# What rounding leaves of squares where all processes are alike is far below, log(2)² far above.
_ALIKE = 1e-12


class ExponentFits(NamedTuple):
    """One element per series.

    `value_count`: values above 0; `error`: standard error of `exponent`. Both are 0 where
    `is_defined` or `has_error` is False.
    """

    exponent: Floats
    error: Floats
    value_count: NDArray[np.int64]
    is_defined: Flags
    has_error: Flags


def fit_growth(
    processes: NDArray[np.number], groups: NDArray[np.int64], series: Floats
) -> ExponentFits:
    """The exponent b of c p^b for each row of `series`, with a factor c per group.

    Least squares of logarithms over values above 0. `groups` numbers the runs that share a factor,
    such as those of one size, from 0. Groups with a single process count do not contribute.
    """
    weight = (series > 0).astype(np.float64)
    y = np.log(np.where(series > 0, series, 1))
    x = np.broadcast_to(np.log(processes.astype(np.float64)), y.shape)
    dx, dy = np.zeros_like(y), np.zeros_like(y)
    group_count = np.zeros(len(series), np.int64)
    for group in range(groups.max(initial=-1) + 1):
        of_group = groups == group
        part = weight[:, of_group]
        size = part.sum(axis=1)
        dx[:, of_group] = _centered(x[:, of_group], part, size)
        dy[:, of_group] = _centered(y[:, of_group], part, size)
        group_count += size > 0
    return _fit_through_origin(dx, dy, weight.sum(axis=1).astype(np.int64), group_count)


def _centered(values: Floats, weight: Floats, size: Floats) -> Floats:
    """Differences from the mean of each row, over what has a weight; else 0."""
    means = (weight * values).sum(axis=1) / np.maximum(size, 1)
    centered: Floats = weight * (values - means[:, None])
    return centered


def _fit_through_origin(
    dx: Floats, dy: Floats, value_count: NDArray[np.int64], group_count: NDArray[np.int64]
) -> ExponentFits:
    squares = (dx * dx).sum(axis=1)
    is_defined = squares > _ALIKE
    exponent = np.where(is_defined, (dx * dy).sum(axis=1) / np.where(is_defined, squares, 1), 0)
    freedom = value_count - group_count - 1
    has_error = is_defined & (freedom > 0)
    residual = ((dy - exponent[:, None] * dx) ** 2).sum(axis=1)
    variance = residual / np.where(has_error, squares * freedom, 1)
    error = np.where(has_error, np.sqrt(variance), 0)
    return ExponentFits(exponent, error, value_count, is_defined, has_error)
