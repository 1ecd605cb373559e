"""Branches: each execution takes the alternative that is furthest behind its share."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.tables import choices_of, code_of, shares_of


@unchecked
def choose(state: Any, process: Any, op: Any) -> Any:
    """Number of the alternative that a process takes at instruction `op`."""
    code, taken = code_of(state), choices_of(state)[process]
    first, count = code[op, at.SLOT], code[op, at.COUNT]
    executions = 1
    for place in range(first, first + count):
        executions += taken[place]
    best, best_behind = first, -1.0
    for place in range(first, first + count):
        behind = shares_of(state)[place] * executions - taken[place]
        if place == first or behind > best_behind:
            best, best_behind = place, behind
    taken[best] += 1
    return best - first
