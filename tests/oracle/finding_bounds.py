"""How far findings may be off, finding by finding."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.stored_runs import Tables, processes

Row = dict[str, Any]
Bound = tuple[str, int, int, str, int, int]
LATE_SENDERS = ("mpi_latesender", "mpi_lswo_same", "mpi_lswo_different")
DOUBTS = ("message_doubts", "message_clock_doubts", "collective_doubts", "collective_clock_doubts")


def finding_bounds(tables: Tables) -> list[Row]:
    """What is less and what is more than found, of all findings of a place."""
    less: Counter[Any] = Counter()
    more: Counter[Any] = Counter()
    for *cell, smaller, larger in (*_times(tables), *_large(tables), *_starving(tables)):
        less[tuple(cell)] += smaller
        more[tuple(cell)] += larger
    return [
        {"metric": cell[0], "call_path_id": cell[1], "location_id": cell[2], "reason": cell[3]}
        | {"less_ns": less[cell], "more_ns": more[cell]}
        for cell in less | more
        if less[cell] or more[cell]
    ]


def _times(tables: Tables) -> Iterator[Bound]:
    """Costs and uneven loads: the measurement is none of the program."""
    gaps = defaultdict[tuple[int, int], list[tuple[int, str]]](list)
    for row in tables["gap_times"]:
        gaps[row["call_path_id"], row["location_id"]].append((row["gap_ns"], row["kind"]))
    leading = [
        row
        for row in tables["leading_communication"]
        if row["property"] == "dominating_communication"
    ]
    for row in (*tables["operation_costs"], *leading):
        found = gaps.get((row["call_path_id"], row["location_id"]))
        if found:
            less = min(sum(length for length, _ in found), row["value"])
            place = row["property"], row["call_path_id"], row["location_id"]
            yield *place, max(found)[1], less, 0
    losses = [row["reason"] for row in tables["disturbed_processes"]]
    for row in tables["uneven_distribution"]:
        path = row["call_path_id"]
        of_path = [found for (number, _), found in gaps.items() if number == path]
        reason = max((max(found)[1] for found in of_path), default=min(losses, default=None))
        if reason is not None:
            more = sum(length for found in of_path for length, _ in found)
            yield row["property"], path, row["location_id"], reason, row["value"], more


def _doubts(tables: Tables) -> dict[int, list[Row]]:
    doubts = defaultdict[int, list[Row]](list)
    for name in DOUBTS:
        for row in tables[name]:
            doubts[row["visit_id"]].append(row)
    return doubts


def _large(tables: Tables) -> Iterator[Bound]:
    """All of a call may be waiting, or none; in others the measurement may have taken the time."""
    doubts = _doubts(tables)
    visits = {row["visit_id"]: row for row in tables["visits"]}
    sure = [row for row in tables["large_messages"] if row["visit_id"] not in doubts]
    for place in {_place(row) for row in sure}:
        values = [row["value"] for row in sure if _place(row) == place]
        gaps = [(row["gap_ns"], row["kind"]) for row in tables["gap_times"] if _place(row) == place]
        if gaps:
            taken = sum(length for length, _ in gaps)
            yield "large_messages", *place, max(gaps)[1], min(taken, sum(values)), 0
    for row in tables["large_messages"]:
        if row["visit_id"] in doubts:
            visit = visits[row["visit_id"]]
            reason = min(each["reason"] for each in doubts[row["visit_id"]])
            waited = visit["leave_ns"] - visit["enter_ns"] - row["value"]
            place = row["property"], row["call_path_id"], row["location_id"]
            yield *place, reason, row["value"], waited


def _place(row: Row) -> tuple[int, int]:
    return row["call_path_id"], row["location_id"]


def _starving(tables: Tables) -> Iterator[Bound]:
    groups, name = processes(tables), "master_worker_starving"
    workers = {row["worker_group_id"] for row in tables["master_workers"]}
    values = {row["visit_id"]: row["value"] for row in tables[name]}
    unsure = set()
    for number, rows in _doubts(tables).items():
        late = [row for row in rows if row["metric"] == "mpi_latesender"]
        if late and groups[late[0]["location_id"]] in workers:
            unsure.add(number)
            found = values.get(number, 0)
            most = max(max(row["most_ns"] for row in late) - found, 0)
            reason = min(row["reason"] for row in late)
            yield name, late[0]["call_path_id"], late[0]["location_id"], reason, found, most
    flushes = {
        row["visit_id"]: row["flush_ns"]
        for row in tables["flushed_waits"]
        if row["property"] in LATE_SENDERS
    }
    for row in tables[name]:
        if row["visit_id"] in flushes and row["visit_id"] not in unsure:
            place = row["call_path_id"], row["location_id"]
            yield name, *place, "buffer_flush", flushes[row["visit_id"]], 0
