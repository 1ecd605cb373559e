"""A text file, perhaps compressed, cut into blocks of whole rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


@contextmanager
def open_text(path: Path) -> Iterator[tuple[Any, int]]:
    """A stream of bytes, decompressed if the file begins as a compressed one does.

    The number is how much to ask for at a time: where a stream is cut, the last step is lost.
    """
    with path.open("rb") as file:
        head = file.read(4)
    compression = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)
    with pa.input_stream(str(path), compression=compression) as stream:
        yield stream, _STEP_BYTES if compression else BLOCK_BYTES


def read_blocks(path: Path, damage: Damage) -> Iterator[Block]:
    """All rows, a block at a time; what cannot be decompressed is told in `damage`."""
    rest, offset = b"", 0
    with open_text(path) as (stream, step):
        while True:
            data = rest + _read(stream, step, damage)
            is_end = len(data) == len(rest)
            end = len(data) if is_end else _end_of_rows(data)
            end = end if end or len(data) < _LONGEST_ROW else len(data)
            if end:
                yield Block(data[:end], offset)
                offset += end
            rest = data[end:]
            if is_end:
                return


def _read(stream: Any, step: int, damage: Damage) -> bytes:
    """The next bytes; fewer than a block at the end, or where the stream is cut."""
    parts: list[bytes] = []
    size = 0
    while size < BLOCK_BYTES and not damage.problem:
        try:
            part = stream.read(step)
        except OSError as error:
            damage.problem = str(error)
            break
        if not part:
            break
        parts.append(part)
        size += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


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
