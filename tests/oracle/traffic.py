"""Messages and collectives, counted one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tests.oracle.stored_runs import Tables, processes

Row = dict[str, Any]
Cell = tuple[str, int, int]
"""Metric, call path and location."""


def communication_matrix(tables: Tables) -> list[Row]:
    """Messages and bytes of each pair of processes."""
    pairs: dict[tuple[int, int], list[Row]] = defaultdict(list)
    groups = processes(tables)
    for message in tables["messages"]:
        sender, receiver = message["sender_location_id"], message["receiver_location_id"]
        pairs[groups[sender], groups[receiver]].append(message)
    return [
        {"sender_group_id": sender, "receiver_group_id": receiver} | _total(pairs[sender, receiver])
        for sender, receiver in sorted(pairs)
    ]


def message_sizes(tables: Tables) -> list[Row]:
    """Messages and bytes of each class of sizes; what has no bytes is a class of its own."""
    classes: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for message in tables["messages"]:
        lower, upper = 0, 0
        while message["bytes"] > upper:
            lower, upper = upper + 1, 2 * upper + 1
        classes[lower, upper].append(message)
    return [
        {"lower_bytes": lower, "upper_bytes": upper} | _total(classes[lower, upper])
        for lower, upper in sorted(classes)
    ]


def _total(messages: list[Row]) -> Row:
    return {"message_count": len(messages), "bytes": sum(each["bytes"] for each in messages)}


def count_messages(operations: Iterable[Row], messages: Iterable[Row]) -> Counter[Cell]:
    """Sends at the call that posts them, messages at the call that completes their receive."""
    found: Counter[Cell] = Counter()
    for record in operations:
        if record["kind"] in ("send", "isend"):
            place = (record["call_path_id"], record["location_id"])
            found["bytes_sent", *place] += record["bytes"]
            found["comms_send" if record["bytes"] else "syncs_send", *place] += 1
    for message in messages:
        place = (message["receive_completion_call_path_id"], message["receiver_location_id"])
        found["bytes_rcvd", *place] += message["bytes"]
        found["comms_recv" if message["bytes"] else "syncs_recv", *place] += 1
    return _within_calls(found)


def count_collectives(operations: Iterable[Row]) -> Counter[Cell]:
    """Ends of blocking collectives, by who gives and who takes data, and their bytes."""
    found: Counter[Cell] = Counter()
    for record in operations:
        if record["kind"] != "collective":
            continue
        place = (record["call_path_id"], record["location_id"])
        sent, received = record["bytes"] or 0, record["bytes_received"] or 0
        found["bytes_cout", *place] += sent
        found["bytes_cin", *place] += received
        if sent and received:
            found["comms_cxch", *place] += 1
        elif sent:
            found["comms_csrc", *place] += 1
        elif received:
            found["comms_cdst", *place] += 1
        else:
            found["syncs_coll", *place] += 1
    return _within_calls(found)


def _within_calls(found: Counter[Cell]) -> Counter[Cell]:
    """Without zeros and without what lies outside any call."""
    return Counter({cell: value for cell, value in found.items() if value and cell[1] is not None})
