"""Keys of call paths that are the same in every run of a program."""

from collections import Counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.text import key_of
from tracemill.schemas.profiles import CALL_PATH_KEYS
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.stage import PythonStage

Keys = NDArray[np.uint64]


def find_call_path_keys(call_paths: Relation, regions: Relation) -> pa.Table:
    """A key for each call path that depends only on the names of its regions.

    Equal names are distinguished by source position, then by order.
    """
    path, parent, region, depth = read_columns(
        call_paths,
        "call_path_id::BIGINT",
        "coalesce(parent_call_path_id, -1)::BIGINT",
        "region_id::BIGINT",
        "depth::BIGINT",
    )
    own = _hashes_of_regions(regions)[region]
    keys = np.zeros(len(path), np.uint64)
    place = np.empty(path.max(initial=-1) + 1, np.int64)
    place[path] = np.arange(len(path))
    for level in range(depth.max(initial=-1) + 1):
        rows = np.flatnonzero(depth == level)
        rows = rows[np.argsort(path[rows], kind="stable")]
        above = np.where(parent[rows] < 0, 0, place[parent[rows]])
        callers = np.where(parent[rows] < 0, np.uint64(0), keys[above])
        keys[rows] = _distinct(_mixed(callers ^ own[rows]))
    return pa.table({"call_path_id": path, "call_path_key": keys.view(np.int64)})


def _hashes_of_regions(regions: Relation) -> Keys:
    """A hash of every region's name, indexed by region; with its place where names repeat."""
    rows = regions.select("region_id, name, file, begin_line").fetchall()
    uses = Counter(name for _, name, _, _ in rows)
    hashes = np.zeros(max((row[0] for row in rows), default=-1) + 1, np.uint64)
    for region, name, file, line in rows:
        text = f"{name}\n{file}:{line}" if uses[name] > 1 else name
        hashes[region] = key_of(text)
    return hashes


def _mixed(values: Keys) -> Keys:
    """Spread every bit over the whole key (the finalizer of SplitMix64), and never give 0."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return np.where(values == 0, np.uint64(1), values)


def _distinct(keys: Keys) -> Keys:
    """The keys, of which the second and further ones of a kind are mixed with their number."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(keys) else order
    if len(starts) == len(keys):
        return keys
    number = np.arange(len(keys)) - np.repeat(starts, np.diff(np.r_[starts, len(keys)]))
    distinct = keys.copy()
    again = number > 0
    distinct[order[again]] = _mixed(ordered[again] + number[again].astype(np.uint64))
    return distinct


CALL_PATH_KEYS_STAGE = PythonStage(
    name="call_path_keys", outputs=(CALL_PATH_KEYS,), compute=find_call_path_keys
)
