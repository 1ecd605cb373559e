"""Rows on indices of measurements: each with measure, constraint, model and reference point."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tracemill.schemas.surfaces import (
    EFFICIENCY,
    FIXED_PROCESSES,
    FIXED_SIZE,
    GENERAL_SPEED_UP,
    GUSTAFSON,
    LINEAR,
    MEAN_SPEED_UP,
    MEASURED,
    NO_REFERENCE,
    SCALED_SIZE,
    SEQUENTIAL_SPEED_UP,
    SIZE_RELATIVE,
    WHOLE_PLANE,
)
from tracemill.stages.campaign.rows import Row, known
from tracemill.stages.campaign.surface_rows import Surveyed
from tracemill.stages.models.surfaces.amdahl import Amdahl
from tracemill.stages.models.surfaces.computation_size import function_of
from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.indices import (
    Point,
    general_speed_up,
    gustafson_speed_up,
    linear_efficiency,
    mean_speed_up,
    rate,
    serial_fraction,
)
from tracemill.stages.models.surfaces.measurements import Floats, Measurements, Numbers

_SAME = 1e-9
_AMDAHL = "Amdahl"


class _Index(NamedTuple):
    """Values of a measure against a model at the members of a block, and a note on each."""

    measure: str
    model: str
    values: Floats
    notes: Sequence[str | None]


@dataclass(frozen=True)
class _Block:
    """Configurations seen along one constraint from one reference point.

    `reference` is the number of a configuration, or None for a fit; `label` describes it.
    """

    constraint: str
    members: Numbers
    reference: int | None
    label: str
    indices: Sequence[_Index]


def index_rows(surveyed: Surveyed, growth: Function, size_per_process: str) -> Iterator[Row]:
    """Rows of performance_indices; the size of one process is an expression, or empty."""
    if surveyed.measured is None:
        return
    run = surveyed.measured.shortest()
    blocks = _Blocks(surveyed, run).all(growth, size_per_process)
    for number, block in enumerate(blocks, 1):
        at = block.reference
        reference: tuple[str, int | None, float | None] = (block.label, None, None)
        if at is not None:
            reference = (block.label, int(run.processes[at]), float(run.sizes[at]))
        configurations = run.processes[block.members].tolist(), run.sizes[block.members].tolist()
        for index in block.indices:
            key = surveyed.application, number, index.measure, block.constraint, index.model
            rows = zip(*configurations, index.values.tolist(), index.notes, strict=True)
            for processes, size, value, note in rows:
                yield *key, *reference, int(processes), size, known(value), note


def serial_fraction_rows(surveyed: Surveyed) -> Iterator[Row]:
    """Rows of serial_fractions."""
    if surveyed.measured is None:
        return
    run = surveyed.measured.shortest()
    for members in _groups(surveyed.amounts):
        members = members[np.argsort(run.processes[members], kind="stable")]
        fewest, time = run.processes[members[0]], run.times[members[0]]
        others = members[run.processes[members] > fewest]
        values = serial_fraction(run.processes[others], run.times[others], fewest, time)
        for at, value in zip(others.tolist(), values.tolist(), strict=True):
            found = known(value)
            is_in_range = None if found is None else 0 <= found <= 1
            place = float(run.sizes[at]), int(run.processes[at])
            measured = known(surveyed.serial_shares[at])
            yield surveyed.application, *place, int(fewest), found, is_in_range, measured


class _Blocks:
    """The blocks of an application, from the shortest representative run of each configuration."""

    def __init__(self, surveyed: Surveyed, run: Measurements) -> None:
        self.surveyed, self.run, self.amounts = surveyed, run, surveyed.amounts
        found = [s for fit, s in surveyed.fitted if isinstance(s, Amdahl)]
        self.amdahl = found[0] if found else None

    def all(self, growth: Function, size_per_process: str) -> Iterator[_Block]:
        """By constraint, and by the reference point's place."""
        run, everything = self.run, np.arange(len(self.run.times))
        for members in _groups(self.amounts):
            yield self._of_fixed_size(self._by_processes(members))
        if self.amdahl is not None:
            for size in self.amdahl.sizes:
                yield self._against_amdahl(np.flatnonzero(run.sizes == size), self.amdahl)
        for members in _groups(run.processes):
            if len(members) > 1:
                yield self._of_fixed_processes(members)
        for members in _groups(self.amounts / growth.evaluate(run.processes).value):
            if len(members) > 1:
                yield self._of_scaled_size(self._by_processes(members))
        yield from self._of_gustafson()
        if len(everything) > 1:
            yield self._of_plane(everything)
        yield self._without_reference(everything, size_per_process)
        yield from self._against_fits(everything)

    def _by_processes(self, members: Numbers) -> Numbers:
        return members[np.argsort(self.run.processes[members], kind="stable")]

    def _point(self, at: Numbers | int) -> Point:
        return Point(self.run.processes[at], self.amounts[at], self.run.times[at])

    def _label(self, at: int) -> str:
        size = f"{self.surveyed.size_name} = {self.run.sizes[at]:.10g}"
        return f"p = {self.run.processes[at]:.0f}, {size}"

    def _speed_ups(self, at: Point, reference: Point) -> list[_Index]:
        general, mean = general_speed_up(at, reference), mean_speed_up(at, reference)
        return [_plain(GENERAL_SPEED_UP, MEASURED, general), _plain(MEAN_SPEED_UP, MEASURED, mean)]

    def _of_fixed_size(self, members: Numbers) -> _Block:
        reference = int(members[0])
        at, first = self._point(members), self._point(reference)
        efficiency = linear_efficiency(at, first)
        notes = ["above 1: faster than linear" if e > 1 + _SAME else None for e in efficiency]
        indices = [
            *self._speed_ups(at, first),
            *self._sequential(members),
            _Index(EFFICIENCY, LINEAR, efficiency, notes),
        ]
        return _Block(FIXED_SIZE, members, reference, self._label(reference), indices)

    def _sequential(self, members: Numbers) -> Iterator[_Index]:
        run, first = self.run, int(members[0])
        if run.processes[first] != 1:
            nothing, reason = np.full(len(members), np.nan), "no run with 1 process of this size"
            yield _Index(SEQUENTIAL_SPEED_UP, MEASURED, nothing, [reason] * len(members))
            return
        yield _plain(SEQUENTIAL_SPEED_UP, MEASURED, run.times[first] / run.times[members])
        size = float(run.sizes[first])
        if self.amdahl is None or size not in self.amdahl.sizes:
            return
        if (run.sizes[members] == size).all():
            fitted = self.amdahl.evaluate(run.processes[members], run.sizes[members]).time
            largest = self.amdahl.largest_speed_up(size)
            note = None if largest is None else f"at most {largest:.4g}"
            yield _Index(SEQUENTIAL_SPEED_UP, _AMDAHL, fitted[0] / fitted, [note] * len(members))

    def _against_amdahl(self, members: Numbers, amdahl: Amdahl) -> _Block:
        run = self.run
        fitted = amdahl.evaluate(run.processes[members], run.sizes[members]).time
        label = f"fit over p at {self.surveyed.size_name} = {run.sizes[members[0]]:.10g}"
        index = _plain(EFFICIENCY, _AMDAHL, fitted / run.times[members])
        return _Block(FIXED_SIZE, members, None, label, [index])

    def _of_fixed_processes(self, members: Numbers) -> _Block:
        reference = int(members[np.argmin(self.run.sizes[members])])
        indices = self._speed_ups(self._point(members), self._point(reference))
        return _Block(FIXED_PROCESSES, members, reference, self._label(reference), indices)

    def _of_scaled_size(self, members: Numbers) -> _Block:
        reference = int(members[0])
        at, first = self._point(members), self._point(reference)
        indices = self._speed_ups(at, first)
        return _Block(SCALED_SIZE, members, reference, self._label(reference), indices)

    def _of_gustafson(self) -> Iterator[_Block]:
        """By size: with the measured serial share, else that of Amdahl's model."""
        run, measured = self.run, self.surveyed.serial_shares
        for size in run.distinct_sizes:
            members = np.flatnonzero(run.sizes == size)
            shares = np.where(run.processes == 1, 1.0, measured)[members]
            modeled = np.isnan(shares)
            if self.amdahl is not None and size in self.amdahl.sizes:
                sequential = self.amdahl.sequential[self.amdahl.sizes == size]
                shares = np.where(modeled, sequential / run.times[members], shares)
            elif np.isnan(measured[members]).all():
                continue
            if np.isnan(shares).any():
                continue
            source = "modelled" if modeled.any() else "measured"
            at = f"{self.surveyed.size_name} = {size:.10g}"
            label = f"p = 1, serial part {source} for each run at {at}"
            values = gustafson_speed_up(run.processes[members], shares)
            notes = [
                _note_modeled(share) if is_modeled else None
                for share, is_modeled in zip(shares, modeled, strict=True)
            ]
            index = _Index(SEQUENTIAL_SPEED_UP, GUSTAFSON, values, notes)
            yield _Block(SCALED_SIZE, members, None, label, [index])

    def _without_reference(self, members: Numbers, size_per_process: str) -> _Block:
        """Rates: of all processes, and of the size that falls to one."""
        run = self.run
        own = self.amounts / run.processes
        if size_per_process:
            function = function_of(size_per_process, self.surveyed.size_name)
            own = function.evaluate(run.processes, run.sizes).value
        notes = [None if size > 0 else "the size per process is not positive" for size in own]
        own = np.where(own > 0, own, np.nan)
        indices = [
            _plain(GENERAL_SPEED_UP, MEASURED, rate(self.amounts, run.times)),
            _Index(EFFICIENCY, SIZE_RELATIVE, rate(own, run.times), notes),
        ]
        return _Block(WHOLE_PLANE, members, None, NO_REFERENCE, indices)

    def _of_plane(self, members: Numbers) -> _Block:
        reference = int(np.lexsort((self.run.sizes, self.run.processes))[0])
        indices = self._speed_ups(self._point(members), self._point(reference))
        return _Block(WHOLE_PLANE, members, reference, self._label(reference), indices)

    def _against_fits(self, members: Numbers) -> Iterator[_Block]:
        run = self.run
        indices = [
            _plain(
                EFFICIENCY, fit.model, surface.evaluate(run.processes, run.sizes).time / run.times
            )
            for fit, surface in self.surveyed.fitted
        ]
        if indices:
            label = f"fit of all {len(members)} configurations"
            yield _Block(WHOLE_PLANE, members, None, label, indices)


def _note_modeled(share: float) -> str:
    return "modelled; T_seq is longer than the run" if share > 1 else "modelled"


def _plain(measure: str, model: str, values: Floats) -> _Index:
    return _Index(measure, model, values, [None] * len(values))


def _groups(values: Floats) -> list[Numbers]:
    """Numbers of equal values, but for rounding, by value."""
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order])
    ends = np.flatnonzero(steps > _SAME * np.abs(values[order][1:])) + 1
    return [np.sort(group) for group in np.split(order, ends)]
