"""Parts of a run that a what-if scales, named by selectors."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import UsageError
from tracemill.base.names import find_name
from tracemill.base.near import did_you_mean, near_matches
from tracemill.schemas.overheads import TAXONOMY
from tracemill.stages.activity_rows import Activities, Paths
from tracemill.stages.arrays import Flags, Numbers

_CLASSES = ("computation", "mpi", "mpi:point-to-point", "mpi:collective", "threads", "messages")
_SHOWN = 6
_COLLECTIVE = ("collective", "barrier")
_OF_PROGRAM = (
    "user code", "outside visits", "no rule", "measurement", "local memory", "device memory", "I/O",
)  # fmt: skip


class Names(NamedTuple):
    """Names of a run that selectors use, with their numbers.

    Regions have several numbers if several have one name. `rank`, `thread` and `node` are those of
    each location of the graph.
    """

    regions: Mapping[str, Sequence[int]]
    mpi_regions: frozenset[int]
    paths: Mapping[str, int]
    rank: Numbers
    thread: Numbers
    node: Sequence[str]


class Received(NamedTuple):
    """Activities that end with completing a message: its bytes, and whether it left its node."""

    activity: Numbers
    bytes: Numbers
    is_between: Flags


class Scaled(NamedTuple):
    """All that selectors choose from."""

    found: Activities
    paths: Paths
    is_computation: Flags
    names: Names
    received: Received


def parse_scale(text: str) -> tuple[str, float]:
    """Selector and factor of `SELECTOR=FACTOR`; raises UsageError."""
    selector, equals, number = text.rpartition("=")
    advice = "write SELECTOR=FACTOR, such as solve=0.5"
    if not equals or not selector.strip():
        raise UsageError(f"--scale {text}: no factor: {advice}")
    try:
        factor = float(number)
    except ValueError as error:
        raise UsageError(
            f"--scale {text}: {number or 'nothing'} is not a number: {advice}"
        ) from error
    if not math.isfinite(factor) or factor < 0:
        raise UsageError(f"--scale {text}: the factor must be 0 or more, and finite")
    return selector.strip(), factor


def scaled_times(
    scaled: Scaled, scales: Iterable[tuple[str, float]]
) -> tuple[Numbers, NDArray[np.float64]]:
    """Duration of every activity with all factors, rounded once, and the times of its rows.

    Raises UsageError for unknown names.
    """
    found = scaled.found
    factor = np.ones(len(found.row_time))
    for selector, value in sorted(scales):  # so that rounding does not depend on the order
        factor[_select(scaled, selector)] *= value
    times = found.row_time * factor
    is_whole = factor == 1
    whole = found.sum_rows(np.where(is_whole, found.row_time, 0))
    parts = np.bincount(found.row_activity, np.where(is_whole, 0.0, times), len(found.end))
    return whole + np.floor(parts + 0.5).astype(np.int64), times


def _select(scaled: Scaled, selector: str) -> Flags:
    """Rows of times that a selector names."""
    for start, choose in _SELECTORS.items():
        if selector.startswith(start):
            return choose(scaled, selector.removeprefix(start))
    if selector.partition(">")[0] == "messages" or selector in _CLASSES:
        return _of_class(scaled, selector)
    return _region(scaled, selector)


def _region(scaled: Scaled, name: str) -> Flags:
    """A region and what it calls, without MPI; or the calls of an MPI function."""
    numbers = _number_regions(scaled, name)
    is_mpi_call = all(each in scaled.names.mpi_regions for each in numbers)
    tops = np.flatnonzero(np.isin(scaled.paths.region, numbers))
    chosen = np.zeros(len(scaled.paths.region), np.bool_)
    for top in tops:
        chosen[top : scaled.paths.last[top] + 1] = True
    return (chosen & (scaled.paths.is_mpi == is_mpi_call))[scaled.found.row_path]


def _own(scaled: Scaled, name: str) -> Flags:
    numbers = _number_regions(scaled, name)
    return np.isin(scaled.paths.region, numbers)[scaled.found.row_path]


def _number_regions(scaled: Scaled, name: str) -> Sequence[int]:
    regions = scaled.names.regions
    full = find_name(name, regions)
    if full not in regions:
        if find_name(name.removesuffix("/**"), scaled.names.paths) in scaled.names.paths:
            raise UsageError(f"--scale: no region {name}: it is a call path: write path:{name}")
        _fail("region", name, (*regions, *_CLASSES))
    return regions[full]


def _path(scaled: Scaled, text: str) -> Flags:
    is_tree = text.endswith("/**")
    path = find_name(text.removesuffix("/**"), scaled.names.paths)
    if path not in scaled.names.paths:
        _fail("call path", path, scaled.names.paths)
    top = scaled.names.paths[path]
    last = scaled.paths.last[top] if is_tree else top
    return (scaled.found.row_path >= top) & (scaled.found.row_path <= last)


def _rank(scaled: Scaled, text: str) -> Flags:
    rank, _, region = text.partition("/")
    known = [str(each) for each in dict.fromkeys(scaled.names.rank.tolist()) if each >= 0]
    if rank not in known:
        _fail("rank", rank, known)
    is_there = _at(scaled, scaled.names.rank == int(rank))
    return is_there & (_region(scaled, region) if region else scaled.is_computation)


def _location(scaled: Scaled, text: str) -> Flags:
    pairs = zip(scaled.names.rank.tolist(), scaled.names.thread.tolist(), strict=True)
    known = [f"{rank}.{thread}" for rank, thread in pairs]
    if text not in known:
        _fail("location", text, known)
    return _at(scaled, np.array(known) == text) & scaled.is_computation


def _node(scaled: Scaled, text: str) -> Flags:
    if text not in scaled.names.node:
        _fail("node", text, dict.fromkeys(scaled.names.node))
    return _at(scaled, np.array(scaled.names.node) == text) & scaled.is_computation


def _at(scaled: Scaled, locations: Flags) -> Flags:
    return scaled.found.by_row(locations[scaled.found.graph.location])


def _of_class(scaled: Scaled, name: str) -> Flags:
    path = scaled.found.row_path
    if name == "computation":
        return scaled.is_computation
    if name == "mpi":
        return scaled.paths.is_mpi[path]
    # The last part is that of the class -1: time outside of visits.
    parts = np.array([each.part for each in TAXONOMY] + ["outside visits"])
    part = parts[scaled.paths.overhead]
    if name == "mpi:point-to-point":
        return (scaled.paths.is_mpi & (part == "point-to-point"))[path]
    if name == "mpi:collective":
        return (scaled.paths.is_mpi & np.isin(part, _COLLECTIVE))[path]
    if name == "threads":
        return (~scaled.paths.is_mpi & ~np.isin(part, _OF_PROGRAM))[path]
    return _messages(scaled, name.removeprefix("messages"))


def _messages(scaled: Scaled, which: str) -> Flags:
    """Durations of calls that complete receives, or sends that waited for their receivers."""
    received = scaled.received
    if which in ("", ":inside", ":between"):
        chosen = np.ones(len(received.activity), np.bool_)
        if which:
            chosen = received.is_between == (which == ":between")
    elif which.startswith(">") and which[1:].isdigit():
        chosen = received.bytes > int(which[1:])
    else:
        _fail("selector", f"messages{which}", ("messages:inside", "messages:between", "messages>0"))
    activities = np.zeros(len(scaled.found.end), np.bool_)
    activities[received.activity[chosen]] = True
    return scaled.found.by_row(activities) & scaled.paths.is_mpi[scaled.found.row_path]


def _fail(kind: str, name: str, known: Iterable[str]) -> NoReturn:
    names = list(known)
    advice = did_you_mean(near_matches(name, names))
    if not advice:
        more = ", …" if len(names) > _SHOWN else ""
        advice = f"present: {', '.join(names[:_SHOWN])}{more}"
    raise UsageError(f"--scale: no {kind} {name}: {advice}")


_SELECTORS: Mapping[str, Callable[[Scaled, str], Flags]] = {
    "own:": _own,
    "path:": _path,
    "rank:": _rank,
    "location:": _location,
    "node:": _node,
    "messages:": lambda scaled, text: _messages(scaled, f":{text}"),
}
