"""Operations on files: by their definition, record by record."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tests.oracle.stored_runs import (
    COLLECTIVE_FILE_CALLS,
    TESTS,
    Tables,
    calls_of_paths,
    names_of_call_paths,
    processes,
)

Row = dict[str, Any]
MODES = {
    "create_handle": "open", "duplicate_handle": "open", "seek": "seek", "destroy_handle": "close",
}  # fmt: skip
ENDS = ("operation_complete", "operation_cancelled")


def file_operations(tables: Tables) -> list[Row]:
    """Every operation with its end, if it has one."""
    records = [row for row in tables["io_operations"] if row["io_handle_id"] is not None]
    rows = [_call(row) for row in records if row["kind"] in MODES]
    return rows + [_transfer(begin, end) for begin, end in _pairs(records, processes(tables))]


def _pairs(records: list[Row], groups: dict[int, int]) -> list[tuple[Row, Row | None]]:
    """Begins with their ends: first those of the same location, then those of the same process."""
    at_home = sorted(records, key=lambda row: (row["location_id"], row["sequence"]))
    pairs, rest = _matched(at_home, lambda row: row["location_id"])
    rest.sort(key=lambda row: (row["time_ns"], row["location_id"], row["sequence"]))
    more, rest = _matched(rest, lambda row: groups[row["location_id"]])
    alone = [(row, None) for row in rest if row["kind"] == "operation_begin"]
    return [*pairs, *more, *alone]


def _matched(
    records: Iterable[Row], place_of: Any
) -> tuple[list[tuple[Row, Row | None]], list[Row]]:
    """Pairs of a begin and the next record of its number, if that is an end; and the rest."""
    begun: dict[tuple[int, int, int], Row] = {}
    pairs: list[tuple[Row, Row | None]] = []
    rest: list[Row] = []
    for row in records:
        key = (place_of(row), row["io_handle_id"], row["matching_id"])
        if row["kind"] == "operation_begin":
            rest += [begun[key]] if key in begun else []
            begun[key] = row
        elif row["kind"] in ENDS and key in begun:
            pairs.append((begun.pop(key), row))
        elif row["kind"] in ENDS:
            rest.append(row)
    return pairs, [*rest, *begun.values()]


def _row(begin: Row, mode: str, start: int, end: Row | None, stop: int | None) -> Row:
    names = ("location_id", "visit_id", "call_path_id", "enter_ns", "leave_ns")
    ends = {f"end_{name}": end[name] if end else None for name in names}
    kept = ("io_handle_id", "location_id", "sequence", "visit_id", "call_path_id", "enter_ns")
    return (
        {name: begin[name] for name in kept}
        | {"mode": mode, "begin_ns": start, "end_ns": stop, "bytes": None}
        | {"is_collective": False, "is_nonblocking": False, "is_cancelled": False}
        | ends
    )


def _call(row: Row) -> Row:
    is_outside = row["visit_id"] is None
    begin, end = row["enter_ns"], row["leave_ns"]
    if is_outside:
        begin = end = row["time_ns"]
    return _row(row, MODES[row["kind"]], begin, row, end)


def _transfer(begin: Row, end: Row | None) -> Row:
    is_cancelled = end is not None and end["kind"] == "operation_cancelled"
    moved = end["bytes"] if end else None
    size = begin["bytes"] if moved is None else moved
    return _row(begin, begin["mode"], begin["time_ns"], end, end["time_ns"] if end else None) | {
        "is_collective": (begin["detail"] or 0) // 2 % 2 == 1,
        "is_nonblocking": end is None or end["visit_id"] != begin["visit_id"],
        "is_cancelled": is_cancelled,
        "bytes": 0 if is_cancelled else size,
    }


def collective_file_calls(tables: Tables) -> list[Row]:
    """The n-th collective access of each process through a handle, for every n."""
    shared = _shared_handles(tables)
    calls, names, groups = calls_of_paths(tables), names_of_call_paths(tables), processes(tables)
    found: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in sorted(tables["file_operations"], key=lambda row: -row["sequence"]):
        path = row["call_path_id"]
        is_collective = row["is_collective"] or calls.get(path) in COLLECTIVE_FILE_CALLS
        if row["io_handle_id"] not in shared or not is_collective:
            continue
        calls_here = found[row["io_handle_id"], groups[row["location_id"]]]
        if row["visit_id"] is None or all(
            row["visit_id"] != each["visit_id"] for each in calls_here
        ):
            calls_here.append(row | {"call": calls.get(path) or names.get(path, "")})
    accesses: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for (handle, _), calls_here in found.items():
        calls_here.sort(key=lambda row: (row["begin_ns"], row["location_id"], row["sequence"]))
        for ordinal, row in enumerate(calls_here):
            accesses[handle, ordinal].append(row)
    ranks = {handle: _ranks(tables, communicator) for handle, communicator in shared.items()}
    rows = []
    for (handle, ordinal), members in accesses.items():
        ranked = [row for row in members if groups[row["location_id"]] in ranks[handle]]
        is_one_call = len({(row["call"], row["mode"]) for row in members}) == 1
        is_complete = len(ranked) == len(members) == shared[handle]["size"] and is_one_call
        for row in members:
            rank = ranks[handle].get(groups[row["location_id"]])
            rows.append(_member(row, ordinal, rank) | {"is_complete": is_complete})
    broken = {row["io_handle_id"] for row in rows if not row["is_complete"]}
    return [row | {"is_doubtful": row["io_handle_id"] in broken} for row in rows]


def _shared_handles(tables: Tables) -> dict[int, Row]:
    """The communicator of each handle that several processes share."""
    by_id = {row["communicator_id"]: row for row in tables["communicators"]}
    found = {
        row["io_handle_id"]: by_id[row["communicator_id"]]
        for row in tables["io_handles"]
        if row["communicator_id"] is not None
    }
    return {
        handle: communicator
        for handle, communicator in found.items()
        if communicator["kind"] == "group" and communicator["size"] > 1
    }


def _ranks(tables: Tables, communicator: Row) -> dict[int, int]:
    ranks: dict[int, int] = {}
    for row in sorted(tables["communicator_members"], key=lambda row: row["comm_rank"]):
        if row["communicator_id"] == communicator["communicator_id"]:
            ranks.setdefault(row["location_group_id"], row["comm_rank"])
    return ranks


def _member(row: Row, ordinal: int, rank: int | None) -> Row:
    return {
        "io_handle_id": row["io_handle_id"],
        "ordinal": ordinal,
        "location_id": row["location_id"],
        "comm_rank": rank,
        "call": row["call"],
        "visit_id": row["end_visit_id"],
        "call_path_id": row["end_call_path_id"],
        "enter_ns": row["end_enter_ns"],
        "leave_ns": row["end_leave_ns"],
        "start_visit_id": row["visit_id"],
        "start_call_path_id": row["call_path_id"],
        "begin_ns": row["begin_ns"] if row["enter_ns"] is None else row["enter_ns"],
    }


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
                calls[row["visit_id"]].append((until, _wait(row, last, start, until - start)))
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


def _wait(row: Row, last: Row, start: int, length: int) -> Row:
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
