"""Which calls may have waited otherwise than found in collective access to files."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.doubts import calls_of_visits, doubt
from tests.oracle.stored_runs import TESTS, Tables, processes
from tests.oracle.window_doubts import ending_processes

Row = dict[str, Any]
COLLECTIVE = re.compile(r"mpi_file_(open|close|i?(read|write)_(at_)?(all|ordered)(_begin|_end)?)")
COMPLETING = ("mpi_wait", "mpi_waitany", "mpi_waitall", "mpi_waitsome")
OTHERS = ("message_doubts", "message_clock_doubts", "collective_doubts", "collective_clock_doubts")
BROKEN = "incomplete_records"


def file_doubts(tables: Tables) -> list[Row]:
    """Calls whose access is not whole, or lies on clocks that disagree."""
    if not tables["file_operations"]:
        return []
    visits = {row["visit_id"]: row for row in tables["visits"]}
    calls = calls_of_visits(tables)
    found: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    for number, reason in _lost(tables):
        if number is not None:
            length = visits[number]["leave_ns"] - visits[number]["enter_ns"]
            found[number, reason].append((0, length))
    for number, least, most in _clock_limits(tables):
        found[number, "clock_violation"].append((least, most))
    return [
        doubt(
            "mpi_io_collective_wait", visits[number], reason,
            min(least for least, _ in limits), max(most for _, most in limits),
        )
        | {"is_beyond_reference": True}
        for (number, reason), limits in found.items()
        if calls[number] not in ("", *TESTS)
    ]  # fmt: skip


def _lost(tables: Tables) -> Iterator[tuple[int | None, str]]:
    groups, calls = processes(tables), calls_of_visits(tables)
    silent = _silent(tables)
    members = _members(tables)
    doubtful = defaultdict[int, list[str]](list)
    for handle, reason in _broken(tables, members, silent):
        doubtful[handle].append(reason)
    shared = defaultdict[int, list[str]](list)
    for handle, reasons in doubtful.items():
        for group in members[handle]:
            shared[group].append(min(reasons))
    for row in tables["collective_file_calls"]:
        number = row["start_visit_id"] if row["visit_id"] is None else row["visit_id"]
        if row["io_handle_id"] in doubtful:
            yield number, min(doubtful[row["io_handle_id"]])
        elif not row["is_complete"]:
            yield number, "missing_records"
        for name in OTHERS:
            for each in tables[name]:
                if each["visit_id"] == row["visit_id"]:
                    yield row["visit_id"], each["reason"]
    for visit in silent:
        yield visit["visit_id"], BROKEN
    unblocked = {
        groups[visit["location_id"]]
        for visit in tables["visits"]
        if COLLECTIVE.fullmatch(calls[visit["visit_id"]])
        and calls[visit["visit_id"]].startswith("mpi_file_i")
    }
    for visit in tables["visits"]:
        group = groups[visit["location_id"]]
        if calls[visit["visit_id"]] in COMPLETING and group in unblocked and group in shared:
            yield visit["visit_id"], min(shared[group])


def _silent(tables: Tables) -> list[Row]:
    """Collective calls in which no operation begins or ends."""
    calls = calls_of_visits(tables)
    told = {row[name] for row in tables["file_operations"] for name in ("visit_id", "end_visit_id")}
    return [
        visit
        for visit in tables["visits"]
        if COLLECTIVE.fullmatch(calls[visit["visit_id"]]) and visit["visit_id"] not in told
    ]


def _members(tables: Tables) -> dict[int, set[int]]:
    kinds = {row["communicator_id"]: row["kind"] for row in tables["communicators"]}
    return {
        handle["io_handle_id"]: {
            row["location_group_id"]
            for row in tables["communicator_members"]
            if row["communicator_id"] == handle["communicator_id"]
            and row["location_group_id"] is not None
        }
        for handle in tables["io_handles"]
        if kinds.get(handle["communicator_id"]) == "group"
    }


def _broken(
    tables: Tables, members: dict[int, set[int]], silent: list[Row]
) -> Iterator[tuple[int, str]]:
    """Handles with gaps that no process explains that only ends early."""
    groups, ending = processes(tables), ending_processes(tables)
    there = defaultdict[tuple[int, int], set[int]](set)
    for row in tables["collective_file_calls"]:
        there[row["io_handle_id"], row["ordinal"]].add(groups[row["location_id"]])
    for row in tables["collective_file_calls"]:
        handle = row["io_handle_id"]
        absent = members.get(handle, set()) - there[handle, row["ordinal"]]
        if not row["is_complete"] and (not absent or absent - ending):
            yield handle, BROKEN
        if row["visit_id"] is None and groups[row["location_id"]] not in ending:
            yield handle, BROKEN
    for visit in silent:
        group = groups[visit["location_id"]]
        if visit["is_closed"] or group not in ending:
            yield from ((handle, BROKEN) for handle in members if group in members[handle])
    for row in tables["disturbed_processes"]:
        group = row["location_group_id"]
        if row["since_ns"] is None or group not in ending:
            yield from ((each, row["reason"]) for each in members if group in members[each])


def _clock_limits(tables: Tables) -> Iterator[tuple[int, int, int]]:
    """The least and the most that each access waited for its last begin."""
    offsets = {row["location_id"]: row for row in tables["clock_offsets"]}
    accesses = defaultdict[tuple[int, int], list[Row]](list)
    for row in tables["collective_file_calls"] if offsets else ():
        if row["is_complete"]:
            accesses[row["io_handle_id"], row["ordinal"]].append(row)
    for rows in accesses.values():
        if not any(offsets[row["location_id"]]["is_doubtful"] for row in rows):
            continue
        for row in rows:
            own = offsets[row["location_id"]]
            begins = [
                (other["begin_ns"], offsets[other["location_id"]])
                for other in rows
                if other["location_id"] != row["location_id"]
            ]
            if row["visit_id"] is None or not begins:
                continue
            start = max(row["begin_ns"], row["enter_ns"])
            length = row["leave_ns"] - start
            first = max(at + offset["least_ns"] for at, offset in begins)
            last = max(at + offset["most_ns"] for at, offset in begins)
            is_own = row["visit_id"] == row["start_visit_id"]
            least = first - own["most_ns"] - row["begin_ns"] if is_own else 0
            most = last - own["least_ns"] - start
            yield row["visit_id"], min(max(least, 0), length), min(max(most, 0), length)
