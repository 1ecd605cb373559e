"""The tables of a stored run in the forms that the oracles take."""

from collections.abc import Mapping
from functools import cache
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

SETUP = ("mpi_init", "mpi_init_thread", "mpi_finalize")
TESTS = ("mpi_test", "mpi_testany", "mpi_testall", "mpi_testsome")
WAITING_FOR_RECEIVERS = (
    "mpi_send", "mpi_ssend", "mpi_wait", "mpi_waitany", "mpi_waitall", "mpi_waitsome",
)  # fmt: skip
ONE_SIDED = {
    "create": "win_create win_create_dynamic win_allocate win_allocate_shared",
    "free": "win_free",
    "fence": "win_fence",
    "start": "win_start",
    "complete": "win_complete",
    "post": "win_post",
    "wait": "win_wait",
    "lock": "win_lock win_lock_all",
    "unlock": "win_unlock win_unlock_all",
    "flush": "win_flush win_flush_all win_flush_local win_flush_local_all",
    "access": "put get accumulate get_accumulate fetch_and_op compare_and_swap"
    " rput rget raccumulate rget_accumulate",
}
ROLES = {f"mpi_{call}": role for role, calls in ONE_SIDED.items() for call in calls.split()}
COLLECTIVE_FILE_CALLS = {"mpi_file_open", "mpi_file_close"} | {
    f"mpi_file_{way}"
    for what in ("read", "write")
    for way in (
        *(f"{what}_{place}all{part}" for place in ("", "at_") for part in ("", "_begin", "_end")),
        *(f"{what}_ordered{part}" for part in ("", "_begin", "_end")),
        f"i{what}_all",
        f"i{what}_at_all",
    )
}


def processes(tables: Tables) -> dict[int, int]:
    """The process of each location."""
    return {row["location_id"]: row["location_group_id"] for row in tables["locations"]}


def names_of_call_paths(tables: Tables) -> dict[int, str]:
    """Name of the region of each call path."""
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    return {row["call_path_id"]: names[row["region_id"]] for row in tables["call_paths"]}


def calls_of_paths(tables: Tables) -> dict[int, str]:
    """Each call path's MPI call in the C binding, empty if it is none."""
    return {path: c_name(name) for path, name in names_of_call_paths(tables).items()}


@cache
def c_name(name: str) -> str:
    """Name of an MPI call in the C binding and in lower case, whatever the binding; else empty."""
    text = name.lower().rstrip("_")
    for ending in ("_f08ts", "_f08", "_c"):
        text = text.removesuffix(ending)
    text = text.removeprefix("p") if text.startswith("pmpi_") else text
    is_word = all(letter.isalnum() or letter == "_" for letter in text)
    return text if text.startswith("mpi_") and is_word else ""


def mpi_call_paths(tables: Tables) -> list[Row]:
    """The same of the regions that call paths end in."""
    calls = {row["region_id"]: row for row in mpi_calls(tables)}
    return [
        {name: value for name, value in calls[row["region_id"]].items() if name != "region_id"}
        | {"call_path_id": row["call_path_id"]}
        for row in tables["call_paths"]
        if row["region_id"] in calls
    ]


def mpi_calls(tables: Tables) -> list[Row]:
    """Regions that are MPI calls, what completing a message in them means, and their purpose."""
    called = [(row["region_id"], c_name(row["name"])) for row in tables["regions"]]
    return [
        {"region_id": region, "call": call}
        | {"is_setup": call in SETUP, "is_test": call in TESTS}
        | {"can_wait_for_receiver": call in WAITING_FOR_RECEIVERS}
        | {"one_sided_role": ROLES.get(call)}
        | {"is_collective_file_call": call in COLLECTIVE_FILE_CALLS}
        for region, call in called
        if call
    ]
