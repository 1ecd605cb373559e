"""Keys of call paths that are the same in every run of a program."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.text import key_of
from tracemill.schemas.profiles import CALL_PATH_KEYS
from tracemill.stages.arrays import Numbers, Relation, read_columns
from tracemill.stages.stage import PythonStage

Keys = NDArray[np.uint64]
_NO_SITE = -1


@dataclass(frozen=True)
class NamedPaths:
    """The call paths of a run, by number; `parent` are positions among them, or -1.

    `name` are hashes of regions. `site` are positions in `positions`, or -1.
    """

    path: Numbers
    parent: Numbers
    depth: Numbers
    name: Keys
    site: Numbers
    positions: list[tuple[str, int]]


def find_call_path_keys(
    call_paths: Relation, regions: Relation, source_locations: Relation
) -> pa.Table:
    """A key for each call path that depends only on the names of its regions, and on their order.

    Equal names are distinguished by source position, then by order; call sites by order.
    """
    paths = read_paths(call_paths, regions, source_locations)
    (keys,) = match_paths([paths])
    return key_table(paths, keys)


def key_table(paths: NamedPaths, keys: Keys) -> pa.Table:
    """Numbers and keys of call paths."""
    return pa.table({"call_path_id": paths.path, "call_path_key": keys.view(np.int64)})


def read_paths(call_paths: Relation, regions: Relation, source_locations: Relation) -> NamedPaths:
    """The call paths of a run."""
    path, parent, region, depth, source = read_columns(
        call_paths.order("call_path_id"),
        "call_path_id::BIGINT",
        "coalesce(parent_call_path_id, -1)::BIGINT",
        "region_id::BIGINT",
        "depth::BIGINT",
        f"coalesce(source_location_id, {_NO_SITE})::BIGINT",
    )
    place = np.full(path.max(initial=-1) + 2, -1, np.int64)
    place[path] = np.arange(len(path))
    used, site = np.unique(np.append(source, _NO_SITE), return_inverse=True)
    known = source_locations.select("source_location_id, file, line").fetchall()
    found = {number: (file, line) for number, file, line in known}
    positions = [found[number] for number in used[1:].tolist()]
    names = _hashes_of_regions(regions)[region]
    return NamedPaths(path, place[parent], depth, names, site[:-1] + _NO_SITE, positions)


def match_paths(runs: Sequence[NamedPaths], *, has_sites: bool = True) -> list[Keys]:
    """The keys of the call paths of each run; equal ones belong together.

    Call sites of one caller and region match by file and line if one run has all of them, else by
    their order. Without `has_sites` they are not distinguished.
    """
    positions = sorted({position for each in runs for position in each.positions})
    codes = {position: code for code, position in enumerate(positions)}
    coded = [np.array([*map(codes.get, each.positions), _NO_SITE], np.int64) for each in runs]
    counts = [len(each.path) for each in runs]
    starts = np.cumsum([0, *counts])
    run = np.repeat(np.arange(len(runs)), counts)
    site = _joined([code[each.site] for code, each in zip(coded, runs, strict=True)])
    parent, depth = _joined([each.parent for each in runs]), _joined([each.depth for each in runs])
    parent = np.where(parent < 0, parent, parent + starts[run])
    name = _joined([each.name for each in runs])
    keys = np.zeros(len(run), np.uint64)
    for level in range(depth.max(initial=-1) + 1):
        rows = np.flatnonzero(depth == level)
        callers = np.where(parent[rows] < 0, np.uint64(0), keys[parent[rows]])
        called = _mixed(callers ^ name[rows])
        twins = _ranks(rows, site[rows], run[rows], called)
        called = _numbered(called, twins)
        if has_sites and (site[rows] >= 0).any():
            called = _numbered(called, _site_numbers(called, run[rows], site[rows]) << 32)
        keys[rows] = called
    return np.split(keys, starts[1:-1])


def _joined(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([*columns, columns[0][:0]])


def _site_numbers(called: Keys, run: Numbers, site: Numbers) -> Numbers:
    """Numbers of call sites that are equal for equal sites; `called` are callers with regions."""
    of_all, of_run = _ranks(site, called), _ranks(site, run, called)
    _, group = np.unique(called, return_inverse=True)
    most_of_all, most_of_run = np.zeros((2, len(called)), np.int64)
    np.maximum.at(most_of_all, group, of_all)
    np.maximum.at(most_of_run, group, of_run)
    return np.where((most_of_all == most_of_run)[group], of_all, of_run)


def _ranks(values: NDArray[Any], *groups: NDArray[Any]) -> Numbers:
    """The place of each value among the distinct values of its group, from 0."""
    order = np.lexsort((values, *groups))
    is_first, is_new = np.zeros((2, len(order)), np.bool_)
    is_first[:1] = True
    for group in groups:
        is_first[1:] |= np.diff(group[order]) != 0
    is_new[1:] = is_first[1:] | (np.diff(values[order]) != 0)
    ranks = np.empty(len(order), np.int64)
    counts = np.cumsum(is_new)
    ranks[order] = counts - np.maximum.accumulate(np.where(is_first, counts, 0))
    return ranks


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


def _numbered(keys: Keys, numbers: Numbers) -> Keys:
    """The keys; those with a number above 0 are mixed with it."""
    return np.where(numbers > 0, _mixed(keys + numbers.astype(np.uint64)), keys)


CALL_PATH_KEYS_STAGE = PythonStage(
    name="call_path_keys", outputs=(CALL_PATH_KEYS,), compute=find_call_path_keys
)
