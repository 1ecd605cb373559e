"""The command that shows the phases of a run."""

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracemill.base.console import results
from tracemill.base.errors import UsageError
from tracemill.cli.parameters import EVERYTHING, FocusingOptions, RunName, StorePath

if TYPE_CHECKING:
    from tracemill.engine.focusing.resolve import Focus
    from tracemill.store.runs import Run

_COMPUTED = ("phases", "time_profile")
_MOST_BINS = 10_000
_OF_LEVELS = ("level", "parent_phase")
_DEFAULTS = {"phase_bins": 200, "phase_smooth": 5, "phase_curves": "", "phase_weights": ""}
_COUNTERS = "SELECT DISTINCT name FROM counters ORDER BY name"
Row = dict[str, int | float | None]


def phases(
    run: RunName = None,
    /,
    *,
    bins: int = 200,
    smooth: int = 5,
    curves: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    store: StorePath = Path("store"),
    format: Literal["table", "csv", "json"] = "table",
    focus: FocusingOptions = EVERYTHING,
) -> None:
    """Show the phases of a run: stretches between large changes of what its threads do.

    A phase begins where the change is at least --threshold, 0.25 by default, of the strongest one.

    Parameters
    ----------
    bins
        Number of equal bins of the main part.
    smooth
        Odd number of bins that curves are smoothed over, and least distance of phases.
    curves
        Activities, separated by commas, such as computing,communicating; blocked is waiting, which
        otherwise counts in the activity of the call. Also bytes_sent, and names of counters.
        [default: all activities but blocked]
    weights
        Weights of the curves, separated by commas. [default: 1 each]
    format
        How to print the phases.
    """
    from tracemill.reports.phase_text import describe_phases, grid_of_phases
    from tracemill.reports.terminal import FittedGrid
    from tracemill.shell.formats import print_rows
    from tracemill.store.finding import open_run

    threshold = _threshold_of(focus.threshold)
    _check(bins, smooth)
    values: dict[str, int | str] = {
        "phase_bins": bins,
        "phase_smooth": smooth,
        "phase_curves": _names_of(curves),
        "phase_weights": weights or "",
    }
    within = focus if focus.phase else replace(focus, threshold=None)
    opened = open_run(store, run)
    opened.require_records("the search for phases needs")
    with within.applied(opened) as chosen:
        found = _find(chosen, threshold, values)
    if format != "table":
        names = [name for name in found[0] if name not in _OF_LEVELS]
        rows = [tuple(row[name] for name in names) for row in found]
        print_rows(names, rows, format, results())
        return
    results().print(describe_phases(found), markup=False, soft_wrap=True)
    results().print(FittedGrid(grid_of_phases(found)))


def _threshold_of(text: str | None) -> float:
    """A threshold; raises UsageError."""
    try:
        threshold = 0.25 if text is None else float(text)
    except ValueError:
        threshold = -1
    if not 0 < threshold <= 1:
        raise UsageError(f"--threshold {text}: give a number above 0 and up to 1")
    return threshold


def _check(bins: int, smooth: int) -> None:
    """Raise UsageError for values out of range."""
    if not 1 <= bins <= _MOST_BINS:
        raise UsageError(f"--bins {bins}: give a number from 1 to {_MOST_BINS}")
    if smooth < 1 or smooth % 2 == 0 or smooth > bins:
        raise UsageError(f"--smooth {smooth}: give an odd number from 1 to --bins, which is {bins}")


def _names_of(curves: str | None) -> str:
    return ",".join(name.strip() for name in (curves or "").split(","))


def check_curves(names: str, weights: str, counters: list[str]) -> None:
    """Raise UsageError for unknown curves, and for weights that do not fit."""
    from tracemill.schemas.overheads import ACTIVITIES
    from tracemill.stages.phases import BYTES_SENT, OF_CALLS

    chosen = names.split(",") if names else list(OF_CALLS)
    known = (*ACTIVITIES, BYTES_SENT, *counters)
    for name in chosen:
        if name not in known:
            raise UsageError(f"--curves: no curve {name}: known are {', '.join(known)}")
        if chosen.count(name) > 1:
            raise UsageError(f"--curves: {name} is named twice: name it once, with a weight")
    if not weights:
        return
    try:
        numbers = [float(weight) for weight in weights.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(chosen) or not all(isfinite(each) and each >= 0 for each in numbers):
        raise UsageError(
            f"--weights {weights}: give a number of at least 0 for each of {len(chosen)} curves"
        )


def _find(run: "Run", threshold: float, parameters: dict[str, int | str]) -> list[Row]:
    """The phases of one threshold; raises UsageError if the main part is too short."""
    from tracemill.engine.asking import computed_again
    from tracemill.engine.focusing.tables import clamped_tables
    from tracemill.stages.phases import LEVELS

    connection = run.connect(tables=("phases", "counters"))
    try:
        counters = [str(name) for (name,) in connection.sql(_COUNTERS).fetchall()]
        stored = connection.sql(f"FROM phases WHERE threshold = {threshold} ORDER BY phase")
        found: list[Row] = stored.to_arrow_table().to_pylist()
    finally:
        connection.close()
    check_curves(str(parameters["phase_curves"]), str(parameters["phase_weights"]), counters)
    if parameters != _DEFAULTS or threshold not in LEVELS:
        values = {**parameters, "phase_thresholds": str(threshold)}
        focus: Focus | None = getattr(run, "focus", None)
        given = clamped_tables(focus.run, focus) if focus else {}
        with computed_again(run, _COMPUTED, given, **values) as answer:
            answer.provide("phases")
            found = answer.connection.table("phases").order("phase").to_arrow_table().to_pylist()
    if not found:
        raise UsageError(
            f"--bins {parameters['phase_bins']}: {run.label}: shorter than one nanosecond per bin; "
            "give fewer bins"
        )
    return found
