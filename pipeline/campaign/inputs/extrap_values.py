"""What files for Extra-P hold, whichever their layout: values per metric, call path and point."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.parsing import parse_number, shortest_text

CallPath = tuple[str, ...]
Point = tuple[str, ...]
NO_METRIC = ""


@dataclass(frozen=True)
class Sample:
    """The values at a point, not looked at yet, and where each stands."""

    values: list[object] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


@dataclass
class Experiment:
    """Samples by metric and call path, then by point; a point is a text per parameter."""

    path: Path
    parameters: tuple[str, ...] = ()
    samples: dict[tuple[str, CallPath], dict[Point, Sample]] = field(default_factory=dict)

    @property
    def metrics(self) -> list[str]:
        """Names in order of appearance."""
        return list(dict.fromkeys(metric for metric, _ in self.samples))

    def of(self, metric: str) -> dict[CallPath, dict[Point, Sample]]:
        """The samples of one metric by call path."""
        return {path: found for (name, path), found in self.samples.items() if name == metric}

    def add(
        self, metric: str, call_path: CallPath, point: Point, values: Iterable[object], where: str
    ) -> None:
        """Add values at a point to those that are there."""
        sample = self.samples.setdefault((metric, call_path), {}).setdefault(point, Sample())
        for value in values:
            sample.values.append(value)
            sample.places.append(where)

    def has(self, metric: str, call_path: CallPath, point: Point) -> bool:
        return point in self.samples.get((metric, call_path), {})


def to_call_path(text: str) -> CallPath:
    """A call path from names with -> between them."""
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
