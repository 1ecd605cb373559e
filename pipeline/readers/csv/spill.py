"""Sorts records by location in temporary files, and reads them back."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as kinds
from tracemill.kernels import sorted_records as sorting
from tracemill.kernels.call_tree import PathTree, clear, new_tree, reserve
from tracemill.kernels.location_walk import LocationWalk
from tracemill.kernels.sorted_records import look_at_nested, sort_by_location
from tracemill.kernels.walk_state import RecordRows
from tracemill.readers.common.definitions import Definitions
from tracemill.readers.common.reading import LocationRead, take_nothing
from tracemill.readers.common.setup_marks import SetupMarks
from tracemill.readers.common.survey import LocationSurvey
from tracemill.readers.csv.rows import MORE_VALUES, Rows
from tracemill.store.failures import store_errors

CHUNK_ROWS = 1 << 21
"""Rows of a temporary file, which are sorted in memory."""
_MOST_VALUES = 255
_SPARE_NODES = 1024
_FOLLOWING = (kinds.ATTRIBUTE, MORE_VALUES)


Columns = tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint64]]


@dataclass(frozen=True)
class _Chunk:
    """A file of sorted records; `starts` are the first rows and arguments of each location."""

    file: Path
    starts: NDArray[np.int64]
    side_starts: NDArray[np.int64]

    def read(self, location: int, *, has_times: bool = True) -> Columns | None:
        """Times, kinds, references and arguments of a location; None if it has no rows here."""
        if location + 1 >= len(self.starts) or self.starts[location] == self.starts[location + 1]:
            return None
        first, last = self.starts[location : location + 2].tolist()
        side_first, side_last = self.side_starts[location : location + 2].tolist()
        rows, count = int(self.starts[-1]), last - first
        width = kinds.SIDE_WIDTH
        sides = side_last - side_first if has_times else 0
        side_at = 13 * rows + 8 * width * side_first
        with store_errors(self.file):
            return (
                np.fromfile(self.file, np.uint64, count if has_times else 0, offset=8 * first),
                np.fromfile(self.file, np.uint8, count, offset=12 * rows + first),
                np.fromfile(self.file, np.uint32, count, offset=8 * rows + 4 * first),
                np.fromfile(self.file, np.uint64, width * sides, offset=side_at).reshape(-1, width),
            )


@dataclass
class Spill:
    """Collects records and writes them to a folder in chunks sorted by location."""

    folder: Path
    chunks: list[_Chunk] = field(default_factory=list)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    _pending: list[Rows] = field(default_factory=list)
    _pending_rows: int = 0

    def add(self, rows: Rows) -> None:
        """Add records in the order of the file."""
        if self._pending_rows >= CHUNK_ROWS and not _begins_with_values(rows):
            self.flush()
        self._pending.append(rows)
        self._pending_rows += len(rows.kind)

    def flush(self) -> None:
        """Write the records added so far."""
        if not self._pending_rows:
            return
        parts, self._pending, self._pending_rows = self._pending, [], 0
        sorted_rows = _sort(parts)
        missing = max(sorted_rows.location_count - len(self.counts), 0)
        self.counts = np.append(self.counts, np.zeros(missing, np.int64))
        is_new = self.counts[: sorted_rows.location_count] == 0
        kept = _with_owners(sorted_rows, is_new)
        file = self.folder / f"records-{len(self.chunks):05d}"
        with store_errors(file):
            self.folder.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as out:
                for column in (kept.time, kept.ref, kept.kind, kept.side):
                    out.write(column.data)
        self.chunks.append(_Chunk(file, kept.starts, kept.side_starts))
        self.counts[: kept.location_count] += np.diff(kept.starts) - _count_attributes(kept)


class _Sorted(NamedTuple):
    """Records sorted by location; `starts` as in a chunk."""

    time: NDArray[np.int64]
    kind: NDArray[np.uint8]
    ref: NDArray[np.uint32]
    side: NDArray[np.uint64]
    starts: NDArray[np.int64]
    side_starts: NDArray[np.int64]

    @property
    def location_count(self) -> int:
        return len(self.starts) - 1


def _sort(parts: list[Rows]) -> _Sorted:
    location_count = max(int(part.location.max(initial=-1)) for part in parts) + 1
    starts, side_starts = np.zeros((2, location_count + 1), np.int64)
    for part in parts:
        starts[1:] += np.bincount(part.location, minlength=location_count)
        owners = part.location[part.kind > kinds.LEAVE]
        side_starts[1:] += np.bincount(owners, minlength=location_count)
    starts, side_starts = np.cumsum(starts), np.cumsum(side_starts)
    count = int(starts[-1])
    made = _Sorted(
        np.empty(count, np.int64), np.empty(count, np.uint8), np.empty(count, np.uint32),
        np.empty((int(side_starts[-1]), kinds.SIDE_WIDTH), np.uint64), starts, side_starts,
    )  # fmt: skip
    next_row, next_side = starts.copy(), side_starts.copy()
    for part in parts:  # the kernel is compiled for arrays that may be written
        sort_by_location(
            part.location, part.time.copy(), part.kind, part.ref, part.side, next_row, next_side,
            side_starts, made.time, made.kind, made.ref, made.side,
        )  # fmt: skip
    return made


def _count_attributes(rows: _Sorted) -> NDArray[np.int64]:
    """Attributes of each location, which are not counted as records."""
    found = np.flatnonzero(rows.kind == kinds.ATTRIBUTE)
    owners = np.searchsorted(rows.starts, found, side="right") - 1
    return np.bincount(owners, minlength=rows.location_count)


def _begins_with_values(rows: Rows) -> bool:
    """Whether the first row of a location belongs to an earlier record."""
    if not np.isin(rows.kind, _FOLLOWING).any():
        return False
    _, first = np.unique(rows.location, return_index=True)
    return bool(np.isin(rows.kind[first], _FOLLOWING).any())


def _with_owners(rows: _Sorted, is_new: NDArray[np.bool_]) -> _Sorted:
    """The records, with further values of counters as arguments of their record.

    An attribute without a record, or a repeated one, becomes an unknown record; such a value of a
    counter becomes a record of its own. `is_new` are locations without earlier records.
    """
    following = np.flatnonzero(np.isin(rows.kind, _FOLLOWING))
    if not len(following):
        return rows
    kind, is_kept = rows.kind, np.ones(len(rows.kind), np.bool_)
    locations = np.searchsorted(rows.starts, following, side="right") - 1
    is_first = is_new[locations] & (rows.starts[locations] == following)
    owner, last = -1, -1
    seen: set[int] = set()
    for row, location, is_orphan in zip(
        following.tolist(), locations.tolist(), is_first.tolist(), strict=True
    ):
        side = rows.side[rows.side_starts[location] :]
        which = int(side[rows.ref[row], 0])
        before = kind[row - 1] if row > rows.starts[location] else kinds.UNKNOWN
        is_next, last = row - 1 == last, row
        if kind[row] == kinds.ATTRIBUTE:
            seen = seen if is_next and before == kinds.ATTRIBUTE else set()
            kind[row] = kinds.UNKNOWN if is_orphan or which in seen else kinds.ATTRIBUTE
            seen.add(which)
            continue
        if not is_next and before == kinds.METRIC:
            owner, seen = row - 1, {int(side[rows.ref[row - 1], 0])}
        has_owner = before in (kinds.METRIC, MORE_VALUES)
        if not has_owner or which in seen or len(seen) == _MOST_VALUES:
            kind[row], owner, seen = kinds.METRIC, row, {which}
            continue
        seen.add(which)
        is_kept[row] = False
        side[rows.ref[owner], 4] = len(seen)
    left = np.concatenate([[0], np.cumsum(is_kept)])
    return rows._replace(
        time=rows.time[is_kept], kind=kind[is_kept], ref=rows.ref[is_kept], starts=left[rows.starts]
    )


class SpilledRecords:
    """Spilled records as RecordFiles; `numbers` are those of the locations in the chunks."""

    def __init__(
        self, path: Path, definitions: Definitions, spill: Spill, numbers: list[int]
    ) -> None:
        self.path, self.definitions = path, definitions
        self._spill, self._numbers = spill, numbers

    def file_of(self, location: int) -> str:
        return str(self.path)

    def ends_of(self, location: int, groups: frozenset[str]) -> tuple[int, int] | None:
        """Times of the first and last record of a location."""
        number = self._numbers[location]
        chunks = [found for chunk in self._spill.chunks if (found := chunk.read(number))]
        return (int(chunks[0][0][0]), int(chunks[-1][0][-1])) if chunks else None

    def open_locations(
        self, groups: frozenset[str], locations: list[int], *, only_structure: bool = False
    ) -> AbstractContextManager["SpilledRecords"]:
        """Open all locations; `feed` reads all records and the walk skips the others."""
        return nullcontext(self)

    def feed(
        self, location: int, limit: int, walk: LocationWalk, report: Callable[[int], None],
        take_records: Callable[[RecordRows], None] = take_nothing, *, is_all: bool = False,
    ) -> LocationRead:  # fmt: skip
        """Pass all records of a location to a walk."""
        total = 0
        for chunk in self._spill.chunks if limit else []:
            columns = chunk.read(self._numbers[location])
            if columns is not None:
                times, found, refs, side = columns
                if not len(side):
                    side = np.zeros((1, kinds.SIDE_WIDTH), np.uint64)
                walk.feed(times, found, refs, side, take_records)
                total += int(np.count_nonzero(found != kinds.ATTRIBUTE))
                report(len(found))
        walk.finish(take_records)
        return LocationRead(total)

    def take_dropped(self) -> int:
        return 0

    def survey_plain(
        self, block: list[int], merge: Callable[[PathTree], NDArray[np.int32]], *,
        regions: NDArray[np.int32], report: Callable[[int], None],
        marks: SetupMarks | None = None,
    ) -> list[LocationSurvey | None]:  # fmt: skip
        """Survey locations faster than the general walk; None where visits do not nest."""
        tree = new_tree()
        found: list[LocationSurvey | None] = []
        for location in block:
            number = self._numbers[location]
            own = marks and marks.empty()
            tree, state = self._grow_tree(number, regions, clear(tree, None), report, own)
            if state[sorting.IS_IRREGULAR]:
                found.append(None)
                continue
            count = int(self._spill.counts[number]) if number < len(self._spill.counts) else 0
            visits = int(state[sorting.VISITS])
            survey = LocationSurvey(location, count, visits, "", marks=own)
            survey.numbers, node_count = merge(tree), int(tree.size[0])
            survey.is_plain = len(survey.numbers) == node_count
            found.append(survey)
        return found

    def _grow_tree(
        self, number: int, regions: NDArray[np.int32], tree: PathTree,
        report: Callable[[int], None], marks: SetupMarks | None,
    ) -> tuple[PathTree, NDArray[np.int64]]:  # fmt: skip
        state = np.array([-1, 0, 0], np.int64)
        for chunk in self._spill.chunks:
            columns = chunk.read(number, has_times=marks is not None)
            row, count = 0, len(columns[1]) if columns else 0
            if columns and marks:
                marks.add(*columns[:3])
            while columns and row < count and not state[sorting.IS_IRREGULAR]:
                tree = reserve(tree, _SPARE_NODES)
                row = look_at_nested(columns[1], columns[2], regions, tree, state, row)
            report(count)
        return tree, state
