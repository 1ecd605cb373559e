"""Indices of measurements against a reference point or a model, and serial fractions.

Source: Sekiguchi & Sato 1994: an index is determined by measure, constraint, model and reference
point. A. H. Karp, H. P. Flatt, 1990. J. L. Gustafson, 1988.
"""

from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.measurements import Floats


class Point(NamedTuple):
    """A measured point: processes, amount of computation, seconds."""

    processes: Floats | float
    amount: Floats | float
    time: Floats | float


def general_speed_up(at: Point, reference: Point) -> Floats:
    """(s1/T1) / (s2/T2)."""
    return np.asarray((at.amount / at.time) / (reference.amount / reference.time))


def mean_speed_up(at: Point, reference: Point) -> Floats:
    """Speed-up per processor: (s1/(p1 T1)) / (s2/(p2 T2))."""
    return general_speed_up(at, reference) * reference.processes / at.processes


def linear_efficiency(at: Point, reference: Point) -> Floats:
    """Time of the linear model, p2 T2 / p1 for the same size, over the measured time."""
    return np.asarray(reference.processes * reference.time / at.processes / at.time)


def rate(amount: Floats, time: Floats) -> Floats:
    """s/T: amount of computation per second; of one process, the size-relative efficiency zeta."""
    return amount / time


def gustafson_speed_up(processes: Floats, share: Floats) -> Floats:
    """P (1 - alpha) + alpha with alpha = T_seq / T, the serial share of the parallel run."""
    return processes * (1 - share) + share


def serial_fraction(
    processes: Floats, time: Floats, reference_processes: Floats, reference_time: Floats
) -> Floats:
    """The alpha with T(p) = T(1) (alpha + (1 - alpha)/p) for both runs; NaN if none is determined.

    With one process in the reference, (T(p)/T(1) - 1/p) / (1 - 1/p) of Karp and Flatt.
    """
    ratio = time / reference_time
    above = ratio / reference_processes - 1 / processes
    below = 1 - 1 / processes - ratio * (1 - 1 / reference_processes)
    with np.errstate(all="ignore"):
        return np.where(np.abs(below) > 1e-12, above / below, np.nan)
