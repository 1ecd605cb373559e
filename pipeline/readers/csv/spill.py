"""Records sorted by location, outside of memory, and read back location by location."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

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
from tracemill.readers.common.survey import LocationSurvey
from tracemill.readers.csv.rows import MORE_VALUES, Rows
from tracemill.store.failures import told_as_store_error

CHUNK_ROWS = 1 << 21
"""Rows that are sorted at a time."""
_MOST_VALUES = 255
_SPARE_NODES = 1024
_FOLLOWING = (kinds.ATTRIBUTE, MORE_VALUES)


Columns = tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint64]]


@dataclass(frozen=True)
class _Chunk:
    """A file of sorted records; where each location's rows and arguments begin."""

    file: Path
    starts: NDArray[np.int64]
    side_starts: NDArray[np.int64]

    def read(self, place: int, *, has_times: bool = True) -> Columns | None:
        """Times, kinds, references and arguments of a location; nothing if it has no rows here."""
        if place + 1 >= len(self.starts) or self.starts[place] == self.starts[place + 1]:
            return None
        first, last = int(self.starts[place]), int(self.starts[place + 1])
        rows, count = int(self.starts[-1]), last - first
        side, sides = int(self.side_starts[place]), int(self.side_starts[place + 1])
        with told_as_store_error(self.file), self.file.open("rb") as file:
            times = _read(file, np.uint64, 8 * first, count if has_times else 0)
            refs = _read(file, np.uint32, 8 * rows + 4 * first, count)
            found = _read(file, np.uint8, 12 * rows + first, count)
            width = sides - side if has_times else 0
            side_at = 13 * rows + 8 * kinds.SIDE_WIDTH * side
            wide = _read(file, np.uint64, side_at, kinds.SIDE_WIDTH * width)
        return times, found, refs, wide.reshape(-1, kinds.SIDE_WIDTH)


def _read(file: BinaryIO, dtype: Any, offset: int, count: int) -> NDArray[Any]:
    file.seek(offset)
    return np.fromfile(file, dtype, count)


@dataclass
class Spill:
    """Collects records, sorts them by location, a chunk at a time, and writes them to a folder."""

    folder: Path
    chunks: list[_Chunk] = field(default_factory=list)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    _pending: list[Rows] = field(default_factory=list)
    _pending_rows: int = 0

    def add(self, rows: Rows) -> None:
        """Take over some records, in the order of the file."""
        if self._pending_rows >= CHUNK_ROWS and not _begins_with_values(rows):
            self.flush()
        self._pending.append(rows)
        self._pending_rows += len(rows.kind)

    def flush(self) -> None:
        """Write what was added so far."""
        if not self._pending_rows:
            return
        parts, self._pending, self._pending_rows = self._pending, [], 0
        sorted_rows = _sort(parts)
        self._grow(sorted_rows.places)
        is_new = self.counts[: sorted_rows.places] == 0
        kept = _with_owners(sorted_rows, is_new)
        file = self.folder / f"records-{len(self.chunks):05d}"
        with told_as_store_error(file):
            self.folder.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as out:
                for column in (kept.time, kept.ref, kept.kind, kept.side):
                    out.write(column.data)
        self.chunks.append(_Chunk(file, kept.starts, kept.side_starts))
        self.counts[: kept.places] += np.diff(kept.starts) - _count_attributes(kept)

    def _grow(self, places: int) -> None:
        if places > len(self.counts):
            self.counts = np.append(self.counts, np.zeros(places - len(self.counts), np.int64))


class _Sorted(NamedTuple):
    """Records sorted by location; where those of each location, and their arguments, begin."""

    time: NDArray[np.int64]
    kind: NDArray[np.uint8]
    ref: NDArray[np.uint32]
    side: NDArray[np.uint64]
    starts: NDArray[np.int64]
    side_starts: NDArray[np.int64]

    @property
    def places(self) -> int:
        return len(self.starts) - 1


def _sort(parts: list[Rows]) -> _Sorted:
    places = max(int(part.location.max(initial=-1)) for part in parts) + 1
    starts, side_starts = np.zeros(places + 1, np.int64), np.zeros(places + 1, np.int64)
    for part in parts:
        starts[1:] += np.bincount(part.location, minlength=places)
        owners = part.location[part.kind > kinds.LEAVE]
        side_starts[1:] += np.bincount(owners, minlength=places)
    starts, side_starts = np.cumsum(starts), np.cumsum(side_starts)
    count = int(starts[-1])
    made = _Sorted(
        np.empty(count, np.int64), np.empty(count, np.uint8), np.empty(count, np.uint32),
        np.empty((int(side_starts[-1]), kinds.SIDE_WIDTH), np.uint64), starts, side_starts,
    )  # fmt: skip
    place, side_place = starts.copy(), side_starts.copy()
    for part in parts:  # the kernel is compiled for arrays that may be written
        sort_by_location(
            part.location, part.time.copy(), part.kind, part.ref, part.side, place, side_place,
            side_starts, made.time, made.kind, made.ref, made.side,
        )  # fmt: skip
    return made


def _count_attributes(rows: _Sorted) -> NDArray[np.int64]:
    """Attributes of each location; they are no records of their own."""
    found = np.flatnonzero(rows.kind == kinds.ATTRIBUTE)
    owners = np.searchsorted(rows.starts, found, side="right") - 1
    return np.bincount(owners, minlength=rows.places)


def _begins_with_values(rows: Rows) -> bool:
    """Whether for some location the first row belongs to a record that came before."""
    if not np.isin(rows.kind, _FOLLOWING).any():
        return False
    _, first = np.unique(rows.location, return_index=True)
    return bool(np.isin(rows.kind[first], _FOLLOWING).any())


def _with_owners(rows: _Sorted, is_new: NDArray[np.bool_]) -> _Sorted:
    """The records without further values of counters, which become arguments of their record.

    A value without the record it should belong to is an unknown record, one of a counter a
    record of its own; likewise a further value of the same attribute, or counter. `is_new` are
    locations without earlier records.
    """
    following = np.flatnonzero(np.isin(rows.kind, _FOLLOWING))
    if not len(following):
        return rows
    kind, is_kept = rows.kind, np.ones(len(rows.kind), np.bool_)
    places = np.searchsorted(rows.starts, following, side="right") - 1
    is_first = is_new[places] & (rows.starts[places] == following)
    owner, last = -1, -1
    seen: set[int] = set()
    for row, place, is_orphan in zip(
        following.tolist(), places.tolist(), is_first.tolist(), strict=True
    ):
        side = rows.side[rows.side_starts[place] :]
        which = int(side[rows.ref[row], 0])
        before = kind[row - 1] if row > rows.starts[place] else kinds.UNKNOWN
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
    """Spilled records as RecordFiles; `places` are the places of the locations."""

    def __init__(
        self, path: Path, definitions: Definitions, spill: Spill, places: list[int]
    ) -> None:
        self.path, self.definitions = path, definitions
        self._spill, self._places = spill, places

    def file_of(self, location: int) -> str:
        return str(self.path)

    def open_locations(
        self, groups: frozenset[str], locations: list[int], *, only_structure: bool = False
    ) -> AbstractContextManager["SpilledRecords"]:
        """All records are fed, whatever is wanted: the walk leaves out the others itself."""
        return nullcontext(self)

    def feed(
        self, location: int, limit: int, walk: LocationWalk, report: Callable[[int], None],
        take_records: Callable[[RecordRows], None] = take_nothing, *, is_all: bool = False,
    ) -> LocationRead:  # fmt: skip
        """All records of a location through a walk."""
        total = 0
        for chunk in self._spill.chunks if limit else []:
            columns = chunk.read(self._places[location])
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

    def look_at_nested(
        self, block: list[int], merge: Callable[[PathTree], NDArray[np.int32]], *,
        regions: NDArray[np.int32], report: Callable[[int], None],
    ) -> list[LocationSurvey | None]:  # fmt: skip
        """Look at locations faster than the general walk; None where visits do not nest."""
        tree = new_tree()
        found: list[LocationSurvey | None] = []
        for location in block:
            tree, state = self._look(self._places[location], regions, clear(tree, None), report)
            if state[sorting.IS_IRREGULAR]:
                found.append(None)
                continue
            place = self._places[location]
            count = int(self._spill.counts[place]) if place < len(self._spill.counts) else 0
            visits = int(state[sorting.VISITS])
            numbers, nodes = merge(tree), int(tree.size[0])
            is_plain = len(numbers) == nodes
            found.append(
                LocationSurvey(location, count, visits, "", is_plain=is_plain, numbers=numbers)
            )
        return found

    def _look(
        self, place: int, regions: NDArray[np.int32], tree: PathTree,
        report: Callable[[int], None],
    ) -> tuple[PathTree, NDArray[np.int64]]:  # fmt: skip
        state = np.array([-1, 0, 0], np.int64)
        for chunk in self._spill.chunks:
            columns = chunk.read(place, has_times=False)
            row, count = 0, len(columns[1]) if columns else 0
            while columns and row < count and not state[sorting.IS_IRREGULAR]:
                tree = reserve(tree, _SPARE_NODES)
                row = look_at_nested(columns[1], columns[2], regions, tree, state, row)
            report(count)
        return tree, state
