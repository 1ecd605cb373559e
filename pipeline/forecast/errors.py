"""Forecasts beside measurements: errors, and whether they rank variants alike."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from statistics import median_low
from typing import Literal

LEAST_POINTS = 0.05
"""Two percentages closer than this count as equal."""

WHOLE_PROGRAM = "program"
"""Name of the interval that is the whole program."""


@dataclass(frozen=True, kw_only=True)
class ErrorRecord:
    """A forecast time and the measured one, in ns, with the same for time in MPI if known.

    `program` and `variant` are None for replays of a run; `run_id` is None for a measurement
    without trace; `cluster_hash` is None if only the cluster's name is known.
    """

    program: str | None
    variant: str | None
    cluster: str
    processes: int
    forecast_ns: int
    measured_ns: int
    source: str
    cluster_hash: str | None = None
    run_id: str | None = None
    interval: str = WHOLE_PROGRAM
    parameters: Literal["given", "fitted"] = "given"
    mpi_forecast_ns: int | None = None
    mpi_measured_ns: int | None = None

    @property
    def error(self) -> float:
        """Forecast / measurement − 1."""
        return error_of(self.forecast_ns, self.measured_ns)

    @property
    def mpi_error(self) -> float | None:
        """The same for time in MPI; None if it is not known or was not measured."""
        if self.mpi_forecast_ns is None or not self.mpi_measured_ns:
            return None
        return error_of(self.mpi_forecast_ns, self.mpi_measured_ns)


def error_of(forecast: float, measured: float) -> float:
    """Forecast / measurement − 1."""
    return forecast / measured - 1


@dataclass(frozen=True)
class Compared:
    """A variant on some number of processes, and its place among the variants.

    Percentages are those of the time of the best variant. Efficiencies are the time on one process
    / (processes × time); None if there is no record on one process.
    """

    record: ErrorRecord
    forecast_percent: float
    measured_percent: float
    forecast_efficiency: float | None
    measured_efficiency: float | None

    @property
    def variant(self) -> str:
        return self.record.variant or ""


@dataclass(frozen=True)
class Inversion:
    """Two variants that forecast and measurement rank in opposite order.

    `points` is the sum of their two differences in percent of the best.
    """

    first: str
    second: str
    points: float


@dataclass(frozen=True)
class Comparison:
    """The records of a program on a cluster and some number of processes.

    Orders are those of the variants, each with the medians of its records.
    """

    program: str
    cluster: str
    processes: int
    rows: tuple[Compared, ...]

    @cached_property
    def variants(self) -> tuple[Compared, ...]:
        """One row per variant: of several records the medians of forecast and measurement."""
        records: dict[str, list[ErrorRecord]] = {}
        for row in self.rows:
            records.setdefault(row.variant, []).append(row.record)
        return tuple(_rows([_median(each) for each in records.values()], {}))

    @cached_property
    def inversions(self) -> list[Inversion]:
        """Pairs in opposite order by LEAST_POINTS or more in both, the largest sum first."""
        found = []
        for first, second in combinations(self.variants, 2):
            forecast = first.forecast_percent - second.forecast_percent
            measured = first.measured_percent - second.measured_percent
            is_clear = min(abs(forecast), abs(measured)) >= LEAST_POINTS
            if is_clear and (forecast < 0) != (measured < 0):
                points = abs(forecast) + abs(measured)
                found.append(Inversion(first.variant, second.variant, points))
        return sorted(found, key=lambda each: -each.points)

    @cached_property
    def to_take_out(self) -> list[str]:
        """The fewest variants without which both orders of times agree."""
        by_measurement = sorted(
            self.variants, key=lambda row: (row.record.measured_ns, row.record.forecast_ns)
        )
        kept = longest_non_decreasing([row.record.forecast_ns for row in by_measurement])
        return [row.variant for at, row in enumerate(by_measurement) if at not in kept]


def longest_non_decreasing(values: Sequence[int]) -> set[int]:
    """Positions of a longest non-decreasing subsequence; of several, that of the least ends."""
    ends: list[int] = []  # the least end of a sequence of each length, and its position
    places: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        length = bisect_right(ends, value)
        before.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [value]
        places[length : length + 1] = [place]
    kept = set()
    place = places[-1] if places else -1
    while place >= 0:
        kept.add(place)
        place = before[place]
    return kept


def compare_records(records: Iterable[ErrorRecord]) -> list[Comparison]:
    """Comparisons per program, cluster and number of processes, in the order of the records."""
    groups: dict[tuple[str, str, int], list[ErrorRecord]] = {}
    for record in records:
        key = (record.program or record.run_id or "", record.cluster, record.processes)
        groups.setdefault(key, []).append(record)
    found = []
    for (program, cluster, processes), group in groups.items():
        alone = {each.variant: each for each in groups.get((program, cluster, 1), ())}
        rows = tuple(_rows(group, alone))
        found.append(Comparison(program, cluster, processes, rows))
    return found


def _rows(
    group: Sequence[ErrorRecord], alone: Mapping[str | None, ErrorRecord]
) -> Iterator[Compared]:
    """The records of a group; `alone` are those on one process, by variant."""
    best_forecast = min(record.forecast_ns for record in group)
    best_measured = min(record.measured_ns for record in group)
    for record in group:
        single = alone.get(record.variant)
        yield Compared(
            record,
            _percent(record.forecast_ns, best_forecast),
            _percent(record.measured_ns, best_measured),
            _efficiency(
                single.forecast_ns if single else None, record.processes, record.forecast_ns
            ),
            _efficiency(
                single.measured_ns if single else None, record.processes, record.measured_ns
            ),
        )


def _median(records: Sequence[ErrorRecord]) -> ErrorRecord:
    """A record with the medians of several (the lower one of two)."""
    return replace(
        records[0],
        forecast_ns=median_low(each.forecast_ns for each in records),
        measured_ns=median_low(each.measured_ns for each in records),
    )


def _percent(time_ns: int, best_ns: int) -> float:
    return 100 * time_ns / best_ns if best_ns else 100.0


def _efficiency(single_ns: int | None, processes: int, time_ns: int) -> float | None:
    return single_ns / (processes * time_ns) if single_ns and time_ns else None
