"""Finds the files of a trace in text or Parquet, with their layout and identity."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from tracemill.base.errors import DamagedTraceError, NotATraceError
from tracemill.readers.common.source import digest_of_files
from tracemill.readers.csv.header import Header, check_header, read_header
from tracemill.store.manifest import SourceFile

_SUFFIXES = (".csv", ".csv.gz", ".csv.zst", ".parquet")
_PARQUET = b"PAR1"
_METRICS = {"Group", "Metric Name", "Time", "Value"}
_HEAD_BYTES = 1 << 20


@dataclass(frozen=True)
class TextFiles:
    """Files of one trace, by the headers of text and Parquet files.

    `others` are the metrics beside call graphs, which are not read.
    """

    path: Path
    headers: tuple[Header, ...]
    parquet: tuple[Header, ...]
    others: tuple[Path, ...] = ()

    @property
    def all(self) -> list[Path]:
        return [*(each.path for each in (*self.headers, *self.parquet)), *self.others]

    @cached_property
    def is_call_graph(self) -> bool:
        return all(each.is_call_graph for each in (*self.headers, *self.parquet))


def looks_like_text(path: Path) -> bool:
    """Whether a file, or any file of a folder, has a suffix of such traces."""
    if path.is_dir():
        return any(_has_suffix(file) for file in path.iterdir() if file.is_file())
    return _has_suffix(path)


def _has_suffix(path: Path) -> bool:
    return path.name.lower().endswith(_SUFFIXES)


def find_files(path: Path) -> TextFiles:
    """The trace in a file or folder. Raises NotATraceError or DamagedTraceError."""
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and _has_suffix(file))
    headers, parquet, others = [], [], []
    for file in files:
        if _is_parquet(file):
            parquet.append(_parquet_header(file))
            continue
        header = read_header(file)
        if len(files) > 1 and set(header.columns) == _METRICS:
            others.append(file)
            continue
        check_header(header)
        headers.append(header)
    found = TextFiles(path, tuple(headers), tuple(parquet), tuple(others))
    _check_alike(found)
    return found


def _check_alike(found: TextFiles) -> None:
    headers = (*found.headers, *found.parquet)
    # Only files of a call graph are read together and need the same separator.
    kinds = {(each.is_call_graph, each.is_call_graph and each.separator) for each in headers}
    if len(kinds) != 1 or (found.headers and found.parquet):
        raise NotATraceError(
            f"{found.path}: its files are not all of one layout; name one file, or a folder with "
            "the files of one trace"
        )


def _is_parquet(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == _PARQUET


def _parquet_header(file: Path) -> Header:
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(file).names
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DamagedTraceError(f"{file}: damaged Parquet file: {reason}") from error
    header = Header(file, tuple(names))
    if not header.is_call_graph:
        raise NotATraceError(
            f"{file}: no trace: a call graph in Parquet has the columns group, thread, depth, "
            f"name, start and end; columns present: {', '.join(names[:12])}"
        )
    return header


@dataclass(frozen=True)
class TextIdentity:
    """Identity of files by sizes, first and last bytes; and their state."""

    found: TextFiles

    @cached_property
    def run_id(self) -> str:
        digest = hashlib.blake2b(digest_size=6)
        for path in self.found.all:
            size = path.stat().st_size
            digest.update(f"{path.name if len(self.found.all) > 1 else ''} {size} ".encode())
            with path.open("rb") as file:
                digest.update(file.read(_HEAD_BYTES))
                file.seek(max(size - _HEAD_BYTES, 0))
                digest.update(file.read())
        return digest.hexdigest()

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        stats = ((path.name, path.stat()) for path in sorted(self.found.all))
        return tuple(SourceFile(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)

    def digest(self, threads: int = 1) -> str:
        """Hash of the names and content of all files."""
        return digest_of_files({path.name: path for path in sorted(self.found.all)}, threads)
