"""Runs whose tables are written by hand: for reports and exports, without trace or store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from pipeline.store import Manifest, SourceFile, SourceRecord
from schemas import TABLES, Column, Table

Rows = Sequence[Mapping[str, Any]]
MS = 1_000_000

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
    """A run that holds the given rows; columns left out have a value that says nothing."""

    tables: Mapping[str, Rows]
    label: str = "halo"
    run_id: str = MANIFEST.run_id
    manifest: Manifest = field(default=MANIFEST)

    def connect(self, **limits: Any) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect()
        for table in TABLES:
            connection.register("rows", make_table(table, self.tables.get(table.name, ())))
            connection.execute(f"CREATE TABLE {table.name} AS FROM rows")
            connection.unregister("rows")
        return connection


def make_table(table: Table, rows: Rows) -> pa.Table:
    """A valid Arrow table of the declared columns."""
    unknown = {name for row in rows for name in row} - set(table.column_names)
    assert not unknown, f"{table.name} has no columns {unknown}"
    plain = [
        pa.field(column.name, pa.string() if column.values else column.type)
        for column in table.columns
    ]
    full = [{c.name: row.get(c.name, _nothing(c)) for c in table.columns} for row in rows]
    made = table.conform(pa.Table.from_pylist(full, schema=pa.schema(plain)))
    assert not table.violations(made)
    return made


def _nothing(column: Column) -> Any:
    if column.is_nullable:
        return None
    if column.values:
        return column.values[0]
    if pa.types.is_string(column.type):
        return ""
    return False if pa.types.is_boolean(column.type) else column.minimum or 0


def make_run_row(**changes: Any) -> dict[str, Any]:
    """The one row of the table runs."""
    row = {"run_id": MANIFEST.run_id, "timer_resolution": 1_000_000_000, "end_ns": 100 * MS}
    return row | {"process_count": 2, "location_count": 2, "record_count": 8} | changes


METRICS: Rows = (
    {"metric": "time", "title": "Time", "unit": "ns"},
    {"metric": "visits", "title": "Visits", "unit": "visits"},
    {"metric": "bytes_sent", "title": "Bytes sent", "unit": "bytes"},
    {"metric": "mpi_latesender", "title": "Late Sender", "unit": "ns"},
    {
        "metric": "mpi_lswo_same",
        "parent_metric": "mpi_latesender",
        "title": "Wrong Order",
        "unit": "ns",
    },
    {"metric": "mpi_latereceiver", "title": "Late Receiver", "unit": "ns"},
)


def late_sender_run(*, main: str = "main", label: str = "halo") -> HandMadeRun:
    """One late sender, times in ms; the receive waits from 10 until the send begins at 60.

    #            0    10        60   70     100
    # rank 0  main [            [Send]         ]
    # rank 1  main [   [Recv..........]        ]
    """
    names = (main, "MPI_Send", "MPI_Recv")
    paths = (main, f"{main}/MPI_Send", f"{main}/MPI_Recv")
    return HandMadeRun(
        label=label,
        tables={
            "runs": [make_run_row()],
            "metrics": METRICS,
            "regions": [
                {"region_id": at, "name": name, "paradigm": "mpi" if at else "compiler"}
                for at, name in enumerate(names)
            ],
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
                {"region_id": 0, "visit_count": 2, "inclusive_ns": 200 * MS, "is_entry": True},
                {"region_id": 1, "visit_count": 1, "inclusive_ns": 10 * MS},
                {"region_id": 2, "visit_count": 1, "inclusive_ns": 60 * MS},
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
                _severity("mpi_latesender", 2, 1, 50 * MS),
                _severity("time", 0, 0, 90 * MS),
                _severity("time", 1, 0, 10 * MS),
                _severity("visits", 2, 1, 1),
            ],
            "messages": [{"message_id": 0, "bytes": 4096}],
            "communication_matrix": [
                {"sender_group_id": 0, "receiver_group_id": 1, "message_count": 1, "bytes": 4096}
            ],
            "message_sizes": [
                {"lower_bytes": 4096, "upper_bytes": 8191, "message_count": 1, "bytes": 4096}
            ],
        },
    )


def _times(at: int, location: int, inclusive: int, exclusive: int, key: str = "region_id") -> Any:
    row = {key: at, "location_id": location, "visit_count": 1}
    row |= {"inclusive_ns": inclusive * MS, "exclusive_ns": exclusive * MS}
    extremes = {"shortest_ns": inclusive * MS, "longest_ns": inclusive * MS}
    return row | (extremes if key == "region_id" else {})


def _edge(callee: int, time: int) -> dict[str, Any]:
    row = {"caller_region_id": 0, "callee_region_id": callee, "visit_count": 1}
    return row | {"inclusive_ns": time * MS, "exclusive_ns": time * MS}


def _severity(metric: str, call_path: int, location: int, value: int) -> dict[str, Any]:
    return {"metric": metric, "call_path_id": call_path, "location_id": location, "value": value}
