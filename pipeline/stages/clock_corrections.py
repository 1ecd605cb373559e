"""Clock correction as a stage: from the records that meet to the jumps and knots of each clock."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.clocks import CLOCK_CORRECTIONS, CLOCK_JUMPS, MEETING_KINDS
from tracemill.stages.arrays import Relation, in_order, read_columns
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.kernels.clock_replay import Clocks, Knots, Meetings

Numbers = NDArray[np.int64]
_NONE = -1
_MESSAGE, _SCAN = MEETING_KINDS.index("message"), MEETING_KINDS.index("scan")
_COLLECTIVE = (MEETING_KINDS.index("collective"), _SCAN)


def correct_clocks(clock_events: Relation) -> tuple[pa.Table, pa.Table]:
    """Jumps of receivers that are too early, and the corrected times (Becker et al. 2008)."""
    from tracemill.kernels.clock_replay import Events, replay_clocks

    # Copies: kernels are compiled for arrays that can be written.
    location, time, sequence, is_sender, _, meeting, kind, instance, least = (
        column.copy() for column in _read(clock_events)
    )
    locations, first = np.unique(location, return_index=True)
    events = Events(np.append(first, len(location)), time, sequence, meeting, is_sender)
    replayed = replay_clocks(events, _meetings(meeting, kind, instance, least))
    jumped = np.flatnonzero(replayed.is_jump)
    if not len(jumped):
        return CLOCK_JUMPS.empty(), CLOCK_CORRECTIONS.empty()
    jump = (replayed.after - replayed.before)[jumped]
    # Damage can let a record meet several others: its jumps are one, named by the last of them.
    is_last = _is_last_of_record(location[jumped], time[jumped], sequence[jumped])
    jump = np.add.reduceat(jump, np.append(0, np.flatnonzero(is_last)[:-1] + 1))
    jumped = jumped[is_last]
    jumps = {
        "location_id": location[jumped].astype(np.int32),
        "old_ns": time[jumped],
        "sequence": sequence[jumped],
        "new_ns": _rounded(replayed.after[jumped]),
        "jump_ns": _rounded(jump),
        "kind": np.array(MEETING_KINDS)[kind[jumped]],
        "message_id": _where(kind[jumped] == _MESSAGE, instance[jumped]),
        "collective_id": _where(np.isin(kind[jumped], _COLLECTIVE), instance[jumped]),
    }
    return pa.table(jumps), _as_corrections(replayed.knots, locations)


def clocks_of(corrections: pa.Table) -> "Clocks":
    """The knots of each location with corrections, which are in the order of their key."""
    from tracemill.kernels.clock_replay import Knots

    names = ("location_id", "old_ns", "sequence", "new_ns")
    # Copies: kernels are compiled for arrays that can be written.
    location, *columns = (np.array(corrections[name].cast("int64")) for name in names)
    locations, first = np.unique(location, return_index=True)
    parts = zip(*(np.split(column, first)[1:] for column in columns), strict=True)
    return {each: (Knots(*knots),) for each, knots in zip(locations.tolist(), parts, strict=True)}


def _read(clock_events: Relation) -> list[NDArray[Any]]:
    kinds = " ".join(f"WHEN '{kind}' THEN {at}" for at, kind in enumerate(MEETING_KINDS))
    found = read_columns(
        clock_events,
        "location_id::BIGINT",
        "time_ns",
        "sequence",
        "is_sender",
        "meeting_id IS NULL",
        f"coalesce(meeting_id, {_NONE})",
        f"coalesce(CASE kind {kinds} END, {_NONE})::BIGINT",
        f"coalesce(message_id, collective_id, {_NONE})",
        "least_ns",
    )
    return in_order(found, keys=6)


def _meetings(meeting: Numbers, kind: Numbers, instance: Numbers, least: Numbers) -> "Meetings":
    """The meetings by number; those of a scan follow each other."""
    from tracemill.kernels.clock_replay import Meetings

    count = int(meeting.max(initial=_NONE)) + 1
    is_met = meeting != _NONE
    found = np.zeros((2, count), np.int64)
    scan = np.full(count, _NONE)
    found[0, meeting[is_met]] = least[is_met]
    scan[meeting[is_met]] = np.where(kind == _SCAN, instance, _NONE)[is_met]
    follows = (scan[1:] == scan[:-1]) & (scan[1:] != _NONE)
    found[1, :-1] = np.where(follows, np.arange(1, count), _NONE)
    found[1, -1:] = _NONE
    return Meetings(*found)


def _as_corrections(knots: "list[Knots]", locations: Numbers) -> pa.Table:
    counts = [len(each.old) for each in knots]
    old, sequence, new = (np.concatenate(column) for column in zip(*knots, strict=True))
    location = np.repeat(locations, counts).astype(np.int32)
    found = pa.table({"location_id": location, "old_ns": old, "sequence": sequence, "new_ns": new})
    return found.filter(pa.array(_is_last_of_record(location, old, sequence)))


def _is_last_of_record(*keys: NDArray[Any]) -> NDArray[np.bool_]:
    """Of sorted rows, which are the last of their location, time and sequence."""
    changes = [key[1:] != key[:-1] for key in keys]
    return np.append(np.logical_or.reduce(changes), True)


def _rounded(times: NDArray[np.float64]) -> Numbers:
    return np.floor(times + 0.5).astype(np.int64)


def _where(is_there: NDArray[np.bool_], values: Numbers) -> pa.Array:
    return pa.array(values, mask=~is_there)


CLOCK_STAGE = PythonStage(
    name="clock_corrections",
    outputs=(CLOCK_JUMPS, CLOCK_CORRECTIONS),
    compute=correct_clocks,
    needed_rows=(("clock_events",),),
    modules=(
        "tracemill.stages.clock_corrections", "tracemill.stages.arrays",
        "tracemill.kernels.clock_replay", "tracemill.schemas.clocks",
    ),
)  # fmt: skip
