"""Messages: which sends and receives belong together.

The k-th send of a channel is paired with the k-th receive, both in the order of posting. Request
ids are reused: a post belongs to the next record of its id, a completion to the last one before:

    isend 7   isend_complete 7   isend 7   request_cancelled 7   isend 7   isend 7
       └──────────────┘             └──── never sent ───┘          no completion

With wildcards, the channel of a receive is only clear when it completes, but its place on the
channel is that of its post, or of the probe that took the message off the channel:

    irecv_request 1   irecv_request 2   irecv 2 (tag 5)   irecv 1 (tag 5)
                                        ordinal 1         ordinal 0

Source: MPI 4.0, section 3.5: messages of a channel do not overtake each other. Assumes: a request
is completed on the location that posted it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tracemill.schemas.matching import LOCATION_MESSAGES, MESSAGES, UNMATCHED_MESSAGES
from tracemill.stages.arrays import (
    Flags,
    Numbers,
    Relation,
    group_by,
    order_by,
    place,
    read_columns,
)
from tracemill.stages.probed_receives import KINDS, NONE, Records, find_probes
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.store.walking import StoredRows

_GATHERED = 131_072
_MOMENT = ("visit_id", "call_path_id", "enter_ns", "leave_ns")
_READ = (
    "location_id", "sequence", "kind", "time_ns", "communicator_id", "peer_group_id", "tag",
    "request_id", "probe_id", "bytes", *_MOMENT,
)  # fmt: skip
_OUTPUTS = (MESSAGES, UNMATCHED_MESSAGES, LOCATION_MESSAGES)


class _Ends(NamedTuple):
    """Sends or completed receives: rows of the records that belong to each, or none.

    `time` is the record that gives the time of the send or receive. `place` has the channel and the
    place on it: the send, the post or the probe.
    """

    time: Numbers
    post: Numbers
    completion: Numbers
    place: Numbers
    communicator: Numbers
    sender: Numbers
    receiver: Numbers
    tag: Numbers

    @property
    def channel(self) -> tuple[Numbers, ...]:
        return self[4:]

    def take(self, rows: Numbers | Flags) -> "_Ends":
        return _Ends(*(column[rows] for column in self))


class _Channels(NamedTuple):
    """Sends or receives sorted by channel, their ordinals, and whether each is matched."""

    ends: _Ends
    ordinal: Numbers
    is_matched: Flags


def match_messages(
    mpi_operations: "StoredRows", locations: Relation
) -> tuple[pa.RecordBatchReader | pa.Table, ...]:
    """Messages, sends and receives without partner, and what each location sends and receives."""
    rows = _read_rows(mpi_operations)
    if not rows.num_rows:
        return tuple(table.empty() for table in _OUTPUTS)
    group = place(*read_columns(locations, "location_id::BIGINT", "location_group_id::BIGINT"))
    records = _as_records(rows, group)
    sends, receives = _number(_find_sends(records), _find_receives(records), records)
    batches = pa.RecordBatchReader.from_batches(
        MESSAGES.arrow_schema, _each_batch(rows, sends, receives)
    )
    unmatched = [_unmatched(rows, "send", sends), _unmatched(rows, "receive", receives)]
    return batches, pa.concat_tables(unmatched), _count(records, sends.ends, receives.ends)


def _read_rows(mpi_operations: "StoredRows") -> pa.Table:
    """Records of messages in the order of locations; kinds are numbers."""
    kinds = pa.array(KINDS)
    groups = []
    for group in mpi_operations.backwards(*_READ):
        column = group["kind"].combine_chunks()
        number = pc.index_in(column.dictionary.cast(pa.string()), kinds).take(column.indices)
        at = group.schema.get_field_index("kind")
        found = group.set_column(at, "kind", number.cast(pa.int8())).filter(number.is_valid())
        if found.num_rows:
            groups.append(found)
    groups.reverse()
    rows = _concatenate(groups)
    if not rows.num_rows:
        return rows
    order = order_by(rows["location_id"].to_numpy(), rows["sequence"].to_numpy())
    return rows if np.all(order[1:] > order[:-1]) else rows.take(order)


def _concatenate(groups: list[pa.Table]) -> pa.Table:
    """The rows of all groups, which are taken out of the list; each column is freed once copied."""
    names = groups[0].column_names if groups else []
    left = [list(group.columns) for group in groups]
    groups.clear()
    columns = {}
    for name in names:
        chunks = [chunk for group in left for chunk in group.pop(0).chunks]
        columns[name] = pa.chunked_array(chunks).combine_chunks()
        del chunks
        pa.default_memory_pool().release_unused()
    return pa.table(columns)


def _as_records(rows: pa.Table, group: Numbers) -> Records:
    def column(name: str, null: int = NONE) -> Numbers:
        values = rows[name]
        return (values.fill_null(null) if values.null_count else values).to_numpy()

    location, unknown = column("location_id"), np.iinfo(np.int64).min
    group = group.astype(np.int32)
    return Records(
        column("kind"), location, group[location], column("sequence"), column("time_ns"),
        column("communicator_id"), column("peer_group_id"), column("tag"),
        column("request_id", unknown), column("probe_id", unknown),
        rows["probe_id"].is_valid().to_numpy(),
    )  # fmt: skip


def _find_sends(records: Records) -> _Ends:
    """Sends that were not canceled and whose receiver is known."""
    following = records.following("isend", "isend_complete", "request_cancelled")
    is_blocking = records.is_kind("send")
    is_completed = records.is_kind("isend_complete", following)
    completion = np.where(is_completed, following, NONE)
    is_sent = records.is_kind("isend") & ~records.is_kind("request_cancelled", following)
    row = np.flatnonzero((is_blocking | is_sent) & records.is_on_channel)
    completion = np.where(is_blocking[row], row, completion[row])
    return _Ends(
        row, row, completion, row, records.communicator[row], records.group[row],
        records.peer[row], records.tag[row],
    )  # fmt: skip


def _find_receives(records: Records) -> _Ends:
    """Completed receives whose sender is known, by their places."""
    last = records.preceding("irecv_request", "irecv", "request_cancelled")
    last = np.where(records.is_kind("irecv_request", last), last, NONE)
    is_blocking = records.is_kind("recv")
    plain = np.flatnonzero((is_blocking | records.is_kind("irecv")) & records.is_on_channel)
    plain_post = np.where(is_blocking[plain], plain, last[plain])
    probed, probed_post, probe = find_probes(records)
    row, post = np.concatenate([plain, probed]), np.concatenate([plain_post, probed_post])
    at = np.concatenate([np.where(plain_post >= 0, plain_post, plain), probe])
    named = np.concatenate([plain, probe])
    found = _Ends(
        row, post, row, at, records.communicator[named], records.peer[named], records.group[row],
        records.tag[named],
    )  # fmt: skip
    return found.take(order_by(at))


def _number(sends: _Ends, receives: _Ends, records: Records) -> tuple[_Channels, _Channels]:
    """Sends and receives by channel; those with the same ordinal are matched.

    Both come by location and record. This is their order, unless several threads of a process
    take part in a channel, or times of records go backwards.
    """
    both = [np.concatenate(pair) for pair in zip(sends.channel, receives.channel, strict=True)]
    order, starts = group_by(*both)
    channel = np.zeros(len(order), np.int64)
    channel[starts[1:]] = 1
    channel = channel.cumsum()
    is_send = order < len(sends.time)
    of_sends, of_receives = channel[is_send], channel[~is_send]
    sends = _sort(sends.take(order[is_send]), of_sends, records)
    received = order[~is_send] - len(of_sends)
    receives = _sort(receives.take(received), of_receives, records)
    counts = [np.bincount(each, minlength=len(starts)) for each in (of_sends, of_receives)]
    matched = np.minimum(*counts)
    return (
        _channels(sends, of_sends, counts[0], matched),
        _channels(receives, of_receives, counts[1], matched),
    )


def _sort(ends: _Ends, channel: Numbers, records: Records) -> _Ends:
    """The sends or receives, which come by channel, by time, location and record in each one."""
    time, sequence = records.time[ends.place], records.sequence[ends.place]
    location = records.location[ends.time]
    is_later = (channel[1:] > channel[:-1]) | (time[1:] > time[:-1])
    is_same = time[1:] == time[:-1]
    is_later |= is_same & (location[1:] > location[:-1])
    is_later |= is_same & (location[1:] == location[:-1]) & (sequence[1:] > sequence[:-1])
    return ends if is_later.all() else ends.take(order_by(channel, time, location, sequence))


def _channels(ends: _Ends, channel: Numbers, counts: Numbers, matched: Numbers) -> _Channels:
    ordinal = np.arange(len(channel)) - (np.cumsum(counts) - counts)[channel]
    return _Channels(ends, ordinal, ordinal < matched[channel])


def _each_batch(rows: pa.Table, sends: _Channels, receives: _Channels) -> Iterator[pa.RecordBatch]:
    ends = [each.ends.take(each.is_matched) for each in (sends, receives)]
    ordinal = sends.ordinal[sends.is_matched]
    for begin in range(0, len(ordinal), _GATHERED):
        part = slice(begin, begin + _GATHERED)
        sent, received = (_Ends(*(column[part] for column in each)) for each in ends)
        columns = _as_columns(rows, sent, received, begin, ordinal[part])
        yield pa.RecordBatch.from_arrays(
            [columns[field.name].cast(field.type) for field in MESSAGES.arrow_schema],
            schema=MESSAGES.arrow_schema,
        )


def _as_columns(
    rows: pa.Table, sent: _Ends, received: _Ends, first: int, ordinal: Numbers
) -> dict[str, pa.Array]:
    names = ("communicator_id", "sender_group_id", "receiver_group_id", "tag")
    send_ns, receive_ns = (
        _gather(rows, "time_ns", sent.time),
        _gather(rows, "time_ns", received.time),
    )
    found = {
        "message_id": np.arange(first, first + len(ordinal)),
        **dict(zip(names, sent.channel, strict=True)),
        "ordinal": ordinal,
        "sender_location_id": _gather(rows, "location_id", sent.time),
        "receiver_location_id": _gather(rows, "location_id", received.time),
        "bytes": _gather(rows, "bytes", sent.time),
        "send_ns": send_ns,
        "send_sequence": _gather(rows, "sequence", sent.time),
        "receive_ns": receive_ns,
        "receive_sequence": _gather(rows, "sequence", received.time),
        "is_clock_violation": pc.greater(send_ns, receive_ns),
    }
    moments = {
        "send_post": sent.post, "send_completion": sent.completion,
        "receive_post": received.post, "receive_completion": received.completion,
    }  # fmt: skip
    for moment, row in moments.items():
        found |= {f"{moment}_{name}": _gather(rows, name, row) for name in _MOMENT}
    return {name: pa.array(column) for name, column in found.items()}


def _gather(rows: pa.Table, name: str, row: Numbers) -> pa.Array:
    """Values of a column, null where there is no row."""
    is_missing = row == NONE
    at = pa.array(row, mask=is_missing) if is_missing.any() else pa.array(row)
    return rows[name].chunk(0).take(at)


def _unmatched(rows: pa.Table, side: str, channels: _Channels) -> pa.Table:
    left = ~channels.is_matched
    ends = channels.ends.take(left)
    columns: list[Any] = [
        pa.array([side] * len(ends.time), pa.string()), *ends.channel, channels.ordinal[left],
        _gather(rows, "location_id", ends.time), _gather(rows, "visit_id", ends.post),
        _gather(rows, "call_path_id", ends.post), _gather(rows, "time_ns", ends.time),
        _gather(rows, "bytes", ends.time),
    ]  # fmt: skip
    return UNMATCHED_MESSAGES.conform(
        pa.table(dict(zip(UNMATCHED_MESSAGES.column_names, columns, strict=True)))
    )


def _count(records: Records, sends: _Ends, receives: _Ends) -> pa.Table:
    size = int(records.location.max()) + 1

    def count(row: NDArray[Any]) -> Numbers:
        return np.bincount(records.location[row], minlength=size)

    counts = {
        "receive_count": count(receives.time),
        "unrequested_count": count(receives.time[receives.post == NONE]),
        "incomplete_send_count": count(sends.time[sends.completion == NONE]),
    }
    found = np.flatnonzero(counts["receive_count"] + counts["incomplete_send_count"])
    return pa.table(
        {"location_id": found.astype(np.int32)}
        | {name: each[found] for name, each in counts.items()}
    )


MESSAGES_STAGE = PythonStage(
    name="messages",
    outputs=_OUTPUTS,
    compute=match_messages,
    walked=("mpi_operations",),
    needed_rows=(("mpi_operations",),),
)
