"""Replays of stored runs, for tests: their graph, gains, and near-critical paths."""

from collections.abc import Iterator

import numpy as np

from tracemill.engine.asking import computed_again
from tracemill.kernels.replay import follow_back, last_activity, replay
from tracemill.replay.opening import GRAPH, Opened, opened_graph
from tracemill.replay.what_if import change
from tracemill.stages.activity_rows import Activities, read_activities
from tracemill.stages.near_paths import NearPath, find_near_paths
from tracemill.stages.scaling import parse_scale
from tracemill.store.runs import Run

graph_of = opened_graph

# The wait states that are the waits of each kind of dependency.
FAMILIES = {
    "late sender": (("message",), ("mpi_latesender", "mpi_lswo_same", "mpi_lswo_different")),
    "late receiver": (("synchronous", "rendezvous"), ("mpi_latereceiver",)),
    "barrier": (("barrier",), ("mpi_barrier_wait",)),
    "n to n": (("n_to_n",), ("mpi_wait_nxn",)),
    "one to n": (("one_to_n",), ("mpi_latebroadcast",)),
    "n to one": (("n_to_one",), ("mpi_earlyreduce",)),
    "scan": (("scan",), ("mpi_earlyscan",)),
    "finalize": (("finalize",), ("mpi_finalize_wait",)),
    "fence": (("fence",), ("mpi_rma_wait_at_fence", "mpi_rma_early_fence")),
    "device": (("device",), ("device_wait",)),
    "team barrier": (("team_barrier",), ("omp_ebarrier_wait", "omp_ibarrier_wait")),
    "lock": (
        ("lock",),
        (
            "omp_lock_contention_critical",
            "omp_lock_contention_api",
            "pthread_lock_contention_mutex_lock",
            "pthread_lock_contention_conditional",
        ),
    ),
}
_WAITS = """
SELECT dependencies.kind::VARCHAR, sum(activities.wait_ns)::BIGINT
FROM activities
INNER JOIN activity_dependencies AS dependencies USING (activity_id)
WHERE dependencies.is_decisive AND activities.location_id IS NOT NULL
GROUP BY ALL
"""


def gain_of(opened: Opened, scales: str) -> int:
    """How much shorter the run is with the parts scaled (ns)."""
    changed = change(opened, [parse_scale(text) for text in scales.split()])
    return changed.run_ns - changed.changed_ns


def shown_paths(opened: Opened, count: int) -> list[NearPath]:
    """The critical path and the next longest."""
    return find_near_paths(opened.scaled.found, opened.total_slack, count)


def sizes_of(run: Run) -> tuple[int, int]:
    """Numbers of activities and of their dependencies."""
    with computed_again(run, GRAPH) as answer:
        first, second = (
            answer.connection.table(each).aggregate("count(*)").fetchall()[0][0]
            for each in GRAPH[:2]
        )
    return first, second


def wrong_replays(run: Run) -> Iterator[str]:
    """Differences of an unchanged replay from the recording."""
    with computed_again(run, GRAPH) as answer:
        found = read_activities(*map(answer.connection.table, GRAPH))
    yield from () if found is None else _wrong(found)


def _wrong(found: Activities) -> Iterator[str]:
    times = replay(found.graph, found.duration)
    count = int((times.end != found.end).sum())
    if count:
        yield f"{count} activities do not end in the replay as recorded"
    is_activity = found.graph.location >= 0
    off = found.sum_rows(found.row_time) != np.where(is_activity, found.duration, 0)
    if off.any():
        yield f"{int(off.sum())} durations are not the sum of their call paths"
    critical = follow_back(found.graph, times, last_activity(found.graph, times))
    if int(found.duration[critical].sum()) != found.run_ns:
        yield "durations on the critical path are not the run time"


def waits_of(run: Run) -> dict[str, tuple[int, int]]:
    """Waits of the graph and of the wait states (ns), by family with either."""
    with computed_again(run, GRAPH) as answer:
        by_kind = dict(answer.connection.sql(_WAITS).fetchall())
        answer.provide("wait_states")
        by_property = dict(
            answer.connection.sql(
                "SELECT property, sum(wait_ns)::BIGINT FROM wait_states "
                "WHERE NOT is_completion GROUP BY property"
            ).fetchall()
        )
    sums = {
        family: (sum(by_kind.get(kind, 0) for kind in kinds),
                 sum(by_property.get(name, 0) for name in properties))
        for family, (kinds, properties) in FAMILIES.items()
    }  # fmt: skip
    return {family: both for family, both in sums.items() if any(both)}
