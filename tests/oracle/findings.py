"""What patterns find apart from waiting."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tests.oracle.master_worker import master_workers, worker_rounds
from tests.oracle.stored_runs import c_name, names_of_call_paths
from tests.oracle.teams import find_fork_join_times
from tracemill.schemas.overheads import TAXONOMY

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Place = tuple[int, int]
"""Call path and location."""

FINDINGS = (
    "large_messages", "leading_communication", "master_overloaded", "master_worker_starving",
    "operation_costs", "tasks_too_fine", "uneven_distribution",
)  # fmt: skip
MOVING = ("point-to-point", "collective", "put/get")
UNEVEN_RATIO, LEAST_UNEVEN = 1.1, 0.001
LARGE = 2**20


def findings(tables: Tables) -> list[Row]:
    """All of them together."""
    return [row for name in FINDINGS for row in tables[name]]


def _finding(name: str, place: Place, value: int, confidence: int, **more: Any) -> Row:
    path, location = place
    row = {"property": name, "call_path_id": path, "location_id": location, "value": value}
    nothing = dict.fromkeys(("visit_id", "start_ns", "cause_location_id", "cause_visit_id"))
    return row | nothing | {"confidence": confidence} | more


# --- Profiles -----------------------------------------------------------------------------------


def _times(tables: Tables) -> Counter[Place]:
    """Exclusive time without forking and joining; stubs repeat what tasks have."""
    stubs = {row["call_path_id"] for row in tables["call_paths"] if row["kind"] == "task_stub"}
    times: Counter[Place] = Counter()
    for visit in tables["visits"]:
        if visit["call_path_id"] not in stubs:
            times[visit["call_path_id"], visit["location_id"]] += visit["exclusive_ns"]
    for place, time in find_fork_join_times(tables).items():
        times[place] -= time
    return times


def _classes(tables: Tables) -> dict[int, tuple[str, str]]:
    """Class and subclass of each call path."""
    overheads = {row["region_id"]: row["overhead_id"] for row in tables["region_classes"]}
    return {
        row["call_path_id"]: (
            TAXONOMY[overheads[row["region_id"]]].name,
            TAXONOMY[overheads[row["region_id"]]].part,
        )
        for row in tables["call_paths"]
    }


def _trust(tables: Tables) -> dict[int, int]:
    """How far the sums of each location can be trusted."""
    return {row["location_id"]: 100 if row["is_complete"] else 75 for row in tables["locations"]}


def operation_calls(tables: Tables) -> list[Row]:
    """Every call path at every location that visited it, asked for what kind of operation it is."""
    classes, names = _classes(tables), names_of_call_paths(tables)
    is_complete = {row["location_id"]: row["is_complete"] for row in tables["locations"]}
    visits = Counter((row["call_path_id"], row["location_id"]) for row in tables["visits"])
    rows = []
    for (path, location), time in _times(tables).items():
        overhead, part = classes[path]
        kind = "communication" if part in MOVING else {"synchronisation": overhead}.get(overhead)
        kind = "io" if part == "I/O" else kind
        if kind and visits[path, location]:
            place = {"call_path_id": path, "location_id": location}
            name = c_name(names[path]) or names[path]
            row = {"kind": kind, "operation": name, "time_ns": time}
            row |= {"visit_count": visits[path, location], "is_complete": is_complete[location]}
            rows.append(place | row)
    return rows


def operation_costs(tables: Tables) -> list[Row]:
    """Time by kind of operation."""
    classes, trust, rows = _classes(tables), _trust(tables), []
    for place, time in _times(tables).items():
        overhead, part = classes[place[0]]
        kinds = {
            "communication_cost": part in MOVING,
            "synchronisation_cost": overhead == "synchronisation",
            "io_cost": part == "I/O",
        }
        rows += [
            _finding(name, place, time, trust[place[1]])
            for name, applies in kinds.items()
            if applies and time > 0
        ]
    return rows


def leading_communication(tables: Tables) -> list[Row]:
    """The operations with most time and most visits, found by sorting."""
    classes, trust, names = _classes(tables), _trust(tables), names_of_call_paths(tables)
    operations = {path: c_name(name) or name for path, name in names.items()}
    times = {
        place: time for place, time in _times(tables).items() if classes[place[0]][1] in MOVING
    }
    visits = Counter((row["call_path_id"], row["location_id"]) for row in tables["visits"])
    counts = {place: visits[place] for place in times}
    rows = []
    for name, values in (("dominating_communication", times), ("frequent_communication", counts)):
        totals: Counter[str] = Counter()
        for (path, _), value in values.items():
            totals[operations[path]] += value
        leader = min(totals, key=lambda operation: (-totals[operation], operation), default="")
        rows += [
            _finding(name, place, value, trust[place[1]])
            for place, value in values.items()
            if operations[place[0]] == leader and value > 0
        ]
    return rows


def uneven_distribution(tables: Tables) -> list[Row]:
    """Time above the mean of call paths that are uneven."""
    trust = min(_trust(tables).values(), default=100)
    everything = sum(row["exclusive_ns"] for row in tables["computational_imbalance"])
    means = {
        row["call_path_id"]: row["mean_ns"]
        for row in tables["computational_imbalance"]
        if row["longest_to_mean"] >= UNEVEN_RATIO
        and row["overload_ns"] >= LEAST_UNEVEN * everything
    }
    return [
        _finding("uneven_distribution", place, time - means[place[0]], trust)
        for place, time in _times(tables).items()
        if place[0] in means and time > means[place[0]]
    ]


# --- Messages -----------------------------------------------------------------------------------


def large_messages(tables: Tables) -> list[Row]:
    """Every visit asked whether it completes a large message."""
    doubtful = {_channel(row) for row in tables["unmatched_messages"]}
    confidences: dict[int, list[int]] = {}
    for row in tables["messages"]:
        if row["bytes"] >= LARGE:
            confidence = 75 if _channel(row) in doubtful else 100
            confidence = 50 if row["is_clock_violation"] else confidence
            for side in ("send", "receive"):
                confidences.setdefault(row[f"{side}_completion_visit_id"], []).append(confidence)
    rows = []
    for visit in tables["visits"]:
        number = visit["visit_id"]
        waits = [
            row["wait_ns"]
            for row in tables["wait_states"]
            if row["visit_id"] == number and not row["is_completion"]
        ]
        value = visit["leave_ns"] - visit["enter_ns"] - sum(waits)
        if number in confidences and value > 0:
            place = (visit["call_path_id"], visit["location_id"])
            more = {"visit_id": number, "start_ns": visit["enter_ns"]}
            rows.append(_finding("large_messages", place, value, min(confidences[number]), **more))
    return rows


def _channel(row: Row) -> tuple[int, ...]:
    names = ("communicator_id", "sender_group_id", "receiver_group_id", "tag")
    return tuple(row[name] for name in names)


# --- Masters and workers ------------------------------------------------------------------------


def master_worker_starving(tables: Tables) -> list[Row]:
    """Late senders that are the master of who waits."""
    process = {row["location_id"]: row["location_group_id"] for row in tables["locations"]}
    stars = {
        (row["worker_group_id"], row["master_group_id"]): row["confidence"]
        for row in master_workers(tables)
    }
    rows = []
    for row in tables["wait_states"]:
        pair = (process[row["location_id"]], process[row["cause_location_id"]])
        if pair in stars and row["property"] in ("mpi_latesender", "mpi_lswo_same",
                                                 "mpi_lswo_different"):  # fmt: skip
            names = ("visit_id", "start_ns", "cause_location_id", "cause_visit_id")
            confidence = min(row["confidence"], stars[pair])
            place = (row["call_path_id"], row["location_id"])
            more = {name: row[name] for name in names}
            rows.append(
                _finding("master_worker_starving", place, row["wait_ns"], confidence, **more)
            )
    return rows


def master_overloaded(tables: Tables) -> list[Row]:
    """Every stretch between two changes of who waits, in the time of every request."""
    messages = {row["message_id"]: row for row in tables["messages"]}
    callers = {row["call_path_id"]: row["parent_call_path_id"] for row in tables["call_paths"]}
    rounds = list(_rounds_of_stars(tables))
    rows = []
    for row, confidence in rounds:
        queues = [
            (other["awaited_ns"], other["taken_ns"])
            for other, _ in rounds
            if other["master_location_id"] == row["master_location_id"]
        ]
        begin, end = row["taken_ns"], row["answered_ns"]
        moments = {moment for queue in queues for moment in queue if begin < moment < end}
        value = sum(
            later - sooner
            for sooner, later in pairwise(sorted({begin, end} | moments))
            if any(first <= sooner and later <= last for first, last in queues)
        )
        if value:
            path = messages[row["answer_id"]]["send_post_call_path_id"]
            place = (path if callers[path] is None else callers[path], row["master_location_id"])
            more = {"start_ns": begin, "cause_location_id": row["worker_location_id"]}
            more["cause_visit_id"] = messages[row["request_id"]]["send_post_visit_id"]
            rows.append(_finding("master_overloaded", place, value, confidence, **more))
    return rows


def tasks_too_fine(tables: Tables) -> list[Row]:
    """Every request held against the next one of its worker."""
    messages = {row["message_id"]: row for row in tables["messages"]}
    rounds = list(_rounds_of_stars(tables))
    rows = []
    for row, confidence in rounds:
        names = ("worker_location_id", "master_group_id")
        later = [
            (other["asked_ns"], other["request_id"])
            for other, _ in rounds
            if all(other[name] == row[name] for name in names)
            and (other["asked_ns"], other["request_id"]) > (row["asked_ns"], row["request_id"])
        ]
        if not later:
            continue
        getting = row["received_ns"] - row["asked_ns"]
        computing = min(later)[0] - row["received_ns"]
        if 0 <= computing < getting:
            answer = messages[row["answer_id"]]
            place = (answer["receive_completion_call_path_id"], row["worker_location_id"])
            more = {"visit_id": answer["receive_completion_visit_id"], "start_ns": row["asked_ns"]}
            more["cause_location_id"] = row["master_location_id"]
            more["cause_visit_id"] = answer["send_post_visit_id"]
            rows.append(_finding("tasks_too_fine", place, getting, confidence, **more))
    return rows


def _rounds_of_stars(tables: Tables) -> Iterator[tuple[Row, int]]:
    """Rounds between a master and its workers, and how sure it is that they are."""
    names = ("master_group_id", "worker_group_id")
    stars = {tuple(row[name] for name in names): row for row in master_workers(tables)}
    for row in worker_rounds(tables):
        star = stars.get(tuple(row[name] for name in names))
        if star:
            yield row, min(star["confidence"], 50 if row["is_clock_violation"] else 100)
