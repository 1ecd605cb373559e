"""The records of an archive, for the two passes over them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import sorted_records as nested
from tracemill.kernels.call_tree import NO_NODE, PathTree, clear, new_tree, reserve
from tracemill.kernels.location_walk import LocationWalk
from tracemill.kernels.otf2_layout import layout_of
from tracemill.kernels.sorted_records import look_at_nested
from tracemill.kernels.walk_state import RecordRows
from tracemill.readers.common.definitions import Definitions
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import LocationRead, LocationState, take_nothing
from tracemill.readers.common.setup_marks import SetupMarks
from tracemill.readers.common.survey import LocationSurvey, PlainSurveyor
from tracemill.readers.otf2.archive import Archive
from tracemill.readers.otf2.events import Block, EventReader

_MOST_REFS, _SPARE_NODES = 1 << 22, 1024
_FIRST_RECORDS = 16
"""Records among which one is stored, whose time is the first."""


class _Reader(Protocol):
    """Our reader of events, or that of the official library."""

    def read(
        self, location: int, limit: int, *, is_all: bool = False
    ) -> Iterator[Block | LocationRead]: ...

    def take_dropped(self) -> int:
        """Number of attributes that did not fit since the last call."""


@contextmanager
def open_reader(
    archive: Archive, locations: list[int], groups: frozenset[str], *, only_structure: bool = False
) -> Iterator[_Reader]:
    """A reader of some locations for the records of some groups."""
    if not archive.uses_library:
        yield EventReader(archive, layout_of(groups, only_structure=only_structure))
        return
    from tracemill.kernels.otf2_callbacks import compile_callbacks
    from tracemill.readers.otf2.library_events import open_locations

    callbacks = compile_callbacks(groups, only_structure=only_structure)
    with open_locations(archive.anchor, callbacks, locations) as reader:
        yield reader


class ArchiveRecords:
    """An archive as RecordFiles (readers/common/reading.py)."""

    def __init__(self, archive: Archive, limits: Sequence[LocationState] = ()) -> None:
        self._archive, self._limits = archive, limits
        self._refs = list(archive.definitions["Location"])
        self.path = archive.anchor

    @property
    def definitions(self) -> Definitions:
        return self._archive.definitions

    @contextmanager
    def open_locations(
        self, groups: frozenset[str], locations: list[int], *, only_structure: bool = False
    ) -> Iterator["OpenArchive"]:
        """Open some locations for the records of some groups."""
        refs = [self._refs[number] for number in locations]
        with open_reader(self._archive, refs, groups, only_structure=only_structure) as reader:
            yield OpenArchive(reader, self._refs)

    def ends_of(self, location: int, groups: frozenset[str]) -> tuple[int, int] | None:
        """Ticks of the first and last record of a location, if they are known."""
        limit, ref = self._limits[location], self._refs[location]
        with open_reader(self._archive, [ref], groups) as reader:
            for step in reader.read(ref, min(_FIRST_RECORDS, limit.readable_count)):
                if limit.last_ticks is None or isinstance(step, LocationRead):
                    return None
                if len(step.times):
                    return int(step.times[0]), self._corrected(ref, limit.last_ticks)
        return None

    def _corrected(self, ref: int, ticks: int) -> int:
        """The last time of a location, as the decoder corrects it."""
        _, clock = self._archive.local_definitions(ref)
        if not len(clock.begin):
            return ticks
        interval = min(int(np.searchsorted(clock.end, ticks)), len(clock.end) - 1)
        since = float(ticks - int(clock.begin[interval]))
        change = round(float(clock.slope[interval]) * since)
        return ticks + int(clock.offset[interval]) + change

    def file_of(self, location: int) -> str:
        return str(self._archive.event_file(self._refs[location]))


class OpenArchive:
    """Open locations of an archive."""

    def __init__(self, reader: _Reader, refs: list[int]) -> None:
        self._reader, self._refs = reader, refs

    def feed(
        self, location: int, limit: int, walk: LocationWalk, report: Callable[[int], None],
        take_records: Callable[[RecordRows], None] = take_nothing, *, is_all: bool = False,
    ) -> LocationRead:  # fmt: skip
        """Read a location block by block through a walk that has begun; ends the walk."""
        for step in self._reader.read(self._refs[location], limit, is_all=is_all):
            if isinstance(step, LocationRead):
                walk.finish(take_records)
                return step
            walk.feed(step.times, step.kinds, step.refs, step.side, take_records)
            report(step.record_count)
        raise AssertionError("a reading ends with a LocationRead")

    def take_dropped(self) -> int:
        return self._reader.take_dropped()


def plain_look(
    archive: Archive, identifiers: Identifiers, limits: list[LocationState],
    report: Callable[[int], None], marks: SetupMarks | None = None,
) -> PlainSurveyor | None:  # fmt: skip
    """The faster survey of locations whose visits nest, if regions have small identifiers."""
    refs = np.array(identifiers["Region"].refs, np.int64)
    if len(refs) and refs.max() >= _MOST_REFS:
        return None
    regions = np.full(refs.max(initial=-1) + 1, NO_NODE, np.int32)
    regions[refs] = np.arange(len(refs), dtype=np.int32)
    return _PlainLook(archive, regions, limits, report, marks)


class _PlainLook:
    """Looks at locations of an archive, and grows their call trees."""

    def __init__(
        self, archive: Archive, regions: NDArray[np.int32], limits: list[LocationState],
        report: Callable[[int], None], marks: SetupMarks | None,
    ) -> None:  # fmt: skip
        self._archive, self._regions, self._marks = archive, regions, marks
        self._limits, self._report = limits, report
        self._refs = list(archive.definitions["Location"])

    def __call__(
        self, block: list[int], merge: Callable[[PathTree], NDArray[np.int32]]
    ) -> list[LocationSurvey | None]:
        """A survey per location, or None where visits do not nest."""
        refs, tree, found = [self._refs[number] for number in block], new_tree(), []
        with open_reader(self._archive, refs, frozenset(), only_structure=True) as reader:
            for number in block:
                survey, tree = self._look(reader, clear(tree, None), number)
                if survey is not None:
                    survey.numbers = merge(tree)
                    survey.is_plain = len(survey.numbers) == int(tree.size[0])
                found.append(survey)
        return found

    def _look(
        self, reader: _Reader, tree: PathTree, number: int
    ) -> tuple[LocationSurvey | None, PathTree]:
        """The survey of a location, and its tree in the memory of an empty one."""
        state = np.array([NO_NODE, 0, 0], np.int64)
        limit, marks = self._limits[number], self._marks and self._marks.empty()
        for step in reader.read(self._refs[number], limit.readable_count, is_all=not limit.problem):
            if isinstance(step, LocationRead):
                visits = int(state[nested.VISITS])
                return (
                    LocationSurvey(number, step.record_count, visits, step.error, marks=marks),
                    tree,
                )
            if marks:
                marks.add(step.times, step.kinds, step.refs)
            row = 0
            while row < len(step.kinds) and not state[nested.IS_IRREGULAR]:
                tree = reserve(tree, _SPARE_NODES)
                row = look_at_nested(step.kinds, step.refs, self._regions, tree, state, row)
            if state[nested.IS_IRREGULAR]:
                break
            self._report(step.record_count)
        return None, tree
