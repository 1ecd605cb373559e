"""What a reader of traces has to offer so that any format can be analyzed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from tracemill.schemas import Table
from tracemill.store.sink import Sink


class SourceFileLike(Protocol):
    """A file of the source; see `store.SourceFile`."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...


class SourceIdentity(Protocol):
    """Which run a source holds, and cheap and certain ways to see whether it changed."""

    @property
    def run_id(self) -> str:
        """Identity of the run; names its folder in the store."""

    @property
    def files(self) -> Sequence[SourceFileLike]:
        """All files of the source, in an order that depends on their names alone."""

    def digest(self) -> str:
        """Hash of the content of all files; reads them, so it is asked for only if needed."""


class Source(Protocol):
    """A trace, opened but not read."""

    @property
    def format(self) -> str:
        """Name of the format, such as OTF2."""

    @property
    def path(self) -> Path:
        """The file or folder that stands for the trace."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables that `read` fills; those it does not mention while reading become empty."""

    @property
    def code_modules(self) -> tuple[str, ...]:
        """Modules and packages of ours whose source text the tables depend on."""

    @property
    def event_count(self) -> int:
        """Records to be read: the sum of what `read` reports."""

    def identity(self) -> SourceIdentity:
        """The source as its files are now.

        Raises ChangedTraceError if they are not those that were opened.
        """

    def read(
        self,
        sink: Sink,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
    ) -> None:
        """Write all tables to `sink`; `report` is told how many more records were read."""
