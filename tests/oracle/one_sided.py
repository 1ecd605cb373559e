"""One-sided communication, found process by process in the order of its records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from tests.oracle.stored_runs import calls_of_paths, processes

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

PURPOSES = {
    "create_handle": "create", "create_handle_and_allocate": "create", "allocate": "create",
    "destroy_handle": "free", "destroy_handle_and_deallocate": "free", "deallocate": "free",
    "barrier": "fence",
}  # fmt: skip
BEGINS = {"mpi_win_start": "access", "mpi_win_post": "exposure"}
ENDS = {"mpi_win_complete": "access", "mpi_win_wait": "exposure", "mpi_win_test": "exposure"}
OPERATIONS = ("put", "get", "atomic")
_ABOUT = ("location_id", "visit_id", "call_path_id", "enter_ns", "leave_ns")


def rma_calls(tables: Tables) -> list[Row]:
    """Records in MPI calls, numbered in each process, with ranks turned into processes."""
    names, owners = calls_of_paths(tables), processes(tables)
    ranks = _ranks_of_windows(tables)
    found: dict[int, list[Row]] = defaultdict(list)
    for row in tables["rma_operations"]:
        call, owner = names.get(row["call_path_id"]), owners[row["location_id"]]
        members = ranks.get(row["rma_window_id"], [])
        if call and owner in members:
            target = row["remote_rank"]
            is_rank = target is not None and target < len(members)
            found[owner].append(
                {name: row[name] for name in ("location_id", "sequence", "time_ns", "kind")}
                | {name: row[name] for name in _ABOUT}
                | {name: row[name] for name in ("begin_ns", "rma_window_id", "rma_group_id")}
                | {name: row[name] for name in ("operation", "matching_id", "detail")}
                | {"call": call, "location_group_id": owner, "comm_rank": members.index(owner)}
                | {"target_rank": target, "target_group_id": members[target] if is_rank else None}
            )
    for rows in found.values():
        rows.sort(key=lambda row: (row["time_ns"], row["location_id"], row["sequence"]))
        for position, row in enumerate(rows, 1):
            row["position"] = position
    return [row for rows in found.values() for row in rows]


def _ranks_of_windows(tables: Tables) -> dict[int, list[int | None]]:
    members = sorted(
        (row for row in tables["communicator_members"] if row["side"] == 0),
        key=lambda row: row["comm_rank"],
    )
    return {
        window["rma_window_id"]: [
            row["location_group_id"]
            for row in members
            if row["communicator_id"] == window["communicator_id"]
        ]
        for window in tables["rma_windows"]
    }


def _in_order(rows: Iterable[Row], *names: str) -> list[list[Row]]:
    """Rows that agree in some columns, each group in the order of its process."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["location_group_id"], row["position"])):
        groups[tuple(row[name] for name in names)].append(row)
    return list(groups.values())


def rma_collectives(tables: Tables) -> list[Row]:
    """The n-th collective calls of all processes of a window."""
    calls = [row for row in tables["rma_calls"] if row["kind"] == "collective"]
    instances: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for rows in _in_order(calls, "rma_window_id", "location_group_id"):
        for ordinal, row in enumerate(rows):
            begin = row["enter_ns"] if row["begin_ns"] is None else row["begin_ns"]
            purpose = PURPOSES.get(row["operation"])
            member = row | {"ordinal": ordinal, "begin_ns": begin, "purpose": purpose}
            instances[row["rma_window_id"], ordinal].append(member)
    sizes = {row["communicator_id"]: row["size"] for row in tables["communicators"]}
    windows = {row["rma_window_id"]: row["communicator_id"] for row in tables["rma_windows"]}
    is_whole = {
        (window, ordinal): len(members) == sizes[windows[window]]
        and len({member["purpose"] for member in members} | {None}) == 2
        and all(member["purpose"] for member in members)
        for (window, ordinal), members in instances.items()
    }
    columns = ("rma_window_id", "ordinal", "purpose", "location_id", "location_group_id")
    columns += ("comm_rank", "position", "visit_id", "call_path_id", "enter_ns", "leave_ns")
    found = []
    for (window, ordinal), members in instances.items():
        last = min(members, key=lambda member: (-member["begin_ns"], member["comm_rank"]))
        first_end = min(member["time_ns"] for member in members)
        whole = is_whole[window, ordinal]
        about = {
            "last_begin_ns": last["begin_ns"],
            "last_location_id": last["location_id"],
            "last_visit_id": last["visit_id"],
            "partner_count": max(sizes[windows[window]] - 1, 0),
            "is_complete": whole,
            "is_together": whole and first_end > last["begin_ns"],
            "is_doubtful": not all(is_whole[key] for key in instances if key[0] == window),
        }
        found += [
            {name: member[name] for name in (*columns, "begin_ns")} | about for member in members
        ]
    return found


def rma_epochs(tables: Tables) -> list[Row]:
    """Every start and post, with the end that follows if no other begin comes first."""
    marks = {}
    for row in sorted(tables["rma_calls"], key=lambda row: row["position"]):
        role = BEGINS.get(row["call"]) or ENDS.get(row["call"])
        is_vain = row["call"] == "mpi_win_test" and not row["detail"]
        if row["kind"] == "group_sync" and role and not is_vain:
            marks.setdefault(row["visit_id"], row | {"role": role})
    found = []
    for rows in _in_order(marks.values(), "role", "rma_window_id", "location_group_id"):
        for row, after in zip(rows, [*rows[1:], None], strict=True):
            if row["call"] not in BEGINS:
                continue
            end = None if after is None or after["call"] in BEGINS else after
            epoch = {
                name: row[name]
                for name in ("role", "rma_window_id", "location_group_id", "rma_group_id")
            }
            for name in (*_ABOUT, "position"):
                epoch[f"begin_{name}"] = row[name]
                epoch[f"end_{name}"] = None if end is None else end[name]
            epoch["is_tested"] = end is not None and end["call"] == "mpi_win_test"
            found.append(epoch)
    return found


def rma_epoch_pairs(tables: Tables) -> list[Row]:
    """The n-th access epoch for a target meets the n-th exposure epoch of that for its origin."""
    groups: dict[int, set[int]] = defaultdict(set)
    for row in tables["rma_group_members"]:
        if row["location_group_id"] is not None:
            groups[row["rma_group_id"]].add(row["location_group_id"])
    sides: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for epoch in sorted(tables["rma_epochs"], key=lambda row: row["begin_position"]):
        own, window = epoch["location_group_id"], epoch["rma_window_id"]
        for other in groups.get(epoch["rma_group_id"], ()):
            sides[epoch["role"], window, own, other].append(epoch)
    found = []
    for (role, window, origin, target), accesses in sides.items():
        exposures = sides.get(("exposure", window, target, origin), [])
        for access, exposure in zip(accesses, exposures, strict=False) if role == "access" else ():
            pair = {"start_visit_id": access["begin_visit_id"], "target_group_id": target}
            for name in ("visit_id", "location_id", "enter_ns"):
                pair[f"post_{name}"] = exposure[f"begin_{name}"]
            for name in ("visit_id", "location_id", "call_path_id", "enter_ns"):
                pair[f"complete_{name}"] = access[f"end_{name}"]
            found.append(pair)
    return found


def rma_lock_epochs(tables: Tables) -> list[Row]:
    """Every request of a lock with the release that follows it at once."""
    kinds = ("request_lock", "acquire_lock", "release_lock")
    records = [row for row in tables["rma_calls"] if row["kind"] in kinds]
    keys = ("rma_window_id", "location_group_id", "target_rank", "matching_id")
    found = []
    for rows in _in_order(records, *keys):
        for row, after in pairwise(rows):
            if row["kind"] == "release_lock" or after["kind"] != "release_lock":
                continue
            epoch = {name: row[name] for name in keys[:3]}
            for name in (*_ABOUT, "position"):
                epoch[f"lock_{name}"] = row[name]
                epoch[f"unlock_{name}"] = after[name]
            epoch |= {"is_exclusive": row["detail"] == 0, "release_ns": after["time_ns"]}
            found.append(epoch)
    return found


def rma_lock_queue(tables: Tables) -> list[Row]:
    """The last of all earlier releases that a lock could not be held together with."""
    epochs = tables["rma_lock_epochs"]
    return [_owner_before(epoch, epochs) for epoch in epochs]


def _owner_before(epoch: Row, epochs: list[Row]) -> Row:
    rivals = [
        other
        for other in epochs
        if other["rma_window_id"] == epoch["rma_window_id"]
        and other["release_ns"] < epoch["release_ns"]
        and (epoch["is_exclusive"] or other["is_exclusive"])
        and None in (*_targets(epoch, other), *_same(epoch, other))
    ]
    owner = min(
        rivals,
        key=lambda other: (
            -other["release_ns"], other["unlock_location_id"], -other["unlock_visit_id"]
        ),
        default=None,
    )  # fmt: skip
    names = {
        "owner_location_id": "unlock_location_id",
        "owner_visit_id": "unlock_visit_id",
        "owner_enter_ns": "unlock_enter_ns",
        "owner_release_ns": "release_ns",
    }
    return {name: epoch[name] for name in ("lock_visit_id", "lock_position")} | {
        name: None if owner is None else owner[of] for name, of in names.items()
    }


def _targets(epoch: Row, other: Row) -> tuple[int | None, int | None]:
    return epoch["target_rank"], other["target_rank"]


def _same(epoch: Row, other: Row) -> tuple[None, ...]:
    """Something if both are about the same rank."""
    return (None,) if epoch["target_rank"] == other["target_rank"] else ()


def rma_accesses(tables: Tables) -> list[Row]:
    """Each operation with the epoch of its process that is open then."""
    found = []
    for row in tables["rma_calls"]:
        if row["kind"] not in OPERATIONS or row["target_group_id"] is None:
            continue
        start, lock = _open_start(row, tables), _open_lock(row, tables)
        fences = [
            other
            for other in _of_process(row, tables["rma_collectives"])
            if other["purpose"] == "fence" and other["position"] > row["position"]
        ]
        fence = min((other["ordinal"] for other in fences), default=None)
        names = ("sequence", "rma_window_id", "location_group_id", "target_group_id")
        found.append(
            {name: row[name] for name in (*_ABOUT, *names)}
            | {"start_visit_id": start}
            | {"lock_position": lock if start is None else None}
            | {"fence_ordinal": fence if start is None and lock is None else None}
        )
    return found


def _of_process(row: Row, others: Iterable[Row]) -> list[Row]:
    keys = ("rma_window_id", "location_group_id")
    return [other for other in others if all(other[key] == row[key] for key in keys)]


def _open_start(row: Row, tables: Tables) -> int | None:
    """The access epoch begun last, if it has not ended."""
    begun = [
        epoch
        for epoch in _of_process(row, tables["rma_epochs"])
        if epoch["role"] == "access" and epoch["begin_position"] < row["position"]
    ]
    last = max(begun, key=lambda epoch: epoch["begin_position"], default=None)
    if last is None or (last["end_position"] or row["position"] + 1) < row["position"]:
        return None
    return int(last["begin_visit_id"])


def _open_lock(row: Row, tables: Tables) -> int | None:
    """The lock of the target that is held, else that of all ranks."""
    for target in (row["target_rank"], None):
        held = [
            epoch["lock_position"]
            for epoch in _of_process(row, tables["rma_lock_epochs"])
            if epoch["target_rank"] == target
            and epoch["lock_position"] < row["position"] < epoch["unlock_position"]
        ]
        if held:
            return int(max(held))
    return None
