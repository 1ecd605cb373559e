"""A block of text cut into rows and cells: all that are there, or those that can be told apart."""

import csv
import io
import re
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv

from tracemill.readers.csv.blocks import Block
from tracemill.readers.csv.header import Header, cells_of
from tracemill.schemas.csv_layout import SEPARATORS

Types = dict[str, pa.DataType]
# A cell may be as long as a block.
csv.field_size_limit(1 << 30)


def rows_of(block: Block) -> tuple[bytes, int]:
    """The rows of a block without the header, and the line that they begin with."""
    if block.offset:
        return block.data, 0
    return block.data.partition(b"\n")[2], 1


def read_all(data: bytes, header: Header, types: Types) -> pa.RecordBatch:
    """The known columns of lines that are all rows; else raise ArrowInvalid."""
    data = _without_spaces(data, header)
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise pa.ArrowInvalid("a carriage return stands within a line")
    batch = _read(data, header, types)
    # A quote that another line closes makes one row of several, also in columns that are not read;
    # one that none closes any more makes none at all.
    if b'"' in data:
        last = data.rstrip().rpartition(b"\n")[2].decode("utf-8", "surrogateescape")
        if len(batch) != _count_lines(data, len(batch)) or not header.is_closed(last):
            raise pa.ArrowInvalid("a quote is not closed in its line")
    # One byte is looked for many times faster than two of which the first is everywhere.
    is_suspect = (b"x" in data and b"0x" in data) or (b"X" in data and b"0X" in data)
    if is_suspect and _has_hexadecimal(data, header, types):
        raise pa.ArrowInvalid("a number is not decimal")
    return batch


def _count_lines(data: bytes, expected: int) -> int:
    """Lines that are not blank; looks for blank ones unless as many as expected are there."""
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    return count if count == expected else sum(bool(line.strip()) for line in data.split(b"\n"))


def _has_hexadecimal(data: bytes, header: Header, types: Types) -> bool:
    """Whether an integer is written as 0x…, which pyarrow takes for one."""
    texts = _read(data, header, dict.fromkeys(types, pa.string()))
    integers = [texts.column(name) for name, type_ in types.items() if pa.types.is_integer(type_)]
    return any(pc.any(pc.match_substring_regex(cells, "[xX]")).as_py() for cells in integers)


@dataclass
class GoodRows:
    """Rows that are as many cells as the header, if there are any, and their lines.

    The others are `bad`: their lines, and why.
    """

    cells: pa.RecordBatch | None
    lines: list[int]
    bad: list[tuple[int, str]]
    invalid_texts: int


def read_good(data: bytes, header: Header, types: Types, first_line: int) -> GoodRows:
    """The known columns of those lines that are rows; `first_line` is the number of the first."""
    lines, numbers, wrong, invalid = _good_lines(data, header, first_line)
    bad = [(number, "a quote is not closed in its line") for number in wrong]
    text = b"\n".join(lines) + b"\n"
    rejected = _Rejected()
    cells = None
    if lines:
        with suppress(_NoRowsError):
            cells = _read(_without_spaces(text, header), header, types, rejected)
    for row in rejected.rows:
        bad.append((numbers[(row.number or 1) - 1], _miscounted(row, header)))
    skipped = {(row.number or 1) - 1 for row in rejected.rows}
    kept = [number for place, number in enumerate(numbers) if place not in skipped]
    return GoodRows(cells, kept, bad, invalid)


def _miscounted(row: pc_csv.InvalidRow, header: Header) -> str:
    """That a row has another number of cells than the header; perhaps others separate them."""
    reason = f"{row.actual_columns} cells where the header has {row.expected_columns}"
    others = [each for each in SEPARATORS if each in row.text and each != header.separator]
    for other in others:
        if len(cells_of(row.text, other)) == row.expected_columns:
            return (
                f"{reason}: {other!r} separates them, and {header.separator!r} those of the header"
            )
    alike = row.text.translate(dict.fromkeys(map(ord, others), header.separator))
    if others and len(cells_of(alike, header.separator)) == row.expected_columns:
        found = " and ".join(map(repr, others))
        return f"{reason}: {found} may separate some, and {header.separator!r} others"
    return reason


class _NoRowsError(Exception):
    """No row of a block has the right number of cells."""


def _good_lines(
    data: bytes, header: Header, first_line: int
) -> tuple[list[bytes], list[int], list[int], int]:
    """Lines whose quotes are closed, as valid text, and their numbers; numbers of the others.

    The last number tells how many lines are not UTF-8.
    """
    good, numbers, wrong, invalid = [], [], [], 0
    for number, line in enumerate(data.split(b"\n"), first_line):
        if not line.strip():
            continue
        line = line.replace(b"\r", b"")  # a line of its own for pyarrow, too
        if b'"' in line and not header.is_closed(line.decode("utf-8", "surrogateescape")):
            wrong.append(number)
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            line, invalid = line.decode("utf-8", "backslashreplace").encode(), invalid + 1
        good.append(line)
        numbers.append(number)
    return good, numbers, wrong, invalid


@dataclass
class _Rejected:
    """Rows with a wrong number of cells, as pyarrow meets them."""

    rows: list[pc_csv.InvalidRow] = field(default_factory=list)

    def __call__(self, row: pc_csv.InvalidRow) -> str:
        self.rows.append(row)
        return "skip"


def _without_spaces(data: bytes, header: Header) -> bytes:
    """The same rows without spaces after separators, which are then no part of a text."""
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


def _read(
    data: bytes, header: Header, types: Types, rejected: _Rejected | None = None
) -> pa.RecordBatch:
    """The known columns as one batch, which has rows.

    Raises ArrowInvalid for a cell that is not of its type, and, unless they are to be `rejected`,
    for a row with a wrong number of cells.
    """
    names = [str(at) for at in range(len(header.columns))]
    chosen = {str(at): types[name] for name, at in header.known.items()}
    table = pc_csv.read_csv(
        pa.py_buffer(data),
        read_options=pc_csv.ReadOptions(
            column_names=names, use_threads=False, block_size=len(data) + 1
        ),
        parse_options=pc_csv.ParseOptions(delimiter=header.separator, invalid_row_handler=rejected),
        convert_options=pc_csv.ConvertOptions(
            column_types=chosen, include_columns=list(chosen), null_values=[""], check_utf8=False
        ),
    )
    batches = table.rename_columns(list(header.known)).combine_chunks().to_batches()
    if not batches:
        raise _NoRowsError
    return batches[0]
