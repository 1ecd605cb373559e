"""Which slow and obvious Python stands for each relation that is computed from a trace.

An oracle takes what was read from a trace, and relations that have an oracle of their own.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tests.oracle import (
    collectives,
    critical_path_points,
    critical_path_sums,
    findings,
    imbalance,
    input_output,
    master_worker,
    matching,
    one_sided,
    one_sided_waits,
    overheads,
    profiles,
    quality,
    region_profiles,
    severities,
    stored_runs,
    teams,
    time_course,
    timeline,
    traffic,
    waiting,
)

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Oracle = Callable[[Tables], list[Row]]

BIN_COUNT = 200
_FUNCTIONS: tuple[Oracle, ...] = (
    # profiles
    region_profiles.flat_profile, region_profiles.region_graph_nodes,
    region_profiles.region_graph_edges,
    # messages
    stored_runs.mpi_calls, stored_runs.mpi_call_paths, matching.sends, matching.receives,
    matching.probed_receives, matching.messages, matching.unmatched_messages,
    matching.doubtful_channels, traffic.communication_matrix, traffic.message_sizes,
    # collectives
    collectives.process_ranks, collectives.collective_calls, collectives.collectives,
    collectives.collective_members,
    collectives.collective_roles, collectives.cart_neighbors, collectives.synchronized_members,
    collectives.framing_calls, collectives.collective_counts,
    # input and output
    input_output.file_operations, input_output.file_accesses, input_output.file_severities,
    input_output.collective_file_calls,
    # threads
    teams.parallel_visits, teams.team_barriers, teams.team_endings, teams.fork_join_times,
    teams.team_barrier_waits, teams.team_workers, teams.serial_call_paths,
    teams.limited_parallelism, teams.team_severities, teams.task_calls,
    # one-sided communication
    one_sided.rma_calls, one_sided.rma_collectives, one_sided.rma_epochs,
    one_sided.rma_epoch_pairs, one_sided.rma_lock_epochs, one_sided.rma_lock_queue,
    one_sided.rma_accesses, one_sided.rma_synchronization_counts,
    one_sided_waits.rma_synchronized_calls, one_sided_waits.rma_synchronization_waits,
    one_sided_waits.late_post, one_sided_waits.rma_lock_competition,
    one_sided_waits.wait_for_progress,
    # wait states
    waiting.awaited_messages, waiting.wrong_order, waiting.late_sender, waiting.late_receiver,
    waiting.collective_waits, waiting.collective_completions,
    waiting.nonblocking_collective_waits, input_output.collective_io_waits,
    waiting.init_completion, waiting.wait_at_finalize, waiting.lock_contention,
    waiting.wait_states, severities.severities,
    # findings
    master_worker.devoted_processes, master_worker.worker_rounds, master_worker.master_workers,
    findings.operation_calls, findings.operation_costs, findings.leading_communication,
    findings.large_messages, findings.uneven_distribution,
    findings.master_worker_starving, findings.master_overloaded,
    findings.tasks_too_fine, findings.findings, findings.finding_totals,
    # what the trace is good for
    quality.open_requests, quality.clock_violations, quality.trace_quality,
    # critical path
    critical_path_points.location_spans, critical_path_points.synchronization_points,
    critical_path_points.critical_path_jumps, critical_path_points.critical_path_steps,
    critical_path_sums.critical_path_segments, critical_path_sums.critical_path_profile,
    critical_path_sums.critical_path_work, critical_path_sums.critical_path_impacts,
    critical_path_sums.critical_path_imbalances, critical_path_sums.critical_path_severities,
    critical_path_sums.critical_path_locations, critical_path_sums.critical_path_partners,
    critical_path_sums.critical_path_summary, critical_path_sums.critical_path_waits,
    # overheads and imbalance
    overheads.overhead_rules, overheads.region_classes, overheads.call_path_overheads,
    overheads.region_overheads, time_course.location_bases, time_course.location_overheads,
    time_course.overheads, time_course.task_stretches, time_course.class_changes,
    imbalance.imbalance_scopes, imbalance.computational_imbalance, imbalance.location_imbalance,
    imbalance.idle_times, imbalance.process_idle_times,
    # what is drawn
    timeline.timeline_bins,
)  # fmt: skip
ORACLES: dict[str, Oracle] = {function.__name__: function for function in _FUNCTIONS} | {
    "call_tree": lambda tables: profiles.with_profile(read_profile(tables))["call_tree"],
    "time_profile": partial(time_course.time_profile, bin_count=BIN_COUNT),
}
# Lists that are the same for all traces, and what holds them.
LISTS = {
    "metrics": "the check metrics_are_described, and tests of what patterns declare",
    "patterns": "tests of what patterns declare",
    "overhead_classes": "the taxonomy that the schemas declare",
}
# Other relations without one, and what holds them instead.
WITHOUT = {
    "call_path_keys": "hashes without a meaning; golden tests hold what they depend on",
    "task_pauses": "all its rows are among class_changes, which are held",
}
# Columns that an oracle does not know.
TEXTS = {"trace_quality": {"detail"}}
# Relations that may be cut into rows in any way, and how to bring them into one form.
FORMS: dict[str, Callable[[list[Row]], list[Row]]] = {"class_changes": time_course.net_changes}


def read_profile(tables: Tables) -> dict[str, list[Row]]:
    """What the call tree is summed up from."""
    return {name: tables[name] for name in ("call_paths", "visits", "task_fragments")}
