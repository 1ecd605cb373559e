"""Find loops: sequences of steps that repeat, nested."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tracemill.forecast.from_traces.steps import Node, Repeat, Spent, Step, add_spent

LEAST_REPETITIONS = 3
MOST_OF_MEAN = 2.0
"""Computing after a loop is that of the last iteration up to this multiple of the mean one."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Run:
    """A sequence of `period` elements that is repeated `count` times from `start` on."""

    start: int
    period: int
    count: int

    @property
    def length(self) -> int:
        """Elements covered."""
        return self.period * self.count


def find_runs(values: Sequence[int] | Integers) -> list[Run]:
    """All sequences that are repeated 3 times or more, none of them a repetition itself.

    Numbers sequences of 1, 2, 4, … elements in turn: where one of at least a period occurs again
    after that period, the period repeats. Takes n log² n steps.
    """
    ids = np.unique(np.asarray(values, np.int64), return_inverse=True)[1].astype(np.int64)
    count, width = len(ids), 1
    runs: list[Run] = []
    while LEAST_REPETITIONS * (width // 2 + 1) <= count and len(ids):
        runs += _runs_of_width(ids, width)
        if len(ids) <= width:
            break
        joined = ids[:-width] * (int(ids.max()) + 1) + ids[width:]
        ids = np.unique(joined, return_inverse=True)[1].astype(np.int64)
        width *= 2
    return runs


def _runs_of_width(ids: Integers, width: int) -> list[Run]:
    """Runs whose period is at most `width` and more than half of it."""
    order = np.argsort(ids, kind="stable")
    gaps = np.diff(order)
    is_next = (np.diff(ids[order]) == 0) & (gaps <= width) & (2 * gaps > width)
    period = np.zeros(len(ids) + 1, np.int64)
    period[order[:-1][is_next]] = gaps[is_next]
    edges = np.flatnonzero(np.diff(period, prepend=0))
    runs = []
    for begin, end in pairwise(edges.tolist()):
        size = int(period[begin])
        total = end - begin - 1 + width + size
        if size and total >= LEAST_REPETITIONS * size:
            runs.append(Run(begin, size, total // size))
    return runs


def nest(steps: Sequence[Node]) -> list[Node]:
    """Steps with repetitions as loops, the longest ones first; ties: the shorter iteration."""
    nodes = list(steps)
    while True:
        runs = _choose(find_runs([node.signature for node in nodes]), len(nodes))
        if not runs:
            return nodes
        nodes = _replace(nodes, runs)


def _choose(runs: Sequence[Run], count: int) -> list[Run]:
    """Runs that do not overlap, in order."""
    is_taken = np.zeros(count, bool)
    chosen = []
    for run in sorted(runs, key=lambda run: (-run.length, run.period, run.start)):
        if not is_taken[run.start : run.start + run.length].any():
            is_taken[run.start : run.start + run.length] = True
            chosen.append(run)
    return sorted(chosen, key=lambda run: run.start)


def _replace(nodes: Sequence[Node], runs: Sequence[Run]) -> list[Node]:
    replaced: list[Node] = []
    done = 0
    for run in runs:
        replaced += nodes[done : run.start]
        done = run.start + run.length
        firsts = nodes[run.start : done : run.period]
        before = _take_first(firsts)
        after = _take_last(firsts, nodes[done]) if done < len(nodes) else {}
        body = [
            _joined(nodes[run.start + place : done : run.period]) for place in range(run.period)
        ]
        nested = nest(body)
        for node in nested:
            node.scale(run.count)
        replaced.append(Repeat(nested, _signature(nested), 1, run.count, before, after))
    return [*replaced, *nodes[done:]]


def _take_first(firsts: Sequence[Node]) -> dict[str, Spent]:
    """Take away computing at the begin of the first iteration that no other one has."""
    first, *others = firsts
    if not isinstance(first, Step):
        return {}
    later = {path for node in others if isinstance(node, Step) for path in node.spent}
    return {path: first.spent.pop(path) for path in list(first.spent) if path not in later}


def _take_last(firsts: Sequence[Node], following: Node) -> dict[str, Spent]:
    """Take away computing at the end of iterations.

    The steps hold it before the next iteration and before `following`, but not before the first.
    """
    steps = [node for node in firsts if isinstance(node, Step)]
    if len(steps) < len(firsts) or not isinstance(following, Step):
        return {}
    taken: dict[str, Spent] = {}
    for path in list(following.spent):
        own = [step.spent[path] for step in steps[1:] if path in step.spent]
        if len(own) == len(steps) - 1 and path not in steps[0].spent:
            taken[path] = Spent()
            for step in steps[1:]:
                taken[path].add(step.spent.pop(path))
            mean = taken[path].sum_ns / len(own)
            rest = following.spent.pop(path)
            factor = 1.0 if rest.sum_ns <= MOST_OF_MEAN * mean else mean / rest.sum_ns
            taken[path].add(rest, factor)
            if factor < 1:
                following.spent[path] = Spent()
                following.spent[path].add(rest, 1 - factor)
    return taken


def _joined(alike: Sequence[Node]) -> Node:
    """One node with the times, executions and iterations of all."""
    first = alike[0]
    if isinstance(first, Step):
        step = Step(first.pattern, first.signature)
        for each in alike:
            assert isinstance(each, Step)
            step.executions += each.executions
            add_spent(step.spent, each.spent)
        return step
    repeats = [each for each in alike if isinstance(each, Repeat)]
    bodies = zip(*(each.body for each in repeats), strict=True)
    joined = Repeat(
        [_joined(place) for place in bodies],
        first.signature,
        sum(each.entry_count for each in repeats),
        sum(each.total_count for each in repeats),
    )
    for repeat in repeats:
        add_spent(joined.before, repeat.before)
        add_spent(joined.after, repeat.after)
    return joined


def _signature(body: Sequence[Node]) -> int:
    """The same for loops with the same body, and another one than that of any step."""
    return -2 - abs(hash(tuple(node.signature for node in body)))
