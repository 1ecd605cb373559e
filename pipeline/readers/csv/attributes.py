"""Arguments of records in the column `Attributes`, where Pipit keeps them as Python literals.

A communicator is named there, but not defined: its members follow from its use.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tracemill.readers.common.definitions import UNDEFINED_32
from tracemill.readers.csv.parsing import NumberColumn, ParsedBlock, TextColumn
from tracemill.schemas import csv_layout as layout

_PARTNER, _COMMUNICATOR, _OPERATION = "Partner", "Communicator", "Operation"
_TEAM = "thread_team"
"""A communicator of threads; also the name of a column that tells whether it is one."""
_COLUMNS = {
    "receiver": _PARTNER, "sender": _PARTNER, "msg_tag": "Tag", "msg_length": "Bytes",
    "communicator": _COMMUNICATOR, "request_id": "Request", "collective_op": _OPERATION,
    "root": "Root", "size_sent": "Bytes", "size_received": "Received Bytes",
    "measurement_mode": layout.VALUE, "number_of_requested_threads": "Number",
    _TEAM: _COMMUNICATOR,
}  # fmt: skip
"""Columns that hold the attributes of Pipit's events."""
_LIMITS = {"Root": UNDEFINED_32}
"""Numbers from these on mean that there is none."""
_TEXTS = (_OPERATION, layout.VALUE)
_WORDS = {"MeasurementMode.ON": "1", "MeasurementMode.OFF": "0"}


def with_attributes(block: ParsedBlock) -> ParsedBlock:
    """The block with columns for the arguments that its rows have as attributes.

    Columns of the file have precedence.
    """
    column = block.texts.get(layout.ATTRIBUTES)
    if column is None:
        return block
    found = [dict(_arguments(word)) for word in column.words]
    present = {name for arguments in found for name in arguments}
    numbers, texts = dict(block.numbers), dict(block.texts)
    for name in sorted(present - numbers.keys() - texts.keys()):
        values = [arguments.get(name) for arguments in found]
        if name in _TEXTS:
            texts[name] = TextColumn(column.codes, [str(value or "") for value in values])
        else:
            is_empty = np.array([value is None for value in values])
            integers = np.array([value or 0 for value in values], np.int64)
            numbers[name] = NumberColumn(integers[column.codes], is_empty[column.codes])
    return replace(block, numbers=numbers, texts=texts)


def _arguments(word: str) -> Iterator[tuple[str, int | str]]:
    """Columns and values of a cell; nothing if it is no dictionary."""
    try:
        found = ast.literal_eval(word) if word.startswith("{") else {}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
    for key, value in found.items() if isinstance(found, dict) else ():
        name = _COLUMNS.get(key) if isinstance(key, str) else None
        if name in _TEXTS:
            yield name, _WORDS.get(str(value), str(value).rpartition(".")[2].lower())
        elif name == _COMMUNICATOR:
            number = str(value).rpartition(" ")[2]
            if number.isdecimal() and int(number) < UNDEFINED_32:
                yield name, int(number)
                if key == _TEAM:
                    yield _TEAM, 1
        elif name and type(value) is int and 0 <= value < _LIMITS.get(name, 1 << 63):
            yield name, value


@dataclass
class UsedCommunicators:
    """Processes that use each communicator, and the highest rank that they name.

    `threads` are processes and threads that use communicators of threads.
    """

    processes: dict[int, set[int]] = field(default_factory=dict)
    highest: dict[int, int] = field(default_factory=dict)
    threads: dict[int, set[tuple[int, int]]] = field(default_factory=dict)

    def add(self, block: ParsedBlock) -> None:
        """Add the communicators that the attributes of a block name."""
        column = block.numbers.get(_COMMUNICATOR)
        if column is None or layout.ATTRIBUTES not in block.texts:
            return
        rows = np.flatnonzero(~column.is_empty)
        process = block.numbers[layout.PROCESS].values[rows]
        partners = block.integers(_PARTNER, rows)
        ranks = np.where(partners.is_empty, -1, partners.values)
        threads, teams = block.integers(layout.THREAD, rows), block.integers(_TEAM, rows)
        used = (column.values[rows], process, ranks, threads.values, teams.values)
        for number, own, rank, thread, is_team in np.unique(np.stack(used), axis=1).T.tolist():
            if is_team:
                self.threads.setdefault(number, set()).add((own, thread))
                continue
            self.processes.setdefault(number, set()).add(own)
            self.highest[number] = max(self.highest.get(number, -1), rank)

    def properties(self, every: Iterable[int]) -> Iterator[dict[str, Any]]:
        """Properties of definitions of the communicators.

        Members are the processes that use one, or `every` one if a rank would have no process.
        """
        for number, used in sorted(self.processes.items()):
            is_enough = self.highest[number] < len(used)
            yield {"id": number, "members": sorted(used if is_enough else every)}
        for number, threads in sorted(self.threads.items()):
            members = [list(each) for each in sorted(threads)]
            yield {"id": number, "members": members, "paradigm": "openmp"}
