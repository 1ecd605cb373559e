"""The header of a file of text: its columns and their separator."""

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tracemill.base.errors import DamagedTraceError, NotATraceError
from tracemill.readers.csv.blocks import Damage, read_blocks
from tracemill.schemas import csv_layout as layout

SEE = "docs/reference/csv.md describes traces in CSV"
_FIELDS = {field.name: field for field in layout.FIELDS}
_REQUIRED = tuple(field.name for field in layout.FIELDS if field.is_required)[1:]
_SPELLING = {name.casefold(): name for name in (layout.TIME_SECONDS, *_FIELDS)}
_ALL_NAMES = {*_SPELLING, *layout.CALL_GRAPH_FIELDS}
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_ANY_SEPARATOR = "[" + "".join(layout.SEPARATORS) + "]"
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_HEAD_BYTES = 4096
_MOST_SHOWN = 240
_OLD_NAMES = {"start_time": "start", "end_time": "end"}


@dataclass(frozen=True)
class Header:
    """The columns of a file; `has_spaces` if spaces follow the separators."""

    path: Path
    columns: tuple[str, ...]
    has_spaces: bool = False
    separator: str = ","

    @property
    def time(self) -> str:
        return layout.TIME_NS if layout.TIME_NS in self.columns else layout.TIME_SECONDS

    @cached_property
    def known(self) -> dict[str, int]:
        """Positions of the columns that are read."""
        columns, names = self.columns, {self.time, *_FIELDS}
        if self.is_call_graph:
            columns, names = self.plain_columns, set(layout.CALL_GRAPH_FIELDS)
        return {name: at for at, name in enumerate(columns) if name in names}

    def split(self, line: str) -> list[str] | None:
        """The cells of a line; None if a quote is not closed in it."""
        text = f"{line}{self.separator}x"
        (cells,) = csv.reader([text], skipinitialspace=self.has_spaces, delimiter=self.separator)
        return cells[:-1] if cells[-1] == "x" else None

    @cached_property
    def is_call_graph(self) -> bool:
        return set(layout.CALL_GRAPH_FIELDS) - {"duration"} <= set(self.plain_columns)

    @cached_property
    def plain_columns(self) -> tuple[str, ...]:
        """The names of columns in the spelling of call graphs."""
        plain = (name.lower().replace(" ", "_") for name in self.columns)
        return tuple(_OLD_NAMES.get(name, name) for name in plain)


def read_header(path: Path) -> Header:
    """The header of a text file; `check_header` checks its columns.

    Names of known columns have the declared case. The separator is the one that makes most columns.
    Raises NotATraceError if the first line cannot be a header, DamagedTraceError if the file cannot
    be decompressed.
    """
    damage = Damage()
    first = next(read_blocks(path, damage), None)
    if damage.problem and (first is None or b"\n" not in first.data):
        raise DamagedTraceError(
            f"{path}: nothing of it can be decompressed ({damage.problem}); copy it again"
        )
    head = first.data[:_HEAD_BYTES] if first else b""
    line = first.data.split(b"\n", 1)[0].decode("utf-8-sig", "replace") if first else ""
    line = line.strip("\r ")
    try:
        cut = [(each, cells_of(line, each)) for each in layout.SEPARATORS]
    except csv.Error as error:
        _check_text(path, head)
        raise NotATraceError(f"{path}: no trace: its first line is no header: {error}") from error
    separator, names = max(cut, key=lambda each: len(each[1]))
    columns = tuple(_SPELLING.get(name.casefold(), name) for name in names)
    header = Header(path, columns, f"{separator} " in line, separator)
    if not header.known:
        _check_text(path, head)
    if header.split(line) is None:
        raise NotATraceError(f"{path}: no trace: a quote is not closed in its first line")
    return header


def _check_text(path: Path, head: bytes) -> None:
    """Raise NotATraceError unless the first bytes are those of a text, in UTF-8 or like it."""
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise NotATraceError(f"{path}: a text in UTF-16 or UTF-32; save it as UTF-8")
    if _CONTROLS.search(head):
        raise NotATraceError(
            f"{path}: binary data of unknown kind; name an OTF2 archive (traces.otf2) or a trace "
            "in CSV"
        )


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of a line, without spaces around them."""
    cells = next(csv.reader([line], skipinitialspace=True, delimiter=separator), [])
    return [cell.strip() for cell in cells]


def _shown(columns: Sequence[str]) -> str:
    """The first names, cut and printable."""
    text = ", ".join(name[:40] for name in columns[:12]) or "none"
    printable = "".join(each if each.isprintable() else "?" for each in text)
    return printable if len(printable) <= _MOST_SHOWN else f"{printable[:_MOST_SHOWN]}…"


def check_header(header: Header) -> None:
    """Raise NotATraceError if columns are missing or repeated."""
    if header.is_call_graph:
        _check_single(header, [name for name in header.plain_columns if name in header.known])
        return
    times = {layout.TIME_NS, layout.TIME_SECONDS}
    missing = [name for name in _REQUIRED if name not in header.columns]
    missing += [] if times & set(header.columns) else [f"{layout.TIME_NS} or {layout.TIME_SECONDS}"]
    present = _shown(header.columns)
    if missing:
        problem = f"no column {', '.join(missing)}; columns present: {present}"
        raise NotATraceError(f"{header.path}: no trace: {_no_header(header) or problem}; {SEE}")
    _check_single(header, [name for name in header.columns if name in header.known])
    if times <= set(header.columns):
        raise NotATraceError(f"{header.path}: the time is given twice; columns present: {present}")


def _no_header(header: Header) -> str:
    """Why a first line without the required columns is no header; empty if unclear."""
    if not any(header.columns):
        return "the first line is empty" if header.path.stat().st_size else "the file is empty"
    names = {name.casefold() for name in header.columns}
    if not names & _ALL_NAMES and any(_NUMBER.fullmatch(name) for name in names):
        return "the header is missing: the first line is a row of cells"
    found = [each for each in layout.SEPARATORS if any(each in name for name in names)]
    cells = {cell.strip() for name in names for cell in re.split(_ANY_SEPARATOR, name)}
    if found and len(cells & _ALL_NAMES) > len(names & _ALL_NAMES):
        every = " and ".join(map(repr, [header.separator, *found]))
        return f"{every} separate the cells of the first line: use one of them throughout"
    if len([name for name in names if name]) == 1 and not names & _ALL_NAMES:
        return "the first line is not the header of a trace in CSV"
    return ""


def _check_single(header: Header, names: Sequence[str]) -> None:
    doubled = ", ".join(sorted({name for name in names if names.count(name) > 1}))
    if doubled:
        raise NotATraceError(
            f"{header.path}: {doubled} is given twice; columns present: {_shown(header.columns)}"
        )
