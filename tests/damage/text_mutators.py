"""Ways to damage a trace in text that only text knows: in lines, cells, columns, quotes, encoding.

A line is what stands between line feeds, a cell what the csv module makes of one.
"""

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.damage.mutators import Change

Lines = list[bytes]
_FEW = 8
_TEXT = "*.csv"

ODD_NUMBERS = (
    "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "2147483647",
    "2147483648", "4294967295", "4294967296", "18446744073709551615", "9" * 30, "0" * 40,
    "4611686018427387904", "-4611686018427387904", "2305843009213693953", "1e3", "1e400", "-0",
    "+5", " 7 ", "1.5", ".5", "5.", "-1e-7", "nan", "inf", "-inf", "0x10", "1_000", "1 000",
    "1,5", "\u0663", "\u00b2", "--1", "+-1", "1e", "true", "NULL",
)  # fmt: skip
ODD_TEXTS = (
    "", " ", "x", "Enter", "Leave", "Instant", "More", "Define", "Define ", "Define Region",
    "Define Thread", "Define Nothing", "enter", "MpiSend", "MpiRecv", "Counter", "Attribute",
    "MpiCollectiveEnd", "ThreadFork", "BufferFlush", "main", "a\x00b", "a\x0bb", "a\x1cb",
    "a\u2028b", "a\u0085b", "\ufeff", "\ud800", "#", "'", '"', '""', "x" * 5000, "{}", "[]",
)  # fmt: skip
ODD_PROPERTIES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 3.5, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, -(2**63), -(2**70), "", "x",
    "0", [], [0], [-1], [[0, 0]], [[0, -1]], [0, 0], [None], ["x"], [True], [2**70], [[2**40, 0]],
    {}, {"id": 0}, float("nan"), float("inf"), "\ud800", "\x00",
)  # fmt: skip


def in_lines(change: Callable[[random.Random, Lines], str]) -> Change:
    """A change of the lines of one text file; one that says nothing does not fit there."""

    def apply(draw: random.Random, folder: Path) -> str:
        files = sorted(path for path in folder.glob(_TEXT) if path.stat().st_size)
        if not files:
            return ""
        file = draw.choice(files)
        lines = file.read_bytes().split(b"\n")
        done = change(draw, lines)
        if not done:
            return ""
        file.write_bytes(b"\n".join(lines))
        return f"{file.name}: {done}"

    return apply


# --- Lines ----------------------------------------------------------------------------------------


def _line(draw: random.Random, lines: Lines) -> int:
    """A line, rarely the header."""
    first = 0 if len(lines) < 3 or draw.random() < 0.05 else 1
    return draw.randrange(first, max(len(lines) - 1, first + 1))


def _lines(draw: random.Random, lines: Lines) -> slice:
    """Some lines, mostly few."""
    start = _line(draw, lines)
    longest = _FEW if draw.random() < 0.8 else len(lines)
    return slice(start, min(start + draw.randint(1, longest), len(lines)))


def _reported(place: slice) -> str:
    return f"lines {place.start + 1} to {place.stop}"


def _cut_lines(draw: random.Random, lines: Lines) -> str:
    at = _line(draw, lines)
    left = draw.choice([0, draw.randint(0, len(lines[at]))])
    lines[at:] = [lines[at][:left]]
    return f"cut after {left} bytes of line {at + 1}"


def _delete_lines(draw: random.Random, lines: Lines) -> str:
    place = _lines(draw, lines)
    del lines[place]
    return f"deleted {_reported(place)}"


def _repeat_lines(draw: random.Random, lines: Lines) -> str:
    place = _lines(draw, lines)
    target = draw.choice([place.stop, draw.randint(0, len(lines)), len(lines) - 1])
    lines[target:target] = lines[place]
    return f"repeated {_reported(place)} before line {target + 1}"


def _swap_lines(draw: random.Random, lines: Lines) -> str:
    one, other = _line(draw, lines), _line(draw, lines)
    lines[one], lines[other] = lines[other], lines[one]
    return f"swapped lines {one + 1} and {other + 1}"


def _shuffle_lines(draw: random.Random, lines: Lines) -> str:
    place = _lines(draw, lines)
    moved = lines[place]
    draw.shuffle(moved)
    lines[place] = moved
    return f"shuffled {_reported(place)}"


def _join_lines(draw: random.Random, lines: Lines) -> str:
    at = _line(draw, lines)
    glue = draw.choice([b"", b",", b"\r", b"\x0b", "\u2028".encode()])
    lines[at : at + 2] = [glue.join(lines[at : at + 2])]
    return f"joined line {at + 1} and the next with {glue!r}"


def _split_line(draw: random.Random, lines: Lines) -> str:
    at = _line(draw, lines)
    place = draw.randint(0, len(lines[at]))
    lines[at : at + 1] = [lines[at][:place], lines[at][place:]]
    return f"split line {at + 1} after {place} bytes"


def _insert_line(draw: random.Random, lines: Lines) -> str:
    at = _line(draw, lines)
    odd = [b"", b" ", b"\r", b",", b"\x00", b"# a remark", b'"', lines[0], draw.randbytes(9)]
    line = draw.choice([*odd, b"," * lines[0].count(b",")])
    lines[at:at] = [line]
    return f"inserted {line[:40]!r} as line {at + 1}"


# --- Cells ----------------------------------------------------------------------------------------


def cells_of(line: bytes) -> list[str]:
    """The cells of a line; bytes that are no text stay what they are."""
    text = line.decode("utf-8", "surrogateescape")
    try:
        return next(csv.reader([text]), [""])
    except csv.Error:  # a carriage return
        return text.split(",")


def line_of(cells: list[str]) -> bytes:
    """Cells that may hold anything as a line, with quotes where they are needed."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    text = out.getvalue()
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate of our own
        return text.encode("utf-8", "surrogatepass")


def _in_cells(change: Callable[[random.Random, list[str]], str]) -> Change:
    """A change of the cells of one line, or of several alike."""

    def apply(draw: random.Random, lines: Lines) -> str:
        at = _line(draw, lines)
        cells = cells_of(lines[at])
        done = change(draw, cells)
        lines[at] = line_of(cells)
        return f"line {at + 1}: {done}" if done else ""

    return in_lines(apply)


def _cell(draw: random.Random, cells: list[str]) -> int:
    """A cell, mostly one with something in it."""
    filled = [at for at, cell in enumerate(cells) if cell]
    if filled and draw.random() < 0.7:
        return draw.choice(filled)
    return draw.randrange(max(len(cells), 1))


def _replace_number(draw: random.Random, cells: list[str]) -> str:
    numbers = [at for at, cell in enumerate(cells) if cell.lstrip("+-").isdigit()]
    at = draw.choice(numbers) if numbers else _cell(draw, cells)
    before, cells[at] = cells[at], draw.choice(ODD_NUMBERS)
    return f"cell {at} is {cells[at]!r}, was {before!r}"


def _replace_text(draw: random.Random, cells: list[str]) -> str:
    at = _cell(draw, cells)
    before, cells[at] = cells[at], draw.choice(ODD_TEXTS)
    return f"cell {at} is {cells[at][:40]!r}, was {before[:40]!r}"


def _change_number(draw: random.Random, cells: list[str]) -> str:
    """Another number that can be, but hardly is right."""
    numbers = [at for at, cell in enumerate(cells) if cell.lstrip("-").isdecimal()]
    if not numbers:
        return ""
    at = draw.choice(numbers)
    before = int(cells[at])
    after = draw.choice(
        [before + 1, before - 1, before + 1000, before * 1000, -before, before // 2]
    )
    cells[at] = str(after)
    return f"cell {at} is {after}, was {before}"


def _delete_cells(draw: random.Random, cells: list[str]) -> str:
    at = _cell(draw, cells)
    count = draw.choice([1, 1, 2, len(cells)])
    del cells[at : at + count]
    return f"deleted {count} cells from {at} on"


def _insert_cells(draw: random.Random, cells: list[str]) -> str:
    at = draw.randint(0, len(cells))
    cells[at:at] = draw.choice([[""], ["0"], ["x"], ["", ""], [""] * 200])
    return f"inserted cells at {at}"


def _swap_cells(draw: random.Random, cells: list[str]) -> str:
    one, other = _cell(draw, cells), _cell(draw, cells)
    if cells:
        cells[one], cells[other] = cells[other], cells[one]
    return f"swapped cells {one} and {other}"


def _swap_cells_of_lines(draw: random.Random, lines: Lines) -> str:
    one, other = _line(draw, lines), _line(draw, lines)
    first, second = cells_of(lines[one]), cells_of(lines[other])
    at = _cell(draw, first)
    if one == other or at >= min(len(first), len(second)):
        return ""
    first[at], second[at] = second[at], first[at]
    lines[one], lines[other] = line_of(first), line_of(second)
    return f"swapped cells {at} of lines {one + 1} and {other + 1}"


def _change_definition(draw: random.Random, lines: Lines) -> str:
    """One property of a definition gets an odd value, or is gone; or the whole is no object."""
    places = [at for at, line in enumerate(lines) if b",Define " in line]
    if not places:
        return ""
    at = draw.choice(places)
    cells = cells_of(lines[at])
    column = next((c for c, cell in enumerate(cells) if cell.startswith("{")), None)
    try:
        properties = json.loads(cells[column]) if column is not None else {}
    except (ValueError, RecursionError):
        properties = {}
    if not isinstance(properties, dict) or not properties or column is None:
        return ""
    name = draw.choice(sorted(properties))
    if draw.random() < 0.1:
        del properties[name]
    else:
        properties[name] = draw.choice(ODD_PROPERTIES)
    cells[column] = json.dumps(properties)
    lines[at] = line_of(cells)
    return f"line {at + 1}: {cells[1]} with {name} {properties.get(name)!r}"


# --- Columns --------------------------------------------------------------------------------------


def _in_columns(change: Callable[[random.Random, list[list[str]]], str]) -> Change:
    """A change of the cells of all lines."""

    def apply(draw: random.Random, lines: Lines) -> str:
        rows = [cells_of(line) for line in lines]
        done = change(draw, rows)
        lines[:] = [
            line_of(cells) if line else line for line, cells in zip(lines, rows, strict=True)
        ]
        return done

    return in_lines(apply)


def _delete_column(draw: random.Random, rows: list[list[str]]) -> str:
    at = draw.randrange(len(rows[0]))
    is_header_only = draw.random() < 0.3
    for cells in rows[:1] if is_header_only else rows:
        del cells[at : at + 1]
    return f"deleted {'the name of ' * is_header_only}column {at}"


def _repeat_column(draw: random.Random, rows: list[list[str]]) -> str:
    at = draw.randrange(len(rows[0]))
    for cells in rows:
        cells[at:at] = cells[at : at + 1]
    return f"repeated column {at}"


def _swap_columns(draw: random.Random, rows: list[list[str]]) -> str:
    """Of all rows, which changes nothing, or but of the header."""
    one, other = draw.randrange(len(rows[0])), draw.randrange(len(rows[0]))
    is_header_only = draw.random() < 0.5
    for cells in rows[:1] if is_header_only else rows:
        if max(one, other) < len(cells):
            cells[one], cells[other] = cells[other], cells[one]
    return f"swapped {'the names of ' * is_header_only}columns {one} and {other}"


def _rename_column(draw: random.Random, rows: list[list[str]]) -> str:
    at = draw.randrange(len(rows[0]))
    before = rows[0][at]
    odd = ["", before.upper(), f" {before} ", before[:-1], "Timestamp (s)", "Thread", "Value", "x"]
    rows[0][at] = draw.choice([*odd, "Definition", "Timestamp (ns)", "\ufeff" + before, "\x00"])
    return f"column {at} is {rows[0][at]!r}, was {before!r}"


def _empty_column(draw: random.Random, rows: list[list[str]]) -> str:
    at = draw.randrange(len(rows[0]))
    for cells in rows[1:]:
        cells[at : at + 1] = [""] if len(cells) > at else []
    return f"emptied column {at}"


# --- Quotes and encoding --------------------------------------------------------------------------


def _insert_quotes(draw: random.Random, lines: Lines) -> str:
    done = []
    for _ in range(draw.choice([1, 1, 1, 2, 2, 4])):
        at = _line(draw, lines)
        commas = [0, *(place + 1 for place, byte in enumerate(lines[at]) if byte == ord(","))]
        place = draw.choice([draw.choice(commas), draw.randint(0, len(lines[at]))])
        lines[at] = lines[at][:place] + b'"' + lines[at][place:]
        done.append(f"{at + 1}:{place}")
    return f"quotes at {', '.join(done)}"


def _remove_quotes(draw: random.Random, lines: Lines) -> str:
    quoted = [at for at, line in enumerate(lines) if b'"' in line]
    if not quoted:
        return ""
    at = draw.choice(quoted)
    lines[at] = lines[at].replace(b'"', b"", draw.choice([-1, 1, 2]))
    return f"removed quotes of line {at + 1}"


def _quote_cell(draw: random.Random, lines: Lines) -> str:
    """Quotes around a cell, perhaps more inside, or a line feed."""
    at = _line(draw, lines)
    cells = lines[at].split(b",")
    place = draw.randrange(len(cells))
    forms = [b'"%s"', b' "%s"', b'"%s" ', b'"%s', b'%s"', b'""%s""', b'"a"%s', b'"%s\n"', b"'%s'"]
    form = draw.choice(forms)
    cells[place] = form % cells[place]
    lines[at : at + 1] = b",".join(cells).split(b"\n")
    return f"line {at + 1}: cell {place} as {form!r}"


def _insert_bytes(draw: random.Random, lines: Lines) -> str:
    at = _line(draw, lines)
    place = draw.randint(0, len(lines[at]))
    odd = [b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"\x0b", b"\x1c", b"\xc2\x85"]
    value = draw.choice([*odd, "\u2028".encode(), "\ufeff".encode(), b"\t", b" ", b"\\"])
    lines[at] = lines[at][:place] + value + lines[at][place:]
    return f"inserted {value!r} at {at + 1}:{place}"


def _end_lines_otherwise(draw: random.Random, lines: Lines) -> str:
    end = draw.choice([b"\r", b"\r", b"\r\r", b" ", b",", b";", b"\x00"])
    place = slice(0, len(lines) - 1) if draw.random() < 0.6 else _lines(draw, lines)
    lines[place] = [line + end for line in lines[place]]
    return f"{_reported(place)} end with {end!r}"


def _separate_otherwise(draw: random.Random, lines: Lines) -> str:
    mark = draw.choice([b";", b"\t", b"|", b", ", b" , ", b" "])
    lines[:] = [line.replace(b",", mark) for line in lines]
    return f"separated by {mark!r}"


def _encode_otherwise(draw: random.Random, lines: Lines) -> str:
    encoding = draw.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "one line"])
    text = b"\n".join(lines).decode("latin-1")
    if encoding == "one line":
        changed = text.replace("\n", "\r").encode("latin-1")
    else:
        changed = text.encode(encoding)
    lines[:] = changed.split(b"\n")
    return f"encoded as {encoding}"


TEXT_CHANGES: dict[str, tuple[Change, int]] = {
    "cut lines": (in_lines(_cut_lines), 3),
    "delete lines": (in_lines(_delete_lines), 4),
    "repeat lines": (in_lines(_repeat_lines), 4),
    "swap lines": (in_lines(_swap_lines), 3),
    "shuffle lines": (in_lines(_shuffle_lines), 2),
    "join lines": (in_lines(_join_lines), 1),
    "split line": (in_lines(_split_line), 2),
    "insert line": (in_lines(_insert_line), 2),
    "replace number": (_in_cells(_replace_number), 10),
    "change number": (_in_cells(_change_number), 6),
    "replace text": (_in_cells(_replace_text), 6),
    "delete cells": (_in_cells(_delete_cells), 3),
    "insert cells": (_in_cells(_insert_cells), 2),
    "swap cells": (_in_cells(_swap_cells), 2),
    "swap cells of lines": (in_lines(_swap_cells_of_lines), 4),
    "change definition": (in_lines(_change_definition), 6),
    "delete column": (_in_columns(_delete_column), 2),
    "repeat column": (_in_columns(_repeat_column), 1),
    "swap columns": (_in_columns(_swap_columns), 2),
    "rename column": (_in_columns(_rename_column), 2),
    "empty column": (_in_columns(_empty_column), 2),
    "insert quotes": (in_lines(_insert_quotes), 5),
    "remove quotes": (in_lines(_remove_quotes), 2),
    "quote cell": (in_lines(_quote_cell), 4),
    "insert bytes": (in_lines(_insert_bytes), 5),
    "end lines otherwise": (in_lines(_end_lines_otherwise), 3),
    "separate otherwise": (in_lines(_separate_otherwise), 1),
    "encode otherwise": (in_lines(_encode_otherwise), 1),
}
"""Each change with how often it is drawn."""
