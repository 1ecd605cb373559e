"""Matches the call sites of several runs, whose lines of source code may differ."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from tracemill.schemas.profiles import CALL_PATH_KEYS
from tracemill.stages.call_path_keys import NamedPaths, key_table, match_paths, read_paths
from tracemill.store.database import connect
from tracemill.store.runs import Run

_TABLES = {
    "call_paths": (
        "call_path_id", "parent_call_path_id", "region_id", "depth", "source_location_id",
    ),
    "regions": ("region_id", "name", "file", "begin_line"),
    "source_locations": ("source_location_id", "file", "line"),
}  # fmt: skip


@dataclass(frozen=True)
class MatchedSites:
    """Keys of call paths that match between runs, where they differ from the stored ones.

    `keys` has a column `run_id`. `joined` are applications whose call sites are not distinguished,
    because some of their runs have none; `joined_runs` are their run ids.
    """

    keys: pa.Table
    joined: frozenset[str]
    joined_runs: frozenset[str]


def match_call_sites(runs: Sequence[Run], applications: Mapping[str, str]) -> MatchedSites:
    """Match the runs of each application; `applications` are given by run id."""
    sited = {run.run_id for run in runs if _has_sites(run)}
    keys, joined = [], set()
    for application in sorted({applications[run_id] for run_id in sited}):
        own = [run for run in runs if applications[run.run_id] == application]
        has_sites = all(run.run_id in sited for run in own)
        if not has_sites:
            joined.add(application)
        if len(own) > 1:
            keys += _matched(own, has_sites=has_sites)
    runs_of = (run.run_id for run in runs if applications[run.run_id] in joined)
    return MatchedSites(_all_keys(keys), frozenset(joined), frozenset(runs_of))


def use_matched(connection: duckdb.DuckDBPyConnection, matched: MatchedSites) -> None:
    """Let the views `call_path_keys` and `call_paths` show matched call sites."""
    if not matched.keys.num_rows:
        return
    joined = pa.table({"run_id": pa.array(sorted(matched.joined_runs), pa.string())})
    connection.register("matched_keys", matched.keys)
    connection.register("joined_runs", joined)
    present = {name for (name,) in connection.execute(_VIEWS).fetchall()}
    for name, statement in _REPLACED.items():
        if name in present:
            connection.execute(f"ALTER VIEW {name} RENAME TO stored_{name}")
            connection.execute(f"CREATE VIEW {name} AS {statement}")


_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal"
_REPLACED = {
    "call_path_keys": """
        SELECT stored.* REPLACE (coalesce(matched.call_path_key, stored.call_path_key)
            AS call_path_key)
        FROM stored_call_path_keys AS stored
        LEFT JOIN matched_keys AS matched USING (run_id, call_path_id)
    """,
    "call_paths": r"""
        SELECT * EXCLUDE (is_joined) REPLACE (
            if(is_joined, regexp_replace(path, ' @[^/]+:\d+(/|$)', '\1', 'g'), path) AS path,
            if(is_joined, NULL, source_location_id) AS source_location_id
        )
        FROM (
            SELECT *, run_id IN (SELECT joined_runs.run_id FROM joined_runs) AS is_joined
            FROM stored_call_paths
        )
    """,
}


def _has_sites(run: Run) -> bool:
    column = run.read("call_paths", ["source_location_id"]).column(0)
    return column.null_count < len(column)


def _matched(runs: Sequence[Run], *, has_sites: bool) -> list[pa.Table]:
    """Keys of runs of one application."""
    paths = [_read(run) for run in runs]
    keys = match_paths(paths, has_sites=has_sites)
    return [
        key_table(own, found).append_column("run_id", pa.array([run.run_id] * len(found)))
        for run, own, found in zip(runs, paths, keys, strict=True)
    ]


def _read(run: Run) -> NamedPaths:
    with closing(connect(threads=1)) as connection:
        tables = (connection.from_arrow(run.read(*each)) for each in _TABLES.items())
        return read_paths(*tables)


def _all_keys(keys: Sequence[pa.Table]) -> pa.Table:
    columns = {column.name: column.type for column in CALL_PATH_KEYS.columns}
    schema = pa.schema([*columns.items(), ("run_id", pa.string())])
    return pa.concat_tables([schema.empty_table(), *(each.cast(schema) for each in keys)])
