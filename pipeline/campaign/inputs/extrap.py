"""Reads measurements that Extra-P reads: its text files, and its JSON and JSON Lines files.

The elapsed time is the first metric of TIME_METRICS, or the only metric. Its name may end in its
unit (`time_ms`); the default is seconds. A point with several values is several runs. With several
regions, the time of the run is that of the region that calls all others. If there is none, it is
the sum of all regions. A note names the choice.

Extra-P, docs/file-formats.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.extrap_json import read_extrap_json
from tracemill.campaign.inputs.extrap_text import read_extrap_text
from tracemill.campaign.inputs.extrap_values import CallPath, Experiment, Point
from tracemill.campaign.inputs.measurements import MeasuredRun, MeasuredRuns, RegionTime
from tracemill.campaign.inputs.parsing import NANOSECONDS, check_parameters, parse_ns, read_lines
from tracemill.campaign.names import APPLICATION, REPETITION, standard_name

TIME_METRICS = (
    "time", "runtime", "run time", "wall time", "walltime", "wall clock time", "elapsed time",
    "elapsed", "execution time",
)  # fmt: skip
"""Names of the elapsed time, in upper or lower case, with any characters between words."""
_SUFFIXES = (".json", ".jsonl")
_MOST_LISTED = 5

Times = Mapping[CallPath, Mapping[Point, Sequence[int]]]


def read_extrap(path: Path, *, application: str = "") -> MeasuredRuns:
    """Read a file for Extra-P. Raises CampaignError that says where, or MissingInputError."""
    lines = read_lines(path)
    is_json = path.suffix.lower() in _SUFFIXES or lines[0].lstrip().startswith("{")
    experiment = read_extrap_json(path, lines) if is_json else read_extrap_text(path, lines)
    metric = _find_time(experiment)
    _, unit = _name_and_unit(metric)
    times = {
        call_path: {
            point: [parse_ns(value, unit, where) for value, where in values]
            for point, values in points.items()
        }
        for call_path, points in experiment.samples[metric].items()
    }
    root, choice = _find_root(times)
    notes = [f"{path}: {choice}"] if choice else []
    others = [name for name in experiment.samples if name != metric]
    if others:
        notes.append(f"{path}: the time is {metric}; unused: {_listed(others[:_MOST_LISTED])}")
    return MeasuredRuns(tuple(_runs(experiment, times, root, application)), tuple(notes))


def _find_time(experiment: Experiment) -> str:
    metrics = list(experiment.samples)
    names = {metric: _name_and_unit(metric)[0] for metric in metrics}
    usual = [metric for metric in metrics if names[metric] in TIME_METRICS]
    if usual:
        return min(usual, key=lambda metric: TIME_METRICS.index(names[metric]))
    if len(metrics) > 1:
        raise CampaignError(
            f"{experiment.path}: which metric is the elapsed time? Call it time; metrics: "
            f"{_listed(metrics)}"
        )
    return metrics[0]


def _name_and_unit(metric: str) -> tuple[str, str]:
    """The words of a metric such as time_ms or Time [ms], and its unit, by default seconds."""
    words = re.findall("[a-z]+", metric.lower())
    if not words or words[-1] not in NANOSECONDS:
        return " ".join(words), "s"
    return " ".join(words[:-1] or words), words[-1]


def _listed(metrics: Sequence[str]) -> str:
    return ", ".join(metric or "one without name" for metric in metrics)


def _find_root(times: Times) -> tuple[CallPath | None, str]:
    """The region that includes the time of all others, None if there is none; and a note."""
    depth = min(len(path) for path in times)
    root, *others = [path for path in times if len(path) == depth]
    if len(times) == 1:
        return root, ""
    the_sum = "the time of a run is the sum of all regions"
    if others or any(path[:depth] != root for path in times):
        return None, f"{the_sum}: none calls all others"
    if any(_takes_less_than_called(times, root, point) for point in times[root]):
        return None, f"{the_sum}: {_name(root)} takes less time than its callees"
    return root, f"the time of a run is that of {_name(root)} with all callees"


def _takes_less_than_called(times: Times, root: CallPath, point: Point) -> bool:
    """Whether the direct callees of a region take longer than it, in any run at a point."""
    called = [found.get(point, ()) for path, found in times.items() if path[:-1] == root != path]
    return any(
        sum(values[number] for values in called if number < len(values)) > time
        for number, time in enumerate(times[root][point])
    )


def _name(call_path: CallPath) -> str:
    return "->".join(call_path) or "the whole program"


def _runs(
    experiment: Experiment, times: Times, root: CallPath | None, application: str
) -> Iterator[MeasuredRun]:
    """A run per point and repetition, in the order in which points first appear."""
    names = [standard_name(name) for name in experiment.parameters]
    for name in names:
        if names.count(name) > 1 or name in (APPLICATION, REPETITION):
            raise CampaignError(
                f"{experiment.path}: parameters {', '.join(experiment.parameters)}: "
                f"{name} may be given once, application and repetition not at all"
            )
    for point in dict.fromkeys(point for found in times.values() for point in found):
        given = dict(zip(names, point, strict=True))
        where = f"{experiment.path}: point ({' '.join(point)})"
        check_parameters(given, where)
        measured = {path: found[point] for path, found in times.items() if point in found}
        for number in range(_repetitions(measured, root, where)):
            spent = {path: values[number] for path, values in measured.items()}
            callees = {} if root is None else _callees(spent)
            regions = tuple(
                RegionTime(call_path=path, time_ns=time, callees_ns=min(callees.get(path, 0), time))
                for path, time in spent.items()
            )
            yield MeasuredRun(
                place=where,
                application=application,
                parameters=given | {REPETITION: str(number + 1)},
                time_ns=sum(spent.values()) if root is None else spent[root],
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


def _repetitions(
    measured: Mapping[CallPath, Sequence[int]], root: CallPath | None, where: str
) -> int:
    """The number of runs at a point. Raises CampaignError if regions have different numbers."""
    if root is not None and root not in measured:
        raise CampaignError(f"{where}: no time of {_name(root)}")
    counts = {len(values) for values in measured.values()}
    if len(counts) > 1:
        listed = ", ".join(f"{_name(path)} {len(v)}" for path, v in measured.items())
        raise CampaignError(f"{where}: regions have different numbers of values: {listed}")
    return counts.pop()
