"""Efficiencies of a focus, computed when first read."""

import pyarrow as pa

from tracemill.engine.asking import computed_again
from tracemill.engine.focusing.resolve import Focus
from tracemill.patterns.catalog import known_tables
from tracemill.stages.arrays import read_columns
from tracemill.stages.focused_pop import compute_pop_of_focus
from tracemill.stages.forks import read_forks
from tracemill.stages.pop_metrics import compute_pop
from tracemill.stages.replays import read_recorded
from tracemill.store.walking import StoredRows

POP = ("pop_metrics", "pop_locations")
_COMPUTED = (
    "activities", "activity_dependencies", "activity_times", "runtime_wait_times",
    "mpi_call_paths", "framing_calls", "parallel_visits", "process_mpi_calls",
)  # fmt: skip
_STORED = ("call_paths", "region_classes", "regions", "locations", "measurement_gaps")


def pop_tables(focus: Focus) -> dict[str, pa.Table]:
    """POP metrics of a focus, and the times of its threads; without rows if no thread has time."""
    with computed_again(focus.run, _COMPUTED) as answer:
        for name in (*_COMPUTED, *_STORED):
            answer.provide(name)
        table = answer.connection.table
        recorded = read_recorded(**{name: table(name) for name in (*_COMPUTED, *_STORED)})
        if recorded is None:
            return {name: known_tables()[name].empty() for name in POP}
        if not focus.is_of_time:
            found = compute_pop(recorded, focus.times.locations)
        else:
            activities = table("activities").order("activity_id")
            (is_runtime,) = read_columns(activities, "kind = 'thread runtime'")
            found = compute_pop_of_focus(
                recorded, focus.times, is_runtime, StoredRows(focus.run.files("visits")),
                read_forks(table("parallel_visits")),
            )  # fmt: skip
    return dict(zip(POP, found, strict=True))
