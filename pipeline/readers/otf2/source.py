"""An OTF2 archive as a source of the pipeline."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tracemill.base.errors import ChangedTraceError
from tracemill.kernels.clock_replay import Clocks
from tracemill.kernels.location_walk import AS_RECORDED
from tracemill.readers.common.call_sites import CallSites
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import TraceOrigin
from tracemill.readers.common.setup_marks import marks_for
from tracemill.readers.common.source import digest_of_files
from tracemill.readers.common.survey import Survey, region_code
from tracemill.readers.common.tables import READ_TABLES, read_tables
from tracemill.readers.otf2.archive import Archive, read_archive
from tracemill.readers.otf2.checking import check_files
from tracemill.readers.otf2.records import ArchiveRecords, plain_look
from tracemill.schemas.definitions import FULL
from tracemill.schemas.table import Table
from tracemill.store.manifest import SourceFile
from tracemill.store.sink import PartedSink


@dataclass(frozen=True)
class Otf2Identity:
    """Identity of an archive: its trace id and definitions, and the state of all its files."""

    archive: Archive

    @cached_property
    def run_id(self) -> str:
        digest = hashlib.blake2b(self.archive.trace_id.encode(), digest_size=6)
        for file in (self.archive.anchor, self.archive.anchor.with_suffix(".def")):
            digest.update(file.read_bytes())
        return digest.hexdigest()

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        folder = self.archive.anchor.parent
        found = [
            SourceFile(str(file.relative_to(folder)), stat.st_size, stat.st_mtime_ns)
            for file in self.archive.files()
            if (stat := file.stat())
        ]
        return tuple(sorted(found, key=lambda file: file.name))

    def digest(self, threads: int = 1) -> str:
        """Hash of the names and content of all files."""
        folder = self.archive.anchor.parent
        return digest_of_files({file.name: folder / file.name for file in self.files}, threads)


class Otf2Source:
    """An archive whose definitions have been read; `read` reads its events."""

    format = "otf2"
    tables: tuple[Table, ...] = READ_TABLES
    code_modules = ("tracemill.readers.otf2", "tracemill.readers.common", "tracemill.kernels")

    def __init__(self, path: Path, *, uses_library: bool = False) -> None:
        self._opened = _state_of_definitions(path)
        self._archive = read_archive(path, uses_library=uses_library)
        self.path = self._archive.anchor
        self._survey: Survey | None = None

    @property
    def event_count(self) -> int:
        """Records that will be reported: every announced one in both passes."""
        return 2 * sum(count for *_, count, _ in self._archive.definitions["Location"].values())

    @property
    def record_count(self) -> int:
        """Announced records."""
        return self.event_count // 2

    def identity(self) -> Otf2Identity:
        """Raises ChangedTraceError if the definitions are not those that were read."""
        if _state_of_definitions(self.path) != self._opened:
            raise ChangedTraceError(
                f"{self.path}: the archive was replaced while it was opened: analyze it again when "
                "it is complete"
            )
        return Otf2Identity(self._archive)

    def read(
        self,
        sink: PartedSink,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
        merge_call_sites: bool = False,
        detail: str = FULL,
        clocks: Clocks = AS_RECORDED,
    ) -> None:
        """Write all tables. Raises DamagedTraceError unless damage is allowed."""
        archive, identifiers = self._archive, Identifiers(self._archive.definitions)
        sites = CallSites(identifiers, merge_call_sites)
        survey = self._survey if clocks else None
        limits = (
            survey.limits
            if survey
            else check_files(archive, allow_damaged=allow_damaged, threads=threads)
        )
        origin = TraceOrigin(
            "otf2", archive.trace_id, archive.description.creator, archive.description.machine_name
        )
        self._survey = read_tables(
            ArchiveRecords(archive, limits), origin, sites, region_code(sites), limits, sink,
            run_id=run_id, threads=threads, allow_damaged=allow_damaged, report=report,
            plain=plain_look(
                archive, identifiers, limits, report, marks_for(detail, identifiers)
            ),
            clocks=clocks,
            survey=survey, detail=detail,
        )  # fmt: skip


def _state_of_definitions(anchor: Path) -> list[tuple[int, int] | None]:
    """Size and time of the files that are read when an archive is opened; None if one is gone."""
    states: list[tuple[int, int] | None] = []
    for file in (anchor, anchor.with_suffix(".def")):
        try:
            status = file.stat()
        except OSError:
            states.append(None)
        else:
            states.append((status.st_size, status.st_mtime_ns))
    return states
