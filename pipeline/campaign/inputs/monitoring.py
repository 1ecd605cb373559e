"""Monitoring data of runs: characteristics that a trace does not hold, such as power."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.campaign.inputs.parsing import parse_number
from tracemill.campaign.mistakes import Mistakes

RUN_COLUMNS = ("trace", "label")
_COLUMNS = ("characteristic", "value", "unit")

Names = Mapping[str, set[str]]
"""Labels of runs by the names that they may have in a file."""


@dataclass(frozen=True)
class Monitored:
    """A characteristic of a run, and its line in the file."""

    characteristic: str
    value: float
    unit: str
    line: int


def read_monitoring(
    path: Path, names: Names, mistakes: Mistakes
) -> dict[str, tuple[Monitored, ...]]:
    """Characteristics of runs by label. Raises MissingInputError, or CampaignError with mistakes.

    A CSV file with a column `trace` or `label`, and columns characteristic, value and unit.
    """
    found: dict[str, dict[str, Monitored]] = {}
    units: dict[str, Monitored] = {}
    for line, row in _rows(path):
        with mistakes.collecting():
            label, read = _read(f"{path}: line {line}", line, row, names)
            own = found.setdefault(label, {})
            _check(f"{path}: line {line}", read, own, units)
            own[read.characteristic] = read
    mistakes.report()
    return {label: tuple(own.values()) for label, own in found.items()}


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            present = rows.fieldnames or ()
            lacking = [name for name in _COLUMNS if name not in present]
            if lacking or not any(name in present for name in RUN_COLUMNS):
                raise CampaignError(
                    f"{path}: line 1: columns are {', '.join(present) or 'missing'}: name them "
                    f"trace or label, {', '.join(_COLUMNS)}"
                )
            for row in rows:
                yield rows.line_num, row
    except OSError as error:
        raise MissingInputError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise CampaignError(f"{path}: not a CSV file in UTF-8: {error}") from error


def _read(where: str, line: int, row: dict[str, str], names: Names) -> tuple[str, Monitored]:
    if None in row or None in row.values():
        raise CampaignError(f"{where}: not as many cells as the first line")
    cells = {name: text.strip() for name, text in row.items()}
    run = next((cells[name] for name in RUN_COLUMNS if cells.get(name)), "")
    labels = names.get(run, set())
    if len(labels) != 1:
        raise CampaignError(f"{where}: {_describe_unknown(run, labels, names)}")
    if not cells["characteristic"]:
        raise CampaignError(f"{where}: no characteristic is named")
    value = float(parse_number(cells["value"], where, "value"))
    return min(labels), Monitored(cells["characteristic"], value, cells["unit"], line)


def _describe_unknown(run: str, labels: Iterable[str], names: Names) -> str:
    if not run:
        return "no run is named"
    if several := sorted(labels):
        return f"{run} fits several runs: {', '.join(several[:3])}: name the path of the trace"
    advice = did_you_mean(near_matches(run, names)) or f"runs are {', '.join(sorted(names)[:3])} …"
    return f"the campaign has no run {run}: {advice}"


def _check(
    where: str, read: Monitored, own: Mapping[str, Monitored], units: dict[str, Monitored]
) -> None:
    """Raise CampaignError for a second value or another unit of a characteristic."""
    name = read.characteristic
    if name in own:
        raise CampaignError(f"{where}: {name} of this run is already in line {own[name].line}")
    first = units.setdefault(name, read)
    if first.unit != read.unit:
        raise CampaignError(
            f"{where}: {name} is in {read.unit or 'no unit'}, but in {first.unit or 'no unit'} in "
            f"line {first.line}"
        )
