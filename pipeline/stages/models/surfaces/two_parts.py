"""Surfaces of computation and communication, one after the other or at the same time.

    T_comp = c * n^a / p
    T_comm = (c0 + c1 log2(p) + c2 p) * n^b        c, c0, c1, c2 >= 0, 0 <= a, b <= 4

Communication has a fixed part (with the serial part of the program), trees, and all with all. T is
the sum without overlap, the maximum with full overlap. Fitted to relative errors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import least_squares, nnls

from tracemill.stages.models.surfaces.measurements import (
    Flags,
    Floats,
    Measurements,
    UndeterminedError,
)
from tracemill.stages.models.surfaces.surface import Surface, Values, write_power, write_sum

_LARGEST_EXPONENT = 4.0
_FIRST_EXPONENTS = ((0.5, 1.0, 1.5, 2.0, 3.0), (0.0, 0.5, 1.0, 2.0))
"""Where the search for a and b begins."""
_STARTS = 8
_ROUNDS = 30
_NOTHING = 1e-9
"""Shares of the time, and exponents, below are rounding."""
_LOG_2 = float(np.log(2))


@dataclass(frozen=True)
class TwoParts:
    """T(p, n) in seconds; `communication` holds c0, c1 and c2."""

    is_overlapping: bool
    computation: float
    computation_exponent: float
    communication: tuple[float, float, float]
    communication_exponent: float
    parameter_count: int

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        return (
            ("c", self.computation),
            ("a", self.computation_exponent),
            *((f"c{number}", value) for number, value in enumerate(self.communication)),
            ("b", self.communication_exponent),
        )

    def formula(self, size_name: str) -> str:
        shared = write_power(size_name, self.computation_exponent) + "/p"
        computation = write_sum([(self.computation, shared)])
        communication = write_sum(zip(self.communication, ("", "log2(p)", "p"), strict=True))
        factor = write_power(size_name, self.communication_exponent)
        if factor and any(self.communication):
            is_sum = sum(value > 0 for value in self.communication) > 1
            communication = f"({communication})*{factor}" if is_sum else f"{communication}*{factor}"
        parts = [part for part in (computation, communication) if part != "0"]
        if self.is_overlapping and len(parts) > 1:
            return f"max({computation}, {communication})"
        return " + ".join(parts)

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        """If both parts take equally long, slopes are those of the computation."""
        c0, c1, c2 = self.communication
        a, b = self.computation_exponent, self.communication_exponent
        time = self.computation * sizes**a / processes
        first = np.array([time, -time / processes, a * time / sizes])
        scale = sizes**b
        time = (c0 + c1 * np.log2(processes) + c2 * processes) * scale
        slope = (c1 / (processes * _LOG_2) + c2) * scale
        second = np.array([time, slope, b * time / sizes])
        if self.is_overlapping:
            return Values(*np.where(first[0] >= second[0], first, second))
        return Values(*(first + second))


def fit_without_overlap(measured: Measurements, start: Surface | None = None) -> TwoParts:
    """The sum of both parts, from a fit `start`; raises UndeterminedError for one process count."""
    design = _Design(measured)
    starts = design.first_exponents()
    if isinstance(start, TwoParts):
        starts = [(start.computation_exponent, start.communication_exponent)]
    exponents = design.polish(lambda a, b: design.solve(a, b)[1], starts)
    return design.build(design.solve(*exponents)[0], exponents, is_overlapping=False)


def fit_with_overlap(measured: Measurements, start: Surface | None = None) -> TwoParts:
    """The maximum of both parts, from a fit `start`.

    Each part is fitted to its runs, and runs move to the longer part until none moves. The first
    computation runs are those of few processes, for several choices of few. Raises
    UndeterminedError for one process count.
    """
    design = _Design(measured)
    if isinstance(start, TwoParts):
        values = start.evaluate(measured.processes, measured.sizes)
        is_computed = [values.by_processes < 0]
    else:
        counts = measured.process_counts
        most = np.unique(counts[np.linspace(0, len(counts) - 1, _STARTS).round().astype(int)])
        is_computed = [measured.processes <= few for few in (0, *most)]
    found = [design.share_out(each) for each in is_computed]
    errors = [_error(each, measured) for each in found]
    least = min(errors) + _NOTHING * len(measured.times)
    ties = [each for each, error in zip(found, errors, strict=True) if error <= least]
    return min(ties, key=lambda each: np.count_nonzero([each.computation, *each.communication]))


class _Design:
    """Columns of both parts relative to the times, with sizes over their largest."""

    def __init__(self, measured: Measurements) -> None:
        counts = len(measured.process_counts)
        if counts < 2:
            raise UndeterminedError("needs 2 numbers of processes: there is 1")
        self.measured = measured
        self.scale = float(measured.sizes.max())
        self.sizes = measured.sizes / self.scale
        self.has_sizes = len(measured.distinct_sizes) > 1
        self.communication_count = min(counts - 1, 3)
        p = measured.processes
        columns = np.column_stack([1 / p, np.ones_like(p), np.log2(p), p])
        self.columns = columns[:, : self.communication_count + 1] / measured.times[:, np.newaxis]

    def first_exponents(self) -> Sequence[tuple[float, ...]]:
        return list(product(*_FIRST_EXPONENTS)) if self.has_sizes else [(0.0, 0.0)]

    def solve(self, a: float, b: float) -> tuple[Floats, Floats]:
        """Coefficients for given exponents, and relative errors."""
        design = self.columns * self.sizes[:, np.newaxis] ** np.array([b])
        design[:, 0] = self.columns[:, 0] * self.sizes**a
        return _solve_positive(design)

    def solve_computation(self, is_kept: Flags, a: float) -> tuple[Floats, Floats]:
        return _solve_positive((self.columns[:, :1] * self.sizes[:, np.newaxis] ** a)[is_kept])

    def solve_communication(self, is_kept: Flags, b: float) -> tuple[Floats, Floats]:
        return _solve_positive((self.columns[:, 1:] * self.sizes[:, np.newaxis] ** b)[is_kept])

    def polish(
        self, errors: Callable[..., Floats], starts: Sequence[tuple[float, ...]]
    ) -> tuple[float, ...]:
        """The exponents of least squared error, from the best of some starts."""
        best = min(starts, key=lambda each: float(np.square(errors(*each)).sum()))
        if not self.has_sizes:
            return best
        return tuple(
            least_squares(
                lambda exponents: errors(*exponents),
                best,
                bounds=(0, _LARGEST_EXPONENT),
                max_nfev=50,
            ).x.tolist()
        )

    def share_out(self, is_computed: Flags) -> TwoParts:
        """Fit each part to its runs, and move runs to the longer part, until none moves."""
        seen: set[bytes] = set()
        best: TwoParts | None = None
        for _ in range(_ROUNDS):
            fitted = self._fit_parts(is_computed)
            if best is None or _error(fitted, self.measured) < _error(best, self.measured):
                best = fitted
            seen.add(is_computed.tobytes())
            values = fitted.evaluate(self.measured.processes, self.measured.sizes)
            is_computed = values.by_processes < 0
            if is_computed.tobytes() in seen:
                break
        assert best is not None
        return best

    def _fit_parts(self, is_computed: Flags) -> TwoParts:
        coefficients, exponents = np.zeros(self.communication_count + 1), [0.0, 0.0]
        if is_computed.any():
            (exponents[0],) = self._part_exponent(self.solve_computation, is_computed)
            coefficients[:1] = self.solve_computation(is_computed, exponents[0])[0]
        if not is_computed.all():
            (exponents[1],) = self._part_exponent(self.solve_communication, ~is_computed)
            coefficients[1:] = self.solve_communication(~is_computed, exponents[1])[0]
        return self.build(coefficients, (exponents[0], exponents[1]), is_overlapping=True)

    def _part_exponent(
        self, solve: Callable[[Flags, float], tuple[Floats, Floats]], is_kept: Flags
    ) -> tuple[float, ...]:
        if len(np.unique(self.sizes[is_kept])) < 2:
            return (1.0,) if self.has_sizes else (0.0,)
        starts = [(first,) for first in sorted({*_FIRST_EXPONENTS[0], *_FIRST_EXPONENTS[1]})]
        return self.polish(lambda exponent: solve(is_kept, exponent)[1], starts)

    def build(
        self, coefficients: Floats, exponents: tuple[float, ...], *, is_overlapping: bool
    ) -> TwoParts:
        a, b = (exponent if exponent > _NOTHING else 0.0 for exponent in exponents)
        shares = [*(coefficients[1:] / self.scale**b).tolist(), 0.0, 0.0][:3]
        return TwoParts(
            is_overlapping=is_overlapping,
            computation=float(coefficients[0] / self.scale**a),
            computation_exponent=a,
            communication=(shares[0], shares[1], shares[2]),
            communication_exponent=b,
            parameter_count=len(coefficients) + 2 * self.has_sizes,
        )


def _solve_positive(design: Floats) -> tuple[Floats, Floats]:
    """Coefficients that are not negative, and fitted over measured times less one."""
    scale = np.abs(design).max(axis=0)
    scale[scale == 0] = 1
    shares, _ = nnls(design / scale, np.ones(len(design)))
    coefficients = np.where(shares > _NOTHING, shares, 0) / scale
    return coefficients, design @ coefficients - 1


def _error(fitted: TwoParts, measured: Measurements) -> float:
    time = fitted.evaluate(measured.processes, measured.sizes).time
    return float(np.square(time / measured.times - 1).sum())
