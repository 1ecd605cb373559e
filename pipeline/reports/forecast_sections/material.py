"""Rows of the tables of one forecast, as its sections use them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.reports.wording import count_of
from tracemill.schemas import Table
from tracemill.schemas.forecasts import (
    FORECAST_CHANNELS,
    FORECAST_INTERVALS,
    FORECAST_OPERATIONS,
    FORECAST_PROCESSES,
    FORECASTS,
)

Row = Mapping[str, Any]
PARTS = {
    "productive": "productive_ns",
    "insufficient parallelism": "insufficient_ns",
    "communication": "communication_ns",
    "idle": "idle_ns",
}
"""Parts of the time of processes, with their columns."""
BUSY = 0.8
"""Channels that are busy for a larger share of the run time are named."""


@dataclass(frozen=True)
class ForecastMaterial:
    """The tables of a forecast, what shortcuts skipped, the full simulation, and measurements.

    `skipped` are phrases such as `8 of 10 iterations of the loop "time steps"`. `full_times` are
    the times of the intervals without shortcuts in ns, in the order of the table; empty if the
    forecast was not compared. `measured` has a sentence for each measurement of the same program.
    """

    tables: Mapping[Table, pa.Table]
    skipped: Sequence[str] = ()
    full_times: Sequence[int] = ()
    measured: Sequence[str] = ()

    @cached_property
    def forecast(self) -> Row:
        """The row of the forecast."""
        row: Row = self.tables[FORECASTS].to_pylist()[0]
        return row

    @cached_property
    def intervals(self) -> list[Row]:
        """The intervals; `interval_id` is their position."""
        return list(self.tables[FORECAST_INTERVALS].to_pylist())

    @cached_property
    def operations(self) -> list[Row]:
        """Operations of all intervals, largest time first."""
        rows = self.tables[FORECAST_OPERATIONS].to_pylist()
        return sorted(rows, key=lambda row: (-row["time_ns"], row["class"]))

    @cached_property
    def channels(self) -> list[Row]:
        """Use of the channels, level by level."""
        return list(self.tables[FORECAST_CHANNELS].to_pylist())

    @cached_property
    def worst(self) -> list[Row]:
        """The intervals by lost time, largest first; enclosing ones before equal nested ones."""
        return sorted(self.intervals, key=lambda row: (-row["lost_ns"], row["interval_id"]))

    def processes(self, interval_id: int) -> dict[str, NDArray[np.int64]]:
        """The parts of the time of each process in an interval in ns."""
        count = self.forecast["processes"]
        rows = self.tables[FORECAST_PROCESSES].slice(interval_id * count, count)
        return {part: rows[column].to_numpy() for part, column in PARTS.items()}

    @property
    def name(self) -> str:
        """Program and variant."""
        return name_of(self.forecast)


def name_of(row: Row) -> str:
    """Program and variant of a row of any table: 'mhpdv, variant v2'."""
    variant = f", variant {row['variant']}" if row["variant"] else ""
    return f"{row['program']}{variant}"


def lost_share(interval: Row) -> float:
    """Share of lost time of all time of an interval."""
    return interval["lost_ns"] / interval["total_ns"] if interval["total_ns"] else 0.0


def describe_operations(count: float) -> str:
    """A number of operations, which branches can make fractional: '1,200 operations'."""
    if float(count).is_integer():
        return count_of(count, "operation")
    return f"{count:,.3g} operations"
