"""The rows of text files, whatever their state, found with the csv module alone: slow, obvious."""

import csv
import io
import zlib
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from tracemill.schemas import csv_layout as layout

_CALLED = {
    name.casefold(): name for name in (layout.TIME_SECONDS, *(each.name for each in layout.FIELDS))
}
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_GZIP_WINDOW = 31


@dataclass(frozen=True)
class Line:
    """A line that is not blank: its cells, or none if they cannot be separated."""

    path: Path
    number: int
    cells: dict[str, str] | None


@dataclass(frozen=True)
class Text:
    """The columns of a file and its lines; not `is_whole` if it cannot be decompressed to its end.

    A column that is there twice is meant where it comes first.
    """

    columns: list[str]
    lines: list[Line]
    is_whole: bool = True


def read_text_file(path: Path) -> Text:
    """Everything of a file that can be read, line by line."""
    data, is_whole = _decompressed(path.read_bytes())
    first, *rest = data.split(b"\n")
    header = first.decode("utf-8-sig", "replace").strip("\r ")
    by_mark = {mark: _cells(header, mark, True) or [] for mark in layout.SEPARATORS}
    mark = max(by_mark, key=lambda each: len(by_mark[each]))
    has_spaces = f"{mark} " in header
    columns = [_CALLED.get(name.strip().casefold(), name.strip()) for name in by_mark[mark]]
    lines = []
    for number, line in enumerate(rest, 2):
        if line.strip():
            text = line.decode("utf-8", "backslashreplace").replace("\r", "")
            lines.append(Line(path, number, _by_column(columns, _cells(text, mark, has_spaces))))
    return Text(columns, lines, is_whole)


def _cells(line: str, mark: str, has_spaces: bool) -> list[str] | None:
    """The cells of a line; None if a quote is not closed in it."""
    lines = [line, f"{line}{mark}end"]
    try:
        cells, longer = (
            next(csv.reader([each], delimiter=mark, skipinitialspace=has_spaces), [])
            for each in lines
        )
    except csv.Error:
        return None
    return cells if longer == [*cells, "end"] else None


def _by_column(columns: list[str], cells: list[str] | None) -> dict[str, str] | None:
    if cells is None or len(cells) != len(columns):
        return None
    return dict(reversed([*zip(columns, cells, strict=True)]))


def _decompressed(data: bytes) -> tuple[bytes, bool]:
    """As much as can be decompressed, and whether that is all."""
    if data.startswith(_GZIP):
        return _gunzipped(data)
    if data.startswith(_ZSTD):
        return _byte_by_byte(data)
    return data, True


def _gunzipped(data: bytes) -> tuple[bytes, bool]:
    made = bytearray()
    while data:
        stream = zlib.decompressobj(_GZIP_WINDOW)
        try:
            for at in range(len(data)):
                made += stream.decompress(data[at : at + 1])
                if stream.eof:
                    break
        except zlib.error:
            return bytes(made), False
        if not stream.eof:
            return bytes(made), False
        data = data[at + 1 :]
    return bytes(made), True


class _Trickle(io.BytesIO):
    """Bytes that come one by one, so that none is decompressed too late."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 0, 1))


def _byte_by_byte(data: bytes) -> tuple[bytes, bool]:
    made = bytearray()
    with pa.CompressedInputStream(_Trickle(data), "zstd") as stream:
        try:
            while byte := stream.read(1):
                made += byte
        except OSError:
            return bytes(made), False
    return bytes(made), True
