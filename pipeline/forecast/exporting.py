"""Tables of forecasts as files: JSON with all tables, or a folder with a CSV file for each."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv

from tracemill.base.errors import PipelineError
from tracemill.base.files import check_folder, write_text
from tracemill.base.temporary import temporary_name
from tracemill.schemas import FORECAST_TABLES, Table

_SUFFIX = ".csv"


def write_json(tables: Mapping[Table, pa.Table], path: Path) -> None:
    """Write one object with a list of rows for each table. Raises PipelineError."""
    write_text(path, "".join(_json_of(tables)))


def _json_of(tables: Mapping[Table, pa.Table]) -> Iterator[str]:
    """JSON with a row per line."""
    before = "{\n"
    for table, data in tables.items():
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in data.to_pylist())
        yield f'{before}"{table.name}": [\n{rows}\n]'
        before = ",\n"
    yield "\n}\n"


def check_csv_folder(folder: Path) -> None:
    """Raise PipelineError unless `write_csv` can write to a folder.

    It may exist if it holds nothing but earlier files of `write_csv`.
    """
    check_folder(folder)
    known = {f"{table.name}{_SUFFIX}" for table in FORECAST_TABLES}
    try:
        other = {path.name for path in folder.iterdir()} - known
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise PipelineError(f"cannot write {folder}: a file is there: name a folder") from error
    except OSError as error:
        raise PipelineError(f"cannot write {folder}: {error.strerror}") from error
    if other:
        raise PipelineError(
            f"cannot write {folder}: it holds other files, such as {min(other)}: name a new or "
            "empty folder"
        )


def write_csv(tables: Mapping[Table, pa.Table], folder: Path) -> None:
    """Write a CSV file for each table; the folder appears whole or not at all.

    Null is an empty field. Raises PipelineError.
    """
    check_csv_folder(folder)
    beside = folder.with_name(temporary_name("csv"))
    try:
        beside.mkdir()
        for table, data in tables.items():
            arrow_csv.write_csv(_plain(data), beside / f"{table.name}{_SUFFIX}", _OPTIONS)
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
        beside.rename(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(f"cannot write {folder}: {reason}: name another folder") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


_OPTIONS = arrow_csv.WriteOptions(quoting_style="needed")


def _plain(data: pa.Table) -> pa.Table:
    """Text in place of enumerations, which the library cannot write."""
    fields = [
        pa.field(each.name, pa.string()) if pa.types.is_dictionary(each.type) else each
        for each in data.schema
    ]
    return data.cast(pa.schema(fields))
