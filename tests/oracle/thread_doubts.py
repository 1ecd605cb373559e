"""Which calls may have waited otherwise than found for threads of their process."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.doubts import doubt
from tests.oracle.stored_runs import Tables, processes

Row = dict[str, Any]
Found = tuple[int, str, bool, str, int]
BARRIERS = {"barrier": "omp_ebarrier_wait", "implicit_barrier": "omp_ibarrier_wait"}
LOCKS = {
    "omp_set_lock": "omp_lock_contention_api",
    "omp_set_nest_lock": "omp_lock_contention_api",
    "pthread_mutex_lock": "pthread_lock_contention_mutex_lock",
    "pthread_cond_wait": "pthread_lock_contention_conditional",
    "pthread_cond_timedwait": "pthread_lock_contention_conditional",
}


def thread_doubts(tables: Tables) -> list[Row]:
    """Barriers where threads lack records, and locks that come from nowhere."""
    visits = {row["visit_id"]: row for row in tables["visits"]}
    longest: dict[tuple[int, str, bool, str], int] = {}
    for number, metric, is_beyond, reason, most in (*_barriers(tables), *_locks(tables)):
        key = (number, metric, is_beyond, reason)
        longest[key] = max(most, longest.get(key, 0))
    return [
        doubt(metric, visits[number], reason, 0, most) | {"is_beyond_reference": is_beyond}
        for (number, metric, is_beyond, reason), most in longest.items()
    ]


def _metric(region: Row) -> str | None:
    if region["paradigm"] == "openmp" and region["role"] in BARRIERS:
        return BARRIERS[region["role"]]
    if region["paradigm"] == "openmp" and region["role"] == "critical":
        return "omp_lock_contention_critical"
    return LOCKS.get(region["name"])


def _contradicting(tables: Tables) -> set[int]:
    groups = processes(tables)
    return {
        groups[row["location_id"]]
        for row in tables["team_barriers"]
        if row["last_enter_ns"] > row["leave_ns"]
    }


def _length(visit: Row) -> int:
    return int(visit["leave_ns"] - visit["enter_ns"])


def _barriers(tables: Tables) -> Iterator[Found]:
    groups = processes(tables)
    regions = {row["region_id"]: row for row in tables["regions"]}
    since = defaultdict[int, list[tuple[str, int | None]]](list)
    for row in tables["disturbed_processes"]:
        if row["thread_count"] > 1:
            since[row["location_group_id"]].append((row["reason"], row["since_ns"]))
    for row in tables["trace_quality"]:
        if row["kind"] == "team_without_fork" and row["location_id"] is not None:
            since[groups[row["location_id"]]].append(("incomplete_records", None))
    for group in _contradicting(tables):
        since[group].append(("clock_violation", None))
    for visit in tables["visits"]:
        metric = _metric(regions[visit["region_id"]])
        for reason, begin in since[groups[visit["location_id"]]]:
            if metric in BARRIERS.values() and (begin is None or visit["leave_ns"] > begin):
                yield visit["visit_id"], metric, False, reason, _length(visit)


def _locks(tables: Tables) -> Iterator[Found]:
    groups = processes(tables)
    regions = {row["region_id"]: row for row in tables["regions"]}
    metrics = {row["visit_id"]: _metric(regions[row["region_id"]]) for row in tables["visits"]}
    recorded = {row["paradigm"] for row in tables["lock_operations"]}
    records = defaultdict[tuple[Any, ...], list[Row]](list)
    for row in tables["lock_operations"]:
        if row["visit_id"] is not None:
            records[groups[row["location_id"]], row["paradigm"], row["lock_id"]].append(row)
    taking = set()
    for rows in records.values():
        rows.sort(key=_moment)
        for place, row in enumerate(rows):
            if row["kind"] == "acquire":
                taking.add(row["visit_id"])
                if not _is_explained(row, rows[:place]):
                    metric, is_beyond = _of_record(row, metrics[row["visit_id"]])
                    most = row["time_ns"] - row["enter_ns"]
                    yield row["visit_id"], metric, is_beyond, "incomplete_records", most
    contradicting = _contradicting(tables)
    for visit in tables["visits"]:
        number, metric = visit["visit_id"], metrics[visit["visit_id"]]
        is_recorded = regions[visit["region_id"]]["paradigm"] in recorded
        if metric is None or metric in BARRIERS.values() or not is_recorded:
            continue
        if number not in taking:
            yield number, metric, False, "incomplete_records", _length(visit)
        if groups[visit["location_id"]] in contradicting:
            yield number, metric, False, "clock_violation", _length(visit)


def _moment(row: Row) -> tuple[Any, ...]:
    order = row["acquisition_order"], row["kind"] == "release"
    return row["time_ns"], *order, row["location_id"], row["sequence"]


def _is_explained(row: Row, earlier: list[Row]) -> bool:
    """Whether the records tell who gave the lock back, all of it, or that the thread had it."""
    number = row["acquisition_order"]
    if number <= 1:
        return True
    latest = earlier[-1:]
    if [each["acquisition_order"] for each in latest] == [number]:
        return bool(latest[0]["location_id"] == row["location_id"])
    depth, open_after = 0, True
    for each in earlier:
        if each["acquisition_order"] == number - 1:
            depth += 1 if each["kind"] == "acquire" else -1
            open_after = depth != 0 or each["kind"] == "acquire"
    return not open_after and latest[0]["acquisition_order"] == number - 1


def _of_record(row: Row, metric: str | None) -> tuple[str, bool]:
    if row["paradigm"] in ("openmp", "pthread") and metric is not None:
        return metric, False
    if row["paradigm"] == "openmp":
        return "omp_lock_contention_api", False
    return "pthread_lock_contention_mutex_lock", row["paradigm"] != "pthread"
