"""The tables of overheads of a run against another, as declared, and as JSON and CSV."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from tracemill.comparison.overheads import Overheads
from tracemill.schemas.overhead_comparison import (
    CALL_PATH_COMPARISON,
    REGION_COMPARISON,
    RUN_COMPARISON,
)
from tracemill.schemas.overheads import TAXONOMY

FORMAT_VERSION = 1
Row = dict[str, Any]


def region_comparison(overheads: Overheads) -> pa.Table:
    """Regions, largest overhead of a process first; whole ns."""
    return _as_table(overheads.regions, REGION_COMPARISON.arrow_schema)


def call_path_comparison(overheads: Overheads) -> pa.Table:
    """Call paths, largest overhead first; whole ns."""
    count = overheads.par.thread_count
    per_thread = {
        "par_mean_ns": "par_ns",
        "overhead_ns": "work_ns",
        "replicated_ns": "replicated_ns",
        "additional_ns": "additional_ns",
        "unidentified_ns": "unidentified_ns",
    }
    found = overheads.call_paths.with_columns(
        **{name: pl.col(source) / count for name, source in per_thread.items()}
    )
    ordered = found.sort(pl.col("work_ns").abs().neg(), "call_path_key")
    return _as_table(ordered, CALL_PATH_COMPARISON.arrow_schema)


def run_comparison(overheads: Overheads) -> pa.Table:
    """Classes of overhead; whole ns."""
    classes = overheads.classes
    rows = {"overhead_id": list(classes), "time_ns": list(classes.values())}
    schema = {"overhead_id": pl.Int32, "time_ns": pl.Float64}
    return _as_table(pl.DataFrame(rows, schema=schema), RUN_COMPARISON.arrow_schema)


def _as_table(rows: pl.DataFrame, schema: pa.Schema) -> pa.Table:
    whole = rows.select(
        pl.col(name).round().cast(pl.Int64) if name.endswith("_ns") else pl.col(name)
        for name in schema.names
    )
    return whole.to_arrow().cast(schema)


def tables_of(overheads: Overheads) -> dict[str, list[Row]]:
    """Rows of all tables by name; classes have names."""
    classes = [
        row
        | {
            "overhead_class": TAXONOMY[row["overhead_id"]].name,
            "overhead_subclass": TAXONOMY[row["overhead_id"]].part,
        }
        for row in run_comparison(overheads).to_pylist()
    ]
    return {
        "run_comparison": classes,
        "region_comparison": region_comparison(overheads).to_pylist(),
        "call_path_comparison": call_path_comparison(overheads).to_pylist(),
    }


def overheads_json(overheads: Overheads) -> str:
    """A document with the figures of the run and all tables; times in ns."""
    tables = tables_of(overheads)
    for row in tables["call_path_comparison"]:  # too many bits for numbers in JavaScript
        row["call_path_key"] = str(row["call_path_key"])
    document = {
        "overheads_format_version": FORMAT_VERSION,
        "seq": _side(overheads.seq.run.run_id, overheads.seq.run.label, overheads.seq),
        "par": _side(overheads.par.run.run_id, overheads.par.run.label, overheads.par),
        "tolerance_ratio": overheads.tolerance,
        "overhead_ns": round(overheads.total_ns),
        "identified_ns": round(overheads.total_ns - overheads.unidentified_ns),
        "unidentified_ns": round(overheads.unidentified_ns),
        "matched_ratio": overheads.matched_share,
        **tables,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _side(run_id: str, label: str, times: Any) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "label": label,
        "threads": times.thread_count,
        "processes": times.process_count,
        "main_ns": times.main_ns,
    }


def rows_csv(tables: Mapping[str, Sequence[Row]]) -> str:
    """All tables in one CSV, a figure per row: table, name of the row, column, value."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("table", "name", "column", "value"))
    for table, rows in tables.items():
        for row in rows:
            texts = [value for value in row.values() if isinstance(value, str)]
            writer.writerows(
                (table, texts[-1], column, value)
                for column, value in row.items()
                if isinstance(value, int | float) and not column.endswith(("_id", "_key"))
            )
    return file.getvalue()
