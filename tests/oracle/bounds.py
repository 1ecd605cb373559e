"""How far severities may be off, summed up call by call, and flush by flush."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.stored_runs import Tables

Row = dict[str, Any]
Call = tuple[str, bool, int]

DOUBTS = (
    "message_doubts", "collective_doubts", "message_clock_doubts", "collective_clock_doubts",
    "rma_doubts", "file_doubts", "thread_doubts",
)  # fmt: skip


def flushed_waits(tables: Tables) -> list[Row]:
    """Waits with a flush inside, of the one who waited or of the one waited for."""
    flushes = defaultdict[int, list[Row]](list)
    for row in tables["measurement_gaps"]:
        if row["kind"] == "buffer_flush":
            flushes[row["location_id"]].append(row)
    rows = []
    for wait in tables["wait_states"]:
        begin, end = wait["start_ns"], wait["start_ns"] + wait["wait_ns"]
        inside = sum(
            max(min(end, flush["end_ns"]) - max(begin, flush["begin_ns"]), 0)
            for location in {wait["location_id"], wait["cause_location_id"]}
            for flush in flushes[location]
        )
        if inside:
            row = {name: wait[name] for name in ("property", "visit_id")}
            rows.append(row | {"flush_ns": min(inside, wait["wait_ns"])})
    return rows


def gap_times(tables: Tables) -> list[Row]:
    """Time in gaps of the calls that were open meanwhile and had called nothing."""
    times: dict[tuple[int, int, str], int] = defaultdict(int)
    for gap in tables["measurement_gaps"]:
        if gap["end_ns"] > gap["begin_ns"]:
            inside = [
                row
                for row in tables["visits"]
                if row["location_id"] == gap["location_id"]
                and row["enter_ns"] <= gap["begin_ns"] < row["leave_ns"]
            ]
            if inside:
                visit = max(inside, key=lambda row: row["visit_id"])
                key = (visit["call_path_id"], gap["location_id"], gap["kind"])
                times[key] += gap["end_ns"] - gap["begin_ns"]
    return [
        {"call_path_id": path, "location_id": location, "kind": kind, "gap_ns": time}
        for (path, location, kind), time in times.items()
    ]


def severity_bounds(tables: Tables) -> list[Row]:
    """What is less and what is more than found, of all reasons."""
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for *cell, less, more in (*_of_calls(tables), *_of_time(tables), *_of_findings(tables)):
        sums[tuple(cell)][0] += less
        sums[tuple(cell)][1] += more
    return [
        {"metric": metric, "call_path_id": path, "location_id": location}
        | {"is_beyond_reference": is_beyond, "reason": reason, "less_ns": less, "more_ns": more}
        for (metric, path, location, is_beyond, reason), (less, more) in sums.items()
        if less or more
    ]


def wait_bounds(tables: Tables) -> list[Row]:
    """The same of a metric without its parts, which may have taken from it, or given to it."""
    parents = {row["metric"]: row["parent_metric"] for row in tables["metrics"]}
    kinds = {row["metric"]: row["kind"] for row in tables["metrics"]}
    names = ("call_path_id", "location_id", "is_beyond_reference")
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in tables["severity_bounds"]:
        place = tuple(row[name] for name in names)
        for metric, less, more in (
            (row["metric"], row["less_ns"], row["more_ns"]),
            (parents[row["metric"]], row["more_ns"], row["less_ns"]),
        ):
            if kinds.get(metric) in ("wait state", "completion"):
                sums[metric, *place][0] += less
                sums[metric, *place][1] += more
    waits: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in tables["wait_states"]:
        waits[row["property"], *(row[name] for name in names)] += row["wait_ns"]
    return [
        {"property": cell[0], **dict(zip(names, cell[1:], strict=True))}
        | {"less_ns": min(less, waits.get(cell, 0)), "more_ns": more}
        for cell, (less, more) in sums.items()
        if more or waits.get(cell, 0)
    ]


def _of_calls(tables: Tables) -> Iterator[tuple[Any, ...]]:
    parents = {row["metric"]: row["parent_metric"] for row in tables["metrics"]}
    flushed = {(row["property"], row["visit_id"]): row for row in tables["flushed_waits"]}
    waits: dict[Call, int] = defaultdict(int)
    flushes: dict[Call, int] = defaultdict(int)
    places: dict[int, tuple[int, int]] = {}
    for row in tables["wait_states"]:
        places[row["visit_id"]] = row["call_path_id"], row["location_id"]
        flush = flushed.get((row["property"], row["visit_id"]), {"flush_ns": 0})["flush_ns"]
        metric = row["property"]
        while metric is not None:
            call = (metric, row["is_beyond_reference"], row["visit_id"])
            waits[call] += row["wait_ns"]
            flushes[call] += flush
            metric = parents[metric]
    doubts = defaultdict[Call, list[Row]](list)
    for name in DOUBTS:
        for row in tables[name]:
            places[row["visit_id"]] = row["call_path_id"], row["location_id"]
            doubts[row["metric"], row["is_beyond_reference"], row["visit_id"]].append(row)
    for call in {*waits, *doubts}:
        metric, is_beyond, visit = call
        found = waits.get(call, 0)
        least = most = found
        if doubts.get(call):
            least = min(found, *(row["least_ns"] for row in doubts[call]))
            most = max(found, *(row["most_ns"] for row in doubts[call]))
            reason = max((row["most_ns"] - row["least_ns"], row["reason"]) for row in doubts[call])[
                1
            ]
            yield metric, *places[visit], is_beyond, reason, found - least, most - found
        flush = min(flushes.get(call, 0), least)
        yield metric, *places[visit], is_beyond, "buffer_flush", flush, 0


def _of_time(tables: Tables) -> Iterator[tuple[Any, ...]]:
    times = {
        (row["call_path_id"], row["location_id"]): row["exclusive_ns"]
        for row in tables["call_tree"]
    }
    for row in tables["gap_times"]:
        place = row["call_path_id"], row["location_id"]
        if place in times:
            yield "time", *place, False, row["kind"], min(row["gap_ns"], times[place]), 0


def _of_findings(tables: Tables) -> Iterator[tuple[Any, ...]]:
    for row in tables["finding_bounds"]:
        place = row["metric"], row["call_path_id"], row["location_id"]
        yield *place, True, row["reason"], row["less_ns"], row["more_ns"]
