"""Grids and communicators of processes."""

from math import isqrt

import numpy as np

from tracemill.programs.program import Program


def grid(count: int) -> tuple[int, int]:
    """Rows and columns of the grid of processes that is closest to a square."""
    rows = isqrt(count)
    while count % rows:
        rows -= 1
    return rows, count // rows


def communicators_of(which: str, program: Program) -> list[int]:
    """Numbers of the communicators of a kind; each process is in one of them."""
    count = program.process_count
    if which == "world":
        return [0]
    if which == "halves":
        parts = [list(range(first, -1, -2)) for first in (count - 1, count - 2)]
    else:
        rows, columns = grid(count)
        every = np.arange(count).reshape(rows, columns)
        parts = (every if which == "rows" else every.T).tolist()
    return [
        program.communicator(f"{which} {number}", part) for number, part in enumerate(parts) if part
    ]
