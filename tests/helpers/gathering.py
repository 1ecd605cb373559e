"""Runs queries of campaigns over several runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tests.helpers.computing import computed
from tests.helpers.micro_trace import Tables, read_call_tree, read_trace
from tests.helpers.running import given_tables
from tracemill.sql.query_files import Value, create_views, load_query, stored_inputs
from tracemill.store.database import connect

Found = list[dict[str, Any]]


def query_runs(relation: str, runs: Mapping[str, Tables], **parameters: Value) -> Found:
    """Rows of a query over several runs, by their names."""
    query = load_query(relation)
    inputs = stored_inputs([query])
    parts = [tables_of_run(tables, run_id, inputs) for run_id, tables in runs.items()]
    with connect(threads=1) as connection:
        for name in inputs:
            connection.register(name, pa.concat_tables(part[name] for part in parts))
        create_views(connection, query.inputs)
        return (
            connection.sql(query.text, params=query.bind(parameters)).to_arrow_table().to_pylist()
        )


def tables_of_run(tables: Tables, run_id: str, names: Sequence[str]) -> dict[str, pa.Table]:
    """Tables of a run as a campaign sees them: given or computed, with a column run_id."""
    given = given_tables(tables)
    with computed([name for name in names if name not in given], given) as computation:
        found = {name: given[name] if name in given else computation.table(name) for name in names}
    return {name: _with_run_id(rows, run_id) for name, rows in found.items()}


def _with_run_id(rows: pa.Table, run_id: str) -> pa.Table:
    if "run_id" in rows.column_names:
        rows = rows.drop_columns("run_id")
    return rows.append_column("run_id", pa.array([run_id] * rows.num_rows, pa.string()))


def rows_of(
    relation: str, tables: Tables, columns: str, **parameters: Value
) -> list[tuple[Any, ...]]:
    """The named columns of the rows that one run gives."""
    found = query_runs(relation, {"run": tables}, **parameters)
    return [tuple(row[name] for name in columns.split()) for row in found]


def complete(tables: Tables | str) -> Tables:
    """A micro trace, maybe as text, with paradigms, keys, and begin and end of locations.

    Call path n has the key 100 + n; a location lasts as long as its visits.
    """
    tables = read_trace(tables) if isinstance(tables, str) else tables
    for region in tables["regions"]:
        is_mpi = region["name"].startswith("MPI_")
        region.setdefault("paradigm", "mpi" if is_mpi else "compiler")
    tables["call_path_keys"] = [
        {"call_path_id": path["call_path_id"], "call_path_key": 100 + path["call_path_id"]}
        for path in tables["call_paths"]
    ]
    for place in tables["locations"]:
        own = [v for v in tables["visits"] if v["location_id"] == place["location_id"]]
        place.setdefault("kind", "cpu_thread")
        place.setdefault("begin_ns", min((v["enter_ns"] for v in own), default=0))
        place.setdefault("end_ns", max((v["leave_ns"] for v in own), default=0))
    tables["idle_times"] = []  # not gathered
    return tables


def program(outline: str, times: dict[tuple[int, int], int], processes: list[int]) -> Tables:
    """A call tree with one visit per call path and location; `processes` are those of locations."""
    tables = read_call_tree(outline)
    tables["visits"] = [
        {"call_path_id": path, "location_id": place, "exclusive_ns": time, "leave_ns": time}
        for (path, place), time in times.items()
    ]
    tables["locations"] = [
        {"location_id": number, "location_group_id": group}
        for number, group in enumerate(processes)
    ]
    tables["location_groups"] = [
        {"location_group_id": group, "rank": group, "kind": "process"} for group in set(processes)
    ]
    tables["runs"] = [{"run_id": "x"}]
    for row in tables["visits"]:
        row["enter_ns"] = 0
    return complete(tables)
