"""What a stage promises to make nothing of is not computed: every such promise is kept."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest

from tests.contracts.test_queries import SQL_TYPES
from tests.helpers.accelerators import accelerated_trace
from tests.helpers.altered_traces import (
    altered,
    find_losses,
    flush_buffers,
    lose_accesses,
    lose_one_sided,
    lose_records,
    probe_receives,
    shift_clocks,
)
from tests.helpers.computing import NUMBERED, computed
from tests.helpers.gpu_programs import random_program, write_program
from tests.helpers.otf2_reading import read_tables
from tracemill.engine.analyze import Options, analyze_source
from tracemill.engine.execute import Engine
from tracemill.engine.graph import ReadStage, SqlStage, Stage, build_graph
from tracemill.engine.recipe import Recipe, standard_recipe
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.readers import open_source
from tracemill.schemas import BY_NAME
from tracemill.sql.query_files import Query, all_queries, create_views, stored_inputs
from tracemill.stages.stage import PythonStage
from tracemill.store.database import create_empty
from tracemill.store.runs import Run, Store

DATA = Path(__file__).parents[2] / "data"
# Messages and collectives, waits in the wrong order, non-blocking collectives, threads, tasks, a
# master with workers, counters.
TRACES = (
    "m03_ls_waitall", "e05_wrong_order", "z01_otf2v3_nbc_rma", "m29_hybrid", "m31_omp_tasks",
    "m18_master_worker", "counters/f1_counters", "counters/f4_power",
)  # fmt: skip
# The first one, with matched probes, lost records, clocks apart and buffers written.
ALTERED = "altered"
# A whole team, then a smaller one, whose threads wait for a lock.
SMALL_TEAMS: dict[str, Any] = {
    "processes": 1, "threads": 3, "size": 300, "phase": [
        {"kind": "threads", "locked": 2, "locked_ns": 500}, {"kind": "threads", "team": 2},
    ],
}  # fmt: skip
# One-sided communication with fences, epochs and locks; large messages; files; neighbors on a
# grid.
WINDOWS_AND_FILES: dict[str, Any] = {
    "processes": 4, "size": 300, "iterations": 2,
    "machine": {"overhead_ns": 10, "latency_ns": 100, "start_ns": 50, "eager_limit": 256},
    "phase": [
        {"kind": "rma", "imbalance": 0.8, "jitter": 0.3, "name": "fences"},
        {"kind": "rma", "synchronization": "epochs", "partners": 2, "imbalance": 0.9,
         "jitter": 0.8, "puts": 1, "name": "blocking"},
        {"kind": "rma", "synchronization": "epochs", "partners": 2, "imbalance": -0.9,
         "jitter": 0.9, "lazy": True, "accumulates": 2, "name": "lazy"},
        {"kind": "rma", "synchronization": "locks", "exclusive": 0.6, "jitter": 0.4,
         "partners": 2, "flush": True, "name": "locks"},
        {"kind": "rma", "synchronization": "locks", "lazy": True, "jitter": 0.6,
         "name": "lazy_locks"},
        {"kind": "pipeline", "blocks": 2, "bytes": 2_000_000},
        {"kind": "files", "imbalance": 0.7, "jitter": 0.3, "writes": 2, "reads": 1},
        {"kind": "collectives", "operations": ["neighbor_allgather"]},
    ],
}  # fmt: skip


def without_promises(recipe: Recipe) -> Recipe:
    return replace(
        recipe,
        queries=tuple(replace(query, needed_rows=()) for query in recipe.queries),
        python_stages=tuple(
            replace(stage, needed_rows=(), skips_empty=False) for stage in recipe.python_stages
        ),
    )


SOURCE = open_source(DATA / TRACES[0])
GRAPH = build_graph(SOURCE, standard_recipe())
STAGES = build_graph(SOURCE, without_promises(standard_recipe()))
PROMISES = {
    stage.name: stage.needed_rows
    for stage in GRAPH
    if not isinstance(stage, ReadStage) and stage.needed_rows
}


def read_all(folder: Path) -> Iterator[tuple[str, dict[str, pa.Table]]]:
    """What is read of each trace."""
    for name in TRACES:
        yield name, read_tables(DATA / name, folder)
    first = read_tables(DATA / TRACES[0], folder)
    alterations = (probe_receives, lose_records, shift_clocks, flush_buffers)
    yield ALTERED, altered(first, alterations, seed=0)
    archive = accelerated_trace().write(folder / "accelerated")
    yield "accelerated", read_tables(archive, folder)
    named = next(each for each in map(random_program, count()) if each.named_by == "stream")
    yield "streams", read_tables(write_program(named).write(folder / "streams"), folder)
    programs = {"small teams": SMALL_TEAMS, "windows and files": WINDOWS_AND_FILES}
    for name, program in programs.items():
        read = read_tables(generate(parse_spec(program, name), folder / name).anchor, folder)
        yield name, read
        losses = (find_losses, lose_accesses, lose_one_sided)
        yield f"{name} with losses", altered(read, losses, seed=0)


def test_without_the_rows_that_it_needs_a_stage_makes_none(tmp_path: Path) -> None:
    """This means something only where it otherwise makes some: in two such traces each."""
    stages = [stage for stage in STAGES if isinstance(stage, SqlStage | PythonStage)]
    traces_of = Counter[str]()
    for trace, read in read_all(tmp_path):
        with computed(PROMISES, read, stages=stages) as whole:
            tables = read | {
                table.name: whole.table(table.name) for stage in stages for table in stage.outputs
            }
        for stage in stages:
            is_made = any(tables[table.name].num_rows for table in stage.outputs)
            if stage.name in PROMISES and is_made and traces_of[stage.name] < 2:
                for group in PROMISES[stage.name]:
                    found = count_without(stage, tables, group)
                    assert found == 0, f"{stage.name} without {group} in {trace}"
                traces_of[stage.name] += 1
    assert set(traces_of) == set(PROMISES)


def count_without(stage: Stage, tables: Mapping[str, pa.Table], emptied: Sequence[str]) -> int:
    """The rows that a stage makes if some tables are empty."""
    names = {*stage.inputs, *NUMBERED} - set(emptied)
    given = {name: tables[name] for name in names}
    outputs = [table.name for table in stage.outputs]
    with computed(outputs, given, stages=[stage]) as computation:
        return sum(computation.table(name).num_rows for name in outputs)


def test_an_empty_table_has_the_types_that_a_query_would_give_it() -> None:
    with duckdb.connect() as connection:
        for table in BY_NAME.values():
            create_empty(connection, table)
            made = connection.table(table.name)
            types = [SQL_TYPES[column.type] for column in table.columns]
            assert (made.columns, list(map(str, made.types))) == (list(table.column_names), types)


def test_without_the_rows_that_it_needs_a_query_of_reports_has_none(tmp_path: Path) -> None:
    """Where it has some otherwise: in one of the traces for all but those about damage."""
    promising = [
        query for query in all_queries() if query.concept == "reports" and query.needed_rows
    ]
    meant = set[str]()
    for name in (*TRACES, write_files(tmp_path)):
        run = analyze_source(
            open_source(DATA / name), store=Store(tmp_path / "store"), options=Options(threads=1)
        ).run
        for query in promising:
            if count_rows(run, query):
                meant.add(query.relation)
                for group in query.needed_rows:
                    assert count_rows(run, query, emptied=group) == 0, query.relation
    about_damage = {"clocks", "incomplete_locations", "misread_words", "quality_findings"}
    assert meant >= {query.relation for query in promising} - about_damage


def write_files(folder: Path) -> Path:
    """A trace with file accesses."""
    spec = parse_spec(WINDOWS_AND_FILES, "windows and files")
    return generate(spec, folder / "files").anchor


def count_rows(run: Run, query: Query, emptied: Sequence[str] = ()) -> int:
    """The rows of a query of reports over a run in which some tables are empty."""
    with run.connect(threads=1, tables=()) as connection:
        for name in stored_inputs([query]):
            if name in emptied:
                create_empty(connection, BY_NAME[name])
            else:
                run.provide(connection, name)
        create_views(connection, query.inputs)
        limits = dict.fromkeys((each.name for each in query.parameters), 1_000)
        return len(connection.execute(query.statement, limits).fetchall())


# --- What is left out ----------------------------------------------------------------------------


def computed_by(recipe: Recipe, name: str, folder: Path) -> tuple[dict[str, bytes], set[str]]:
    """The tables of a trace as bytes, and the stages whose relations were computed."""
    computed: set[str] = set()
    made_by_sql, made_by_python = Engine._run_sql, Engine._run_python

    def run_sql(engine: Engine, stage: SqlStage, *rest: Any) -> None:
        computed.add(stage.name)
        made_by_sql(engine, stage, *rest)

    def run_python(engine: Engine, stage: PythonStage, *rest: Any) -> None:
        computed.add(stage.name)
        made_by_python(engine, stage, *rest)

    with patch.multiple(Engine, _run_sql=run_sql, _run_python=run_python):
        run = analyze_source(
            open_source(DATA / name), store=Store(folder), options=Options(threads=1), recipe=recipe
        ).run
    files = {
        str(file.relative_to(run.path)): file.read_bytes() for file in run.path.rglob("*.parquet")
    }
    return files, computed


@pytest.mark.parametrize("name", ["m03_ls_waitall", "m31_omp_tasks", "late_sender.csv"])
def test_tables_are_the_same_whether_or_not_empty_ones_are_computed(
    name: str, tmp_path: Path
) -> None:
    recipe = standard_recipe()
    files, computed = computed_by(recipe, name, tmp_path / "store")
    all_files, all_computed = computed_by(without_promises(recipe), name, tmp_path / "whole")
    assert files == all_files
    assert computed < all_computed


def test_what_was_reused_counts_as_rows(tmp_path: Path) -> None:
    """Messages are there, so that what they lead to is computed, though nothing is read again."""
    recipe = standard_recipe()
    files, _ = computed_by(recipe, "m03_ls_waitall", tmp_path)
    (next(tmp_path.rglob("gen=*")) / "message_sizes.parquet").unlink()
    again, computed = computed_by(recipe, "m03_ls_waitall", tmp_path)
    assert computed == {"message_sizes"}
    assert again["message_sizes.parquet"] == files["message_sizes.parquet"]
