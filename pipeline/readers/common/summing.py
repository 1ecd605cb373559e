"""Sums of visits for the level of detail `calls`, made while a trace is read."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import walk_state as ws
from tracemill.kernels.clock_replay import Clocks, Knots
from tracemill.kernels.corrected_times import CorrectedTimes
from tracemill.kernels.records import ENTER, SIDE_WIDTH
from tracemill.kernels.timeline_walk import choose_grid
from tracemill.kernels.visit_sums import Summing
from tracemill.kernels.walk_state import Code
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.reading import RecordFiles
from tracemill.readers.common.survey import Survey
from tracemill.schemas.columns import PARADIGMS
from tracemill.schemas.definitions import REGION_ROLES

_USER_PARADIGMS = tuple(map(PARADIGMS.index, ("user", "compiler", "sampling")))
_USER_ROLES = tuple(map(REGION_ROLES.index, ("unknown", "function", "wrapper", "loop", "code")))
_OPENMP = PARADIGMS.index("openmp")
_WORK_SHARING = tuple(
    map(
        REGION_ROLES.index,
        ("parallel", "loop", "sections", "section", "workshare", "single", "master", "task",
         "task_untied", "code"),
    )
)  # fmt: skip
_ARTIFICIAL = [False, False, False]
_SECOND = 1_000_000_000
_LATE = 1 << 60
"""Position of a record that is after all of the same time."""


def summing_of(
    files: RecordFiles, identifiers: Identifiers, code: Code, survey: Survey, clocks: Clocks
) -> Summing:
    """Visits of user functions are summed, between the edges of bins of time.

    Call paths have a kind by the number of locations that visit them, if they are computation: who
    loses time while others compute depends on it.
    """
    regions = [values[3:5] for values in identifiers.definitions["Region"].values()]
    is_user = [role in _USER_ROLES and paradigm in _USER_PARADIGMS for role, paradigm in regions]
    is_work = [role in _WORK_SHARING and paradigm == _OPENMP for role, paradigm in regions]
    count = int(survey.tree.size[0])
    region = code.region_of[survey.tree.region[:count]]
    is_summed = np.array(is_user + _ARTIFICIAL)[region]
    kind = _count_visitors(survey, count)
    kind[~(is_summed | np.array(is_work + _ARTIFICIAL)[region])] = 0
    ends = list(_ends(files, identifiers.present, code, survey, clocks))
    edges = np.union1d(_edges(ends, survey), _limits_of_main_part(code, survey, clocks))
    return Summing(survey.tree.parent[:count].copy(), kind, is_summed, edges)


def _count_visitors(survey: Survey, count: int) -> NDArray[np.int32]:
    """The number of locations with each call path; 1 if it is not known for all locations."""
    visitors = np.zeros(count, np.int32)
    for found in survey.locations:
        if found.visit_count and not len(found.numbers):
            return np.ones(count, np.int32)
        visitors[found.numbers] += 1
    return visitors


def _limits_of_main_part(code: Code, survey: Survey, clocks: Clocks) -> NDArray[np.int64]:
    """The last leave of MPI_Init and the first enter of MPI_Finalize, if any."""
    leaves, enters = [], []
    for found in survey.locations:
        own = clocks.get(found.location, ())
        if found.marks and found.marks.init_leave is not None:
            leaves.append(_corrected(found.marks.init_leave, _LATE, code, own))
        if found.marks and found.marks.finalize_enter is not None:
            enters.append(_corrected(found.marks.finalize_enter, _LATE, code, own))
    limits = [max(leaves)] if leaves else []
    return np.array(limits + ([min(enters)] if enters else []), np.int64)


def _edges(times: list[int], survey: Survey) -> NDArray[np.int64]:
    """Edges of the finest bins of the timeline."""
    if not times:
        return np.zeros(0, np.int64)
    begin, end = min(times), max(times)
    visits = sum(found.visit_count for found in survey.locations)
    _, width = choose_grid(begin, end, len(survey.locations), visits, is_summed=True)
    return np.arange(begin, end, width)


def _ends(
    files: RecordFiles, groups: frozenset[str], code: Code, survey: Survey, clocks: Clocks
) -> Iterator[int]:
    """Times of the first and last record of each location (ns)."""
    for found in survey.locations:
        ticks = files.ends_of(found.location, groups) if found.record_count else None
        for tick, sequence in zip(ticks or (), (0, found.record_count - 1), strict=False):
            time = _corrected(tick, sequence, code, clocks.get(found.location, ()))
            if survey.possible_times[0] <= time <= survey.possible_times[1]:
                yield time


def _corrected(ticks: int, sequence: int, code: Code, clocks: tuple[Knots, ...]) -> int:
    """The time of a record after the corrections of its location (ns)."""
    state = np.zeros(ws.STATE_SLOTS, np.int64)
    state[[ws.SEQUENCE, ws.EARLIEST, ws.LATEST]] = sequence, -ws.ANY_TIME, ws.ANY_TIME
    times = np.array([ticks], np.uint64)
    kinds, refs = np.array([ENTER], np.uint8), np.zeros(1, np.uint32)
    side = np.zeros((1, SIDE_WIDTH), np.uint64)
    for knots in clocks:
        corrected = CorrectedTimes(knots, code)
        times, _ = corrected.correct(state, times, kinds, refs, side)
        code = corrected.code
    offset, resolution = map(int, code.clock)
    seconds, rest = divmod(int(times.view(np.int64)[0]) - offset, resolution)
    return seconds * _SECOND + (rest * _SECOND + resolution // 2) // resolution
