"""The command that shows the phases of a run."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import results
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import RunName, StorePath

if TYPE_CHECKING:
    from tracemill.stages.phases import Phasing
    from tracemill.store.runs import Run

_INPUTS = (
    "activities", "main_part", "visits", "call_paths", "task_fragments", "critical_path_segments",
)  # fmt: skip
_MOST_BINS = 1_000_000
_OF_LEVELS = ("level", "parent_phase")


def phases(
    run: RunName = None,
    /,
    *,
    bins: int = 200,
    smooth: int = 5,
    threshold: float = 0.25,
    curves: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
) -> None:
    """Show the phases of a run: stretches between large changes of what its threads do.

    Parameters
    ----------
    bins
        Number of equal bins of the main part.
    smooth
        Odd number of bins that curves are smoothed over, and least distance of phases.
    threshold
        Least strength of a change between phases, above 0 and up to 1, the strongest change.
    curves
        Activities, separated by commas, such as computing,communicating; blocked is waiting, which
        otherwise counts in the activity of the call. [default: all but blocked]
    weights
        Weights of the curves, separated by commas. [default: 1 each]
    format
        How to print the phases.
    """
    from tracemill.reports.phase_text import describe_phases, grid_of_phases
    from tracemill.reports.terminal import FittedGrid
    from tracemill.shell.formats import print_rows
    from tracemill.store.finding import open_run

    phasing = _read(bins, smooth, threshold, curves, weights)
    found = _find(open_run(store, run), phasing)
    if format != "table":
        names = [name for name in found[0] if name not in _OF_LEVELS]
        rows = [tuple(row[name] for name in names) for row in found]
        print_rows(names, rows, format, results())
        return
    results().print(describe_phases(found), markup=False, soft_wrap=True)
    results().print(FittedGrid(grid_of_phases(found)))


def _read(
    bins: int, smooth: int, threshold: float, curves: str | None, weights: str | None
) -> "Phasing":
    """The way to find phases; raises UsageError for values out of range."""
    from tracemill.stages.phases import OF_CALLS, Phasing

    if not 1 <= bins <= _MOST_BINS:
        raise UsageError(f"--bins {bins}: give a number from 1 to {_MOST_BINS}")
    if smooth < 1 or smooth % 2 == 0 or smooth > bins:
        raise UsageError(f"--smooth {smooth}: give an odd number from 1 to --bins, which is {bins}")
    if not 0 < threshold <= 1:
        raise UsageError(f"--threshold {threshold}: give a number above 0 and up to 1")
    names = _read_curves(curves) if curves is not None else OF_CALLS
    return Phasing(
        bin_count=bins,
        width=smooth,
        thresholds=(threshold,),
        curves=names,
        weights=(1.0,) * len(names) if weights is None else _read_weights(weights, len(names)),
    )


def _read_curves(text: str) -> tuple[str, ...]:
    from tracemill.schemas.activities import ACTIVITIES

    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in ACTIVITIES:
            raise UsageError(f"--curves: no curve {name}: known are {', '.join(ACTIVITIES)}")
    return names


def _read_weights(text: str, count: int) -> tuple[float, ...]:
    try:
        weights = tuple(float(weight) for weight in text.split(","))
    except ValueError:
        weights = ()
    if len(weights) != count or not all(isfinite(each) and each >= 0 for each in weights):
        raise UsageError(
            f"--weights {text}: give a number of at least 0 for each of {count} curves"
        )
    return weights


def _find(run: "Run", phasing: "Phasing") -> list[dict[str, int | float | None]]:
    """The phases of one threshold; raises UsageError if the main part is too short."""
    from tracemill.stages.phases import phases_by

    connection = run.connect(tables=_INPUTS)
    try:
        found = phases_by(phasing, *map(connection.table, _INPUTS)).to_pylist()
    finally:
        connection.close()
    if not found:
        raise UsageError(
            f"--bins {phasing.bin_count}: the main part of {run.label} is shorter than one "
            "nanosecond per bin; give fewer bins"
        )
    return found
