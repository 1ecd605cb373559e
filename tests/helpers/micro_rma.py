"""One-sided communication in traces written as text: records of calls on windows."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

# Columns that each word sets.
WORDS: Mapping[str, Row] = {
    "create": {"kind": "collective", "operation": "create_handle"},
    "fence": {"kind": "collective", "operation": "barrier"},
    "free": {"kind": "collective", "operation": "destroy_handle"},
    "start": {"kind": "group_sync", "detail": 1},
    "post": {"kind": "group_sync", "detail": 1},
    "complete": {"kind": "group_sync", "detail": 3},
    "wait": {"kind": "group_sync", "detail": 3},
    "tested": {"kind": "group_sync", "detail": 3},
    "tested_in_vain": {"kind": "group_sync", "detail": 0},
    "put": {"kind": "put"},
    "get": {"kind": "get"},
    "atomic": {"kind": "atomic"},
    "lock_exclusive": {"kind": "request_lock", "detail": 0, "matching_id": 0},
    "lock_shared": {"kind": "request_lock", "detail": 1, "matching_id": 0},
    "unlock": {"kind": "release_lock", "matching_id": 0},
    "complete_remote": {"kind": "complete_remote"},
}
"""Locks and operations name a rank of the window, or none for all; `group 12` in a synchronization
is processes 1 and 2, `win 1` is a window over communicator 1 instead of 0."""


def rma_operation(record: Row, visit: Row) -> Row:
    """A row of rma_operations; the record is written when the call is left, or at its time."""
    row: Row = {
        "time_ns": record.get("time_ns", visit["leave_ns"]),
        "rma_window_id": record.get("win", 0),
        "remote_rank": record.get("peer"),
        "rma_group_id": record.get("group"),
        "matching_id": record.get("request_id"),
        "begin_ns": record.get("begin"),
    }
    names = ("visit_id", "call_path_id", "enter_ns", "leave_ns")
    return row | {name: visit[name] for name in names} | WORDS[record["kind"]]


def rma_definitions(members: Mapping[int, Any], operations: Sequence[Row]) -> dict[str, list[Row]]:
    """A window for each communicator, and the groups that records name."""
    groups = {row["rma_group_id"] for row in operations} - {None}
    return {
        "rma_windows": [{"rma_window_id": number, "communicator_id": number} for number in members],
        "rma_group_members": [
            {"rma_group_id": group, "position": place, "location_group_id": int(digit)}
            for group in sorted(groups)
            for place, digit in enumerate(str(group))
        ],
    }
