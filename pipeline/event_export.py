"""The records of a run as a trace in CSV, which can be analysed like any other trace."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pipeline.errors import PipelineError, QueryError
from pipeline.export import ExportedRun
from pipeline.files import ELSEWHERE, check_free, replacing
from pipeline.sql import load_query
from pipeline.store.database import quoted, scan
from pipeline.text import first_line
from schemas import csv_layout as layout

if TYPE_CHECKING:
    import duckdb

MEMORY_LIMIT = "1GB"
BATCH_RECORDS = 250_000
"""Locations are put in order together up to so many records."""
_THREADS = 4
_COMPRESSIONS = {".csv": "none", ".gz": "gzip", ".zst": "zstd"}
_NOT_COUNTED = (
    layout.TIME_NS, layout.EVENT_TYPE, layout.NAME, layout.PROCESS, layout.THREAD,
    layout.DEFINITION,
)  # fmt: skip
# Tables of which only the rows of some locations are looked at; the query needs all of the others.
BATCHED = (
    "visits", "locations", "mpi_operations", "thread_events", "lock_operations", "rma_operations",
    "io_operations", "counter_values", "parameter_values", "record_attributes", "samples",
    "measurement_gaps",
)  # fmt: skip
_SOME = """
CREATE TEMP VIEW {name} AS
FROM memory.main.{name}
WHERE location_id BETWEEN getvariable('first_location') AND getvariable('last_location')
"""
_ORDER = "time_ns, location_id, position, value_rank, variable"
# Insertion order is kept: definitions come first, then the records.
_WHOLE = (
    "SELECT {columns} FROM (FROM definitions UNION ALL BY NAME "
    "(FROM events ORDER BY " + _ORDER + "))"
)


def export_events(
    run: ExportedRun, output: Path, *, memory_limit: str = "", is_overwriting: bool = False
) -> int:
    """Write every record of a run; return the number of rows.

    The suffix of `output` says whether it is compressed: .csv, .csv.gz or .csv.zst. Columns that
    no row fills are left out. `memory_limit` is a size such as 2GB, which defaults to
    MEMORY_LIMIT; what exceeds it lies beside `output` meanwhile. Raises PipelineError for another
    suffix, if the file is there already and not to be overwritten, or if it cannot be written, and
    QueryError if memory does not suffice.
    """
    suffixes = [suffix.lower() for suffix in output.suffixes]
    if ".csv" not in suffixes or suffixes[-1] not in _COMPRESSIONS:
        raise PipelineError(
            f"cannot export to {output}: events are written as .csv, .csv.gz or .csv.zst"
        )
    check_free(output, is_overwriting=is_overwriting)
    definitions, events = load_query("exported_definitions"), load_query("exported_events")
    connection = run.connect(
        threads=_THREADS,
        memory_limit=memory_limit or MEMORY_LIMIT,
        tables=sorted({*definitions.inputs, *events.inputs}),
    )
    try:
        with (
            replacing(output) as beside,
            TemporaryDirectory(prefix=f"{beside.name}.", dir=output.parent) as folder,
            _told(beside, output),
        ):
            connection.execute("SET temp_directory = $folder", {"folder": f"{folder}/spilled"})
            connection.execute(f"CREATE TEMP TABLE definitions AS {definitions.statement}")
            _sort_batches(connection, Path(folder))
            return _write(connection, Path(folder), beside, _COMPRESSIONS[suffixes[-1]])
    finally:
        connection.close()


@contextmanager
def _told(beside: Path, output: Path) -> Iterator[None]:
    """Failures of DuckDB in a line that says what to do."""
    import duckdb

    try:
        yield
    except duckdb.IOException as error:
        reason = first_line(error).replace(str(beside), str(output))
        raise PipelineError(f"cannot write {output}: {reason}: {ELSEWHERE}") from error
    except duckdb.OutOfMemoryException as error:
        raise QueryError(
            f"export events: not enough memory: {first_line(error)}: allow more with --memory-limit"
        ) from error


def _sort_batches(connection: "duckdb.DuckDBPyConnection", folder: Path) -> None:
    """The records of all locations, some at a time, as files of rows in order."""
    batches = _batches(connection)
    for name in BATCHED:
        connection.execute(_SOME.format(name=name))
    events = load_query("exported_events").statement
    for number, (first, last) in enumerate(batches):
        connection.execute("SET VARIABLE first_location = $first", {"first": first})
        connection.execute("SET VARIABLE last_location = $last", {"last": last})
        file = folder / f"events-{number:06d}.parquet"
        connection.execute(f"COPY ({events}) TO $file (FORMAT parquet)", {"file": str(file)})


def _batches(connection: "duckdb.DuckDBPyConnection") -> list[tuple[int, int]]:
    """First and last location of each batch: one, or several with few records."""
    counted = connection.execute(
        "SELECT location_id, record_count FROM locations ORDER BY location_id"
    ).fetchall()
    found: list[tuple[int, int]] = [] if counted else [(0, 0)]
    filled = 0
    for location, count in counted:
        is_new = not found or filled + count > BATCH_RECORDS
        filled = count if is_new else filled + count
        if is_new:
            found.append((location, location))
        else:
            found[-1] = (found[-1][0], location)
    return found


def _write(
    connection: "duckdb.DuckDBPyConnection", folder: Path, beside: Path, compression: str
) -> int:
    files = scan(sorted(folder.glob("events-*.parquet")))
    connection.execute(f"CREATE TEMP VIEW events AS FROM {files}")
    rows = _WHOLE.format(columns=_columns(connection))
    statement = f"COPY ({rows}) TO $output (FORMAT csv, HEADER true, COMPRESSION {compression})"
    copied = connection.execute(statement, {"output": str(beside)}).fetchone()
    return int(copied[0]) if copied else 0


def _columns(connection: "duckdb.DuckDBPyConnection") -> str:
    """The columns that are always written, and those that some row fills, under their names."""
    optional = [each for each in layout.FIELDS if each.name not in _NOT_COUNTED]
    counts = ", ".join(f"count({each.column})" for each in optional)
    found = connection.execute(f"SELECT {counts} FROM events").fetchone() or ()
    is_empty = {each.name for each, count in zip(optional, found, strict=True) if not count}
    chosen = [each for each in layout.FIELDS if each.name not in is_empty]
    return ", ".join(f"{each.column} AS {quoted(each.name)}" for each in chosen)
