"""What options of several commands have in common: their type, check and help."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tracemill.base.text import bytes_of

SMALLEST_MEMORY = 64_000_000


def _check_threads(_: object, threads: int | None) -> None:
    if threads is not None and threads < 1:
        raise ValueError("give at least one thread")


def _check_memory(_: object, limit: str | None) -> None:
    if limit is None:
        return
    if bytes_of(limit) < SMALLEST_MEMORY:
        raise ValueError("give at least 64MB")


Store = Annotated[Path, Parameter(name="--store", help="Folder that holds the results.")]
Flag = Parameter(negative="", show_default=False)
RunName = Annotated[
    str | None,
    Parameter(help="Run id or its beginning, label, or trace path. [default: the latest run]"),
]
Threads = Annotated[int | None, Parameter(validator=_check_threads)]
MemoryLimit = Annotated[str | None, Parameter(validator=_check_memory)]
