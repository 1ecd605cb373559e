"""Protocols of a source: a trace of any format, or a campaign."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tracemill.readers.common.parallel import map_in_threads
from tracemill.schemas import Table
from tracemill.store.manifest import SourceFile
from tracemill.store.sink import PartedSink

if TYPE_CHECKING:
    from tracemill.kernels.clock_replay import Clocks


class SourceIdentity(Protocol):
    """Identity of a source's run, and the state of its files."""

    @property
    def run_id(self) -> str:
        """Name of the run's folder in the store."""

    @property
    def files(self) -> Sequence[SourceFile]:
        """All files of the source, in an order that depends only on their names."""

    def digest(self, threads: int = 1) -> str:
        """Hash of the content of all files, which are read."""


class Source(Protocol):
    """A source, opened but not read."""

    @property
    def format(self) -> str:
        """Name of the format, such as OTF2."""

    @property
    def path(self) -> Path:
        """The file or folder that stands for the trace."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables that `read` writes; those that it does not write become empty."""

    @property
    def code_modules(self) -> tuple[str, ...]:
        """Our modules and packages that the tables depend on."""

    @property
    def event_count(self) -> int:
        """Number of records: the sum of the counts that `read` reports."""

    @property
    def record_count(self) -> int:
        """Number of records, as announced or estimated; decides the default level of detail."""

    def identity(self) -> SourceIdentity:
        """The current state of the files.

        Raises ChangedTraceError if they were replaced after opening.
        """

    def read(
        self,
        sink: PartedSink,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
        merge_call_sites: bool = False,
        detail: str = ...,
    ) -> None:
        """Write all tables to `sink`; pass the number of records just read to `report`.

        With `merge_call_sites`, calls of a region by one caller are one call path. `detail` is
        one of DETAILS (schemas/definitions.py).
        """


class Trace(Source, Protocol):
    """A trace, whose records can be read with other times."""

    def read(
        self,
        sink: PartedSink,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
        merge_call_sites: bool = False,
        detail: str = ...,
        clocks: "Clocks" = ...,
    ) -> None:
        """Write all tables as other sources do, with the corrections of `clocks`."""


def digest_of_files(paths: Mapping[str, Path], threads: int) -> str:
    """Hash of files given by name: of the names and the content.

    SHA-1 takes half the time of BLAKE2, and nobody forges traces.
    """
    new_hash = partial(hashlib.sha1, usedforsecurity=False)

    def read(path: Path) -> bytes:
        with path.open("rb") as file:
            return hashlib.file_digest(file, new_hash).digest()

    digest = new_hash()
    for name, content in zip(paths, map_in_threads(read, paths.values(), threads), strict=True):
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()
