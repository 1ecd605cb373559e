"""The tables of a stored run in the forms that the oracles take."""

from collections.abc import Mapping
from math import gcd
from typing import Any

from tests.oracle.collective_waits import Instance, Member
from tests.oracle.teams import find_fork_join_times

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

FINALIZE = "mpi_finalize_wait"
# Ways in which the critical path goes on elsewhere; scans and what is beyond Scalasca are passed.
MEETINGS = (
    "mpi_latesender", "mpi_lswo_same", "mpi_lswo_different", "mpi_latereceiver",
    "mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", FINALIZE,
)  # fmt: skip


def with_fork_and_join(tables: Tables, region: int) -> list[Row]:
    """Call path, region and time of visits; that between fork, region and join under `region`."""
    paths = {row["call_path_id"]: row["region_id"] for row in tables["call_paths"]}
    names = ("call_path_id", "region_id", "exclusive_ns")
    rows = [{name: visit[name] for name in names} for visit in tables["visits"]]
    for (path, _), time in find_fork_join_times(tables).items():
        rows.append({"call_path_id": path, "region_id": region, "exclusive_ns": time})
        rows.append({"call_path_id": path, "region_id": paths[path], "exclusive_ns": -time})
    return rows


def names_of_call_paths(tables: Tables) -> dict[int, str]:
    """Name of the region of each call path."""
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    return {row["call_path_id"]: names[row["region_id"]] for row in tables["call_paths"]}


def collective_instances(tables: Tables) -> list[Instance]:
    """Complete instances, each with its members."""
    kinds = {row["communicator_id"]: row["kind"] for row in tables["communicators"]}
    doubtful = {row["communicator_id"] for row in tables["collectives"] if not row["is_complete"]}
    return [
        Instance(
            operation=row["operation"],
            is_inter=kinds[row["communicator_id"]] == "inter",
            is_nonblocking=row["is_nonblocking"],
            is_neighbourhood=row["is_neighbourhood"],
            is_doubtful=row["communicator_id"] in doubtful,
            members=_members(row, tables),
        )
        for row in tables["collectives"]
        if row["is_complete"]
    ]


def _members(instance: Row, tables: Tables) -> list[Member]:
    names, root = names_of_call_paths(tables), (instance["root_side"], instance["root_rank"])
    return [
        Member(
            location=row["location_id"],
            rank=row["comm_rank"],
            side=row["side"],
            call=row["enter_ns"],
            begin=row["begin_ns"],
            end=row["end_ns"],
            sent=row["bytes_sent"],
            received=row["bytes_received"],
            is_root=(row["side"], row["comm_rank"]) == root,
            is_test="Test" in names[row["call_path_id"]],
        )
        for row in tables["collective_members"]
        if row["collective_id"] == instance["collective_id"]
    ]


def framing_members(tables: Tables, *names: str) -> list[Member]:
    """The calls of MPI_Init or MPI_Finalize; none unless every process made one."""
    name_of = names_of_call_paths(tables)
    ranks = {row["location_id"]: row["rank"] for row in tables["locations"]}
    found = []
    for visit in tables["visits"]:
        place, enter, leave = visit["location_id"], visit["enter_ns"], visit["leave_ns"]
        if name_of[visit["call_path_id"]] in names:
            found.append(Member(place, ranks[place], 0, enter, enter, leave, 0, 0))
    return found if {each.rank for each in found} == set(ranks.values()) else []


def waits_as_points(tables: Tables) -> list[Row]:
    """The waits that the critical path leaves out, as points of synchronisation."""
    visits = {row["visit_id"]: row for row in tables["visits"]}
    names = (
        "location_id", "visit_id", "call_path_id", "wait_ns", "cause_location_id", "cause_visit_id"
    )  # fmt: skip
    return [
        {name: wait[name] for name in names}
        | {"kind": "finalize" if wait["property"] == FINALIZE else wait["property"]}
        | {"enter_ns": visits[wait["visit_id"]]["enter_ns"]}
        | {"cause_enter_ns": visits[wait["cause_visit_id"]]["enter_ns"]}
        for wait in tables["wait_states"]
        if wait["property"] in MEETINGS and not wait["is_beyond_reference"]
    ]


def location_spans(tables: Tables) -> list[Row]:
    """From entering MPI_Init to entering MPI_Finalize; without them the whole location."""
    names, spans = names_of_call_paths(tables), []
    for place in tables["locations"]:
        number = place["location_id"]
        own = [row for row in tables["visits"] if row["location_id"] == number]
        inits = [v for v in own if names[v["call_path_id"]] in ("MPI_Init", "MPI_Init_thread")]
        ends = [v for v in own if names[v["call_path_id"]] == "MPI_Finalize"]
        spans.append(
            {"location_id": number, "is_process": place["thread"] == 0}
            | {"begin_ns": inits[0]["enter_ns"] if inits else place["begin_ns"]}
            | {"end_ns": ends[0]["enter_ns"] if ends else place["end_ns"]}
            | {"end_visit_id": ends[0]["visit_id"] if ends else None}
        )
    return spans


def in_ticks(tables: Tables) -> tuple[dict[str, list[Row]], int]:
    """The same with all times in the longest unit in which all are whole, and that unit in ns."""
    times = [
        value
        for rows in tables.values()
        for row in rows
        for name, value in row.items()
        if name.endswith("_ns") and isinstance(value, int)
    ]
    unit = gcd(*times)
    scaled = {
        table: [
            {
                name: value // unit if name.endswith("_ns") and isinstance(value, int) else value
                for name, value in row.items()
            }
            for row in rows
        ]
        for table, rows in tables.items()
    }
    return scaled, unit
