"""Tables of a trace with losses, wrong clocks and rare calls, which the generator does not make."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

import pyarrow as pa

from tests.helpers.hand_made import make_table
from tracemill.schemas import BY_NAME

Row = dict[str, Any]
Tables = dict[str, list[Row]]
Alteration = Callable[[Tables, Random], None]
CALL = ("visit_id", "call_path_id", "enter_ns", "leave_ns")
UNSHIFTED = ("exclusive_ns",)


def altered(
    read: Mapping[str, pa.Table], alterations: Iterable[Alteration], seed: int
) -> dict[str, pa.Table]:
    """The tables after some alterations; the same for the same seed."""
    random = Random(seed)
    tables = {name: rows.to_pylist() for name, rows in read.items()}
    for alter in alterations:
        alter(tables, random)
    return {name: make_table(BY_NAME[name], rows) for name, rows in tables.items()}


def lose_records(tables: Tables, random: Random) -> None:
    """Records are missing, as where a measurement was switched off."""
    share = random.choice((0.01, 0.1, 0.3))
    tables["mpi_operations"] = [row for row in tables["mpi_operations"] if random.random() >= share]


def lose_one_sided(tables: Tables, random: Random) -> None:
    """Records of one-sided communication are missing, or lie outside any call."""
    share = random.choice((0.01, 0.1, 0.3))
    kept = [row for row in tables["rma_operations"] if random.random() >= share]
    for row in kept:
        if random.random() < 0.05:
            row |= dict.fromkeys(CALL)
    tables["rma_operations"] = kept


def lose_calls(tables: Tables, random: Random) -> None:
    """Records lie outside any call, or name an unknown process; all records of one location do."""
    lonely = random.choice(tables["locations"])["location_id"]
    for row in tables["mpi_operations"]:
        if random.random() < 0.05:
            row |= dict.fromkeys(CALL)
        if row["location_id"] == lonely or random.random() < 0.03:
            row["peer_group_id"] = None


def lose_accesses(tables: Tables, random: Random) -> None:
    """Records of files are missing, or lie outside any call."""
    share = random.choice((0.02, 0.2))
    kept = [row for row in tables["io_operations"] if random.random() >= share]
    for row in kept:
        if random.random() < 0.05:
            row |= dict.fromkeys(CALL)
    tables["io_operations"] = kept


def stack_handles(tables: Tables, random: Random) -> None:
    """Some handles stand on others, and some operations end in the next call or are cancelled."""
    for row in tables["io_handles"]:
        above = random.randrange(len(tables["io_handles"]))
        row["parent_io_handle_id"] = above if above < row["io_handle_id"] else None
    calls = {row["visit_id"]: row for row in tables["visits"]}
    for row in tables["io_operations"]:
        if row["kind"] == "operation_complete" and random.random() < 0.2:
            row["kind"] = "operation_cancelled"
        if row["kind"] == "operation_complete" and random.random() < 0.3:
            call = calls.get(row["visit_id"] + 1)
            if call is not None and call["location_id"] == row["location_id"]:
                row |= {name: call[name] for name in CALL}


def cancel_requests(tables: Tables, random: Random) -> None:
    """Sends and receives are cancelled instead of completed."""
    for row in tables["mpi_operations"]:
        if row["kind"] in ("isend_complete", "irecv") and random.random() < 0.2:
            row["kind"] = "request_cancelled"


def confuse_requests(tables: Tables, random: Random) -> None:
    """Request ids are used again before they are free."""
    for row in tables["mpi_operations"]:
        if row["request_id"] is not None:
            row["request_id"] %= random.choice((2, 1000))


def shift_clocks(tables: Tables, random: Random) -> None:
    """The clock of every process is off, by up to a tenth of the run or all of it."""
    (run,) = tables["runs"]
    spread = (run["end_ns"] - run["begin_ns"]) // random.choice((1, 10))
    shift_groups(
        tables, {row["location_group_id"]: random.randint(0, spread) for row in tables["locations"]}
    )


def shift_groups(tables: Tables, shifts: Mapping[int, int]) -> None:
    """The clocks of some processes are off by so many ns."""
    (run,) = tables["runs"]
    groups = {row["location_id"]: row["location_group_id"] for row in tables["locations"]}
    for name, rows in tables.items():
        times = [
            c.name for c in BY_NAME[name].columns if c.unit == "ns" and c.name not in UNSHIFTED
        ]
        if "location_id" in BY_NAME[name].column_names and name != "call_tree":
            for row in rows:
                by = shifts.get(groups.get(row["location_id"], -1), 0)
                row |= {time: row[time] + by for time in times if row[time] is not None}
    run["begin_ns"] = min(row["begin_ns"] for row in tables["locations"])
    run["end_ns"] = max(row["end_ns"] for row in tables["locations"])


def probe_receives(tables: Tables, random: Random) -> None:
    """Messages are picked by matched probes before they are received."""
    records = []
    posts: dict[tuple[int, int], Row] = {}
    number = 0
    for row in tables["mpi_operations"]:
        row["sequence"] *= 2
        records.append(row)
        key = (row["location_id"], row["request_id"])
        if row["kind"] == "irecv_request":
            posts[key] = row
        is_receive = row["kind"] == "recv" or (row["kind"] == "irecv" and key in posts)
        if not is_receive or random.random() < 0.3:
            continue
        first = row if row["kind"] == "recv" else posts.pop(key)
        number = (number + 1) % 5  # ids may be used again
        named = {
            name: row[name] for name in ("tag", "communicator_id", "peer_rank", "peer_group_id")
        }
        place = {"kind": "probe", "probe_id": number, "sequence": first["sequence"] - 1}
        records.append(first | named | place | {"request_id": None, "bytes": row["bytes"]})
        row |= dict.fromkeys(named) | {"kind": "i" * (row is not first) + "mrecv"}
        first["probe_id"] = number
        if first is not row:
            first["kind"] = "imrecv_request"
    records.sort(key=lambda row: (row["location_id"], row["sequence"]))
    tables["mpi_operations"] = records


def join_groups(tables: Tables, random: Random) -> None:
    """Communicators join two groups, whose ranks begin anew; the root's own group names no rank."""
    places: dict[tuple[int, int], tuple[int, int]] = {}
    for communicator in tables["communicators"]:
        number, half = communicator["communicator_id"], communicator["size"] // 2
        if communicator["kind"] == "self" or not half:
            continue
        communicator["kind"] = "inter"
        for row in tables["communicator_members"]:
            if row["communicator_id"] == number:
                rank = row["comm_rank"]
                side = int(rank >= half)
                places[number, rank] = (side, rank - half * side)
                row["side"], row["comm_rank"] = places[number, rank]
                places[number, -1 - row["location_group_id"]] = places[number, rank]
    groups = {row["location_id"]: row["location_group_id"] for row in tables["locations"]}
    for row in tables["mpi_operations"]:
        root = places.get((row["communicator_id"], row["root_rank"]))
        if row["root_rank"] is not None and root is not None:
            own = places[row["communicator_id"], -1 - groups[row["location_id"]]]
            row["root_rank"] = None if own[0] == root[0] else root[1]


def rename_calls(tables: Tables, random: Random) -> None:
    """Collectives of neighbors, and names of other bindings."""
    for row in tables["regions"]:
        if row["name"].startswith("MPI_"):
            endings = ("", "_c", "_f08", "_f08ts_") if random.random() < 0.5 else ("",)
            is_neighborhood = row["name"] in ("MPI_Allgather", "MPI_Alltoall", "MPI_Ialltoall")
            if is_neighborhood or random.random() < 0.2:
                row["name"] = "P" + row["name"] + random.choice(endings)
        for name in ("allgather", "alltoall"):
            row["name"] = row["name"].replace(name.capitalize(), f"Neighbor_{name}")
            row["name"] = row["name"].replace(f"I{name}", f"Ineighbor_{name}")


def disagree(tables: Tables, random: Random) -> None:
    """Members of collectives disagree on the operation and the root."""
    for row in tables["mpi_operations"]:
        if row["kind"] == "collective" and random.random() < 0.05:
            row["operation"] = random.choice(("barrier", "bcast", None))
            row["root_rank"] = random.choice((None, 0, 1))


def silence_members(tables: Tables, random: Random) -> None:
    """Members of collectives send or receive nothing, or hardly anything."""
    for row in tables["mpi_operations"]:
        if row["kind"] == "collective" and random.random() < 0.4:
            row["bytes"] = random.choice((None, 0, 1))
            row["bytes_received"] = random.choice((None, 0, 1))


def miscount_members(tables: Tables, random: Random) -> None:
    """Communicators name a process twice, or not at all; some are like MPI_COMM_SELF."""
    members = tables["communicator_members"]
    tables["communicator_members"] = [row for row in members if random.random() < 0.9]
    for row in random.sample(members, len(members) // 4):
        tables["communicator_members"].append(row | {"comm_rank": row["comm_rank"] + 100})
    for row in tables["communicators"]:
        row["kind"] = "self" if random.random() < 0.3 else row["kind"]


def forget_teams(tables: Tables, random: Random) -> None:
    """Forks name no team, as in older traces; the last location is a stream of a GPU."""
    tables["thread_team_members"] = []
    for row in tables["thread_teams"]:
        row["communicator_id"] = None
    if tables["locations"][-1]["thread"]:
        tables["locations"][-1]["kind"] = "gpu"


def flush_buffers(tables: Tables, random: Random) -> None:
    """The measurement writes its buffers, one after the other, and is switched off in between."""
    gaps = []
    for row in random.sample(tables["locations"], (len(tables["locations"]) + 1) // 2):
        count = random.choice((1, 20))
        times = sorted(random.randint(row["begin_ns"], row["end_ns"]) for _ in range(2 * count))
        gaps += [
            {"location_id": row["location_id"], "sequence": number, "kind": kind}
            | {"begin_ns": begin, "end_ns": end}
            for number, (begin, end) in enumerate(zip(times[::2], times[1::2], strict=True))
            for kind in (random.choice(("buffer_flush", "buffer_flush", "measurement_off")),)
        ]
    tables["measurement_gaps"] = sorted(gaps, key=lambda gap: (gap["location_id"], gap["sequence"]))


def find_losses(tables: Tables, random: Random) -> None:
    """The reader found less than was announced, of one location nothing, and damage."""
    random.choice(tables["locations"])["record_count"] = 0
    for row in tables["locations"]:
        row["declared_count"] += random.choice((0, 0, 7))
        row["is_complete"] = random.random() < 0.8
    kinds = random.sample(("buffer_flush", "missing_records", "unknown_record"), 2)
    tables["reading_findings"] = list(_findings(kinds, tables))


def _findings(kinds: list[str], tables: Tables) -> Iterator[Row]:
    for kind in kinds:
        for row in tables["locations"][::2]:
            yield {"kind": kind, "location_id": row["location_id"], "count": 3} | {
                "time_ns": 40 if kind == "buffer_flush" else None
            }
