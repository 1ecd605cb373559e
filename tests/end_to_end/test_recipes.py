"""Mistakes in queries and stages are reported in one line, and nothing is left behind."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tests.helpers.fake_source import (
    DOUBLE,
    DOUBLED,
    QUERY_TEXTS,
    RANKING,
    TABLES,
    Case,
    write_recipe,
)
from tracemill.base.errors import BrokenContractError, PipelineError, QueryError, StoreError
from tracemill.engine.recipe import Recipe
from tracemill.schemas import Column, Table
from tracemill.schemas.table import INT64
from tracemill.sql.failures import StreamError, stage_errors
from tracemill.stages.stage import PythonStage
from tracemill.store.failures import UnwritableStoreError


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def recipe_with(case: Case, **changed: str) -> Recipe:
    return write_recipe(case.folder / "queries", **changed)


def test_an_input_nobody_makes_is_named(case: Case) -> None:
    text = QUERY_TEXTS["ranking"].replace("Inputs:     place_totals", "Inputs:     totals")
    case.recipe = recipe_with(case, ranking=text)
    with pytest.raises(QueryError, match="ranking: nothing makes totals: tables present: doubled"):
        case.analyze()
    assert not case.store.path.exists()


def test_a_circle_is_named(case: Case) -> None:
    text = QUERY_TEXTS["long_stays"].replace("Inputs:     stays", "Inputs:     ranking")
    case.recipe = recipe_with(case, long_stays=text)
    message = "ranking needs place_totals, which needs long_stays, which needs ranking"
    with pytest.raises(QueryError, match=message):
        case.analyze()


def test_a_table_made_twice_is_named(case: Case) -> None:
    stage = replace(DOUBLE, name="again", outputs=(RANKING,))
    case.recipe = replace(case.recipe, python_stages=(DOUBLE, stage))
    with pytest.raises(QueryError, match="ranking is made twice: by ranking and again"):
        case.analyze()


def test_the_trace_is_read_before_anything_else(case: Case) -> None:
    text = QUERY_TEXTS["long_stays"].replace("Inputs:     stays", "Inputs:     none")
    text = text.replace(
        "FROM stays\n", "FROM (VALUES (0, 0, 50)) AS v (location_id, visit_id, duration_ns)\n"
    )
    case.recipe = recipe_with(case, long_stays=text)
    assert list(case.analyze().stage_seconds)[:2] == ["read", "long_stays"]


def test_two_stages_of_one_name_are_refused(case: Case) -> None:
    stage = replace(DOUBLE, name="ranking")
    case.recipe = replace(case.recipe, python_stages=(stage,))
    with pytest.raises(QueryError, match="2 stages are called ranking"):
        case.analyze()


def test_a_query_for_an_undeclared_table_is_named(case: Case) -> None:
    tables = {name: table for name, table in TABLES.items() if name != "ranking"}
    case.recipe = replace(case.recipe, tables=tables)
    with pytest.raises(QueryError, match="ranking: the schemas have no such table"):
        case.analyze()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"min_stay": 1, "factor": 3},
            r"no query takes \$min_stay: parameters present: \$min_stay_ns",
        ),
        ({"min_stay_ns": "1"}, r"\$min_stay_ns must be of type BIGINT: '1' is not"),
        ({"min_stay_ns": True}, r"\$min_stay_ns must be of type BIGINT"),
    ],
)
def test_values_that_fit_no_parameter_are_refused(
    case: Case, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        case.analyze(parameters=parameters)


def test_a_parameter_without_value_is_named(case: Case) -> None:
    text = QUERY_TEXTS["long_stays"].replace(" (BIGINT, default 20)", "")
    case.recipe = recipe_with(case, long_stays=text)
    with pytest.raises(QueryError, match=r"long_stays: no value for \$min_stay_ns"):
        case.analyze()
    assert case.analyze(parameters={"min_stay_ns": 20}).is_new


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("FROM stays", "FROM stayed", "stay_counts: the query failed: .*stayed"),
        ("SELECT location_id,", "SELECT", "the query's columns are stay_count; the schema"),
        ("count(*) AS", "count(*) - 9 AS", "stay_count is at least 0 fails for 2 rows"),
        ("count(*) AS", "location_id / 0 AS", "stay_counts: stay_count is no int64: Float value"),
    ],
)
def test_a_query_that_fails_is_named_and_nothing_is_left(
    case: Case, before: str, after: str, message: str
) -> None:
    text = QUERY_TEXTS["stay_counts"].replace(before, after, 1)
    case.recipe = recipe_with(case, stay_counts=text)
    with pytest.raises((QueryError, BrokenContractError), match=message) as caught:
        case.analyze()
    assert "\n" not in str(caught.value)
    assert list(case.store.runs_path.iterdir()) == []


# 1KB does not even suffice to open a file, 200KB not for the first query.
@pytest.mark.parametrize("limit", ["1KB", "200KB"])
def test_hardly_any_memory_is_reported_wherever_it_lacks(case: Case, limit: str) -> None:
    message = r"^\w+: not enough memory: .*--memory-limit"
    with pytest.raises(QueryError, match=message) as caught:
        case.analyze(memory_limit=limit)
    assert "\n" not in str(caught.value)
    assert list(case.store.runs_path.iterdir()) == []


def test_a_query_that_fails_while_its_rows_are_written_is_reported(case: Case) -> None:
    # Enough rows that some are handed out before the bad one is met.
    bad = "CASE WHEN range = 2900000 THEN error('too far') ELSE range END"
    header = QUERY_TEXTS["stay_counts"].split("SELECT")[0].replace("stays", "none", 1)
    text = f"{header}SELECT range AS location_id, {bad} AS stay_count FROM range(3000000)"
    case.recipe = recipe_with(case, stay_counts=text)
    with pytest.raises(QueryError, match=r"stay_counts: the query failed: .*too far") as caught:
        case.analyze()
    assert "\n" not in str(caught.value)
    assert list(case.store.runs_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (
            duckdb.IOException("IO Error: No space left on device"),
            UnwritableStoreError,
            "the store is full",
        ),
        (
            duckdb.IOException("IO Error: Disk quota exceeded"),
            UnwritableStoreError,
            "the store is full",
        ),
        (
            duckdb.OutOfMemoryException("Out of Memory Error: blocks cannot be offloaded to disk"),
            StoreError,
            "no room for intermediate data: ranking: .*free disk space",
        ),
        (duckdb.OutOfMemoryException("Out of Memory Error: x"), QueryError, "not enough memory"),
        (MemoryError(), QueryError, "not enough memory: MemoryError: "),
        (StreamError("Out of Memory Error: x\n\nhints"), QueryError, "not enough memory: .* x:"),
        (duckdb.BinderException("Binder Error: x\nLINE 1"), QueryError, "the query failed: B"),
    ],
)  # fmt: skip
def test_every_failure_of_duckdb_says_what_to_do(
    error: Exception, kind: type[PipelineError], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught, stage_errors("ranking"):
        raise error
    assert "\n" not in str(caught.value)
    assert type(caught.value) is kind


def test_too_little_memory_is_reported(case: Case) -> None:
    text = QUERY_TEXTS["stay_counts"].replace("count(*)", "len(list(range))")
    text = text.replace("FROM stays", "FROM stays, range(20000000)")
    case.recipe = recipe_with(case, stay_counts=text)
    with pytest.raises(QueryError, match=r"stay_counts: not enough memory: .*--memory-limit"):
        case.analyze(memory_limit="20MB")


def test_python_stages_may_make_several_tables_some_of_them_transient(case: Case) -> None:
    halves = Table(
        name="halves",
        meaning=".",
        grain=".",
        key=("duration_ns",),
        is_transient=True,
        columns=(Column(name="duration_ns", type=INT64, meaning="."),),
    )
    from_halves = replace(halves, name="from_halves", is_transient=False)

    def compute(place_totals: object) -> tuple[object, object]:
        totals = place_totals.to_arrow_table()  # type: ignore[attr-defined]
        return totals, totals.select(["duration_ns"])

    def copy(halves: object) -> object:
        return halves.to_arrow_reader()  # type: ignore[attr-defined]

    named = {"modules": ("tests.helpers.fake_source",), "parameters": {}}
    stages = (
        PythonStage(name="split", inputs=("place_totals",), outputs=(DOUBLED, halves),
                    compute=compute, **named),
        PythonStage(name="copy", inputs=("halves",), outputs=(from_halves,),
                    compute=copy, **named),
    )  # fmt: skip
    case.recipe = replace(case.recipe, python_stages=stages)
    analysis = case.analyze()
    assert analysis.run.read("from_halves")["duration_ns"].to_pylist() == [20, 70]
    assert not (analysis.run.path / "halves.parquet").exists()
