"""Pipelined loops from loops of wavefronts, with the arrays that give their edges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tracemill.forecast.from_traces.grids import Neighborhood, Offset
from tracemill.forecast.from_traces.steps import Repeat, Step
from tracemill.forecast.from_traces.text import Field, Table

FREE_EXTENT = 55_440
"""An extent that no message shows: it has shares alike on up to 12 processes, and many others."""
LEAST_OWN = 4
"""Elements are so small that every process has at least as many in an extent."""
MOST_DIMENSIONS = 2


@dataclass(frozen=True)
class Shape:
    """Extents, bytes of an element and widths of an array whose last extent are the steps."""

    extent: tuple[int, ...]
    element_bytes: int
    distribution: tuple[str, ...]
    width: tuple[tuple[int, int], ...]


def find_wavefront(repeat: Repeat) -> Step | None:
    """The only step of a loop if it is one of a wavefront."""
    (first, *others) = repeat.body
    is_wavefront = not others and isinstance(first, Step) and first.pattern.is_wavefront
    return first if is_wavefront and isinstance(first, Step) else None


def shape_of(
    neighborhoods: Sequence[Neighborhood], grid: Sequence[int], steps: int
) -> Shape | None:
    """An array with edges of these sizes; None if offsets are no wavefront on a grid of 1 or 2.

    The edge over a dimension is as long as the own part in the other one, or as an extent that is
    not distributed.
    """
    sizes = {offset: each.bytes for each in neighborhoods for offset in each.offsets}
    signs = {step for offset in sizes for step in offset if step}
    is_torus = any(each.is_periodic for each in neighborhoods)
    if is_torus or len(grid) > MOST_DIMENSIONS or len(signs) != 1 or abs(min(signs)) != 1:
        return None
    if any(sum(map(abs, offset)) != 1 for offset in sizes):
        return None
    cut = {_dimension(offset): size for offset, size in sizes.items()}
    side = (1, 0) if signs == {1} else (0, 1)
    widths = [side if dimension in cut else (0, 0) for dimension in range(len(grid))]
    if len(grid) == 1:
        element = _element([cut[0]])
        return Shape(
            (FREE_EXTENT, max(1, round(cut[0] / element)), steps), element,
            ("block", "whole", "whole"), (*widths, (0, 0), (0, 0)),
        )  # fmt: skip
    element = _element(list(cut.values()))
    extents = [
        max(grid[dimension], round(cut[1 - dimension] * grid[dimension] / element))
        if 1 - dimension in cut
        else FREE_EXTENT
        for dimension in (0, 1)
    ]
    return Shape((*extents, steps), element, ("block", "block", "whole"), (*widths, (0, 0)))


def _dimension(offset: Offset) -> int:
    return next(number for number, step in enumerate(offset) if step)


def _element(sizes: Sequence[float]) -> int:
    """Bytes of an element of edges of these sizes."""
    return next((each for each in (8, 4, 2) if min(sizes) >= LEAST_OWN * each), 1)


@dataclass
class Arrays:
    """The arrays of a program: those of the same shape are one, whatever the widths."""

    names: dict[Shape, str] = field(default_factory=dict)

    def name(self, shape: Shape) -> str:
        """The name of an array of that shape."""
        count = len(self.names) + 1
        new = "wavefront" if count == 1 else f"wavefront {count}"
        return self.names.setdefault(replace(shape, width=()), new)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Their descriptions."""
        return tuple(
            Table(
                {
                    "name": name,
                    "extent": list(shape.extent),
                    "element_bytes": shape.element_bytes,
                    "distribution": list(shape.distribution),
                }
            )
            for shape, name in self.names.items()
        )


def pipelined(
    name: str, array: str, shape: Shape, shared: Sequence[Table], message_text: str
) -> Table:
    """A pipelined loop that computes the shared parts, one step after the other."""
    times = [float(str(part.fields["time_ns"])) for part in shared]
    fields: Mapping[str, Field] = {
        "kind": "pipelined",
        "name": name,
        "array": array,
        "time_ns": sum(times),
        "width": [list(each) for each in shape.width],
        "along": len(shape.extent) - 1,
        "quantum": 1,
    }
    comments = [comment for part in shared for comment in part.comments]
    return Table(fields, (*comments, message_text))
