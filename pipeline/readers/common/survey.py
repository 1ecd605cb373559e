"""First pass: which call paths there are, who forked when, how far each location can be read.

Canonical numbers (call paths, visits, teams) depend on the whole trace, so nothing is written
before every location has been looked at once. Locations that work in teams forked by another
one are looked at a second time, when it is known from where they were forked.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels import walk_state as ws
from tracemill.kernels.call_tree import (
    PathTree,
    copy_of,
    merge,
    new_tree,
    number_depth_first,
)
from tracemill.kernels.location_walk import LocationWalk, no_teams
from tracemill.kernels.walk_state import Code, Forks, Teams
from tracemill.readers.common.forks import resolve_teams
from tracemill.readers.common.identifiers import Identifiers
from tracemill.readers.common.parallel import map_in_threads
from tracemill.readers.common.reading import (
    LocationRead,
    LocationState,
    OpenLocations,
    RecordFiles,
)
from tracemill.readers.common.span import possible_times

BLOCK_RECORDS = 4_000_000
"""Locations are handled in blocks of about so many records: one thread, one file each."""

_MOST_NUMBERS = 50_000_000
"""Canonical numbers remembered between the passes (4 bytes each); the rest is looked up."""

_LIBRARY_PARADIGMS = frozenset({4, 7, 11, 12, 13})
_CONSTRUCT_PARADIGMS = frozenset({3, 5, 9, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25})
_PARALLEL_ROLE = 5
_IO_ROLES = frozenset({27, 38})


@dataclass
class LocationSurvey:
    """What one look at a location found; its tree is kept only if it forked."""

    location: int
    record_count: int
    visit_count: int
    problem: str
    works_in_teams: bool
    is_below_forks: bool
    is_plain: bool
    forks: Forks | None
    tree: PathTree | None
    numbers: NDArray[np.int32]


PlainLooks = Callable[
    [list[int], Callable[[PathTree], NDArray[np.int32]]], list[LocationSurvey | None]
]
"""A faster look at locations that nest; None for those that turn out not to."""


def plain_location(
    location: int, read: LocationRead, visit_count: int, node_count: int, numbers: NDArray[np.int32]
) -> LocationSurvey:
    """A location whose visits nest, without forks; `numbers` are remembered, or there are none."""
    return LocationSurvey(
        location=location,
        record_count=read.record_count,
        visit_count=visit_count,
        problem=read.error,
        works_in_teams=False,
        is_below_forks=False,
        is_plain=len(numbers) == node_count,
        forks=None,
        tree=None,
        numbers=numbers,
    )


@dataclass
class Survey:
    """What is known of the whole trace before rows are written.

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


def region_code(identifiers: Identifiers) -> Code:
    """The trace's regions and clock in the form the kernel needs."""
    found = identifiers.definitions["Region"]
    refs = np.array(list(found), np.uint32)
    order = np.argsort(refs, kind="stable")
    roles = [values[3] for values in found.values()] + [0, 0, 0]
    paradigms = [values[4] for values in found.values()] + [0, 0, 0]
    resolution, offset, *_ = identifiers.definitions.clock
    contexts = identifiers.definitions["CallingContext"]
    context_refs = np.array(sorted(contexts), np.uint32)
    numbers = [identifiers["Region"][contexts[ref][0]] for ref in sorted(contexts)]
    context_ids = np.array([n if n >= 0 else len(found) for n in numbers], np.int32)
    return Code(
        refs[order],
        order.astype(np.int32),
        np.array([_call(*kind) for kind in zip(paradigms, roles, strict=True)], np.int8),
        np.array([role == _PARALLEL_ROLE for role in roles]),
        context_refs,
        context_ids,
        np.array([offset, resolution], np.uint64).view(np.int64),
    )


def _call(paradigm: int, role: int) -> int:
    if paradigm in _LIBRARY_PARADIGMS or role in _IO_ROLES:
        return ws.LIBRARY_CALL
    return ws.CONSTRUCT if paradigm in _CONSTRUCT_PARADIGMS else ws.USER_CODE


def blocks(identifiers: Identifiers) -> list[list[int]]:
    """Locations by number, in blocks of about BLOCK_RECORDS announced records."""
    found: list[list[int]] = [[]]
    filled = 0
    for number, (_, _, count, _) in enumerate(identifiers.definitions["Location"].values()):
        if found[-1] and filled + count > BLOCK_RECORDS:
            found.append([])
            filled = 0
        found[-1].append(number)
        filled += count
    return [block for block in found if block]


def describe_damage(problems: list[str]) -> str:
    """The first problem, how many more there are, and what to do."""
    others = len(problems) - 1
    more = f" (and {others} more location{'s' * (others > 1)})" if others else ""
    return (
        f"{problems[0]}{more}; copy the archive again, or analyze what is readable with "
        "--allow-damaged"
    )


class Surveyor:
    """Looks at all locations, several at a time."""

    def __init__(
        self, files: RecordFiles, identifiers: Identifiers, code: Code,
        limits: list[LocationState], *, threads: int, allow_damaged: bool,
        report: Callable[[int], None], plain: PlainLooks | None = None,
    ) -> None:  # fmt: skip
        self._files, self._ids, self._code, self._limits = files, identifiers, code, limits
        ends = [state.last_ticks for state in limits]
        self._possible_times = possible_times(files.definitions.clock, ends)
        self._threads, self._allow_damaged, self._report = threads, allow_damaged, report
        # Messages, counters and the like do not matter here; the library skips them faster. Both
        # passes must fail at the same damaged record, though, and only what is looked at can fail.
        needed = identifiers.present & {"threads", "calling_contexts"}
        self._recorded = identifiers.present if allow_damaged else needed
        self._plain = plain if not needed and not allow_damaged else None
        self._tree, self._lock = new_tree(), threading.Lock()
        self._remembered = 0

    def run(self) -> Survey:
        """Survey the trace. Raises DamagedTraceError if a location fails and must not."""
        looks = self._first_looks()
        problems = [
            f"{self._files.file_of(look.location)}: {look.problem}"
            for look in looks
            if look.problem and not self._limits[look.location].problem
        ]
        if problems and not self._allow_damaged:
            raise DamagedTraceError(describe_damage(problems))
        damaged = {n for n, look in enumerate(looks) if look.problem or self._limits[n].problem}
        prefixes, teams, every = resolve_teams(self._ids, looks, frozenset(damaged))
        workers = self._workers(looks, every)
        if workers:
            again = self._look_at_all(workers, teams, prefixes)
            for look in again:
                looks[look.location] = look
        merged, self._tree = merge(self._tree, prefixes), new_tree()
        tree = number_depth_first(merged, can_find=self._remembered > _MOST_NUMBERS)
        places = prefixes.number[: int(prefixes.size[0])]
        places[:] = merged.number[places]
        for found in looks:
            found.numbers = merged.number[found.numbers]
        return Survey(self._limits, self._possible_times, looks, tree, prefixes, teams, every)

    def _workers(self, looks: list[LocationSurvey], every: Teams) -> list[list[int]]:
        """Locations that worked below forks of others, in blocks."""
        old_style = {int(self._owner(location)) for location in every.location[every.team < 0]}
        wanted = {
            look.location
            for look in looks
            if look.works_in_teams or self._owner(look.location) in old_style
        }
        kept = ([number for number in block if number in wanted] for block in blocks(self._ids))
        return [block for block in kept if block]

    def _owner(self, location: int) -> int:
        return self._ids.group_of_location[location]

    def _first_looks(self) -> list[LocationSurvey]:
        """A look at every location; the general one only where the plain one does not do."""
        chosen = blocks(self._ids)
        teams = [no_teams()] * len(self._limits)
        if self._plain is None:
            return self._look_at_all(chosen, teams, None)
        plain = self._look_plainly(chosen, self._plain)
        irregular = [[number for number in block if plain[number] is None] for block in chosen]
        general = iter(self._look_at_all([block for block in irregular if block], teams, None))
        return [look if look is not None else next(general) for look in plain]

    def _look_plainly(
        self, chosen: list[list[int]], plain: PlainLooks
    ) -> list[LocationSurvey | None]:
        def look(block: list[int]) -> list[LocationSurvey | None]:
            return plain(block, self._merge)

        looks = map_in_threads(look, chosen, self._threads)
        return [found for block in looks for found in block]

    def _look_at_all(
        self, chosen: list[list[int]], teams: list[Teams], prefixes: PathTree | None
    ) -> list[LocationSurvey]:
        if not chosen:
            return []
        open_locations = partial(
            self._files.open_locations, self._recorded, only_structure=not self._allow_damaged
        )

        def look(block: list[int]) -> list[LocationSurvey]:
            walk = LocationWalk(self._code, possible_times=self._possible_times)
            with open_locations(block) as reader:
                found = []
                for number in block:
                    walk.begin(number, first_visit=0, teams=teams[number], prefixes=prefixes)
                    found.append(self._look(reader, walk, number, prefixes is not None))
                    if prefixes is not None or not found[-1].works_in_teams:
                        found[-1].numbers = self._merge(walk.tree)
                return found

        looks = map_in_threads(look, chosen, self._threads)
        return [found for block in looks for found in block]

    def _merge(self, tree: PathTree) -> NDArray[np.int32]:
        """Merge a location's tree; where each node went, while there is room to remember."""
        count = int(tree.size[0])
        with self._lock:
            self._tree = merge(self._tree, tree)
            self._remembered += count
            return tree.number[: count if self._remembered <= _MOST_NUMBERS else 0].copy()

    def _look(
        self, reader: OpenLocations, walk: LocationWalk, number: int, is_below_forks: bool
    ) -> LocationSurvey:
        limit = self._limits[number].readable_count
        report = _tell_nobody if is_below_forks else self._report  # a second look is no progress
        is_all = not self._limits[number].problem
        end = reader.feed(number, limit, walk, report, is_all=is_all)
        state = walk.state
        has_forks = bool(state[ws.FORKS])
        return LocationSurvey(
            location=number,
            record_count=end.record_count,
            visit_count=walk.visit_count,
            problem=end.error,
            works_in_teams=bool(state[ws.WORKS_IN_TEAMS]),
            is_below_forks=is_below_forks,
            is_plain=False,
            forks=walk.forks if has_forks else None,
            tree=copy_of(walk.tree) if has_forks else None,
            numbers=np.empty(0, np.int32),
        )


def _tell_nobody(amount: int) -> None:
    pass
