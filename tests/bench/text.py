"""Traces in CSV to measure with: made once for each size, kept in build/bench."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
from numpy.typing import ArrayLike, NDArray

from tests.bench.measuring import Trace
from tests.bench.places import CACHE
from tracemill.engine.graph import code_hash

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


def provide_text(rows: int, *, cache: Path = CACHE) -> Trace:
    """A trace of about so many rows in order of time, from the cache or made now.

    What another version of this module made is never taken, but removed.
    """
    name, made_by = f"text_{rows}_rows", code_hash((__name__,))
    path = cache / f"{name}-{made_by}.csv"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        for other in cache.glob(f"{name}-*"):
            other.unlink()
        beside = path.with_suffix(".tmp")
        pc.write_csv(make_rows(rows), beside, pc.WriteOptions(quoting_style="none"))
        beside.rename(path)
    return Trace(name, path, made_by=made_by, byte_count=path.stat().st_size)


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

    def only(values: ArrayLike, where: NDArray[np.bool_]) -> pa.Array:
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
