"""A forecast: a program on a cluster, simulated once or twice, and its speed-up."""

from dataclasses import dataclass, replace
from functools import cached_property

from tracemill.base.errors import ProgramError
from tracemill.base.text import hash_of
from tracemill.forecast.outcome import Outcome
from tracemill.forecast.plan import IntervalMode
from tracemill.forecast.simulation import Shortcuts, simulate
from tracemill.programs.clusters.cluster import Cluster, Placement
from tracemill.programs.language.data_program import DataProgram, format_grid
from tracemill.programs.placed import PlacedProgram


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A placed program on a cluster, and the outcomes of its simulations.

    `full` is the outcome without shortcuts, if it was wanted. `single_process_ns` is the time on a
    grid of ones on core 0; None if the program cannot run there.
    """

    program: PlacedProgram
    cluster: Cluster
    shortcuts: Shortcuts
    intervals: IntervalMode
    outcome: Outcome
    full: Outcome | None = None
    single_process_ns: int | None = None

    @cached_property
    def forecast_id(self) -> str:
        """The hash of all that the outcome follows from."""
        given = (self.program, self.cluster, self.shortcuts, self.intervals)
        return hash_of("\n".join(map(repr, given)))

    @property
    def grid(self) -> str:
        """The grid as text, such as "4x4"."""
        return format_grid(self.program.grid)

    @property
    def speed_up(self) -> float | None:
        """Time of a single process / time; None if either is missing."""
        if self.single_process_ns is None or not self.outcome.time_ns:
            return None
        return self.single_process_ns / self.outcome.time_ns


def forecast(
    description: DataProgram,
    cluster: Cluster,
    grid: tuple[int, ...] | None = None,
    variant: str | None = None,
    *,
    shortcuts: Shortcuts = "loops",
    intervals: IntervalMode = "user",
    compare_full: bool = False,
) -> Forecast:
    """The forecast of a program, or a variant, on a cluster; the default is the program's own grid.

    Raises ProgramError.
    """
    placed = description.place(grid, variant)
    outcome = simulate(placed, cluster, shortcuts=shortcuts, intervals=intervals)
    full = None
    if compare_full:
        full = simulate(placed, cluster, shortcuts="none", intervals=intervals)
    return Forecast(
        program=placed,
        cluster=cluster,
        shortcuts=shortcuts,
        intervals=intervals,
        outcome=outcome,
        full=full,
        single_process_ns=single_process_time(description, cluster, placed, shortcuts),
    )


def single_process_time(
    description: DataProgram, cluster: Cluster, placed: PlacedProgram, shortcuts: Shortcuts
) -> int | None:
    """Time in ns of a placed program on a grid of ones, on core 0; None if it cannot run there."""
    try:
        alone = description.place((1,) * len(placed.grid), placed.variant or None)
        first = replace(cluster, placement=Placement())
        return simulate(alone, first, shortcuts=shortcuts, intervals="user").time_ns
    except ProgramError:
        return None
