"""Makes records of parsed blocks: location, kind, reference and arguments."""

import json
import re
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tracemill.kernels import records as kinds
from tracemill.readers.common.arguments import positions_of
from tracemill.readers.common.definitions import UNDEFINED_32
from tracemill.readers.csv.attributes import UsedCommunicators, with_attributes
from tracemill.readers.csv.misread import MisreadCells, nearest
from tracemill.readers.csv.parsing import Integers, ParsedBlock, TextColumn, is_definition
from tracemill.schemas import csv_layout as layout
from tracemill.schemas.columns import COLLECTIVE_OPERATIONS, PARADIGMS

MORE_VALUES = 126
"""Kind of a further value of a counter record; it becomes an argument of that record."""

_ENTER, _LEAVE, _INSTANT, _MORE, _DEFINE, _OTHER = range(6)
_CLASSES = {"enter": _ENTER, "leave": _LEAVE, "instant": _INSTANT, "more": _MORE}
_EVENT_TYPES = (
    "Enter", "Leave", "Instant", "More", *(f"Define {kind.name}" for kind in layout.DEFINITIONS),
)  # fmt: skip
_COUNTER, _ATTRIBUTE = "Counter", "Attribute"
_MORE_NAMES = (_COUNTER, _ATTRIBUTE, "AttributeText")
_INSTANTS = {record.name: record.kind for record in kinds.RECORDS} | {
    "ProgramBegin": kinds.PROGRAM_BEGIN, "Other": kinds.IGNORED,
    _COUNTER: kinds.METRIC,
}  # fmt: skip
_NOT_INSTANT = {kinds.ENTER, kinds.LEAVE, kinds.CONTEXT_ENTER, kinds.CONTEXT_LEAVE}
_INSTANT_NAMES = tuple(name for name, kind in _INSTANTS.items() if kind not in _NOT_INSTANT)
_TEXT_CODES = {
    "Operation": COLLECTIVE_OPERATIONS, "Mode": ("read", "write", "flush"), "Paradigm": PARADIGMS,
}  # fmt: skip
_EMPTY = {
    "root": UNDEFINED_32, "remote": UNDEFINED_32, "window": UNDEFINED_32, "handle": UNDEFINED_32,
}  # fmt: skip
# Ranks, tags and identifiers from these numbers on are impossible.
_LIMITS = {"peer": 1 << 31, "tag": 1 << 31, "root": 1 << 31} | dict.fromkeys(
    ("remote", "communicator", "window", "handle", "lock"), UNDEFINED_32
)
_POSITIONS = {
    quantity: positions_of((quantity,))[0] for each in layout.FIELDS for quantity in each.quantities
}
_INT64, _DOUBLE, _STRING = 7, 10, 11
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
_FLOATING = re.compile(
    r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)


class Rows(NamedTuple):
    """Records in the order of the file. `ref` is a region, or the number of a row of `side`."""

    location: NDArray[np.int32]
    time: Integers
    kind: NDArray[np.uint8]
    ref: NDArray[np.uint32]
    side: NDArray[np.uint64]


@dataclass
class Names:
    """Numbers of regions and texts, in the order in which they appear."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


@dataclass
class Definition:
    """A row that defines something."""

    kind: str
    name: str
    process: int
    thread: int
    properties: dict[str, Any]


@dataclass
class RowMaker:
    """Makes records of parsed blocks; collects names, definitions and unknown cells.

    `used_count` of the `row_count` rows without definitions are records of known kinds.
    `bad_definition` is the line of the first wrong definition, and the reason.
    """

    regions: Names = field(default_factory=Names)
    texts: Names = field(default_factory=Names)
    location_numbers: dict[int, int] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    findings: Counter[str] = field(default_factory=Counter)
    misread: MisreadCells = field(default_factory=MisreadCells)
    communicators: UsedCommunicators = field(default_factory=UsedCommunicators)
    bad_definition: tuple[int, str] | None = None
    row_count: int = 0
    used_count: int = 0

    def make(self, block: ParsedBlock) -> Rows:
        """Records of a block, in order."""
        block = with_attributes(block)
        self.communicators.add(block)
        event_types, names = block.texts[layout.EVENT_TYPE], block.texts[layout.NAME]
        classes = _classes(event_types)
        kept: slice | NDArray[np.intp] = slice(None)
        if (classes == _DEFINE).any():
            self._define(block, np.flatnonzero(classes == _DEFINE))
            kept = np.flatnonzero(classes != _DEFINE)
        if (classes == _OTHER).any():
            others = np.flatnonzero(classes == _OTHER)
            self._remember(block, others, layout.EVENT_TYPE, _EVENT_TYPES)
        kind, ref = self._visits(classes, names)
        rest = np.flatnonzero((classes > _LEAVE) & (classes != _DEFINE))
        side = np.empty((0, kinds.SIDE_WIDTH), np.uint64)
        if len(rest):
            side = self._records(block, classes, names, rest, kind)
            ref[rest] = np.arange(len(rest), dtype=np.uint32)
        location, kind = self._locations(block, kept), kind[kept]
        self.row_count += len(kind)
        self.used_count += int(np.count_nonzero(kind != kinds.UNKNOWN))
        return Rows(location, block.times[kept], kind, ref[kept], side)

    def location_number(self, key: int) -> int:
        """Number of a location in order of appearance; `key` is process << 32 | thread."""
        return self.location_numbers.setdefault(key, len(self.location_numbers))

    def _visits(
        self, classes: NDArray[np.int8], names: TextColumn
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """Kinds, right for visits only, and regions."""
        used = np.bincount(names.codes[classes <= _LEAVE], minlength=len(names.words))
        numbers = np.zeros(len(names.words), np.uint32)
        for code in np.flatnonzero(used).tolist():
            numbers[code] = self.regions.number(names.words[code])
        return classes.astype(np.uint8), numbers[names.codes]

    def _locations(self, block: ParsedBlock, kept: slice | NDArray[np.intp]) -> NDArray[np.int32]:
        keys = block.numbers[layout.PROCESS].values << 32
        if layout.THREAD in block.numbers:
            keys = keys | block.numbers[layout.THREAD].values
        encoded = pc.dictionary_encode(pa.array(keys[kept]))
        found = encoded.dictionary.to_pylist()
        numbers = [self.location_number(key) for key in found]
        return np.array(numbers, np.int32)[encoded.indices.to_numpy()]

    # --- Records with arguments ------------------------------------------------------------------

    def _records(
        self, block: ParsedBlock, classes: NDArray[np.int8], names: TextColumn,
        rest: NDArray[np.intp], kind: NDArray[np.uint8],
    ) -> NDArray[np.uint64]:  # fmt: skip
        """Arguments of the rows `rest`, whose kinds are filled in."""
        codes = names.codes[rest]
        instants = np.array([_instant_kind(word) for word in names.words], np.uint8)
        found = np.where(classes[rest] == _INSTANT, instants[codes], np.uint8(kinds.UNKNOWN))
        mores = np.array([_more_kind(word) for word in names.words], np.uint8)
        found = np.where(classes[rest] == _MORE, mores[codes], found).astype(np.uint8)
        unknown = rest[found == kinds.UNKNOWN]
        for class_, known in ((_INSTANT, _INSTANT_NAMES), (_MORE, _MORE_NAMES)):
            rows = unknown[classes[unknown] == class_]
            self._remember(block, rows, layout.NAME, known, use=str(class_))
        side = np.zeros((len(rest), kinds.SIDE_WIDTH), np.int64)
        for each in layout.FIELDS:
            for quantity in each.quantities:
                self._fill(side, found, each.name, quantity, block, rest)
        self._fill_values(side, found, block, rest, names, codes)
        self._drop_incomplete(found, block, rest)
        kind[rest] = found
        return side.view(np.uint64)

    def _remember(
        self, block: ParsedBlock, rows: NDArray[np.intp], name: str, known: Sequence[str] = (),
        *, use: str = "",
    ) -> None:  # fmt: skip
        """Collect unknown texts of some rows."""
        codes, words = block.text(name)
        self.misread.add(block, rows, name, codes[rows], words=words, known=known, use=use)

    def _drop_incomplete(
        self, found: NDArray[np.uint8], block: ParsedBlock, rest: NDArray[np.intp]
    ) -> None:
        """Make messages without a partner unknown records."""
        lacking = (_POSITIONS["peer"][found] >= 0) & block.integers("Partner", rest).is_empty
        found[lacking] = kinds.UNKNOWN
        self.misread.add(block, rest[lacking], "Partner", np.zeros(lacking.sum(), int), words=("",))

    def _fill(
        self, side: Integers, found: NDArray[np.uint8], name: str, quantity: str,
        block: ParsedBlock, rest: NDArray[np.intp],
    ) -> None:  # fmt: skip
        position = _POSITIONS[quantity][found]
        rows = np.flatnonzero(position >= 0)
        if not len(rows):
            return
        if name in _TEXT_CODES:
            side[rows, position[rows]] = self._coded(block, name, quantity, rest[rows])
            return
        values, is_empty = block.integers(name, rest[rows])
        default: Any = _EMPTY.get(quantity, 0)
        if quantity == "bytes":
            default = np.where(found[rows] >= kinds.IO_FIRST, -1, 0)
        side[rows, position[rows]] = np.where(is_empty, default, values)
        if quantity in _LIMITS:
            is_wrong = ~is_empty & ((values < 0) | (values >= _LIMITS[quantity]))
            found[rows[is_wrong]] = kinds.UNKNOWN
            self.misread.add(block, rest[rows[is_wrong]], name, values[is_wrong], use=quantity)

    def _coded(
        self, block: ParsedBlock, name: str, quantity: str, rows: NDArray[np.intp]
    ) -> Integers:
        """Positions of the cells among the words of a column; the number of words for others."""
        column, known = block.text(name), _TEXT_CODES[name]
        words = [word.lower() for word in column.words]
        codes = [known.index(word) if word in known else len(known) for word in words]
        found = np.array(codes, np.int64)[column.codes[rows]]
        is_word = np.array([bool(word) for word in words])[column.codes[rows]]
        unknown = rows[is_word & (found == len(known))]
        self._remember(block, unknown, name, known, use=quantity)
        return found

    def _fill_values(
        self, side: Integers, found: NDArray[np.uint8], block: ParsedBlock,
        rest: NDArray[np.intp], names: TextColumn, codes: NDArray[np.int32],
    ) -> None:  # fmt: skip
        """Fill in references and values of counters, parameters, attributes and pauses."""
        rows = np.flatnonzero(np.isin(found, _WITH_VALUE))
        refs = block.integers(layout.VARIABLE, rest[rows]).values
        value_codes, words = block.text(layout.VALUE)
        for row, ref in zip(rows.tolist(), refs.tolist(), strict=True):
            kind = int(found[row])
            if kind == kinds.CONTEXT_SAMPLE:
                side[row] = _arguments(kind, ref, 0, 0)
                continue
            is_text = kind == kinds.PARAMETER_STRING or names.words[codes[row]] == "AttributeText"
            type_, bits = self._bits(words[value_codes[rest[row]]], is_text=is_text)
            if type_ is None or (type_ == _DOUBLE and kind in _WITH_WHOLE_VALUE):
                found[row] = kinds.UNKNOWN
                continue
            side[row] = _arguments(kind, ref, type_, bits)
        self._remember(block, rest[rows[found[rows] == kinds.UNKNOWN]], layout.VALUE)

    def _bits(self, value: str, *, is_text: bool) -> tuple[int | None, int]:
        """Type and value as 64 bits; type None if the text is no number."""
        if is_text:
            return _STRING, self.texts.number(value)
        if _WHOLE.fullmatch(value):
            number = int(value)
            if -(1 << 63) <= number < 1 << 64:
                return _INT64, number - (1 << 64 if number >= 1 << 63 else 0)
        elif _FLOATING.fullmatch(value):
            return _DOUBLE, struct.unpack("<q", struct.pack("<d", float(value)))[0]
        return None, 0

    # --- Definitions -----------------------------------------------------------------------------

    def _define(self, block: ParsedBlock, rows: NDArray[np.intp]) -> None:
        processes = block.integers(layout.PROCESS, rows).values.tolist()
        threads = block.integers(layout.THREAD, rows).values.tolist()
        columns = (block.text(name) for name in (layout.EVENT_TYPE, layout.NAME, layout.DEFINITION))
        texts = ([column.words[code] for code in column.codes[rows]] for column in columns)
        for row, process, thread, event_type, name, definition in zip(
            rows.tolist(), processes, threads, *texts, strict=True
        ):
            words = event_type.split(maxsplit=1)
            kind = _KINDS.get(words[-1].lower()) if len(words) == 2 else None
            properties = _properties(definition)
            if kind is not None and properties is not None:
                self.definitions.append(Definition(kind, name, process, thread, properties))
                continue
            self.findings["unreadable_row"] += 1
            no_object = f"{layout.DEFINITION} is no JSON object"
            reason = no_object if kind is not None else _unknown_kind(" ".join(words))
            self.bad_definition = self.bad_definition or (block.line(row), reason)


def _unknown_kind(event_type: str) -> str:
    kind = event_type.partition(" ")[2]
    known = tuple(each.name for each in layout.DEFINITIONS)
    if not kind:
        return f"{layout.EVENT_TYPE} is {event_type} without a kind: {', '.join(known)}"
    meant = nearest(kind, known)
    return f"{event_type} defines nothing known" + (
        f" (did you mean Define {meant}?)" if meant else f": kinds are {', '.join(known)}"
    )


def _properties(text: str) -> dict[str, Any] | None:
    """The content of a JSON object; None if a text is none."""
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


_KINDS = {kind.name.lower(): kind.name for kind in layout.DEFINITIONS}
_WITH_VALUE = [
    kinds.METRIC, MORE_VALUES, kinds.ATTRIBUTE, kinds.PARAMETER_STRING, kinds.PARAMETER_INT,
    kinds.PARAMETER_UNSIGNED, kinds.BUFFER_FLUSH, kinds.MEASUREMENT_ON_OFF, kinds.CONTEXT_SAMPLE,
]  # fmt: skip

_WITH_WHOLE_VALUE = {
    kinds.PARAMETER_INT, kinds.PARAMETER_UNSIGNED, kinds.BUFFER_FLUSH, kinds.MEASUREMENT_ON_OFF,
}  # fmt: skip


def _arguments(kind: int, ref: int, type_: int, bits: int) -> list[int]:
    """Arguments of a record with a value, as the walk expects them."""
    if kind in (kinds.METRIC, MORE_VALUES):
        return [ref, 0, type_, bits, 1, 0]
    if kind == kinds.ATTRIBUTE:
        return [ref, type_, bits, 0, 0, 0]
    if kind in (kinds.BUFFER_FLUSH, kinds.MEASUREMENT_ON_OFF):
        return [bits, 0, 0, 0, 0, 0]
    if kind == kinds.CONTEXT_SAMPLE:
        return [ref, 0, 0, 0, 0, 0]
    return [ref, bits, 0, 0, 0, 0]


def _classes(column: TextColumn) -> NDArray[np.int8]:
    found = [
        _DEFINE if is_definition(word) else _CLASSES.get(word.lower(), _OTHER)
        for word in column.words
    ]
    return np.array(found, np.int8)[column.codes]


def _instant_kind(name: str) -> int:
    kind = _INSTANTS.get(name, kinds.UNKNOWN)
    return kinds.UNKNOWN if kind in _NOT_INSTANT else kind


def _more_kind(name: str) -> int:
    if name == _COUNTER:
        return MORE_VALUES
    return kinds.ATTRIBUTE if name in _MORE_NAMES else kinds.UNKNOWN
