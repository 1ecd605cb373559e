"""Phases on a grid: expressions get values, sections and widths their defaults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, prod
from typing import Any, Literal

from tracemill.base.errors import ProgramError
from tracemill.base.expressions import Expression
from tracemill.programs import placed
from tracemill.programs.language import data_kinds as described
from tracemill.programs.language.values import Values, check_size, ranges_of, section_of, widths_of
from tracemill.programs.placed import Array, Section, section_size

_ROUNDING = 1e-9
_NAMES = {kind: name for name, kind in described.DATA_KINDS.items()}
_TIMES = ("time_ns", "operations", "iteration_ns")


def phase_place(where: str, number: int, phase: described.DataPhase) -> str:
    """The place of a phase in errors."""
    return f"{where}: phase {number} ({_NAMES[type(phase)]})"


@dataclass(frozen=True)
class Placing:
    """Places phases on a grid; loops named in `serial` are run by all processes as a whole."""

    arrays: Mapping[str, Array]
    grid: tuple[int, ...]
    values: Values
    serial: tuple[str, ...]

    def phases(self, phases: Sequence[described.DataPhase], where: str) -> tuple[placed.Phase, ...]:
        """A list of phases. Raises ProgramError that names the place."""
        return tuple(
            self._phase(phase, phase_place(where, number, phase))
            for number, phase in enumerate(phases, 1)
        )

    def _phase(self, phase: described.DataPhase, where: str) -> placed.Phase:
        return _PLACERS[type(phase)](self, phase, where)

    def array(self, name: str, where: str) -> Array:
        """The array of a name. Raises ProgramError."""
        if name not in self.arrays:
            there = ", ".join(self.arrays) or "none: give tables [[array]]"
            raise ProgramError(f"{where}: no array {name!r}: arrays are {there}")
        return self.arrays[name]

    def _work(self, phase: described.Timed, iterations: int | None, where: str) -> placed.Work:
        """The work of a part; `iterations` of its loop over an array, if it has one."""
        given = [name for name in _TIMES if getattr(phase, name) is not None]
        if len(given) != 1:
            found = f"{' and '.join(given)} are given" if given else "no time is given"
            usable = _TIMES if iterations is not None else _TIMES[:2]
            raise ProgramError(f"{where}: {found}: give exactly one of {', '.join(usable)}")
        (name,) = given
        amount = self.values.number(getattr(phase, name), f"{where}: {name}")
        if name == "iteration_ns":
            if iterations is None:
                raise ProgramError(f"{where}: iteration_ns needs an array: or give time_ns")
            amount *= iterations
            check_size(amount, f"{where}: iteration_ns: all iterations take {amount:.3g} ns")
        return placed.Work(amount, is_operations=name == "operations")

    def _loop_over(
        self, phase: described.Serial | described.Parallel, where: str
    ) -> tuple[Section | None, placed.Work]:
        """The section that a part runs over, if any, and its work."""
        if phase.array is None:
            if phase.over is not None:
                raise ProgramError(f"{where}: over needs an array")
            return None, self._work(phase, None, where)
        array = self.array(phase.array, f"{where}: array")
        over = section_of(array, phase.over, self.values, f"{where}: over")
        return over, self._work(phase, section_size(over), where)

    def serial_part(self, phase: described.Serial, where: str) -> placed.Phase:
        over, work = self._loop_over(phase, where)
        if over is not None and phase.on is not None:
            raise ProgramError(f"{where}: on and array are given: give one of them")
        on: Literal["all", "first", "section"] = "first" if phase.on == "first" else "all"
        return placed.Serial(
            name=phase.name,
            work=work,
            on=on if over is None else "section",
            array=phase.array,
            over=over,
        )

    def parallel(self, phase: described.Parallel, where: str) -> placed.Phase:
        over, work = self._loop_over(phase, where)
        if phase.name in self.serial:
            return placed.Serial(name=phase.name, work=work)
        return placed.Parallel(name=phase.name, work=work, array=phase.array, over=over)

    def pipelined(self, phase: described.Pipelined, where: str) -> placed.Phase:
        array = self.array(phase.array, f"{where}: array")
        over = section_of(array, phase.over, self.values, f"{where}: over")
        found = placed.Pipelined(
            name=phase.name,
            work=self._work(phase, section_size(over), where),
            array=array.name,
            over=over,
            widths=self._one_way(array, phase, f"{where}: width"),
            along=self._optional(phase.along, f"{where}: along"),
            quantum=self._optional(phase.quantum, f"{where}: quantum", 1),
        )
        if found.along is not None and found.along >= len(array.extent):
            raise ProgramError(
                f"{where}: along: no extent {found.along}: {array.name} has "
                f"{len(array.extent)}, from 0"
            )
        if phase.name in self.serial:
            return placed.Serial(name=phase.name, work=found.work)
        return found

    def _one_way(self, array: Array, phase: described.Pipelined, where: str) -> placed.Widths:
        """Widths of a pipelined loop. Raises ProgramError if iterations depend on both sides."""
        widths = widths_of(array, phase.width, self.values, where)
        for number, (low, high) in enumerate(widths, 1):
            if low and high:
                source = f"the shadow of {array.name}, " if phase.width is None else ""
                raise ProgramError(
                    f"{where}: extent {number}: {source}[{low}, {high}], goes both ways: "
                    "one of them must be 0"
                )
        return widths

    def _optional(self, expression: Expression | None, where: str, minimum: int = 0) -> int | None:
        return None if expression is None else self.values.whole(expression, where, minimum)

    def exchange(self, phase: described.Exchange, where: str) -> placed.Phase:
        if not phase.arrays:
            raise ProgramError(f"{where}: arrays: give at least one array")
        arrays = [self.array(name, f"{where}: arrays") for name in phase.arrays]
        return placed.Exchange(
            name=phase.name,
            nonblocking=phase.nonblocking,
            arrays=phase.arrays,
            widths=tuple(
                widths_of(each, phase.width, self.values, f"{where}: width") for each in arrays
            ),
            corners=phase.corners,
        )

    def reduction(self, phase: described.Reduction, where: str) -> placed.Phase:
        if phase.array is not None:
            self.array(phase.array, f"{where}: array")
        return placed.Reduction(
            name=phase.name,
            nonblocking=phase.nonblocking,
            bytes=self.values.bytes(phase.bytes, f"{where}: bytes"),
            array=phase.array,
        )

    def copy(self, phase: described.Copy, where: str) -> placed.Phase:
        source = self.array(phase.source, f"{where}: from")
        target = self.array(phase.target, f"{where}: to")
        read = section_of(source, phase.from_section, self.values, f"{where}: from_section")
        written = section_of(target, phase.to_section, self.values, f"{where}: to_section")
        return placed.Copy(
            name=phase.name,
            nonblocking=phase.nonblocking,
            source=source.name,
            target=target.name,
            from_section=read,
            to_section=written,
            order=_order(phase.order, shape_of(read), shape_of(written), where),
        )

    def remote(self, phase: described.Remote, where: str) -> placed.Phase:
        array = self.array(phase.array, f"{where}: array")
        by = self.array(phase.by or phase.array, f"{where}: by")
        section: tuple[placed.Range | None, ...] = array.whole
        if phase.section is not None:
            section = ranges_of(array, phase.section, self.values, f"{where}: section")
        for extent, each in enumerate(section):
            if each is None and (
                extent >= len(by.extent) or by.extent[extent] > array.extent[extent]
            ):
                raise ProgramError(
                    f"{where}: section: extent {extent + 1}: own parts of {by.name} lie outside "
                    f"{array.name}"
                )
        return placed.Remote(
            name=phase.name,
            nonblocking=phase.nonblocking,
            array=array.name,
            section=section,
            by=by.name,
        )

    def io(self, phase: described.Io, where: str) -> placed.Phase:
        if (phase.array is None) == (phase.bytes is None):
            given = "array and bytes are given" if phase.array else "no array is given"
            raise ProgramError(f"{where}: {given}: give exactly one of array, bytes")
        if phase.array is None and phase.section is not None:
            raise ProgramError(f"{where}: section needs an array")
        section, size = None, None
        if phase.array is not None:
            array = self.array(phase.array, f"{where}: array")
            section = section_of(array, phase.section, self.values, f"{where}: section")
        if phase.bytes is not None:
            size = self.values.bytes(phase.bytes, f"{where}: bytes")
        return placed.Io(
            name=phase.name,
            nonblocking=phase.nonblocking,
            operation="read" if phase.operation == "read" else "write",
            array=phase.array,
            section=section,
            bytes=size,
            mode="one" if phase.mode == "one" else "each",
        )

    def neighbours(self, phase: described.Neighbours, where: str) -> placed.Phase:
        for number, offset in enumerate(phase.offsets, 1):
            if len(offset) != len(self.grid):
                raise ProgramError(
                    f"{where}: offsets: offset {number}: {len(offset)} given, but the grid has "
                    f"{len(self.grid)} dimensions: give one for each"
                )
        return placed.Neighbours(
            name=phase.name,
            nonblocking=phase.nonblocking,
            offsets=phase.offsets,
            bytes=self.values.bytes(phase.bytes, f"{where}: bytes"),
            periodic=phase.periodic,
        )

    def collective(self, phase: described.Collective, where: str) -> placed.Phase:
        root = self.values.whole(phase.root, f"{where}: root")
        if root >= prod(self.grid):
            raise ProgramError(
                f"{where}: root: no process {root}: they go from 0 to {prod(self.grid) - 1}"
            )
        return placed.Collective(
            name=phase.name,
            nonblocking=phase.nonblocking,
            operation=phase.operation,
            bytes=self.values.bytes(phase.bytes, f"{where}: bytes"),
            root=root,
        )

    def loop(self, phase: described.Loop, where: str) -> placed.Phase:
        iterations = self.values.whole(phase.iterations, f"{where}: iterations", 1)
        return placed.Loop(
            name=phase.name, iterations=iterations, phases=self.phases(phase.phases, where)
        )

    def interval(self, phase: described.Interval, where: str) -> placed.Phase:
        return placed.Interval(name=phase.name, phases=self.phases(phase.phases, where))

    def branch(self, phase: described.Branch, where: str) -> placed.Phase:
        if not phase.alternatives:
            raise ProgramError(f"{where}: alternative: give at least one [[phase.alternative]]")
        alternatives = tuple(
            self._alternative(each, f"{where}: alternative {number}")
            for number, each in enumerate(phase.alternatives, 1)
        )
        total = fsum(each.probability for each in alternatives)
        if total > 1 + _ROUNDING:
            raise ProgramError(
                f"{where}: probability: all together are {total:g}: they must be 1 or less"
            )
        return placed.Branch(name=phase.name, alternatives=alternatives)

    def _alternative(self, each: described.Alternative, where: str) -> placed.Alternative:
        probability = self.values.number(each.probability, f"{where}: probability")
        if probability > 1:
            raise ProgramError(f"{where}: probability: {probability:g} is out of range: 0 to 1")
        return placed.Alternative(probability, self.phases(each.phases, where))

    def wait(self, phase: described.Wait, where: str) -> placed.Phase:
        del where
        return placed.Wait(name=phase.name, of=phase.started)


_PLACERS: Mapping[type[described.DataPhase], Callable[[Placing, Any, str], placed.Phase]] = {
    described.Serial: Placing.serial_part,
    described.Parallel: Placing.parallel,
    described.Exchange: Placing.exchange,
    described.Reduction: Placing.reduction,
    described.Copy: Placing.copy,
    described.Remote: Placing.remote,
    described.Io: Placing.io,
    described.Pipelined: Placing.pipelined,
    described.Neighbours: Placing.neighbours,
    described.Collective: Placing.collective,
    described.Loop: Placing.loop,
    described.Branch: Placing.branch,
    described.Interval: Placing.interval,
    described.Wait: Placing.wait,
}


def shape_of(section: Section) -> tuple[int, ...]:
    """Sizes of the extents longer than 1."""
    return tuple(last - first + 1 for first, last in section if last > first)


def _order(
    given: Sequence[int] | None, read: Sequence[int], written: Sequence[int], where: str
) -> tuple[int, ...]:
    """Extent of the source for each of the target. Raises ProgramError if shapes differ."""
    order = tuple(range(len(read))) if given is None else tuple(given)
    if sorted(order) != list(range(len(read))):
        raise ProgramError(
            f"{where}: order: give each of {', '.join(map(str, range(len(read)))) or 'none'} once: "
            f"the source has {len(read)} extents longer than 1"
        )
    if [read[each] for each in order] != list(written):
        raise ProgramError(
            f"{where}: to_section: {_shape(written)} elements, but the source has "
            f"{_shape(read[each] for each in order)}"
        )
    return order


def _shape(sizes: Any) -> str:
    return " x ".join(map(str, sizes)) or "1"
