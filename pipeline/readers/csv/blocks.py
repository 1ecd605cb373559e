"""A text file, perhaps compressed, cut into blocks of whole rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

BLOCK_BYTES = 1 << 21
_STEP_BYTES = 1 << 16
_LONGEST_ROW = 1 << 25
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True)
class Block:
    """Whole rows, and where they begin in the decompressed file."""

    data: bytes
    offset: int


@dataclass(frozen=True)
class RowPlace:
    """Where a row stands: in the block at `offset`, as its n-th row or, if known, in that line."""

    offset: int
    row: int
    line: int | None = None


@dataclass
class Damage:
    """Why a file ends before its end, if it does."""

    problem: str = ""


def read_blocks(path: Path, damage: Damage) -> Iterator[Block]:
    """All rows, a block at a time; what cannot be decompressed is told in `damage`."""
    rest, offset = b"", 0
    parts = _parts(path, damage)
    while True:
        data = rest + _gather(parts)
        is_end = len(data) == len(rest)
        end = len(data) if is_end else _end_of_rows(data)
        end = end if end or len(data) < _LONGEST_ROW else len(data)
        if end:
            yield Block(data[:end], offset)
            offset += end
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


def lines_of(path: Path, places: Sequence[RowPlace]) -> list[int]:
    """Numbers of the lines of some rows; the file is read once, as far as needed."""
    found: dict[RowPlace, int] = {}
    first = 1
    for block in read_blocks(path, Damage()):
        here = [place for place in places if place.offset == block.offset]
        found |= {place: first + _line_in(block, place) for place in here}
        if len(found) == len(set(places)):
            break
        first += block.data.count(b"\n")
    return [found[place] for place in places]


def _line_in(block: Block, place: RowPlace) -> int:
    """Line of a row within its block, whose first is 0; that of the file is the header."""
    if place.line is not None:
        return place.line
    lines = enumerate(block.data.split(b"\n"))
    filled = [at for at, line in lines if line.strip(b"\r")]
    return filled[place.row + (block.offset == 0)]


def count_lines(path: Path) -> int:
    """Number of lines of a file, as far as it can be read."""
    return sum(block.data.count(b"\n") for block in read_blocks(path, Damage()))
