"""The records of an archive, for the two passes over them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.call_tree import PathTree
from tracemill.kernels.location_walk import LocationWalk
from tracemill.kernels.otf2_callbacks import compile_callbacks
from tracemill.kernels.otf2_plain_survey import PlainSurvey, plain_callbacks, regions_by_ref
from tracemill.kernels.walk_state import RecordRows
from tracemill.readers.common.definitions import Definitions
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import LocationRead, LocationState, take_nothing
from tracemill.readers.common.survey import LocationSurvey, PlainSurveyor
from tracemill.readers.otf2.archive import Archive
from tracemill.readers.otf2.location_reader import LocationReader, open_locations


class ArchiveRecords:
    """An archive as RecordFiles (readers/common/reading.py)."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._refs = list(archive.definitions["Location"])
        self.path = archive.anchor

    @property
    def definitions(self) -> Definitions:
        return self._archive.definitions

    @contextmanager
    def open_locations(
        self, groups: frozenset[str], locations: list[int], *, only_structure: bool = False
    ) -> Iterator["OpenArchive"]:
        """Open some locations with callbacks for the records of some groups."""
        callbacks = compile_callbacks(groups, only_structure=only_structure)
        refs = [self._refs[number] for number in locations]
        library, anchor = self._archive.library, self._archive.anchor
        with open_locations(library, anchor, callbacks, refs) as reader:
            yield OpenArchive(reader, self._refs)

    def file_of(self, location: int) -> str:
        return str(self._archive.event_file(self._refs[location]))


class OpenArchive:
    """Open locations of an archive."""

    def __init__(self, reader: LocationReader, refs: list[int]) -> None:
        self._reader, self._refs = reader, refs

    def feed(
        self, location: int, limit: int, walk: LocationWalk, report: Callable[[int], None],
        take_records: Callable[[RecordRows], None] = take_nothing, *, is_all: bool = False,
    ) -> LocationRead:  # fmt: skip
        """Read a location chunk by chunk through a walk that has begun; ends the walk."""
        buffer = self._reader.buffer
        for step in self._reader.read(self._refs[location], limit, is_all=is_all):
            if isinstance(step, LocationRead):
                walk.finish(take_records)
                return step
            rows, side_rows = buffer.rows, buffer.side_rows
            walk.feed(
                buffer.times[:rows], buffer.kinds[:rows], buffer.refs[:rows],
                buffer.side[: max(side_rows, 1)], take_records,
            )  # fmt: skip
            report(step)
        raise AssertionError("a reading ends with a LocationRead")

    def take_dropped(self) -> int:
        return self._reader.buffer.take_dropped()


def plain_look(
    archive: Archive, identifiers: Identifiers, limits: list[LocationState],
    report: Callable[[int], None],
) -> PlainSurveyor | None:  # fmt: skip
    """The faster survey, if the identifiers of regions allow it."""
    regions = regions_by_ref(identifiers["Region"].refs)
    return None if regions is None else _PlainLook(archive, regions, limits, report)


class _PlainLook:
    """Looks at locations of an archive with the faster survey of plain ones."""

    def __init__(
        self, archive: Archive, regions: NDArray[np.int32], limits: list[LocationState],
        report: Callable[[int], None],
    ) -> None:  # fmt: skip
        self._archive, self._regions = archive, regions
        self._limits, self._report = limits, report
        self._refs = list(archive.definitions["Location"])

    def __call__(
        self, block: list[int], merge: Callable[[PathTree], NDArray[np.int32]]
    ) -> list[LocationSurvey | None]:
        """A survey per location, or None where visits do not nest."""
        refs = [self._refs[number] for number in block]
        library, anchor = self._archive.library, self._archive.anchor
        plain = PlainSurvey(self._regions)
        with open_locations(library, anchor, plain_callbacks(), refs) as reader:
            return [self._look(reader, plain, number, merge) for number in block]

    def _look(
        self, reader: LocationReader, plain: PlainSurvey, number: int,
        merge: Callable[[PathTree], NDArray[np.int32]],
    ) -> LocationSurvey | None:  # fmt: skip
        plain.begin()
        limit = self._limits[number].readable_count
        is_all = not self._limits[number].problem
        for step in reader.read(self._refs[number], limit, plain, is_all=is_all):
            if plain.is_irregular:
                return None
            if isinstance(step, LocationRead):
                numbers, count = merge(plain.tree), int(plain.tree.size[0])
                return LocationSurvey(
                    number, step.record_count, plain.visit_count, step.error,
                    is_plain=len(numbers) == count, numbers=numbers,
                )  # fmt: skip
            self._report(step)
        return None
