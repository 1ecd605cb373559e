"""Extra-P's JSON files, in three layouts.

    {"parameters": ["p"], "measurements": {"main->solve": {"time": [
        {"point": [4], "values": [8.31, 8.02]}]}}}

The older layout lists call paths, metrics, coordinates and parameters with ids; measurements refer
to these ids. JSON Lines have an object per line; call path and metric are optional:

    {"params": {"p": 4}, "callpath": "main->solve", "metric": "time", "value": [8.31, 8.02]}
"""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.extrap_values import (
    NO_METRIC,
    Experiment,
    Point,
    to_call_path,
    to_point,
)

_ROOTS = ("", "<root>")


def read_extrap_json(path: Path, lines: Sequence[str]) -> Experiment:
    """Read the lines of a JSON or JSON Lines file. Raises CampaignError that says where."""
    if _is_lines(lines):
        return _read_json_lines(path, lines)
    document = _parsed("\n".join(lines), str(path))
    if not isinstance(document, dict):
        raise CampaignError(f"{path}: no measurements of Extra-P: this is not a JSON object")
    read = _read_listed if "callpaths" in document else _read_nested
    try:
        experiment = read(path, document)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        missing = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise CampaignError(f"{path}: not a JSON file of Extra-P: {missing}") from error
    if not experiment.samples:
        raise CampaignError(f"{path}: no measurements are listed")
    return experiment


def _is_lines(lines: Sequence[str]) -> bool:
    """Whether the file has JSON Lines: its first line is a complete object."""
    first, *others = [line for line in lines if line.strip()]
    try:
        found = _parsed(first, "")
    except CampaignError:
        return False
    return isinstance(found, dict) and (bool(others) or "params" in found)


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_int=Decimal, parse_constant=str)
    except RecursionError as error:
        raise CampaignError(f"{where}: not a JSON file of Extra-P") from error
    except json.JSONDecodeError as error:
        line = f"{where}: line {error.lineno}" if error.lineno > 1 else where
        raise CampaignError(f"{line}: not JSON: {error.msg}") from error


def _read_nested(path: Path, document: Mapping[str, Any]) -> Experiment:
    experiment = Experiment(path, tuple(map(str, document["parameters"])))
    for call_path, metrics in document["measurements"].items():
        for metric, measurements in metrics.items():
            for measurement in measurements:
                where = f"{path}: {call_path}: {metric}"
                point = to_point(measurement["point"], experiment.parameters, where)
                values = _values(measurement["values"])
                where = f"{where}: point ({' '.join(point)})"
                experiment.add(metric, to_call_path(call_path), point, values, where, has_all=True)
    return experiment


def _read_listed(path: Path, document: Mapping[str, Any]) -> Experiment:
    names = {
        kind: {entry["id"]: str(entry["name"]) for entry in document[kind]}
        for kind in ("parameters", "callpaths", "metrics")
    }
    parameters = tuple(names["parameters"].values())
    points = {
        entry["id"]: _listed_point(entry, names["parameters"], f"{path}: coordinate {entry['id']}")
        for entry in document["coordinates"]
    }
    experiment = Experiment(path, parameters)
    for number, entry in enumerate(document["measurements"], 1):
        where = f"{path}: measurement {entry.get('id', number)}"
        try:
            point = points[entry["coordinate_id"]]
            call_path = to_call_path(names["callpaths"][entry["callpath_id"]])
            metric = names["metrics"][entry["metric_id"]]
        except KeyError as error:
            missing = error.args[0]
            raise CampaignError(f"{where}: refers to {missing}, which is not listed") from error
        experiment.add(metric, call_path, point, _values(entry["value"]), where)
    return experiment


def _listed_point(entry: Mapping[str, Any], parameters: Mapping[Any, str], where: str) -> Point:
    pairs = {
        pair["parameter_id"]: pair["parameter_value"] for pair in entry["parameter_value_pairs"]
    }
    found = [pairs[identifier] for identifier in parameters if identifier in pairs]
    return to_point(found, tuple(parameters.values()), where)


def _read_json_lines(path: Path, lines: Sequence[str]) -> Experiment:
    experiment = Experiment(path)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}: line {number}"
        entry = _parsed(line, where)
        if not isinstance(entry, dict) or not isinstance(entry.get("params"), dict):
            raise CampaignError(f"{where}: not an object with params and value")
        if entry.get("value") is None:
            raise CampaignError(f"{where}: there is no value")
        names = tuple(map(str, entry["params"]))
        experiment.parameters = experiment.parameters or names
        if set(names) != set(experiment.parameters):
            raise CampaignError(
                f"{where}: parameters are {', '.join(names)}, before they were "
                f"{', '.join(experiment.parameters)}"
            )
        coordinates = [entry["params"][name] for name in experiment.parameters]
        point = to_point(coordinates, experiment.parameters, where)
        region = entry.get("callpath", "")
        call_path = () if region in _ROOTS else to_call_path(str(region))
        metric = str(entry.get("metric", NO_METRIC))
        experiment.add(metric, call_path, point, _values(entry["value"]), where)
    return experiment


def _values(value: Any) -> list[Any]:
    """The repetitions: a list, or a single value."""
    return value if isinstance(value, list) else [value]
