"""Efficiencies from the times of a run, in the conventions that users know."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.pop import POP_METRICS
from tracemill.stages.arrays import Numbers

_Rows = Iterator[tuple[str, str, float, str | None]]


class Summary(NamedTuple):
    """Times of an interval (ns).

    `useful` is that of every thread; `busy` the time outside of MPI of every process, as a mean
    over its threads, whose number is `size`. `classes` are useful time, waiting in barriers of
    teams, other time in teams, and time outside of teams, summed up; none without teams. The ideal
    run is not `is_known` if a replay does not know when kernels run.
    """

    interval: str
    run: int
    ideal: int
    useful: Numbers
    busy: NDArray[np.float64]
    size: Numbers
    classes: tuple[int, int, int, int] | None
    is_known: bool


def list_metrics(times: Summary) -> pa.Table:
    """Times and efficiencies of an interval; parts of an impossible ideal run are left out."""
    load = times.useful if times.classes is None else times.busy
    weights = None if times.classes is None else times.size
    total = float((load * weights).sum() / weights.sum() if weights is not None else load.mean())
    most = float(load.max())
    is_valid = times.is_known and times.ideal >= most
    rows = [*_times(times), *_network(times, total, most, is_valid), *_teams(times, total)]
    columns = zip(*((times.interval, *row, is_valid) for row in rows), strict=True)
    names = [column.name for column in POP_METRICS.columns]
    return pa.table(
        {
            name: pa.array(column, POP_METRICS.arrow_schema.field(name).type)
            for name, column in zip(names, columns, strict=True)
        }
    )


def _times(times: Summary) -> _Rows:
    for name, value in (
        ("run_time", times.run),
        ("ideal_run_time", times.ideal),
        ("mean_useful_time", times.useful.mean()),
        ("longest_useful_time", times.useful.max()),
    ):
        yield "times", name, float(value), None


def _network(times: Summary, mean: float, most: float, is_valid: bool) -> _Rows:
    """Load balance, serialization and transfer, over processes."""
    run, ideal = times.run, times.ideal
    if not run or not most:
        return
    top = "parallel_efficiency" if times.classes is None else "mpi_efficiency"
    above = None if times.classes is None else "parallel_efficiency"
    transfer, serial = ideal / run, most / ideal if ideal else 0.0
    for convention in ("multiplicative", "basic analysis"):
        yield convention, top, mean / run, above
        yield convention, "load_balance", mean / most, top
        yield convention, "communication_efficiency", most / run, top
        if is_valid:
            yield convention, "serialization_efficiency", serial, "communication_efficiency"
            yield convention, "transfer_efficiency", transfer, "communication_efficiency"
    yield "additive", top, mean / run, above
    yield "additive", "load_balance", 1 - (most - mean) / run, top
    yield "additive", "communication_efficiency", most / run, top
    if is_valid:
        part = "communication_efficiency"
        yield "additive", "serialization_efficiency", 1 - (ideal - most) / run, part
        yield "additive", "transfer_efficiency", transfer, part


def _teams(times: Summary, mean: float) -> _Rows:
    """Efficiency of teams of threads, and of both together."""
    if times.classes is None or not mean:
        return
    useful, barrier, other, outside = (float(each) for each in times.classes)
    inside = useful + barrier + other
    threads = float(times.size.sum())
    for convention in ("multiplicative", "basic analysis", "additive"):
        yield convention, "parallel_efficiency", useful / (threads * times.run), None
        yield convention, "openmp_efficiency", useful / (inside + outside), "parallel_efficiency"
        if not useful:
            continue
        part = "openmp_efficiency"
        yield convention, "openmp_serialization", inside / (inside + outside), part
        yield convention, "openmp_load_balance", (useful + other) / inside, part
        yield convention, "openmp_scheduling", useful / (useful + other), part
