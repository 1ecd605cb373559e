"""A stage written in Python: its function, the tables it reads and makes, and its parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tracemill.schemas import Table
from tracemill.sql.query_files import Value


@dataclass(frozen=True, kw_only=True)
class PythonStage:
    """A pure function from tables to tables.

    `compute` gets a DuckDB relation per input under the table's name, and a value per parameter.
    Inputs that are `walked`, which are stored ones, come as StoredRows instead. It returns one
    Arrow table or record batch reader per output, in order; a single one as such.
    `modules` are those whose source text the result depends on. Where all inputs of one of the
    groups of `needed_rows` are empty, so are all outputs. A stage that `skips_empty` gets only
    those inputs that have rows.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[Table, ...]
    compute: Callable[..., Any]
    modules: tuple[str, ...]
    parameters: Mapping[str, Value]
    walked: tuple[str, ...] = ()
    needed_rows: tuple[tuple[str, ...], ...] = ()
    skips_empty: bool = False
