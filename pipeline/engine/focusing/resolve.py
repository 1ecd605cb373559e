"""Makes the focus of a run from options: the intervals of each location."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from tracemill.base.errors import UsageError
from tracemill.base.names import find_name
from tracemill.base.near import did_you_mean, near_matches
from tracemill.base.periods import read_period
from tracemill.base.text import join_words
from tracemill.engine.asking import computed_again
from tracemill.engine.focusing.options import FocusOptions, read_ranges
from tracemill.sql.query_files import load_query
from tracemill.stages.arrays import Numbers, read_columns
from tracemill.stages.focus_times import FocusTimes
from tracemill.store.runs import Run

_OF_TIME = {"window", "iteration", "phase", "region"}
_THRESHOLD = "0.25"
_MOST_NAMES = 8


@dataclass(frozen=True)
class Focus:
    """The focus of a run, and `title`, which names it in a sentence.

    `times` are those for tables of the whole run, `main` those for tables of its main part; they
    differ if no option restricts time. `share` is the part of the main part of all threads.
    """

    run: Run
    options: FocusOptions
    title: str
    times: FocusTimes
    main: FocusTimes
    all_locations: Numbers
    share: float

    @property
    def sentence(self) -> str:
        """The focus and its share, for headings."""
        return f"Focus: {self.description}"

    @property
    def description(self) -> str:
        return f"{self.title}, {100 * self.share:.3g}% of the main part"

    @property
    def is_of_time(self) -> bool:
        """True if an option restricts time, not only locations."""
        return not _OF_TIME.isdisjoint(self.options.given)


@dataclass(frozen=True)
class _Definitions:
    """The run's definitions that a focus refers to."""

    run: Run
    first: int
    last: int
    locations: Mapping[str, np.ndarray[Any, Any]]
    threshold: str = _THRESHOLD

    def times(self, location: Any, begin: Any, end: Any) -> FocusTimes:
        return FocusTimes.of(
            *np.broadcast_arrays(location, begin, end), first=self.first, last=self.last
        )

    def whole(self, is_chosen: Any = slice(None)) -> FocusTimes:
        """The whole run on some locations."""
        return self.times(self.locations["location_id"][is_chosen], self.first, self.last)


Part = tuple[FocusTimes, str]


def resolve_focus(run: Run, options: FocusOptions) -> Focus:
    """The focus of a run. Raises UsageError in one line with the run and what exists."""
    run.require_visits("a focus needs")
    try:
        return _resolve(run, options)
    except UsageError as error:
        raise UsageError(f"{run.label}: {error}") from error


def _resolve(run: Run, options: FocusOptions) -> Focus:
    found = _read_definitions(run)
    if options.threshold is not None and options.phase is None:
        raise UsageError(f"--threshold {options.threshold} is that of phases: add --phase")
    found = replace(found, threshold=options.threshold or _THRESHOLD)
    parts = {
        name: _PARTS[name](found, text)
        for name, text in options.given.items()
        if name != "threshold"
    }
    title = ", ".join(title for _, title in parts.values())
    for name, (times, _) in parts.items():
        if not len(times.location):
            raise UsageError(f"--{name} {options.given[name]}: no location has time there")
    whole = found.whole()
    times = reduce(FocusTimes.intersect, (each for each, _ in parts.values()), whole)
    if not len(times.location):
        raise UsageError(f"the focus is empty: {title}: these have no time in common")
    main_part = run.read("main_part").to_pylist()[0]
    main = times.intersect(found.times(whole.location, main_part["begin_ns"], main_part["end_ns"]))
    is_of_time = not _OF_TIME.isdisjoint(options.given)
    is_thread = np.isin(found.locations["kind"], ("cpu_thread", "unknown"))
    threads = found.locations["location_id"][is_thread]
    spent = int(main.length[np.isin(main.location, threads)].sum())
    length = max((main_part["end_ns"] - main_part["begin_ns"]) * len(threads), 1)
    return Focus(
        run, options, title, times, times if is_of_time else main, found.locations["location_id"],
        spent / length,
    )  # fmt: skip


def _read_definitions(run: Run) -> _Definitions:
    (whole,) = run.read("runs", ["begin_ns", "end_ns"]).to_pylist()
    names = ("location_id", "location_group_id", "rank", "thread", "kind")
    rows = run.read("locations", names)
    columns = {
        name: np.asarray(rows[name].cast("string") if name == "kind" else rows[name].cast("int64"))
        for name in names
    }
    return _Definitions(run, whole["begin_ns"], whole["end_ns"], columns)


def _find_window(found: _Definitions, text: str) -> Part:
    begin, end = read_period(text, can_be_open=True)
    first = found.first if begin is None else begin
    last = found.last if end is None else end
    if first >= found.last or last <= found.first:
        raise UsageError(
            f"--window {text}: the run lasts from {_seconds(found.first)} to {_seconds(found.last)}"
        )
    whole = found.whole()
    limits = " ".join(
        [*([] if begin is None else [f"from {_seconds(begin)}"]),
         *([] if end is None else [f"to {_seconds(end)}"])]
    )  # fmt: skip
    return found.times(whole.location, first, last), limits or "the whole run"


def _seconds(time_ns: int) -> str:
    return f"{time_ns / 1e9:.9f}".rstrip("0").rstrip(".") + " s"


def _find_iterations(found: _Definitions, text: str) -> Part:
    rows = found.run.read("iterations").sort_by("iteration")
    number, group, begin, end = (
        np.asarray(rows[name].cast("int64"))
        for name in ("iteration", "location_group_id", "begin_ns", "end_ns")
    )
    if not len(number):
        raise UsageError(f"--iteration {text}: no main loop was found: see tracemill iterations")
    ranges = read_ranges(text, option="iteration")
    _check_present(ranges, number, text, option="iteration")
    chosen = _within(number, ranges)
    process, place = found.locations["location_group_id"], found.locations["location_id"]
    of_process, of_row = np.nonzero(process[:, None] == group[None, chosen])
    times = found.times(place[of_process], begin[chosen][of_row], end[chosen][of_row])
    (loop,) = found.run.read("iteration_loop").to_pylist()
    regions = found.run.read("regions", ["region_id", "name"])
    names = dict(zip(*(regions[name].to_pylist() for name in ("region_id", "name")), strict=True))
    return times, f"{_numbers('iteration', ranges)} of {names[loop['region_id']]}"


def _find_phases(found: _Definitions, text: str) -> Part:
    """Phases of one stored level."""
    rows = found.run.read("phases").to_pylist()
    levels = {f"{row['threshold']:g}" for row in rows}
    chosen = [row for row in rows if f"{row['threshold']:g}" == found.threshold]
    if not chosen:
        known = ", ".join(sorted(levels)) or "none, because the main part is too short"
        raise UsageError(f"--threshold {found.threshold}: no such level of phases: {known}")
    number, begin, end = (
        np.array([row[name] for row in chosen]) for name in ("phase", "begin_ns", "end_ns")
    )
    ranges = read_ranges(text, option="phase")
    _check_present(ranges, number, text, option="phase")
    is_in = _within(number, ranges)
    location = found.locations["location_id"]
    times = found.times(location[:, None], begin[None, is_in], end[None, is_in])
    return times, f"{_numbers('phase', ranges)} of threshold {found.threshold}"


def _find_region(found: _Definitions, text: str) -> Part:
    text = full_name(found.run, text)
    with computed_again(found.run, ["parallel_visits"]) as answer:
        query = load_query("region_intervals")
        for name in query.inputs:
            answer.provide(name)
        rows = answer.connection.sql(query.statement, params={"region": text})
        columns = read_columns(rows, "location_id::BIGINT", "begin_ns", "end_ns")
    if not len(columns[0]):
        raise UsageError(f"--region {text}: no such region or call path{_near(found.run, text)}")
    return found.times(*columns), f"{'call path' if '/' in text else 'region'} {text}"


def full_name(run: Run, name: str) -> str:
    """The region or call path that a name means, or the name itself."""
    regions, paths = _visited(run)
    return find_name(name, (*regions, *paths))


def _visited(run: Run) -> tuple[list[str], list[str]]:
    """Names of visited regions, and call paths."""
    paths = run.read("call_paths", ["region_id", "path"])
    regions = dict(
        zip(*(run.read("regions")[each].to_pylist() for each in ("region_id", "name")), strict=True)
    )
    known = dict.fromkeys(regions[each] for each in paths["region_id"].to_pylist())
    return list(known), paths["path"].to_pylist()


def _near(run: Run, name: str) -> str:
    """Visited regions and call paths with names like this one."""
    known, paths = _visited(run)
    near = near_matches(name, [*known, *paths], 3)
    return f": {did_you_mean(near)}" if near else f": regions: {_listed(known)}"


def _find_ranks(found: _Definitions, text: str) -> Part:
    return _find_numbered(found, text, "rank")


def _find_threads(found: _Definitions, text: str) -> Part:
    return _find_numbered(found, text, "thread")


def _find_numbered(found: _Definitions, text: str, column: str) -> Part:
    ranges, number = read_ranges(text, option=f"{column}s"), found.locations[column]
    _check_present(ranges, number, text, option=f"{column}s")
    return found.whole(_within(number, ranges)), _numbers(column, ranges)


def _find_nodes(found: _Definitions, text: str) -> Part:
    nodes = {
        row["system_tree_node_id"]: row for row in found.run.read("system_tree_nodes").to_pylist()
    }
    groups = found.run.read("location_groups").to_pylist()
    wanted = [name.strip() for name in text.split(",")]
    above = {
        each["location_group_id"]: _names_above(nodes, each["system_tree_node_id"])
        for each in groups
    }
    known = sorted({name for names in above.values() for name in names})
    missing = [name for name in wanted if name not in known]
    if missing:
        raise UsageError(f"--nodes {text}: no node {missing[0]}: nodes: {_listed(known) or 'none'}")
    chosen = [number for number, names in above.items() if not names.isdisjoint(wanted)]
    is_chosen = np.isin(found.locations["location_group_id"], chosen)
    return found.whole(is_chosen), f"{'nodes' if len(wanted) > 1 else 'node'} {join_words(wanted)}"


def _names_above(nodes: Mapping[int, Mapping[str, Any]], node: int | None) -> set[str]:
    """Names of a node of the system tree and those above it."""
    names = set()
    while node is not None:
        names.add(nodes[node]["name"])
        node = nodes[node]["parent_system_tree_node_id"]
    return names


_PARTS: Mapping[str, Callable[[_Definitions, str], Part]] = {
    "window": _find_window,
    "iteration": _find_iterations,
    "phase": _find_phases,
    "region": _find_region,
    "ranks": _find_ranks,
    "nodes": _find_nodes,
    "threads": _find_threads,
}


def _within(number: Any, ranges: Iterable[tuple[int, int]]) -> Any:
    """Marks numbers in any of the ranges."""
    return reduce(np.logical_or, [(first <= number) & (number <= last) for first, last in ranges])


def _check_present(
    ranges: Iterable[tuple[int, int]], number: Any, text: str, *, option: str
) -> None:
    for first, last in ranges:
        for wanted in (first, last):
            if wanted not in number:
                known = f"{number.min()} to {number.max()}"
                raise UsageError(f"--{option} {text}: there is no {wanted}: there are {known}")


def _numbers(what: str, ranges: list[tuple[int, int]]) -> str:
    """'rank 3' or 'ranks 0 to 7 and 12'."""
    words = [str(first) if first == last else f"{first} to {last}" for first, last in ranges]
    is_one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"{what if is_one else f'{what}s'} {join_words(words)}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown}, …" if len(names) > _MOST_NAMES else shown
