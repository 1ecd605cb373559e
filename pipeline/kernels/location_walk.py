"""The pass over locations: manages its state and the size of its columns."""

from collections.abc import Callable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import walk_state as ws
from tracemill.kernels.call_tree import PathTree, clear, index_nodes, new_tree, reserve
from tracemill.kernels.clock_replay import Clocks
from tracemill.kernels.columns import each, empty, with_room
from tracemill.kernels.corrected_times import CorrectedTimes
from tracemill.kernels.known_tree import LAYOUT_COLUMNS, know
from tracemill.kernels.plain_walk import walk_plain
from tracemill.kernels.profile import TOTAL_COLUMNS, ProfileRows, begin_totals, profile_of
from tracemill.kernels.record_gaps import RecordGaps
from tracemill.kernels.records import SIDE_WIDTH
from tracemill.kernels.visit_sums import VisitSums
from tracemill.kernels.visits import close_walk, walk_records
from tracemill.kernels.walk_state import (
    Code,
    Forks,
    Frames,
    RecordRows,
    Suspended,
    Teams,
    VisitRows,
    WalkState,
)

_FRAME_ROOM, _FORK_ROOM, _SUSPENDED_ROOM, _TEAM_ROOM = 64, 64, 256, 256
_VISIT_ROOM = 1 << 17
"""Visits per block: one row group of the store."""
_RECORD_ROOM = 1 << 16
_MANY_RECORDS = _RECORD_ROOM // 2
_OUT_OF_THE_ORDINARY = 1 << 12
"""Number of records that the general walk takes over from the plain one."""
_SPARE_FRAMES, _SPARE_NODES = 64, 1024
AS_RECORDED: Clocks = MappingProxyType({})
"""The correction of no location."""
_NO_NUMBERS = np.empty(0, np.int32)
_NO_LAYOUT = np.zeros((1, LAYOUT_COLUMNS), np.int32)
_ZERO_AT_FIRST = [
    ws.NEXT_VISIT, ws.NOW, ws.SEQUENCE, ws.RECORD_ROWS,
    ws.FORKS, ws.TEAM_DEPTH, ws.AWAITS_TEAM, ws.IN_TASK, ws.SUSPENDED,
    ws.FIRST_NS, ws.HAS_RECORDS, ws.WRITES_ROWS, ws.OPEN_VISITS,
    ws.WORKS_IN_TEAMS, ws.FREE, ws.OPEN_FORKS, ws.CUTS,
    ws.OUTSIDE, *range(ws.MISMATCHED, ws.LOST_NODES + 1),
]  # fmt: skip


TakeVisits = Callable[[VisitRows, NDArray[np.int32] | None], None]
"""Takes visits, and how many visits each row stands for if visits are summed."""


Watch = Callable[[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint32]], None]


def _drop(rows: VisitRows, counts: NDArray[np.int32] | None) -> None:
    """Ignore visits; without a canonical tree there are none."""


def no_teams() -> Teams:
    """No forks."""
    return empty(Teams, 0)


class LocationWalk:
    """The pass over one location at a time; the next location reuses its memory.

    With a `canonical` tree the pass writes rows; without, it only grows a call tree and finds
    forks. Blocks of visits may contain several locations. Records outside the `possible_times` (ns)
    are counted, and get the time of the record before. `clocks` are the corrections of locations.
    With `sums`, visits of user functions are summed before they are passed on.
    """

    def __init__(
        self,
        code: Code,
        canonical: PathTree | None = None,
        take_visits: TakeVisits = _drop,
        *,
        possible_times: tuple[int, int] = (-ws.ANY_TIME, ws.ANY_TIME),
        clocks: Clocks = AS_RECORDED,
        sums: VisitSums | None = None,
    ) -> None:
        self._possible_times, self._clocks = possible_times, clocks
        self._corrected: list[CorrectedTimes] = []
        self._code, self._writes_rows = code, canonical is not None
        self._canonical = canonical or new_tree()
        self._tree, self._calls = new_tree(), new_tree()
        self._totals = np.empty((0, TOTAL_COLUMNS), np.int64)
        self._frames = empty(Frames, _FRAME_ROOM)
        self._take_visits, self._sums = take_visits, sums
        self._cuts = np.empty((0, 2), np.int64)
        self.watch: Watch | None = None
        """Gets the records of the next location as they are recorded."""
        self._visits = empty(VisitRows, _VISIT_ROOM if self._writes_rows else 0)
        self._records = empty(
            RecordRows, _RECORD_ROOM if self._writes_rows else 0, arguments=SIDE_WIDTH
        )
        self._forks = empty(Forks, _FORK_ROOM)
        self._suspended = empty(Suspended, _SUSPENDED_ROOM)
        self._team_stack = np.empty(_TEAM_ROOM, np.int64)
        self._teams, self._numbers = no_teams(), _NO_NUMBERS
        self._has_worked = np.zeros(0, np.bool_)
        self._is_plain = self._is_indexed = False
        self._layout, self._depth_first = _NO_LAYOUT, _NO_NUMBERS
        self.state = np.zeros(ws.STATE_SLOTS, np.int64)
        self.gaps = RecordGaps(0)

    def begin(
        self, location: int, *, first_visit: int, teams: Teams, prefixes: PathTree | None = None,
        numbers: NDArray[np.int32] = _NO_NUMBERS, is_plain: bool = False, record_count: int = 0,
    ) -> None:  # fmt: skip
        """Begin a location; `teams` refer to nodes of `prefixes`.

        `numbers` are the known canonical numbers of its nodes in order of appearance. In a plain
        location visits nest, there are no threads and tasks, and all nodes are known. A pass that
        writes rows needs the `record_count`.
        """
        visits = self.state[ws.VISIT_ROWS]
        self.state = np.full(ws.STATE_SLOTS, ws.NONE, np.int64)
        self.state[_ZERO_AT_FIRST] = 0
        self.state[ws.VISIT_ROWS] = visits
        if self._sums:
            self._sums.begin(int(visits))
        self.state[ws.WRITES_ROWS] = self._writes_rows
        self.state[ws.NEXT_VISIT] = self._first_visit = first_visit
        self.state[ws.LOCATION] = location
        self.state[[ws.EARLIEST, ws.LATEST]] = self._possible_times
        self._teams, self._numbers = teams, numbers
        self._corrected, code = [], self._code
        for knots in self._clocks.get(location, ()):
            self._corrected.append(CorrectedTimes(knots, code))
            code = self._corrected[-1].code
            self.state[ws.LATEST] = max(self.state[ws.LATEST], knots.new[-1])
        self._has_worked = np.zeros(len(teams.team), np.bool_)
        self._is_plain, self._is_indexed = is_plain, False
        if is_plain:
            self._tree, self._layout, self._depth_first = know(
                self._tree, self._canonical, numbers, _SPARE_NODES
            )
        else:
            self._tree = clear(self._tree, prefixes)
        self._grow_totals()
        if self._writes_rows:
            self.gaps = RecordGaps(record_count)
            begin_totals(self._totals, int(self._tree.size[0]))
        _chain(self._frames.above, 0, ws.NONE)

    def feed(
        self,
        times: NDArray[np.uint64],
        kinds: NDArray[np.uint8],
        refs: NDArray[np.uint32],
        side: NDArray[np.uint64],
        take_records: Callable[[RecordRows], None],
    ) -> None:
        """Walk over a chunk of records, and pass on blocks of rows."""
        row, code = 0, self._code
        if self.watch is not None:
            self.watch(times, kinds, refs)
        for corrected in self._corrected:
            code = corrected.code
            times, side = corrected.correct(self.state, times, kinds, refs, side)
        if self._writes_rows:
            self.gaps.add(times, kinds, code.clock)
        while row < len(kinds):
            self._make_room()
            walk, before, end = self._walk(), row, len(kinds)
            if self._is_plain:
                row = walk_plain(walk, code, times, kinds, refs, side, row)
                end = min(row + _OUT_OF_THE_ORDINARY, end)
            if row == before:
                self._index_nodes()
                row = walk_records(walk, self._teams, code, times, kinds[:end], refs, side, row)
            self._hand_over_full_visits()
            if self.state[ws.RECORD_ROWS] > _MANY_RECORDS:
                take_records(self._ready_records())

    def _index_nodes(self) -> None:
        """Fill the hash map of a plain location for the general walk."""
        if self._is_plain and not self._is_indexed:
            index_nodes(self._tree)
            self._is_indexed = True

    def finish(self, take_records: Callable[[RecordRows], None]) -> None:
        """Close open visits, and pass on all records."""
        state = self.state
        if state[ws.OPEN_VISITS] or state[ws.IN_TASK] or state[ws.SUSPENDED] or state[ws.FORKS]:
            self._hand_over_full_visits()
            self._make_room(fragments=int(state[ws.SUSPENDED]))
            close_walk(self._walk(), self._teams)
        if self._sums:
            self._sum_up(self._sums, is_last=True)
        take_records(self._ready_records())

    def _hand_over_full_visits(self) -> None:
        """Pass on visits if there may be no room for the open ones, even if they are summed."""
        room = len(self._visits.visit)
        if self.state[ws.VISIT_ROWS] + self.state[ws.OPEN_VISITS] < room:
            return
        if self._sums:
            self._sum_up(self._sums)
            room //= 2
        if self.state[ws.VISIT_ROWS] + self.state[ws.OPEN_VISITS] >= room:
            self.hand_over_visits()

    def _sum_up(self, sums: VisitSums, *, is_last: bool = False) -> None:
        sums.make_room(len(self._visits.visit))
        sums.sum_up(self._visits, self.state, self._cuts, is_last=is_last)

    def hand_over_visits(self) -> None:
        """Pass on the closed visits; their columns are not reused."""
        count = int(self.state[ws.VISIT_ROWS])
        if count:
            rows, self._visits = self._visits, empty(VisitRows, _VISIT_ROOM)
            self.state[ws.VISIT_ROWS] = 0
            counts = self._sums.hand_over(count) if self._sums else None
            self._take_visits(each(rows, lambda column: column[:count]), counts)

    def _walk(self) -> WalkState:
        return WalkState(
            self.state, self._tree, self._totals, self._layout, self._canonical, self._numbers,
            self._frames, self._visits, self._records, self._forks, self._suspended,
            self._team_stack, self._has_worked, self._cuts,
        )  # fmt: skip

    def _make_room(self, *, fragments: int = 0) -> None:
        """Make room for more records of any kind (see `visits.walk_records`)."""
        state = self.state
        self._forks = with_room(self._forks, int(state[ws.FORKS]) + 1)
        self._suspended = with_room(self._suspended, int(state[ws.SUSPENDED]) + 2)
        before = len(self._frames.above)
        if state[ws.OPEN_VISITS] + _SPARE_FRAMES > before:
            self._frames = with_room(self._frames, before + _SPARE_FRAMES)
            _chain(self._frames.above, before, int(state[ws.FREE]))
            state[ws.FREE] = before
        if self._writes_rows:
            waiting = int(state[ws.RECORD_ROWS]) + ws.MOST_NEW_ROWS
            self._visits = with_room(self._visits, int(state[ws.OPEN_VISITS]) + 1)
            if self._sums and len(self._cuts) <= len(self._visits.visit):
                cuts = np.empty((2 * len(self._visits.visit), 2), np.int64)
                cuts[: len(self._cuts)] = self._cuts
                self._cuts = cuts
            self._records = with_room(self._records, waiting + fragments)
        self._tree = reserve(self._tree, _SPARE_NODES)
        self._grow_totals()

    def _grow_totals(self) -> None:
        before, room = len(self._totals), len(self._tree.parent)
        if self._writes_rows and room > before:
            grown = np.empty((room, TOTAL_COLUMNS), np.int64)
            grown[:before] = self._totals
            self._totals = grown

    @property
    def tree(self) -> PathTree:
        """The call tree of the location; the next location overwrites it."""
        return self._tree

    @property
    def forks(self) -> Forks:
        """Copies of the location's forks."""
        count = int(self.state[ws.FORKS])
        return each(self._forks, lambda column: column[:count].copy())

    @property
    def visit_count(self) -> int:
        return int(self.state[ws.NEXT_VISIT]) - self._first_visit

    @property
    def moved_count(self) -> int:
        """Number of records whose time was corrected first."""
        return self._corrected[0].moved_count if self._corrected else 0

    def profile(self) -> ProfileRows:
        """Time and visits of the call paths of a finished location."""
        roots, order = len(self._code.call) - 2, self._depth_first
        if not self._is_plain:
            numbers = self._tree.number[: int(self._tree.size[0])]
            order = numbers.argsort(kind="stable").astype(np.int32)
        rows, self._calls = profile_of(
            self._tree, self._code.region_of, order, self._totals, self._calls, roots
        )
        return rows

    def _ready_records(self) -> RecordRows:
        """Copies of the records before the first with an open call; removes them."""
        count = int(self.state[ws.RECORD_ROWS])
        is_open = self._records.leave[:count] == ws.PENDING
        ready = int(is_open.argmax()) if is_open.any() else count
        drained = each(self._records, lambda column: column[:ready].copy())
        if ready < count:
            for column in self._records:
                column[: count - ready] = column[ready:count].copy()
        self._shift_links(ready, count - ready)
        self.state[ws.RECORD_ROWS] = count - ready
        return drained

    def _shift_links(self, dropped: int, kept: int) -> None:
        for links in (self._records.previous[:kept], self._frames.record):
            links -= dropped
            links[links < 0] = ws.NONE


def _chain(above: NDArray[np.int32], first: int, last: int) -> None:
    """Link the frames from `first` on as free frames."""
    above[first:] = np.arange(first + 1, len(above) + 1)
    above[-1] = last
