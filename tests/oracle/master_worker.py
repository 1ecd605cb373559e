"""Masters and workers, found by asking every process about every other one."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

DEVOTED, FEWEST_ROUNDS = 0.75, 2
# Of a star that nothing speaks against: no record says that there is a master.
SUREST = 95


def devoted_processes(tables: Tables) -> list[Row]:
    """Who exchanges messages with hardly anybody but one other."""
    sent: Counter[tuple[int, int]] = Counter()
    for row in tables["messages"]:
        if row["sender_group_id"] != row["receiver_group_id"]:
            sent[row["sender_group_id"], row["receiver_group_id"]] += 1
    rows = []
    for worker, master in sent:
        total = sum(number for pair, number in sent.items() if worker in pair)
        shared = sent[worker, master] + sent[master, worker]
        if (master, worker) in sent and shared >= DEVOTED * total:
            rows.append(
                {"master_group_id": master, "worker_group_id": worker}
                | {"answer_count": sent[master, worker], "shared_count": shared}
                | {"message_count": total}
            )
    masters = Counter(row["master_group_id"] for row in rows)
    return [row for row in rows if masters[row["master_group_id"]] > 1]


def worker_rounds(tables: Tables) -> list[Row]:
    """What each location of a master takes and answers, gone through in the order of time."""
    pairs = {(row["worker_group_id"], row["master_group_id"]) for row in devoted_processes(tables)}
    deeds: dict[int, list[tuple[int, bool, int, int, Row]]] = {}
    for row in tables["messages"]:
        if row["send_post_visit_id"] is None or row["receive_completion_visit_id"] is None:
            continue
        number, ends = row["message_id"], (row["sender_group_id"], row["receiver_group_id"])
        if ends in pairs:
            time, visit = row["receive_completion_leave_ns"], row["receive_completion_visit_id"]
            deeds.setdefault(row["receiver_location_id"], []).append(
                (time, False, number, visit, row)
            )
        if ends[::-1] in pairs:
            time, visit = row["send_post_enter_ns"], row["send_post_visit_id"]
            deeds.setdefault(row["sender_location_id"], []).append((time, True, number, visit, row))
    return [row for deed in deeds.values() for row in _rounds_of(deed)]


def _rounds_of(deeds: list[tuple[int, bool, int, int, Row]]) -> list[Row]:
    """Answers that follow their own request, and nothing else was taken in its call."""
    rows = []
    visits = Counter(visit for _, _, _, visit, _ in deeds)
    request: Row | None = None
    for _, is_answer, _, visit, row in sorted(deeds, key=lambda deed: deed[:3]):
        if not is_answer:
            request = row if visits[visit] == 1 else None
        elif request and request["sender_group_id"] == row["receiver_group_id"]:
            rows.append(_round(request, row))
            request = None
    return rows


def _round(request: Row, answer: Row) -> Row:
    return {
        "request_id": request["message_id"],
        "answer_id": answer["message_id"],
        "master_group_id": answer["sender_group_id"],
        "worker_group_id": answer["receiver_group_id"],
        "master_location_id": answer["sender_location_id"],
        "worker_location_id": answer["receiver_location_id"],
        "asked_ns": request["send_post_enter_ns"],
        "awaited_ns": answer["receive_completion_enter_ns"],
        "taken_ns": request["receive_completion_leave_ns"],
        "answered_ns": answer["send_post_enter_ns"],
        "received_ns": answer["receive_completion_leave_ns"],
        "is_clock_violation": request["is_clock_violation"] or answer["is_clock_violation"],
    }


def master_workers(tables: Tables) -> list[Row]:
    """Workers of each process that has enough of them, and answers them often enough."""
    rounds = worker_rounds(tables)
    devoted = devoted_processes(tables)
    others = {
        row["location_group_id"]
        for row in tables["locations"]
        if row["kind"] in ("cpu_thread", "unknown")
    }
    rows = []
    for master in sorted({row["master_group_id"] for row in devoted}):
        served = sorted(
            (row["taken_ns"], row["request_id"], row["worker_group_id"])
            for row in rounds
            if row["master_group_id"] == master
        )
        asked = Counter(worker for _, _, worker in served)
        workers = [
            row
            for row in devoted
            if row["master_group_id"] == master
            and asked[row["worker_group_id"]] >= row["answer_count"] / 2
        ]
        is_in_turn = all(one[2] != other[2] for one, other in pairwise(served))
        if _is_star(workers, asked, len(others) - 1, is_in_turn=is_in_turn):
            confidence = _confidence(workers, asked, len(others) - 1)
            for row in workers:
                worker = row["worker_group_id"]
                rows.append(
                    {"master_group_id": master, "worker_group_id": worker}
                    | {"round_count": asked[worker], "confidence": confidence}
                )
    return rows


def _is_star(
    workers: list[Row], asked: Mapping[int, int], other_count: int, *, is_in_turn: bool
) -> bool:
    rounds = sum(asked[row["worker_group_id"]] for row in workers)
    if len(workers) < 2 or len(workers) <= other_count / 2:
        return False
    return rounds >= FEWEST_ROUNDS * len(workers) and (len(workers) > 2 or not is_in_turn)


def _confidence(workers: list[Row], asked: Mapping[int, int], other_count: int) -> int:
    rounds = sum(asked[row["worker_group_id"]] for row in workers)
    answers, shared, messages = (
        sum(row[name] for row in workers)
        for name in ("answer_count", "shared_count", "message_count")
    )
    return SUREST * shared * rounds * len(workers) // (messages * answers * other_count)


# --- Findings -------------------------------------------------------------------------------------


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


def _finding(name: str, place: tuple[int, int], value: int, confidence: int, **more: Any) -> Row:
    """A row of a finding at a call path and location."""
    path, location = place
    row = {"property": name, "call_path_id": path, "location_id": location, "value": value}
    nothing = dict.fromkeys(("visit_id", "start_ns", "cause_location_id", "cause_visit_id"))
    return row | nothing | {"confidence": confidence} | more
