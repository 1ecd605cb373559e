"""The records of a run as a trace in CSV, which can be analysed like any other trace."""

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import PipelineError
from pipeline.export import ExportedRun
from pipeline.files import ELSEWHERE, check_folder, replacing
from pipeline.sql import load_query
from pipeline.store.database import quoted
from schemas import csv_layout as layout

if TYPE_CHECKING:
    import duckdb

_COMPRESSIONS = {".csv": "none", ".gz": "gzip", ".zst": "zstd"}
_NOT_COUNTED = (
    layout.TIME_NS, layout.EVENT_TYPE, layout.NAME, layout.PROCESS, layout.THREAD,
    layout.DEFINITION,
)  # fmt: skip
# Insertion order is kept: definitions come first, then the records in the order of the query.
_WHOLE = "SELECT {columns} FROM (FROM definitions UNION ALL BY NAME FROM events)"


def export_events(run: ExportedRun, output: Path) -> int:
    """Write every record of a run; return the number of rows.

    The suffix of `output` says whether it is compressed: .csv, .csv.gz or .csv.zst. Columns that
    no row fills are left out. Raises PipelineError for another suffix or if the file cannot be
    written.
    """
    suffixes = [suffix.lower() for suffix in output.suffixes]
    if ".csv" not in suffixes or suffixes[-1] not in _COMPRESSIONS:
        raise PipelineError(
            f"cannot export to {output}: events are written as .csv, .csv.gz or .csv.zst"
        )
    check_folder(output)
    connection = run.connect()
    try:
        with replacing(output) as beside:
            return _write(connection, beside, output, _COMPRESSIONS[suffixes[-1]])
    finally:
        connection.close()


def _write(
    connection: "duckdb.DuckDBPyConnection", beside: Path, output: Path, compression: str
) -> int:
    import duckdb

    spilled = beside.with_name(f"{beside.name}.spilled")
    try:
        connection.execute("SET temp_directory = $folder", {"folder": str(spilled)})
        events = load_query("exported_events").statement
        connection.execute(f"CREATE TEMP TABLE events AS {events}")
        definitions = load_query("exported_definitions").statement
        connection.execute(f"CREATE TEMP TABLE definitions AS {definitions}")
        rows = _WHOLE.format(columns=_columns(connection))
        statement = f"COPY ({rows}) TO $output (FORMAT csv, HEADER true, COMPRESSION {compression})"
        copied = connection.execute(statement, {"output": str(beside)}).fetchone()
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0].replace(str(beside), str(output))
        raise PipelineError(f"cannot write {output}: {reason}: {ELSEWHERE}") from error
    return int(copied[0]) if copied else 0


def _columns(connection: "duckdb.DuckDBPyConnection") -> str:
    """The columns that are always written, and those that some row fills, under their names."""
    optional = [each for each in layout.FIELDS if each.name not in _NOT_COUNTED]
    counts = ", ".join(f"count({each.column})" for each in optional)
    found = connection.execute(f"SELECT {counts} FROM events").fetchone() or ()
    is_empty = {each.name for each, count in zip(optional, found, strict=True) if not count}
    chosen = [each for each in layout.FIELDS if each.name not in is_empty]
    return ", ".join(f"{each.column} AS {quoted(each.name)}" for each in chosen)
