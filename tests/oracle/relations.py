"""The slow and obvious Python version of each relation with a meaning of its own.

An oracle takes the tables that were read from a trace and other relations. Sums, counts and lists
have none: golden tests, laws and the reference results cover them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tests.oracle import (
    collectives,
    critical_path_points,
    delays,
    imbalance,
    matching,
    one_sided,
    one_sided_waits,
    teams,
    waiting,
)

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Oracle = Callable[[Tables], list[Row]]

_FUNCTIONS: tuple[Oracle, ...] = (
    # messages
    matching.messages, matching.unmatched_messages,
    matching.doubtful_channels,
    # collectives
    collectives.collective_calls, collectives.collectives,
    collectives.collective_roles, collectives.cart_neighbors, collectives.synchronized_members,
    collectives.framing_calls,
    # threads
    teams.parallel_visits, teams.team_barriers, teams.team_endings, teams.fork_join_times,
    teams.team_barrier_waits, teams.task_calls,
    # one-sided communication
    one_sided.rma_calls, one_sided.rma_collectives, one_sided.rma_epochs,
    one_sided.rma_epoch_pairs, one_sided.rma_lock_epochs, one_sided.rma_lock_queue,
    one_sided.rma_accesses,
    one_sided_waits.rma_synchronized_calls, one_sided_waits.rma_synchronization_waits,
    one_sided_waits.late_post, one_sided_waits.rma_lock_competition,
    one_sided_waits.wait_for_progress,
    # wait states
    waiting.awaited_messages, waiting.wrong_order, waiting.late_sender, waiting.late_receiver,
    waiting.collective_waits, waiting.collective_completions,
    waiting.nonblocking_collective_waits, waiting.collective_io_waits,
    waiting.init_completion, waiting.wait_at_finalize, waiting.lock_contention,
    # critical path
    critical_path_points.location_spans, critical_path_points.synchronization_points,
    critical_path_points.critical_path_jumps, critical_path_points.critical_path_steps,
    critical_path_points.critical_path_segments, critical_path_points.critical_path_profile,
    # root causes
    delays.root_causes, delays.indirect_waits,
    # imbalance
    imbalance.computational_imbalance, imbalance.location_imbalance,
)  # fmt: skip
ORACLES: dict[str, Oracle] = {function.__name__: function for function in _FUNCTIONS}
