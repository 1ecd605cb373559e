"""The content of a file for Extra-P in any layout: values by metric, call path and point."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import CampaignError
from tracemill.campaign.inputs.parsing import parse_number, shortest_text

CallPath = tuple[str, ...]
Point = tuple[str, ...]
NO_METRIC = ""


@dataclass
class Experiment:
    """Unchecked values and their places in the file, by metric, call path and point.

    A point is a text for each parameter.
    """

    path: Path
    parameters: tuple[str, ...] = ()
    samples: dict[str, dict[CallPath, dict[Point, list[tuple[object, str]]]]] = field(
        default_factory=dict
    )

    def add(
        self,
        metric: str,
        call_path: CallPath,
        point: Point,
        values: Iterable[object],
        where: str,
        *,
        has_all: bool = False,
    ) -> None:
        """Add values at a point; an error if they should be all, but the point has others."""
        points = self.samples.setdefault(metric, {}).setdefault(call_path, {})
        if has_all and point in points:
            raise CampaignError(
                f"{where}: point ({' '.join(point)}) is listed twice: list all its values together"
            )
        points.setdefault(point, []).extend((value, where) for value in values)


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
