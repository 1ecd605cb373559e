"""A text file, perhaps compressed, cut into blocks of whole rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

BLOCK_BYTES = 1 << 21
_STEP_BYTES = 1 << 16
_LONGEST_ROW = 1 << 25
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True)
class Block:
    """Whole rows, and the line of the file that they begin with, from 1."""

    data: bytes
    first_line: int

    @property
    def line_count(self) -> int:
        """Ends of lines; NumPy counts them four times as fast as `bytes` does."""
        return int(np.count_nonzero(np.frombuffer(self.data, np.uint8) == ord("\n")))

    def without_header(self) -> "Block":
        """The rows that follow the first line."""
        return Block(self.data.partition(b"\n")[2], self.first_line + 1)


@dataclass
class Damage:
    """Why a file ends before its end, if it does."""

    problem: str = ""


def read_blocks(path: Path, damage: Damage) -> Iterator[Block]:
    """All rows, a block at a time; what cannot be decompressed is told in `damage`."""
    rest, line = b"", 1
    parts = _parts(path, damage)
    while True:
        data = rest + _gather(parts)
        is_end = len(data) == len(rest)
        end = len(data) if is_end else _end_of_rows(data)
        end = end if end or len(data) < _LONGEST_ROW else len(data)
        if end:
            block = Block(data[:end], line)
            yield block
            line += block.line_count
        rest = data[end:]
        if is_end:
            return


def _gather(parts: Iterator[bytes]) -> bytes:
    """The next bytes; fewer than a block at the end, or where the stream is cut."""
    gathered: list[bytes] = []
    size = 0
    for part in parts:
        gathered.append(part)
        size += len(part)
        if size >= BLOCK_BYTES:
            break
    return gathered[0] if len(gathered) == 1 else b"".join(gathered)


def _parts(path: Path, damage: Damage) -> Iterator[bytes]:
    """The bytes of a file, decompressed if it begins as a compressed one does."""
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(0)
        compression = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)
        given = 0
        try:
            stream = file if compression is None else _decompressed(file, compression)
            while part := stream.read(_STEP_BYTES if compression else BLOCK_BYTES):
                given += len(part)
                yield part
            return
        except OSError as error:
            damage.problem, read = str(error), file.tell()
    if compression:
        yield from _last_bytes(path, compression, given, read)


def _decompressed(file: Any, compression: str) -> Any:
    return pa.CompressedInputStream(pa.PythonFile(file, "r"), compression)


def _last_bytes(path: Path, compression: str, given: int, read: int) -> Iterator[bytes]:
    """What a stream loses that breaks off, of which so many bytes were `given`, and `read`.

    All is decompressed once more, and in the end byte by byte.
    """
    with path.open("rb") as file:
        stream = _decompressed(_SlowFile(file, read - _STEP_BYTES), compression)
        try:
            while given and (part := stream.read(min(given, _STEP_BYTES))):
                given -= len(part)
            while part := stream.read(1):
                yield part
        except OSError:
            return


class _SlowFile:
    """A file that hands over single bytes from some place on."""

    closed = False

    def __init__(self, file: BinaryIO, slow_from: int) -> None:
        self._file, self._slow_from = file, slow_from

    def read(self, size: int) -> bytes:
        return self._file.read(max(min(size, self._slow_from - self._file.tell()), 1))

    def close(self) -> None:
        self.closed = True


def _end_of_rows(data: bytes) -> int:
    """Where the last whole row ends; 0 if there is none. No cell goes beyond its line."""
    return data.rfind(b"\n") + 1


def count_lines(path: Path) -> int:
    """Number of lines of a file, as far as it can be read."""
    return sum(block.line_count for block in read_blocks(path, Damage()))
