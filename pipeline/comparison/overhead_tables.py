"""The tables of overheads of a run against another, as declared, and as JSON and CSV."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tracemill.comparison.overhead_times import RunTimes
from tracemill.comparison.overheads import Overheads, label_of
from tracemill.schemas.overhead_comparison import (
    CALL_PATH_COMPARISON,
    REGION_COMPARISON,
    RUN_COMPARISON,
)
from tracemill.schemas.overheads import TAXONOMY
from tracemill.stages.models.overhead_split import as_whole, mean_of, with_noise

FORMAT_VERSION = 2
Row = dict[str, Any]


def region_comparison(overheads: Overheads) -> pa.Table:
    """Regions, largest overhead of a process first; whole ns."""
    noise = overheads.region_noise
    found = with_noise(overheads.regions, [noise.get(name) for name in overheads.regions["region"]])
    return as_whole(found, REGION_COMPARISON.arrow_schema)


def call_path_comparison(overheads: Overheads) -> pa.Table:
    """Call paths, largest overhead first; whole ns."""
    return as_whole(overheads.per_thread, CALL_PATH_COMPARISON.arrow_schema)


def run_comparison(overheads: Overheads) -> pa.Table:
    """Classes of overhead; whole ns."""
    return as_whole(overheads.by_class, RUN_COMPARISON.arrow_schema)


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
    noise = overheads.noise.get(None)
    document = {
        "overheads_format_version": FORMAT_VERSION,
        "seq": _side(overheads.seq),
        "par": _side(overheads.par),
        "tolerance_ratio": overheads.tolerance,
        "overhead_ns": round(overheads.total_ns),
        "noise_ns": None if noise is None else round(noise),
        "identified_ns": round(overheads.total_ns - overheads.unidentified_ns),
        "unidentified_ns": round(overheads.unidentified_ns),
        "matched_ratio": overheads.matched_share,
        "are_sites_joined": overheads.par[0].are_sites_joined,
        **tables,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _side(side: Sequence[RunTimes]) -> dict[str, Any]:
    return {
        "run_ids": [each.run.run_id for each in side],
        "label": label_of(side),
        "threads": side[0].thread_count,
        "processes": side[0].process_count,
        "main_ns": round(mean_of(side).main_ns),
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
