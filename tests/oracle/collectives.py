"""Collectives: numbered by walking through the records of every process."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from tests.oracle.collective_waits import (
    Instance,
    Member,
    first_out,
    is_awaited,
    is_waiting,
    last_of,
    synchronized,
)
from tests.oracle.matching import by_location
from tests.oracle.stored_runs import Tables, calls_of_paths, processes

Row = dict[str, Any]
CALL = ("visit_id", "call_path_id", "enter_ns", "leave_ns")


def number_collectives(
    operations: Iterable[Row], groups: Mapping[int, int], is_self: Mapping[int, bool]
) -> dict[tuple[int, int], list[Row]]:
    """The calls of each instance, by communicator and position on it, each with its start."""
    calls: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for location, records in by_location(operations):
        started: dict[int, Row] = {}
        for record in records:
            if record["kind"] == "nonblocking_collective_request":
                started[record["request_id"]] = record
            elif record["kind"] == "collective":
                calls[record["communicator_id"], groups[location]].append(_blocking(record))
            elif record["kind"] == "nonblocking_collective":
                start = started.pop(record["request_id"], None)
                call = _nonblocking(record, start)
                calls[record["communicator_id"], groups[location]].append(call)
    instances: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for communicator, group in sorted(calls):
        first = len([key for key in instances if key[0] == communicator])
        first = first if is_self[communicator] else 0
        ordered = sorted(calls[communicator, group], key=lambda call: call.pop("order"))
        for ordinal, call in enumerate(ordered):
            instances[communicator, first + ordinal].append(call)
    return instances


def _blocking(record: Row) -> Row:
    times = (record["begin_ns"], record["enter_ns"], record["time_ns"])
    begin = next(time for time in times if time is not None)
    order = (begin, record["location_id"], record["sequence"])
    call = {"record": record, "begin_ns": begin, "start_visit_id": None, "order": order}
    return call | {"start_call_path_id": record["call_path_id"]}


def _nonblocking(record: Row, start: Row | None) -> Row:
    """It begins where the call that started it was entered."""
    first = start or record
    begin = first["time_ns"] if first["enter_ns"] is None else first["enter_ns"]
    recorded = begin if start is None else start["time_ns"]
    return {
        "record": record,
        "begin_ns": begin,
        "start_visit_id": start["visit_id"] if start else None,
        "start_call_path_id": start["call_path_id"] if start else None,
        "order": (recorded, record["location_id"], first["sequence"]),
    }


def collective_calls(tables: Tables) -> list[Row]:
    """Every completed call with the instance that it is part of."""
    is_self = {row["communicator_id"]: row["kind"] == "self" for row in tables["communicators"]}
    found = number_collectives(tables["mpi_operations"], processes(tables), is_self)
    names, ranks = calls_of_paths(tables), _ranks(tables)
    prepared = {name.removesuffix("_init") for name in names.values() if name.endswith("_init")}
    rows = []
    for number, (communicator, ordinal) in enumerate(sorted(found)):
        for call in found[communicator, ordinal]:
            record = call["record"]
            name = names.get(call["start_call_path_id"], "")
            place = ranks.get((communicator, processes(tables)[record["location_id"]]))
            side, rank = (0, 0) if is_self[communicator] else place or (None, None)
            rows.append(
                {"collective_id": number, "communicator_id": communicator, "ordinal": ordinal}
                | {key: record[key] for key in ("operation", "root_rank", "location_id", *CALL)}
                | {"is_nonblocking": record["kind"] != "collective"}
                | {"is_neighborhood": _is_neighborhood(name, record["operation"], prepared)}
                | {"side": side, "comm_rank": rank, "end_ns": record["time_ns"]}
                | {"bytes_sent": record["bytes"] or 0}
                | {"bytes_received": record["bytes_received"] or 0}
                | {key: call[key] for key in ("begin_ns", "start_visit_id")}
            )
    return rows


def _is_neighborhood(name: str, operation: str | None, prepared: set[str]) -> bool:
    """By the starting call; for MPI_Start, by any preparing call of the trace."""
    if name in ("mpi_start", "mpi_startall"):
        return f"mpi_neighbor_{operation}" in prepared
    return name.startswith(("mpi_neighbor_", "mpi_ineighbor_"))


def _ranks(tables: Tables) -> dict[tuple[int, int], tuple[int, int]]:
    """Side and rank of a process in a communicator; the first of several."""
    ranks: dict[tuple[int, int], tuple[int, int]] = {}
    for row in tables["communicator_members"]:
        key = (row["communicator_id"], row["location_group_id"])
        place = (row["side"], row["comm_rank"])
        ranks[key] = min(place, ranks.get(key, place))
    return ranks


def collectives(tables: Tables) -> list[Row]:
    """Instances; if members disagree, the lowest rank decides."""
    instances: dict[int, list[Row]] = defaultdict(list)
    for call in tables["collective_calls"]:
        instances[call["collective_id"]].append(call)
    communicators = {row["communicator_id"]: row for row in tables["communicators"]}
    return [
        _instance(calls, communicators[calls[0]["communicator_id"]])
        for _, calls in sorted(instances.items())
    ]


def _instance(calls: list[Row], communicator: Row) -> Row:
    ranks = [call["comm_rank"] for call in calls if call["comm_rank"] is not None]
    calls = sorted(calls, key=lambda call: call["location_id"])
    ranked = [call for call in calls if call["comm_rank"] is not None and ranks]
    first = min(ranked, key=lambda call: call["comm_rank"]) if ranked else calls[0]
    expected = 1 if communicator["kind"] == "self" else communicator["size"]
    is_inter = communicator["kind"] == "inter"
    operations = {call["operation"] for call in calls}
    side, rank = _remote_root(calls) if is_inter else (0, first["root_rank"])
    return {
        "collective_id": first["collective_id"],
        "communicator_id": first["communicator_id"],
        "ordinal": first["ordinal"],
        "operation": first["operation"],
        "root_side": None if rank is None else side,
        "root_rank": rank,
        "is_nonblocking": any(call["is_nonblocking"] for call in calls),
        "is_neighborhood": any(call["is_neighborhood"] for call in calls),
        "expected_count": expected,
        "member_count": len(calls),
        "begin_ns": min(call["begin_ns"] for call in calls),
        "end_ns": max(call["end_ns"] for call in calls),
        "is_complete": len(ranks) == len(calls) == expected
        and len(operations) == 1
        and None not in operations
        and (is_inter or len({call["root_rank"] for call in calls}) == 1),
    }


def _remote_root(calls: list[Row]) -> tuple[int | None, int | None]:
    """On an inter-communicator the side that the root is not on names it."""
    named = [call for call in calls if call["root_rank"] is not None and call["side"] is not None]
    if not named:
        return None, None
    highest = max(named, key=lambda call: (call["root_rank"], 1 - call["side"]))
    return 1 - highest["side"], highest["root_rank"]


def cart_neighbors(tables: Tables) -> list[Row]:
    """Neighbors of every rank, where somebody exchanges data with neighbors."""
    used = {row["communicator_id"] for row in tables["collectives"] if row["is_neighborhood"]}
    return [
        {"communicator_id": communicator, "comm_rank": rank, "neighbor_rank": neighbor}
        for communicator, neighbors in grids_of(tables).items()
        if communicator in used
        for rank in neighbors
        for neighbor in neighbors[rank]
    ]


def grids_of(tables: Tables) -> dict[int, dict[int, set[int]]]:
    """The neighbors of each rank, by communicator with a grid of its size."""
    grids: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for row in sorted(tables["cart_dimensions"], key=lambda row: row["dimension"]):
        grids[row["communicator_id"]].append((row["size"], row["is_periodic"]))
    communicators = {row["communicator_id"]: row for row in tables["communicators"]}
    return {
        communicator: neighbors_on(grid)
        for communicator, grid in grids.items()
        if communicators[communicator]["kind"] == "group"
        and communicators[communicator]["size"] == prod(size for size, _ in grid)
    }


def neighbors_on(grid: Sequence[tuple[int, bool]]) -> dict[int, set[int]]:
    """Neighbors on a grid of (size, is periodic): one step in one coordinate."""
    places = list(product(*(range(size) for size, _ in grid)))
    found: dict[int, set[int]] = {rank: set() for rank in range(len(places))}
    for rank, place in enumerate(places):
        for dimension, (size, is_periodic) in enumerate(grid):
            for step in (-1, 1):
                moved = list(place)
                moved[dimension] += step
                if is_periodic:
                    moved[dimension] %= size
                if tuple(moved) in places:
                    found[rank].add(places.index(tuple(moved)))
    return found


# --- Waiting members ----------------------------------------------------------------------------


def instances_of(tables: Tables) -> list[tuple[int, Instance]]:
    """Complete instances of several members that need each other, with their numbers."""
    kinds = {row["communicator_id"]: row["kind"] for row in tables["communicators"]}
    grids = grids_of(tables)
    doubtful = {row["communicator_id"] for row in tables["collectives"] if not row["is_complete"]}
    found = [
        (
            row["collective_id"],
            Instance(
                operation=row["operation"],
                is_inter=kinds[row["communicator_id"]] == "inter",
                is_nonblocking=row["is_nonblocking"],
                is_neighborhood=row["is_neighborhood"],
                is_doubtful=row["communicator_id"] in doubtful,
                neighbors=grids.get(row["communicator_id"]),
                members=_members(row, tables),
            ),
        )
        for row in tables["collectives"]
        if row["is_complete"] and row["member_count"] > 1
    ]
    return [(number, instance) for number, instance in found if instance.family]


def _members(instance: Row, tables: Tables) -> list[Member]:
    names, root = calls_of_paths(tables), (instance["root_side"], instance["root_rank"])
    return [
        Member(
            location=row["location_id"],
            rank=row["comm_rank"],
            side=row["side"],
            call=row["enter_ns"],
            begin=row["begin_ns"],
            end=row["end_ns"],
            sent=row["bytes_sent"],
            received=row["bytes_received"],
            is_root=(row["side"], row["comm_rank"]) == root,
            is_test=names.get(row["call_path_id"], "").startswith("mpi_test"),
            visit=row["visit_id"],
            call_path=row["call_path_id"],
            begin_visit=row["start_visit_id"] or row["visit_id"],
        )
        for row in tables["collective_members"]
        if row["collective_id"] == instance["collective_id"]
    ]


def _head(number: int, instance: Instance) -> Row:
    return {
        "collective_id": number,
        "family": instance.family,
        "is_nonblocking": instance.is_nonblocking,
        "is_extended": instance.is_extended,
    }


def _columns_of(member: Member) -> Row:
    return {
        "location_id": member.location,
        "comm_rank": member.rank,
        "visit_id": member.visit,
        "call_path_id": member.call_path,
        "enter_ns": member.call,
        "begin_ns": member.begin,
        "end_ns": member.end,
    }


def collective_roles(tables: Tables) -> list[Row]:
    """Members that move data, and all of a barrier."""
    return [
        _head(number, instance)
        | _columns_of(member)
        | {"side": member.side, "begin_visit_id": member.begin_visit}
        | {"awaited_side": 1 - member.side if instance.is_inter else member.side}
        | {"is_awaited": is_awaited(instance, member)}
        | {"is_waiting": is_waiting(instance, member)}
        | {"is_doubtful": instance.is_doubtful}
        for number, instance in instances_of(tables)
        for member in instance.members
        if instance.family == "barrier" or member.sent or member.received
    ]


def synchronized_members(tables: Tables) -> list[Row]:
    """Members that depend on others, each with the one that began last."""
    return [
        _head(number, instance)
        | _columns_of(member)
        | {"property": instance.property}
        | {"last_begin_ns": last.begin, "last_location_id": last.location}
        | {"last_visit_id": last.begin_visit}
        | {"wait_ns": max(min(last.begin, member.end) - member.begin, 0)}
        | {"confidence": instance.confidence_of(member, last)}
        for number, instance in instances_of(tables)
        for member, last in synchronized(instance)
        if member.visit is not None and last.begin_visit is not None
    ]


# --- MPI_Init and MPI_Finalize ------------------------------------------------------------------


def framing_members(tables: Tables, *names: str) -> list[Member]:
    """The first call of one of them in every process; none unless every process made one."""
    calls, places = calls_of_paths(tables), {row["location_id"]: row for row in tables["locations"]}
    kinds = {row["location_group_id"]: row["kind"] for row in tables["location_groups"]}
    wanted = {g for g in processes(tables).values() if kinds[g] == "process"}
    found: dict[int, Member] = {}
    for visit in sorted(tables["visits"], key=lambda row: (row["enter_ns"], row["visit_id"])):
        place = places[visit["location_id"]]
        if calls[visit["call_path_id"]] in names:
            enter, leave = visit["enter_ns"], visit["leave_ns"]
            member = Member(
                place["location_id"], place["rank"], 0, enter, enter, leave, 0, 0,
                visit=visit["visit_id"], call_path=visit["call_path_id"],
                begin_visit=visit["visit_id"],
            )  # fmt: skip
            found.setdefault(place["location_group_id"], member)
    return list(found.values()) if len(found) == len(wanted) else []


def framing_calls(tables: Tables) -> list[Row]:
    """The calls of all processes, with the last one that entered and the first that left."""
    rows = []
    for is_finalize, names in ((False, ("mpi_init", "mpi_init_thread")), (True, ("mpi_finalize",))):
        members = framing_members(tables, *names)
        for member in members:
            last = last_of(members)
            first = first_out(members)
            rows.append(
                {"is_finalize": is_finalize, "leave_ns": member.end}
                | {"location_id": member.location, "visit_id": member.visit}
                | {"call_path_id": member.call_path, "enter_ns": member.begin}
                | {"last_enter_ns": last.begin}
                | {"last_location_id": last.location, "last_visit_id": last.visit}
                | {"wait_ns": max(min(last.begin, member.end) - member.begin, 0)}
                | {"first_leave_ns": first.end, "first_location_id": first.location}
                | {"first_visit_id": first.visit}
                | {"confidence": 50 if last.begin > member.end else 100}
            )
    return rows
