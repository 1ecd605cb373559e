"""Access of compiled code to the tables of simulated processes."""

from collections.abc import Callable, Iterator
from typing import Any

from tracemill.kernels.addressed import getter
from tracemill.kernels.forecast.layout import Tables

_NUMBERS = {name: number for number, name in enumerate(Tables._fields)}


def _getters(dimensions: int, *names: str, item: str = "int64") -> Iterator[Callable[..., Any]]:
    return (getter(_NUMBERS[name], dimensions, item) for name in names)


counters_of, in_rounds_of, buckets_of, followers_of = _getters(
    1, "counters", "in_rounds", "buckets", "followers"
)
(
    code_of, operations_of, outs_of, out_first_of, in_first_of, in_degrees_of, parts_of,
    processes_of, entered_of, marks_of, records_of, tasks_of, queue_of, points_of,
) = _getters(
    2, "code", "operations", "outs", "out_first", "in_first", "in_degrees", "parts", "processes",
    "entered", "marks", "records", "tasks", "queue", "points",
)  # fmt: skip
edges_of, pipes_of, sent_of, progress_of = _getters(3, "edges", "pipes", "sent", "progress")
(weights_of,) = _getters(1, "weights", item="float64")
spent_of, classes_of = _getters(3, "spent", "classes", item="float64")
