"""Runs whose tables are written by hand: for reports and exports, without trace or store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from tracemill.schemas import TABLES, Column, Table
from tracemill.schemas.main_part import MAIN_PART
from tracemill.schemas.matching import MPI_CALLS
from tracemill.schemas.overheads import TAXONOMY
from tracemill.sql.query_files import create_all_views, load_query
from tracemill.store.manifest import Manifest, SourceFile, SourceRecord

Rows = Sequence[Mapping[str, Any]]
MS = 1_000_000
_DECLARED = {table.name: table for table in TABLES}

MANIFEST = Manifest(
    run_id="0123456789ab",
    generation="feed",
    created_at="2025-03-01T14:05:33.123456+00:00",
    source=SourceRecord(
        path="/traces/halo/traces.otf2",
        format="OTF2",
        files=(SourceFile("traces.otf2", 1024, 1), SourceFile("traces.def", 1024, 1)),
        digest="d",
    ),
    options={"threads": 2, "allow_damaged": False},
    versions={"python": "3.11.2", "duckdb": "2.0.0"},
    tables={},
    stage_seconds={"read": 1.5, "messages": 0.25},
)


@dataclass(frozen=True)
class HandMadeRun:
    """A run that holds the given rows; columns left out are null or have the least value.

    The table of MPI calls is computed from the names of regions. The main part is the whole run,
    unless it is given.
    """

    tables: Mapping[str, Rows]
    label: str = "halo"
    run_id: str = MANIFEST.run_id
    manifest: Manifest = field(default=MANIFEST)

    def connect(
        self, *, tables: Sequence[str] | None = None, threads: int | None = None, **limits: Any
    ) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(config={"threads": threads or 1})
        self.fill(connection, tables)
        return connection

    def fill(
        self, connection: duckdb.DuckDBPyConnection, tables: Sequence[str] | None = None
    ) -> None:
        """Put tables there, by default all there are."""
        for name in [table.name for table in TABLES] if tables is None else tables:
            self.provide(connection, name)
        if tables is None:
            create_all_views(connection)

    def provide(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        """Put a table there; that of MPI calls is made from the regions."""
        if name == MPI_CALLS.name:
            self.provide(connection, "regions")
            connection.execute(f"CREATE TEMP TABLE {name} AS {load_query(name).statement}")
        else:
            connection.register(name, make_table(_DECLARED[name], self._rows(name)))

    def _rows(self, name: str) -> Rows:
        """The rows of a table; without other rows, the main part is the whole run."""
        if name == MAIN_PART.name and name not in self.tables:
            return [
                {"begin_ns": run.get("begin_ns", 0), "end_ns": run.get("end_ns", 0)}
                for run in self.tables.get("runs", ())
            ]
        return self.tables.get(name, ())


def with_rows(run: HandMadeRun, **tables: Any) -> HandMadeRun:
    return replace(run, tables={**run.tables, **tables})


def waits(*rows: tuple[int, int, int, int]) -> list[dict[str, Any]]:
    """Wait states from (location, call path, milliseconds, location it waits for)."""
    return [
        {
            "property": "mpi_latesender",
            "location_id": location,
            "visit_id": 100 + at,
            "call_path_id": call_path,
            "wait_ns": milliseconds * MS,
            "cause_location_id": cause,
            "cause_visit_id": 1,
        }
        for at, (location, call_path, milliseconds, cause) in enumerate(rows)
    ]


@cache
def _empty_table(table: Table) -> pa.Table:
    return table.conform(_plain_schema(table).empty_table())


def make_table(table: Table, rows: Rows) -> pa.Table:
    """A valid Arrow table of the declared columns."""
    if not rows:
        return _empty_table(table)
    unknown = {name for row in rows for name in row} - set(table.column_names)
    assert not unknown, f"{table.name} has no columns {unknown}"
    nothing = {column.name: _nothing(column) for column in table.columns}
    full = [{**nothing, **row} for row in rows]
    made = table.conform(pa.Table.from_pylist(full, schema=_plain_schema(table)))
    assert not table.violations(made)
    return made


def _plain_schema(table: Table) -> pa.Schema:
    return pa.schema(
        [
            pa.field(column.name, pa.string() if column.values else column.type)
            for column in table.columns
        ]
    )


def _nothing(column: Column) -> Any:
    if column.is_nullable:
        return None
    if column.values:
        return column.values[0]
    if pa.types.is_string(column.type):
        return ""
    return False if pa.types.is_boolean(column.type) else column.minimum or 0


def make_run_row(**changes: Any) -> dict[str, Any]:
    row = {"run_id": MANIFEST.run_id, "timer_resolution": 1_000_000_000, "end_ns": 100 * MS}
    return row | {"process_count": 2, "location_count": 2, "record_count": 8} | changes


METRICS: Rows = (
    {"metric": "time", "title": "Time", "unit": "ns"},
    {"metric": "critical_path", "kind": "critical path", "title": "Critical Path", "unit": "ns"},
    {"metric": "visits", "title": "Visits", "unit": "visits"},
    {"metric": "bytes_sent", "title": "Bytes sent", "unit": "bytes"},
    {"metric": "mpi_latesender", "kind": "wait state", "title": "Late Sender", "unit": "ns"},
    {
        "metric": "mpi_lswo_same",
        "parent_metric": "mpi_latesender",
        "kind": "wait state",
        "title": "Wrong Order",
        "unit": "ns",
    },
    {"metric": "mpi_latereceiver", "kind": "wait state", "title": "Late Receiver", "unit": "ns"},
    {"metric": "mpi_barrier_wait", "kind": "wait state", "title": "Wait at Barrier", "unit": "ns"},
    {
        "metric": "mpi_barrier_completion",
        "kind": "completion",
        "title": "Barrier Completion",
        "unit": "ns",
    },
)

# Classes of overhead by the name of the subclass.
CLASSES = {each.part: number for number, each in enumerate(TAXONOMY)}
OVERHEAD_CLASSES: Rows = tuple(
    {"overhead_id": number, "overhead_class": each.name, "overhead_subclass": each.part}
    for number, each in enumerate(TAXONOMY)
)


def late_sender_run(
    *, main: str = "main", label: str = "halo", calls: tuple[str, str] = ("MPI_Send", "MPI_Recv")
) -> HandMadeRun:
    """One late sender, times in ms; the receive waits from 10 until the send begins at 60.

    #            0    10        60   70     100
    # rank 0  main [============[Send]         ]    = is the critical path
    # rank 1  main [   [Recv.....=====]========]

    Computation takes 90 + 40 ms, 65 in the mean; messages take 10 + 60. In the first half of the
    run they take 50 + 10 and 0 + 40 ms.
    """
    names = (main, *calls)
    paths = (main, *(f"{main}/{call}" for call in calls))
    return HandMadeRun(
        label=label,
        tables={
            "runs": [make_run_row()],
            "metrics": METRICS,
            "regions": [
                {
                    "region_id": at,
                    "name": name,
                    "paradigm": "mpi" if at else "compiler",
                    "role": "point2point" if at else "function",
                }
                for at, name in enumerate(names)
            ],
            "overhead_classes": OVERHEAD_CLASSES,
            "region_classes": [
                {"region_id": 0, "overhead_id": COMPUTATION},
                {"region_id": 1, "overhead_id": MESSAGES},
                {"region_id": 2, "overhead_id": MESSAGES},
            ],
            **_overheads(),
            **_critical_path(),
            **_imbalance(),
            "call_paths": [
                {
                    "call_path_id": at,
                    "parent_call_path_id": 0 if at else None,
                    "region_id": at,
                    "last_call_path_id": at or 2,
                    "depth": min(at, 1),
                    "path": path,
                }
                for at, path in enumerate(paths)
            ],
            "locations": [
                {"location_id": at, "location_group_id": at, "rank": at, "is_complete": True}
                for at in (0, 1)
            ],
            "location_groups": [{"location_group_id": at, "rank": at} for at in (0, 1)],
            "call_tree": [
                _times(0, 0, 100, 90, key="call_path_id"),
                _times(0, 1, 100, 40, key="call_path_id"),
                _times(1, 0, 10, 10, key="call_path_id"),
                _times(2, 1, 60, 60, key="call_path_id"),
            ],
            "flat_profile": [
                _times(0, 0, 100, 90),
                _times(0, 1, 100, 40),
                _times(1, 0, 10, 10),
                _times(2, 1, 60, 60),
            ],
            "region_graph_nodes": [
                {"region_id": 0, "visit_count": 2, "total_ns": 200 * MS, "is_entry": True},
                {"region_id": 1, "visit_count": 1, "total_ns": 10 * MS},
                {"region_id": 2, "visit_count": 1, "total_ns": 60 * MS},
            ],
            "region_graph_edges": [_edge(1, 10), _edge(2, 60)],
            "visits": [{"visit_id": 1, "call_path_id": 1, "region_id": 1}],
            "wait_states": [
                {
                    "property": "mpi_latesender",
                    "location_id": 1,
                    "visit_id": 3,
                    "call_path_id": 2,
                    "wait_ns": 50 * MS,
                    "cause_location_id": 0,
                    "cause_visit_id": 1,
                    "message_id": 0,
                    "confidence": 100,
                }
            ],
            "severities": [
                _severity("bytes_sent", 1, 0, 4096),
                _severity("critical_imbalance_impact", 0, 0, 33_333_333),
                _severity("critical_imbalance_impact", 0, 1, 16_666_667),
                _severity("mpi_latesender", 2, 1, 50 * MS),
            ],
            "mpi_operations": [{"kind": "send"}],
            "messages": [{"message_id": 0, "bytes": 4096}],
            "communication_matrix": [
                {"sender_group_id": 0, "receiver_group_id": 1, "message_count": 1, "bytes": 4096}
            ],
            "message_sizes": [
                {"lower_bytes": 4096, "upper_bytes": 8191, "message_count": 1, "bytes": 4096}
            ],
        },
    )


COMPUTATION, MESSAGES = CLASSES["user code"], CLASSES["point-to-point"]


def _overheads() -> dict[str, Rows]:
    """Classes of overhead of the late sender: per location, call path, region and half run."""
    return {
        "overheads": [
            {
                "overhead_id": overhead,
                "time_ns": time * MS,
                "time_ratio": time / 200,
                "mean_ns": time * MS // 2,
                "longest_ns": longest * MS,
            }
            for overhead, time, longest in ((COMPUTATION, 130, 90), (MESSAGES, 70, 60))
        ],
        "location_overheads": [
            {
                "location_id": location,
                "overhead_id": overhead,
                "time_ns": time * MS,
                "time_ratio": time / 100,
            }
            for location, overhead, time in (
                (0, COMPUTATION, 90), (0, MESSAGES, 10), (1, COMPUTATION, 40), (1, MESSAGES, 60)
            )
        ],
        "call_path_overheads": [_classed("call_path_id", *row) for row in _CLASSED],
        "region_overheads": [_classed("region_id", *row) for row in _CLASSED],
        "time_profile": [
            {
                "bin": half,
                "begin_ns": half * 50 * MS,
                "end_ns": (half + 1) * 50 * MS,
                "overhead_id": overhead,
                "time_ns": time * MS,
            }
            for half, overhead, time in (
                (0, COMPUTATION, 60), (0, MESSAGES, 40), (1, COMPUTATION, 70), (1, MESSAGES, 30)
            )
        ],
    }  # fmt: skip


# Call path, or region; class; exclusive and inclusive time.
_CLASSED = (
    (0, COMPUTATION, 130, 130), (0, MESSAGES, 0, 70), (1, MESSAGES, 10, 10), (2, MESSAGES, 60, 60)
)  # fmt: skip


def _classed(key: str, at: int, overhead: int, exclusive: int, inclusive: int) -> dict[str, Any]:
    row = {key: at, "overhead_id": overhead}
    return row | {"exclusive_ns": exclusive * MS, "inclusive_ns": inclusive * MS}


def _critical_path() -> dict[str, Rows]:
    """Rank 0 until it sends, then rank 1, which still receives for 10 ms.

    Rank 1 works 50 ms less than the path takes, all of it in main: that is its impact.
    """
    return {
        "critical_path_summary": [
            {
                "begin_ns": 0,
                "end_ns": 100 * MS,
                "wall_ns": 100 * MS,
                "computation_ns": 90 * MS,
                "communication_ns": 10 * MS,
                "segment_count": 2,
                "location_count": 2,
                "is_whole": True,
            }
        ],
        "critical_path_profile": [
            {"call_path_id": call_path, "location_id": location, "path_ns": time * MS}
            | {"main_path_ns": time * MS}
            for call_path, location, time in ((0, 0, 60), (0, 1, 30), (2, 1, 10))
        ],
        "critical_path_locations": [
            {
                "location_id": location,
                "segment_count": 1,
                "computation_ns": computation * MS,
                "communication_ns": communication * MS,
            }
            for location, computation, communication in ((0, 60, 0), (1, 30, 10))
        ],
        "critical_path_partners": [
            {
                "from_location_id": 0,
                "to_location_id": 1,
                "kind": "late_sender",
                "jump_count": 1,
                "wait_ns": 50 * MS,
                "completion_ns": 10 * MS,
            }
        ],
    }


def _imbalance() -> dict[str, Rows]:
    """Rank 0 computes 25 ms more than the mean, rank 1 that much less; rank 1 waits 50 ms."""
    return {
        "computational_imbalance": [
            {
                "call_path_id": 0,
                "location_count": 2,
                "visitor_count": 2,
                "exclusive_ns": 130 * MS,
                "mean_ns": 65 * MS,
                "longest_ns": 90 * MS,
                "longest_to_mean": 90 / 65,
                "overload_ns": 25 * MS,
                "underload_ns": 25 * MS,
            }
        ],
        "location_imbalance": [
            {"location_id": 0, "computation_ns": 90 * MS, "overload_ns": 25 * MS},
            {"location_id": 1, "computation_ns": 40 * MS, "underload_ns": 25 * MS},
        ],
        "idle_times": [
            {"location_id": 0, "idle_ratio": 0.0},
            {"location_id": 1, "wait_ns": 50 * MS, "idle_ns": 50 * MS, "idle_ratio": 0.5},
        ],
    }


def _times(at: int, location: int, inclusive: int, exclusive: int, key: str = "region_id") -> Any:
    row = {key: at, "location_id": location, "visit_count": 1}
    row |= {"inclusive_ns": inclusive * MS, "exclusive_ns": exclusive * MS}
    extremes = {"shortest_ns": inclusive * MS, "longest_ns": inclusive * MS}
    return row | (extremes if key == "region_id" else {})


def _edge(callee: int, time: int) -> dict[str, Any]:
    row = {"caller_region_id": 0, "callee_region_id": callee, "visit_count": 1}
    times = dict.fromkeys(("inclusive_ns", "exclusive_ns", "total_ns"), time * MS)
    return row | {"kind": "call"} | times


def _severity(metric: str, call_path: int, location: int, value: int) -> dict[str, Any]:
    return {"metric": metric, "call_path_id": call_path, "location_id": location, "value": value}
