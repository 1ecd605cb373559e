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
from tracemill.forecast.errors_input import matching_runs, read_measurement
from tracemill.programs.clusters.cluster import Cluster
from tracemill.schemas.forecast_search import FORECAST_ERRORS
from tracemill.store.failures import store_errors
from tracemill.store.forecasts import files_of, publish


def store_errors_of(store: Path, records: Sequence[ErrorRecord]) -> int:
    """Add records to the table forecast_errors of a store; returns how many are new.

    Raises StoreError.
    """
    rows = {row["error_id"]: row for row in map(_row, records)}
    present = _present(store)
    new = [row for error_id, row in rows.items() if error_id not in present]
    if new:
        name = hash_of("\n".join(sorted(row["error_id"] for row in new)))
        data = pa.Table.from_pylist(new, schema=_plain(FORECAST_ERRORS.arrow_schema))
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
        store, program=program, variant=variant, cluster=cluster.name, processes=processes
    )
    given = {each.run_id for each in found}
    found += [each for each in matched if each.run_id not in given]
    records = [
        ErrorRecord(
            program=program,
            variant=variant,
            cluster=cluster.name,
            cluster_hash=cluster.digest or None,
            processes=processes,
            forecast_ns=forecast_ns,
            measured_ns=each.measured_ns,
            run_id=each.run_id,
            source=each.source,
        )
        for each in found
    ]
    store_errors_of(store, records)
    return records


def _row(record: ErrorRecord) -> dict[str, Any]:
    row = asdict(record) | {"error_ratio": record.error, "mpi_error_ratio": record.mpi_error}
    identity = sorted((name, value) for name, value in row.items() if name != "source")
    return row | {"error_id": hash_of(repr(identity)), "version": VERSION}


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema with enumerations as text."""
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    return pa.schema(fields)


def _present(store: Path) -> set[object]:
    return {row["error_id"] for row in _stored(store)}


def _stored(store: Path) -> Iterable[dict[str, Any]]:
    for path in files_of(store, FORECAST_ERRORS.name):
        with suppress(FileNotFoundError):
            try:
                with store_errors(path):
                    yield from pq.read_table(path, partitioning=None).to_pylist()
            except pa.ArrowException as error:
                raise StoreError(f"the store cannot be read: {path}: {error}") from error
