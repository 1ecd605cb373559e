"""A block of text as columns: numbers as arrays, texts as codes of few distinct ones."""

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tracemill.base.text import quote_cell
from tracemill.readers.csv.blocks import Block, RowPlace
from tracemill.readers.csv.cells import read_all, read_good, rows_of
from tracemill.readers.csv.header import Header
from tracemill.schemas import csv_layout as layout

Integers = NDArray[np.int64]
_TEXT = pa.dictionary(pa.int32(), pa.string())
_TYPES = {field.name: field.type for field in layout.FIELDS}
_GRAPH_NUMBERS = {"depth": pa.int64(), "start": pa.float64(), "end": pa.float64()}
_MOST_PLACES = 1 << 31
_PLAIN_INTEGER = r"^-?\d{1,19}$"
_FIRST_INTEGER, _LAST_INTEGER = (Decimal(edge) for edge in (-(1 << 63), (1 << 63) - 1))
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$"
_MOST_NS = float(1 << 62)


@dataclass(frozen=True)
class TextColumn:
    """Texts as codes of distinct ones."""

    codes: NDArray[np.int32]
    words: list[str]


@dataclass(frozen=True)
class NumberColumn:
    """Integers, 0 where a cell is empty; `is_empty` tells where, if anywhere."""

    values: Integers
    is_empty: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, cells: pa.Array) -> "NumberColumn":
        """The cells of a column of integers."""
        if not cells.null_count:
            return cls(cells.to_numpy())
        return cls(cells.fill_null(0).to_numpy(), cells.is_null().to_numpy(zero_copy_only=False))

    def choose(self, rows: NDArray[np.intp]) -> "NumberColumn":
        """The cells of some rows."""
        return NumberColumn(
            self.values[rows], None if self.is_empty is None else self.is_empty[rows]
        )


@dataclass
class ParsedBlock:
    """The rows of a block that could be read; columns that are absent are not in the mappings.

    `first_bad` tells line (the block's first is 0) and reason of the first of `bad_count` rows that
    could not be read. `lines` are the lines of the rows; without, row n of the block is the n-th
    line that is not empty. `taken` are the rows of the block that these are, if not all.
    """

    row_count: int
    times: Integers
    texts: dict[str, TextColumn]
    numbers: dict[str, NumberColumn]
    offset: int = 0
    bad_count: int = 0
    first_bad: tuple[int, str] | None = None
    invalid_texts: int = 0
    lines: list[int] | None = None
    taken: NDArray[np.intp] | None = None

    def place(self, row: int) -> RowPlace:
        """Where a row stands in its file."""
        at = row if self.taken is None else int(self.taken[row])
        return RowPlace(self.offset, at, None if self.lines is None else self.lines[at])

    def choose(self, rows: NDArray[np.intp]) -> "ParsedBlock":
        """Some rows of a block that is whole."""
        texts = {name: TextColumn(c.codes[rows], c.words) for name, c in self.texts.items()}
        numbers = {name: column.choose(rows) for name, column in self.numbers.items()}
        return replace(
            self, row_count=len(rows), times=self.times[rows], texts=texts, numbers=numbers,
            taken=rows,
        )  # fmt: skip


def is_definition(event_type: str) -> bool:
    """Whether a row with this event type defines something, or means to."""
    return event_type.lower().split()[:1] == ["define"]


def parse_block(block: Block, header: Header) -> ParsedBlock:
    """Read all rows of a block, leaving out those that are not as they should be."""
    data, first_line = rows_of(block)
    if not data.strip():
        return ParsedBlock(0, np.empty(0, np.int64), {}, {})
    try:
        parsed = _parse(data, header)
    except pa.ArrowInvalid:
        parsed = _parse_leniently(data, header, first_line)
    parsed.offset = block.offset
    return parsed


def _parse(data: bytes, header: Header) -> ParsedBlock:
    """Read a block all of whose cells are of their type; else raise ArrowInvalid."""
    kinds = {layout.TEXT: _TEXT, layout.INTEGER: pa.int64()}
    types = {name: kinds.get(_TYPES.get(name, ""), pa.float64()) for name in header.known}
    types[header.time] = pa.int64() if _has_whole_times(data, header) else pa.float64()
    batch = read_all(data, header, types)
    times = _times(batch.column(header.time), header)
    columns = {name: batch.column(name) for name in header.known if name != header.time}
    if times is None or not _are_places(columns):
        raise pa.ArrowInvalid("a time or place is missing or impossible")
    parsed = _finish(times, columns)
    if any("\n" in word for column in parsed.texts.values() for word in column.words):
        raise pa.ArrowInvalid("a quote is not closed in its line")
    return parsed


def _has_whole_times(data: bytes, header: Header) -> bool:
    """Whether times are integers, by the first row."""
    if header.time != layout.TIME_NS:
        return False
    cells = data.lstrip(b"\n").split(b"\n", 1)[0].split(header.separator.encode())
    at = header.known[header.time]
    return at >= len(cells) or b"." not in cells[at]


def _times(column: pa.Array, header: Header) -> Integers | None:
    """Nanoseconds; None if a cell is empty or no time, or one that would lose digits."""
    if column.null_count:
        return None
    if pa.types.is_integer(column.type):
        times: Integers = column.to_numpy()
        is_possible = (times > -_MOST_NS) & (times < _MOST_NS)
        return times if is_possible.all() else None
    values = column.to_numpy()
    if header.time == layout.TIME_NS and (np.abs(values) >= 2.0**53).any():
        return None
    nanoseconds = values * 1e9 if header.time == layout.TIME_SECONDS else values
    if not (np.abs(nanoseconds) < _MOST_NS).all():
        return None
    return np.rint(nanoseconds).astype(np.int64)


def _are_places(columns: dict[str, pa.Array]) -> bool:
    """Whether all rows name a process and a thread that can be."""
    process = columns[layout.PROCESS]
    if process.null_count:
        return False
    for name in (layout.PROCESS, layout.THREAD):
        if name in columns:
            found = pc.min_max(columns[name]).as_py()
            if (found["min"] or 0) < 0 or (found["max"] or 0) >= _MOST_PLACES:
                return False
    return True


def _finish(times: Integers, columns: dict[str, pa.Array]) -> ParsedBlock:
    texts: dict[str, TextColumn] = {}
    numbers: dict[str, NumberColumn] = {}
    invalid = 0
    for name, column in columns.items():
        if _TYPES[name] == layout.TEXT:
            texts[name], wrong = _text_column(column)
            invalid += wrong
        elif column.null_count < len(column):
            numbers[name] = NumberColumn.of(column)
    return ParsedBlock(len(times), times, texts, numbers, invalid_texts=invalid)


def _text_column(column: pa.Array) -> tuple[TextColumn, int]:
    """Texts without spaces around them, and how many distinct ones are not UTF-8."""
    words, invalid = [], 0
    for raw in column.dictionary.cast(pa.binary()).to_pylist():
        try:
            words.append(raw.decode().strip())
        except UnicodeDecodeError:
            words.append(raw.decode("utf-8", "backslashreplace").strip())
            invalid += 1
    codes = column.indices
    if codes.null_count:
        codes = codes.fill_null(len(words))
        words.append("")
    return TextColumn(codes.to_numpy(), words), invalid


# --- Cells as they are ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ParsedCells:
    """The known columns of a block, numbers as such if all of them are, else as text.

    `bad_count`, `first_bad` and `invalid_texts` tell of the rows like those of a ParsedBlock.
    """

    cells: pa.RecordBatch
    offset: int
    bad_count: int = 0
    first_bad: tuple[int, str] | None = None
    invalid_texts: int = 0


def parse_cells(block: Block, header: Header) -> ParsedCells:
    """Read all rows of a block as they are, leaving out those that are no cells like the header."""
    data, first_line = rows_of(block)
    texts = dict.fromkeys(header.known, pa.string())
    none = pa.RecordBatch.from_pylist([], pa.schema(texts.items()))
    if not data.strip():
        return ParsedCells(none, block.offset)
    try:
        cells = read_all(data, header, texts | _GRAPH_NUMBERS)
        cells.validate(full=True)
        return ParsedCells(cells, block.offset)
    except pa.ArrowInvalid:
        found = read_good(data, header, texts, first_line)
        first = min(found.bad, default=None)
        cells = none if found.cells is None else _trimmed(found.cells)
        return ParsedCells(cells, block.offset, len(found.bad), first, found.invalid_texts)


def _trimmed(cells: pa.RecordBatch) -> pa.RecordBatch:
    """Numbers without spaces around them."""
    for name in _GRAPH_NUMBERS:
        at = cells.schema.get_field_index(name)
        cells = cells.set_column(at, name, pc.utf8_trim_whitespace(cells.column(at)))
    return cells


# --- Blocks with cells that are not of their type -------------------------------------------------


def _parse_leniently(data: bytes, header: Header, first_line: int) -> ParsedBlock:
    """Leave out the rows that have a wrong number of cells, or one that is not of its type."""
    types = dict.fromkeys(header.known, pa.string())
    types |= {name: _TEXT for name in header.known if _TYPES.get(name) == layout.TEXT}
    found = read_good(data, header, types, first_line)
    parsed = ParsedBlock(0, np.empty(0, np.int64), {}, {})
    if found.cells is not None:
        parsed = _take_good(found.cells, header, found.lines)
    for line, reason in found.bad:
        _note(parsed, line, reason)
    parsed.invalid_texts += found.invalid_texts
    return parsed


@dataclass(frozen=True)
class _Wrong:
    """Which cells of a column are not of its type."""

    name: str
    cells: pa.Array
    rows: NDArray[np.bool_]

    def reason(self, row: int) -> str:
        cell = self.cells[row].as_py()
        what = quote_cell(cell) + ", no number of possible size" if cell else "empty"
        return f"{self.name} is {what}"


def _take_good(batch: pa.RecordBatch, header: Header, lines: list[int]) -> ParsedBlock:
    """The rows of a batch of texts all of whose cells are of their type; they have these lines."""
    cells = {name: batch.column(name) for name in header.known}
    defines = _is_definition(cells[layout.EVENT_TYPE])
    wrong: list[_Wrong] = []
    times = _lenient_times(cells.pop(header.time), header, defines, wrong)
    for name, column in cells.items():
        if _TYPES[name] == layout.INTEGER:
            needs = name == layout.PROCESS
            limit = _MOST_PLACES if name in (layout.PROCESS, layout.THREAD) else None
            cells[name] = _lenient_integers(name, column, needs, limit, defines, wrong)
    is_bad = np.logical_or.reduce([each.rows for each in wrong])
    good = pa.array(np.flatnonzero(~is_bad))
    parsed = _finish(times[~is_bad], {name: column.take(good) for name, column in cells.items()})
    for row in np.flatnonzero(is_bad).tolist():
        _note(parsed, lines[row], next(each.reason(row) for each in wrong if each.rows[row]))
    parsed.lines = [lines[row] for row in good.to_pylist()]
    return parsed


def _note(parsed: ParsedBlock, line: int, reason: str) -> None:
    """Count a row that could not be read."""
    parsed.bad_count += 1
    parsed.first_bad = min(parsed.first_bad or (line, reason), (line, reason))


def _is_definition(column: pa.Array) -> NDArray[np.bool_]:
    words = [is_definition(str(word)) for word in column.dictionary.to_pylist()]
    codes = column.indices.fill_null(len(words)).to_numpy()
    return np.array([*words, False])[codes]


def _stripped(column: pa.Array) -> pa.Array:
    """Cells without spaces around them; empty where there is nothing."""
    return pc.utf8_trim_whitespace(column.fill_null(""))


def _plain(cells: pa.Array) -> pa.Array:
    """Integers without a plus and zeros before them."""
    return pc.replace_substring_regex(cells, r"^(?:\+|(-))?0*(\d)", r"\1\2")


def _lenient_times(
    column: pa.Array, header: Header, defines: NDArray[np.bool_], wrong: list[_Wrong]
) -> Integers:
    cells = _stripped(column)
    is_number = pc.match_substring_regex(cells, _NUMBER).to_numpy(False)
    values = pc.if_else(pa.array(is_number), cells, "0").cast(pa.float64()).to_numpy()
    values = values * 1e9 if header.time == layout.TIME_SECONDS else values
    is_time = is_number & (np.abs(values) < _MOST_NS)
    times = np.rint(np.where(is_time, values, 0)).astype(np.int64)
    if header.time == layout.TIME_NS:  # integers exactly
        plain = _plain(cells)
        is_whole = pc.match_substring_regex(plain, _PLAIN_INTEGER).to_numpy(False) & is_time
        whole = pc.if_else(pa.array(is_whole), plain, "0")
        times = np.where(is_whole, whole.cast(pa.int64()).to_numpy(), times)
    wrong.append(_Wrong(header.time, cells, ~is_time & ~defines))
    return times


def _lenient_integers(
    name: str, column: pa.Array, is_needed: bool, limit: int | None,
    defines: NDArray[np.bool_], wrong: list[_Wrong],
) -> pa.Array:  # fmt: skip
    cells = _stripped(column)
    is_empty = pc.equal(cells, "").to_numpy(False)
    plain = _plain(cells)
    is_number = pc.match_substring_regex(plain, _PLAIN_INTEGER).to_numpy(False)
    numbers = pc.if_else(pa.array(is_number), plain, "0")
    exact = numbers.cast(pa.decimal128(20))
    is_possible = pc.and_(
        pc.greater_equal(exact, _FIRST_INTEGER), pc.less_equal(exact, _LAST_INTEGER)
    )
    values = exact.cast(pa.float64()).to_numpy()
    is_wrong = ~is_number & ~is_empty | ~is_possible.to_numpy(False)
    if limit is not None:
        is_wrong |= (values < 0) | (values >= limit)
    if is_needed:
        is_wrong |= is_empty & ~defines
    wrong.append(_Wrong(name, cells, is_wrong))
    fitting = pc.if_else(pa.array(is_wrong), "0", numbers).cast(pa.int64())
    has_value = is_needed or not is_empty.any()
    return fitting if has_value else pc.if_else(pa.array(is_empty), None, fitting)
