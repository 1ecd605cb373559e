"""The tables of a run within a focus.

A few tables are replaced by their part in the focus, and what the run computes from them is
computed from those: the stages run over times that each location has spent in the focus. Where
times of several locations meet, intervals are clamped instead.
"""

from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tracemill.engine.asking import Answer, computed_again
from tracemill.engine.focusing.clipping import (
    clamp,
    clip_segments,
    clip_waits,
    held,
    numbers_of,
    of_locations,
    spend,
    spend_points,
    spend_segments,
    spend_waits,
    with_columns,
)
from tracemill.engine.focusing.idle import IDLE, rounds_of, workers_of
from tracemill.engine.focusing.resolve import Focus
from tracemill.patterns.catalog import known_tables
from tracemill.stages.focus_profile import find_focus_visits, sum_call_tree
from tracemill.stages.focus_times import FocusTimes
from tracemill.store.runs import Run

Tables = dict[str, pa.Table]

# Tables of the whole run that exist only during its analysis.
_TRANSIENT = (
    "parallel_visits", "task_calls", "location_bases", "synchronization_points", "team_barriers",
    "location_spans", "class_changes", "file_operations", "rma_epoch_pairs", "rma_collectives",
    "rma_accesses",
)  # fmt: skip
# What follows from the time that locations spend in the focus.
_PROFILES = (
    "flat_profile", "location_overheads", "overheads", "idle_times",
    "process_idle_times", "call_path_overheads", "region_overheads", "region_graph_nodes",
    "region_graph_edges", "computational_imbalance", "location_imbalance",
    "critical_path_profile", "critical_path_locations", "critical_path_work",
    "critical_path_severities", "critical_path_waits", "team_severities",
)  # fmt: skip
_TIMES = {
    "parallel_visits": ("fork_ns", "enter_ns", "leave_ns", "join_ns"),
    "task_calls": ("since_ns", "enter_ns", "leave_ns"),
    "location_bases": ("begin_ns", "end_ns", "run_begin_ns", "run_end_ns"),
    "team_barriers": ("enter_ns", "leave_ns"),
    "locations": ("begin_ns", "end_ns"),
    "task_fragments": ("begin_ns", "end_ns"),
}
# What is not computed for a focus: it says what caused waits anywhere in the run.
_OF_WHOLE_RUN = (
    "root_causes", "indirect_waits", "findings", "finding_totals", "large_messages",
    "leading_communication", "master_overloaded", "master_worker_starving", "operation_costs",
    "tasks_too_fine", "uneven_distribution", "delay_severities",
)  # fmt: skip
_RECORDS = {
    "visits": "enter_ns",
    "mpi_operations": "time_ns",
    "thread_events": "time_ns",
    "lock_operations": "time_ns",
    "rma_operations": "time_ns",
    "io_operations": "time_ns",
    "counter_values": "time_ns",
    "parameter_values": "time_ns",
    "record_attributes": "time_ns",
    "samples": "time_ns",
}
"""Tables of records, each with the time that decides whether the focus holds a record."""


def focus_tables(run: Run, focus: Focus) -> Tables:
    """All tables of a run that differ in a focus."""
    with computed_again(run, _TRANSIENT) as whole:
        times = focus.times
        made = _replaced(focus, whole)
        made |= _profiles(run, whole, times)
        made |= _records(run, whole, made, times)
        made |= _over_time(run, focus, whole, made)
    return {name: rows for name, rows in made.items() if not known_tables()[name].is_transient}


def focus_records(run: Run, focus: Focus) -> Tables:
    """The records in the focus, each with its times as recorded."""
    times, found = focus.times, {}
    with computed_again(run, ()) as whole:
        for name, time in _RECORDS.items():
            found[name] = held(whole.table(name), times, time)
    return found


def clamped_tables(run: Run, focus: Focus) -> Tables:
    """Tables that a focus also replaces where those over time are computed again."""
    with computed_again(run, ["class_changes"]) as whole:
        return _clamped(focus, whole)


def _clamped(focus: Focus, whole: Answer) -> Tables:
    """The run, its visits and the changes of classes, clamped to the focus in real time."""
    times = focus.times
    begin, end = times.hull
    return {
        "runs": with_columns(whole.table("runs"), {"begin_ns": [begin], "end_ns": [end]}),
        "visits": clamp(_relation(whole, "visits"), times, "enter_ns", "leave_ns"),
        "class_changes": clamp(_relation(whole, "class_changes"), times, "begin_ns", "end_ns"),
    }


def _sent(messages: pa.Table, times: FocusTimes) -> pa.Table:
    """The messages that are sent in the focus."""
    place, time = (numbers_of(messages, name) for name in ("sender_location_id", "send_ns"))
    return messages.filter(times.holds(place, time))


def _received(messages: pa.Table, times: FocusTimes) -> pa.Table:
    place, time = (numbers_of(messages, name) for name in ("receiver_location_id", "receive_ns"))
    return messages.filter(times.holds(place, time))


def _replaced(focus: Focus, whole: Answer) -> Tables:
    """The main part and the waits, in real time."""
    left_out = () if focus.times.is_whole(focus.all_locations) else _OF_WHOLE_RUN
    made: Tables = {name: known_tables()[name].empty() for name in left_out}
    made["focus"] = pa.table(
        {"location_id": focus.main.location, "begin_ns": focus.main.begin, "end_ns": focus.main.end}
    )
    made["wait_states"] = clip_waits(whole.table("wait_states"), focus.times)
    setups = whole.table("setup_times")
    if focus.is_of_time:
        begin, end = focus.times.hull
        hull = pa.table({"begin_ns": [begin], "end_ns": [end]})
        made["main_part"] = known_tables()["main_part"].conform(hull)
        made["setup_times"] = setups.slice(0, 0)
    else:
        made["setup_times"] = of_locations(setups, focus.times.locations)
    return made


def _profiles(run: Run, whole: Answer, times: FocusTimes) -> Tables:
    """Tables of the time that locations spend in the focus."""
    segments = whole.table("critical_path_segments")
    given = _spent(run, whole, times)
    given |= {
        "location_bases": of_locations(given["location_bases"], times.locations),
        "location_spans": of_locations(whole.table("location_spans"), times.locations),
        "imbalance_scopes": of_locations(whole.table("imbalance_scopes"), times.locations),
        "wait_states": spend_waits(whole.table("wait_states"), times),
        "synchronization_points": spend_points(whole.table("synchronization_points"), times),
        "critical_path_segments": spend_segments(segments, times),
    }
    entered = pc.is_in(given["parallel_visits"]["visit_id"], given["visits"]["visit_id"])
    given |= _computed(
        run, ["fork_join_times"], {"parallel_visits": given["parallel_visits"].filter(entered)}
    )
    found = _computed(run, _PROFILES, given)
    found["team_severities"] = _team_severities(run, whole, given, found["team_severities"], times)
    jumps = held(segments, times, "begin_ns")
    found |= _computed(run, ["critical_path_partners"], {"critical_path_segments": jumps})
    found["critical_path_segments"] = clip_segments(segments, times)
    return found | _taken(given, "call_tree", "fork_join_times")


def _spent(run: Run, whole: Answer, times: FocusTimes) -> Tables:
    """Visits, call tree, and all that forks, in times spent in the focus."""
    visits, forks, fragments, paths = (
        _relation(whole, name)
        for name in ("visits", "parallel_visits", "task_fragments", "call_paths")
    )
    visit_count = run.manifest.tables["visits"].row_count
    found = find_focus_visits(visits, forks, fragments, times, visit_count)
    return {
        **{name: spend(whole.table(name), times, *columns) for name, columns in _TIMES.items()},
        "visits": found.as_table(),
        "call_tree": sum_call_tree(whole.table("call_tree"), paths, fragments, found, times),
    }


def _team_severities(
    run: Run, whole: Answer, given: Tables, found: pa.Table, times: FocusTimes
) -> pa.Table:
    """Overheads of teams; a worker is idle in its own focus, whatever that of its first thread."""
    is_idle = pc.is_in(found["metric"], pa.array(IDLE))
    parts = [of_locations(found.filter(pc.invert(is_idle)), times.locations)]
    for at, (own, workers) in enumerate(rounds_of(times, workers_of(whole.table("locations")))):
        if at:
            spent = _spent(run, whole, own) | _taken(given, "fork_join_times")
            found = _computed(run, ["team_severities"], spent)["team_severities"]
            is_idle = pc.is_in(found["metric"], pa.array(IDLE))
        parts.append(of_locations(found.filter(is_idle), sorted(workers)))
    order = [(name, "ascending") for name in ("metric", "call_path_id", "location_id")]
    return pa.concat_tables(parts).sort_by(order)


def _records(run: Run, whole: Answer, made: Tables, times: FocusTimes) -> Tables:
    """Tables of records and messages; a message counts where it is sent, and where received."""
    messages = whole.table("messages")
    sent, received = _sent(messages, times), _received(messages, times)
    records = {
        "mpi_operations": held(whole.table("mpi_operations"), times, "time_ns"),
        "file_operations": held(whole.table("file_operations"), times, "begin_ns"),
        "rma_collectives": held(whole.table("rma_collectives"), times, "enter_ns"),
        "rma_epoch_pairs": _held_pairs(whole.table("rma_epoch_pairs"), times),
        "rma_accesses": whole.table("rma_accesses"),
    }
    by_call = (
        "collective_counts", "file_accesses", "file_severities", "rma_synchronization_counts",
        "severities",
    )  # fmt: skip
    given = {**_taken(made, "wait_states", "finding_totals", "delay_severities",
                      "critical_path_severities", "team_severities"), **records}  # fmt: skip
    found = _computed(run, by_call, {**given, "messages": received})
    members = held(whole.table("collective_members"), times, "enter_ns")
    collectives = whole.table("collectives")
    is_met = pc.is_in(collectives["collective_id"], members["collective_id"].combine_chunks())
    found |= {
        "messages": sent,
        "collective_members": members,
        "collectives": collectives.filter(is_met),
    }
    return found | _computed(run, ["communication_matrix", "message_sizes"], {"messages": sent})


def _over_time(run: Run, focus: Focus, whole: Answer, made: Tables) -> Tables:
    """Tables over time, and those of moments in which several locations meet."""
    clamped = _clamped(focus, whole)
    given = clamped | _taken(
        made, "critical_path_segments", "critical_path_locations", "main_part", "wait_states"
    )
    found = _computed(run, ["time_profile", "phases", "critical_path_summary"], given)
    is_whole = whole.table("critical_path_summary")["is_whole"]
    place = found["critical_path_summary"].schema.get_field_index("is_whole")
    if found["critical_path_summary"].num_rows:
        found["critical_path_summary"] = found["critical_path_summary"].set_column(
            place, "is_whole", is_whole
        )
    of_moments = ("parallelism_losses", "call_path_counters", "counter_profile", "counter_figures")
    given = {"runs": clamped["runs"], **_taken(made, "focus", "main_part")}
    return found | _computed(run, of_moments, given)


def _computed(run: Run, relations: Collection[str], given: Tables) -> Tables:
    """The relations computed from given tables and those of the run."""
    with computed_again(run, relations, given) as answer:
        return {name: answer.table(name) for name in relations}


def _relation(whole: Answer, name: str) -> Any:
    whole.provide(name)
    return whole.connection.table(name)


def _taken(made: Tables, *names: str) -> Tables:
    """Those of the tables that were made."""
    return {name: made[name] for name in names if name in made}


def _held_pairs(pairs: pa.Table, times: FocusTimes) -> pa.Table:
    """Pairs of processes that a call in the focus synchronized."""
    place, time = (numbers_of(pairs, f"complete_{name}") for name in ("location_id", "enter_ns"))
    return pairs.filter(times.holds(place, time))
