"""All wait states as whole rows, found call by call."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.collective_waits import (
    Instance,
    Member,
    Wait,
    find_collective_waits,
    find_finalize_waits,
    find_init_completions,
    synchronized,
)
from tests.oracle.collectives import framing_members, instances_of
from tests.oracle.matching import CHANNEL
from tests.oracle.stored_runs import TESTS, Tables, calls_of_paths, names_of_call_paths, processes
from tests.oracle.wait_states import find_late_receivers, find_late_senders

Row = dict[str, Any]
# As many waits that are not marked yet as the reference remembers.
REMEMBERED = 100
# --- Messages -----------------------------------------------------------------------------------


def late_sender(tables: Tables) -> list[Row]:
    """Receives that waited, each for one message."""
    return [
        _for_message(tables, "receive_completion", wait, cause="send_post")
        for wait in _late_senders(tables)
    ]


def awaited_messages(tables: Tables) -> list[Row]:
    """The messages that receives waited for."""
    names = ("message_id", "location_id", "visit_id", "wait_ns")
    return [{name: row[name] for name in names} for row in late_sender(tables)]


def wrong_order(tables: Tables) -> list[Row]:
    """Those of them that were sent after one received later."""
    return [
        {"message_id": message, "is_same_sender": name == "mpi_lswo_same"}
        for name, _, _, _, message in _late_senders(tables)
        if name != "mpi_latesender"
    ]


def late_receiver(tables: Tables) -> list[Row]:
    """Sends that waited, each for one message."""
    names = names_of_call_paths(tables)
    visits = {visit for _, visit, *_ in _late_senders(tables)}
    found = find_late_receivers(tables["messages"], names.__getitem__, visits)
    return [_for_message(tables, "send_completion", wait, cause="receive_post") for wait in found]


def _late_senders(tables: Tables) -> list[tuple[str, int, int, int, int]]:
    names, groups = names_of_call_paths(tables), processes(tables)
    found = tables["messages"]
    return find_late_senders(found, names.__getitem__, groups.__getitem__, REMEMBERED)


def _for_message(
    tables: Tables, waiting: str, wait: tuple[str, int, int, int, int], *, cause: str
) -> Row:
    """A wait of one moment of a message for another one."""
    name, visit, start, length, number = wait
    (message,) = (row for row in tables["messages"] if row["message_id"] == number)
    channel = {key: message[key] for key in CHANNEL}
    is_doubtful = channel in tables["doubtful_channels"]
    confidence = 75 if is_doubtful else 100
    places = {"send": "sender_location_id", "rece": "receiver_location_id"}
    return {
        "property": name,
        "location_id": message[places[waiting[:4]]],
        "visit_id": visit,
        "call_path_id": message[f"{waiting}_call_path_id"],
        "start_ns": start,
        "wait_ns": length,
        "cause_location_id": message[places[cause[:4]]],
        "cause_visit_id": message[f"{cause}_visit_id"],
        "message_id": number,
        "collective_id": None,
        "is_synchronization": message["bytes"] == 0,
        "is_extended": False,
        "confidence": 50 if message["is_clock_violation"] else confidence,
    }


# --- Collectives --------------------------------------------------------------------------------


def collective_waits(tables: Tables) -> list[Row]:
    return [row for row in _blocking(tables) if not row["property"].endswith("_completion")]


def collective_completions(tables: Tables) -> list[Row]:
    """Time inside after the first one has left."""
    return [row for row in _blocking(tables) if row["property"].endswith("_completion")]


def _blocking(tables: Tables) -> Iterator[Row]:
    for number, instance in instances_of(tables):
        for wait in find_collective_waits([instance]):
            is_last = not wait.property.endswith("_completion")
            yield _in_collective(number, instance, wait, is_last=is_last)


def _in_collective(number: int, instance: Instance, wait: Wait, *, is_last: bool) -> Row:
    """A row; `is_last`: caused by a begin, else by an end."""
    (member,) = (each for each in instance.members if each.location == wait.location)
    (cause,) = (each for each in instance.members if each.location == wait.cause)
    return _row(wait, member, cause.begin_visit if is_last else cause.visit) | {
        "collective_id": number,
        "is_synchronization": instance.family == "barrier",
    }


def _row(wait: Wait, member: Member, cause_visit: int | None) -> Row:
    return {
        "property": wait.property,
        "location_id": member.location,
        "visit_id": member.visit,
        "call_path_id": member.call_path,
        "start_ns": wait.start,
        "wait_ns": wait.wait,
        "cause_location_id": wait.cause,
        "cause_visit_id": cause_visit,
        "message_id": None,
        "collective_id": None,
        "is_synchronization": True,
        "is_extended": wait.is_extended,
        "confidence": wait.confidence,
    }


def nonblocking_collective_waits(tables: Tables) -> list[Row]:
    """Waiting of a completing call that messages do not explain."""
    calls: dict[int, list[tuple[int, Row]]] = defaultdict(list)
    for number, instance in instances_of(tables):
        for member, last in synchronized(instance) if instance.is_nonblocking else ():
            if member.call is None or last.begin_visit is None or member.is_test:
                continue
            start, until = max(member.begin, member.call), min(last.begin, member.end)
            wait = Wait(
                instance.property, member.location, member.call, start, until - start,
                last.location, True, instance.confidence_of(member, last),
            )  # fmt: skip
            row = _row(wait, member, last.begin_visit) | {"collective_id": number}
            row |= {"is_synchronization": instance.family == "barrier"}
            calls[row["visit_id"]].append((until, row))
    messages = [*tables["late_sender"], *tables["late_receiver"]]
    found = []
    for visit, waits in calls.items():
        until, row = max(waits, key=lambda each: each[1]["wait_ns"])  # the first of equals
        ends = [
            each["start_ns"] + each["wait_ns"] for each in messages if each["visit_id"] == visit
        ]
        row["start_ns"] = max([row["start_ns"], *ends])
        row["wait_ns"] = until - row["start_ns"]
        found += [row] if row["wait_ns"] > 0 else []
    return found


# --- MPI_Init and MPI_Finalize ------------------------------------------------------------------


def init_completion(tables: Tables) -> list[Row]:
    """Time in MPI_Init after the first process has left it."""
    members = framing_members(tables, "mpi_init", "mpi_init_thread")
    return [_framing(members, wait) for wait in find_init_completions(members)]


def wait_at_finalize(tables: Tables) -> list[Row]:
    """Time in MPI_Finalize until the last process enters it."""
    members = framing_members(tables, "mpi_finalize")
    return [_framing(members, wait) for wait in find_finalize_waits(members)]


def _framing(members: list[Member], wait: Wait) -> Row:
    (member,) = (each for each in members if each.location == wait.location)
    (cause,) = (each for each in members if each.location == wait.cause)
    return _row(wait, member, cause.visit)


# --- Locks --------------------------------------------------------------------------------------


def lock_contention(tables: Tables) -> list[Row]:
    """For each call that took locks: the last of all times at which somebody gave one back.

    The lock that is taken for the n-th time is looked for among all releases after the time before.
    """
    groups = processes(tables)
    found: dict[int, list[tuple[int, int, int, Row]]] = defaultdict(list)
    for own in tables["lock_operations"]:
        if own["kind"] != "acquire" or own["visit_id"] is None:
            continue
        before = [
            row
            for row in tables["lock_operations"]
            if row["kind"] == "release"
            and row["visit_id"] is not None
            and row["time_ns"] <= own["time_ns"]
            and row["acquisition_order"] == own["acquisition_order"] - 1
            and (row["paradigm"], row["lock_id"]) == (own["paradigm"], own["lock_id"])
            and groups[row["location_id"]] == groups[own["location_id"]]
        ]
        if before:
            last = max(before, key=lambda row: row["time_ns"])
            wait = last["time_ns"] - own["enter_ns"]
            found[own["visit_id"]].append((wait, last["location_id"], last["visit_id"], own))
    return [
        _for_lock(tables, *max(waits, key=lambda wait: wait[:3]))
        for waits in found.values()
        if max(wait[0] for wait in waits) > 0
    ]


def _for_lock(tables: Tables, wait: int, place: int, visit: int, own: Row) -> Row:
    regions = {row["region_id"]: row for row in tables["regions"]}
    (path,) = (p for p in tables["call_paths"] if p["call_path_id"] == own["call_path_id"])
    region = regions[path["region_id"]]
    if own["paradigm"] == "openmp":
        kind = "critical" if region["role"] == "critical" else "api"
        name = f"omp_lock_contention_{kind}"
    else:
        kind = "conditional" if region["name"].startswith("pthread_cond_") else "mutex_lock"
        name = f"pthread_lock_contention_{kind}"
    return {
        "property": name,
        "location_id": own["location_id"],
        "visit_id": own["visit_id"],
        "call_path_id": own["call_path_id"],
        "start_ns": own["enter_ns"],
        "wait_ns": wait,
        "cause_location_id": place,
        "cause_visit_id": visit,
        "message_id": None,
        "collective_id": None,
        "is_synchronization": True,
        "is_extended": own["paradigm"] not in ("openmp", "pthread"),
        "confidence": 100,
    }


# --- Files ------------------------------------------------------------------------------------


def collective_io_waits(tables: Tables) -> list[Row]:
    """The longest wait of each call, without the part that other waits explain."""
    names = calls_of_paths(tables)
    calls: dict[int, list[tuple[int, Row]]] = defaultdict(list)
    accesses: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in tables["collective_file_calls"]:
        if row["is_complete"]:
            accesses[row["io_handle_id"], row["ordinal"]].append(row)
    for _, members in sorted(accesses.items()):
        last = max(members, key=lambda row: (row["begin_ns"], -row["comm_rank"]))
        for row in members:
            is_known = None not in (row["visit_id"], last["start_visit_id"])
            if is_known and names[row["call_path_id"]] not in TESTS:
                start = max(row["begin_ns"], row["enter_ns"])
                until = min(last["begin_ns"], row["leave_ns"])
                calls[row["visit_id"]].append((until, _io_wait(row, last, start, until - start)))
    found = []
    for visit, waits in calls.items():
        until, wait = max(waits, key=lambda each: each[1]["wait_ns"])  # the first of equals
        ends = [
            each["start_ns"] + each["wait_ns"]
            for name in ("late_sender", "late_receiver", "nonblocking_collective_waits")
            for each in tables[name]
            if each["visit_id"] == visit
        ]
        wait["start_ns"] = max([wait["start_ns"], *ends])
        wait["wait_ns"] = until - wait["start_ns"]
        found += [wait] if wait["wait_ns"] > 0 else []
    return found


def _io_wait(row: Row, last: Row, start: int, length: int) -> Row:
    confidence = 75 if row["is_doubtful"] else 100
    return {
        "property": "mpi_io_collective_wait",
        "location_id": row["location_id"],
        "visit_id": row["visit_id"],
        "call_path_id": row["call_path_id"],
        "start_ns": start,
        "wait_ns": length,
        "cause_location_id": last["location_id"],
        "cause_visit_id": last["start_visit_id"],
        "message_id": None,
        "collective_id": None,
        "is_synchronization": False,
        "is_extended": True,
        "confidence": 50 if last["begin_ns"] > row["leave_ns"] else confidence,
    }
