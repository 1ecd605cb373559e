"""What a trace lacks and where it contradicts itself, counted by asking every record."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.oracle.collective_waits import synchronized
from tests.oracle.collectives import framing_members, instances_of
from tests.oracle.matching import by_location
from tests.oracle.stored_runs import Tables

Row = dict[str, Any]
STARTS = {
    "irecv_request": "receive",
    "imrecv_request": "receive",
    "nonblocking_collective_request": "collective",
}
ENDS = {
    "irecv": "receive",
    "imrecv": "receive",
    "request_cancelled": "receive",
    "nonblocking_collective": "collective",
}
# Kinds of which the tables lack something that was recorded.
LOSSES = (
    "unknown_record", "missing_records", "missing_location", "dropped_attribute", "unreadable_row",
    "cut_input",
)  # fmt: skip
RECEIVES = ("recv", "irecv", "mrecv", "imrecv")


def open_requests(tables: Tables) -> list[Row]:
    """Receives and collectives that were started, and neither ended nor cancelled."""
    rows = []
    for location, records in by_location(tables["mpi_operations"]):
        started: set[tuple[str, int]] = set()
        lost = 0
        for record in records:
            if record["kind"] in STARTS:
                request = (STARTS[record["kind"]], record["request_id"])
                lost += request in started  # its number is used again
                started.add(request)
            elif record["kind"] in ENDS:
                started.discard((ENDS[record["kind"]], record["request_id"]))
        if lost + len(started):
            rows.append({"location_id": location, "request_count": lost + len(started)})
    return rows


def clock_violations(tables: Tables) -> list[Row]:
    """Ends before what they needed had begun, by location, and the waiting cut off there."""
    counts: Counter[int] = Counter()
    cut: Counter[int] = Counter()
    for location, clipped in _violations(tables):
        counts[location] += 1
        cut[location] += clipped
    return [
        {"location_id": location, "violation_count": count, "clipped_ns": cut[location]}
        for location, count in counts.items()
    ]


def _violations(tables: Tables) -> Iterator[tuple[int, int]]:
    for message in tables["messages"]:
        if message["receive_ns"] < message["send_ns"]:
            sent, left = message["send_post_enter_ns"], message["receive_completion_leave_ns"]
            is_cut = None not in (sent, left) and sent > left
            yield message["receiver_location_id"], sent - left if is_cut else 0
    for _, instance in instances_of(tables):
        if instance.family in ("scan", "neighbourhood"):
            continue
        for member, last in synchronized(instance):
            is_known = member.visit is not None and last.begin_visit is not None
            if is_known and last.begin > member.end:
                yield member.location, last.begin - member.end
    for names in (("mpi_init", "mpi_init_thread"), ("mpi_finalize",)):
        members = framing_members(tables, *names)
        for member in members:
            entered = max(each.begin for each in members)
            if entered > member.end:
                yield member.location, entered - member.end


def trace_quality(tables: Tables) -> list[Row]:
    """Everything of which something is missing or doubtful; what it means is a text."""
    found: Counter[tuple[str, int | None]] = Counter()
    times: dict[tuple[str, int | None], int] = {}
    for row in tables["reading_findings"]:
        key = (row["kind"], row["location_id"])
        found[key] += row["count"]
        if row["time_ns"] is not None:
            times[key] = row["time_ns"]
    for key, count in [*_unread(tables), *_halves(tables), *_incomplete(tables)]:
        found[key] += count
    for row in tables["clock_violations"]:
        key = ("clock_violation", row["location_id"])
        found[key] += row["violation_count"]
        times[key] = row["clipped_ns"]
    return [
        {"kind": kind, "location_id": location, "count": count}
        | {"time_ns": times.get((kind, location)), "is_loss": kind in LOSSES}
        for (kind, location), count in found.items()
        if count
    ]


def _unread(tables: Tables) -> Iterator[tuple[tuple[str, int | None], int]]:
    """Announced records that are not there, unless the reader has counted them."""
    known = {(row["kind"], row["location_id"]) for row in tables["reading_findings"]}
    for row in tables["locations"]:
        missing = row["declared_count"] - row["record_count"]
        kind = "missing_records" if row["record_count"] else "missing_location"
        is_short = missing > 0 or not row["is_complete"]
        if is_short and (kind, row["location_id"]) not in known:
            yield (kind, row["location_id"]), max(missing, 1)


def _halves(tables: Tables) -> Iterator[tuple[tuple[str, int | None], int]]:
    """Sends, receives and requests of which a part is missing, and cancelled ones."""
    for row in tables["unmatched_messages"]:
        yield (f"unmatched_{row['side']}", row["location_id"]), 1
    received = {
        (row["receiver_location_id"], row["receive_sequence"]) for row in tables["receives"]
    }
    for record in tables["mpi_operations"]:
        kind, location = record["kind"], record["location_id"]
        is_stray = record["peer_group_id"] is None or record["communicator_id"] is None
        if kind in ("send", "isend") and is_stray:
            yield ("unmatched_send", location), 1
        if kind in RECEIVES and (location, record["sequence"]) not in received:
            yield ("unmatched_receive", location), 1
        if kind == "request_cancelled":
            yield ("cancelled_request", location), 1
    for row in tables["receives"]:
        if row["receive_post_ns"] is None:
            yield ("receive_without_request", row["receiver_location_id"]), 1
    for row in tables["sends"]:
        if row["send_completion_ns"] is None:
            yield ("send_without_completion", row["sender_location_id"]), 1
    for row in tables["open_requests"]:
        yield ("request_without_completion", row["location_id"]), row["request_count"]


def _incomplete(tables: Tables) -> Iterator[tuple[tuple[str, int | None], int]]:
    for row in tables["collectives"]:
        if not row["is_complete"]:
            is_short = row["member_count"] < row["expected_count"]
            yield ("partial_collective" if is_short else "inconsistent_collective", None), 1
