"""Wait states, from the receives of each location in their order."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from tests.oracle.stored_runs import TESTS, WAITING_FOR_RECEIVERS, c_name

Row = dict[str, Any]
Wait = tuple[str, int, int, int, int]


def find_late_senders(
    messages: Iterable[Row],
    name_of: Callable[[int], str],
    group_of: Callable[[int], int],
    remembered_waits: int = 0,
) -> list[Wait]:
    """(property, visit, start, wait, message) of every late sender.

    `name_of` gives the call of a call path, `group_of` the process of a location. A list holds the
    waits that are not yet marked; every received message marks the waits for younger ones. In a
    limited list, a new wait replaces the oldest one.
    """
    waits: list[Wait] = []
    for received in _by_location(messages):
        unmarked: list[tuple[Row, int]] = []
        for place, message in enumerate(received):
            for awaited, wait in [*unmarked]:
                if message["send_ns"] < awaited["send_ns"]:
                    senders = {group_of(m["sender_location_id"]) for m in (message, awaited)}
                    kind = "mpi_lswo_same" if len(senders) == 1 else "mpi_lswo_different"
                    waits.append(_late_sender(kind, awaited, wait))
                    unmarked.remove((awaited, wait))
            visit = message["receive_completion_visit_id"]
            rest = received[place + 1 :]
            if all(other["receive_completion_visit_id"] != visit for other in rest):
                call = [m for m in received if m["receive_completion_visit_id"] == visit]
                late = [(m, _late_sender_wait(m)) for m in call]
                longest = max(late, key=lambda each: each[1])  # the first of equals
                path = message["receive_completion_call_path_id"]
                if longest[1] > 0 and c_name(name_of(path)) not in TESTS:
                    unmarked.append(longest)
                if remembered_waits and len(unmarked) > remembered_waits:
                    waits.append(_late_sender("mpi_latesender", *unmarked.pop(0)))
        waits += [_late_sender("mpi_latesender", *each) for each in unmarked]
    return sorted(waits, key=lambda wait: wait[1])


def find_late_receivers(
    messages: Iterable[Row], name_of: Callable[[int], str], late_sender_visits: set[int]
) -> list[Wait]:
    """(property, visit, start, wait, message) of every late receiver."""
    longest: dict[int, Row] = {}
    for message in sorted(messages, key=lambda row: (row["send_ns"], row["message_id"])):
        visit = message["send_completion_visit_id"]
        wait = _late_receiver_wait(message)
        if visit is None or wait <= 0 or visit in late_sender_visits:
            continue
        call = c_name(name_of(message["send_completion_call_path_id"]))
        if call not in WAITING_FOR_RECEIVERS:
            continue
        if visit not in longest or wait > _late_receiver_wait(longest[visit]):
            longest[visit] = message
    return [
        (
            "mpi_latereceiver",
            visit,
            message["send_completion_enter_ns"],
            _late_receiver_wait(message),
            message["message_id"],
        )
        for visit, message in sorted(longest.items())
    ]


def _late_sender_wait(message: Row) -> int:
    """Messages outside any call do not wait and are not waited for."""
    if message["send_post_enter_ns"] is None or message["receive_completion_enter_ns"] is None:
        return 0
    until = min(message["send_post_enter_ns"], message["receive_completion_leave_ns"])
    return int(until - message["receive_completion_enter_ns"])


def _late_receiver_wait(message: Row) -> int:
    posted = message["receive_post_enter_ns"]
    if posted is None or message["send_completion_enter_ns"] is None:
        return 0
    if message["send_completion_leave_ns"] <= posted:
        return 0
    return int(posted - message["send_completion_enter_ns"])


def _late_sender(kind: str, message: Row, wait: int) -> Wait:
    visit, start = message["receive_completion_visit_id"], message["receive_completion_enter_ns"]
    return (kind, visit, start, wait, message["message_id"])


def _by_location(messages: Iterable[Row]) -> list[list[Row]]:
    received: dict[int, list[Row]] = defaultdict(list)
    for message in sorted(messages, key=lambda row: row["receive_sequence"]):
        received[message["receiver_location_id"]].append(message)
    return list(received.values())
