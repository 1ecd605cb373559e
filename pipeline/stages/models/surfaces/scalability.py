"""The scalability function S: how the mean speed-up changes along a constraint.

R = s / (p T) is the mean speed-up up to its reference's constant. Along a path (p(t), s(t))

    S = dR/dt = R * (s'/s - p'/p - (T_p p' + T_n n') / T),   n' = (s' - s_p p') / s_n

which is -s/(p^2 T) - s T_p/(p T^2) for a fixed size and 1/(p T) - s T_s/(p T^2) for fixed
processes. Positive: still gaining; zero: perfectly scalable here; negative: losing.

Source: Sekiguchi & Sato 1994, with the total derivative of R.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.computation_size import ComputationSize
from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.measurements import Floats
from tracemill.stages.models.surfaces.surface import Surface

Course = Callable[[Floats], tuple[Floats, Floats]]
"""A quantity along a path with its derivative."""


@dataclass(frozen=True)
class Path:
    """Processes p(t) and amount of computation s(t)."""

    processes: Course
    amounts: Course


class Scaling(NamedTuple):
    """R and S at points of a path, and S as a share: (t/R) dR/dt.

    All are NaN where no size has the amount of computation.
    """

    processes: Floats
    sizes: Floats
    mean_speed_up: Floats
    change: Floats
    elasticity: Floats


class Direction(NamedTuple):
    """p'(t), s'(t) and t at some points of paths."""

    processes: Floats
    amounts: Floats
    variable: Floats


def fixed_size(amounts: Floats) -> Path:
    """T is the number of processes; the amount of computation stays."""
    return Path(_itself, lambda t: (amounts + 0 * t, 0 * t))


def fixed_processes(processes: Floats) -> Path:
    """T is the amount of computation; the number of processes stays."""
    return Path(lambda t: (processes + 0 * t, 0 * t), _itself)


def scaled_size(growth: Function, processes: Floats, amounts: Floats) -> Path:
    """T is the number of processes; s grows like a function of it, through given points."""
    first = amounts / growth.evaluate(processes).value

    def scaled(t: Floats) -> tuple[Floats, Floats]:
        value, slopes = growth.evaluate(t)
        return first * value, first * slopes[0]

    return Path(_itself, scaled)


def follow(surface: Surface, size: ComputationSize, path: Path, t: Floats) -> Scaling:
    """R and S of a surface along a path."""
    processes, processes_slope = path.processes(t)
    amounts, amounts_slope = path.amounts(t)
    direction = Direction(processes_slope, amounts_slope, t)
    return scaling_at(surface, size, processes, size.invert(processes, amounts), direction)


def scaling_at(
    surface: Surface, size: ComputationSize, processes: Floats, sizes: Floats, direction: Direction
) -> Scaling:
    """R and S at points of paths that go in a direction there."""
    is_place = np.isfinite(sizes)
    places = np.where(is_place, sizes, 1.0)
    time, by_processes, by_size = surface.evaluate(processes, places)
    amount, amount_by_processes, amount_by_size = size.evaluate(processes, places)
    with np.errstate(all="ignore"):
        speed_up = amount / (processes * time)
        to_grow = direction.amounts - amount_by_processes * direction.processes
        size_slope = np.where(to_grow == 0, 0, to_grow / amount_by_size)
        time_slope = by_processes * direction.processes + by_size * size_slope
        share = direction.amounts / amount - direction.processes / processes - time_slope / time
        found = np.array([speed_up, speed_up * share, direction.variable * share])
        is_known = is_place & (time > 0) & np.isfinite(found).all(axis=0)
    return Scaling(*(np.where(is_known, each, np.nan) for each in (processes, sizes, *found)))


def _itself(t: Floats) -> tuple[Floats, Floats]:
    return t, np.ones_like(t)
