"""An OTF2 archive: its files, definitions and locations."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels.otf2_layout import Clock, Maps
from tracemill.readers.common.definitions import Definitions
from tracemill.readers.otf2.anchor import Anchor, read_anchor
from tracemill.readers.otf2.definitions import check_definitions, read_definitions
from tracemill.readers.otf2.local_definitions import read_local_definitions


@dataclass(frozen=True)
class Archive:
    """An archive, whose events our decoder reads, or the official library if it `uses_library`."""

    anchor: Path
    description: Anchor
    definitions: Definitions
    uses_library: bool = False
    _local: dict[int, tuple[Maps, Clock]] = field(default_factory=dict)

    @property
    def trace_id(self) -> str:
        return f"{self.description.trace_id:016x}"

    @property
    def event_chunk_bytes(self) -> int:
        return self.description.event_chunk_bytes

    def event_file(self, location: int) -> Path:
        return self.anchor.with_suffix("") / f"{location}.evt"

    def local_definition_file(self, location: int) -> Path:
        return self.anchor.with_suffix("") / f"{location}.def"

    def local_definitions(self, location: int) -> tuple[Maps, Clock]:
        """The mappings and the clock of a location, read once. Raises DamagedTraceError."""
        if location not in self._local:
            self._local[location] = read_local_definitions(
                self.local_definition_file(location), self.description.definition_chunk_bytes
            )
        return self._local[location]

    def files(self) -> Iterator[Path]:
        """Every file of the archive that is there."""
        yield self.anchor
        global_definitions = self.anchor.with_suffix(".def")
        if global_definitions.exists():
            yield global_definitions
        for location in self.definitions["Location"]:
            for file in (self.local_definition_file(location), self.event_file(location)):
                if file.exists():
                    yield file


def read_archive(path: Path, *, uses_library: bool = False) -> Archive:
    """Open an archive and read its global definitions.

    Raises NotATraceError, UnsupportedTraceError, DamagedTraceError or MissingLibraryError.
    """
    anchor, file = read_anchor(path), path.with_suffix(".def")
    try:
        definitions = read_definitions(file, anchor.definition_chunk_bytes)
        if uses_library:
            from tracemill.readers.otf2.library_definitions import read_with_library

            definitions = read_with_library(path)
        check_definitions(definitions, file, anchor.location_count)
    except DamagedTraceError as error:
        raise DamagedTraceError(f"{error}; copy the archive again") from None
    return Archive(path, anchor, definitions, uses_library)
