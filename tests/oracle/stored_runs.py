"""The tables of a stored run in the forms that the oracles take."""

from collections.abc import Mapping
from functools import cache
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

TESTS = ("mpi_test", "mpi_testany", "mpi_testall", "mpi_testsome")
WAITING_FOR_RECEIVERS = (
    "mpi_send", "mpi_ssend", "mpi_wait", "mpi_waitany", "mpi_waitall", "mpi_waitsome",
)  # fmt: skip


def processes(tables: Tables) -> dict[int, int]:
    """The process of each location."""
    return {row["location_id"]: row["location_group_id"] for row in tables["locations"]}


def names_of_call_paths(tables: Tables) -> dict[int, str]:
    names = {row["region_id"]: row["name"] for row in tables["regions"]}
    return {row["call_path_id"]: names[row["region_id"]] for row in tables["call_paths"]}


def calls_of_paths(tables: Tables) -> dict[int, str]:
    """Each call path's MPI call in the C binding, empty if it is none."""
    return {path: c_name(name) for path, name in names_of_call_paths(tables).items()}


@cache
def c_name(name: str) -> str:
    """Name of an MPI call in the C binding and in lower case, for any binding; else empty."""
    text = name.lower().rstrip("_")
    for ending in ("_f08ts", "_f08", "_c"):
        text = text.removesuffix(ending)
    text = text.removeprefix("p") if text.startswith("pmpi_") else text
    is_word = all(letter.isalnum() or letter == "_" for letter in text)
    return text if text.startswith("mpi_") and is_word else ""
