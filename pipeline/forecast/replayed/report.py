"""The report of a forecast of a run, and the table of a fit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from tracemill.base.names import make_visible
from tracemill.forecast.replayed.fitted import Fitted, describe_fit
from tracemill.forecast.replayed.fitting import Fit
from tracemill.forecast.replayed.storing import RunForecast, tables_of_run
from tracemill.reports.forecast_sections.tables import channel_table
from tracemill.reports.model import Column, Report, Section, Subject, Table
from tracemill.reports.units import Unit, Value, format_share, format_time
from tracemill.schemas.forecast_runs import FORECAST_PATH, FORECAST_RANKS, FORECAST_WAITS
from tracemill.schemas.forecasts import FORECAST_CHANNELS

_SHOWN = 10
LEAST_TRANSFER, MOST_ERROR = 0.5, 0.1
"""Below this transfer efficiency, a run is not explained by its network; unless the forecast is
as near to it as this."""
_LINKS = {False: "Inside nodes", True: "Between nodes"}
_NO_NETWORK = (
    "MPI calls of the recorded run take long without waiting for anybody, as on cores that several "
    "processes share: it cannot be reproduced by a network model."
)


def build_run_report(made: RunForecast) -> Report:
    """A forecast of a run: its time, and what processes wait for."""
    tables = tables_of_run(made)
    sections = [
        Section(
            key="summary",
            title="Summary",
            sentences=tuple(map(make_visible, describe_forecast(made))),
            tables=(_paths(tables[FORECAST_PATH]), _waits(tables[FORECAST_WAITS])),
        ),
        Section(key="ranks", title="Processes", tables=(_ranks(tables[FORECAST_RANKS]),)),
    ]
    channels = tables[FORECAST_CHANNELS].to_pylist()
    if channels:
        sections.append(
            Section(key="channels", title="Channels", tables=(channel_table(channels),))
        )
    return Report(
        title=make_visible(made.run.label),
        subtitle=make_visible(f"Forecast on {made.cluster.name}, replayed from the trace"),
        name=made.forecast_id,
        sections=tuple(sections),
        subject=Subject.FORECAST,
    )


def describe_forecast(made: RunForecast) -> Iterator[str]:
    """The run time, where it goes, and how far to trust it."""
    outcome, measured = made.outcome, made.measured
    part = (
        "from leaving MPI_Init to entering MPI_Finalize"
        if outcome.interval == "init to finalize"
        else "as a whole"
    )
    yield (
        f"Run time: {format_time(outcome.time)} {part}; recorded "
        f"{format_time(measured.time)}, {100 * made.error:+.2f}%."
    )
    total = int((outcome.end - outcome.begin).sum())
    if total:
        shares = (
            format_share(int(each.sum()) / total)
            for each in (outcome.computation, outcome.overhead, outcome.waiting)
        )
        yield "Of the time of all processes, {} is computation, {} overhead and {} waiting.".format(
            *shares
        )
    yield from _describe_efficiency(made)
    if outcome.transfer:
        yield (
            f"On the critical path, {format_time(outcome.transfer)} "
            f"({format_share(outcome.transfer / outcome.time)}) is waiting for transfers."
        )
    is_slow = measured.time and measured.ideal < LEAST_TRANSFER * measured.time
    if is_slow and abs(made.error) > MOST_ERROR:
        yield _NO_NETWORK


def _describe_efficiency(made: RunForecast) -> Iterator[str]:
    outcome = made.outcome
    mean, most = float(outcome.useful.mean()), float(outcome.useful.max())
    if not most or outcome.ideal < most:
        return
    serial, transfer = most / outcome.ideal, outcome.ideal / outcome.time
    yield (
        f"Parallel efficiency {format_share(mean / outcome.time)}: load balance "
        f"{format_share(mean / most)}, serialization {format_share(serial)} and transfer "
        f"{format_share(transfer)}."
    )


def _paths(data: pa.Table) -> Table:
    rows = [
        (row["call_path"] or ("outside of all calls" if row["kind"] == "computation" else ""),
         row["kind"], row["time_ns"])
        for row in data.to_pylist()
    ]  # fmt: skip
    return _largest(
        "path",
        "Critical path",
        (
            Column(name="call_path", title="Call path", unit=Unit.TEXT, is_path=True),
            Column(name="kind", title="Kind", unit=Unit.TEXT),
            Column(name="time_ns", title="Time", unit=Unit.TIME, has_bar=True),
        ),
        rows,
        str(FORECAST_PATH.name),
    )


def _waits(data: pa.Table) -> Table:
    sums: dict[str, int] = {}
    for row in data.to_pylist():
        name = row["call_path"] or "outside of all calls"
        sums[name] = sums.get(name, 0) + row["waiting_ns"]
    return _largest(
        "waits",
        "Waiting of all processes",
        (
            Column(name="call_path", title="Call path", unit=Unit.TEXT, is_path=True),
            Column(name="waiting_ns", title="Waiting", unit=Unit.TIME, has_bar=True),
        ),
        list(sums.items()),
        str(FORECAST_WAITS.name),
    )


def _ranks(data: pa.Table) -> Table:
    names = ("rank", "run_ns", "computation_ns", "overhead_ns", "waiting_ns")
    titles = ("Rank", "Time", "Computation", "Overhead", "Waiting")
    units = (Unit.NUMBER, *(Unit.TIME,) * 4)
    rows: list[tuple[Value, ...]] = [tuple(row[name] for name in names) for row in data.to_pylist()]
    columns = tuple(
        Column(name=name, title=title, unit=unit)
        for name, title, unit in zip(names, titles, units, strict=True)
    )
    return Table(name="ranks", title="Processes", columns=columns, rows=tuple(rows), sql="")


def _largest(
    name: str, title: str, columns: tuple[Column, ...], rows: list[tuple[Any, ...]], source: str
) -> Table:
    """A table of the rows with most time."""
    rows.sort(key=lambda row: -row[-1])
    note = f"All are in the table {source}." if len(rows) > _SHOWN else ""
    return Table(
        name=name,
        title=title,
        columns=columns,
        rows=tuple(rows[:_SHOWN]),
        sql="",
        note=note,
        is_cut=len(rows) > _SHOWN,
    )


def build_fit_section(fitted: Fitted) -> Section:
    """The fitted network, with what it says of each size."""
    sentences = [f"{_LINKS[each]}: {describe_fit(fit)}." for each, fit in fitted.fits.items()]
    if any(fit.line.ns_per_byte is None for fit in fitted.fits.values()):
        sentences.append(
            "Warning: an unknown time per byte is written as 0: forecasts take long messages for "
            "as fast as short ones."
        )
    rows = [row for each, fit in fitted.fits.items() for row in _size_rows(_LINKS[each], fit)]
    columns = (
        Column(name="link", title="Link", unit=Unit.TEXT),
        Column(name="message_bytes", title="Size", unit=Unit.SIZE),
        Column(name="message_count", title="Messages", unit=Unit.COUNT),
        Column(name="measured_ns", title="Measured", unit=Unit.TIME),
        Column(name="fitted_ns", title="Fitted", unit=Unit.TIME),
        Column(name="error", title="Error", unit=Unit.TEXT),
    )
    table = Table(name="sizes", title="Sizes", columns=columns, rows=tuple(rows), sql="")
    return Section(key="fit", title="Fit", sentences=tuple(sentences), tables=(table,))


def _size_rows(link: str, fit: Fit) -> Iterator[tuple[Value, ...]]:
    fitted = np.floor(fit.line.latency_ns + fit.line.slope * fit.typical.sizes + 0.5)
    for size, count, measured, time in zip(
        *(each.tolist() for each in fit.typical), fitted.tolist(), strict=True
    ):
        error = f"{100 * (time / measured - 1):+.1f}%" if measured > 0 else ""
        yield link, size, count, int(measured + 0.5), int(time), error
