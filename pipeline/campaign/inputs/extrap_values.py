"""The content of files for Extra-P in any layout: values by metric, call path and point."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.parsing import parse_number, shortest_text

CallPath = tuple[str, ...]
Point = tuple[str, ...]
NO_METRIC = ""


Values = list[tuple[object, str]]
"""The unchecked values at a point, each with its place in the file."""


@dataclass
class Experiment:
    """Values by metric and call path, then by point: a text for each parameter."""

    path: Path
    parameters: tuple[str, ...] = ()
    samples: dict[tuple[str, CallPath], dict[Point, Values]] = field(default_factory=dict)

    @property
    def metrics(self) -> list[str]:
        """Names in the order of the file."""
        return list(dict.fromkeys(metric for metric, _ in self.samples))

    def of(self, metric: str) -> dict[CallPath, dict[Point, Values]]:
        """The values of one metric by call path and point."""
        return {path: found for (name, path), found in self.samples.items() if name == metric}

    def add(
        self, metric: str, call_path: CallPath, point: Point, values: Iterable[object], where: str
    ) -> None:
        """Add values at a point."""
        points = self.samples.setdefault((metric, call_path), {})
        points.setdefault(point, []).extend((value, where) for value in values)

    def has(self, metric: str, call_path: CallPath, point: Point) -> bool:
        return point in self.samples.get((metric, call_path), {})


def to_call_path(text: str) -> CallPath:
    """A call path from a text such as main->solve."""
    return tuple(name.strip() for name in text.split("->")) if text.strip() else ()


def to_point(coordinates: Sequence[object], parameters: Sequence[str], where: str) -> Point:
    """A point with a coordinate for every parameter."""
    if len(coordinates) != len(parameters):
        raise CampaignError(
            f"{where}: a point has {len(coordinates)} coordinates, but there are "
            f"{len(parameters)} parameters: {', '.join(parameters)}"
        )
    return tuple(
        shortest_text(parse_number(coordinate, where, name))
        for coordinate, name in zip(coordinates, parameters, strict=True)
    )
