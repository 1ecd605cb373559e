"""Measure reading traces in CSV: python -m tests.bench.text."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
from rich.console import Console
from rich.table import Table

from tests.bench.archives import CACHE
from tests.bench.measuring import Cost, growth_exponent, marginal_rate, measure, repetitions_for

LOCATIONS = 16
# A step of the program: event type and name of each row; partner relative to the own rank.
STEP = (
    ("Enter", "step", None),
    *((kind, f"compute_{part}", None) for part in range(6) for kind in ("Enter", "Leave")),
    ("Enter", "MPI_Send", None), ("Instant", "MpiSend", 1), ("Leave", "MPI_Send", None),
    ("Enter", "MPI_Recv", None), ("Instant", "MpiRecv", -1), ("Leave", "MPI_Recv", None),
    ("Enter", "MPI_Allreduce", None), ("Instant", "MpiCollectiveBegin", None),
    ("Instant", "MpiCollectiveEnd", None), ("Leave", "MPI_Allreduce", None),
    ("Leave", "step", None),
)  # fmt: skip
COLUMNS = ("rows", "threads", "CPU s", "wall s", "M rows/CPU s", "marginal", "growth", "peak MB")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure text to Parquet for some sizes, and show it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.text", description=__doc__)
    parser.add_argument("--rows", default="1000000,5000000", help="sizes of generated files")
    chosen = parser.parse_args(arguments)
    table = Table(*COLUMNS, title="Text to Parquet, cost without start-up", title_justify="left")
    before: Cost | None = None
    for rows in sorted({int(size) for size in chosen.rows.split(",")}):
        trace = provide_text(rows)
        measure("read_text", trace)  # warms the disk's cache
        cost = measure("read_text", trace, repetitions=repetitions_for(rows))
        table.add_row(*_cells(cost, before))
        before = cost
    Console(width=120).print(table)
    return 0


def _cells(cost: Cost, before: Cost | None) -> tuple[str, ...]:
    return (
        f"{cost.events:,}", str(cost.threads), f"{cost.cpu_seconds:.2f}",
        f"{cost.wall_seconds:.2f}", f"{cost.rate:.2f}",
        f"{marginal_rate(before, cost):.2f}" if before else "",
        f"{growth_exponent(before, cost):.2f}" if before else "", f"{cost.peak_bytes / 1e6:.0f}",
    )  # fmt: skip


def provide_text(rows: int, folder: Path = CACHE) -> Path:
    """A trace of about so many rows in order of time, from the cache or made now."""
    path = folder / f"generated_{LOCATIONS}_locations_{rows}_rows.csv"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".tmp")
        pc.write_csv(make_rows(rows), beside, pc.WriteOptions(quoting_style="none"))
        beside.rename(path)
    return path


def make_rows(rows: int) -> pa.Table:
    """Steps of computing, sending, receiving and reducing on every location."""
    random = np.random.default_rng(1)
    steps = max(rows // (LOCATIONS * len(STEP)), 1)
    times = np.cumsum(random.integers(50, 5000, (LOCATIONS, steps * len(STEP))), axis=1)
    order = np.argsort(times, axis=None, kind="stable")
    process, place = order // times.shape[1], order % len(STEP)
    kinds, names, offsets = zip(*STEP, strict=True)
    is_message = np.array([offset is not None for offset in offsets])[place]
    partner = (process + np.array([offset or 0 for offset in offsets])[place]) % LOCATIONS
    is_end = np.array([name == "MpiCollectiveEnd" for name in names])[place]
    has_bytes = is_message | is_end

    def only(values: object, where: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> pa.Array:
        return pa.array(np.broadcast_to(values, where.shape), mask=~where)

    return pa.table(
        {
            "Timestamp (ns)": times.ravel()[order],
            "Event Type": pa.array(kinds).take(pa.array(place)),
            "Name": pa.array(names).take(pa.array(place)),
            "Process": process,
            "Thread": np.zeros(len(order), np.int64),
            "Partner": only(partner, is_message),
            "Tag": only(7, is_message),
            "Communicator": only(0, has_bytes),
            "Bytes": only(8192, has_bytes),
            "Received Bytes": only(8192, is_end),
            "Operation": pa.array(["allreduce"]).take(only(0, is_end)),
        }
    )


if __name__ == "__main__":
    sys.exit(main())
