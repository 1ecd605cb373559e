"""Which records belong together, found by walking through them one by one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]
MOMENT = ("visit_id", "call_path_id", "enter_ns", "leave_ns")


def match_messages(operations: Iterable[Row], groups: Mapping[int, int]) -> list[Row]:
    """Messages: the k-th send of a channel with its k-th receive, both as they were posted."""
    sends, receives = number_sends(operations, groups), number_receives(operations, groups)
    messages = [
        send | receives[channel][ordinal]
        for channel in sorted(sends)
        for ordinal, send in enumerate(sends[channel])
        if ordinal < len(receives[channel])
    ]
    return [message | {"message_id": number} for number, message in enumerate(messages)]


def number_sends(
    operations: Iterable[Row], groups: Mapping[int, int]
) -> dict[tuple[int, ...], list[Row]]:
    """Sends of each channel in the order in which they were posted; cancelled ones are none."""
    sends = []
    for location, records in _by_location(operations):
        open_sends: dict[int, Row] = {}
        for record in records:
            if record["kind"] in ("send", "isend"):
                send = _begin_send(record, groups[location])
                sends.append(send)
                if record["kind"] == "send":
                    send |= _moment("send_completion", record)
                else:
                    open_sends[record["request_id"]] = send
            elif record["kind"] == "isend_complete":
                open_sends.pop(record["request_id"], {}).update(_moment("send_completion", record))
            elif record["kind"] == "request_cancelled":
                open_sends.pop(record["request_id"], {})["is_cancelled"] = True
    kept = [send for send in sends if not send.pop("is_cancelled", False)]
    return _by_channel(sorted(kept, key=lambda send: send.pop("place")))


def _begin_send(record: Row, group: int) -> Row:
    send = {
        "channel": _channel(record, group, record["peer_group_id"]),
        "place": (record["time_ns"], record["location_id"], record["sequence"]),
        "sender_location_id": record["location_id"],
        "bytes": record["bytes"],
        "send_ns": record["time_ns"],
    }
    return send | _moment("send_post", record) | _moment("send_completion", {})


def number_receives(
    operations: Iterable[Row], groups: Mapping[int, int]
) -> dict[tuple[int, ...], list[Row]]:
    """Completed receives of each channel in the order in which they were posted."""
    receives = []
    for location, records in _by_location(operations):
        open_receives: dict[int, Row] = {}
        for record in records:
            if record["kind"] == "irecv_request":
                open_receives[record["request_id"]] = record
            elif record["kind"] == "request_cancelled":
                open_receives.pop(record["request_id"], None)
            elif record["kind"] == "recv":
                receives.append(_receive(record, record, groups[location]))
            elif record["kind"] == "irecv":
                post = open_receives.pop(record["request_id"], None)
                receives.append(_receive(record, post, groups[location]))
    return _by_channel(sorted(receives, key=lambda receive: receive.pop("place")))


def _receive(record: Row, post: Row | None, group: int) -> Row:
    first = post or record
    receive = {
        "channel": _channel(record, record["peer_group_id"], group),
        "place": (first["time_ns"], first["location_id"], first["sequence"]),
        "receiver_location_id": record["location_id"],
        "receive_ns": record["time_ns"],
        "receive_sequence": record["sequence"],
    }
    return receive | _moment("receive_post", post or {}) | _moment("receive_completion", record)


def number_collectives(
    operations: Iterable[Row], groups: Mapping[int, int], is_self: Mapping[int, bool]
) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
    """Members (location, begin, end) of each instance, by communicator and position on it."""
    calls: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
    for location, records in _by_location(operations):
        started: dict[int, Row] = {}
        for record in records:
            if record["kind"] == "nonblocking_collective_request":
                started[record["request_id"]] = record
            elif record["kind"] in ("collective", "nonblocking_collective"):
                if record["kind"] == "collective":
                    begin, sequence = record["begin_ns"], record["sequence"]
                else:
                    start = started.pop(record["request_id"], record)
                    begin, sequence = start["enter_ns"], start["sequence"]
                member = (record["communicator_id"], groups[location])
                order = (begin, location, sequence, record["time_ns"])
                calls[member].append(order)
    instances: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for communicator, group in sorted(calls):
        first = len([key for key in instances if key[0] == communicator])
        first = first if is_self[communicator] else 0
        for ordinal, (begin, location, _, end) in enumerate(sorted(calls[communicator, group])):
            instances[communicator, first + ordinal].append((location, begin, end))
    return instances


def _by_location(operations: Iterable[Row]) -> list[tuple[int, list[Row]]]:
    records: dict[int, list[Row]] = defaultdict(list)
    for operation in sorted(operations, key=lambda row: (row["location_id"], row["sequence"])):
        records[operation["location_id"]].append(operation)
    return list(records.items())


def _by_channel(halves: list[Row]) -> dict[tuple[int, ...], list[Row]]:
    channels: dict[tuple[int, ...], list[Row]] = defaultdict(list)
    for half in halves:
        channels[half.pop("channel")].append(half)
    return channels


def _channel(record: Row, sender: int, receiver: int) -> tuple[int, int, int, int]:
    return (record["communicator_id"], sender, receiver, record["tag"])


def _moment(name: str, record: Mapping[str, Any]) -> Row:
    return {f"{name}_{part}": record.get(part) for part in MOMENT}
