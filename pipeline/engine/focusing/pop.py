"""Efficiencies of a focus, computed when first read."""

import pyarrow as pa

from tracemill.engine.asking import computed_again
from tracemill.engine.focusing.resolve import Focus
from tracemill.patterns.catalog import known_tables
from tracemill.stages.activity_graph import build_graph
from tracemill.stages.focused_pop import compute_pop_of_focus
from tracemill.stages.forks import read_forks
from tracemill.stages.pop_metrics import compute_pop, find_computation
from tracemill.stages.replays import complete
from tracemill.store.walking import StoredRows

POP = ("pop_metrics", "pop_locations")
_GRAPH = "replay_calls", "replay_records", "replay_edges", "replay_meetings", "locations"
_COMPUTED = (
    *_GRAPH[:-1], "mpi_call_paths", "framing_calls", "parallel_visits", "process_mpi_calls",
)  # fmt: skip
_STORED = ("call_paths", "region_classes", "regions", "locations", "measurement_gaps")


def pop_tables(focus: Focus) -> dict[str, pa.Table]:
    """POP metrics of a focus, and the times of its threads; without rows if no thread has time."""
    with computed_again(focus.run, _COMPUTED) as answer:
        for name in (*_COMPUTED, *_STORED):
            answer.provide(name)
        table = answer.connection.table
        graph = build_graph(*map(table, _GRAPH))
        if graph is None:
            return {name: known_tables()[name].empty() for name in POP}
        visits = StoredRows(focus.run.files("visits"))
        others = {name: table(name) for name in (*_COMPUTED[4:], *_STORED)}
        recorded = complete(graph, visits, **others)
        if not focus.is_of_time:
            is_computation = find_computation(recorded.found, recorded.paths, recorded.threads)
            found = compute_pop(recorded, is_computation, focus.times.locations)
        else:
            found = compute_pop_of_focus(
                recorded, focus.times, graph.durations.is_runtime, visits,
                read_forks(table("parallel_visits")),
            )  # fmt: skip
    return dict(zip(POP, found, strict=True))
