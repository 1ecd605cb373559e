"""Time that locations lose while others compute, charged to the call paths that compute then."""

from collections.abc import Iterable, Sequence
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tracemill.schemas.overheads import TAXONOMY, overhead_id
from tracemill.schemas.parallelism import PARALLELISM_LOSSES
from tracemill.stages.arrays import (
    Flags,
    Numbers,
    Relation,
    place,
    read_columns,
    sum_by,
    walk_locations,
)
from tracemill.stages.focus_times import FocusTimes, read_focus
from tracemill.stages.forks import Forks, read_forks, with_forks
from tracemill.stages.overhead_classes import SHIPPED_RULES, parse_rules
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.kernels.parallelism_walk import LocationStretches
    from tracemill.store.walking import StoredRows

_COMPUTATION = overhead_id("user code")
_UNPARALLELIZED = overhead_id("unparallelised code")
_PARTIAL = overhead_id("partially parallelised code")
_NOT_MOVED = -1
_WALKED = ("call_path_id", "enter_ns", "leave_ns")


def find_parallelism_losses(
    visits: "StoredRows",
    main_part: Relation,
    call_tree: Relation,
    call_paths: Relation,
    region_classes: Relation,
    overhead_rules: Relation,
    location_bases: Relation,
    locations: Relation,
    parallel_visits: Relation,
    focus: Relation,
) -> pa.Table:
    """Charge each computing call path with the time that other locations lose meanwhile.

    While n of P threads compute, each computing one is charged (P - n) / n per unit of time, by
    the class of the losing threads. Only threads in their focus lose. The stretches of all
    locations are on disk, in a temporary file; memory is bounded by call paths and locations.
    """
    begin, end = main_part.select("begin_ns, end_ns").fetchall()[0]
    bases = _read_bases(location_bases, locations)
    path, region = read_columns(call_paths, "call_path_id::BIGINT", "region_id::BIGINT")
    regions = place(path, region)
    overhead = place(*read_columns(region_classes, "region_id::BIGINT", "overhead_id::BIGINT"))
    if len(bases) < 2 or not len(path) or begin >= end:
        return PARALLELISM_LOSSES.empty()
    of_paths = overhead[regions]
    is_computation = of_paths == _COMPUTATION
    classes, number = _number_classes(of_paths[~is_computation], bases)
    states = np.where(is_computation, np.arange(len(regions)), -1 - number[of_paths])
    forks = read_forks(parallel_visits)
    of_locations = {location: int(number[base]) for location, base in bases.items()}
    periods = read_focus(focus, first=begin, last=end)
    lost = _charge(visits, states.astype(np.int32), forks, of_locations, periods, len(classes))
    participants = _count_participants(call_tree, bases, len(regions))
    is_kept = _are_named_by_user(region_classes, overhead_rules)[regions]
    return _as_table(*lost, classes, participants, is_kept, len(bases))


def _charge(
    visits: "StoredRows",
    states: "np.ndarray",
    forks: Forks,
    bases: dict[int, int],
    periods: FocusTimes,
    class_count: int,
) -> tuple["np.ndarray", "np.ndarray"]:
    """Losses by call path and class while one location computes, and while several do.

    `states` are those of visits of each call path, `bases` the classes outside of visits.
    """
    from tracemill.kernels.parallelism_walk import LocationStretches, charge_losses

    with TemporaryFile() as times, TemporaryFile() as kinds:
        walk = LocationStretches(begin=periods.first, end=periods.last)
        edges, order = _write_stretches(visits, walk, bases, states, forks, times, kinds)
        found = _mapped(times, np.int64), _mapped(kinds, np.int32), edges
        if not periods.is_whole(order):
            found = _take_out(*found, order, periods, -1 - class_count)
        alone, shared = charge_losses(
            *found, end=periods.last, path_count=len(states), class_count=class_count + 1
        )
    return alone[:, :-1], shared[:, :-1]


def _number_classes(of_paths: Numbers, bases: dict[int, int]) -> tuple[Numbers, Numbers]:
    """The classes in which locations may lose time, and the place of each among them."""
    occurs = np.zeros(len(TAXONOMY), np.bool_)
    occurs[of_paths] = True
    occurs[list(bases.values())] = True
    return np.flatnonzero(occurs), np.cumsum(occurs) - 1


def _read_bases(location_bases: Relation, locations: Relation) -> dict[int, int]:
    """Class outside of visits of each CPU thread."""
    threads = locations.filter("kind IN ('cpu_thread', 'unknown')").select("location_id")
    chosen = {location for (location,) in threads.fetchall()}
    rows = location_bases.select("location_id, overhead_id").order("location_id").fetchall()
    return {location: base for location, base in rows if location in chosen}


def _write_stretches(
    visits: "StoredRows",
    walk: "LocationStretches",
    bases: dict[int, int],
    states: "np.ndarray",
    forks: Forks,
    times: IO[bytes],
    kinds: IO[bytes],
) -> tuple[Numbers, Numbers]:
    """Write begins and states of all stretches.

    Returns where each location begins, and the end; and the locations in this order.
    """
    edges: dict[int, int] = {}
    count = 0

    def write(found: tuple[Any, Any]) -> None:
        nonlocal count
        times.write(found[0])
        kinds.write(found[1])
        count += len(found[0])

    def write_location(location: int, parts: Iterable[Sequence[Any]]) -> None:
        walk.begin(-1 - bases[location])
        for path, enter, leave, *visit in parts:
            if visit:
                enter, leave = with_forks(visit[0], enter, leave, forks)
            write(walk.walk(states[path], enter, leave))
        write(walk.finish())
        edges[location] = count

    columns = (*_WALKED, "visit_id") if len(forks.visit) else _WALKED
    for location, parts in walk_locations(visits, *columns):
        if location in bases:
            write_location(location, parts)
    for location in sorted(bases.keys() - edges.keys()):
        write_location(location, ())
    return np.array([0, *edges.values()]), np.array([*edges])


def _take_out(
    begin: Numbers,
    states: "np.ndarray",
    edges: Numbers,
    order: Numbers,
    periods: FocusTimes,
    without_class: int,
) -> tuple[Numbers, "np.ndarray", Numbers]:
    """The stretches, cut at the ends of periods; outside of them, a location has no class."""
    begins, kinds = [], []
    for location, first, beyond in zip(order.tolist(), edges[:-1], edges[1:], strict=True):
        own = begin[first:beyond][::-1]
        cuts = np.concatenate(periods.periods(location))
        cut = np.union1d(own, cuts[(cuts > own[0]) & (cuts < periods.last)])
        state = states[first:beyond][::-1][np.searchsorted(own, cut, "right") - 1]
        is_out = (state < 0) & ~periods.holds(location, cut)
        begins.append(cut[::-1])
        kinds.append(np.where(is_out, without_class, state)[::-1].astype(np.int32))
    counts = np.cumsum([0, *map(len, begins)])
    return np.concatenate(begins), np.concatenate(kinds), counts


def _mapped(file: IO[bytes], kind: Any) -> Any:
    file.flush()
    return np.memmap(file, kind, "r") if file.tell() else np.zeros(0, kind)


def _count_participants(call_tree: Relation, bases: dict[int, int], size: int) -> Numbers:
    visited = call_tree.filter("visit_count > 0")
    path, location = read_columns(visited, "call_path_id::BIGINT", "location_id::BIGINT")
    is_thread = np.isin(location, np.fromiter(bases, np.int64))
    return sum_by(path, is_thread, size)


def _are_named_by_user(region_classes: Relation, overhead_rules: Relation) -> Flags:
    """Marks regions whose class follows from a rule that names them and is not a shipped one."""
    shipped = {
        (rule.paradigm, rule.role, rule.name, rule.overhead_id)
        for rule in parse_rules(SHIPPED_RULES.read_text(encoding="utf-8"))
    }
    rules = overhead_rules.select("rule_id, paradigm, role, name, overhead_id").fetchall()
    own = {number for number, *rule in rules if rule[2] != "*" and tuple(rule) not in shipped}
    region, rule = read_columns(
        region_classes, "region_id::BIGINT", "coalesce(rule_id, -1)::BIGINT"
    )
    return place(region, np.isin(rule, np.fromiter(own, np.int64, len(own))))


def _as_table(
    alone: "np.ndarray",
    shared: "np.ndarray",
    classes: Numbers,
    participants: Numbers,
    is_kept: Flags,
    thread_count: int,
) -> pa.Table:
    path, overhead = np.nonzero(alone + shared)
    count = participants[path]
    moved = np.where(count == 1, _UNPARALLELIZED, _PARTIAL)
    moved[(count >= thread_count) | is_kept[path]] = _NOT_MOVED
    return pa.table(
        {
            "call_path_id": path.astype(np.int32),
            "overhead_id": classes[overhead].astype(np.int32),
            "participant_count": count,
            "alone_ns": alone[path, overhead].astype(np.int64),
            "with_others_ns": shared[path, overhead].astype(np.int64),
            "moved_to_overhead_id": pa.array(moved.astype(np.int32), mask=moved == _NOT_MOVED),
        }
    )


PARALLELISM_LOSSES_STAGE = PythonStage(
    name="parallelism_losses",
    outputs=(PARALLELISM_LOSSES,),
    compute=find_parallelism_losses,
    walked=("visits",),
)
