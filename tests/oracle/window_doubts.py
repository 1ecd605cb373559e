"""Which calls on RMA windows may have waited otherwise than found, asked record by record."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle.doubts import calls_of_visits, doubt
from tests.oracle.one_sided import OPERATIONS
from tests.oracle.stored_runs import Tables, processes

Row = dict[str, Any]
Loss = tuple[int, str, bool, int | None, int | None]

# What leaves no room for any of its records being right.
DAMAGE = (
    "unknown_record", "impossible_id", "impossible_time", "time_reversal", "mismatched_leave",
    "unreadable_row", "cut_input",
)  # fmt: skip
ACCESS = re.compile(r"mpi_r?(put|get|accumulate|get_accumulate|fetch_and_op|compare_and_swap)")
MAKING = re.compile(r"mpi_win_(create|create_dynamic|allocate|allocate_shared)")
LATE_POST, LOCK = "mpi_rma_sync_late_post", "mpi_rma_sync_lock_competition"
PROGRESS = "mpi_rma_wait_for_progress"
WAITS_OF = {
    "mpi_win_free": ("mpi_rma_wait_at_free",),
    "mpi_win_fence": ("mpi_rma_wait_at_fence", "mpi_rma_early_fence"),
    "mpi_win_start": (LATE_POST,),
    "mpi_win_complete": (LATE_POST, PROGRESS),
    "mpi_win_wait": ("mpi_rma_early_wait", "mpi_rma_late_complete"),
    "mpi_win_lock": (LOCK,),
    "mpi_win_lock_all": (LOCK,),
    "mpi_win_unlock": (LOCK, PROGRESS),
    "mpi_win_unlock_all": (LOCK, PROGRESS),
}
WAITS_OF_ACCESS = ("mpi_rma_comm_late_post", "mpi_rma_comm_lock_competition", PROGRESS)
SURE_WITHOUT_ACCESSES = (
    LATE_POST, "mpi_rma_wait_at_create", "mpi_rma_wait_at_free", "mpi_rma_wait_at_fence",
    "mpi_rma_early_wait",
)  # fmt: skip
NEEDS = {
    "mpi_win_free": ("collective",),
    "mpi_win_fence": ("collective",),
    "mpi_win_lock": ("request_lock", "acquire_lock"),
    "mpi_win_lock_all": ("request_lock", "acquire_lock"),
    "mpi_win_unlock": ("release_lock",),
    "mpi_win_unlock_all": ("release_lock",),
} | dict.fromkeys(
    ("mpi_win_start", "mpi_win_complete", "mpi_win_post", "mpi_win_wait"), ("group_sync",)
)


def disturbed_processes(tables: Tables) -> list[Row]:
    """Processes of which something is missing, with what is known of when."""
    threads = {
        row["location_id"]: row
        for row in tables["locations"]
        if row["kind"] not in ("gpu", "metric")
    }
    counts: dict[int, int] = defaultdict(int)
    for row in threads.values():
        counts[row["location_group_id"]] += 1
    found: dict[tuple[int, str], list[tuple[int | None, int | None]]] = defaultdict(list)
    for row in tables["trace_quality"]:
        hit = [row["location_id"]] if row["location_id"] is not None else list(threads)
        for place in (threads[number] for number in hit if number in threads):
            group = place["location_group_id"]
            if row["kind"] == "missing_records" and row["location_id"] is not None:
                found[group, "missing_records"].append((place["end_ns"], None))
            if row["kind"] == "missing_location" and row["location_id"] is not None:
                found[group, "missing_records"].append((None, None))
            if row["kind"] in DAMAGE:
                found[group, "incomplete_records"].append((None, None))
    for row in tables["measurement_gaps"]:
        is_off = row["kind"] == "measurement_off" and row["location_id"] in threads
        if is_off and tables["trace_quality"]:
            group = threads[row["location_id"]]["location_group_id"]
            found[group, "measurement_off"].append((row["begin_ns"], row["end_ns"]))
    return [
        {"location_group_id": group, "reason": reason, "thread_count": counts[group]}
        | {"since_ns": _earliest([since for since, _ in times])}
        | {"until_ns": _latest([until for _, until in times])}
        | {"is_ending": _lacks_end_alone(reason, counts[group], times)}
        for (group, reason), times in found.items()
    ]


def _lacks_end_alone(
    reason: str, thread_count: int, times: list[tuple[int | None, int | None]]
) -> bool:
    """Several threads are not in order without one of them."""
    is_known = all(since is not None for since, _ in times)
    return (reason, thread_count) == ("missing_records", 1) and is_known


def _earliest(times: list[int | None]) -> int | None:
    known = [time for time in times if time is not None]
    return min(known) if len(known) == len(times) else None


def _latest(times: list[int | None]) -> int | None:
    known = [time for time in times if time is not None]
    return max(known) if len(known) == len(times) else None


def ending_processes(tables: Tables) -> set[int]:
    """Those of one thread that lack nothing but their end."""
    return {row["location_group_id"] for row in tables["disturbed_processes"] if row["is_ending"]}


def doubtful_windows(tables: Tables) -> list[Row]:
    """Windows with what is known of when their records are missing, process by process."""
    if not tables["rma_calls"]:
        return []
    members = _members(tables)
    losses: dict[tuple[int, str, bool], list[tuple[int | None, int | None]]] = defaultdict(list)
    for window, reason, is_of_accesses, since, until in _losses(tables, members):
        losses[window, reason, is_of_accesses].append((since, until))
    rows = []
    for (window, reason, is_of_accesses), times in losses.items():
        since = _earliest([each for each, _ in times])
        until = _latest([each for _, each in times])
        for group in members[window]:
            first, last = since, until
            for begin, end in _reaching(tables, members, losses, window, group):
                first = None if first is None else min(first, begin)
                last = last if last is None or end is None else max(last, end)
            row = {"rma_window_id": window, "location_group_id": group, "reason": reason}
            row |= {"is_of_accesses": is_of_accesses, "since_ns": first, "until_ns": last}
            rows.append(row)
    return rows


def _members(tables: Tables) -> dict[int, set[int]]:
    return {
        window["rma_window_id"]: {
            row["location_group_id"]
            for row in tables["communicator_members"]
            if row["communicator_id"] == window["communicator_id"]
            and row["location_group_id"] is not None
        }
        for window in tables["rma_windows"]
    }


def _losses(tables: Tables, members: dict[int, set[int]]) -> Iterator[Loss]:
    ending, groups = ending_processes(tables), processes(tables)
    for row in tables["rma_collectives"]:
        window = row["rma_window_id"]
        there = _present(tables, row)
        if not row["is_complete"] and (
            members[window] <= there or members[window] - there - ending
        ):
            yield window, "incomplete_records", False, None, None
    for window, group, _ in _halves(tables):
        if group not in ending:
            yield window, "incomplete_records", False, None, None
    for epoch, partner in _lonely(tables):
        if partner not in ending:
            yield epoch["rma_window_id"], "incomplete_records", False, None, None
    for group, is_access in _silent(tables, ending):
        for window in (each for each in members if group in members[each]):
            yield window, "incomplete_records", is_access, None, None
    for row in tables["disturbed_processes"]:
        is_unordered = row["reason"] == "missing_records" and row["thread_count"] > 1
        since = None if is_unordered else row["since_ns"]
        for window in (each for each in members if row["location_group_id"] in members[each]):
            yield window, row["reason"], False, since, row["until_ns"]
    for row in tables["clock_offsets"]:
        for window in (each for each in members if groups[row["location_id"]] in members[each]):
            if row["is_doubtful"]:
                yield window, "clock_violation", False, None, None


def _present(tables: Tables, row: Row) -> set[int]:
    return {
        each["location_group_id"]
        for each in tables["rma_collectives"]
        if (each["rma_window_id"], each["ordinal"]) == (row["rma_window_id"], row["ordinal"])
    }


def _halves(tables: Tables) -> Iterator[tuple[int, int, int]]:
    """Begins without an end, and ends without a begin."""
    whole = set()
    for row in tables["rma_epochs"]:
        if row["end_visit_id"] is not None:
            whole |= {row["begin_visit_id"], row["end_visit_id"]}
    for row in tables["rma_lock_epochs"]:
        whole |= {row["lock_visit_id"], row["unlock_visit_id"]}
    for row in tables["rma_calls"]:
        is_mark = row["kind"] == "group_sync" and row["call"] != "mpi_win_test"
        is_lock = row["kind"] in ("request_lock", "acquire_lock", "release_lock")
        if (is_mark or is_lock) and row["visit_id"] not in whole:
            yield row["rma_window_id"], row["location_group_id"], row["enter_ns"]


def _lonely(tables: Tables) -> Iterator[tuple[Row, int | None]]:
    """Epochs with a process that they name and that has none for them, or none that ends."""
    epochs = {row["begin_visit_id"]: row for row in tables["rma_epochs"]}
    met = defaultdict[int, set[int]](set)
    for pair in tables["rma_epoch_pairs"]:
        met[pair["start_visit_id"]].add(pair["target_group_id"])
        if pair["complete_visit_id"] is not None:
            met[pair["post_visit_id"]].add(epochs[pair["start_visit_id"]]["location_group_id"])
    for number, epoch in epochs.items():
        named = [
            row["location_group_id"]
            for row in tables["rma_group_members"]
            if row["rma_group_id"] == epoch["rma_group_id"]
        ]
        for partner in [None] if epoch["rma_group_id"] is None else named:
            if partner not in met[number]:
                yield epoch, partner


def _silent(tables: Tables, ending: set[int]) -> Iterator[tuple[int, bool]]:
    """Processes with a call without its record, and whether it is an access."""
    kinds = defaultdict[int, set[str]](set)
    for row in tables["rma_calls"]:
        if row["kind"] not in OPERATIONS or row["target_group_id"] is not None:
            kinds[row["visit_id"]].add(row["kind"])
    calls, groups = calls_of_visits(tables), processes(tables)
    for visit in tables["visits"]:
        call, group = calls[visit["visit_id"]], groups[visit["location_id"]]
        needed = ("collective",) if MAKING.fullmatch(call) else NEEDS.get(call, ())
        needed = OPERATIONS if ACCESS.fullmatch(call) else needed
        is_told = bool(kinds[visit["visit_id"]] & set(needed))
        if needed and not is_told and (visit["is_closed"] or group not in ending):
            yield group, needed is OPERATIONS


def _reaching(
    tables: Tables, members: dict[int, set[int]], losses: Any, window: int, group: int
) -> Iterator[tuple[int, int | None]]:
    """What is not whole, or lies in a loss, and begins before it."""
    here = (window, group)
    yield from ((at, None) for number, owner, at in _halves(tables) if (number, owner) == here)
    for epoch, _ in _lonely(tables):
        if (epoch["rma_window_id"], epoch["location_group_id"]) == here:
            yield epoch["begin_enter_ns"], None
    for row in tables["rma_collectives"]:
        if (row["rma_window_id"], row["location_group_id"]) == here and not row["is_complete"]:
            yield row["begin_ns"], None
    stretches = [
        (_earliest([each for each, _ in times]), _latest([each for _, each in times]))
        for (number, *_), times in losses.items()
        if number == window
    ]
    for row in tables["rma_lock_epochs"]:
        if (row["rma_window_id"], row["location_group_id"]) == here:
            for since, until in stretches:
                is_later = since is not None and row["release_ns"] > since
                if is_later and (until is None or row["lock_enter_ns"] < until):
                    yield row["lock_enter_ns"], row["unlock_leave_ns"]


def rma_doubts(tables: Tables) -> list[Row]:
    """Calls on such windows, each with all that it can wait for."""
    calls, groups = calls_of_visits(tables), processes(tables)
    windows = defaultdict[int, set[int]](set)
    for row in tables["rma_calls"]:
        windows[row["visit_id"]].add(row["rma_window_id"])
    limits = _clock_limits(tables)
    found: dict[tuple[int, str, str], int] = {}
    for visit in tables["visits"]:
        number, call = visit["visit_id"], calls[visit["visit_id"]]
        group, length = groups[visit["location_id"]], visit["leave_ns"] - visit["enter_ns"]
        for row in _concerning(tables, windows[number], group, visit):
            for metric in _metrics(call):
                if row["is_of_accesses"] and metric in SURE_WITHOUT_ACCESSES:
                    continue
                is_limited = row["reason"] == "clock_violation" and number in limits
                most = min(max(limits[number], 0), length) if is_limited else length
                key = (number, metric, row["reason"])
                found[key] = max(found.get(key, 0), most)
    visits = {row["visit_id"]: row for row in tables["visits"]}
    return [
        doubt(metric, visits[number], reason, 0, most) | {"is_beyond_reference": True}
        for (number, metric, reason), most in found.items()
    ]


def _metrics(call: str) -> tuple[str, ...]:
    if MAKING.fullmatch(call):
        return ("mpi_rma_wait_at_create",)
    if ACCESS.fullmatch(call):
        return WAITS_OF_ACCESS
    return (PROGRESS,) if call.startswith("mpi_win_flush") else WAITS_OF.get(call, ())


def _concerning(tables: Tables, windows: set[int], group: int, visit: Row) -> Iterator[Row]:
    """Losses that a call falls into: of its windows, or if it tells none, of any together."""
    rows = [row for row in tables["doubtful_windows"] if row["location_group_id"] == group]
    if windows:
        rows = [row for row in rows if row["rma_window_id"] in windows]
    else:
        rows = [_together(rows, row) for row in rows]
    for row in rows:
        is_before = row["since_ns"] is not None and visit["leave_ns"] <= row["since_ns"]
        is_after = row["until_ns"] is not None and visit["enter_ns"] >= row["until_ns"]
        if not is_before and not is_after:
            yield row


def _together(rows: list[Row], like: Row) -> Row:
    alike = [
        row
        for row in rows
        if (row["reason"], row["is_of_accesses"]) == (like["reason"], like["is_of_accesses"])
    ]
    since, until = (
        _earliest([row["since_ns"] for row in alike]),
        _latest([row["until_ns"] for row in alike]),
    )
    return like | {"since_ns": since, "until_ns": until}


def _clock_limits(tables: Tables) -> dict[int, int]:
    """The longest wait for the others of a window that clocks allow."""
    offsets = {row["location_id"]: row for row in tables["clock_offsets"]}
    limits: dict[int, int] = {}
    for row in tables["rma_collectives"] if offsets else ():
        others = [
            other["begin_ns"] + offsets[other["location_id"]]["most_ns"]
            for other in tables["rma_collectives"]
            if other["rma_window_id"] == row["rma_window_id"]
            and other["ordinal"] == row["ordinal"]
            and other["location_id"] != row["location_id"]
        ]
        if row["is_complete"] and others:
            begin = row["begin_ns"] + offsets[row["location_id"]]["least_ns"]
            limit = max(others) - begin
            limits[row["visit_id"]] = max(limit, limits.get(row["visit_id"], limit))
    return limits
