"""Finds the loop of a program: the region that begins every iteration of its main loop.

The children of one visit of a call path per process are cut at the visits of a region, the head.
The set of regions in an iteration is compared with the usual set, the one that lasts longest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracemill.stages.arrays import Flags, Numbers, place

FEWEST = 3
"""Fewer recurrences are no loop."""
MOST_HEADS, MOST_HEADS_PER_COUNT = 64, 16
"""So many heads of a body are compared, the earliest of those with the same number of visits."""
LEAST_KEPT = 0.5
"""Leading and trailing iterations that resemble the usual set less are no part of the loop."""
LEAST_SIMILARITY, LEAST_MEDIAN, LEAST_COVERAGE, LEAST_COMMUNICATING = 0.8, 0.2, 0.3, 0.8
_WIDE_COVERAGE, _GOOD_SIMILARITY = 0.5, 0.9
_SPARSE = 16
_DIGITS = 9
"""Digits of similarities, so that equal ones are equal."""
_GROWTH = np.uint64(0x9E3779B97F4A7C15)
_MIXING = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Ratios = NDArray[np.float64]


@dataclass(frozen=True)
class Body:
    """The children of a call path on all processes, by process and time; times in ns.

    Those of process i are `first[i]` up to `first[i + 1]`. The root has call path and depth -1.
    """

    call_path: int
    depth: int
    first: Numbers
    region: Numbers
    enter: Numbers
    leave: Numbers

    @property
    def process_count(self) -> int:
        return len(self.first) - 1

    @cached_property
    def process(self) -> Numbers:
        """The process of each child."""
        return np.repeat(np.arange(self.process_count), np.diff(self.first))

    @cached_property
    def names(self) -> Numbers:
        """The regions, each once."""
        return _distinct(self.region, int(self.region.max()) + 1)

    @cached_property
    def code(self) -> Numbers:
        """The position of each child's region in `names`."""
        return place(self.names, np.arange(len(self.names)))[self.region]

    @cached_property
    def counts(self) -> Numbers:
        """Visits of each region (columns) on each process (rows)."""
        size = self.process_count * len(self.names)
        keys = self.process * len(self.names) + self.code
        return np.bincount(keys, minlength=size).reshape(self.process_count, -1)


@dataclass(frozen=True)
class Spans:
    """Iterations: a row per process, a column per iteration; times in ns.

    `dropped` are the numbers of iterations left out before and after on each process.
    """

    begin: Numbers
    end: Numbers
    similarity: Ratios
    dropped: tuple[Numbers, Numbers]

    @property
    def count(self) -> int:
        """The number of iterations."""
        return self.begin.shape[1]


@dataclass(frozen=True, kw_only=True)
class Window:
    """The main part of the run in ns.

    `communicate` is true of iterations of which enough contain an operation that synchronizes or
    moves data, and in runs of one location.
    """

    begin: int
    end: int
    communicate: Callable[[Spans], bool]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A head with its iterations, and why it is no loop: `reason` is empty if it is one.

    `counts` are the visits per process. Without `spans`, the iterations were not determined.
    """

    body: Body
    region: int
    is_run: bool
    counts: Numbers
    first_ns: int
    reason: str
    spans: Spans | None = None
    similarity: float = 0.0
    coverage: float = 0.0

    @property
    def count(self) -> int:
        """The number of iterations of each process."""
        return self.spans.count if self.spans else 0


def list_candidates(bodies: Sequence[Body], window: Window) -> Iterator[Candidate]:
    """Every region that a process repeats: all visits, or the first of each run."""
    for body in bodies:
        is_repeated = body.counts.max(axis=0) >= FEWEST - 1
        chosen = _choose_heads(body, np.flatnonzero(is_repeated & (body.counts > 0).all(axis=0)))
        for code in np.flatnonzero(is_repeated).tolist():
            yield from _judge_region(body, code, window, is_tried=code in chosen)


def choose_loop(candidates: Sequence[Candidate]) -> Candidate | None:
    """The best of the candidates that are loops, or None.

    Outer loops cover more, inner ones recur more often: of those with similar iterations, the least
    depth and the most iterations win.
    """
    left = [each for each in candidates if not each.reason]
    if not left:
        return None
    widest = max(each.coverage for each in left)
    left = [each for each in left if each.coverage >= _WIDE_COVERAGE * widest]
    closest = max(each.similarity for each in left)
    least_similar = round(_GOOD_SIMILARITY * closest, _DIGITS)
    left = [each for each in left if each.similarity >= least_similar]
    outermost = min(each.body.depth for each in left)
    left = [each for each in left if each.body.depth == outermost]
    most = max(each.count for each in left)
    left = [each for each in left if each.count >= most - 1]
    return min(left, key=_rank)


def cut_iterations(body: Body, heads: Numbers) -> Spans:
    """The iterations that begin at these children, of which every process has a row."""
    last = _find_last(body, heads)
    begin = body.enter[heads]
    end = np.hstack([begin[:, 1:], body.leave[last][:, None]])
    nothing = np.zeros(len(heads), np.int64)
    similarity = _compare_sets(body, heads, last, end - begin)
    return Spans(begin, end, similarity, (nothing, nothing))


def drop_ends(spans: Spans) -> Spans:
    """The iterations without unusual ones at the ends; they may differ between processes.

    Where they do, all are kept, and `dropped` shows the difference.
    """
    is_usual = spans.similarity >= LEAST_KEPT
    before, after = is_usual.argmax(axis=1), is_usual[:, ::-1].argmax(axis=1)
    if before.min() != before.max() or after.min() != after.max():
        return replace(spans, dropped=(before, after))
    kept = slice(before[0], spans.count - after[0])
    return Spans(
        spans.begin[:, kept], spans.end[:, kept], spans.similarity[:, kept], (before, after)
    )


def cover(spans: Spans, begin: int, end: int) -> float:
    """The share of the iterations in the main part of all processes."""
    inside = spans.end[:, -1].clip(begin, end) - spans.begin[:, 0].clip(begin, end)
    return int(inside.sum()) / max((end - begin) * len(inside), 1)


def resemblance(spans: Spans) -> float:
    """The mean similarity of the process where it is least, without rounding errors."""
    return round(float(spans.similarity.mean(axis=1).min()), _DIGITS)


def _choose_heads(body: Body, codes: Numbers) -> set[int]:
    """The heads to compare, if there are many."""
    if len(codes) <= MOST_HEADS_PER_COUNT:
        return set(codes.tolist())
    _, earliest = np.unique(body.code[: body.first[1]], return_index=True)
    names = np.unique(body.code[: body.first[1]])
    order = codes[np.argsort(earliest[np.searchsorted(names, codes)])]
    tried: dict[int, int] = {}
    chosen: list[int] = []
    for code in order.tolist():
        count = int(body.counts[0, code])
        tried[count] = tried.get(count, 0) + 1
        if tried[count] <= MOST_HEADS_PER_COUNT:
            chosen.append(code)
    return set(chosen[:MOST_HEADS])


def _judge_region(body: Body, code: int, window: Window, *, is_tried: bool) -> Iterator[Candidate]:
    is_head = body.code == code
    counts = body.counts[:, code]
    candidate = Candidate(
        body=body,
        region=int(body.names[code]),
        is_run=False,
        counts=counts,
        first_ns=int(body.enter[is_head].min()),
        reason="counts differ" if counts.min() != counts.max() else "not compared",
    )
    if candidate.reason == "counts differ" or not is_tried:
        yield candidate
        return
    yield _judge(candidate, is_head, window)
    firsts = _begin_runs(body, is_head)
    counts = np.bincount(body.process[firsts], minlength=body.process_count)
    if firsts.sum() < is_head.sum() and counts.min() == counts.max() > 1:
        yield _judge(replace(candidate, is_run=True, counts=counts), firsts, window)


def _judge(candidate: Candidate, is_head: Flags, window: Window) -> Candidate:
    """The candidate with its iterations and the first condition that does not hold."""
    body = candidate.body
    heads = np.flatnonzero(is_head).reshape(body.process_count, -1)
    ends = body.leave[body.first[1:] - 1]
    inside = ends.clip(window.begin, window.end) - body.enter[heads[:, 0]].clip(
        window.begin, window.end
    )
    if inside.sum() < LEAST_COVERAGE * (window.end - window.begin) * len(ends):
        return replace(candidate, reason="short")
    spans = drop_ends(cut_iterations(body, heads))
    found = replace(
        candidate,
        spans=spans,
        first_ns=int(spans.begin[:, 0].min()),
        similarity=resemblance(spans),
        coverage=cover(spans, window.begin, window.end),
    )
    return replace(found, reason=_refuse(found, spans, window))


def _refuse(candidate: Candidate, spans: Spans, window: Window) -> str:
    before, after = spans.dropped
    if before.min() != before.max() or after.min() != after.max():
        return "ends differ"
    if spans.count < FEWEST - 1:
        return "too few"
    if candidate.similarity < LEAST_SIMILARITY:
        return "unlike"
    length = spans.end - spans.begin
    if np.median(length) < LEAST_MEDIAN * length.mean():
        return "uneven"
    if candidate.coverage < LEAST_COVERAGE:
        return "short"
    if not window.communicate(spans):
        return "no communication"
    return "twice only" if spans.count < FEWEST else ""


def _rank(candidate: Candidate) -> tuple[float, int, int, int, bool]:
    """The order of loops of equal depth, the best first."""
    score = round(candidate.similarity**2 * candidate.coverage, _DIGITS)
    return -score, -candidate.count, candidate.first_ns, candidate.region, candidate.is_run


def _begin_runs(body: Body, is_head: Flags) -> Flags:
    """The first visit of each run of visits without other children between."""
    follows = np.zeros(len(is_head), np.bool_)
    follows[1:] = is_head[:-1]
    follows[body.first[:-1]] = False
    return is_head & ~follows


def _find_last(body: Body, heads: Numbers) -> Numbers:
    """The last child of the last iterations: its region occurs in another iteration too."""
    last = np.empty(body.process_count, np.int64)
    is_seen = np.zeros(len(body.names), np.bool_)
    for process, (begin, end) in enumerate(heads[:, [0, -1]].tolist()):
        is_seen[:] = False
        is_seen[body.code[begin : max(end, begin + 1)]] = True
        rest = body.code[end : body.first[process + 1]]
        last[process] = end + np.flatnonzero(is_seen[rest])[-1]
    return last


def _compare_sets(body: Body, heads: Numbers, last: Numbers, length: Numbers) -> Ratios:
    """Jaccard index of each iteration's set of regions with its process's usual set."""
    process_count, count = heads.shape
    width = len(body.names)
    edges = np.hstack([heads, last[:, None] + 1])
    pairs = np.repeat(np.arange(heads.size) * width, np.diff(edges).ravel())
    inside = zip(heads[:, 0].tolist(), edges[:, -1].tolist(), strict=True)
    pairs += np.concatenate([body.code[begin:end] for begin, end in inside])
    pairs = _distinct(pairs, heads.size * width)
    owner, member = pairs // width, pairs % width
    kind = np.add.reduceat(_mix(body.names)[member], np.flatnonzero(np.diff(owner, prepend=-1)))
    model = _find_usual(kind.reshape(heads.shape), length)
    is_usual = np.zeros((process_count, width), np.bool_)
    of_model = np.isin(owner, model)
    is_usual[owner[of_model] // count, member[of_model]] = True
    shared = np.bincount(owner, is_usual[owner // count, member], heads.size)
    size = np.bincount(owner, minlength=heads.size)
    both = size + np.repeat(is_usual.sum(axis=1), count) - shared
    return (shared / both).reshape(heads.shape)


def _distinct(keys: Numbers, size: int) -> Numbers:
    """The keys, each once and ascending; marking them is faster than sorting if they are dense."""
    if size > _SPARSE * len(keys):
        return np.unique(keys)
    is_present = np.zeros(size, np.bool_)
    is_present[keys] = True
    return np.flatnonzero(is_present)


def _find_usual(kind: NDArray[np.uint64], length: Numbers) -> Numbers:
    """The first iteration with the set that lasts longest, for each process."""
    order = np.argsort(kind, axis=1, kind="stable")
    ordered = np.take_along_axis(kind, order, axis=1)
    is_first = np.ones(kind.shape, np.bool_)
    is_first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    process, place = np.nonzero(is_first)
    earliest = process * kind.shape[1] + order[process, place]
    lasting = np.add.reduceat(
        np.take_along_axis(length, order, axis=1).ravel(), np.flatnonzero(is_first)
    )
    chosen = np.lexsort((earliest, -lasting, process))
    return earliest[chosen[np.searchsorted(process, np.arange(len(kind)))]]


def _mix(numbers: Numbers) -> NDArray[np.uint64]:
    """A number of 64 bits for each region, so that sums of them identify sets (splitmix64)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * _GROWTH
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIXING[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIXING[1]
    return mixed ^ (mixed >> np.uint64(31))
