"""How much shorter a run would be without parts of its critical path."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.schemas.overheads import overhead_id
from tracemill.schemas.replay import GAIN_KINDS
from tracemill.stages.activity_rows import Activities, Paths
from tracemill.stages.arrays import Flags, Numbers

NONE = -1
_USER_CODE = overhead_id("user code")
REPLAYED = 20
"""Parts of each kind that are replayed."""


class _Parts(NamedTuple):
    """Parts of one kind: their numbers, and the part of every row of times, or none."""

    kind: str
    of_row: NDArray[np.int32]


def find_gains(found: Activities, paths: Paths, is_computation: Flags, rank: Numbers) -> pa.Table:
    """The gain of every part with time on the critical path; most of them have only a bound."""
    from tracemill.kernels.replay import follow_back, last_activity, replay, run_without

    duration = found.duration
    times = replay(found.graph, duration)
    is_on_path = np.zeros(len(found.end), np.bool_)
    is_on_path[follow_back(found.graph, times, last_activity(found.graph, times))] = True
    del times
    on_path = found.by_row(is_on_path)
    lanes = np.full((len(found.row_time), len(GAIN_KINDS)), NONE, np.int16)
    shares, lane_count = [], 0
    for column, part in enumerate(_parts(found, paths, is_computation, rank)):
        chosen = on_path & (part.of_row >= 0)
        path_ns = np.bincount(part.of_row[chosen], found.row_time[chosen]).astype(np.int64)
        order = np.lexsort((np.arange(len(path_ns)), -path_ns))
        order = order[path_ns[order] > 0]
        replayed = order[:REPLAYED]
        # The last lane is that of rows without a part.
        lane = np.full(max(len(path_ns), int(part.of_row.max(initial=0)) + 1) + 1, NONE, np.int16)
        lane[replayed] = lane_count + np.arange(len(replayed))
        lanes[:, column] = lane[part.of_row]
        lane_count += len(replayed)
        shares.append((part.kind, order, path_ns[order], len(replayed)))
    ends = run_without(found.graph, duration, found.first_row, found.row_time, lanes, lane_count)
    return _as_table(shares, ends - found.graph.begin, found.run_ns)


def _parts(
    found: Activities, paths: Paths, is_computation: Flags, rank: Numbers
) -> Iterator[_Parts]:
    """The kinds one after the other: each takes 4 bytes for every row."""
    path, outside = found.row_path, len(paths.region) - 1
    yield _Parts("call path", np.where(path < outside, path, NONE))
    yield _Parts("region", paths.region.astype(np.int32)[path])
    ranks = found.by_row(rank.astype(np.int32)[found.graph.location])
    yield _Parts("rank", np.where(is_computation, ranks, NONE))
    del ranks
    is_outside = (path == outside) & is_computation
    yield _Parts("class", np.where(is_outside, _USER_CODE, paths.overhead.astype(np.int32)[path]))


def _as_table(
    shares: list[tuple[str, Numbers, Numbers, int]], runs: Numbers, run_ns: int
) -> pa.Table:
    """Parts by kind, with the most time on the path first."""
    kind = [name for name, part, _, _ in shares for _ in part]
    part = np.concatenate([each for _, each, _, _ in shares])
    path_ns = np.concatenate([each for _, _, each, _ in shares])
    is_exact = np.concatenate([np.arange(len(each)) < count for _, each, _, count in shares])
    run = np.zeros(len(part), np.int64)
    run[is_exact] = runs
    of_kind = np.array(kind, dtype=object)

    def only(name: str) -> pa.Array:
        return pa.array(part, pa.int64(), mask=of_kind != name).cast(pa.int32())

    return pa.table(
        {
            "kind": pa.array(kind, pa.string()),
            "call_path_id": only("call path"),
            "region_id": only("region"),
            "rank": only("rank"),
            "overhead_id": only("class"),
            "path_ns": path_ns,
            "gain_ns": pa.array(run_ns - run, mask=~is_exact),
            "run_ns": pa.array(run, mask=~is_exact),
            "is_exact": is_exact,
        }
    )
