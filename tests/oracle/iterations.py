"""Iterations, found by trying every region of every call path, one visit at a time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, median
from typing import Any

from tests.oracle.relations import Row

Call = tuple[int, int, int]
"""Region, begin and end of a call."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Loop:
    """A head that holds: iterations by process."""

    caller: int | None
    depth: int
    region: int
    is_run: bool
    spans: Mapping[int, Sequence[Span]]
    similarity: float
    coverage: float

    @property
    def count(self) -> int:
        return len(next(iter(self.spans.values())))

    @property
    def first(self) -> int:
        return min(spans[0][0] for spans in self.spans.values())


@dataclass(frozen=True)
class Run:
    """Calls by caller and process; the main part; begins of operations by process."""

    calls: Mapping[int | None, Mapping[int, Sequence[Call]]]
    depths: Mapping[int | None, int]
    begin: int
    end: int
    operations: Mapping[int, Iterable[int]]
    location_count: int


def longest_calls(
    visits: Sequence[Row], firsts: Mapping[int, int], left_out: Iterable[int]
) -> dict[int | None, dict[int, list[Call]]]:
    """Calls of the longest visit of each call path on the first thread of each process.

    `firsts` maps locations to processes; regions in `left_out` do not count. Callers that a
    process does not visit are left out.
    """
    longest: dict[tuple[int | None, int], Row | None] = {
        (None, process): None for process in firsts.values()
    }
    for row in visits:
        key = row["call_path_id"], firsts.get(row["location_id"], -1)
        best = longest.get(key)
        if key[1] >= 0 and (best is None or _length(row) > _length(best)):
            longest[key] = row
    found: dict[int | None, dict[int, list[Call]]] = defaultdict(dict)
    for (path, process), caller in longest.items():
        number = caller and caller["visit_id"]
        found[path][process] = sorted(
            (
                (row["region_id"], row["enter_ns"], row["leave_ns"], row["visit_id"])
                for row in visits
                if row["parent_visit_id"] == number
                and firsts.get(row["location_id"]) == process
                and row["region_id"] not in left_out
            ),
            key=lambda call: (call[1], call[3]),
        )
    return {
        path: {process: [call[:3] for call in calls] for process, calls in of_processes.items()}
        for path, of_processes in found.items()
        if len(of_processes) == len(set(firsts.values()))
    }


def all_loops(run: Run) -> list[Loop]:
    """Every head that holds."""
    found = []
    for caller, calls in run.calls.items():
        common = set.intersection(*({call[0] for call in each} for each in calls.values()))
        for region in common:
            counts = {sum(call[0] == region for call in each) for each in calls.values()}
            has_runs = any(
                one[0] == other[0] == region
                for each in calls.values()
                for one, other in pairwise(each)
            )
            for is_run in (False, True)[: 1 + has_runs] if len(counts) == 1 else ():
                loop = _try(run, caller, region, is_run)
                found += [loop] if loop else []
    return found


def best_loop(loops: Sequence[Loop]) -> Loop | None:
    """The loop of the rules of the documentation."""
    if not loops:
        return None
    left = [each for each in loops if 2 * each.coverage >= max(one.coverage for one in loops)]
    closest = max(each.similarity for each in left)
    left = [each for each in left if each.similarity >= round(0.9 * closest, 9)]
    left = [each for each in left if each.depth == min(one.depth for one in left)]
    left = [each for each in left if each.count >= max(one.count for one in left) - 1]
    left.sort(key=lambda each: (each.region, each.is_run))
    left.sort(key=lambda each: each.first)
    left.sort(key=lambda each: each.count, reverse=True)
    left.sort(key=lambda each: round(each.similarity**2 * each.coverage, 9), reverse=True)
    return left[0]


def _try(run: Run, caller: int | None, region: int, is_run: bool) -> Loop | None:
    spans: dict[int, list[Span]] = {}
    similarities, ends = [], set()
    for process, calls in run.calls[caller].items():
        heads = [
            at
            for at, call in enumerate(calls)
            if call[0] == region and not (is_run and at and calls[at - 1][0] == region)
        ]
        kept, alike, dropped = _cut(calls, heads)
        spans[process] = kept
        similarities.append(round(mean(alike), 9))
        ends.add((len(heads), *dropped))
    counts = {len(each) for each in spans.values()}
    if len(ends) > 1 or min(counts) < 3 or min(similarities) < 0.8:
        return None
    lengths = [end - begin for each in spans.values() for begin, end in each]
    if median(lengths) < 0.2 * mean(lengths):
        return None
    inside = sum(_inside(run, span) for each in spans.values() for span in each)
    coverage = inside / ((run.end - run.begin) * len(spans)) if run.end > run.begin else 0.0
    if coverage < 0.3 or not _communicate(run, spans):
        return None
    depth = run.depths[caller]
    return Loop(caller, depth, region, is_run, spans, min(similarities), coverage)


def _cut(
    calls: Sequence[Call], heads: Sequence[int]
) -> tuple[list[Span], list[float], tuple[int, int]]:
    """The iterations of a process, their similarity, and how many are dropped at both ends."""
    parts = [
        list(calls[head:beyond])
        for head, beyond in zip(heads, [*heads[1:], len(calls)], strict=True)
    ]
    known = {call[0] for part in parts[:-1] for call in part}
    while len(parts[-1]) > 1 and parts[-1][-1][0] not in known:
        parts[-1].pop()
    starts = [part[0][1] for part in parts]
    spans = list(zip(starts, [*starts[1:], parts[-1][-1][2]], strict=True))
    sets = [frozenset(call[0] for call in part) for part in parts]
    lasting: dict[frozenset[int], int] = {}
    for regions, (begin, end) in zip(sets, spans, strict=True):
        lasting[regions] = lasting.get(regions, 0) + end - begin
    usual = max(lasting, key=lambda regions: lasting[regions])
    alike = [len(each & usual) / len(each | usual) for each in sets]
    before = next(at for at, value in enumerate(alike) if value >= 0.5)
    after = next(at for at, value in enumerate(reversed(alike)) if value >= 0.5)
    kept = slice(before, len(spans) - after)
    return spans[kept], alike[kept], (before, after)


def _communicate(run: Run, spans: Mapping[int, Sequence[Span]]) -> bool:
    if run.location_count < 2:
        return True
    held = [
        any(begin <= moment < end for moment in run.operations.get(process, ()))
        for process, each in spans.items()
        for begin, end in each
    ]
    return mean(held) >= 0.8


def _inside(run: Run, span: Span) -> int:
    begin, end = (min(max(moment, run.begin), run.end) for moment in span)
    return end - begin


def _length(row: Mapping[str, Any]) -> int:
    return int(row["leave_ns"]) - int(row["enter_ns"])
