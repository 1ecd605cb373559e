"""Extra-P's text files.

    PARAMETER p n
    POINTS (4 100) (8 100) (16 100)
    REGION main->solve
    METRIC time
    DATA 8.31 8.02 8.14

Several lines of PARAMETER or POINTS add up. A line of DATA holds the repetitions at one point. The
first line of DATA after a REGION or METRIC belongs to the first point.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.extrap_values import (
    NO_METRIC,
    CallPath,
    Experiment,
    Point,
    to_call_path,
    to_point,
)

KEYWORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")
_SIGNS = re.compile(r"[(),\s]+")


@dataclass(frozen=True)
class _Block:
    """The lines of DATA of a call path and metric, with their places."""

    where: str
    metric: str
    call_path: CallPath
    data: list[tuple[str, list[str]]] = field(default_factory=list)


def read_extrap_text(path: Path, lines: Sequence[str]) -> Experiment:
    """Read the lines of a text file. Raises CampaignError that names the line."""
    experiment, points = Experiment(path), list[Point]()
    blocks = [_Block(str(path), NO_METRIC, ())]
    for where, keyword, rest in _statements(path, lines):
        last = blocks[-1]
        match keyword:
            case "DATA":
                last.data.append((where, rest.split()))
            case "REGION":
                blocks.append(_Block(where, last.metric, to_call_path(rest)))
            case "METRIC":
                blocks.append(_Block(where, rest, last.call_path))
            case _ if any(block.data for block in blocks):
                raise CampaignError(f"{where}: write PARAMETER and POINTS before all DATA")
            case "PARAMETER":
                experiment.parameters += tuple(rest.split())
            case _:
                points += _points(experiment.parameters, rest, where)
    for block in blocks:
        _add_data(experiment, block, points)
    if not experiment.samples:
        raise CampaignError(f"{path}: no measurements: write lines of DATA")
    return experiment


def is_extrap_text(lines: Sequence[str]) -> bool:
    """Whether the first line that is not empty or a comment begins with a keyword."""
    first = next((line for line in lines if line.strip() and line[0] != "#"), "")
    return first.split(maxsplit=1)[0] in KEYWORDS if first else False


def _statements(path: Path, lines: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Place, keyword and rest of the line of each statement."""
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        keyword, *rest = line.split(maxsplit=1)
        where = f"{path}: line {number}"
        if keyword not in KEYWORDS:
            raise CampaignError(
                f"{where}: unknown keyword {keyword[:40]!r}: keywords are {', '.join(KEYWORDS)}"
            )
        if not rest:
            raise CampaignError(f"{where}: {keyword} is empty")
        yield where, keyword, rest[0].strip()


def _points(parameters: Sequence[str], rest: str, where: str) -> Iterator[Point]:
    """Points from a list of coordinates, with or without parentheses."""
    if not parameters:
        raise CampaignError(f"{where}: write PARAMETER before POINTS")
    numbers = [text for text in _SIGNS.split(rest) if text]
    width = len(parameters)
    if len(numbers) % width:
        raise CampaignError(
            f"{where}: {len(numbers)} coordinates do not make points of {width} parameters: "
            f"{', '.join(parameters)}"
        )
    for start in range(0, len(numbers), width):
        yield to_point(numbers[start : start + width], parameters, where)


def _add_data(experiment: Experiment, block: _Block, points: Sequence[Point]) -> None:
    if len(block.data) > len(points):
        where, _ = block.data[len(points)]
        raise CampaignError(f"{where}: more lines of DATA than the {len(points)} points")
    if block.data and len(block.data) < len(points):
        raise CampaignError(
            f"{block.where}: {len(block.data)} lines of DATA for {len(points)} points"
        )
    for point, (where, values) in zip(points, block.data, strict=bool(block.data)):
        experiment.add(block.metric, block.call_path, point, values, where, has_all=True)
