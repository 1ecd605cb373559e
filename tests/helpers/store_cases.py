"""Small tables, manifests and runs to test the store with."""

from pathlib import Path

import pyarrow as pa

from tests.helpers.fake_source import PLACES
from tracemill.schemas.table import INT32, STRING
from tracemill.store.manifest import Manifest, SourceFile, SourceRecord, TableRecord
from tracemill.store.runs import Store

SOURCE = SourceRecord(
    path="/data/runs/wave_64/traces.otf2",
    format="otf2",
    files=(SourceFile("traces.otf2", 120, 5),),
    digest="d1",
)


def record(**changes: object) -> TableRecord:
    values = {"key": "k1", "parts": {}, "inputs": {}, "reason": "first run"}
    return TableRecord(**values | changes)  # type: ignore[arg-type]


def manifest(run_id: str, generation: str = "g1", **changes: object) -> Manifest:
    values = {
        "run_id": run_id,
        "generation": generation,
        "created_at": "2024-05-01T12:00:00.000000+00:00",
        "source": SOURCE,
        "options": {},
        "versions": {},
        "tables": {},
    }
    return Manifest(**values | changes)  # type: ignore[arg-type]


def places(*names: str, kind: str = "cpu") -> pa.Table:
    return pa.table(
        {
            "location_id": pa.array(range(len(names)), INT32),
            "name": pa.array(names, STRING),
            "kind": pa.array([kind] * len(names), STRING),
        }
    )


def publish(store: Store, run_id: str, generation: str = "g1", **changes: object) -> Path:
    """Publish a run that holds one table of two places."""
    with store.begin(run_id) as writer:
        writer.write(PLACES, places("zero", "one"))
        size = writer.finished["places"].byte_count
        tables = {"places": record(row_count=2, byte_count=size)}
        return store.publish(writer, manifest(run_id, generation, tables=tables, **changes)).path


def labeled(folder: str) -> SourceRecord:
    return SourceRecord(path=f"/data/{folder}/traces.otf2", format="otf2", files=(), digest="d")
