"""Programs of data and clusters, written in a few words.

Phases get their kind as name. Ranges are (first, last), widths (low, high).
"""

from collections.abc import Sequence
from math import inf, prod
from typing import Any, Literal

from tracemill.programs.clusters.cluster import (
    Channel,
    Cluster,
    CollectiveRule,
    Level,
    Placement,
    UnitException,
)
from tracemill.programs.placed import (
    Alternative,
    Array,
    Branch,
    Collective,
    Copy,
    Exchange,
    Interval,
    Io,
    Loop,
    Neighbours,
    Parallel,
    Phase,
    Pipelined,
    PlacedProgram,
    Range,
    Reduction,
    Remote,
    Section,
    Serial,
    Wait,
    Widths,
    Work,
)


def channel(latency_ns: float, ns_per_byte: float, count: int = 1) -> Channel:
    """Channels alike."""
    return Channel(count=count, latency_ns=latency_ns, ns_per_byte=ns_per_byte)


def level(
    units: int, *channels: Channel, name: str = "cluster", links: int = 0, contention: bool = True
) -> Level:
    """A level of a cluster."""
    return Level(name, units, channels, contention, links)


def one_level(
    count: int = 1,
    *,
    cores: int = 8,
    latency_ns: float = 10,
    ns_per_byte: float = 1,
    links: int = 0,
    **given: Any,
) -> Cluster:
    """Cores joined by `count` channels."""
    joined = level(cores, channel(latency_ns, ns_per_byte, count), links=links)
    return cluster(joined, **given)


def cluster(
    *levels: Level,
    speed: float = 1,
    operations_per_s: float = 1e9,
    overhead_ns: float = 0,
    eager_limit_bytes: float = inf,
    exceptions: Sequence[UnitException] = (),
    placement: Placement | None = None,
    algorithm: str | None = None,
    collectives: Sequence[CollectiveRule] = (),
    storage: Sequence[Channel] = (),
) -> Cluster:
    """A cluster; `algorithm` is that of all its collectives."""
    rules = (*collectives, *([CollectiveRule(algorithm)] if algorithm else []))
    return Cluster(
        name="cluster",
        levels=levels,
        speed=speed,
        operations_per_s=operations_per_s,
        overhead_ns=overhead_ns,
        eager_limit_bytes=eager_limit_bytes,
        exceptions=tuple(exceptions),
        placement=placement or Placement(),
        collectives=rules,
        storage=tuple(storage),
    )


def array(
    name: str,
    *extent: int,
    on: Sequence[int | None] = (0,),
    element_bytes: int = 8,
    shadow: Widths | None = None,
) -> Array:
    """An array; `on` has the dimension of the grid for the first extents, others are whole."""
    distribution = tuple(on) + (None,) * (len(extent) - len(on))
    return Array(name, extent, element_bytes, distribution, shadow or ((1, 1),) * len(extent))


def program(
    grid: int | tuple[int, ...],
    *phases: Phase,
    arrays: Sequence[Array] = (),
    speed: float = 1,
    name: str = "program",
) -> PlacedProgram:
    """A program on a grid."""
    sizes = (grid,) if isinstance(grid, int) else grid
    by_name = {each.name: each for each in arrays}
    return PlacedProgram(name, "", sizes, speed, by_name, phases)


def serial(
    time: float,
    *,
    on: Literal["all", "first"] = "all",
    is_operations: bool = False,
    name: str = "serial",
) -> Serial:
    """A part that all or the first process run."""
    return Serial(name=name, work=Work(time, is_operations), on=on)


def serial_over(time: float, of: Array, over: Section | None = None) -> Serial:
    """A part run by those who have any of a section."""
    return Serial(name="serial", work=Work(time), on="section", array=of.name, over=over)


def parallel(
    time: float,
    of: Array | None = None,
    over: Section | None = None,
    *,
    is_operations: bool = False,
    name: str = "parallel",
) -> Parallel:
    """A parallel loop of so much time on one process."""
    section = None if of is None else over or of.whole
    work = Work(time, is_operations)
    return Parallel(name=name, work=work, array=of and of.name, over=section)


def iterations(time_ns: float, of: Array, over: Section | None = None) -> Parallel:
    """A parallel loop with the time of an iteration."""
    section = over or of.whole
    return parallel(time_ns * prod(last - first + 1 for first, last in section), of, section)


def exchange(
    *arrays: Array,
    width: Widths | None = None,
    corners: bool = False,
    nonblocking: bool = False,
    name: str = "exchange",
) -> Exchange:
    """Edges of arrays: of a width, or their shadows."""
    return Exchange(
        name=name,
        nonblocking=nonblocking,
        arrays=tuple(each.name for each in arrays),
        widths=tuple(width or each.shadow for each in arrays),
        corners=corners,
    )


def reduction(size: int = 8, of: Array | None = None, **given: Any) -> Reduction:
    """A reduction of all, or of those with a part of an array."""
    return Reduction(**{"name": "reduction", **given}, bytes=size, array=of and of.name)


def copy(
    source: Array,
    from_section: Section,
    target: Array,
    to_section: Section,
    order: Sequence[int] | None = None,
    **given: Any,
) -> Copy:
    """A copy from section to section."""
    longer = sum(last > first for first, last in from_section)
    return Copy(
        **{"name": "copy", **given},
        source=source.name,
        target=target.name,
        from_section=from_section,
        to_section=to_section,
        order=tuple(range(longer) if order is None else order),
    )


def remote(
    of: Array, section: Sequence[Range | None], by: Array | None = None, **given: Any
) -> Remote:
    """A section for all who have a part of `by`."""
    name = {"name": "remote", **given}
    return Remote(**name, array=of.name, section=tuple(section), by=(by or of).name)


def access(
    operation: Literal["read", "write"],
    of: Array | None = None,
    *,
    section: Section | None = None,
    size: int | None = None,
    mode: Literal["one", "each"] = "one",
    **given: Any,
) -> Io:
    """Reading or writing."""
    return Io(
        **{"name": "io", **given},
        operation=operation,
        array=of and of.name,
        section=None if of is None else section or of.whole,
        bytes=size,
        mode=mode,
    )


def neighbours(
    size: int, *offsets: tuple[int, ...], periodic: bool = False, **given: Any
) -> Neighbours:
    """Messages to neighbors in the grid."""
    name = {"name": "neighbours", **given}
    return Neighbours(**name, offsets=offsets, bytes=size, periodic=periodic)


def collective(operation: str, size: int, root: int = 0, **given: Any) -> Collective:
    """A collective of all processes."""
    return Collective(**{"name": "collective", **given}, operation=operation, bytes=size, root=root)


def pipelined(
    time: float,
    of: Array,
    widths: Widths,
    *,
    over: Section | None = None,
    along: int | None = None,
    quantum: int | None = None,
    name: str = "pipelined",
) -> Pipelined:
    """A pipelined loop of so much time on one process."""
    return Pipelined(
        name=name,
        work=Work(time),
        array=of.name,
        over=over or of.whole,
        widths=widths,
        along=along,
        quantum=quantum,
    )


def loop(count: int, *phases: Phase, name: str = "loop") -> Loop:
    """A serial outer loop."""
    return Loop(name=name, iterations=count, phases=phases)


def branch(*alternatives: tuple[float, Sequence[Phase]]) -> Branch:
    """Phases with their probabilities."""
    found = tuple(Alternative(chance, tuple(phases)) for chance, phases in alternatives)
    return Branch(name="branch", alternatives=found)


def interval(name: str, *phases: Phase) -> Interval:
    """A part whose characteristics are wanted."""
    return Interval(name=name, phases=phases)


def wait(of: str) -> Wait:
    """Completes a nonblocking operation."""
    return Wait(name="wait", of=of)


def mvs_15k() -> Cluster:
    """MVS-15K with the published parameters; numbers of channels and links are ours."""
    return cluster(
        level(2, channel(1_000, 1), name="node"), level(128, channel(7_000, 4, count=128), links=1)
    )
