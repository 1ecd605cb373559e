"""Waiting in one-sided communication, call by call."""

from collections.abc import Iterable, Iterator
from typing import Any

from tests.oracle.one_sided import OPERATIONS
from tests.oracle.stored_runs import Tables, c_name, processes

Row = dict[str, Any]
COMPLETIONS = ("complete_blocking", "complete_nonblocking", "complete_remote")
COMPLETING = ("mpi_win_flush", "mpi_win_unlock", "mpi_win_complete")


def _wait(
    name: str, call: Row, start: int, until: int, cause: tuple[int, int], *,
    is_synchronization: bool = True, confidence: int = 100,
) -> Row:  # fmt: skip
    return {name: call[name] for name in ("location_id", "visit_id", "call_path_id")} | {
        "property": name,
        "start_ns": start,
        "wait_ns": until - start,
        "cause_location_id": cause[0],
        "cause_visit_id": cause[1],
        "message_id": None,
        "collective_id": None,
        "is_synchronization": is_synchronization,
        "is_extended": True,
        "confidence": confidence,
    }


def _positive(waits: Iterable[Row]) -> list[Row]:
    return [wait for wait in waits if wait["wait_ns"] > 0]


def _longest(waits: Iterable[Row]) -> list[Row]:
    """One wait of each visit, the longest."""
    chosen: dict[int, Row] = {}
    for wait in waits:
        other = chosen.setdefault(wait["visit_id"], wait)
        if wait["wait_ns"] > other["wait_ns"]:
            chosen[wait["visit_id"]] = wait
    return list(chosen.values())


def _call(epoch: Row, side: str) -> Row:
    names = ("location_id", "visit_id", "call_path_id", "enter_ns", "leave_ns")
    return {name: epoch[f"{side}_{name}"] for name in names}


def _last_access(accesses: Iterable[Row]) -> Row | None:
    """The one left last, of equals that of the lowest location, there the last visit."""
    by_end = {
        (-row["leave_ns"], row["location_id"], -row["visit_id"]): row
        for row in accesses
        if row["target_group_id"] != row["location_group_id"]
    }
    return by_end[min(by_end)] if by_end else None


# --- All processes of a window ------------------------------------------------------------------


def rma_synchronization_waits(tables: Tables) -> list[Row]:
    """In calls that all make, and in those that end an epoch."""
    return [*_waits_for_all(tables), *_waits_for_origins(tables)]


def _waits_for_all(tables: Tables) -> list[Row]:
    """Making, freeing and fences, the part with accesses is early."""
    return _positive(
        wait
        for member in tables["rma_collectives"]
        if member["is_together"]
        for wait in _in_collective(member, tables["rma_accesses"])
    )


def _in_collective(member: Row, accesses: list[Row]) -> Iterator[Row]:
    start, until = member["begin_ns"], max(member["begin_ns"], member["last_begin_ns"])
    confidence = 75 if member["is_doubtful"] else 100
    last = _access_before(member, accesses)
    if last is not None and last["leave_ns"] > start:
        middle = min(last["leave_ns"], until)
        cause = last["location_id"], last["visit_id"]
        name = "mpi_rma_early_fence"
        yield _wait(name, member, start, middle, cause, confidence=confidence)
        start = middle
    cause = member["last_location_id"], member["last_visit_id"]
    name = f"mpi_rma_wait_at_{member['purpose']}"
    yield _wait(name, member, start, until, cause, confidence=confidence)


def _access_before(member: Row, accesses: list[Row]) -> Row | None:
    """The last access of others to the own memory before a fence."""
    return _last_access(
        row
        for row in accesses
        if member["purpose"] == "fence"
        and row["fence_ordinal"] == member["ordinal"]
        and row["rma_window_id"] == member["rma_window_id"]
        and row["target_group_id"] == member["location_group_id"]
    )


# --- Epochs -------------------------------------------------------------------------------------


def late_post(tables: Tables) -> list[Row]:
    """Calls of access epochs during which the target posted."""
    found = []
    for epoch in tables["rma_epochs"]:
        pairs = [
            pair
            for pair in tables["rma_epoch_pairs"]
            if pair["start_visit_id"] == epoch["begin_visit_id"]
        ]
        last = min(pairs, key=lambda p: (-p["post_enter_ns"], p["post_location_id"]), default=None)
        if epoch["role"] == "exposure" or last is None:
            continue
        calls = [(_call(epoch, "begin"), last)]
        calls += [(_call(epoch, "end"), last)] if epoch["end_visit_id"] is not None else []
        found += [_posted_in("mpi_rma_sync_late_post", call, pair) for call, pair in calls]
        found += [
            _posted_in("mpi_rma_comm_late_post", access, pair)
            for access in tables["rma_accesses"]
            for pair in pairs
            if access["start_visit_id"] == epoch["begin_visit_id"]
            and access["target_group_id"] == pair["target_group_id"]
        ]
    return _longest(_positive(found))


def _posted_in(name: str, call: Row, pair: Row) -> Row:
    """The wait for a post, of no length if the post does not lie in the call."""
    enter, posted = call["enter_ns"], pair["post_enter_ns"]
    until = posted if enter < posted < call["leave_ns"] else enter
    cause = pair["post_location_id"], pair["post_visit_id"]
    return _wait(name, call, enter, until, cause, is_synchronization="sync" in name)


def _waits_for_origins(tables: Tables) -> list[Row]:
    """MPI_Win_wait until the last MPI_Win_complete."""
    found: list[Row] = []
    for epoch in tables["rma_epochs"]:
        pairs = _completions(epoch, tables)
        if epoch["role"] == "access" or epoch["end_visit_id"] is None or epoch["is_tested"]:
            continue
        if pairs:
            found += _in_wait(epoch, pairs, tables)
    return _positive(found)


def _in_wait(epoch: Row, pairs: list[Row], tables: Tables) -> Iterator[Row]:
    call = _call(epoch, "end")
    last = min(pairs, key=lambda p: (-p["complete_enter_ns"], p["complete_location_id"]))
    is_late = last["complete_enter_ns"] > call["leave_ns"]
    until, start = min(last["complete_enter_ns"], call["leave_ns"]), call["enter_ns"]
    confidence = 50 if is_late else 100
    access = _access_in(epoch, tables)
    middle = start
    if access is not None:
        middle = max(start, min(access["leave_ns"], until))
        cause = access["location_id"], access["visit_id"]
        yield _wait("mpi_rma_early_wait", call, start, middle, cause, confidence=confidence)
    cause = last["complete_location_id"], last["complete_visit_id"]
    yield _wait("mpi_rma_late_complete", call, middle, until, cause, confidence=confidence)


def _access_in(epoch: Row, tables: Tables) -> Row | None:
    """The last access of others to the own memory while it is exposed."""
    of_epoch = {
        (pair["start_visit_id"], pair["target_group_id"])
        for pair in tables["rma_epoch_pairs"]
        if pair["post_visit_id"] == epoch["begin_visit_id"]
    }
    return _last_access(
        row
        for row in tables["rma_accesses"]
        if (row["start_visit_id"], row["target_group_id"]) in of_epoch
    )


# --- Both together ------------------------------------------------------------------------------


def rma_synchronized_calls(tables: Tables) -> list[Row]:
    """Calls that had to wait: the longest of several collective calls of one visit."""
    longest: dict[int, Row] = {}
    for member in sorted(tables["rma_collectives"], key=lambda row: int(row["ordinal"])):
        if member["is_together"]:
            other = longest.setdefault(member["visit_id"], member)
            if _length(member) > _length(other):
                longest[member["visit_id"]] = member
    found = [_met(member, tables) for member in longest.values()]
    found += [
        _ended(epoch, tables)
        for epoch in tables["rma_epochs"]
        if epoch["role"] != "access" and epoch["end_visit_id"] is not None
        if not epoch["is_tested"] and _completions(epoch, tables)
    ]
    return [row for row in found if row["until_ns"] > row["start_ns"]]


def _length(member: Row) -> int:
    return int(member["last_begin_ns"] - member["begin_ns"])


def _met(member: Row, tables: Tables) -> Row:
    """A call that all processes of a window make, with the last one."""
    call = {name: member[name] for name in ("location_id", "visit_id", "call_path_id")}
    last = member["last_location_id"], member["last_visit_id"]
    confidence = 75 if member["is_doubtful"] else 100
    access = _access_before(member, tables["rma_accesses"])
    times = member["begin_ns"], member["last_begin_ns"]
    return _synchronized(call, member["purpose"], times, access, last, confidence)


def _ended(epoch: Row, tables: Tables) -> Row:
    """A call that ends an epoch of exposure, with the last MPI_Win_complete."""
    call, pairs = _call(epoch, "end"), _completions(epoch, tables)
    pair = min(pairs, key=lambda p: (-p["complete_enter_ns"], p["complete_location_id"]))
    confidence = 50 if pair["complete_enter_ns"] > call["leave_ns"] else 100
    times = call.pop("enter_ns"), min(pair["complete_enter_ns"], call.pop("leave_ns"))
    last = pair["complete_location_id"], pair["complete_visit_id"]
    return _synchronized(call, "wait", times, _access_in(epoch, tables), last, confidence)


def _completions(epoch: Row, tables: Tables) -> list[Row]:
    return [
        pair
        for pair in tables["rma_epoch_pairs"]
        if pair["post_visit_id"] == epoch["begin_visit_id"]
        and pair["complete_visit_id"] is not None
    ]


def _synchronized(
    call: Row, purpose: str, times: tuple[int, int], access: Row | None, last: tuple[int, int],
    confidence: int,
) -> Row:  # fmt: skip
    start, until = times
    accessed_until = start if access is None else max(start, min(access["leave_ns"], until))
    return call | {
        "purpose": purpose,
        "start_ns": start,
        "accessed_until_ns": accessed_until,
        "until_ns": until,
        "access_location_id": access and access["location_id"],
        "access_visit_id": access and access["visit_id"],
        "last_location_id": last[0],
        "last_visit_id": last[1],
        "confidence": confidence,
    }


# --- Locks --------------------------------------------------------------------------------------


def rma_lock_competition(tables: Tables) -> list[Row]:
    """The call of each epoch that waited longest for the previous owner."""
    owners = {(row["lock_visit_id"], row["lock_position"]): row for row in tables["rma_lock_queue"]}
    found = []
    for epoch in sorted(tables["rma_lock_epochs"], key=lambda row: row["lock_position"]):
        owner = owners[epoch["lock_visit_id"], epoch["lock_position"]]
        if owner["owner_release_ns"] is None:
            continue
        calls = [("mpi_rma_sync_lock_competition", _call(epoch, side)) for side in SIDES]
        calls += [
            ("mpi_rma_comm_lock_competition", access)
            for access in tables["rma_accesses"]
            if access["location_group_id"] == epoch["location_group_id"]
            and access["lock_position"] == epoch["lock_position"]
        ]
        calls.sort(key=lambda named: (named[1]["enter_ns"], named[1]["visit_id"]))
        waits = [wait for name, call in calls for wait in _blocked(name, call, owner)]
        found += sorted(waits, key=lambda wait: -int(wait["wait_ns"]))[:1]
    return _longest(_positive(found))


SIDES = ("lock", "unlock")


def _blocked(name: str, call: Row, owner: Row) -> Iterator[Row]:
    enter, leave, released = call["enter_ns"], call["leave_ns"], owner["owner_release_ns"]
    if enter < released and leave > owner["owner_enter_ns"]:
        cause = owner["owner_location_id"], owner["owner_visit_id"]
        yield _wait(
            name, call, enter, min(released, leave), cause, is_synchronization="sync" in name,
            confidence=75 if released > leave else 100,
        )  # fmt: skip


# --- Progress -----------------------------------------------------------------------------------


def wait_for_progress(tables: Tables) -> list[Row]:
    """Calls during which a target that was outside MPI entered it."""
    names = {row["region_id"]: c_name(row["name"]) for row in tables["regions"]}
    owners = processes(tables)
    inside: dict[int, list[Row]] = {}
    for visit in tables["visits"]:
        if names[visit["region_id"]]:
            inside.setdefault(owners[visit["location_id"]], []).append(visit)
    explained = {
        row["visit_id"] for name in ("late_post", "rma_lock_competition") for row in tables[name]
    }
    found: dict[int, tuple[Any, Row]] = {}
    for call, target in _needed_targets(tables["rma_calls"]):
        arrival = _arrival(call, inside.get(target, []))
        if arrival is None or call["visit_id"] in explained:
            continue
        rank = (-arrival["enter_ns"], arrival["location_id"], arrival["visit_id"])
        cause = arrival["location_id"], arrival["visit_id"]
        wait = _wait(
            "mpi_rma_wait_for_progress", call, call["enter_ns"], arrival["enter_ns"], cause,
            is_synchronization=False, confidence=50,
        )  # fmt: skip
        other = found.setdefault(call["visit_id"], (rank, wait))
        if rank < other[0]:
            found[call["visit_id"]] = rank, wait
    return [wait for _, wait in found.values()]


def _needed_targets(calls: list[Row]) -> Iterator[tuple[Row, int]]:
    """Calls with each process that they need."""
    requests: dict[tuple[Any, ...], int | None] = {}
    for row in sorted(calls, key=lambda row: (row["location_group_id"], row["position"])):
        request = tuple(row[key] for key in ("location_group_id", "rma_window_id", "matching_id"))
        target = None
        if row["kind"] in OPERATIONS:
            target = row["target_group_id"]
            if target is not None:
                requests[request] = target
            target = requests.get(request)
        elif row["kind"] == "release_lock":
            target = row["target_group_id"]
        elif row["kind"] in COMPLETIONS and row["call"].startswith(COMPLETING):
            target = requests.get(request)
        if target is not None and target != row["location_group_id"]:
            yield row, target


def _arrival(call: Row, visits: list[Row]) -> Row | None:
    """The only entry of a target into MPI during a call, if it ended the call."""
    begin, end = call["enter_ns"], call["leave_ns"]
    if any(visit["enter_ns"] <= begin < visit["leave_ns"] for visit in visits):
        return None
    entries = [visit for visit in visits if begin < visit["enter_ns"] < end]
    if len({visit["enter_ns"] for visit in entries}) != 1:
        return None
    first = min(entries, key=lambda visit: (visit["location_id"], visit["visit_id"]))
    return first if end - first["enter_ns"] <= first["enter_ns"] - begin else None
