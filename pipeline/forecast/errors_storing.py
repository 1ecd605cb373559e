"""Records of forecasts beside measurements in a store.

Every addition is a folder of its own that never changes; a record that is there is not repeated.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import StoreError
from tracemill.base.text import hash_of
from tracemill.base.version import VERSION
from tracemill.forecast.errors import ErrorRecord
from tracemill.forecast.errors_runs import Measurement, matching_runs, read_measurement
from tracemill.programs.clusters.cluster import Cluster
from tracemill.schemas import Table
from tracemill.schemas.forecast_search import FORECAST_ERRORS
from tracemill.schemas.forecasts import FORECASTS
from tracemill.store.failures import store_errors
from tracemill.store.forecasts import files_of, publish
from tracemill.store.runs import Store

_OTHERS = ("source", "cluster_hash")
"""Columns in which records of the same measurement may differ."""


def store_errors_of(store: Path, records: Sequence[ErrorRecord]) -> int:
    """Add records to the table forecast_errors of a store; returns how many are new.

    Raises StoreError.
    """
    rows = {row["error_id"]: row for row in map(_row, records)}
    present = _present(store)
    new = [row for error_id, row in rows.items() if error_id not in present]
    if new:
        name = hash_of("\n".join(sorted(row["error_id"] for row in new)))
        data = pa.Table.from_pylist(new, schema=FORECAST_ERRORS.arrow_schema)
        publish(store, f"errors={name}", {FORECAST_ERRORS: data})
    return len(new)


def record_measurements(
    store: Path,
    *,
    program: str,
    variant: str,
    cluster: Cluster,
    processes: int,
    forecast_ns: int,
    measured: str | None = None,
) -> list[ErrorRecord]:
    """Store a forecast beside `measured` (seconds, or a run) and beside the runs that match it.

    Returns the records, that of `measured` first. Raises ProgramError, UsageError,
    MissingInputError or StoreError.
    """
    found = [read_measurement(measured, store, processes)] if measured is not None else []
    matched = matching_runs(
        Store(store).runs(),
        program=program,
        variant=variant,
        cluster=cluster.name,
        processes=processes,
    )
    given = {each.run_id for each in found}
    found += [each for each in matched if each.run_id not in given]
    records = [
        _record(
            each,
            program=program,
            variant=variant,
            cluster=cluster.name,
            cluster_hash=cluster.digest or None,
            processes=processes,
            forecast_ns=forecast_ns,
        )
        for each in found
    ]
    store_errors_of(store, records)
    return records


def match_forecasts(store: Path) -> int:
    """Add records of all forecasts of a store beside the runs that match; returns how many.

    Raises StoreError.
    """
    runs = Store(store).runs()
    records = []
    for row in _stored(store, FORECASTS):
        place = {name: row[name] for name in ("program", "variant", "cluster", "processes")}
        for found in matching_runs(runs, **place):
            records.append(_record(found, **place, forecast_ns=row["time_ns"]))
    return store_errors_of(store, records)


def read_records(store: Path) -> list[ErrorRecord]:
    """All records of forecasts of programs, by program, cluster and processes."""
    names = ErrorRecord.__dataclass_fields__
    records = [
        ErrorRecord(**{name: value for name, value in row.items() if name in names})
        for row in _stored(store, FORECAST_ERRORS)
        if row["program"] is not None
    ]
    return sorted(records, key=_place)


def _place(record: ErrorRecord) -> tuple[str, str, int, str, int, int]:
    return (
        record.program or "",
        record.cluster,
        record.processes,
        record.variant or "",
        record.forecast_ns,
        record.measured_ns,
    )


def _row(record: ErrorRecord) -> dict[str, Any]:
    row = asdict(record) | {"error_ratio": record.error, "mpi_error_ratio": record.mpi_error}
    identity = sorted((name, value) for name, value in row.items() if name not in _OTHERS)
    return row | {"error_id": hash_of(repr(identity)), "version": VERSION}


def _record(found: Measurement, **forecast: Any) -> ErrorRecord:
    return ErrorRecord(
        **forecast, measured_ns=found.measured_ns, run_id=found.run_id, source=found.source
    )


def _present(store: Path) -> set[object]:
    return {row["error_id"] for row in _stored(store, FORECAST_ERRORS)}


def _stored(store: Path, table: Table) -> Iterable[dict[str, Any]]:
    for path in files_of(store, table.name):
        with suppress(FileNotFoundError):
            try:
                with store_errors(path):
                    yield from pq.read_table(path, partitioning=None).to_pylist()
            except pa.ArrowException as error:
                raise StoreError(f"the store cannot be read: {path}: {error}") from error
