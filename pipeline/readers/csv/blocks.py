"""Reads a text file, compressed or not, in blocks of whole rows."""

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
    """Whole rows, and the number of their first line in the file, from 1."""

    data: bytes
    first_line: int

    @property
    def line_count(self) -> int:
        """Number of line ends; NumPy counts them four times faster than `bytes`."""
        return int(np.count_nonzero(np.frombuffer(self.data, np.uint8) == ord("\n")))

    def without_header(self) -> "Block":
        """The rows that follow the first line."""
        return Block(self.data.partition(b"\n")[2], self.first_line + 1)


@dataclass
class Damage:
    """The reason why a file cannot be read to its end; empty if it can."""

    problem: str = ""


def read_blocks(path: Path, damage: Damage) -> Iterator[Block]:
    """All rows in blocks; sets `damage` if the file cannot be decompressed to its end."""
    rest, line = b"", 1
    parts = _parts(path, damage)
    while True:
        data = rest + _gather(parts)
        is_end = len(data) == len(rest)
        end = len(data) if is_end else data.rfind(b"\n") + 1
        end = end if end or len(data) < _LONGEST_ROW else len(data)
        if end:
            block = Block(data[:end], line)
            yield block
            line += block.line_count
        rest = data[end:]
        if is_end:
            return


def _gather(parts: Iterator[bytes]) -> bytes:
    """The next bytes; fewer than a block only at the end."""
    gathered: list[bytes] = []
    size = 0
    for part in parts:
        gathered.append(part)
        size += len(part)
        if size >= BLOCK_BYTES:
            break
    return gathered[0] if len(gathered) == 1 else b"".join(gathered)


def _parts(path: Path, damage: Damage) -> Iterator[bytes]:
    """The bytes of a file, decompressed if its first bytes say so."""
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
    """The last bytes before the damage of a stream.

    Reading fails for all bytes of a step. This decompresses the stream again, skips the `given`
    bytes, and reads byte by byte near position `read` of the file.
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
    """A file that returns single bytes from a position on."""

    closed = False

    def __init__(self, file: BinaryIO, slow_from: int) -> None:
        self._file, self._slow_from = file, slow_from

    def read(self, size: int) -> bytes:
        return self._file.read(max(min(size, self._slow_from - self._file.tell()), 1))

    def close(self) -> None:
        self.closed = True


def count_lines(path: Path) -> int:
    """Number of readable lines of a file."""
    return sum(block.line_count for block in read_blocks(path, Damage()))
