"""How much shorter a run would be without parts of its critical path."""

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


class _Share(NamedTuple):
    """Parts of one kind with time on the critical path, the most first; the first are replayed."""

    kind: str
    part: Numbers
    path_ns: Numbers
    replayed: int


def find_gains(found: Activities, paths: Paths, is_computation: Flags, rank: Numbers) -> pa.Table:
    """The gain of every part with time on the critical path; most of them have only a bound."""
    from tracemill.kernels.replay import Lanes, Parts, run_without

    duration = found.duration
    on_path = found.by_row(_find_critical(found, duration))
    by_path, by_location = _sum_on_path(found, on_path, is_computation, len(paths.region))
    of_path = np.full((*by_path.shape, len(GAIN_KINDS) - 1), NONE, np.int16)
    of_location = np.full(by_location.shape, NONE, np.int16)
    kinds = _parts(paths, rank)
    shares, lane_count = [], 0
    for (kind, part), lanes, time in zip(
        kinds.items(),
        (of_path[..., 0], of_path[..., 1], of_location, of_path[..., 2]),
        (by_path, by_path, by_location, by_path), strict=True,
    ):  # fmt: skip
        share, lanes[:] = _share(kind, part, time, lane_count)
        lane_count += share.replayed
        shares.append(share)
    ends = run_without(
        found.graph, duration,
        Parts(found.first_row, found.row_path, is_computation, found.row_time),
        Lanes(lane_count, of_path, of_location),
    )  # fmt: skip
    return _as_table(shares, ends - found.graph.begin, found.run_ns)


def _find_critical(found: Activities, duration: Numbers) -> Flags:
    """The activities on the critical path."""
    from tracemill.kernels.replay import follow_back, last_activity, replay

    times = replay(found.graph, duration)
    is_critical = np.zeros(len(found.end), np.bool_)
    is_critical[follow_back(found.graph, times, last_activity(found.graph, times))] = True
    return is_critical


def _sum_on_path(
    found: Activities, on_path: Flags, is_computation: Flags, path_count: int
) -> tuple[Numbers, Numbers]:
    """Time on the critical path by call path and by location: other time, and computation."""
    rows = np.flatnonzero(on_path)
    time, kind = found.row_time[rows], is_computation[rows]
    key = 2 * found.row_path[rows] + kind
    by_path = np.bincount(key, time, 2 * path_count).astype(np.int64).reshape(-1, 2)
    sums = np.zeros((len(rows) + 1, 2), np.int64)
    np.cumsum(np.stack([time * ~kind, time * kind], axis=1), axis=0, out=sums[1:])
    edges = np.searchsorted(rows, found.first_row[found.graph.first])
    return by_path, np.diff(sums[edges], axis=0)


def _parts(paths: Paths, rank: Numbers) -> dict[str, Numbers]:
    """The part of each kind that time of a call path, or location, belongs to, or none.

    The second index says whether the time is computation.
    """
    outside = len(paths.region) - 1
    path = np.append(np.arange(outside), NONE)
    overhead = np.stack([paths.overhead, paths.overhead], axis=1)
    overhead[outside, 1] = _USER_CODE
    return {
        "call path": np.stack([path, path], axis=1),
        "region": np.stack([paths.region, paths.region], axis=1),
        "rank": np.stack([np.full_like(rank, NONE), rank], axis=1),
        "class": overhead,
    }


def _share(
    kind: str, part: Numbers, time: Numbers, first_lane: int
) -> tuple[_Share, NDArray[np.int16]]:
    """The parts with time, and the lanes of what belongs to them."""
    chosen = part >= 0
    path_ns = np.bincount(part[chosen], time[chosen]).astype(np.int64)
    order = np.lexsort((np.arange(len(path_ns)), -path_ns))
    order = order[path_ns[order] > 0]
    replayed = order[:REPLAYED]
    lane = np.full(len(path_ns) + 1, NONE, np.int16)  # the last is that of no part
    lane[replayed] = first_lane + np.arange(len(replayed))
    return _Share(kind, order, path_ns[order], len(replayed)), lane[part]


def _as_table(shares: list[_Share], runs: Numbers, run_ns: int) -> pa.Table:
    """Parts by kind, with the most time on the path first."""
    kind = [share.kind for share in shares for _ in share.part]
    part = np.concatenate([share.part for share in shares])
    path_ns = np.concatenate([share.path_ns for share in shares])
    is_exact = np.concatenate([np.arange(len(each.part)) < each.replayed for each in shares])
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
