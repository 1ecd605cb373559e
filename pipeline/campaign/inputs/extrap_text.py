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


@dataclass
class _State:
    """The state after a line: its metric, its call path, and the number of its next point."""

    experiment: Experiment
    points: list[Point] = field(default_factory=list)
    metric: str = NO_METRIC
    call_path: CallPath = ()
    next_point: int = 0
    opened: str = ""

    def open(self, where: str) -> None:
        """Begin again with the first point."""
        self.close()
        self.next_point, self.opened = 0, where

    def close(self) -> None:
        """Raise CampaignError if only some of the points have data."""
        if 0 < self.next_point < len(self.points):
            raise CampaignError(
                f"{self.opened}: {self.next_point} lines of DATA for {len(self.points)} points"
            )


def read_extrap_text(path: Path, lines: Sequence[str]) -> Experiment:
    """Read the lines of a text file. Raises CampaignError that names the line."""
    state = _State(Experiment(path))
    for where, keyword, rest in _statements(path, lines):
        match keyword:
            case "PARAMETER":
                _refuse_after_data(state, where)
                state.experiment.parameters += tuple(rest.split())
            case "POINTS":
                _refuse_after_data(state, where)
                state.points += _points(state.experiment.parameters, rest, where)
            case "REGION":
                state.open(where)
                state.call_path = to_call_path(rest)
            case "METRIC":
                state.open(where)
                state.metric = rest
            case _:
                _add_data(state, rest.split(), where)
    state.close()
    if not state.experiment.samples:
        raise CampaignError(f"{path}: no measurements: there is no line of DATA")
    return state.experiment


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
            raise CampaignError(f"{where}: nothing stands after {keyword}")
        yield where, keyword, rest[0].strip()


def _refuse_after_data(state: _State, where: str) -> None:
    if state.experiment.samples:
        raise CampaignError(f"{where}: PARAMETER and POINTS stand before all DATA")


def _points(parameters: Sequence[str], rest: str, where: str) -> Iterator[Point]:
    """Points from a list of coordinates, with or without parentheses."""
    if not parameters:
        raise CampaignError(f"{where}: PARAMETER has to stand before POINTS")
    numbers = [text for text in _SIGNS.split(rest) if text]
    width = len(parameters)
    if len(numbers) % width:
        raise CampaignError(
            f"{where}: {len(numbers)} coordinates are no points of {width} parameters: "
            f"{', '.join(parameters)}"
        )
    for start in range(0, len(numbers), width):
        yield to_point(numbers[start : start + width], parameters, where)


def _add_data(state: _State, values: Sequence[str], where: str) -> None:
    if state.next_point >= len(state.points):
        raise CampaignError(f"{where}: more lines of DATA than the {len(state.points)} points")
    point = state.points[state.next_point]
    if state.experiment.has(state.metric, state.call_path, point):
        raise CampaignError(
            f"{where}: the point ({' '.join(point)}) has data already: "
            "a point stands once, with all its repetitions in a line"
        )
    state.experiment.add(state.metric, state.call_path, point, values, where)
    state.next_point += 1
