"""The activity graph of a stored run, computed when first read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from tracemill.base.errors import MissingInputError
from tracemill.engine.asking import Answer, computed_again
from tracemill.stages.arrays import Numbers, read_columns
from tracemill.stages.pop_metrics import find_computation
from tracemill.stages.replays import GRAPH_INPUTS, read_graph, require_known_streams
from tracemill.stages.scaling import Names, Received, Scaled
from tracemill.store.runs import Run

GRAPH = ("activities", "activity_dependencies", "activity_times")
_TABLES = (
    "call_paths", "region_classes", "regions", "locations", "location_groups",
    "system_tree_nodes", "messages",
)  # fmt: skip
_TRANSIENT = ("mpi_call_paths", "parallel_visits", "replay_calls", "replay_records")
_RECEIVED = """
SELECT DISTINCT
    dependencies.activity_id,
    messages.bytes,
    sending.system_tree_node_id IS DISTINCT FROM receiving.system_tree_node_id AS is_between
FROM activity_dependencies AS dependencies
INNER JOIN messages USING (message_id)
INNER JOIN location_groups AS sending ON messages.sender_group_id = sending.location_group_id
INNER JOIN location_groups AS receiving ON messages.receiver_group_id = receiving.location_group_id
WHERE dependencies.kind IN ('message', 'rendezvous')
"""
_PLACES = """
SELECT
    locations.location_id::BIGINT AS id,
    coalesce(locations.rank, -1)::BIGINT AS rank,
    locations.thread::BIGINT AS thread,
    coalesce(nodes.name, '') AS node
FROM locations
LEFT JOIN location_groups USING (location_group_id)
LEFT JOIN system_tree_nodes AS nodes USING (system_tree_node_id)
ORDER BY locations.location_id
"""


class Opened(NamedTuple):
    """A run that can be run again, with the names of its call paths and the slack of activities."""

    scaled: Scaled
    run: Run
    answer: Answer
    call_paths: list[str]
    total_slack: Numbers


@contextmanager
def opened_graph(run: Run) -> Iterator[Opened]:
    """The activity graph of a run; raises MissingInputError if it has no records."""
    run.require_records("a replay needs")
    with computed_again(run, (*GRAPH, *_TRANSIENT)) as answer:
        for name in (*GRAPH, *_TRANSIENT, *_TABLES):
            answer.provide(name)
        yield _open(answer, run)


def _open(answer: Answer, run: Run) -> Opened:
    table = answer.connection.table
    graph = read_graph(*map(table, GRAPH_INPUTS))
    if graph is None:
        raise MissingInputError(f"{run.label}: no location has records: nothing can be replayed")
    found, paths, threads, _ = graph
    require_known_streams(found, run.label)
    number, slack = read_columns(table("activities"), "activity_id", "total_slack_ns")
    total_slack = np.empty(len(number), np.int64)
    total_slack[number] = slack
    texts = table("call_paths").order("call_path_id").select("path").fetchall()
    received = answer.connection.sql(_RECEIVED).fetchnumpy()
    return Opened(
        Scaled(
            found,
            paths,
            find_computation(found, paths, threads),
            _names(answer, found.location_ids),
            Received(
                *(np.asarray(received[name]) for name in ("activity_id", "bytes", "is_between"))
            ),
        ),
        run,
        answer,
        [text for (text,) in texts],
        total_slack,
    )


def _names(answer: Answer, location_ids: Numbers) -> Names:
    regions: dict[str, list[int]] = {}
    for number, name in answer.connection.sql(
        "SELECT region_id, name FROM regions ORDER BY region_id"
    ).fetchall():
        regions.setdefault(name, []).append(number)
    mpi = answer.connection.sql(
        "SELECT DISTINCT region_id FROM mpi_call_paths INNER JOIN call_paths USING (call_path_id)"
    ).fetchall()
    paths = answer.connection.sql(
        "SELECT path, min(call_path_id) FROM call_paths GROUP BY path"
    ).fetchall()
    places = answer.connection.sql(_PLACES).fetchall()
    kept = [row for row in places if row[0] in set(location_ids.tolist())]
    _, rank, thread, node = zip(*kept, strict=True)
    used = _used_regions(answer)
    return Names(
        {name: numbers for name, numbers in regions.items() if used & set(numbers)},
        frozenset(each for (each,) in mpi),
        dict(paths),
        np.array(rank, np.int64),
        np.array(thread, np.int64),
        node,
    )


def _used_regions(answer: Answer) -> set[int]:
    """Regions that have a call path."""
    return {
        each for (each,) in answer.connection.sql("SELECT region_id FROM call_paths").fetchall()
    }
