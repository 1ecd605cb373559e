"""The part of an array that each process has: index by index, process by process."""

from itertools import product
from math import floor, prod

from tracemill.programs.placed import Array, PlacedProgram, Section

Coordinates = tuple[int, ...]


def rounded(duration: float) -> int:
    """A duration in whole ns."""
    return floor(duration + 0.5)


class Grid:
    """Processes of a grid; the last coordinate counts fastest."""

    def __init__(self, sizes: Coordinates) -> None:
        self.sizes = sizes
        self.count = prod(sizes)
        self.places = list(product(*(range(size) for size in sizes)))
        self.ranks = {place: rank for rank, place in enumerate(self.places)}

    def moved(self, rank: int, offsets: dict[int, int]) -> int | None:
        """The process at an offset in some dimensions, or None outside the grid."""
        place = list(self.places[rank])
        for dimension, offset in offsets.items():
            place[dimension] += offset
        return self.ranks.get(tuple(place))


class Parts:
    """Parts of arrays of a program."""

    def __init__(self, program: PlacedProgram) -> None:
        self.grid = Grid(program.grid)
        self.arrays = program.arrays

    def block(self, array: Array, extent: int, coordinate: int) -> range:
        """Indices of an extent that a coordinate has."""
        length, dimension = array.extent[extent], array.distribution[extent]
        if dimension is None:
            return range(length)
        size = -(-length // self.grid.sizes[dimension])
        return range(
            coordinate * size, max(coordinate * size, min((coordinate + 1) * size, length))
        )

    def own(self, name: str, rank: int, section: Section | None = None) -> list[range]:
        """Indices of each extent that a process has, of a section or of all."""
        array, ranges = self.arrays[name], []
        for extent, (first, last) in enumerate(section or self.arrays[name].whole):
            dimension = array.distribution[extent]
            place = 0 if dimension is None else self.grid.places[rank][dimension]
            block = self.block(array, extent, place)
            start = max(first, block.start)
            ranges.append(range(start, max(start, min(last + 1, block.stop))))
        return ranges

    def own_count(self, name: str, rank: int, section: Section | None = None) -> int:
        """Number of elements that a process has."""
        return prod(len(each) for each in self.own(name, rank, section))

    def first_of_equals(self, name: str, rank: int) -> bool:
        """Whether no lower process has the same part."""
        lies_on = set(self.arrays[name].distribution)
        place = self.grid.places[rank]
        return all(x == 0 for dimension, x in enumerate(place) if dimension not in lies_on)

    def holder(self, name: str, element: Coordinates, rank: int) -> int:
        """The process that gives an element: of equals the one with the own coordinates."""
        array, place = self.arrays[name], list(self.grid.places[rank])
        for extent, index in enumerate(element):
            dimension = array.distribution[extent]
            if dimension is not None:
                size = -(-array.extent[extent] // self.grid.sizes[dimension])
                place[dimension] = index // size
        return self.grid.ranks[tuple(place)]


def section_count(section: Section) -> int:
    """Number of elements of a section."""
    return prod(last - first + 1 for first, last in section)
