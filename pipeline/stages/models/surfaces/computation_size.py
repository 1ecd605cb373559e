"""The amount of computation s(p, n) of a problem size n, its slopes, and the size of an amount."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.measurements import Floats, Measurements, UndeterminedError

_PROCESSES, _SIZE = 0, 1
_STEPS = 60
_LONGEST_STEP = 5.0
_EXACT = 1e-15
_SAME = 1e-9


class Amounts(NamedTuple):
    """s(p, n), which seldom depends on p, and its partial derivatives."""

    value: Floats
    by_processes: Floats
    by_size: Floats


@dataclass(frozen=True)
class ComputationSize:
    """s(p, n), which does not fall with n; make it with `computation_size`."""

    function: Function
    lowest: float

    def evaluate(self, processes: Floats, sizes: Floats) -> Amounts:
        value, slopes = self.function.evaluate(processes, sizes)
        return Amounts(value, slopes[_PROCESSES], slopes[_SIZE])

    def invert(self, processes: Floats, amounts: Floats) -> Floats:
        """The sizes n with the given s(p, n), or NaN; Newton's method in log n and log s."""
        sizes = np.full(np.shape(amounts), self.lowest)
        for _ in range(_STEPS):
            value, _, slope = self.evaluate(processes, sizes)
            with np.errstate(all="ignore"):
                off = np.log(value / amounts)
                step = np.clip(off * value / (sizes * slope), -_LONGEST_STEP, _LONGEST_STEP)
            is_off = np.abs(off) > _EXACT
            if not is_off.any():
                break
            sizes = np.where(is_off, sizes * np.exp(-step), sizes)
        is_found = np.abs(self.evaluate(processes, sizes).value - amounts) <= _SAME * amounts
        return np.where(is_found, sizes, np.nan)


def function_of(expression: str, size_name: str) -> Function:
    """A function of processes and size; the size is called `n`, `size`, `d` or by its name."""
    names = dict.fromkeys((size_name, "n", "size", "d"), _SIZE)
    return Function(expression, names | dict.fromkeys(("p", "processes"), _PROCESSES))


def computation_size(expression: str, size_name: str, measured: Measurements) -> ComputationSize:
    """s(p, n) from an expression of the size, called `n`, `size`, `d` or by its name.

    Raises UndeterminedError unless it is positive and grows with the size.
    """
    function = function_of(expression, size_name)
    found = ComputationSize(function, float(measured.distinct_sizes[0]))
    amounts = found.evaluate(measured.processes, measured.sizes)
    if not (np.isfinite(amounts).all() and (amounts.value > 0).all()):
        raise UndeterminedError(f"the amount of computation, {expression}, is not positive")
    if len(measured.distinct_sizes) > 1 and not (amounts.by_size > 0).all():
        raise UndeterminedError(
            f"the amount of computation, {expression}, does not grow with the size"
        )
    return found
