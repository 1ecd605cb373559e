"""A recorded run as a forecast needs it: its activities, and what its calls exchange."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tracemill.base.errors import MissingInputError
from tracemill.engine.asking import Answer, computed_again
from tracemill.engine.replayed_clocks import place_moments
from tracemill.schemas.replay import DEPENDENCY_KINDS
from tracemill.stages.activity_rows import Activities, Paths
from tracemill.stages.arrays import Numbers, read_columns
from tracemill.stages.pop_metrics import Threads
from tracemill.stages.replays import GRAPH_INPUTS, read_framing, read_graph, require_known_streams
from tracemill.store.runs import Run

NONE = -1
_GRAPH = ("activities", "activity_dependencies", "activity_times")
_ACCESSED = ("visits", "rma_operations")
_EXCHANGES = ("replay_edges", "replay_meetings", "mpi_call_paths", "rma_accesses")
# Calls that send, receive, complete, or meet others; each of them costs the overhead.
_COMMUNICATING = """
SELECT visits.visit_id
FROM visits
INNER JOIN mpi_call_paths AS calls USING (call_path_id)
WHERE
    NOT calls.is_local
    AND NOT calls.is_setup
    AND NOT regexp_matches(
        calls.call,
        '^mpi_((file|comm|intercomm|cart|graph|dist_graph|buffer|request|session)_'
        || '|win_(create|allocate|free|attach|detach|get|set|shared)|cancel$|abort$)|_init$'
    )
ORDER BY visits.visit_id
"""
# A call that waits for its own begin: so both its enter and its leave become moments of the graph.
_WITH_CALLS = """
SELECT * FROM replay_edges
UNION ALL BY NAME
SELECT
    'message' AS kind,
    2 * visit_id + 1 AS boundary_id,
    2 * visit_id AS cause_boundary_id
FROM communicating
"""
_MESSAGES = f"""
SELECT
    messages.message_id,
    messages.sender_group_id::BIGINT AS sender,
    messages.receiver_group_id::BIGINT AS receiver,
    messages.bytes,
    2 * coalesce(messages.receive_post_visit_id, messages.receive_completion_visit_id)
        AS posted_id,
    coalesce(2 * messages.send_completion_visit_id + 1, {NONE}) AS completed_id,
    coalesce(calls.send_mode NOT IN ('buffered', 'ready'), TRUE) AS is_standard
FROM messages
LEFT JOIN mpi_call_paths AS calls ON messages.send_post_call_path_id = calls.call_path_id
ORDER BY messages.message_id
"""
_MEMBERS = """
SELECT
    members.collective_id,
    collectives.operation::VARCHAR AS operation,
    coalesce(collectives.root_rank = members.comm_rank, FALSE) AS is_root,
    collectives.is_neighborhood,
    members.location_id::BIGINT AS location,
    2 * coalesce(members.start_visit_id, members.visit_id) AS started_id,
    members.bytes_sent,
    members.bytes_received
FROM collective_members AS members
INNER JOIN collectives USING (collective_id)
INNER JOIN communicators USING (communicator_id)
WHERE
    collectives.is_complete
    AND communicators.kind <> 'inter'
    AND collectives.operation <> 'create_handle'
    AND members.visit_id IS NOT NULL
ORDER BY members.collective_id, members.comm_rank
"""
# A call for one target completes only operations on that.
ACCESSES = """
SELECT
    2 * accesses.visit_id AS started_id,
    2 * min(closing.visit_id) + 1 AS closed_id,
    accesses.location_group_id::BIGINT AS origin,
    accesses.target_group_id::BIGINT AS target,
    coalesce(any_value(operations.bytes), 0) AS bytes,
    any_value(calls.call) IN ('mpi_get', 'mpi_rget') AS is_get
FROM rma_accesses AS accesses
INNER JOIN rma_operations AS operations USING (location_id, sequence)
INNER JOIN visits ON accesses.visit_id = visits.visit_id
INNER JOIN mpi_call_paths AS calls ON visits.call_path_id = calls.call_path_id
INNER JOIN (
    SELECT
        records.location_id,
        records.rma_window_id,
        records.visit_id,
        coalesce(
            list(DISTINCT records.remote_rank) FILTER (WHERE records.remote_rank IS NOT NULL), []
        ) AS targets
    FROM rma_operations AS records
    INNER JOIN visits ON records.visit_id = visits.visit_id
    INNER JOIN mpi_call_paths AS calls ON visits.call_path_id = calls.call_path_id
    WHERE calls.one_sided_role IN ('fence', 'complete', 'unlock', 'flush')
    GROUP BY records.location_id, records.rma_window_id, records.visit_id
) AS closing
    ON
        accesses.location_id = closing.location_id
        AND accesses.rma_window_id = closing.rma_window_id
        AND accesses.visit_id < closing.visit_id
        AND (len(closing.targets) = 0 OR list_contains(closing.targets, operations.remote_rank))
GROUP BY accesses.location_id, accesses.sequence, accesses.visit_id, origin, target
ORDER BY accesses.location_id, accesses.sequence
"""
_PLACES = """
SELECT
    locations.location_id::BIGINT AS location,
    coalesce(creating_location_group_id, location_group_id)::BIGINT AS process,
    coalesce(locations.rank, 0)::BIGINT AS rank
FROM locations
LEFT JOIN location_groups USING (location_group_id)
ORDER BY locations.location_id
"""

Columns = Mapping[str, Any]


class Recorded(NamedTuple):
    """A run: activities, the moments that they end with, and what calls exchange.

    `moments` are moments in ascending order, `activity_of` the activities that end there.
    `edges` are dependencies as columns. `process` numbers the process of every location of the
    graph, in the order of ranks; `group` has the number of each location group.
    """

    found: Activities
    paths: Paths
    threads: Threads
    framing: tuple[Numbers, Numbers]
    moments: Numbers
    activity_of: Numbers
    edges: Columns
    communicating: Numbers
    messages: Columns
    members: Columns
    accesses: Columns
    process: Numbers
    group: Mapping[int, int]
    ranks: Numbers
    call_paths: list[str]

    def activities_at(self, moments: Numbers) -> Numbers:
        """The activities that end at these moments, or none."""
        place = np.minimum(np.searchsorted(self.moments, moments), len(self.moments) - 1)
        return np.where(self.moments[place] == moments, self.activity_of[place], NONE)


def read_run(run: Run) -> Recorded:
    """A run of a store; raises MissingInputError if it has no records."""
    if not {"visits", "messages", "collective_members"} <= set(run.tables):
        raise MissingInputError(f"{run.label}: its calls are not in the store: analyze its trace")
    with computed_again(run, _EXCHANGES) as answer:
        for name in (*_EXCHANGES, *_ACCESSED):
            answer.provide(name)
        communicating = answer.connection.sql(_COMMUNICATING).to_arrow_table()
        answer.connection.register("communicating", communicating)
        given = {
            "replay_edges": answer.connection.sql(_WITH_CALLS).to_arrow_table(),
            "replay_meetings": answer.table("replay_meetings"),
        }
        accesses = answer.connection.sql(ACCESSES).fetchnumpy()
    kept = (
        *_GRAPH,
        "replay_calls",
        "replay_records",
        "mpi_call_paths",
        "framing_calls",
        "parallel_visits",
    )
    with computed_again(run, kept, given) as answer:
        for name in (
            *kept, "messages", "collectives", "collective_members", "communicators", "locations",
            "location_groups", "call_paths", "region_classes", "regions",
        ):  # fmt: skip
            answer.provide(name)
        return _collect(answer, run, communicating["visit_id"].to_numpy(), accesses)


def _collect(answer: Answer, run: Run, communicating: Numbers, accesses: Columns) -> Recorded:
    table, sql = answer.connection.table, answer.connection.sql
    graph = read_graph(*map(table, GRAPH_INPUTS))
    if graph is None:
        raise MissingInputError(f"{run.label}: no location has records: nothing can be forecast")
    found, paths, threads, _ = graph
    require_known_streams(found, run.label)
    moments = place_moments(answer, found)
    by_moment = np.argsort(moments, kind="stable")
    location, group, rank = read_columns(sql(_PLACES), "location", "process", "rank")
    is_used = np.isin(location, found.location_ids)
    by_rank = sorted(set(zip(rank[is_used].tolist(), group[is_used].tolist(), strict=True)))
    numbers = {each: number for number, (_, each) in enumerate(by_rank)}
    texts = table("call_paths").order("call_path_id").select("path").fetchall()
    return Recorded(
        found,
        paths,
        threads,
        read_framing(table("framing_calls"), table("activities"), found.location_ids),
        moments[by_moment],
        by_moment,
        _read_edges(answer),
        communicating,
        sql(_MESSAGES).fetchnumpy(),
        sql(_MEMBERS).fetchnumpy(),
        accesses,
        np.array([numbers[each] for each in group[is_used].tolist()], np.int64),
        numbers,
        np.array([each for each, _ in by_rank], np.int64),
        [text for (text,) in texts],
    )


def _read_edges(answer: Answer) -> dict[str, Numbers]:
    names = " ".join(f"WHEN '{name}' THEN {at}" for at, name in enumerate(DEPENDENCY_KINDS))
    activity, cause, kind, message, collective = read_columns(
        answer.connection.table("activity_dependencies"),
        "activity_id", "cause_activity_id", f"(CASE kind {names} END)::BIGINT",
        f"coalesce(message_id, {NONE})", f"coalesce(collective_id, {NONE})",
    )  # fmt: skip
    return {
        "activity": activity, "cause": cause, "kind": kind, "message": message,
        "collective": collective,
    }  # fmt: skip
