"""Laws of a focus: the default changes nothing, and parts sum to the whole."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tracemill.engine.focusing.options import FocusOptions
from tracemill.engine.focusing.resolve import resolve_focus
from tracemill.engine.focusing.tables import focus_tables
from tracemill.store.runs import Run

Sums = Mapping[str, Counter[Any]]

# Keys and values of tables whose values sum up; ids and names that a focus must not change.
ADDITIVE = {
    "call_tree": ("call_path_id location_id", "visit_count exclusive_ns inclusive_ns"),
    "flat_profile": ("region_id location_id", "visit_count exclusive_ns"),
    "fork_join_times": ("call_path_id location_id", "fork_join_ns fork_ns"),
    "location_overheads": ("location_id overhead_id", "time_ns"),
    "call_path_overheads": ("call_path_id overhead_id", "exclusive_ns inclusive_ns"),
    "region_overheads": ("region_id overhead_id", "exclusive_ns inclusive_ns forked_ns"),
    "region_graph_nodes": (
        "region_id", "visit_count inclusive_ns exclusive_ns total_ns forked_ns",
    ),
    "time_profile": ("overhead_id", "time_ns"),
    "idle_times": ("location_id", "wait_ns idle_thread_ns absent_ns"),
    "wait_states": ("property visit_id cause_visit_id message_id", "wait_ns"),
    "critical_path_profile": ("call_path_id location_id", "path_ns"),
    "critical_path_partners": (
        "from_location_id to_location_id kind", "jump_count wait_ns completion_ns",
    ),
    "critical_path_waits": ("property call_path_id location_id is_extended", "path_ns"),
    "messages": ("message_id", "bytes"),
    "communication_matrix": ("sender_group_id receiver_group_id", "message_count bytes"),
    "message_sizes": ("lower_bytes", "message_count bytes"),
    "collective_counts": ("metric call_path_id location_id", "value"),
    "file_accesses": (
        "io_handle_id location_id call_path_id mode", "operation_count bytes time_ns",
    ),
    "severities": ("metric call_path_id location_id", "value"),
    "parallelism_losses": ("call_path_id overhead_id", "alone_ns with_others_ns"),
    "call_path_counters": ("counter_id call_path_id location_id", "visit_count exclusive_value"),
}  # fmt: skip
ROUNDED = {"parallelism_losses", "call_path_counters"}
OF_MAIN_PART = ("parallelism_losses", "call_path_counters", "counter_figures", "phases")
# What is not additive, or not of a focus.
_OTHER_KINDS = ("delay", "finding")
_OTHER_METRICS = {
    "critical_path_imbalance", "critical_imbalance_impact", "inter_partition_imbalance",
    "intra_partition_imbalance",
}  # fmt: skip


def tables_in(run: Run, **options: str) -> dict[str, pa.Table]:
    """The tables of a run in a focus."""
    focus = resolve_focus(run, FocusOptions(**options))
    return focus_tables(run, focus)


def rows_in(run: Run, name: str, **options: str) -> list[dict[str, Any]]:
    return tables_in(run, **options)[name].to_pylist() if options else run.read(name).to_pylist()


def sums_of(run: Run, tables: Mapping[str, pa.Table]) -> Sums:
    """Sums of all additive values by table and key, without those that are 0."""
    left_out = _OTHER_METRICS | {
        row["metric"]
        for row in run.read("metrics").to_pylist()
        if row["kind"] in _OTHER_KINDS
        or (row["unit"] == "occurrences" and row["kind"] == "wait state")
    }
    found = {}
    for name, (keys, values) in ADDITIVE.items():
        sums: Counter[Any] = Counter()
        for row in (tables[name] if name in tables else run.read(name)).to_pylist():
            if row.get("metric") in left_out or row.get("method") == "mean":
                continue
            for value in values.split():
                sums[*(row[key] for key in keys.split()), value] += row[value] or 0
        found[name] = Counter({key: value for key, value in sums.items() if value})
    return found


def differences(run: Run, whole: Mapping[str, pa.Table], parts: Iterable[Mapping[str, str]]) -> Any:
    """What is not the sum of the parts, by table and key: the whole and the sum."""
    wanted = sums_of(run, whole)
    sums = {name: Counter[Any]() for name in wanted}
    count = 0
    for options in parts:
        for name, found in sums_of(run, tables_in(run, **options)).items():
            for key, value in found.items():
                sums[name][key] += value
        count += 1
    return {
        (name, key): (wanted[name][key], sums[name][key])
        for name in wanted
        for key in wanted[name].keys() | sums[name].keys()
        if abs(wanted[name][key] - sums[name][key]) > (count if name in ROUNDED else 0)
    }
