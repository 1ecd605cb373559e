"""Fit messages to offsets of a grid of processes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import ProgramError
from tracemill.forecast.from_traces.recording import ADVICE, describe_ranks

MOST_DIMENSIONS = 4
SAME_SIZE = 1.5
"""Messages to one offset are alike in size if the longest has at most this factor more."""

Pairs = tuple[tuple[int, int, int], ...]
Offset = tuple[int, ...]


@dataclass(frozen=True)
class Channels:
    """Messages of an operation: pairs (sender, receiver, count), and mean bytes of each message."""

    call_path: str
    pairs: Pairs
    message_bytes: tuple[float, ...]


@dataclass(frozen=True)
class Neighborhood:
    """Offsets with messages of as many bytes; all messages to one offset count as one."""

    offsets: tuple[Offset, ...]
    bytes: float
    is_periodic: bool


@dataclass(frozen=True)
class _Fitted:
    """Mean bytes by offset and whether it wraps around, and whether sizes are alike."""

    sizes: Mapping[tuple[Offset, bool], float]
    is_alike: bool


def fit(channels: Channels, grid: Sequence[int]) -> tuple[Neighborhood, ...]:
    """The messages as offsets of a grid, by size. Raises ProgramError if they are irregular."""
    fitted = _fit(channels, grid)
    if fitted is None:
        sender, receiver, _ = _odd_pair(channels, grid)
        size = "×".join(map(str, grid))
        raise ProgramError(
            f"messages of {channels.call_path} are irregular on a grid of {size}: rank {sender} "
            f"sends to {receiver}, but not all ranks do so to the same offset: {ADVICE}"
        )
    return tuple(_by_size(fitted))


def choose_grid(
    operations: Sequence[Channels],
    process_count: int,
    recorded: Sequence[tuple[int, ...]] = (),
    dimensions: int | None = None,
) -> tuple[int, ...]:
    """The grid that all messages fit; one recorded, else that with the fewest offsets.

    Ties: messages of a size to each offset, fewer dimensions, most compact. `dimensions` limits
    the choice to grids of so many. Raises ProgramError.
    """
    for grid in recorded:
        if dimensions in (None, len(grid)) and all(_fit(each, grid) for each in operations):
            return grid
    ranked = []
    for grid in _candidates(process_count, dimensions):
        fitted = [_fit(each, grid) for each in operations]
        if all(fitted):
            ranked.append((_cost([each for each in fitted if each], grid), grid))
    if not ranked:
        raise _irregular(operations, process_count, dimensions)
    return min(ranked)[1]


def _candidates(process_count: int, dimensions: int | None) -> Iterator[tuple[int, ...]]:
    """Grids of so many processes; of given dimensions, the last ones may have one process."""
    for grid in factorizations(process_count, max(MOST_DIMENSIONS, dimensions or 0)):
        if dimensions is None:
            yield grid
        elif len(grid) <= dimensions:
            yield (*grid, *[1] * (dimensions - len(grid)))


def factorizations(count: int, most: int = MOST_DIMENSIONS) -> Iterator[tuple[int, ...]]:
    """All grids of so many processes without dimensions of one process; (1,) for one."""
    yield (count,)
    if most > 1:
        for first in range(2, count // 2 + 1):
            if count % first == 0:
                for others in factorizations(count // first, most - 1):
                    yield (first, *others)


def _cost(fitted: Sequence[_Fitted], grid: Sequence[int]) -> tuple[object, ...]:
    """Reasons against a grid, most important first."""
    offsets = {offset for each in fitted for offset, _ in each.sizes}
    return (
        not all(each.is_alike for each in fitted),
        len(offsets),
        sum(abs(step) for offset in offsets for step in offset),
        len(grid),
        sum(grid),
        tuple(-size for size in grid),
    )


def _fit(channels: Channels, grid: Sequence[int]) -> _Fitted | None:
    """The operation with offsets that all processes use; wrap-around only if it is shorter."""
    fits = [each for each in (False, True) if _fits(channels.pairs, grid, each)]
    if not fits:
        return None
    reach = {
        each: int(np.abs(_offsets(channels.pairs, grid, each)).sum(axis=1).max()) for each in fits
    }
    is_periodic = min(fits, key=lambda each: (reach[each], each))
    offsets = _offsets(channels.pairs, grid, is_periodic)
    unique, which = np.unique(offsets, axis=0, return_inverse=True)
    return _fitted(channels, grid, unique, which.reshape(-1), is_periodic)


def _fits(pairs: Pairs, grid: Sequence[int], is_periodic: bool) -> bool:
    """Whether each offset of a message is used by all processes that can use it."""
    unique, counts = np.unique(_offsets(pairs, grid, is_periodic), axis=0, return_counts=True)
    if is_periodic:
        return bool(np.all(counts == prod(grid)))
    wanted = np.prod(np.maximum(np.array(grid) - np.abs(unique), 0), axis=1)
    return np.array_equal(counts, wanted)


def _offsets(pairs: Pairs, grid: Sequence[int], is_periodic: bool) -> NDArray[np.int64]:
    """Offset of each pair; with wrap-around the shortest way, forward if both are as short."""
    ends = np.array(pairs, np.int64)[:, :2]
    coordinates = [np.array(np.unravel_index(ends[:, side], grid)).T for side in (0, 1)]
    offsets = coordinates[1] - coordinates[0]
    if is_periodic:
        sizes = np.array(grid)
        offsets = offsets % sizes
        offsets = np.where(2 * offsets > sizes, offsets - sizes, offsets)
    return np.asarray(offsets, np.int64)


def _fitted(
    channels: Channels,
    grid: Sequence[int],
    unique: NDArray[np.int64],
    which: NDArray[np.int64],
    is_periodic: bool,
) -> _Fitted:
    counts = np.array([count for _, _, count in channels.pairs], np.int64)
    means = np.array(channels.message_bytes, np.float64) * counts
    sizes: dict[tuple[Offset, bool], float] = {}
    is_alike = True
    for number, steps in enumerate(unique.tolist()):
        own = means[which == number]
        is_alike = is_alike and bool(own.max() <= SAME_SIZE * own.min())
        if _is_both_ways(steps, grid, counts[which == number]):
            for sign in (1, -1):
                sizes[tuple(sign * step for step in steps), True] = float(own.mean()) / 2
        else:
            sizes[tuple(steps), is_periodic] = float(own.mean())
    return _Fitted(sizes, is_alike)


def _is_both_ways(steps: Sequence[int], grid: Sequence[int], counts: NDArray[np.int64]) -> bool:
    """Whether two messages go to the only other process of a dimension: one each way round."""
    used = [size for step, size in zip(steps, grid, strict=True) if step]
    return used == [2] and bool(np.all(counts % 2 == 0))


def _by_size(fitted: _Fitted) -> Iterable[Neighborhood]:
    """Offsets with almost as many bytes together, the longest messages first."""
    groups: list[list[tuple[Offset, bool]]] = []
    for each in sorted(fitted.sizes, key=lambda each: (each[1], fitted.sizes[each], each[0])):
        last = groups[-1][0] if groups else None
        is_same = last is not None and last[1] == each[1]
        if last and is_same and fitted.sizes[each] <= 1.1 * fitted.sizes[last]:
            groups[-1].append(each)
        else:
            groups.append([each])
    for group in reversed(groups):
        mean = sum(fitted.sizes[each] for each in group) / len(group)
        yield Neighborhood(tuple(sorted(offset for offset, _ in group)), mean, group[0][1])


def _odd_pair(channels: Channels, grid: Sequence[int]) -> tuple[int, int, int]:
    """A pair of the offset that the fewest processes use."""
    offsets = _offsets(channels.pairs, grid, False)
    unique, which, counts = np.unique(offsets, axis=0, return_inverse=True, return_counts=True)
    wanted = np.prod(np.array(grid) - np.abs(unique), axis=1)
    rarest = int(np.argmin(counts / wanted))
    return channels.pairs[int(np.flatnonzero(which.reshape(-1) == rarest)[0])]


def _irregular(
    operations: Sequence[Channels], process_count: int, dimensions: int | None
) -> ProgramError:
    """The error for messages that fit no grid."""
    which = "any grid"
    if dimensions is not None:
        which += f" of {dimensions} dimension{'s' if dimensions > 1 else ''}"
    for each in operations:
        if not any(_fit(each, grid) for grid in _candidates(process_count, dimensions)):
            first = each.pairs[0][0]
            to = [receiver for sender, receiver, _ in each.pairs if sender == first]
            return ProgramError(
                f"messages of {each.call_path} are irregular: they are no offsets of {which} with "
                f"{process_count} processes (rank {first} sends to {describe_ranks(to)}): {ADVICE}"
            )
    return ProgramError(
        f"the messages of all call paths together do not fit {which} with {process_count} "
        f"processes: give one with --grid or {ADVICE}"
    )
