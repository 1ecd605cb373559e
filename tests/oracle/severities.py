"""Values per metric, call path and location, each wait added to all metrics that include it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle.stored_runs import Tables
from tests.oracle.traffic import count_collectives, count_messages

Row = dict[str, Any]
Cell = tuple[str, int, int, bool]
"""Metric, call path, location, and whether the reference does not know it."""

# Every wait for a late sender is one of these, and part of those that follow.
INCLUDED_IN = {
    "mpi_lswo_same": ("mpi_latesender_wo", "mpi_latesender"),
    "mpi_lswo_different": ("mpi_latesender_wo", "mpi_latesender"),
    "mpi_rma_early_fence": ("mpi_rma_wait_at_fence",),
    "mpi_rma_late_complete": ("mpi_rma_early_wait",),
}
# Counts of waits that are parts of the metric: for messages with data, and without.
COUNTS = {
    "mpi_latesender": ("mpi_cls_count", "mpi_sls_count"),
    "mpi_latesender_wo": ("mpi_clswo_count", "mpi_slswo_count"),
    "mpi_latereceiver": ("mpi_clr_count", "mpi_slr_count"),
}


def severities(tables: Tables) -> list[Row]:
    """All that are stored: waiting, messages, collectives, files, and the critical path."""
    bytes_of = {row["message_id"]: row["bytes"] for row in tables["messages"]}
    operations, messages = tables["mpi_operations"], tables["messages"]
    found = sum_waits(tables["wait_states"], bytes_of)
    for cell, value in (
        count_messages(operations, messages) + count_collectives(operations)
    ).items():
        found[*cell, False] += value
    for row in tables["findings"]:
        found[row["property"], row["call_path_id"], row["location_id"], True] += row["value"]
    names = ("metric", "call_path_id", "location_id")
    for row in tables["rma_synchronization_counts"]:
        metric, path, place = (row[name] for name in names)
        found[metric, path, place, True] += row["value"]
    for row in (*tables["critical_path_severities"], *tables["team_severities"]):
        metric, path, place = (row[name] for name in names)
        found[metric, path, place, False] += row["value"]
    for row in tables["file_severities"]:
        metric, path, place = (row[name] for name in names)
        found[metric, path, place, True] += row["value"]
    return [
        dict(zip((*names, "is_extended"), cell, strict=True)) | {"value": value}
        for cell, value in found.items()
    ]


def sum_waits(waits: Iterable[Row], bytes_of: Mapping[int, int]) -> Counter[Cell]:
    """Time and number of waits; `bytes_of` gives the length of a message."""
    found: Counter[Cell] = Counter()
    for wait in waits:
        cell = (wait["call_path_id"], wait["location_id"], wait["is_extended"])
        for metric in (wait["property"], *INCLUDED_IN.get(wait["property"], ())):
            found[metric, *cell] += wait["wait_ns"]
            if metric in COUNTS:
                with_data, without = COUNTS[metric]
                found[with_data if bytes_of[wait["message_id"]] else without, *cell] += 1
    return found
