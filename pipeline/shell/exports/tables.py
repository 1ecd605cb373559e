"""All tables of a run or campaign in a folder, one Parquet file each."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import PipelineError
from tracemill.base.files import ELSEWHERE, check_folder
from tracemill.store.runs import Run


def export_tables(run: Run, output: Path) -> int:
    """Copy every stored table to `output`/<table>.parquet; returns the number of tables.

    Files keep meanings and units as metadata. The folder appears whole or not at all. Raises
    PipelineError if it exists or cannot be written, StoreError if a table is lost.
    """
    check_folder(output)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise PipelineError(f"cannot write {output}: it is there already: {ELSEWHERE}")
    beside = output.with_name(f".{output.name}.{os.getpid()}.tmp")
    try:
        beside.mkdir()
        for name in run.tables:
            _join(run, name, beside / f"{name}.parquet")
        with suppress(FileNotFoundError):
            output.rmdir()
        beside.rename(output)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(f"cannot write {output}: {reason}: {ELSEWHERE}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return len(run.tables)


def _join(run: Run, name: str, path: Path) -> None:
    """Write the parts of a table one after the other into one file."""
    files = run.files(name)
    if len(files) == 1:
        shutil.copyfile(files[0], path)
        return
    with pq.ParquetFile(files[0]) as first:
        schema = first.schema_arrow
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for file in files:
            _append(file, writer)


def _append(file: Path, writer: pq.ParquetWriter) -> None:
    with pq.ParquetFile(file) as part:
        for number in range(part.num_row_groups):
            writer.write_table(part.read_row_group(number))
    pa.default_memory_pool().release_unused()
