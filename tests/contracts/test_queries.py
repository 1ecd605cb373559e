"""Query files match their headers and make the tables that the schemas declare."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tracemill.base.errors import QueryError
from tracemill.campaign.source import CampaignSource
from tracemill.engine.graph import build_graph
from tracemill.engine.recipe import Recipe, campaign_recipe, standard_recipe
from tracemill.patterns.catalog import catalog, known_tables, table_of
from tracemill.patterns.checks import HARMLESS_FUNCTIONS
from tracemill.patterns.results import statement_of
from tracemill.readers.otf2.source import Otf2Source
from tracemill.schemas import CAMPAIGN_TABLES, TABLES, Table
from tracemill.schemas.columns import METRIC
from tracemill.schemas.patterns import FINDING_COLUMNS
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT8, INT16, INT32, INT64, STRING
from tracemill.schemas.wait_states import WAIT_COLUMNS
from tracemill.sql.folders import QUERIES
from tracemill.sql.query_files import (
    Parameter,
    Query,
    all_queries,
    known_parameters,
    load_query,
    read_query,
    run_queries,
)
from tracemill.sql.reads import parse_statement, reads_of
from tracemill.stages.replays import GRAPH_INPUTS

BY_NAME = known_tables()
SQL_TYPES = {
    INT8: "TINYINT",
    INT16: "SMALLINT",
    INT32: "INTEGER",
    INT64: "BIGINT",
    FLOAT64: "DOUBLE",
    BOOL: "BOOLEAN",
    STRING: "VARCHAR",
    ENUM: "VARCHAR",
}
reads = cache(reads_of)
# Inputs of the queries that complete patterns: a metric, and all columns of findings and waits.
GIVEN = {
    "pattern_metric": (METRIC,),
    "pattern_result": tuple(
        {each.name: each for each in (*FINDING_COLUMNS, *WAIT_COLUMNS)}.values()
    ),
}
SAMPLES = {"BIGINT": 1, "INTEGER": 1, "DOUBLE": 1.0, "BOOLEAN": True, "VARCHAR": "x", "": 1}

STAGES = [query for query in all_queries() if query.is_stage]
ANSWERS = [query for query in all_queries() if not query.is_stage]
# Queries over several runs.
GATHERING = [query for query in ANSWERS if query.concept == "gathering"]
COMPARING = [query for query in ANSWERS if query.concept == "comparison"]


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Every declared table, without rows."""
    with duckdb.connect() as connection:
        declare_tables(connection)
        yield connection


@pytest.fixture(scope="module")
def database_of_runs() -> Iterator[duckdb.DuckDBPyConnection]:
    """The same with a column run_id, as for several runs."""
    with duckdb.connect() as connection:
        declare_tables(connection, {"run_id": "VARCHAR"})
        yield connection


def declare_tables(
    connection: duckdb.DuckDBPyConnection, more: Mapping[str, str] = MappingProxyType({})
) -> None:
    for name, declared in (
        {table.name: table.columns for table in BY_NAME.values()} | GIVEN
    ).items():
        columns = more | {column.name: SQL_TYPES[column.type] for column in declared}
        listed = ", ".join(f'"{column}" {type}' for column, type in columns.items())
        connection.execute(f"CREATE TABLE {name} ({listed})")


def words(text: str) -> list[str]:
    """A text without regard to case and punctuation."""
    return re.findall(r"[\w-]+", text.lower())


def samples(query: Query) -> dict[str, Any]:
    return {p.name: SAMPLES[p.type] if p.default is None else p.default for p in query.parameters}


# --- Query files ---------------------------------------------------------------------------------


def test_there_are_queries() -> None:
    assert STAGES
    assert len(all_queries()) == len(list(QUERIES.rglob("*.sql")))


def test_queries_of_runs_are_known_by_their_folders() -> None:
    made = [query for query in all_queries() if query.is_stage and not query.is_of_campaigns]
    assert list(run_queries()) == made


def test_headers_have_all_fields_in_order() -> None:
    for query in all_queries():
        assert query.description
        assert query.grain
        assert (query.source and query.assumes) or not query.is_stage
        order = (
            "Grain:", "Inputs:", "Needs rows:", "Output:", "Parameters:", "Pattern:", "Metrics:",
            "Source:", "Assumes:",
        )  # fmt: skip
        positions = [query.text.find(f"\n-- {field}") for field in order]
        assert [at for at in positions if at >= 0] == sorted(at for at in positions if at >= 0)


def test_inputs_are_the_tables_duckdb_reads() -> None:
    for query in all_queries():
        assert sorted(query.inputs) == sorted(reads(query.text).tables)
        assert set(query.inputs) <= {*BY_NAME, *GIVEN}


def test_rows_come_from_inputs_alone() -> None:
    """The same list of functions holds for users' patterns."""

    for query in all_queries():
        assert reads(query.text).functions <= HARMLESS_FUNCTIONS


def test_parameters_are_those_duckdb_finds() -> None:
    for query in all_queries():
        assert {each.name for each in query.parameters} == reads(query.text).parameters
        for parameter in query.parameters:
            assert parameter.meaning
            assert f"${parameter.name}::" in query.text, "a parameter is cast where it is used"


def test_a_stage_needs_no_parameter_without_default() -> None:
    for query in STAGES:
        assert all(parameter.has_default and parameter.type for parameter in query.parameters)


def test_the_result_is_the_declared_table(database: duckdb.DuckDBPyConnection) -> None:
    for query in STAGES:
        table = BY_NAME[query.output]
        result = database.sql(statement_of(query), params=samples(query))
        described = list(zip(result.columns, map(str, result.types), strict=True))
        assert described == [(column.name, SQL_TYPES[column.type]) for column in table.columns]


def test_a_query_for_reports_can_be_run(database: duckdb.DuckDBPyConnection) -> None:
    for query in ANSWERS:
        if query not in GATHERING + COMPARING:
            assert database.sql(query.text, params=samples(query)).columns


def test_a_query_for_comparisons_can_be_run(database_of_runs: duckdb.DuckDBPyConnection) -> None:
    for query in COMPARING:
        assert database_of_runs.sql(query.text, params=samples(query)).columns


def test_gathered_rows_have_a_run_id_and_fit_their_table(
    database_of_runs: duckdb.DuckDBPyConnection,
) -> None:
    for query in GATHERING:
        result = database_of_runs.sql(query.text, params=samples(query))
        described = dict(zip(result.columns, map(str, result.types), strict=True))
        assert result.columns[0] == "run_id"
        names = re.findall(r"\w+", query.output.removeprefix("campaign tables "))
        for table in (BY_NAME[name] for name in names if name in BY_NAME):
            fits = {c.name: SQL_TYPES[c.type] for c in table.columns if c.name in described}
            assert fits == {name: described[name] for name in fits}, table.name
            left = set(table.column_names) - set(described) - {"campaign_run_id"}
            assert not left or table.name == "campaign_runs"


def test_the_file_is_named_like_its_table() -> None:
    for query in STAGES:
        assert query.output == query.path.stem == query.relation
        assert query.output in BY_NAME


def test_query_and_schema_name_the_same_grain() -> None:
    for query in STAGES:
        assert query.grain.startswith("one row")
        assert words(query.grain) == words(BY_NAME[query.output].grain)


def test_what_is_stored_has_a_total_order_of_its_own() -> None:
    """All columns of the key are in ORDER BY, so no order of rows is left open."""

    for query in STAGES:
        if BY_NAME[query.output].is_transient or query.pattern:  # these are ordered when completed
            continue
        ordering = [
            m
            for m in parse_statement(statement_of(query))["node"]["modifiers"]
            if m["type"] == "ORDER_MODIFIER"
        ]
        assert len(ordering) == 1, "the last clause is ORDER BY"
        terms = [order["expression"] for order in ordering[0]["orders"]]
        names = {term["column_names"][-1] for term in terms if "column_names" in term}
        is_everything = any(term.get("class") == "STAR" for term in terms)
        assert is_everything or set(BY_NAME[query.output].key) <= names


def test_parameters_of_one_name_are_declared_alike() -> None:
    known_parameters(STAGES)


# --- Tables --------------------------------------------------------------------------------------


TABLES_OF_RUNS = (*TABLES, *(table_of(query) for query in catalog()))
RECIPES = [
    (Otf2Source.tables, standard_recipe(), TABLES_OF_RUNS),
    (CampaignSource.tables, campaign_recipe(), CAMPAIGN_TABLES),
]
of_both_kinds = pytest.mark.parametrize(
    ("source_tables", "recipe", "tables"), RECIPES, ids=["runs", "campaigns"]
)


@of_both_kinds
def test_every_table_is_made_by_exactly_one_stage(
    source_tables: tuple[Table, ...], recipe: Recipe, tables: tuple[Table, ...]
) -> None:
    makers = Counter(table.name for table in source_tables)
    makers += Counter(query.output for query in recipe.queries if query.is_stage)
    makers += Counter(table.name for stage in recipe.python_stages for table in stage.outputs)
    assert {name: count for name, count in makers.items() if count != 1} == {}
    assert set(makers) == {table.name for table in tables}


@of_both_kinds
def test_the_stages_have_an_order(
    source_tables: tuple[Table, ...], recipe: Recipe, tables: tuple[Table, ...]
) -> None:
    class AnySource:
        tables = source_tables

    graph = build_graph(AnySource(), recipe)  # type: ignore[arg-type]
    made: set[str] = set()
    for stage in graph:
        assert set(stage.inputs) <= made
        made |= {table.name for table in stage.outputs}
    assert made == {table.name for table in tables}


def test_every_transient_table_is_read() -> None:
    read = {name for query in all_queries() for name in query.inputs}
    read |= {name for stage in standard_recipe().python_stages for name in stage.inputs}
    read |= set(GRAPH_INPUTS)  # commands that run a trace again
    assert {table.name for table in TABLES_OF_RUNS if table.is_transient} <= read


# Queries that no report or stage runs.
ON_DEMAND = ("export", "cookbook", "campaign_cookbook")
# Tables that no query reads: users read them in SQL.
FOR_USERS = {
    "calling_contexts": "stacks of sampled traces",
    "visit_sums": "how many visits a row of visits stands for",
}


def test_every_stored_table_is_read_or_is_for_users() -> None:
    queries = [query for query in all_queries() if query.concept not in ON_DEMAND]
    read = {name for query in queries for name in query.inputs}
    read |= {name for stage in standard_recipe().python_stages for name in stage.inputs}
    stored = {table.name for table in TABLES if not table.is_transient}
    assert stored - read == set(FOR_USERS)
    assert all(FOR_USERS.values())


def test_duckdb_reads_a_stored_table_with_the_declared_types(tmp_path: Path) -> None:
    from tracemill.store.parquet import write_empty

    with duckdb.connect() as connection:
        for table in BY_NAME.values():
            file = tmp_path / f"{table.name}.parquet"
            write_empty(table, file)
            found = connection.sql(f"FROM read_parquet('{file}')")
            assert found.columns == list(table.column_names)
            types = [SQL_TYPES[column.type] for column in table.columns]
            assert list(map(str, found.types)) == types


# --- Reading headers -----------------------------------------------------------------------------

HEADER = """\
-- Waits that last. A second sentence
-- on a second line.
--
--     a picture
--
-- Grain:      one row per wait
-- Inputs:     messages, visits,
--             call_paths
-- Needs rows: visits, messages or
--             call_paths
-- Output:     waits
-- Parameters: $min_wait_ns  shorter waits are left out (BIGINT, default 1_000)
--             $factor       a factor that is explained on
--                           two lines (DOUBLE, default 0.5)
--             $kind         which kind (VARCHAR, default 'all')
--             $is_strict    whether to be strict (BOOLEAN, default false)
--             $row_limit    only the first rows (of many)
-- Source:     a book
-- Assumes:    nothing
SELECT 1 -- Grain: not a header any more
"""


def header(tmp_path: Path, text: str) -> Query:
    path = tmp_path / "concept" / "waits.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return read_query(path)


def test_a_header_is_read(tmp_path: Path) -> None:
    query = header(tmp_path, HEADER)
    assert query.description == "Waits that last. A second sentence on a second line."
    assert query.grain == "one row per wait"
    assert query.inputs == ("messages", "visits", "call_paths")
    assert query.needed_rows == (("visits",), ("messages", "call_paths"))
    assert (query.concept, query.relation, query.output) == ("concept", "waits", "waits")
    assert query.parameters == (
        Parameter(
            name="min_wait_ns", meaning="shorter waits are left out", type="BIGINT", default=1000
        ),
        Parameter(
            name="factor",
            meaning="a factor that is explained on two lines",
            type="DOUBLE",
            default=0.5,
        ),
        Parameter(name="kind", meaning="which kind", type="VARCHAR", default="all"),
        Parameter(name="is_strict", meaning="whether to be strict", type="BOOLEAN", default=False),
        Parameter(name="row_limit", meaning="only the first rows (of many)"),
    )
    assert (query.source, query.assumes) == ("a book", "nothing")


def test_values_are_bound_to_the_parameters_of_a_query(tmp_path: Path) -> None:
    query = header(tmp_path, HEADER)
    assert query.bind({"row_limit": 5, "factor": 2.0, "of_another_query": 1}) == {
        "min_wait_ns": 1000, "factor": 2.0, "kind": "all", "is_strict": False, "row_limit": 5,
    }  # fmt: skip
    with pytest.raises(QueryError, match=r"no value for \$row_limit"):
        query.bind({})


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("-- Grain:      one row per wait\n", "", "the header lacks Grain"),
        ("-- Waits that last. A second sentence\n-- on a second line.\n--\n--     a picture\n--\n",
         "", "the header lacks a description"),
        ("rows: visits", "rows: waits", "Needs rows names waits: .*: name only what Inputs lists"),
        ("BIGINT, default 1_000", "BIGINT, default many", "default many is no BIGINT"),
        ("BIGINT, default 1_000", "TEXT, default 1", "parameter cannot be read"),
        ("$min_wait_ns  shorter", "min_wait_ns  shorter", "neither none nor a list"),
    ],
)  # fmt: skip
def test_bad_headers_are_refused(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in HEADER
    with pytest.raises(QueryError, match=message):
        header(tmp_path, HEADER.replace(before, after))


def test_the_error_for_an_unknown_query_lists_all_queries() -> None:
    with pytest.raises(QueryError, match=f"no query none: .*{STAGES[0].relation}"):
        load_query("none")


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    header(tmp_path, HEADER)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "waits.sql").write_text(HEADER)
    with pytest.raises(QueryError, match="waits: several files have this name"):
        all_queries(tmp_path)


def test_parameters_that_differ_between_queries_are_refused(tmp_path: Path) -> None:
    first = header(tmp_path, HEADER)
    second = header(tmp_path, HEADER.replace("default 1_000", "default 5"))
    with pytest.raises(QueryError, match=r"\$min_wait_ns has another type or default elsewhere"):
        known_parameters([first, second])


def test_an_integer_fits_where_a_number_with_fraction_is_declared() -> None:
    from tracemill.sql.query_files import check_values

    known = {"factor": Parameter(name="factor", meaning=".", type="DOUBLE", default=0.5)}
    check_values({"factor": 2}, known)
    with pytest.raises(QueryError, match="of type DOUBLE"):
        check_values({"factor": pa.scalar(1)}, known)


def test_views_give_the_columns_they_declare_of_one_run_and_of_several(
    database: duckdb.DuckDBPyConnection, database_of_runs: duckdb.DuckDBPyConnection
) -> None:
    for query in all_queries():
        if query.concept == "views":
            declared = {
                column.name: SQL_TYPES[column.type] for column in BY_NAME[query.output].columns
            }
            one, several = (each.sql(query.text) for each in (database, database_of_runs))
            assert dict(zip(one.columns, map(str, one.types), strict=True)) == declared
            assert several.columns == ["run_id", *one.columns]
            assert several.types[1:] == one.types
