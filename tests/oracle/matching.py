"""Which sends and receives belong together, found by walking through the records one by one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle.stored_runs import Tables, processes

Row = dict[str, Any]
Channel = tuple[int, int, int, int]
MOMENT = ("visit_id", "call_path_id", "enter_ns", "leave_ns")
CHANNEL = ("communicator_id", "sender_group_id", "receiver_group_id", "tag")


def match_messages(operations: Iterable[Row], groups: Mapping[int, int]) -> list[Row]:
    """Messages: the k-th send of a channel with its k-th receive, both as they were posted."""
    operations = list(operations)
    sends, receives = number_sends(operations, groups), number_receives(operations, groups)
    messages = [
        _place(channel, ordinal) | receives[channel][ordinal] | send
        for channel in sorted(sends)
        for ordinal, send in enumerate(sends[channel])
        if ordinal < len(receives[channel])
    ]
    return [
        message
        | {"message_id": number, "is_clock_violation": message["receive_ns"] < message["send_ns"]}
        for number, message in enumerate(messages)
    ]


def number_sends(operations: Iterable[Row], groups: Mapping[int, int]) -> dict[Channel, list[Row]]:
    """Sends of each channel in the order in which they were posted; without canceled ones."""
    sends = []
    for location, records in by_location(operations):
        open_sends: dict[int, Row] = {}
        for record in records:
            if record["kind"] in ("send", "isend"):
                send = _begin_send(record, groups[location])
                sends.append(send)
                if record["kind"] == "send":
                    send |= _complete_send(record)
                else:
                    open_sends[record["request_id"]] = send
            elif record["kind"] == "isend_complete":
                open_sends.pop(record["request_id"], {}).update(_complete_send(record))
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
        "send_sequence": record["sequence"],
    }
    return send | _moment("send_post", record) | _complete_send({})


def _complete_send(record: Mapping[str, Any]) -> Row:
    return {"send_completion_ns": record.get("time_ns")} | _moment("send_completion", record)


def number_receives(
    operations: Iterable[Row], groups: Mapping[int, int]
) -> dict[Channel, list[Row]]:
    """Completed receives of each channel in the order in which they were posted.

    A message that a probe had picked has the place of the probe.
    """
    operations = list(operations)
    receives = [*find_probed_receives(operations, groups)]
    for location, records in by_location(operations):
        open_receives: dict[int, Row] = {}
        for record in records:
            if record["kind"] == "irecv_request":
                open_receives[record["request_id"]] = record
            elif record["kind"] == "request_cancelled":
                open_receives.pop(record["request_id"], None)
            elif record["kind"] == "recv":
                receives.append(_receive(record, record, record, groups[location]))
            elif record["kind"] == "irecv":
                post = open_receives.pop(record["request_id"], None)
                receives.append(_receive(record, record, post, groups[location]))
    return _by_channel(sorted(receives, key=lambda receive: receive.pop("place")))


def find_probed_receives(operations: list[Row], groups: Mapping[int, int]) -> list[Row]:
    """Completed receives of messages that a probe of their process had picked before."""
    found = []
    for location, records in by_location(operations):
        posts: dict[int, Row] = {}
        for record in records:
            if record["kind"] == "imrecv_request":
                posts[record["request_id"]] = record
            if record["kind"] not in ("mrecv", "imrecv"):
                continue
            is_blocking = record["kind"] == "mrecv"
            post = record if is_blocking else posts.pop(record["request_id"], None)
            probes = [
                probe
                for probe in operations
                if probe["kind"] == "probe"
                and post is not None
                and probe["probe_id"] is not None
                and probe["probe_id"] == post["probe_id"]
                and groups[probe["location_id"]] == groups[location]
                and probe["time_ns"] <= post["time_ns"]
            ]
            if probes:
                last = max(probes, key=lambda probe: probe["time_ns"])
                found.append(_receive(record, last, post, groups[location]))
    return found


def _receive(record: Row, named: Row, post: Row | None, group: int) -> Row:
    """A receive; `named` is the record that names the sender and the tag."""
    first = named if named is not record else post or record
    receive = {
        "channel": _channel(named, named["peer_group_id"], group),
        "place": (first["time_ns"], record["location_id"], first["sequence"]),
        "receiver_location_id": record["location_id"],
        "bytes": record["bytes"],
        "receive_ns": record["time_ns"],
        "receive_sequence": record["sequence"],
        "receive_post_ns": post["time_ns"] if post else None,
    }
    return receive | _moment("receive_post", post or {}) | _moment("receive_completion", record)


def by_location(operations: Iterable[Row]) -> list[tuple[int, list[Row]]]:
    """The records of each location in their order."""
    records: dict[int, list[Row]] = defaultdict(list)
    for operation in sorted(operations, key=lambda row: (row["location_id"], row["sequence"])):
        records[operation["location_id"]].append(operation)
    return list(records.items())


def _by_channel(halves: list[Row]) -> dict[Channel, list[Row]]:
    """Halves of messages by channel; halves with an unknown process have no channel."""
    channels: dict[Channel, list[Row]] = defaultdict(list)
    for half in halves:
        channel = half.pop("channel")
        if None not in channel:
            channels[channel].append(half)
    return channels


def _channel(record: Row, sender: int, receiver: int) -> Channel:
    return (record["communicator_id"], sender, receiver, record["tag"])


def _place(channel: Channel, ordinal: int) -> Row:
    return dict(zip(CHANNEL, channel, strict=True)) | {"ordinal": ordinal}


def _moment(name: str, record: Mapping[str, Any]) -> Row:
    return {f"{name}_{part}": record.get(part) for part in MOMENT}


# --- Whole tables -------------------------------------------------------------------------------


def sends(tables: Tables) -> list[Row]:
    """All sends with their place on the channel."""
    return _numbered(number_sends(tables["mpi_operations"], processes(tables)))


def receives(tables: Tables) -> list[Row]:
    """All completed receives with their place on the channel."""
    return _numbered(number_receives(tables["mpi_operations"], processes(tables)))


def messages(tables: Tables) -> list[Row]:
    """Matched messages; without the columns of halves."""
    found = match_messages(tables["mpi_operations"], processes(tables))
    for row in found:
        del row["send_completion_ns"], row["receive_post_ns"]
    return found


def unmatched_messages(tables: Tables) -> list[Row]:
    """Sends beyond the last receive of their channel, and the other way round."""
    found = []
    sides = {"send": sends(tables), "receive": receives(tables)}
    for side, halves in sides.items():
        others = {_on_channel(row) for name, rows in sides.items() if name != side for row in rows}
        for half in halves:
            if _on_channel(half) not in others:
                place = "sender_location_id" if side == "send" else "receiver_location_id"
                found.append(
                    {name: half[name] for name in (*CHANNEL, "ordinal", "bytes")}
                    | {"side": side, "location_id": half[place], "time_ns": half[f"{side}_ns"]}
                    | {"visit_id": half[f"{side}_post_visit_id"]}
                    | {"call_path_id": half[f"{side}_post_call_path_id"]}
                )
    return found


def doubtful_channels(tables: Tables) -> list[Row]:
    """Channels on which the numbers of sends and receives differ."""
    counts: dict[tuple[Any, ...], int] = defaultdict(int)
    for half in sends(tables):
        counts[tuple(half[name] for name in CHANNEL)] += 1
    for half in receives(tables):
        counts[tuple(half[name] for name in CHANNEL)] -= 1
    return [dict(zip(CHANNEL, channel, strict=True)) for channel, count in counts.items() if count]


def _numbered(channels: Mapping[Channel, list[Row]]) -> list[Row]:
    return [
        _place(channel, ordinal) | half
        for channel in sorted(channels)
        for ordinal, half in enumerate(channels[channel])
    ]


def _on_channel(half: Row) -> tuple[Any, ...]:
    return tuple(half[name] for name in (*CHANNEL, "ordinal"))
