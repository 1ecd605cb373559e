"""Traces of a few calls, written as text and turned into the tables that a reader would make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.micro_rma import WORDS, rma_definitions, rma_operation
from tracemill.schemas.events import IO_KINDS

Row = dict[str, Any]
Tables = dict[str, list[Row]]

POSTS = ("send", "isend", "irecv_request", "imrecv_request", "probe", "request_cancelled")
POSTS += ("nonblocking_collective_request", "request_test")
COLLECTIVES = ("collective", "nonblocking_collective")
IO_POSTS = ("operation_begin", "operation_issued")


@dataclass(frozen=True)
class Place:
    """A location: a thread of a process."""

    process: int
    thread: int = 0


@dataclass
class MicroTrace:
    """Calls below `main` on a few locations; locations are numbered by process, then thread.

    `communicators` lists the processes of each communicator by rank; 'self' stands for one like
    MPI_COMM_SELF. Communicator 0 holds all processes unless it is given.
    """

    communicators: Mapping[int, Sequence[int] | str] = field(default_factory=dict)
    calls: list[Row] = field(default_factory=list)

    def add(self, place: Place, enter: int, leave: int, name: str, *records: Row) -> None:
        """One visit of a call, with the records it holds in their order."""
        self.calls.append(
            {"place": place, "enter": enter, "leave": leave, "name": name, "records": records}
        )

    def tables(self) -> Tables:
        """Everything the queries read."""
        places = sorted({call["place"] for call in self.calls}, key=lambda p: (p.process, p.thread))
        names = sorted({call["name"] for call in self.calls})
        first_locations = {
            place.process: number for number, place in enumerate(places) if not place.thread
        }
        members = self._members(places)
        visits, operations, accesses = self._events(places, names, members)
        one_sided = [row for row in operations if "rma_window_id" in row]
        return rma_definitions(members, one_sided) | {
            "locations": _locations(places, visits),
            "location_groups": [
                {"location_group_id": number, "rank": number, "kind": "process"}
                for number in range(max(place.process for place in places) + 1)
            ],
            "regions": [
                {"region_id": number, "name": name} for number, name in enumerate(["main", *names])
            ],
            "call_paths": _flat_tree(names),
            "communicators": [
                {
                    "communicator_id": number,
                    "kind": "self" if ranks == "self" else "group",
                    "size": 1 if ranks == "self" else len(ranks),
                }
                for number, ranks in members.items()
            ],
            "communicator_members": [
                {
                    "communicator_id": number,
                    "side": 0,
                    "comm_rank": rank,
                    "location_id": first_locations.get(process),
                    "location_group_id": process,
                }
                for number, ranks in members.items()
                if ranks != "self"
                for rank, process in enumerate(ranks)
            ],
            "visits": visits,
            "mpi_operations": [row for row in operations if "rma_window_id" not in row],
            "rma_operations": one_sided,
            "io_operations": accesses,
        }

    def _members(self, places: list[Place]) -> dict[int, Any]:
        records = [record for call in self.calls for record in call["records"]]
        peers = {record["peer"] for record in records if record.get("peer") is not None}
        world = sorted(peers | {place.process for place in places})
        return {0: world} | dict(self.communicators)

    def _events(
        self, places: list[Place], names: list[str], members: dict[int, Any]
    ) -> tuple[list[Row], list[Row], list[Row]]:
        visits: list[Row] = []
        operations: list[Row] = []
        accesses: list[Row] = []
        for location, place in enumerate(places):
            calls = sorted(
                (call for call in self.calls if call["place"] == place),
                key=lambda call: call["enter"],
            )
            root = len(visits)
            end = max(call["leave"] for call in calls)
            inside = sum(call["leave"] - call["enter"] for call in calls)
            visits.append(_visit(location, root, None, 0, 0, end) | {"exclusive_ns": end - inside})
            sequence = 1
            for call in calls:
                path = names.index(call["name"]) + 1
                visit = _visit(location, len(visits), root, path, call["enter"], call["leave"])
                visits.append(visit)
                for number, record in enumerate(call["records"], sequence + 1):
                    head = {"location_id": location, "sequence": number}
                    if record["kind"] in IO_KINDS:
                        accesses.append(head | _access(record, visit))
                    elif record["kind"] in WORDS:
                        operations.append(head | rma_operation(record, visit))
                    else:
                        operations.append(head | _operation(record, visit, place, members))
                sequence += 2 + len(call["records"])
        return visits, operations, accesses


def visit_row(
    number: int, location: int, path: int, span: tuple[int, int], exclusive: int,
    parent: int | None = None,
) -> Row:  # fmt: skip
    """A visit of the region with the number of its call path; `span` holds its begin and end."""
    row = {"visit_id": number, "location_id": location, "call_path_id": path, "region_id": path}
    row |= {"parent_visit_id": parent, "enter_ns": span[0], "leave_ns": span[1]}
    return row | {"exclusive_ns": exclusive, "is_closed": True}


def read_trace(text: str, **communicators: Sequence[int] | str) -> Tables:
    """Tables of a trace in which each line is a call: place, enter..leave, name and records.

        0    30..60   MPI_Send      send 1 tag 5
        1    10..50   MPI_Waitall   irecv 0 #7; irecv 2 #8 @49
        0.1  10..20   MPI_Barrier   collective barrier comm 1

    A place is a process, or process.thread. A record is its kind, the process on the other side
    (`?` for an unknown one) or the collective operation, a request (#) and properties by name.
    Posts are recorded when their call is entered, everything else when it is left, or at @time.
    Records of input and output name their handle and their number (#), and what they read or write.
    A line that ends with a semicolon continues on the next one:

        0    10..60   MPI_File_write_all   operation_begin on 2 write 8 #7 flags 2;
                                           operation_complete on 2 moved 8 #7

    Communicators are given as comm1=[0, 1] (processes by rank) or comm2='self'.
    """
    numbered = {int(name.removeprefix("comm")): ranks for name, ranks in communicators.items()}
    trace = MicroTrace(numbered)
    lines = text.replace(";\n", "; ").splitlines()
    for line in filter(None, (line.partition("--")[0].strip() for line in lines)):
        place, times, name, *rest = line.split(maxsplit=3)
        enter, leave = (int(time) for time in times.split(".."))
        process, _, thread = place.partition(".")
        records = [_read_record(part) for part in " ".join(rest).split(";") if part.strip()]
        trace.add(Place(int(process), int(thread or 0)), enter, leave, name, *records)
    return trace.tables()


def _read_record(text: str) -> Row:
    words = text.split()
    record: Row = {"kind": words.pop(0)}
    while words:
        word = words.pop(0)
        if word.startswith("#"):
            record["request_id"] = int(word[1:])
        elif word.startswith("@"):
            record["time_ns"] = int(word[1:])
        elif word.isdigit() or word == "?":
            record["peer"] = None if word == "?" else int(word)
        elif record["kind"] in COLLECTIVES and "operation" not in record:
            record["operation"] = word
        else:
            record[word] = int(words.pop(0))
    return record


def _operation(record: Row, visit: Row, place: Place, members: dict[int, Any]) -> Row:
    kind = record["kind"]
    at_enter = kind in POSTS
    row: Row = {
        "kind": kind,
        "time_ns": record.get("time_ns", visit["enter_ns"] if at_enter else visit["leave_ns"]),
        "request_id": record.get("request_id"),
        "probe_id": record.get("probe"),
    }
    row |= {name: visit[name] for name in ("visit_id", "call_path_id", "enter_ns", "leave_ns")}
    if "peer" in record:
        number = record.get("comm", 0)
        ranks = [place.process] if members[number] == "self" else list(members[number])
        peer = record["peer"]
        row |= {
            "communicator_id": number,
            "peer_group_id": peer,
            "peer_rank": 99 if peer is None else ranks.index(peer),
            "tag": record.get("tag", 0),
            "bytes": record.get("bytes", 8),
        }
    elif kind in ("mrecv", "imrecv"):
        row["bytes"] = record.get("bytes", 8)
    if kind in COLLECTIVES:
        row |= {
            "communicator_id": record.get("comm", 0),
            "operation": record["operation"],
            "root_rank": record.get("root"),
            "bytes": record.get("sent", 0),
            "bytes_received": record.get("received", 0),
            "begin_ns": record.get("begin", visit["enter_ns"]) if kind == "collective" else None,
        }
    return row


def _access(record: Row, visit: Row) -> Row:
    """A record of input or output."""
    at_enter = record["kind"] in IO_POSTS
    modes = [mode for mode in ("read", "write", "flush") if mode in record]
    return {
        "kind": record["kind"],
        "time_ns": record.get("time_ns", visit["enter_ns"] if at_enter else visit["leave_ns"]),
        "io_handle_id": record.get("on"),
        "mode": modes[0] if modes else None,
        "bytes": record[modes[0]] if modes else record.get("moved"),
        "matching_id": record.get("request_id"),
        "detail": record.get("flags", 0) if modes else None,
    } | {name: visit[name] for name in ("visit_id", "call_path_id", "enter_ns", "leave_ns")}


def _visit(
    location: int, number: int, parent: int | None, path: int, enter: int, leave: int
) -> Row:
    return {
        "location_id": location,
        "visit_id": number,
        "parent_visit_id": parent,
        "call_path_id": path,
        "region_id": path,
        "enter_ns": enter,
        "leave_ns": leave,
        "exclusive_ns": leave - enter,
        "is_closed": True,
    }


def _locations(places: list[Place], visits: list[Row]) -> list[Row]:
    return [
        {
            "location_id": number,
            "location_group_id": place.process,
            "rank": place.process,
            "thread": place.thread,
            "visit_count": sum(visit["location_id"] == number for visit in visits),
            "is_complete": True,
        }
        for number, place in enumerate(places)
    ]


def _flat_tree(names: list[str]) -> list[Row]:
    """Call paths of `main` and the calls below it."""
    root = {"call_path_id": 0, "region_id": 0, "last_call_path_id": len(names), "path": "main"}
    return [root] + [
        {
            "call_path_id": number,
            "parent_call_path_id": 0,
            "region_id": number,
            "last_call_path_id": number,
            "depth": 1,
            "path": f"main/{name}",
        }
        for number, name in enumerate(names, 1)
    ]


def read_call_tree(outline: str) -> Tables:
    """Regions and call paths of an outline: two more spaces of indent are one level deeper.

    Regions are numbered as they first occur, call paths from top to bottom. Paths below TASKS and
    THREADS are of that kind; a name in brackets is a stub.
    """
    lines = [line for line in outline.splitlines() if line.strip()]
    base = min(len(line) - len(line.lstrip()) for line in lines)
    depths = [(len(line) - len(line.lstrip()) - base) // 2 for line in lines]
    names = [line.strip() for line in lines]
    regions = list(dict.fromkeys(name.strip("[]") for name in names))
    paths: list[Row] = []
    above: list[Row] = []
    for number, (name, depth) in enumerate(zip(names, depths, strict=True)):
        above = above[:depth]
        paths.append(
            {
                "call_path_id": number,
                "parent_call_path_id": above[-1]["call_path_id"] if above else None,
                "region_id": regions.index(name.strip("[]")),
                "depth": depth,
                "kind": _path_kind(name, above),
                "path": "/".join([*(caller["path"] for caller in above[-1:]), name.strip("[]")]),
            }
        )
        above.append(paths[-1])
        for caller in above:
            caller["last_call_path_id"] = number
    return {
        "regions": [{"region_id": number, "name": name} for number, name in enumerate(regions)],
        "call_paths": paths,
    }


def _path_kind(name: str, above: list[Row]) -> str:
    if name.startswith("["):
        return "task_stub"
    if above:
        return str(above[-1]["kind"])
    return {"TASKS": "task", "THREADS": "thread"}.get(name, "program")
