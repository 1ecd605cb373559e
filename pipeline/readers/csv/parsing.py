"""Parses blocks of text into columns."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tracemill.readers.csv.blocks import Block
from tracemill.readers.csv.cells import (
    END,
    INTEGER,
    LAST_PLACE,
    MOST_NS,
    NANOSECONDS,
    NEEDED_NUMBER,
    NUMBER_OR_ZERO,
    SECONDS,
    THREAD_NUMBER,
    ZERO,
    Cleaners,
    clean_rows,
    read_all,
)
from tracemill.readers.csv.header import Header
from tracemill.schemas import csv_layout as layout

Integers = NDArray[np.int64]
_TEXT = pa.dictionary(pa.int32(), pa.string())
_TYPES = {field.name: field.type for field in layout.FIELDS}


class TextColumn(NamedTuple):
    """Texts as positions in a list of distinct words."""

    codes: NDArray[np.int32]
    words: list[str]


class NumberColumn(NamedTuple):
    """Integers, 0 in empty cells."""

    values: Integers
    is_empty: NDArray[np.bool_]


@dataclass(kw_only=True)
class Parsed:
    """The rows of a block.

    `bad` are the lines that cannot be read, with reasons. `lines` are the lines of the rows; by
    default row n is the n-th line of the block that is not empty.
    """

    block: Block
    invalid_texts: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    lines: list[int] | None = None


@dataclass(kw_only=True)
class ParsedBlock(Parsed):
    """The readable rows of a block of events; the mappings do not contain absent columns."""

    row_count: int
    times: Integers
    texts: dict[str, TextColumn]
    numbers: dict[str, NumberColumn]

    def text(self, name: str) -> TextColumn:
        """A column of texts; empty texts if it is absent."""
        return self.texts.get(name) or TextColumn(np.zeros(self.row_count, np.int32), [""])

    def integers(self, name: str, rows: NDArray[np.intp]) -> NumberColumn:
        """Some rows of a column of integers; empty cells if it is absent."""
        column = self.numbers.get(name)
        if column is None:
            return NumberColumn(np.zeros(len(rows), np.int64), np.ones(len(rows), np.bool_))
        return NumberColumn(column.values[rows], column.is_empty[rows])

    def line(self, row: int) -> int:
        """The line of the file that contains a row."""
        if self.lines is None:
            lines = enumerate(self.block.data.split(b"\n"), self.block.first_line)
            self.lines = [number for number, line in lines if line.strip(b"\r")]
        return self.lines[row]


@dataclass(kw_only=True)
class ParsedVisits(Parsed):
    """Visits of a call graph, or none."""

    cells: pa.RecordBatch | None


_P = TypeVar("_P", ParsedBlock, ParsedVisits)


def _parse(
    block: Block, header: Header, parse: Callable[[Block, Header], _P],
    cleaners: Cleaners, choose: Callable[[str], Cleaners],
) -> _P:  # fmt: skip
    try:
        return parse(block, header)
    except pa.ArrowInvalid:
        rows = clean_rows(block, header, cleaners, choose)
        parsed = parse(rows.block, header)
        return replace(parsed, bad=rows.bad, lines=rows.lines, invalid_texts=rows.invalid_texts)


# --- Events ---------------------------------------------------------------------------------------


def is_definition(event_type: str) -> bool:
    """Whether an event type is meant as a definition."""
    return event_type.lower().split()[:1] == ["define"]


def parse_block(block: Block, header: Header) -> ParsedBlock:
    """Read the rows of a block of events."""
    is_seconds = header.time == layout.TIME_SECONDS
    cleaners = {header.time: SECONDS if is_seconds else NANOSECONDS}
    cleaners |= {name: INTEGER for name in header.known if _TYPES.get(name) == layout.INTEGER}
    cleaners[layout.PROCESS] = NEEDED_NUMBER
    if layout.THREAD in cleaners:
        cleaners[layout.THREAD] = THREAD_NUMBER
    # A definition needs neither time nor process.
    defining = cleaners | {header.time: ZERO, layout.PROCESS: NUMBER_OR_ZERO}

    def choose(event_type: str) -> Cleaners:
        return defining if is_definition(event_type) else cleaners

    return _parse(block, header, _parse_events, cleaners, choose)


def _parse_events(block: Block, header: Header) -> ParsedBlock:
    """Read a block. Raises ArrowInvalid if a cell is not of its type."""
    if not block.data.strip():
        return ParsedBlock(
            block=block, row_count=0, times=np.empty(0, np.int64), texts={}, numbers={}
        )
    kinds = {layout.TEXT: _TEXT, layout.INTEGER: pa.int64()}
    types = {name: kinds.get(_TYPES.get(name, ""), pa.float64()) for name in header.known}
    types[header.time] = pa.int64() if _has_whole_times(block.data, header) else pa.float64()
    batch = read_all(block.data, header, types)
    times = _times(batch.column(header.time), header)
    batch = _with_plain_threads(batch)
    _check_locations(batch)
    texts, numbers, invalid = {}, {}, 0
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if types[name] == _TEXT:
            text, wrong = _text_column(column)
            texts[name] = text._replace(words=[word.strip() for word in text.words])
            invalid += wrong
        elif name != header.time and column.null_count < len(column):
            is_empty = column.is_null().to_numpy(zero_copy_only=False)
            numbers[name] = NumberColumn(column.fill_null(0).to_numpy(), is_empty)
    return ParsedBlock(
        block=block, row_count=len(times), times=times, texts=texts, numbers=numbers,
        invalid_texts=invalid,
    )  # fmt: skip


def _has_whole_times(data: bytes, header: Header) -> bool:
    """Whether times are integers, by the first row."""
    if header.time != layout.TIME_NS:
        return False
    line = data.lstrip(b"\r\n").split(b"\n", 1)[0].replace(b"\r", b"")
    cells = header.split(line.decode("utf-8", "replace")) or []
    at = header.known[header.time]
    return at >= len(cells) or "." not in cells[at]


def _times(column: pa.Array, header: Header) -> Integers:
    """Nanoseconds. Raises ArrowInvalid if a time is missing, impossible or not exact."""
    if column.null_count:
        raise pa.ArrowInvalid("a time is missing")
    values = column.to_numpy()
    if header.time == layout.TIME_SECONDS:
        values = values * 1e9
    limit = MOST_NS if header.time == layout.TIME_SECONDS or values.dtype == np.int64 else 1 << 53
    if not ((values > -limit) & (values < limit)).all():
        raise pa.ArrowInvalid("a time is impossible")
    return values if values.dtype == np.int64 else np.rint(values).astype(np.int64)


def _with_plain_threads(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Number threads from 0 where Pipit has multiples of 2**32, from the locations of Score-P."""
    if layout.THREAD not in batch.schema.names:
        return batch
    threads = batch.column(layout.THREAD)
    if threads.null_count == len(threads) or pc.max(threads).as_py() <= LAST_PLACE:
        return batch
    values = threads.fill_null(0).to_numpy()
    plain = np.where(values & 0xFFFFFFFF, values, values >> 32)
    return batch.set_column(batch.schema.get_field_index(layout.THREAD), layout.THREAD, plain)


def _check_locations(batch: pa.RecordBatch) -> None:
    """Raise ArrowInvalid unless all rows have a possible process and thread."""
    for name in {layout.PROCESS, layout.THREAD} & set(batch.schema.names):
        found = pc.min_max(batch.column(name)).as_py()
        is_missing = name == layout.PROCESS and batch.column(name).null_count
        if is_missing or (found["min"] or 0) < 0 or (found["max"] or 0) > LAST_PLACE:
            raise pa.ArrowInvalid("a location is missing or impossible")


def _text_column(column: pa.Array) -> tuple[TextColumn, int]:
    """Texts, and the number of distinct ones that are not UTF-8."""
    raw = column.dictionary.cast(pa.binary()).to_pylist()
    words = [word.decode("utf-8", "backslashreplace") for word in raw]
    invalid = sum(word.encode() != given for word, given in zip(words, raw, strict=True))
    codes = column.indices.fill_null(len(words))
    return TextColumn(codes.to_numpy(), [*words, ""]), invalid


# --- Call graphs ----------------------------------------------------------------------------------


_VISIT_TYPES = {
    "group": _TEXT, "thread": _TEXT, "name": _TEXT,
    "depth": pa.int64(), "start": pa.float64(), "end": pa.float64(),
}  # fmt: skip
_VISIT_CLEANERS = {"depth": NEEDED_NUMBER, "start": SECONDS, "end": END}


def parse_visits(block: Block, header: Header) -> ParsedVisits:
    """Read the rows of a block of a call graph."""
    return _parse(block, header, _parse_visits, _VISIT_CLEANERS, lambda _: _VISIT_CLEANERS)


def _parse_visits(block: Block, header: Header) -> ParsedVisits:
    """Read a block. Raises ArrowInvalid if a cell is not of its type."""
    if not block.data.strip():
        return ParsedVisits(block=block, cells=None)
    batch = read_all(block.data, header, {"duration": pa.string()} | _VISIT_TYPES)
    depths = pc.min_max(batch.column("depth")).as_py()
    starts = batch.column("start").to_numpy(zero_copy_only=False)  # NaN where it is empty
    ends = batch.column("end").fill_null(np.inf).to_numpy()
    is_end = (np.abs(ends * 1e9) < MOST_NS) | np.isinf(ends)
    if batch.column("depth").null_count or depths["min"] < 0 or depths["max"] > LAST_PLACE:
        raise pa.ArrowInvalid("a depth is missing or impossible")
    if not (np.abs(starts * 1e9) < MOST_NS).all() or not is_end.all():
        raise pa.ArrowInvalid("a time is missing or impossible")
    columns, invalid = {}, 0
    for name, type_ in _VISIT_TYPES.items():
        columns[name] = batch.column(name)
        if type_ == _TEXT:
            text, wrong = _text_column(columns[name])
            columns[name] = pa.DictionaryArray.from_arrays(text.codes, text.words)
            invalid += wrong
    return ParsedVisits(
        block=block, cells=pa.RecordBatch.from_pydict(columns), invalid_texts=invalid
    )
