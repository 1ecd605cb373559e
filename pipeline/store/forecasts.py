"""Forecasts in a store, beside its runs.

<store>/forecasts/<kind>=<id>/<table>.parquet

Kinds are forecast, search and so on; no table belongs to two kinds. A folder is complete and is
replaced as a whole.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import StoreError
from tracemill.base.sharing import make_folder, share
from tracemill.base.temporary import is_temporary, temporary_name
from tracemill.base.text import first_line
from tracemill.schemas import FORECAST_TABLES, Table
from tracemill.store.database import create_view
from tracemill.store.failures import store_errors
from tracemill.store.parquet import PartWriter, sync, write_empty
from tracemill.store.sweep import remove

FOLDER = "forecasts"
_TRIES = 3
_AGAIN = "remove the file and repeat the forecast"


def publish(store: Path, name: str, tables: Mapping[Table, pa.Table]) -> Path:
    """Write tables to the folder `name`, such as "forecast=1a2b", of a store, and return it.

    All tables are checked; all or none become visible. An equal folder stays as it is.
    Raises StoreError or BrokenContractError.
    """
    target = store / FOLDER / name
    beside = target.with_name(temporary_name("forecast"))
    try:
        with store_errors(beside):
            make_folder(beside)
        for table, data in tables.items():
            _write(table, data, beside / f"{table.name}.parquet")
        with store_errors(target):
            for path in (*sorted(beside.iterdir()), beside):
                share(path)
                sync(path)
            _move(beside, target)
            sync(target.parent)
    finally:
        remove(beside)
    return target


def read(store: Path, name: str, table: Table) -> pa.Table | None:
    """A table of a folder, or None if the store has no such folder. Raises StoreError."""
    path = store / FOLDER / name / f"{table.name}.parquet"
    try:
        with store_errors(path):
            if not path.exists():
                return None
            return pq.read_table(path, partitioning=None)
    except pa.ArrowException as error:
        raise StoreError(
            f"the store cannot be read: {path}: {first_line(error)}: {_AGAIN}"
        ) from error


def files_of(store: Path, table: str) -> list[Path]:
    """The files of a table in all folders."""
    found = (store / FOLDER).glob(f"*/{table}.parquet")
    return sorted(path for path in found if not is_temporary(path.parent))


def has_forecasts(store: Path) -> bool:
    """True if the store has tables of forecasts."""
    return any(files_of(store, table.name) for table in FORECAST_TABLES)


def create_forecast_views(connection: duckdb.DuckDBPyConnection, store: Path) -> list[str]:
    """Make views of the tables of all forecasts of a store; returns their names.

    Unreadable files are left out, as unreadable runs are.
    """
    created = []
    for table in FORECAST_TABLES:
        files = files_of(store, table.name)
        try:
            _create_view(connection, table.name, files)
        except StoreError:
            files = [file for file in files if _is_readable(file)]
            _create_view(connection, table.name, files)
        if files:
            created.append(table.name)
    return created


def _create_view(connection: duckdb.DuckDBPyConnection, name: str, files: Sequence[Path]) -> None:
    if files:
        create_view(connection, name, files, are_alike=False)


def _is_readable(file: Path) -> bool:
    try:
        pq.read_schema(file)
    except (OSError, pa.ArrowException):
        return False
    return True


def _write(table: Table, data: pa.Table, path: Path) -> None:
    writer = PartWriter(table, path)
    writer.write(data)
    writer.close()
    if not data.num_rows:
        write_empty(table, path)


def _move(beside: Path, target: Path) -> None:
    """Rename a folder to its place; what is there goes, unless it is equal."""
    for left in reversed(range(_TRIES)):
        try:
            beside.rename(target)
            return
        except OSError:
            if not left:
                raise
        if _contents(beside) == _contents(target):
            return
        remove(target)  # another may have done it, and have put its own there


def _contents(folder: Path) -> dict[str, bytes]:
    """Files of a folder by name; none if it is gone."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return {path.name: path.read_bytes() for path in folder.iterdir()}
    return {}
