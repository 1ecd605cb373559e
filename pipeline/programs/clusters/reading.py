"""Descriptions of clusters: TOML files, with checks of every field."""

import dataclasses
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracemill.base.errors import ProgramError
from tracemill.programs.clusters.cluster import (
    ALGORITHMS,
    Channel,
    Cluster,
    CollectiveRule,
    Level,
    Placement,
    UnitException,
)
from tracemill.programs.language.fields import (
    TableReader,
    choice,
    custom,
    declare,
    number,
    positive,
    read_toml,
    words,
)
from tracemill.programs.operations import OPERATIONS

CORE = "core"
"""Level of cores in exceptions; no level may have this name."""


def _read_units(given: Any, where: str) -> tuple[int, ...]:
    """Numbers of units from a list such as [4, "8..15"]."""
    if not isinstance(given, list) or not given:
        raise ProgramError(f'{where}: give a list of units, as in [4, "8..15"]')
    units: list[int] = []
    for each in given:
        first, dots, last = each.partition("..") if isinstance(each, str) else (each, "", "")
        if isinstance(each, int) and not isinstance(each, bool):
            units.append(each)
        elif dots and first.isdecimal() and last.isdecimal() and int(first) <= int(last):
            units.extend(_span(int(first), int(last), where))
        else:
            raise ProgramError(f'{where}: {each!r} is no unit: write 4 or "8..15"')
    return tuple(units)


def _span(first: int, last: int, where: str) -> range:
    if last - first >= _MOST_UNITS:
        raise ProgramError(f"{where}: {first}..{last} are more than {_MOST_UNITS:,} units")
    return range(first, last + 1)


def _read_cores(given: Any, where: str) -> tuple[int, ...]:
    """Numbers of cores, all different."""
    if not isinstance(given, list) or not given:
        raise ProgramError(f"{where}: give a list of cores, as in [0, 2, 4]")
    for each in given:
        if not isinstance(each, int) or isinstance(each, bool):
            raise ProgramError(f"{where}: give whole numbers, not {each!r}")
    for each, times in Counter(given).items():
        if times > 1:
            raise ProgramError(f"{where}: core {each} is listed {times} times")
    return tuple(given)


_MOST_UNITS = 10**6


@dataclass(frozen=True, kw_only=True)
class ChannelTable:
    """Channels alike: a transfer takes `latency_ns` + `ns_per_byte` × bytes of one of them."""

    count: int = number(1, 1, 10**6, "number of channels")
    latency_ns: float = number(0.0, 0, 10**12, "time of a transfer without data")
    ns_per_byte: float = number(0.0, 0, 10**9, "time per byte")


@dataclass(frozen=True, kw_only=True)
class LevelTable:
    """A level of units; the first joins cores, the last is the whole cluster."""

    name: str = declare(meaning="name of a unit, such as node; not `core`")
    units: int = number(
        dataclasses.MISSING, 1, 10**9, "units of the level below (cores at first) in a unit"
    )
    contention: bool = declare(
        True, "`false`: transfers never wait for a channel; the one with the shortest time counts"
    )
    links: int = number(
        0, 0, 10**6, "links into, and as many out of, each unit of the level below; 0: no limit"
    )
    channels: tuple[ChannelTable, ...] = declare(
        meaning="channels that every unit has; tables may differ", key="channel"
    )


@dataclass(frozen=True, kw_only=True)
class ExceptionTable:
    """Units that differ from the others of their level."""

    level: str = declare(meaning="a level's name, or `core`")
    units: tuple[int, ...] = custom(
        dataclasses.MISSING,
        _read_units,
        "list of units",
        'units of the whole cluster: `[4, "8..15"]`',
    )
    speed: float = positive(1.0, "factor on the speed of their cores; factors multiply")
    channels: tuple[ChannelTable, ...] = declare(
        (), "their channels instead of the level's; the last exception counts", key="channel"
    )


@dataclass(frozen=True, kw_only=True)
class PlacementTable:
    """Cores of processes."""

    order: str = choice(
        "block", "block", "cyclic",
        meaning="`block`: process i on core i; `cyclic`: on the next core of unit i mod U",
    )  # fmt: skip
    level: str | None = declare(None, "level of the U units of `cyclic`")
    cores: tuple[int, ...] | None = custom(
        None, _read_cores, "list of cores", "core of each process, instead of an order"
    )


@dataclass(frozen=True, kw_only=True)
class CollectiveTable:
    """Algorithm of collectives; the first table that fits counts."""

    operations: list[str] = words(
        (), *OPERATIONS, meaning="MPI names without MPI_; reductions are `allreduce`; none: all"
    )
    to_bytes: float = number(math.inf, 0, math.inf, "only for so many bytes or fewer")
    algorithm: str = choice(
        dataclasses.MISSING, *ALGORITHMS, meaning="`star` passes everything through one process"
    )


@dataclass(frozen=True, kw_only=True)
class StorageTable:
    """The file system."""

    channels: tuple[ChannelTable, ...] = declare((), "channels of the file system", key="channel")


@dataclass(frozen=True, kw_only=True)
class ClusterTable:
    """A cluster."""

    name: str = declare("", "for reports; default: the name of the file")
    speed: float = positive(1.0, "of a core, in the unit of the program's `speed`")
    operations_per_s: float = positive(1e9, "operations per second of a core of speed 1")
    overhead_ns: float = number(0.0, 0, 10**12, "time of each start of an operation")
    eager_limit_bytes: float = number(
        math.inf, 0, math.inf, "longer transfers wait for their receiver; default: none does"
    )
    levels: tuple[LevelTable, ...] = declare((), "from the innermost to the cluster", key="level")
    exceptions: tuple[ExceptionTable, ...] = declare((), "units that differ", key="exception")
    placement: PlacementTable = declare(PlacementTable(), "cores of processes")
    collectives: tuple[CollectiveTable, ...] = declare(
        (), "algorithms of collectives; default: star", key="collective"
    )
    storage: StorageTable = declare(StorageTable(), "file system; default: I/O takes no time")


def read_cluster(path: Path, *, speed: float = 1.0) -> Cluster:
    """Read and check a description; `speed` multiplies the speed of the cluster.

    Raises MissingInputError, or ProgramError that names the field.
    """
    cluster = parse_cluster(read_toml(path), str(path), path.stem)
    return dataclasses.replace(cluster, speed=cluster.speed * speed)


def parse_cluster(
    given: Mapping[str, Any], source: str = "cluster", name: str = "cluster"
) -> Cluster:
    """Check a description given as nested dictionaries; `name` is the default name."""
    table = TableReader().build(ClusterTable, given, source)
    _check_levels(table.levels, source)
    cluster = Cluster(
        name=table.name or name,
        levels=tuple(map(_level, table.levels)),
        speed=table.speed,
        operations_per_s=table.operations_per_s,
        overhead_ns=table.overhead_ns,
        eager_limit_bytes=table.eager_limit_bytes,
        exceptions=tuple(
            UnitException(each.level, each.units, each.speed, _channels(each.channels))
            for each in table.exceptions
        ),
        placement=Placement(
            "cyclic" if table.placement.order == "cyclic" else "block",
            table.placement.level,
            table.placement.cores,
        ),
        collectives=tuple(
            CollectiveRule(each.algorithm, tuple(each.operations), each.to_bytes)
            for each in table.collectives
        ),
        storage=_channels(table.storage.channels),
    )
    _check_exceptions(cluster, source)
    _check_placement(cluster, source)
    return dataclasses.replace(cluster, digest=_digest(cluster))


def _level(table: LevelTable) -> Level:
    return Level(table.name, table.units, _channels(table.channels), table.contention, table.links)


def _channels(tables: Sequence[ChannelTable]) -> tuple[Channel, ...]:
    return tuple(Channel(each.count, each.latency_ns, each.ns_per_byte) for each in tables)


def _digest(cluster: Cluster) -> str:
    """Identifies the values of a description, but not its comments or layout."""
    content = json.dumps(dataclasses.asdict(cluster), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _check_levels(levels: Sequence[LevelTable], source: str) -> None:
    if not levels:
        raise ProgramError(f"{source}: no level: give at least one [[level]]")
    seen: set[str] = set()
    for number_, level in enumerate(levels, 1):
        where = f"{source}: level {number_} ({level.name})"
        if level.name == CORE or not level.name:
            raise ProgramError(f"{where}: name: {level.name!r} is reserved: give another name")
        if level.name in seen:
            raise ProgramError(f"{where}: name: another level is named {level.name}")
        if not level.channels:
            raise ProgramError(f"{where}: channel: give at least one [[level.channel]]")
        seen.add(level.name)


def _check_exceptions(cluster: Cluster, source: str) -> None:
    for number_, each in enumerate(cluster.exceptions, 1):
        where = f"{source}: exception {number_}"
        names = [CORE, *(level.name for level in cluster.levels)]
        if each.level not in names:
            raise ProgramError(f"{where}: level: no {each.level!r}: one of {', '.join(names)}")
        if each.level == CORE and each.channels:
            raise ProgramError(f"{where}: channel: a core has no channels: name a level")
        at = names.index(each.level) - 1
        size = cluster.cores_per_unit(at) if at >= 0 else 1
        count = cluster.core_count // size
        for unit in each.units:
            if not 0 <= unit < count:
                raise ProgramError(
                    f"{where}: units: no {each.level} {unit}: they go from 0 to {count - 1}"
                )


def _check_placement(cluster: Cluster, source: str) -> None:
    where, placement = f"{source}: placement", cluster.placement
    names = [level.name for level in cluster.levels]
    if placement.order == "cyclic" and placement.level is None and placement.cores is None:
        raise ProgramError(f"{where}: level is missing: cyclic needs one of {', '.join(names)}")
    if placement.level is not None and placement.level not in names:
        raise ProgramError(f"{where}: level: no {placement.level!r}: one of {', '.join(names)}")
    for core in placement.cores or ():
        if not 0 <= core < cluster.core_count:
            raise ProgramError(
                f"{where}: cores: no core {core}: they go from 0 to {cluster.core_count - 1}"
            )
