"""Which calls may have waited otherwise than found, as records are missing, asked call by call."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.matching import CHANNEL
from tests.oracle.stored_runs import TESTS, WAITING_FOR_RECEIVERS, Tables, c_name, processes

Row = dict[str, Any]
Doubt = tuple[int, str, str, bool]

RECEIVES = ("recv", "irecv", "mrecv", "imrecv")
ORDERS = ("mpi_latesender_wo", "mpi_lswo_same", "mpi_lswo_different")
OF_MANY = ("mpi_waitall", "mpi_waitsome")
MAY_SEND = WAITING_FOR_RECEIVERS
MAY_RECEIVE = (
    "mpi_recv", "mpi_mrecv", "mpi_sendrecv", "mpi_sendrecv_replace", "mpi_wait", "mpi_waitany",
    "mpi_waitall", "mpi_waitsome",
)  # fmt: skip
FAMILIES = {
    "mpi_barrier_wait": ("barrier",),
    "mpi_wait_nxn": (
        "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "allreduce",
        "reduce_scatter", "reduce_scatter_block",
    ),
    "mpi_latebroadcast": ("bcast", "scatter", "scatterv"),
    "mpi_earlyreduce": ("reduce", "gather", "gatherv"),
    "mpi_earlyscan": ("scan", "exscan"),
}  # fmt: skip
COMPLETIONS = {"mpi_barrier_wait": "mpi_barrier_completion", "mpi_wait_nxn": "mpi_nxn_completion"}


def calls_of_visits(tables: Tables) -> dict[int, str]:
    """The MPI call of each visit, or nothing."""
    names = {row["region_id"]: c_name(row["name"]) for row in tables["regions"]}
    return {row["visit_id"]: names[row["region_id"]] for row in tables["visits"]}


def doubt(metric: str, visit: Row, reason: str, least: int, most: int) -> Row:
    """What is sure of the waiting in a visit."""
    return {
        "metric": metric,
        "is_beyond_reference": False,
        "location_id": visit["location_id"],
        "visit_id": visit["visit_id"],
        "call_path_id": visit["call_path_id"],
        "reason": reason,
        "least_ns": least,
        "most_ns": most,
    }


def short_groups(tables: Tables) -> set[int]:
    """Processes of which a thread ends early, or is not there at all."""
    groups = processes(tables)
    threads = {
        row["location_id"] for row in tables["locations"] if row["kind"] not in ("gpu", "metric")
    }
    return {
        groups[row["location_id"]]
        for row in tables["trace_quality"]
        if row["kind"] in ("missing_records", "missing_location") and row["location_id"] in threads
    }


# --- Messages -----------------------------------------------------------------------------------


def message_doubts(tables: Tables) -> list[Row]:
    """Calls that may have waited for another message, or for the same one at another time."""
    visits = {row["visit_id"]: row for row in tables["visits"]}
    calls = calls_of_visits(tables)
    senders = {row["visit_id"]: row["wait_ns"] for row in tables["late_sender"]}
    receivers = {row["visit_id"]: row["wait_ns"] for row in tables["late_receiver"]}
    sending = {row["send_completion_visit_id"] for row in tables["sends"]}
    asked: dict[int, list[Doubt]] = defaultdict(list)
    for each in (*_mispaired(tables), *_lonely(tables), *_silent(tables)):
        if each[0] is not None:
            asked[each[0]].append(each)
    rows, unsure = [], defaultdict[int, list[str]](list)
    for number, doubts in asked.items():
        visit, call, found = visits[number], calls[number], senders.get(number, 0)
        reason = min(reason for _, _, reason, _ in doubts)
        is_paired = all(paired for *_, paired in doubts)
        may_receive = any(side == "receive" for _, side, *_ in doubts)
        duration = visit["leave_ns"] - visit["enter_ns"]
        if may_receive and call not in TESTS:
            least = found if is_paired else 0
            rows.append(doubt("mpi_latesender", visit, reason, least, duration))
            rows += [doubt(metric, visit, reason, 0, duration) for metric in ORDERS]
            unsure[visit["location_id"]].append(reason)
        is_known = found > 0 and (is_paired or not may_receive)
        may_send = number in sending or any(side == "send" for _, side, *_ in doubts)
        if call in WAITING_FOR_RECEIVERS and may_send and not is_known:
            least = receivers.get(number, 0) if is_paired and not may_receive else 0
            rows.append(doubt("mpi_latereceiver", visit, reason, least, duration))
    told = {row["visit_id"] for row in rows if row["metric"] == "mpi_latesender"}
    for wait in tables["late_sender"]:
        if wait["location_id"] in unsure and wait["visit_id"] not in told:
            reason = min(unsure[wait["location_id"]])
            rows += [doubt(metric, wait, reason, 0, wait["wait_ns"]) for metric in ORDERS]
    return rows


def _partner(row: Row) -> int:
    return int(row["receiver_group_id" if row["side"] == "send" else "sender_group_id"])


def _uncut(tables: Tables) -> list[Row]:
    """Halves whose partner is missing although its records do not end early."""
    short = short_groups(tables)
    return [row for row in tables["unmatched_messages"] if _partner(row) not in short]


def _mispaired(tables: Tables) -> Iterator[Doubt]:
    """Messages of channels on which something is missing in the middle."""
    reasons: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for row in _uncut(tables):
        reasons[tuple(row[name] for name in CHANNEL)].append("unmatched_message")
    for row in tables["receives"]:
        if row["receive_post_ns"] is None:
            reasons[tuple(row[name] for name in CHANNEL)].append("missing_request")
    for row in tables["messages"]:
        channel = tuple(row[name] for name in CHANNEL)
        if channel in reasons:
            reason = min(reasons[channel])
            yield row["receive_completion_visit_id"], "receive", reason, False
            yield row["send_completion_visit_id"], "send", reason, False


def _lonely(tables: Tables) -> Iterator[Doubt]:
    """Receives and sends without partner, where they are completed."""
    short = short_groups(tables)
    received = {
        (row["receiver_location_id"], row["receive_sequence"]) for row in tables["messages"]
    }
    for row in tables["mpi_operations"]:
        if row["kind"] in RECEIVES and (row["location_id"], row["sequence"]) not in received:
            is_cut = row["peer_group_id"] in short
            reason = "missing_records" if is_cut else "unmatched_message"
            yield row["visit_id"], "receive", reason, True
    key = (*CHANNEL, "ordinal")
    completions = {
        tuple(row[name] for name in key): row["send_completion_visit_id"] for row in tables["sends"]
    }
    for row in tables["unmatched_messages"]:
        if row["side"] == "send":
            is_cut = row["receiver_group_id"] in short
            reason = "missing_records" if is_cut else "unmatched_message"
            yield completions[tuple(row[name] for name in key)], "send", reason, True
    strays = {
        row["location_id"]
        for row in tables["mpi_operations"]
        if row["kind"] in ("send", "isend")
        and (row["peer_group_id"] is None or row["communicator_id"] is None)
    }
    for row in tables["mpi_operations"]:
        if row["location_id"] in strays and row["kind"] in ("send", "isend_complete"):
            yield row["visit_id"], "send", "unmatched_message", True


def _silent(tables: Tables) -> Iterator[Doubt]:
    """Calls that may have completed what no record tells."""
    ends: dict[tuple[int, str], list[tuple[str, int | None]]] = defaultdict(list)
    for row in _uncut(tables):
        side = "receive" if row["side"] == "send" else "send"
        ends[_partner(row), side].append(("unmatched_message", None))
    for row in tables["sends"]:
        if row["send_completion_ns"] is None:
            ends[row["sender_group_id"], "send"].append(("missing_request", row["send_ns"]))
    holding = {row["visit_id"] for row in tables["mpi_operations"] if row["kind"] in RECEIVES}
    sending = {row["send_completion_visit_id"] for row in tables["sends"]}
    finishing = {
        row["send_completion_visit_id"]
        for row in tables["sends"]
        if row["send_completion_visit_id"] != row["send_post_visit_id"]
        and row["send_post_visit_id"] is not None
    }
    groups, calls = processes(tables), calls_of_visits(tables)
    for visit in tables["visits"]:
        number, call = visit["visit_id"], calls[visit["visit_id"]]
        for side, may, known in (
            ("receive", MAY_RECEIVE, holding | finishing), ("send", MAY_SEND, holding | sending)
        ):  # fmt: skip
            missing = ends.get((groups[visit["location_id"]], side))
            if missing and call in may and (call in OF_MANY or number not in known):
                times = [time for _, time in missing if time is not None]
                if len(times) < len(missing) or visit["leave_ns"] >= min(times):
                    yield number, side, min(reason for reason, _ in missing), True


# --- Collectives --------------------------------------------------------------------------------


def collective_doubts(tables: Tables) -> list[Row]:
    """Calls whose collective is not whole, or may be another than it seems."""
    visits = {row["visit_id"]: row for row in tables["visits"]}
    calls = calls_of_visits(tables)
    found: dict[tuple[str, int, bool], list[str]] = defaultdict(list)
    for number, operation, is_nonblocking, reason in _unsure_members(tables):
        metric = next((name for name in FAMILIES if operation in FAMILIES[name]), None)
        if number is None or metric is None or calls[number] in ("", *TESTS):
            continue
        is_neighbourhood = "_neighbor_" in calls[number]
        metric = "mpi_wait_nxn" if is_neighbourhood else metric
        is_beyond = is_nonblocking or is_neighbourhood or operation in ("alltoallv", "alltoallw")
        found[metric, number, is_beyond].append(reason)
        if metric in COMPLETIONS and not is_nonblocking and not is_neighbourhood:
            found[COMPLETIONS[metric], number, is_beyond].append(reason)
    for metric, number, reason in _missing_frames(tables, calls):
        found[metric, number, False].append(reason)
    return [
        doubt(metric, visits[number], min(reasons), 0, _duration(visits[number]))
        | {"is_beyond_reference": is_beyond}
        for (metric, number, is_beyond), reasons in found.items()
    ]


def _duration(visit: Row) -> int:
    return int(visit["leave_ns"] - visit["enter_ns"])


def _unsure_members(tables: Tables) -> Iterator[tuple[int | None, str | None, bool, str]]:
    groups, short = processes(tables), short_groups(tables)
    members = defaultdict[int, list[Row]](list)
    for row in tables["collective_members"]:
        members[row["collective_id"]].append(row)
    broken = [row for row in tables["collectives"] if not row["is_complete"]]
    missing: dict[int, set[int]] = {row["communicator_id"]: set() for row in broken}
    is_full: set[int] = set()
    for row in broken:
        there = {groups[each["location_id"]] for each in members[row["collective_id"]]}
        missing[row["communicator_id"]] |= {
            each["location_group_id"]
            for each in tables["communicator_members"]
            if each["communicator_id"] == row["communicator_id"]
        } - there
        if row["member_count"] >= row["expected_count"]:
            is_full.add(row["communicator_id"])
    misnumbered = {number for number in missing if missing[number] - short or not missing[number]}
    misnumbered |= is_full
    for row in broken:
        if row["communicator_id"] not in misnumbered:
            for member in members[row["collective_id"]]:
                operation = row["operation"]
                yield member["visit_id"], operation, row["is_nonblocking"], "missing_records"
    for row in tables["mpi_operations"]:
        is_misnumbered = row["communicator_id"] in misnumbered or row["communicator_id"] is None
        if not tables["trace_quality"]:
            continue
        if row["kind"] in ("collective", "nonblocking_collective") and is_misnumbered:
            is_nonblocking = row["kind"] != "collective"
            yield row["visit_id"], row["operation"], is_nonblocking, "incomplete_collective"
    silent = {group for number in misnumbered for group in missing[number]}
    told = {row["visit_id"] for row in tables["mpi_operations"] if row["kind"] == "collective"}
    calls = calls_of_visits(tables)
    for visit in tables["visits"]:
        number = visit["visit_id"]
        if groups[visit["location_id"]] in silent and calls[number] and number not in told:
            operation = calls[number].removeprefix("mpi_").removeprefix("neighbor_")
            yield number, operation, False, "incomplete_collective"
    reasons = defaultdict[int, list[str]](list)
    for row in (*tables["message_doubts"], *tables["message_clock_doubts"]):
        reasons[row["visit_id"]].append(row["reason"])
    for row in tables["mpi_operations"]:
        if row["kind"] == "nonblocking_collective" and row["visit_id"] in reasons:
            for reason in reasons[row["visit_id"]]:
                yield row["visit_id"], row["operation"], True, reason


def _missing_frames(tables: Tables, calls: dict[int, str]) -> Iterator[tuple[str, int, str]]:
    """Calls that start or end MPI, if not all processes have theirs and one lacks something."""
    losses = [row["reason"] for row in tables["disturbed_processes"]]
    if not losses:
        return
    closed = {row["visit_id"]: row["is_closed"] for row in tables["visits"]}
    frames = tables["framing_calls"]
    are_ends_sure = any(row["is_finalize"] for row in frames)
    starts = [closed[row["visit_id"]] for row in frames if not row["is_finalize"]]
    for number, call in calls.items():
        if call == "mpi_finalize" and not are_ends_sure:
            yield "mpi_finalize_wait", number, max(losses)
        if call in ("mpi_init", "mpi_init_thread") and not (starts and all(starts)):
            yield "mpi_init_completion", number, max(losses)
