"""What clocks that contradict each other leave open, limit by limit and wait by wait."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.doubts import COMPLETIONS, ORDERS, calls_of_visits, doubt
from tests.oracle.stored_runs import TESTS, WAITING_FOR_RECEIVERS, Tables

Row = dict[str, Any]
Limits = tuple[int, int]

UNKNOWN = 10**18
REASON = "clock_violation"
METRICS = {
    "barrier": "mpi_barrier_wait",
    "one_to_n": "mpi_latebroadcast",
    "n_to_one": "mpi_earlyreduce",
    "scan": "mpi_earlyscan",
}


def clock_offsets(tables: Tables) -> list[Row]:
    """What may have to be added to the times of each location."""
    doubtful = _doubtful(tables)
    locations = sorted(tables["locations"], key=lambda row: row["location_id"])
    seen = [row["location_id"] for row in locations if row["visit_count"]]
    measures = [each for each in seen if each not in doubtful] or seen
    if not doubtful or not measures:
        return []
    measure, rows = measures[0], []
    for number in (row["location_id"] for row in locations):
        is_known = number == measure or not {number, measure} & doubtful
        limits = (0, 0) if is_known else _limits(tables, number, measure)
        row = {"location_id": number, "is_doubtful": number in doubtful}
        rows.append(row | {"least_ns": limits[0], "most_ns": limits[1]})
    return rows


def _doubtful(tables: Tables) -> set[int]:
    pairs = [
        (row["sender_location_id"], row["receiver_location_id"])
        for row in tables["messages"]
        if row["is_clock_violation"]
    ]
    pairs += [
        (row["location_id"], row["last_location_id"])
        for row in tables["synchronised_members"]
        if row["family"] not in ("scan", "neighbourhood") and row["last_begin_ns"] > row["end_ns"]
    ]
    pairs += [
        (row["location_id"], row["last_location_id"])
        for row in tables["framing_calls"]
        if row["last_enter_ns"] > row["leave_ns"]
    ]
    for epoch in tables["rma_epochs"]:
        pairs += [
            (epoch["end_location_id"], pair["complete_location_id"])
            for pair in tables["rma_epoch_pairs"]
            if pair["post_visit_id"] == epoch["begin_visit_id"]
            and None not in (epoch["end_leave_ns"], pair["complete_enter_ns"])
            and pair["complete_enter_ns"] > epoch["end_leave_ns"]
        ]
    return {location for pair in pairs for location in pair}


def _limits(tables: Tables, number: int, measure: int) -> Limits:
    """What causes and effects between a location and the measure tell of its offset."""
    least, most = [], []
    for cause, at, effect, then in _causes(tables):
        if (cause, effect) == (measure, number):
            least.append(at - then)
        if (cause, effect) == (number, measure):
            most.append(then - at)
    limits = max(least, default=-UNKNOWN), min(most, default=UNKNOWN)
    is_any = least or most
    return limits if is_any and limits[0] <= limits[1] else (-UNKNOWN, UNKNOWN)


def _causes(tables: Tables) -> Iterator[tuple[int, int, int, int]]:
    """Location and time of each cause, and of what cannot come before it."""
    for row in tables["messages"]:
        yield (
            row["sender_location_id"], row["send_ns"],
            row["receiver_location_id"], row["receive_ns"],
        )  # fmt: skip
    operations = {row["collective_id"]: row["operation"] for row in tables["collectives"]}
    instances = defaultdict[int, list[Row]](list)
    for row in tables["collective_roles"]:
        is_any = row["family"] in ("scan", "neighbourhood")
        if not is_any and operations[row["collective_id"]] not in ("alltoallv", "alltoallw"):
            instances[row["collective_id"]].append(row)
    for members in instances.values():
        for one in members:
            for other in members:
                is_needed = one["is_awaited"] and other["awaited_side"] == one["side"]
                if is_needed and other["is_waiting"]:
                    yield (
                        one["location_id"], one["begin_ns"], other["location_id"], other["end_ns"]
                    )  # fmt: skip
    ends = [row for row in tables["framing_calls"] if row["is_finalize"]]
    for one in ends:
        for other in ends:
            yield one["location_id"], one["enter_ns"], other["location_id"], other["leave_ns"]


# --- Messages -----------------------------------------------------------------------------------


def message_clock_doubts(tables: Tables) -> list[Row]:
    """Waits for messages with the partner as early, and as late, as clocks allow."""
    if not tables["clock_offsets"]:
        return []
    calls, shifts = calls_of_visits(tables), _shifts(tables)
    visits = {row["visit_id"]: row for row in tables["visits"]}
    received, sent = defaultdict[int, list[Row]](list), defaultdict[int, list[Row]](list)
    for row in tables["messages"]:
        if None not in (row["receive_completion_visit_id"], row["send_post_enter_ns"]):
            received[row["receive_completion_visit_id"]].append(row)
        if None not in (row["send_completion_visit_id"], row["receive_post_enter_ns"]):
            sent[row["send_completion_visit_id"]].append(row)
    rows, waits, unsure = [], {}, set()
    for number, messages in received.items():
        if calls[number] not in TESTS:
            found = [_sender_limits(row, shifts[_pair(row)]) for row in messages]
            least, most = (max(limits[place] for limits in found) for place in (0, 1))
            is_doubtful = any(shifts[_pair(row)][2] for row in messages)
            waits[number] = least, most, is_doubtful
            if is_doubtful:
                rows.append(doubt("mpi_latesender", visits[number], REASON, least, most))
                unsure.add(visits[number]["location_id"])
    for number, (_, most, _) in waits.items():
        if visits[number]["location_id"] in unsure:
            rows += [doubt(metric, visits[number], REASON, 0, most) for metric in ORDERS]
    for number, messages in sent.items():
        found = [_receiver_limits(row, shifts[_pair(row)]) for row in messages]
        least, most = (max(limits[place] for limits in found) for place in (0, 1))
        for_sender = waits.get(number, (0, 0, False))
        least, most = 0 if for_sender[1] else least, 0 if for_sender[0] else most
        is_doubtful = any(shifts[_pair(row)][2] for row in messages) or for_sender[2]
        if is_doubtful and calls[number] in WAITING_FOR_RECEIVERS:
            rows.append(doubt("mpi_latereceiver", visits[number], REASON, least, most))
    return rows


def _pair(row: Row) -> tuple[int, int]:
    return row["sender_location_id"], row["receiver_location_id"]


def _shifts(tables: Tables) -> dict[tuple[int, int], tuple[int, int, bool]]:
    """What may have to be added to the sender's times to compare them with the receiver's."""
    offsets = {row["location_id"]: row for row in tables["clock_offsets"]}
    pairs = {_pair(row) for row in tables["messages"]}
    found = {}
    for sender, receiver in pairs:
        one, other = offsets[sender], offsets[receiver]
        if not one["is_doubtful"] and not other["is_doubtful"]:
            found[sender, receiver] = (0, 0, False)
            continue
        least, most = [one["least_ns"] - other["most_ns"]], [one["most_ns"] - other["least_ns"]]
        for row in tables["messages"] if sender != receiver else ():
            if _pair(row) == (sender, receiver):
                most.append(row["receive_ns"] - row["send_ns"])
            if _pair(row) == (receiver, sender):
                least.append(row["send_ns"] - row["receive_ns"])
        is_possible = max(least) <= min(most)
        limits = (max(least), min(most)) if is_possible else (-2 * UNKNOWN, 2 * UNKNOWN)
        found[sender, receiver] = (*limits, True)
    return found


def _sender_limits(row: Row, shift: tuple[int, int, bool]) -> Limits:
    enter, leave = row["receive_completion_enter_ns"], row["receive_completion_leave_ns"]
    least, most = (min(row["send_post_enter_ns"] + by, leave) - enter for by in shift[:2])
    return max(least, 0), max(most, 0)


def _receiver_limits(row: Row, shift: tuple[int, int, bool]) -> Limits:
    """A call that ended before the receive was posted did not wait."""
    enter, leave = row["send_completion_enter_ns"], row["send_completion_leave_ns"]
    first, last = (row["receive_post_enter_ns"] - by for by in (shift[1], shift[0]))
    least = max(first - enter, 0) if last < leave else 0
    most = max(min(last, leave) - enter, 0) if first < leave else 0
    return least, most


# --- Collectives --------------------------------------------------------------------------------


def collective_clock_doubts(tables: Tables) -> list[Row]:
    """Waits in collectives with all others as early, and as late, as clocks allow."""
    visits = {row["visit_id"]: row for row in tables["visits"]}
    calls = calls_of_visits(tables)
    found: dict[tuple[str, int, bool], list[Limits]] = defaultdict(list)
    for members in _instances(tables):
        for row in members:
            number = row["visit_id"]
            if number is None or calls[number] in TESTS:
                continue
            if not (row["is_waiting"] or row["family"] == "n_to_n"):
                continue
            duration = row["end_ns"] - max(row["begin_ns"], row["enter_ns"])
            if duration <= 0:
                continue
            least, most = _member_limits(row, members, duration)
            metric = METRICS.get(row["family"], "mpi_wait_nxn")
            metric = "mpi_finalize_wait" if row["collective_id"] is None else metric
            found[metric, number, row["is_beyond_reference"]].append((least, most))
            is_together = row["family"] in ("barrier", "n_to_n") and not row["is_nonblocking"]
            if is_together and row["collective_id"] is not None:
                key = (COMPLETIONS[metric], number, row["is_beyond_reference"])
                found[key].append((0, duration - least))
    if tables["clock_offsets"]:
        for row in tables["framing_calls"]:
            if not row["is_finalize"]:
                limits = (0, row["leave_ns"] - row["enter_ns"])
                found["mpi_init_completion", row["visit_id"], False].append(limits)
    return [
        doubt(
            metric, visits[number], REASON, min(each[0] for each in limits),
            max(each[1] for each in limits),
        )
        | {"is_beyond_reference": is_beyond}
        for (metric, number, is_beyond), limits in found.items()
    ]  # fmt: skip


def _instances(tables: Tables) -> Iterator[list[Row]]:
    """Members of collectives in which somebody's clock is in doubt, and of MPI_Finalize."""
    offsets = {row["location_id"]: row for row in tables["clock_offsets"]}
    instances = defaultdict[int | None, list[Row]](list)
    for row in tables["collective_roles"]:
        instances[row["collective_id"]].append(row)
    for row in tables["framing_calls"]:
        if row["is_finalize"]:
            times = {"begin_ns": row["enter_ns"], "end_ns": row["leave_ns"]}
            role = {"family": "barrier", "side": 0, "awaited_side": 0, "is_nonblocking": False}
            part = {"is_awaited": True, "is_waiting": True, "is_beyond_reference": False}
            instances[None].append(row | times | role | part | {"collective_id": None})
    for members in instances.values():
        if any(offsets.get(row["location_id"], {}).get("is_doubtful") for row in members):
            yield [row | {"offset": offsets[row["location_id"]]} for row in members]


def _member_limits(row: Row, members: list[Row], duration: int) -> Limits:
    if row["family"] in ("scan", "neighbourhood"):
        return 0, duration
    others = [
        other
        for other in members
        if other["side"] == row["awaited_side"] and other["location_id"] != row["location_id"]
    ]
    awaited = [other for other in others if other["is_awaited"]]
    last = max(
        (
            other["begin_ns"] + other["offset"]["most_ns"]
            for other in (others if row["family"] == "n_to_n" else awaited)
        ),
        default=None,
    )
    first = max(
        (other["begin_ns"] + other["offset"]["least_ns"] for other in awaited), default=None
    )
    least = most = 0
    if first is not None and row["is_waiting"] and not row["is_nonblocking"]:
        least = first - row["offset"]["most_ns"] - row["begin_ns"]
    if last is not None:
        most = last - row["offset"]["least_ns"] - max(row["begin_ns"], row["enter_ns"])
    return min(max(least, 0), duration), min(max(most, 0), duration)
