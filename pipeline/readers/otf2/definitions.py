"""Decodes global definitions: everything the trace declares, as plain records."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracemill.base.errors import DamagedTraceError
from tracemill.readers.common.definitions import UNDEFINED_32, UNDEFINED_64, Definitions
from tracemill.readers.otf2.fields import DamagedFieldError, Fields, read_records

MOST_EVENTS = 1 << 48
"""More events than any file of a location can hold."""
_KNOWN_CODES = range(5, 44)
"""All types of definitions; those without an entry below are not needed."""
_UNUSED_CODES = {9}
_MOST_BYTES = {"W": 4, "Q": 8}


@dataclass(frozen=True)
class _Kind:
    """A kind of definition.

    `fields` has a letter per field of the record: B for a byte, W and Q for compressed integers of
    32 and 64 bits, I for a signed one of 64 bits, T for a text, and A or M for an array: its size
    (B or W) and its members (W or Q). `order` gives the fields that the values consist of; what old
    versions do not write has a value in `defaults`.
    """

    name: str
    fields: str
    order: tuple[int, ...]
    defaults: dict[int, Any] = field(default_factory=dict)


_KINDS = {
    5: _Kind("ClockProperties", "QQQQ", (1, 2, 3), {3: UNDEFINED_64}),
    8: _Kind("IoParadigm", "BWW", (1, 2)),
    10: _Kind("String", "WT", (1,)),
    11: _Kind("Attribute", "WWBW", (1, 3, 2), {3: UNDEFINED_32}),
    12: _Kind("SystemTreeNode", "WWWW", (1, 2, 3)),
    13: _Kind("LocationGroup", "WWBWW", (1, 2, 3, 4), {4: UNDEFINED_32}),
    14: _Kind("Location", "QWBQW", (1, 2, 3, 4)),
    15: _Kind(
        "Region", "WWWBWWWWBBW", (1, 7, 2, 8, 9, 10, 4, 5, 6), dict.fromkeys(range(7, 11))
    ),
    18: _Kind("Group", "WWBMBBW", (1, 4, 5, 6, 3), dict.fromkeys(range(4, 7))),
    19: _Kind("MetricMember", "WWWBBBBIW", (1, 2, 3, 4, 5, 6, 7, 8)),
    20: _Kind("MetricClass", "WABB", (1, 2, 3), {3: 0}),
    21: _Kind("MetricInstance", "WWQBQ", (1, 2, 3, 4)),
    22: _Kind("Comm", "WWWWW", (1, 2, 3, 4), {4: 0}),
    23: _Kind("Parameter", "WWB", (1, 2)),
    24: _Kind("RmaWin", "WWWW", (1, 2, 3), {3: 1}),
    30: _Kind("CartDimension", "WWWB", (1, 2, 3)),
    31: _Kind("CartTopology", "WWWA", (1, 2, 3)),
    33: _Kind("SourceCodeLocation", "WWW", (1, 2)),
    34: _Kind("CallingContext", "WWWW", (1, 2, 3)),
    38: _Kind("IoRegularFile", "WWW", (1, 2)),
    39: _Kind("IoDirectory", "WWW", (1, 2)),
    40: _Kind("IoHandle", "WWWBWWW", (1, 2, 3, 4, 5, 6)),
    43: _Kind("InterComm", "WWWWWW", (1, 2, 3, 4, 5)),
}  # fmt: skip

# OTF2 before 1.1 gave a region one type for role, paradigm and flags, in this order; OTF2 before
# 1.2 gave a group one type for type, paradigm and flags.
_REGION_TYPES = (
    (0, 0, 0), (1, 0, 0), (3, 1, 0), (1, 0, 0), (27, 1, 0),
    *((role, 3, 0) for role in (5, 3, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17, 13, 10, 2, 20, 22)),
    (15, 4, 0), (23, 4, 0), (24, 4, 0), (25, 4, 0), (26, 4, 0), (4, 1, 0), (4, 1, 1), (4, 1, 3),
    (3, 1, 1), (1, 1, 1), (3, 1, 3), (21, 3, 0), (18, 3, 0), (19, 3, 0),
)  # fmt: skip
_GROUP_TYPES = ((0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 0, 0), (5, 4, 0), (6, 4, 0), (4, 4, 0))


def read_definitions(file: Path, chunk_bytes: int) -> Definitions:
    """All global definitions of a file.

    Raises DamagedTraceError if it is missing, damaged, or contradicts itself.
    """
    definitions = Definitions()

    def take(code: int, fields: Fields) -> None:
        kind = _KINDS.get(code)
        if kind is None:
            definitions.unknown += code not in _KNOWN_CODES or code in _UNUSED_CODES
        else:
            _keep(definitions, kind, _values_of(kind, fields))

    read_records(file, chunk_bytes, take)
    return definitions


def _values_of(kind: _Kind, fields: Fields) -> list[Any]:
    values: list[Any] = []
    first_default = min(kind.defaults, default=-1)
    for place, letter in enumerate(kind.fields):
        if place == first_default and fields.is_at_end:
            return values + list(kind.defaults.values())
        values.append(_value(letter, fields))
    return values


def _value(letter: str, fields: Fields) -> Any:
    if letter in _MOST_BYTES:
        return fields.number(_MOST_BYTES[letter])
    if letter == "B":
        return fields.whole(1)
    if letter == "I":
        value = fields.number(8)
        return value - (value >> 63 << 64)
    if letter == "T":
        return fields.text()
    count, most = (fields.whole(1), 4) if letter == "A" else (fields.number(4), 8)
    if count > fields.end - fields.place:
        raise DamagedFieldError(fields.place, f"{count} members")
    return tuple(fields.number(most) for _ in range(count))


def _keep(definitions: Definitions, kind: _Kind, values: list[Any]) -> None:
    """Keep the values of a definition, unless its identifier is known already."""
    if kind.name == "ClockProperties":
        definitions.clock = (values[0], values[1], values[2], values[3])
        return
    if kind.name == "String":
        values[1] = decode_text(definitions, values[1])
    elif kind.name == "Region" and values[7] is None:
        values[7:] = values[1], *_of_type(_REGION_TYPES, values[3])
    elif kind.name == "Group" and values[4] is None:
        values[4:] = _of_type(_GROUP_TYPES, values[2])
    target = definitions.by_kind[kind.name]
    if values[0] in target:
        definitions.repeated += 1
    else:
        target[values[0]] = tuple(values[place] for place in kind.order)


def _of_type(types: tuple[tuple[int, int, int], ...], number: int) -> tuple[int, int, int]:
    return types[number] if number < len(types) else types[0]


def decode_text(definitions: Definitions, text: bytes) -> str:
    """A text, with escapes where it is not UTF-8, which is counted."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        definitions.invalid_text += 1
        return text.decode("utf-8", "backslashreplace")


def check_definitions(definitions: Definitions, file: Path, location_count: int) -> None:
    """Raise DamagedTraceError if definitions contradict each other, or no file can be so long.

    The anchor file announces `location_count` locations; any other number is no contradiction.
    """
    if location_count and not definitions["Location"]:
        raise DamagedTraceError(f"{file} defines none of {location_count} locations")
    if not 0 < definitions.clock[0] < 1 << 63:
        raise DamagedTraceError(f"{file} gives the clock no possible resolution")
    for ref, (_, _, count, group) in definitions["Location"].items():
        if count > MOST_EVENTS:
            raise DamagedTraceError(f"{file} announces {count} events at location {ref}")
        if group not in definitions["LocationGroup"]:
            raise DamagedTraceError(
                f"{file} does not define group {group}, which location {ref} belongs to"
            )
