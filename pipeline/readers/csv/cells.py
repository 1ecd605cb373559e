"""Cuts a block of text into cells: with Arrow, or row by row if Arrow cannot read it."""

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv

from tracemill.base.text import quote_cell
from tracemill.readers.csv.blocks import Block
from tracemill.readers.csv.header import Header, cells_of
from tracemill.schemas.csv_layout import EVENT_TYPE, SEPARATORS

Types = dict[str, pa.DataType]
MOST_NS = 1 << 62
LAST_PLACE = (1 << 31) - 1
_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,19})")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_LONGEST_NUMBER = 20
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
# A cell may be as long as a block.
csv.field_size_limit(1 << 30)


def read_all(data: bytes, header: Header, types: Types) -> pa.RecordBatch:
    """The known columns. Raises ArrowInvalid unless every line is a row."""
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise pa.ArrowInvalid("a carriage return stands within a line")
    data = _without_spaces(data, header)
    batch = _read(data, header, types)
    # Arrow joins lines if a quote is closed in another line, also in columns that are not read. It
    # drops lines after a quote that is never closed.
    if b'"' in data:
        last = data.rstrip().rpartition(b"\n")[2].decode("utf-8", "surrogateescape")
        if len(batch) != _count_lines(data, len(batch)) or header.split(last) is None:
            raise pa.ArrowInvalid("a quote is not closed in its line")
    # Searching one rare byte first is many times faster.
    is_suspect = (b"x" in data and b"0x" in data) or (b"X" in data and b"0X" in data)
    if is_suspect and _has_hexadecimal(data, header, types):
        raise pa.ArrowInvalid("a number is not decimal")
    return batch


def _count_lines(data: bytes, expected: int) -> int:
    """Number of lines that are not blank, given the expected number."""
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    return count if count == expected else sum(bool(line.strip()) for line in data.split(b"\n"))


def _has_hexadecimal(data: bytes, header: Header, types: Types) -> bool:
    """Whether an integer is written as 0x…, which Arrow accepts."""
    texts = _read(data, header, dict.fromkeys(types, pa.string()))
    integers = [texts.column(name) for name, type_ in types.items() if pa.types.is_integer(type_)]
    return any(pc.any(pc.match_substring_regex(cells, "[xX]")).as_py() for cells in integers)


def _without_spaces(data: bytes, header: Header) -> bytes:
    """The same rows without spaces after separators."""
    separator = header.separator
    if not header.has_spaces:
        return data
    if b'"' not in data:
        spaces = b" +" if separator == "\t" else rb"[ \t]+"
        return re.sub(re.escape(separator.encode()) + spaces, separator.encode(), data)
    text = io.StringIO(data.decode("utf-8", "surrogateescape"))
    rows = csv.reader(text, skipinitialspace=True, delimiter=separator)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", delimiter=separator).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogateescape")


def _read(data: bytes, header: Header, types: Types) -> pa.RecordBatch:
    """The known columns as one batch, which has rows.

    Raises ArrowInvalid for a cell that is not of its type and a row with another number of cells.
    """
    names = [str(at) for at in range(len(header.columns))]
    chosen = {str(at): types[name] for name, at in header.known.items()}
    table = pc_csv.read_csv(
        pa.py_buffer(data),
        read_options=pc_csv.ReadOptions(
            column_names=names, use_threads=False, block_size=len(data) + 1
        ),
        parse_options=pc_csv.ParseOptions(delimiter=header.separator),
        convert_options=pc_csv.ConvertOptions(
            column_types=chosen, include_columns=list(chosen), null_values=[""], check_utf8=False
        ),
    )
    return table.rename_columns(list(header.known)).combine_chunks().to_batches()[0]


# --- Row by row -----------------------------------------------------------------------------------


class Cleaner(NamedTuple):
    """Converts cells of a column of numbers.

    Arrow reads cells that match the pattern `sound`. `clean` converts any other cell, without
    spaces around it, to a form that Arrow reads; it returns None if the cell is not of its type.
    """

    sound: str
    clean: Callable[[str], str | None]


Cleaners = Mapping[str, Cleaner]


@dataclass(frozen=True)
class CleanRows:
    """The readable rows of a block in a form that `read_all` reads, and their lines.

    `bad` are the other lines with reasons. `invalid_texts` is the number of lines that are not
    UTF-8.
    """

    block: Block
    lines: list[int]
    bad: list[tuple[int, str]]
    invalid_texts: int


def clean_rows(
    block: Block, header: Header, cleaners: Cleaners, choose: Callable[[str], Cleaners]
) -> CleanRows:
    """Keep the rows that have as many cells as the header, all of them of their type.

    Lines whose numbers are all sound by `cleaners` stay as they are. The numbers of the others are
    checked in order, by the cleaners that `choose` returns for the event type of the row.
    """
    out, lines, bad, invalid_texts = io.StringIO(), [], [], 0
    writer = csv.writer(out, lineterminator="\n", delimiter=header.separator)
    is_sound = _sound_line(header, cleaners).fullmatch
    for number, line in enumerate(block.data.split(b"\n"), block.first_line):
        if not line.strip():
            continue
        line = line.replace(b"\r", b"")
        text = line.decode("utf-8", "backslashreplace")
        if is_sound(line):
            out.write(f"{text}\n")
            lines.append(number)
            continue
        cells = header.split(text)
        invalid_texts += cells is not None and text.encode() != line
        try:
            writer.writerow(_clean_row(text, cells, header, choose))
            lines.append(number)
        except _BadRowError as error:
            bad.append((number, str(error)))
    return CleanRows(Block(out.getvalue().encode(), block.first_line), lines, bad, invalid_texts)


def _sound_line(header: Header, cleaners: Cleaners) -> re.Pattern[bytes]:
    """Matches most lines that need no cleaning, which is much faster than to clean them."""
    separator = re.escape(header.separator)
    sound = [rf'[^"\x80-\xff{separator}]*'] * len(header.columns)
    for name, cleaner in cleaners.items():
        sound[header.known[name]] = f"(?:{cleaner.sound})"
    between = f"{separator} *" if header.has_spaces else separator
    return re.compile(between.join(sound).encode())


class _BadRowError(Exception):
    """Why a row cannot be read."""


def _clean_row(
    line: str, cells: list[str] | None, header: Header, choose: Callable[[str], Cleaners]
) -> list[str]:
    """All cells of a line, those that are numbers cleaned. Raises _BadRowError."""
    if cells is None:
        raise _BadRowError("a quote is not closed in its line")
    if len(cells) != len(header.columns):
        raise _BadRowError(_miscounted(line, len(cells), header))
    event_type = cells[header.known.get(EVENT_TYPE, 0)]
    for name, cleaner in choose(event_type).items():
        at = header.known[name]
        cell = cells[at].strip()
        cleaned = cleaner.clean(cell)
        if cleaned is None:
            what = f"{quote_cell(cell)}, no number of possible size" if cell else "empty"
            raise _BadRowError(f"{header.columns[at]} is {what}")
        cells[at] = cleaned
    return cells


def _miscounted(line: str, count: int, header: Header) -> str:
    """Why a row has another number of cells than the header: perhaps another separator."""
    expected = len(header.columns)
    reason = f"{count} cells where the header has {expected}"
    others = [each for each in SEPARATORS if each in line and each != header.separator]
    for other in others:
        if len(cells_of(line, other)) == expected:
            return (
                f"{reason}: {other!r} separates them, and {header.separator!r} those of the header"
            )
    alike = line.translate(dict.fromkeys(map(ord, others), header.separator))
    if others and len(cells_of(alike, header.separator)) == expected:
        found = " and ".join(map(repr, others))
        return f"{reason}: {found} may separate some, and {header.separator!r} others"
    return reason


def _clean_integer(
    cell: str, *, first: int = -(1 << 63), last: int = (1 << 63) - 1, is_needed: bool = False
) -> str | None:
    """An integer within limits; empty only if it is not needed."""
    if not cell:
        return None if is_needed else ""
    match = _INTEGER.fullmatch(cell)
    value = int(match[1] + match[2]) if match else last + 1
    return str(value) if first <= value <= last else None


def _clean_seconds(cell: str) -> str | None:
    value = float(cell) if _DECIMAL.fullmatch(cell) else float("inf")
    return repr(value) if abs(value * 1e9) < MOST_NS else None


def _clean_nanoseconds(cell: str) -> str | None:
    """A number of nanoseconds, rounded."""
    if _INTEGER.fullmatch(cell):
        return _clean_integer(cell, first=1 - MOST_NS, last=MOST_NS - 1)
    value = float(cell) if _DECIMAL.fullmatch(cell) else float("inf")
    return str(round(value)) if abs(value) < MOST_NS else None


def _clean_thread(cell: str) -> str | None:
    """A possible thread, also a multiple of 2**32 as in Pipit."""
    number = int(cell) if cell.isdecimal() and len(cell) < _LONGEST_NUMBER else 0
    is_multiple = number > LAST_PLACE and not number & 0xFFFFFFFF
    return _clean_integer(str(number >> 32) if is_multiple else cell, first=0, last=LAST_PLACE)


_needed = partial(_clean_integer, first=0, last=LAST_PLACE, is_needed=True)
INTEGER = Cleaner(r"-?[0-9]{1,18}|", _clean_integer)
NUMBER = Cleaner(r"[0-9]{1,9}|", partial(_clean_integer, first=0, last=LAST_PLACE))
NEEDED_NUMBER = Cleaner(r"[0-9]{1,9}", _needed)
THREAD_NUMBER = Cleaner(NUMBER.sound, _clean_thread)
NUMBER_OR_ZERO = Cleaner(r"[0-9]{1,9}", lambda cell: _needed(cell or "0"))
"""Numbers of processes, threads and depths."""
NANOSECONDS = Cleaner(r"-?[0-9]{1,18}", _clean_nanoseconds)
SECONDS = Cleaner(r"-?[0-9]{1,9}(?:\.[0-9]+)?", _clean_seconds)
END = Cleaner(
    rf"inf|{SECONDS.sound}",
    lambda cell: "inf" if not cell or _INFINITE.fullmatch(cell) else _clean_seconds(cell),
)
ZERO = Cleaner("0", lambda _: "0")
"""Where a cell does not matter."""
