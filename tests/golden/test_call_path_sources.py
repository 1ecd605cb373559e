"""Source lines of call paths: of the call site, else of the region, else of the caller."""

from typing import Any

from tests.helpers.running import query_rows

# main is defined in a.c:1 and calls f (b.c:7), MPI_Send without a line, and at c.c:9 MPI_Recv;
# the root g has neither a line nor a caller.
REGIONS: list[dict[str, Any]] = [
    {"region_id": 0, "name": "main", "file": "/src/a.c", "begin_line": 1},
    {"region_id": 1, "name": "f", "file": "/src/b.c", "begin_line": 7},
    {"region_id": 2, "name": "MPI_Send", "file": "MPI", "begin_line": None},
    {"region_id": 3, "name": "MPI_Recv", "file": None, "begin_line": None},
    {"region_id": 4, "name": "g", "file": None, "begin_line": None},
]
PATHS: list[dict[str, Any]] = [
    {"call_path_id": at, "parent_call_path_id": above, "region_id": at, "path": path}
    | {"source_location_id": 0 if "@" in path else None}
    for at, (above, path) in enumerate(
        [
            (None, "main"),
            (0, "main/f"),
            (1, "main/f/MPI_Send"),
            (0, "main/MPI_Recv @c.c:9"),
            (None, "g"),
        ]
    )
]
# Callers are visited.
VISITS = [
    {"visit_id": at, "call_path_id": at, "region_id": at, "location_id": 0, "enter_ns": at}
    | {"leave_ns": 9 - at, "exclusive_ns": 1}
    for at in (0, 1)
]
SITES = [{"source_location_id": 0, "file": "/src/c.c", "line": 9}]
TABLES = {"regions": REGIONS, "call_paths": PATHS, "source_locations": SITES, "visits": VISITS}


def test_a_call_path_has_the_closest_known_line() -> None:
    rows = query_rows("call_path_sources", TABLES, "call_path source")
    assert {row["call_path"]: row["source"] for row in rows} == {
        "main": "/src/a.c:1",
        "main/f": "/src/b.c:7",
        "main/f/MPI_Send": "/src/b.c:7",
        "main/MPI_Recv @c.c:9": "/src/c.c:9",
        "g": None,
    }


def test_a_name_of_several_call_paths_has_no_line_unless_it_is_the_same() -> None:
    twice = [*PATHS, {"call_path_id": 5, "region_id": 0, "path": "main/f"}]
    rows = query_rows(
        "sources_of_call_paths", TABLES | {"call_paths": twice}, "call_path source",
        call_paths=["main", "main/f", "g"],
    )  # fmt: skip
    assert rows == [{"call_path": "main", "source": "/src/a.c:1"}]
