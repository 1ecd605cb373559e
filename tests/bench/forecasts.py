"""Described programs to measure forecasts with, of ten thousand processes."""

from tests.bench.measuring import Trace
from tests.bench.places import CACHE
from tracemill.base.text import hash_of

GRID = (100, 100)
OPERATIONS_PER_ITERATION = 199_712
"""Parts, starts, waits and transfers on data/clusters/fat-tree.toml."""
_PROGRAM = """\
grid = [{rows}, {columns}]
iterations = {iterations}

[[array]]
name = "A"
extent = [20_000, 20_000]
distribution = ["block", "block"]

[[phase]]
kind = "exchange"
arrays = ["A"]

[[phase]]
kind = "parallel"
array = "A"
iteration_ns = 1

[[phase]]
kind = "reduction"
"""


def provide_program(operations: int) -> Trace:
    """A program of about so many parts, starts, waits and transfers."""
    iterations = max(operations // OPERATIONS_PER_ITERATION, 1)
    rows, columns = GRID
    text = _PROGRAM.format(rows=rows, columns=columns, iterations=iterations)
    name, made_by = f"forecast_{operations}_operations", hash_of(text)
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return Trace(name, path, made_by=made_by, byte_count=len(text))
