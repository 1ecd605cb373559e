"""First pass: finds call paths and forks, and how far each location can be read.

Canonical numbers (call paths, visits, teams) depend on the whole trace. The second pass, which
writes rows, begins when all locations are surveyed. Locations that work in teams forked by another
one are surveyed twice: the second survey needs the call paths of the forks.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels import walk_state as ws
from tracemill.kernels.call_tree import PathTree, copy_of, merge, new_tree, number_depth_first
from tracemill.kernels.clock_replay import Clocks
from tracemill.kernels.location_walk import LocationWalk, no_teams
from tracemill.kernels.walk_state import Code, Forks, Teams
from tracemill.readers.common.call_sites import CallSites
from tracemill.readers.common.forks import resolve_teams
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.parallel import map_in_threads
from tracemill.readers.common.reading import LocationState, OpenLocations, RecordFiles
from tracemill.readers.common.setup_marks import SetupMarks
from tracemill.readers.common.span import possible_times

BLOCK_RECORDS = 4_000_000
"""Records of a block of locations, which one thread reads and writes to one file per table."""

_MOST_NUMBERS = 50_000_000
"""Canonical numbers kept between the passes (4 bytes each); the second pass finds the others."""

_LIBRARY_PARADIGMS = frozenset({4, 7, 11, 12, 13})
_CONSTRUCT_PARADIGMS = frozenset({3, 5, 9, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25})
_PARALLEL_ROLE = 5
_IO_ROLES = frozenset({27, 38})


@dataclass
class LocationSurvey:
    """The survey of a location.

    `tree` is there only if the location forked. `numbers` are the canonical numbers of the nodes
    of its tree, or empty. `marks` are there if visits are summed. In a plain location visits nest,
    without threads and tasks, and all numbers are kept.
    """

    location: int
    record_count: int
    visit_count: int
    problem: str
    works_in_teams: bool = False
    is_below_forks: bool = False
    is_plain: bool = False
    forks: Forks | None = None
    tree: PathTree | None = None
    marks: SetupMarks | None = None
    numbers: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))


PlainSurveyor = Callable[
    [list[int], Callable[[PathTree], NDArray[np.int32]]], list[LocationSurvey | None]
]
"""A faster survey of some locations; None for those whose visits do not nest.

Its second argument merges the tree of a location and returns the canonical numbers.
"""


@dataclass
class Survey:
    """The survey of the whole trace.

    `tree` is the canonical call tree; `prefixes` are the forking call paths, which `teams` (per
    location) and `all_teams` refer to, with their canonical numbers.
    """

    limits: list[LocationState]
    possible_times: tuple[int, int]
    locations: list[LocationSurvey]
    tree: PathTree
    prefixes: PathTree
    teams: list[Teams]
    all_teams: Teams


def region_code(sites: CallSites) -> Code:
    """The trace's regions, call sites and clock in the form the kernel needs."""
    identifiers = sites.identifiers
    found = identifiers.definitions["Region"]
    refs = np.array(list(found), np.uint32)
    order = np.argsort(refs, kind="stable")
    roles = [values[3] for values in found.values()] + [0, 0, 0]
    paradigms = [values[4] for values in found.values()] + [0, 0, 0]
    resolution, offset, *_ = identifiers.definitions.clock
    contexts = identifiers.definitions["CallingContext"]
    context_refs = np.array(list(contexts), np.uint32)
    by_ref = np.argsort(context_refs, kind="stable")
    return Code(
        refs[order],
        order.astype(np.int32),
        np.array([_call(*kind) for kind in zip(paradigms, roles, strict=True)], np.int8),
        np.array([role == _PARALLEL_ROLE for role in roles]),
        context_refs[by_ref],
        sites.of_contexts[by_ref],
        np.array([offset, resolution], np.uint64).view(np.int64),
        sites.region_of,
        sites.attributes,
        *sites.of_sources,
        sites.keys,
    )


def _call(paradigm: int, role: int) -> int:
    if paradigm in _LIBRARY_PARADIGMS or role in _IO_ROLES:
        return ws.LIBRARY_CALL
    return ws.CONSTRUCT if paradigm in _CONSTRUCT_PARADIGMS else ws.USER_CODE


def blocks(limits: list[LocationState]) -> list[list[int]]:
    """Locations by number, in blocks of about BLOCK_RECORDS readable records."""
    found: list[list[int]] = [[]]
    filled = 0
    for number, count in enumerate(state.readable_count for state in limits):
        if found[-1] and filled + count > BLOCK_RECORDS:
            found.append([])
            filled = 0
        found[-1].append(number)
        filled += count
    return [block for block in found if block]


def damage_of(problems: list[str]) -> str:
    """The first problem, how many more there are, and what to do."""
    others = len(problems) - 1
    more = f" (and {others} more location{'s' * (others > 1)})" if others else ""
    return (
        f"{problems[0]}{more}; copy the archive again, or analyze what is readable with "
        "--allow-damaged"
    )


Found = TypeVar("Found")


class Surveyor:
    """Surveys all locations, several at a time."""

    def __init__(
        self, files: RecordFiles, identifiers: Identifiers, code: Code,
        limits: list[LocationState], *, threads: int, allow_damaged: bool,
        report: Callable[[int], None], plain: PlainSurveyor | None, clocks: Clocks,
        marks: SetupMarks | None,
    ) -> None:  # fmt: skip
        self._marks = marks
        self._clocks = clocks
        self._files, self._ids, self._code, self._limits = files, identifiers, code, limits
        ends = [state.last_ticks for state in limits]
        self._possible_times = possible_times(files.definitions.clock, ends)
        self._threads, self._allow_damaged, self._report = threads, allow_damaged, report
        # The survey needs no messages or counters, and the library skips them faster. If damage is
        # allowed, both passes read all records, so that they stop at the same damaged one.
        has_sites = frozenset({"attributes"} if len(code.site_attributes) else ())
        needed = identifiers.present & ({"threads", "calling_contexts"} | has_sites)
        self._recorded = identifiers.present if allow_damaged else needed
        self._plain = plain if not needed and not allow_damaged else None
        self._tree, self._lock = new_tree(), threading.Lock()
        self._remembered = 0

    def run(self) -> Survey:
        """Survey the trace. Raises DamagedTraceError if a location fails and must not."""
        surveys = self._first_surveys()
        problems = [
            f"{self._files.file_of(found.location)}: {found.problem}"
            for found in surveys
            if found.problem and not self._limits[found.location].problem
        ]
        if problems and not self._allow_damaged:
            raise DamagedTraceError(damage_of(problems))
        damaged = {n for n, one in enumerate(surveys) if one.problem or self._limits[n].problem}
        prefixes, teams, every = resolve_teams(self._ids, surveys, frozenset(damaged))
        for again in self._survey_all(self._workers(surveys, every), teams, prefixes):
            surveys[again.location] = again
        merged, self._tree = merge(self._tree, prefixes), new_tree()
        tree = number_depth_first(merged, can_find=self._remembered > _MOST_NUMBERS)
        numbers = prefixes.number[: int(prefixes.size[0])]
        numbers[:] = merged.number[numbers]
        for found in surveys:
            found.numbers = merged.number[found.numbers]
        return Survey(self._limits, self._possible_times, surveys, tree, prefixes, teams, every)

    def _workers(self, surveys: list[LocationSurvey], every: Teams) -> list[list[int]]:
        """Locations that work below forks of other locations, in blocks."""
        old_style = {int(self._owner(location)) for location in every.location[every.team < 0]}
        wanted = {
            found.location
            for found in surveys
            if found.works_in_teams or self._owner(found.location) in old_style
        }
        kept = ([number for number in block if number in wanted] for block in blocks(self._limits))
        return [block for block in kept if block]

    def _owner(self, location: int) -> int:
        return self._ids.group_of_location[location]

    def _first_surveys(self) -> list[LocationSurvey]:
        """Survey every location; in general only if the plain survey does not work."""
        chosen = blocks(self._limits)
        teams = [no_teams()] * len(self._limits)
        survey_plain = self._plain
        if survey_plain is None:
            return self._survey_all(chosen, teams, None)
        plain = self._in_blocks(lambda block: survey_plain(block, self._merge), chosen)
        irregular = [[number for number in block if plain[number] is None] for block in chosen]
        general = iter(self._survey_all([block for block in irregular if block], teams, None))
        return [found if found is not None else next(general) for found in plain]

    def _survey_all(
        self, chosen: list[list[int]], teams: list[Teams], prefixes: PathTree | None
    ) -> list[LocationSurvey]:
        return self._in_blocks(partial(self._survey_block, teams, prefixes), chosen)

    def _in_blocks(
        self, function: Callable[[list[int]], list[Found]], chosen: list[list[int]]
    ) -> list[Found]:
        return list(chain.from_iterable(map_in_threads(function, chosen, self._threads)))

    def _survey_block(
        self, teams: list[Teams], prefixes: PathTree | None, block: list[int]
    ) -> list[LocationSurvey]:
        walk = LocationWalk(self._code, possible_times=self._possible_times, clocks=self._clocks)
        is_structure = not self._allow_damaged
        found = []
        with self._files.open_locations(
            self._recorded, block, only_structure=is_structure
        ) as reader:
            for number in block:
                walk.begin(number, first_visit=0, teams=teams[number], prefixes=prefixes)
                found.append(self._survey(reader, walk, number, prefixes is not None))
                if prefixes is not None or not found[-1].works_in_teams:
                    found[-1].numbers = self._merge(walk.tree)
        return found

    def _merge(self, tree: PathTree) -> NDArray[np.int32]:
        """Merge a location's tree; the number of each node, or none beyond _MOST_NUMBERS."""
        count = int(tree.size[0])
        with self._lock:
            self._tree = merge(self._tree, tree)
            self._remembered += count
            return tree.number[: count if self._remembered <= _MOST_NUMBERS else 0].copy()

    def _survey(
        self, reader: OpenLocations, walk: LocationWalk, number: int, is_below_forks: bool
    ) -> LocationSurvey:
        limit = self._limits[number].readable_count
        # Progress counts the first survey only.
        report = (lambda count: None) if is_below_forks else self._report
        is_all = not self._limits[number].problem
        marks = self._marks and self._marks.empty()
        walk.watch = marks.add if marks else None
        end = reader.feed(number, limit, walk, report, is_all=is_all)
        has_forks = bool(walk.state[ws.FORKS])
        return LocationSurvey(
            number,
            end.record_count,
            walk.visit_count,
            end.error,
            works_in_teams=bool(walk.state[ws.WORKS_IN_TEAMS]),
            is_below_forks=is_below_forks,
            forks=walk.forks if has_forks else None,
            tree=copy_of(walk.tree) if has_forks else None,
            marks=marks,
        )
