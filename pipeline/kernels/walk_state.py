"""The state and columns of the pass over a location, and the facts of the trace that it needs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.call_tree import PathTree

TASK_FRAGMENT = 127
"""Kind of the row of an interval in which a task ran."""

# Slots of the state.
TOP, FREE, NEXT_VISIT, NOW, SEQUENCE = 0, 1, 2, 3, 4
BASE_NODE, BASE_TEAM, BASE_BEGIN = 5, 6, 7
VISIT_ROWS, RECORD_ROWS, FORKS = 8, 9, 10
TEAM_DEPTH, PENDING_TEAM, AWAITS_TEAM, OPEN_FORKS = 11, 12, 13, 14
IN_TASK, TASK_TEAM, TASK_THREAD, TASK_NUMBER = 15, 16, 17, 18
TASK_SCHEDULER, TASK_BEGIN, TASK_STUB, TASK_IS_FIRST = 19, 20, 21, 22
SUSPENDED = 23
MPI_BEGIN, RMA_BEGIN = 24, 25
LAST_VISIT, LAST_NODE, FIRST_NS, HAS_RECORDS = 26, 27, 28, 29
MISMATCHED, REVERSALS, IMPOSSIBLE, UNKNOWNS, UNCLOSED, LOST_NODES = 30, 31, 32, 33, 34, 35
WRITES_ROWS, LOCATION, OPEN_VISITS, WORKS_IN_TEAMS = 36, 37, 38, 39
EARLIEST, LATEST, OUTSIDE = 40, 41, 42
CUTS = 43
STATE_SLOTS = 44

NONE = -1
LAST_TIME, ANY_TIME = np.iinfo(np.int64).max, 1 << 61
"""The largest time, and the default limit of the distance of times from zero (ns)."""
USER_CODE, CONSTRUCT, LIBRARY_CALL = 0, 1, 2
"""Roles of regions. The row of a record waits for the end of a library call, but not of a
construct, which may contain any number of records."""
MOST_NEW_NODES = 4
"""Limit of the nodes that one record adds: a root, a visit and the stub of a task."""
MOST_NEW_ROWS = 260
"""Limit of the rows that one record adds: 255 counter values, an interval of a task."""
PENDING = np.iinfo(np.int64).max
MOST_TEAMS = 256


class Frames(NamedTuple):
    """Open visits; `above` is the frame of the caller, or the next free frame."""

    above: NDArray[np.int32]
    node: NDArray[np.int32]
    region: NDArray[np.int32]
    team: NDArray[np.int32]
    visit: NDArray[np.int64]
    enter: NDArray[np.int64]
    exclusive: NDArray[np.int64]
    record: NDArray[np.int64]


class VisitRows(NamedTuple):
    """Closed visits, in the order of their ends."""

    location: NDArray[np.int32]
    visit: NDArray[np.int64]
    parent: NDArray[np.int64]
    node: NDArray[np.int32]
    region: NDArray[np.int32]
    enter: NDArray[np.int64]
    leave: NDArray[np.int64]
    exclusive: NDArray[np.int64]
    is_closed: NDArray[np.bool_]


class RecordRows(NamedTuple):
    """Records other than enter and leave; `leave` is PENDING while their call is open.

    `previous` links the records of an open call.
    """

    kind: NDArray[np.uint8]
    sequence: NDArray[np.int64]
    time: NDArray[np.int64]
    visit: NDArray[np.int64]
    node: NDArray[np.int32]
    enter: NDArray[np.int64]
    leave: NDArray[np.int64]
    begin: NDArray[np.int64]
    previous: NDArray[np.int64]
    arguments: NDArray[np.uint64]


class Forks(NamedTuple):
    """Forks of the location: time, node, and the team that the location works in.

    The join of a fork without join is the last time of the location.
    """

    fork: NDArray[np.int64]
    join: NDArray[np.int64]
    is_joined: NDArray[np.bool_]
    node: NDArray[np.int32]
    team: NDArray[np.int64]
    base_team: NDArray[np.int64]
    base_begin: NDArray[np.int64]


class Teams(NamedTuple):
    """All forks of the process, sorted by team, then by fork time.

    `is_over`: the fork has joined, but later forks may be missing, because its location was not
    read to the end.
    """

    team: NDArray[np.int64]
    fork: NDArray[np.int64]
    join: NDArray[np.int64]
    node: NDArray[np.int32]
    location: NDArray[np.int32]
    number: NDArray[np.int64]
    is_over: NDArray[np.bool_]


class Code(NamedTuple):
    """Regions and clock of the trace.

    `refs` are the sorted identifiers of regions in the trace, `ids` their canonical numbers.
    `context_refs` and `context_ids` are the same for calling contexts. `call` is USER_CODE,
    CONSTRUCT or LIBRARY_CALL. `clock` is (offset, resolution). The artificial regions for
    impossible ids, TASKS and THREADS follow the real ones.

    Call trees contain callees: regions, and above them regions at a known call site. `region_of` is
    the region of each callee; calling contexts are callees. `site_attributes` are the identifiers
    of attributes that give the call site of an enter; `source_refs` and `source_ids` number its
    values, and `site_keys` are (region << 32 | number) of the callees with a site, sorted.
    """

    refs: NDArray[np.uint32]
    ids: NDArray[np.int32]
    call: NDArray[np.int8]
    is_parallel: NDArray[np.bool_]
    context_refs: NDArray[np.uint32]
    context_ids: NDArray[np.int32]
    clock: NDArray[np.int64]
    region_of: NDArray[np.int32]
    site_attributes: NDArray[np.uint32]
    source_refs: NDArray[np.uint32]
    source_ids: NDArray[np.int32]
    site_keys: NDArray[np.int64]


class Suspended(NamedTuple):
    """Suspended tasks: key, frame on top, scheduler and stub."""

    team: NDArray[np.int64]
    thread: NDArray[np.int64]
    number: NDArray[np.int64]
    top: NDArray[np.int64]
    scheduler: NDArray[np.int64]
    stub: NDArray[np.int64]


class WalkState(NamedTuple):
    """Everything that the pass over a location changes, and the canonical tree.

    Visits are looked up in the small tree of the location, whose nodes have canonical numbers; the
    tree of the whole trace may not fit into the cache. `totals` is the profile of its nodes
    (profile.py), `layout` the layout of a known tree (known_tree.py). `numbers` are the canonical
    numbers of other trees, in order of appearance. `has_worked` is true for forks of the process
    for which the location has worked. `cuts` are places that sums of visits do not reach across
    (visit_sums.py): a row of `visits`, and the first visit after it; without room for all rows, no
    visits are summed.
    """

    state: NDArray[np.int64]
    tree: PathTree
    totals: NDArray[np.int64]
    layout: NDArray[np.int32]
    canonical: PathTree
    numbers: NDArray[np.int32]
    frames: Frames
    visits: VisitRows
    records: RecordRows
    forks: Forks
    suspended: Suspended
    team_stack: NDArray[np.int64]
    has_worked: NDArray[np.bool_]
    cuts: NDArray[np.int64]
