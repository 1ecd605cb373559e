"""Times of runs written down by a test, for overheads of one run against another."""

from collections import Counter
from collections.abc import Mapping

import polars as pl

from tests.helpers.compared_sides import NamedRun
from tracemill.comparison.overhead_times import RunTimes
from tracemill.schemas.overheads import overhead_id

KINDS = {"MPI_Bcast": "collective", "MPI_Barrier": "barrier"}
Times = Mapping[str, Mapping[int, int]]


def times_of(paths: Times, *, possible: int) -> pl.DataFrame:
    """Times by call path and thread; all call paths could run on `possible` threads."""
    rows = [
        (
            hash_of(path),
            path,
            path,
            overhead_id(KINDS.get(path, "user code")),
            thread,
            time,
            possible,
        )
        for path, by_thread in paths.items()
        for thread, time in by_thread.items()
    ]
    names = (
        "call_path_key", "call_path", "region", "overhead_id", "location_id", "time_ns",
        "possible_count",
    )  # fmt: skip
    kinds = (pl.Int64, pl.String, pl.String, pl.Int32, pl.Int32, pl.Int64, pl.Int64)
    frame = pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
    return frame.with_columns(
        instructions=pl.lit(None, pl.Float64), cycles=pl.lit(None, pl.Float64)
    )


def hash_of(path: str) -> int:
    """A key of a call path."""
    return int.from_bytes(path.encode()[-7:], "big")


def run_times(
    name: str,
    paths: Times,
    *,
    main_ns: int,
    count: int,
    moved: Mapping[int, int] | None = None,
    charged: Mapping[str, int] | None = None,
) -> RunTimes:
    """A run of single-threaded processes; the rest of their time is outside of visits."""
    times = times_of(paths, possible=count)
    regions = times.select("region", "location_id", "time_ns")
    rest = count * main_ns - int(times["time_ns"].sum())
    return RunTimes(
        run=NamedRun(name),  # type: ignore[arg-type]
        main_ns=main_ns,
        is_whole=False,
        thread_count=count,
        process_count=count,
        times=times,
        regions=regions,
        moved=moved or {},
        charged=Counter(charged or {}),
        outside={overhead_id("outside visits"): rest},
    )
