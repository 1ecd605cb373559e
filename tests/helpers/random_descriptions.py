"""Small random programs of data on small random clusters; many durations are equal."""

from dataclasses import replace
from math import prod
from random import Random
from typing import Any

from tests.helpers.described_programs import (
    access,
    array,
    branch,
    channel,
    collective,
    copy,
    exchange,
    interval,
    loop,
    neighbours,
    parallel,
    pipelined,
    program,
    reduction,
    remote,
    serial,
    serial_over,
    wait,
)
from tracemill.programs.clusters.cluster import (
    ALGORITHMS,
    Channel,
    Cluster,
    CollectiveRule,
    Level,
    Placement,
    UnitException,
)
from tracemill.programs.placed import (
    Array,
    Interval,
    Loop,
    Operation,
    Parallel,
    Phase,
    Pipelined,
    PlacedProgram,
    Section,
    Serial,
    Work,
)

GRIDS = (
    (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (1, 2), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2),
    (1, 5), (6, 1), (1, 7), (2, 2, 2), (1, 2, 3), (2, 1, 3), (1, 1, 8), (5, 1, 1),
)  # fmt: skip
WIDE_GRIDS = (
    (9,), (12,), (16,), (24,), (3, 5), (5, 3), (4, 6), (6, 4), (2, 10), (10, 2), (3, 3, 3),
    (2, 5, 2), (5, 1, 5), (1, 6, 4),
)  # fmt: skip
OPERATIONS = (
    "bcast", "scatter", "gather", "reduce", "allgather", "allreduce", "alltoall", "barrier",
)  # fmt: skip
COLLECTED = ("allreduce", "allgather", "barrier", "bcast", "gather")
TIMES = (0, 1, 10, 20, 50, 100, 333, 1000)
NESTING = 2
MULTIPLE = 840
"""Whole for all numbers of processes up to 8."""


def random_case(
    seed: int, *, grid: tuple[int, ...] | None = None, branches: bool = True, is_wide: bool = False
) -> tuple[PlacedProgram, Cluster]:
    """A program, on a random grid unless one is given, and a cluster with cores enough.

    Wide ones have more processes and longer arrays, so that shortcuts skip much.
    """
    random = Random(seed)
    chosen = grid or random.choice(WIDE_GRIDS if is_wide else GRIDS)
    longest = 30 if is_wide else 12
    made = Programs(random, chosen, branches=branches, longest=longest).program()
    return made, random_cluster(random, made.process_count)


def chance(random: Random, probability: float) -> bool:
    """True with a probability."""
    return random.random() < probability


class Programs:
    """Makes a program."""

    def __init__(
        self, random: Random, grid: tuple[int, ...], *, branches: bool, longest: int
    ) -> None:
        self.random, self.grid, self.branches = random, grid, branches
        self.longest = longest
        self.arrays = [self._array(name) for name in "ABC"[: random.randint(1, 3)]]
        self.named = 0

    def program(self) -> PlacedProgram:
        """The program."""
        phases = self._phases(0)
        speed = self.random.choice((1, 1, 1, 2, 0.7))
        return program(self.grid, *phases, arrays=self.arrays, speed=speed)

    def _array(self, name: str) -> Array:
        random = self.random
        count = random.randint(1, 3)
        longest = self.longest if count < 3 else 12
        extents = tuple(random.randint(1, longest) for _ in range(count))
        free = list(range(len(self.grid)))
        random.shuffle(free)
        on = [free.pop() if free and chance(random, 0.7) else None for _ in extents]
        shadow = tuple((random.randint(0, 2), random.randint(0, 2)) for _ in extents)
        element = random.choice((1, 1, 4, 8, 10))
        return array(name, *extents, on=on, element_bytes=element, shadow=shadow)

    def _phases(self, depth: int) -> list[Phase]:
        phases: list[Phase] = []
        started: list[str] = []
        for _ in range(self.random.randint(1, 6 - depth)):
            phase = self._phase(depth)
            if isinstance(phase, Operation) and chance(self.random, 0.3):
                self.named += 1
                phase = replace(phase, name=f"started {self.named}", nonblocking=True)
                started.append(phase.name)
            phases.append(phase)
            if started and chance(self.random, 0.4):
                phases.append(wait(started.pop(self.random.randrange(len(started)))))
        self.random.shuffle(started)
        return [*phases, *(wait(name) for name in started)]

    def _phase(self, depth: int) -> Phase:
        leaves = [
            self._serial, self._parallel, self._parallel, self._exchange, self._exchange,
            self._reduction, self._copy, self._remote, self._access, self._neighbours,
            self._collective, self._pipelined, self._pipelined, self._pipelined,
        ]  # fmt: skip
        if depth < NESTING:
            nested = [self._loop, self._loop, self._interval] + [self._branch] * self.branches
            if chance(self.random, 0.3):
                return self.random.choice(nested)(depth + 1)
        return self.random.choice(leaves)()

    def _time(self) -> float:
        return self.random.choice((*TIMES, self.random.randint(1, 2000), 0.5, 77.7))

    def _section(self, of: Array) -> Section:
        if chance(self.random, 0.5):
            return of.whole
        ends = [sorted(self.random.choices(range(extent), k=2)) for extent in of.extent]
        return tuple((first, last) for first, last in ends)

    def _serial(self) -> Phase:
        if chance(self.random, 0.3):
            of = self.random.choice(self.arrays)
            return serial_over(self._time(), of, self._section(of))
        on = self.random.choice(("all", "first"))
        return serial(self._time(), on=on, is_operations=chance(self.random, 0.2))

    def _parallel(self) -> Phase:
        is_operations = chance(self.random, 0.2)
        if chance(self.random, 0.2):
            return parallel(self._time(), is_operations=is_operations)
        of = self.random.choice(self.arrays)
        return parallel(self._time(), of, self._section(of), is_operations=is_operations)

    def _exchange(self) -> Phase:
        count = self.random.randint(1, len(self.arrays))
        corners = chance(self.random, 0.4)
        return exchange(*self.random.sample(self.arrays, count), corners=corners)

    def _reduction(self) -> Phase:
        of = self.random.choice([None, *self.arrays])
        return reduction(self._size(), of)

    def _size(self) -> int:
        return self.random.choice((0, 1, 8, 10, 10, 50, 100))

    def _copy(self) -> Phase:
        random = self.random
        source, target = random.choice(self.arrays), random.choice(self.arrays)
        most = min(len(source.extent), len(target.extent))
        count = random.randint(0, most)
        taken = sorted(random.sample(range(len(source.extent)), count))
        given = random.sample(range(len(target.extent)), count)
        sizes = [
            random.randint(1, min(source.extent[a], target.extent[b]))
            for a, b in zip(taken, given, strict=True)
        ]
        from_section = self._place(source, dict(zip(taken, sizes, strict=True)))
        to_section = self._place(target, dict(zip(given, sizes, strict=True)))
        longer = [extent for extent, size in zip(taken, sizes, strict=True) if size > 1]
        places = {to: extent for extent, to in zip(taken, given, strict=True) if extent in longer}
        order = [longer.index(places[to]) for to in sorted(places)]
        return copy(source, from_section, target, to_section, order)

    def _place(self, of: Array, sizes: dict[int, int]) -> Section:
        """A section of given sizes; 1 in other extents."""
        firsts = [
            self.random.randint(0, extent - sizes.get(number, 1))
            for number, extent in enumerate(of.extent)
        ]
        return tuple((x, x + sizes.get(number, 1) - 1) for number, x in enumerate(firsts))

    def _remote(self) -> Phase:
        of, by = self.random.choice(self.arrays), self.random.choice(self.arrays)
        section: list[Any] = list(self._section(of))
        for extent, length in enumerate(of.extent):
            fits = extent < len(by.extent) and by.extent[extent] <= length
            if fits and chance(self.random, 0.3):
                section[extent] = None
        return remote(of, section, by)

    def _access(self) -> Phase:
        operation = self.random.choice(("read", "write"))
        mode = self.random.choice(("one", "each"))
        if chance(self.random, 0.3):
            return access(operation, size=self._size(), mode=mode)
        of = self.random.choice(self.arrays)
        return access(operation, of, section=self._section(of), mode=mode)

    def _neighbours(self) -> Phase:
        offsets: list[tuple[int, ...]] = []
        while not offsets:
            for _ in range(self.random.randint(1, 4)):
                offset = tuple(self.random.randint(-2, 2) for _ in self.grid)
                if any(offset):
                    offsets.append(offset)
        return neighbours(self._size(), *offsets, periodic=chance(self.random, 0.5))

    def _collective(self) -> Phase:
        operation = self.random.choice(OPERATIONS)
        return collective(operation, self._size(), self.random.randrange(prod(self.grid)))

    def _pipelined(self) -> Phase:
        of = self.random.choice(self.arrays)
        widths = tuple(
            self.random.choice(((0, 0), (1, 0), (1, 0), (2, 0), (0, 1), (0, 2))) for _ in of.extent
        )
        return pipelined(
            self._time(),
            of,
            widths,
            over=self._section(of),
            along=self.random.choice((None, self.random.randrange(len(of.extent)))),
            quantum=self.random.choice((None, None, 1, 2, 3)),
        )

    def _loop(self, depth: int) -> Phase:
        return loop(self.random.choice((1, 2, 3, 4, 7)), *self._phases(depth))

    def _interval(self, depth: int) -> Phase:
        self.named += 1
        return interval(f"interval {self.named}", *self._phases(depth))

    def _branch(self, depth: int) -> Phase:
        first = self.random.choice((0.25, 0.5, 0.3, 1.0))
        second = self.random.choice((0.0, 1 - first))
        return branch(*((q, self._phases(depth)) for q in (first, second) if q > 0))


def random_cluster(random: Random, processes: int) -> Cluster:
    """A cluster with cores for so many processes."""
    count = random.randint(1, 3)
    units = [random.choice((1, 2, 2, 3)) for _ in range(count)]
    units[-1] = max(units[-1], -(-processes // prod(units[:-1])))
    levels = tuple(
        Level(
            f"level {number}",
            size,
            random_channels(random),
            contention=chance(random, 0.85),
            links=random.choice((0, 0, 0, 1, 2)),
        )
        for number, size in enumerate(units)
    )
    return Cluster(
        name="cluster",
        levels=levels,
        speed=random.choice((1, 1, 1, 2, 1.3)),
        operations_per_s=random.choice((1e9, 5e8)),
        overhead_ns=random.choice((0, 0, 0, 5, 10, 2.5)),
        eager_limit_bytes=random.choice((float("inf"), float("inf"), 0, 8, 20, 64)),
        exceptions=tuple(
            random_exception(random, levels) for _ in range(random.choice((0, 0, 0, 1, 2)))
        ),
        placement=random_placement(random, levels, processes),
        collectives=tuple(random_rule(random) for _ in range(random.choice((0, 0, 1, 2)))),
        storage=random_channels(random) if chance(random, 0.6) else (),
    )


def random_channels(random: Random) -> tuple[Channel, ...]:
    """One or two tables of channels."""
    return tuple(
        channel(
            random.choice((0, 1, 10, 10, 10, 20, 2.5)),
            random.choice((0, 1, 1, 1, 2, 0.5, 0.3)),
            count=random.choice((1, 1, 1, 2, 8)),
        )
        for _ in range(random.choice((1, 1, 2)))
    )


def random_exception(random: Random, levels: tuple[Level, ...]) -> UnitException:
    """Some units that are slower, or have other channels."""
    number = random.randrange(-1, len(levels))
    units = prod(level.units for level in levels[number + 1 :])
    few = tuple(sorted(random.sample(range(units), random.randint(1, min(units, 3)))))
    speed = random.choice((1, 0.5, 2, 0.9))
    if number < 0:
        return UnitException("core", few, speed)
    channels = random_channels(random) if chance(random, 0.5) else ()
    return UnitException(levels[number].name, few, speed, channels)


def random_placement(random: Random, levels: tuple[Level, ...], processes: int) -> Placement:
    """Processes in any order on the cores."""
    kind = random.choice(("block", "block", "cyclic", "listed"))
    if kind == "cyclic":
        return Placement("cyclic", random.choice(levels).name)
    if kind == "listed":
        cores = prod(level.units for level in levels)
        return Placement(cores=tuple(random.sample(range(cores), processes)))
    return Placement()


def random_rule(random: Random) -> CollectiveRule:
    """An algorithm for some collectives."""
    operations = random.choice(((), random.sample(COLLECTED, 2)))
    most = random.choice((float("inf"), 10, 50))
    return CollectiveRule(random.choice(ALGORITHMS), tuple(operations), most)


def exact_case(seed: int, factor: int) -> tuple[PlacedProgram, Cluster]:
    """A case in which no duration has a fraction; all durations are multiplied by a factor."""
    made, on = random_case(seed, branches=False)

    def times(channels: tuple[Channel, ...]) -> tuple[Channel, ...]:
        return tuple(
            channel(int(each.latency_ns) * factor, int(each.ns_per_byte) * factor, each.count)
            for each in channels
        )

    whole = replace(
        on,
        speed=1,
        overhead_ns=int(on.overhead_ns) * factor,
        levels=tuple(replace(each, channels=times(each.channels)) for each in on.levels),
        exceptions=tuple(
            replace(each, speed=0.5, channels=times(each.channels)) for each in on.exceptions
        ),
        storage=times(on.storage),
    )
    phases = tuple(_multiply(phase, factor) for phase in made.phases)
    return replace(made, speed=1, phases=phases), whole


def _multiply(phase: Phase, factor: int) -> Phase:
    """Whole ns for each iteration and process."""
    match phase:
        case Loop() | Interval():
            inner = tuple(_multiply(each, factor) for each in phase.phases)
            return replace(phase, phases=inner)
        case Serial():
            return replace(phase, work=Work(int(phase.work.amount) * factor))
        case Parallel() | Pipelined():
            count = MULTIPLE if phase.over is None else prod(b - a + 1 for a, b in phase.over)
            return replace(phase, work=Work(int(phase.work.amount) * count * factor))
    return phase
