"""The tables of a forecast."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tracemill.forecast.forecasting import Forecast
from tracemill.forecast.outcome import IntervalOutcome, LevelOutcome
from tracemill.programs.parts import rounded_number
from tracemill.schemas import Table
from tracemill.schemas.forecasts import (
    FORECAST_CHANNELS,
    FORECAST_INTERVALS,
    FORECAST_OPERATIONS,
    FORECAST_PROCESSES,
    FORECASTS,
    TABLES,
)

Row = dict[str, Any]


def tables_of(forecast: Forecast) -> dict[Table, pa.Table]:
    """All tables of a forecast, with their declared columns and order of rows."""
    rows: Mapping[Table, Iterator[Row]] = {
        FORECASTS: _forecasts(forecast),
        FORECAST_INTERVALS: _intervals(forecast),
        FORECAST_OPERATIONS: _operations(forecast),
        FORECAST_CHANNELS: channel_rows(forecast.outcome.levels),
    }
    made = {table: _table(table, forecast, found) for table, found in rows.items()}
    made[FORECAST_PROCESSES] = _processes(forecast)
    return {table: made[table] for table in TABLES}


def _table(table: Table, forecast: Forecast, rows: Iterator[Row]) -> pa.Table:
    identified = [{"forecast_id": forecast.forecast_id, **row} for row in rows]
    return pa.Table.from_pylist(identified, schema=table.arrow_schema)


def _forecasts(forecast: Forecast) -> Iterator[Row]:
    yield {
        "program": forecast.program.name,
        "variant": forecast.program.variant,
        "cluster": forecast.cluster.name,
        "grid": forecast.grid,
        "processes": forecast.program.process_count,
        "shortcuts": forecast.shortcuts,
        "time_ns": forecast.outcome.time_ns,
        "single_process_ns": forecast.single_process_ns,
        "speed_up_ratio": forecast.speed_up,
        "full_time_ns": forecast.full.time_ns if forecast.full else None,
    }


def _intervals(forecast: Forecast) -> Iterator[Row]:
    for number, interval in enumerate(forecast.outcome.intervals):
        lost = {
            "insufficient_ns": int(interval.insufficient_ns.sum()),
            "communication_ns": int(interval.communication_ns.sum()),
            "idle_ns": interval.total_ns - int(interval.own_ns.sum()),
        }
        yield {
            "interval_id": number,
            "parent_interval_id": interval.parent,
            "interval": interval.path,
            "time_ns": interval.time_ns,
            "total_ns": interval.total_ns,
            "productive_ns": int(interval.productive_ns.sum()),
            "lost_ns": sum(lost.values()),
            **lost,
            "efficiency_ratio": interval.efficiency,
            **{name: _sum_of_classes(interval, name) for name in _OF_CLASSES},
        }


_OF_CLASSES = ("before_ns", "after_ns", "overlap_ns")


def _sum_of_classes(interval: IntervalOutcome, name: str) -> int:
    return sum(getattr(each, name) for each in interval.classes.values())


def _operations(forecast: Forecast) -> Iterator[Row]:
    for number, interval in enumerate(forecast.outcome.intervals):
        for name in sorted(interval.classes):
            found = interval.classes[name]
            yield {
                "interval_id": number,
                "class": name,
                "operation_count": found.operation_count,
                "time_ns": found.time_ns,
                "overlap_ns": found.overlap_ns,
                "before_ns": found.before_ns,
                "after_ns": found.after_ns,
            }


def channel_rows(levels: Iterable[LevelOutcome]) -> Iterator[Row]:
    """Rows of the channels of levels; the second of a name is `name 2`."""
    named: Counter[str] = Counter()
    for level in levels:
        named[level.level] += 1
        again = f" {named[level.level]}" if named[level.level] > 1 else ""
        yield {
            "level": level.level + again,
            "transfers": level.transfers,
            "bytes": rounded_number(level.bytes),
            "busy_ns": rounded_number(level.busy_ns),
            "busy_ratio": level.busy_ratio,
        }


def _processes(forecast: Forecast) -> pa.Table:
    """Many rows: made from whole columns."""
    intervals, count = forecast.outcome.intervals, forecast.program.process_count
    columns = {
        "interval_id": np.repeat(np.arange(len(intervals), dtype=np.int32), count),
        "rank": np.tile(np.arange(count, dtype=np.int32), len(intervals)),
        **{
            name: np.concatenate([getattr(each, name) for each in intervals])
            for name in ("own_ns", "productive_ns", "insufficient_ns", "communication_ns")
        },
        "idle_ns": np.concatenate([each.time_ns - each.own_ns for each in intervals]),
    }
    size = len(intervals) * count
    identified = {"forecast_id": pa.array([forecast.forecast_id]).take(np.zeros(size, np.int64))}
    return pa.table(
        identified | {name: pa.array(values) for name, values in columns.items()},
        schema=FORECAST_PROCESSES.arrow_schema,
    )
