"""Which layout a file has, by its first line."""

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipeline.errors import NotATraceError
from pipeline.readers.csv.blocks import Damage, read_blocks
from schemas import csv_layout as layout

_FIELDS = {field.name: field for field in layout.FIELDS}
_REQUIRED = tuple(field.name for field in layout.FIELDS if field.is_required)[1:]
_SPELLING = {name.casefold(): name for name in (layout.TIME_SECONDS, *_FIELDS)}
_OLD_NAMES = {"start_time": "start", "end_time": "end"}


@dataclass(frozen=True)
class Header:
    """The columns of a file; `separator` stands between its cells, `has_spaces` after it."""

    path: Path
    columns: tuple[str, ...]
    has_spaces: bool = False
    separator: str = ","

    @property
    def time(self) -> str:
        return layout.TIME_NS if layout.TIME_NS in self.columns else layout.TIME_SECONDS

    @cached_property
    def known(self) -> dict[str, int]:
        """Places of the columns that are read."""
        names = {self.time, *_FIELDS}
        return {name: at for at, name in enumerate(self.columns) if name in names}

    @cached_property
    def is_call_graph(self) -> bool:
        return set(layout.CALL_GRAPH_FIELDS) - {"duration"} <= set(self.call_graph_columns)

    @cached_property
    def call_graph_columns(self) -> dict[str, int]:
        """Places of the columns of a call graph."""
        plain = [name.lower().replace(" ", "_") for name in self.columns]
        return {_OLD_NAMES.get(name, name): at for at, name in enumerate(plain)}


def read_header(path: Path, *, is_checked: bool = True) -> Header:
    """The header of a text file. Raises NotATraceError if it is not one of the known ones.

    Columns that are read are called as they are declared, however a file writes their case. The
    separator is the one of those possible that makes most columns.
    """
    first = next(read_blocks(path, Damage()), None)
    line = first.data.split(b"\n", 1)[0].decode("utf-8-sig", "replace") if first else ""
    line = line.strip("\r ")
    try:
        cut = [(each, _cells(line, each)) for each in layout.SEPARATORS]
    except csv.Error as error:
        raise NotATraceError(f"{path}: no trace: its first line is no header: {error}") from error
    separator, names = max(cut, key=lambda each: len(each[1]))
    columns = tuple(_SPELLING.get(name.casefold(), name) for name in names)
    header = Header(path, columns, f"{separator} " in line, separator)
    if is_checked:
        check_header(header)
    return header


def _cells(line: str, separator: str) -> list[str]:
    cells = next(csv.reader([line], skipinitialspace=True, delimiter=separator), [])
    return [cell.strip() for cell in cells]


def check_header(header: Header) -> None:
    """Raise NotATraceError where columns are missing or doubled."""
    if header.is_call_graph:
        return
    times = {layout.TIME_NS, layout.TIME_SECONDS}
    missing = [name for name in _REQUIRED if name not in header.columns]
    missing += [] if times & set(header.columns) else [f"{layout.TIME_NS} or {layout.TIME_SECONDS}"]
    present = ", ".join(name[:40] for name in header.columns[:12]) or "none"
    if missing:
        raise NotATraceError(
            f"{header.path}: no trace: no column {', '.join(missing)}; columns present: {present}; "
            "schemas/CSV.md tells what a trace in CSV looks like"
        )
    doubled = sorted({name for name in header.known if header.columns.count(name) > 1})
    if doubled or times <= set(header.columns):
        what = ", ".join(doubled) or "the time"
        raise NotATraceError(f"{header.path}: {what} is given twice; columns present: {present}")
