"""How OTF2 event files store records, and the columns that they are decoded into.

A file is a sequence of chunks of one size: a header, then records, then a mark of the end. A record
is a type, its length and its arguments; a time is a record of its own and holds until the next one.
Integers are compressed: a size, then as many bytes. Attributes are a record before theirs.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as rec

PADDING: Final = 16
"""Bytes of any value that `data` must have behind its end."""

# Types of records other than events.
END_OF_CHUNK, END_OF_FILE, TIME_CODE, ATTRIBUTES = 0, 2, 5, 6
ENTER_CODE, LEAVE_CODE = 12, 13
# Events of one argument, which is the record: their length is that of the integer.
_SINGLE = (ENTER_CODE, LEAVE_CODE, 16, 17, 20, 21, 24, 28, 29, 30)
LONG = 0xFF
"""As a length: the next 8 bytes are the length. As the size of an integer: all bits are set."""
TIME_BYTES, _TYPES, MOST_FIELDS = 9, 256, rec.SIDE_WIDTH
SHORT_VISIT_BYTES = TIME_BYTES + 4
"""A time, then an enter or leave whose region has two bytes."""
PASSED_OVER = 0xFF

# How a field is stored: 1, 2, 4 and 8 as so many bytes, others as a compressed integer of 32 or 64
# bits, an uncompressed time, or a reference of 32 or 64 bits to what the mapping says.
WORD, LONG_WORD, A_TIME, REFERENCE, LONG_REFERENCE = 5, 6, 7, 32, 64
MAPPINGS, _MOST_LISTED = 32, 1 << 16
KNOWN_MAPPINGS: Final = 15
ATTRIBUTE_MAPPING, _LOCATION_MAPPING, REGION_MAPPING, METRIC_MAPPING = 1, 2, 3, 5
_FIELDS = {letter: REFERENCE + mapping for letter, mapping in rec.MAPPINGS.items()} | {
    "B": 1, "W": WORD, "Q": LONG_WORD, "L": LONG_WORD, "T": A_TIME,
}  # fmt: skip
# By the type of a value: integers, floating-point numbers, and references to strings, attributes,
# locations, regions, groups, metrics, communicators, parameters, windows, source code locations,
# calling contexts, interrupt generators, files, file handles, and location groups.
_VALUES = (
    0, 1, 2, WORD, LONG_WORD, 1, 2, WORD, LONG_WORD, 4, 8,
    *(REFERENCE + mapping for mapping in (0, 1)), LONG_REFERENCE + _LOCATION_MAPPING,
    *(REFERENCE + mapping for mapping in range(3, KNOWN_MAPPINGS)),
)  # fmt: skip

# State of a location.
PLACE, END, TIME, NOW, INTERVAL, ROWS, SIDE_ROWS, RECORDS, LIMIT, IS_LITTLE, SLOTS = range(11)
"""Place in the data and its end, last time as recorded and corrected, interval of the clock, used
rows, records that were read, those to read, and whether little-endian."""

FULL, MORE, CHUNK_ENDED, FILE_ENDED, CUT, BAD_FIELD, NO_RECORD = range(7)
"""Why decoding stopped: the columns are full; there are more records than to be read; the mark of
the end of the chunk or file; a record or field does not fit; attributes without a record."""


class Layout(NamedTuple):
    """Kind of each type of record, its fields, and how values of each type are stored."""

    kinds: NDArray[np.uint8]
    fields: NDArray[np.uint8]
    values: NDArray[np.uint8]
    is_single: NDArray[np.bool_]


class Maps(NamedTuple):
    """Identifiers of the trace for those of a location.

    `places` says for each mapping where its identifiers begin in `items`, how many there are, and
    the same for the pairs of others.
    """

    places: NDArray[np.int64]
    items: NDArray[np.uint64]


class Clock(NamedTuple):
    """Intervals of a location's clock: times as recorded, offset at the begin, and its change."""

    begin: NDArray[np.uint64]
    end: NDArray[np.uint64]
    offset: NDArray[np.int64]
    slope: NDArray[np.float64]


class Columns(NamedTuple):
    """Room for records; `side` has their arguments."""

    times: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    refs: NDArray[np.uint32]
    side: NDArray[np.uint64]


def layout_of(groups: frozenset[str] | None, *, only_structure: bool = False) -> Layout:
    """The records to store: those of some groups, or none but their number if None.

    With `only_structure`, only those that open or close visits are stored.
    """
    kinds = np.full(_TYPES, PASSED_OVER, np.uint8)
    fields = np.zeros((_TYPES, MOST_FIELDS), np.uint8)
    is_single = np.zeros(_TYPES, np.bool_)
    is_single[list(_SINGLE)] = True
    if groups is not None and not only_structure:
        kinds[:] = rec.UNKNOWN
        kinds[rec.PROGRAM_BEGIN_CODE] = rec.PROGRAM_BEGIN
        kinds[rec.METRIC_CODE] = rec.METRIC if "metrics" in groups else PASSED_OVER
        kinds[ATTRIBUTES] = rec.ATTRIBUTE
    if groups is not None and "attributes" in groups:
        kinds[ATTRIBUTES] = rec.ATTRIBUTE
    for record in rec.RECORDS:
        for place, letter in enumerate(record.arguments):
            fields[record.code, place] = _FIELDS[letter]
        is_structure = record.needs or record.kind in (rec.ENTER, rec.LEAVE)
        is_present = groups is not None and (not record.needs or record.needs in groups)
        is_stored = is_present and (is_structure or not only_structure)
        kinds[record.code] = record.kind if is_stored else PASSED_OVER
    values = np.zeros(_TYPES, np.uint8)
    values[: len(_VALUES)] = _VALUES
    return Layout(kinds, fields, values, is_single)


NO_MAPS = Maps(np.zeros((MAPPINGS, 4), np.int64), np.zeros(0, np.uint64))
NO_CLOCK = Clock(
    np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.float64)
)


def columns_of(rows: int) -> Columns:
    """Room for some records."""
    return Columns(
        np.empty(rows, np.uint64),
        np.empty(rows, np.uint8),
        np.empty(rows, np.uint32),
        np.zeros((rows, rec.SIDE_WIDTH), np.uint64),
    )


def maps_of(tables: Mapping[int, tuple[NDArray[np.uint64], bool]]) -> Maps:
    """The maps of a location from tables by type, which are lists, or pairs of identifiers.

    Pairs of small identifiers become a list, too.
    """
    places, items, place = np.zeros((MAPPINGS, 4), np.int64), [np.zeros(0, np.uint64)], 0
    for kind, (numbers, has_pairs) in tables.items():
        column = 0
        if has_pairs:
            pairs = numbers.reshape(-1, 2)
            if pairs[:, 0].max(initial=0) < _MOST_LISTED:
                numbers = np.arange(int(pairs[:, 0].max(initial=0)) + 1, dtype=np.uint64)
                numbers[pairs[:, 0].astype(np.int64)] = pairs[:, 1]
            else:
                column, numbers = 2, pairs[pairs[:, 0].argsort(kind="stable")].reshape(-1)
        places[kind, column : column + 2] = place, len(numbers) // (1 + (column > 0))
        items.append(numbers)
        place += len(numbers)
    return Maps(places, np.concatenate(items))
