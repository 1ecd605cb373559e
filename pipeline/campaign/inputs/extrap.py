"""Reads measurements that Extra-P reads: its text files, and its JSON and JSON Lines files.

The elapsed time is the first metric of TIME_METRICS, or the only metric. Its name may end in its
unit (`time_ms`); the default is seconds. A point with several values is several runs. With several
regions, the time of the run is that of the region that calls all others. If there is none, it is
the sum of all regions. A note names the choice.

Extra-P, docs/file-formats.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.extrap_json import read_extrap_json
from tracemill.campaign.inputs.extrap_text import read_extrap_text
from tracemill.campaign.inputs.extrap_values import CallPath, Experiment, Point
from tracemill.campaign.inputs.measurements import MeasuredRun, MeasuredRuns, RegionTime
from tracemill.campaign.inputs.parsing import (
    NANOSECONDS,
    check_parameters,
    parse_ns,
    read_lines,
)
from tracemill.campaign.names import APPLICATION, REPETITION, standard_name

FORMAT = "extra-p"
TIME_METRICS = (
    "time", "runtime", "run time", "wall time", "walltime", "wall clock time", "elapsed time",
    "elapsed", "execution time",
)  # fmt: skip
"""Names of the elapsed time, in upper or lower case, with any characters between words."""
_SUFFIXES = (".json", ".jsonl")
_MOST_LISTED = 5
_LETTERS = re.compile(r"[a-z]+")

Times = Mapping[CallPath, Mapping[Point, Sequence[int]]]


@dataclass(frozen=True)
class _RunTime:
    """The region whose time is that of a run, None for the sum of all; `words` are for a note."""

    root: CallPath | None
    words: str = ""


def read_extrap(path: Path, *, application: str = "") -> MeasuredRuns:
    """Read a file for Extra-P. Raises CampaignError that says where, or MissingInputError."""
    lines = read_lines(path)
    is_json = path.suffix.lower() in _SUFFIXES or lines[0].lstrip().startswith("{")
    experiment = read_extrap_json(path, lines) if is_json else read_extrap_text(path, lines)
    chosen = _find_time(experiment)
    times = _to_times(experiment, chosen)
    run_time = _find_run_time(times)
    parameters = _parameter_names(path, experiment.parameters)
    runs = tuple(_runs(experiment, times, run_time, parameters, application))
    notes = [f"{path}: {run_time.words}"] if run_time.words else []
    others = [name for name in experiment.metrics if name != chosen]
    if others:
        listed = ", ".join(name or "one without name" for name in others[:_MOST_LISTED])
        notes.append(f"{path}: of the metrics {chosen} counts, not {listed}")
    return MeasuredRuns(source=path, format=FORMAT, runs=runs, notes=tuple(notes))


def _find_time(experiment: Experiment) -> str:
    """The metric that is the elapsed time."""
    metrics = experiment.metrics
    listed = ", ".join(name or "one without name" for name in metrics)
    usual = [name for name in metrics if _without_unit(name) in TIME_METRICS]
    if usual:
        return min(usual, key=lambda name: TIME_METRICS.index(_without_unit(name)))
    if len(metrics) > 1:
        raise CampaignError(
            f"{experiment.path}: which metric is the elapsed time? Call it time; metrics: {listed}"
        )
    return metrics[0]


def _without_unit(metric: str) -> str:
    *name, last = _words(metric)
    return " ".join(name) if name and last in NANOSECONDS else " ".join([*name, last])


def _unit_of(metric: str) -> str:
    last = _words(metric)[-1]
    return last if last in NANOSECONDS else "s"


def _words(metric: str) -> list[str]:
    """The words of a name such as time_ms or Time [ms]; at least one, which may be empty."""
    return _LETTERS.findall(metric.lower()) or [""]


def _to_times(experiment: Experiment, metric: str) -> Times:
    unit = _unit_of(metric)
    return {
        call_path: {
            point: [parse_ns(value, unit, where) for value, where in values]
            for point, values in points.items()
        }
        for call_path, points in experiment.of(metric).items()
    }


def _find_run_time(times: Times) -> _RunTime:
    """The region that includes the time of all others, if there is one."""
    if len(times) == 1:
        return _RunTime(next(iter(times)))
    depth = min(len(path) for path in times)
    roots = [path for path in times if len(path) == depth]
    root = roots[0]
    if len(roots) > 1 or any(path[:depth] != root for path in times):
        return _RunTime(None, "the time of a run is the sum of all regions: none calls all others")
    if any(_takes_less_than_called(times, root, point) for point in times[root]):
        words = f"{_name(root)} takes less time than what it calls"
        return _RunTime(None, f"the time of a run is the sum of all regions: {words}")
    return _RunTime(root, f"the time of a run is that of {_name(root)}, with all it calls")


def _takes_less_than_called(times: Times, root: CallPath, point: Point) -> bool:
    """Whether the direct callees of a region take longer than it, in any run at a point."""
    called = [found.get(point, ()) for path, found in times.items() if path[:-1] == root != path]
    return any(
        sum(values[number] for values in called if number < len(values)) > time
        for number, time in enumerate(times[root][point])
    )


def _name(call_path: CallPath) -> str:
    return "->".join(call_path) or "the whole program"


def _parameter_names(path: Path, given: Sequence[str]) -> list[str]:
    """Standard names of the parameters. Raises CampaignError if two mean the same."""
    names = [standard_name(name) for name in given]
    for name in names:
        if names.count(name) > 1 or name in (APPLICATION, REPETITION):
            raise CampaignError(f"{path}: {name} cannot be what a parameter means here: {given}")
    return names


def _runs(
    experiment: Experiment,
    times: Times,
    run_time: _RunTime,
    parameters: Sequence[str],
    application: str,
) -> Iterator[MeasuredRun]:
    """A run per point and repetition, in the order in which points first appear."""
    points = dict.fromkeys(point for found in times.values() for point in found)
    for point in points:
        given = dict(zip(parameters, point, strict=True))
        where = f"{experiment.path}: point ({' '.join(point)})"
        check_parameters(given, where)
        measured = {path: found[point] for path, found in times.items() if point in found}
        for number in range(_repetitions(measured, run_time, where)):
            spent = {path: values[number] for path, values in measured.items()}
            callees = {} if run_time.root is None else _callees(spent)
            regions = tuple(
                RegionTime(call_path=path, time_ns=time, callees_ns=min(callees.get(path, 0), time))
                for path, time in spent.items()
            )
            yield MeasuredRun(
                place=where,
                application=application,
                parameters=given | {REPETITION: str(number + 1)},
                time_ns=sum(spent.values()) if run_time.root is None else spent[run_time.root],
                regions=regions if len(times) > 1 else (),
            )


def _callees(times: Mapping[CallPath, int]) -> dict[CallPath, int]:
    """The time of the listed callees of each region, also through callees that are not listed."""
    found: dict[CallPath, int] = {}
    for path, time in times.items():
        above = (path[:length] for length in range(len(path) - 1, -1, -1))
        caller = next((each for each in above if each in times), None)
        if caller is not None:
            found[caller] = found.get(caller, 0) + time
    return found


def _repetitions(measured: Mapping[CallPath, Sequence[int]], run_time: _RunTime, where: str) -> int:
    """The number of runs at a point. Raises CampaignError if regions have different numbers."""
    if run_time.root is not None and run_time.root not in measured:
        raise CampaignError(f"{where}: no time of {_name(run_time.root)}")
    counts = {len(values) for values in measured.values()}
    if len(counts) > 1:
        listed = ", ".join(f"{_name(path)} {len(v)}" for path, v in measured.items())
        raise CampaignError(f"{where}: regions have different numbers of values: {listed}")
    return counts.pop()
