"""From Python: the store opened in a line, rows as frames, mistakes in a line."""

import subprocess
import sys
from pathlib import Path

import polars
import pytest

from tests.helpers.store_cases import publish
from tracemill import open_store
from tracemill.base.errors import MissingInputError, QueryError
from tracemill.store.runs import Store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    publish(Store(tmp_path), "r1")
    publish(Store(tmp_path), "r2")
    return tmp_path


def test_five_lines_answer_a_question(store: Path) -> None:
    frame = open_store(str(store)).run("r1").sql("SELECT count(*) AS n FROM places")
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == [{"n": 2}]


def test_without_a_name_the_latest_run_is_meant(store: Path) -> None:
    opened = open_store(store)
    assert opened.runs().get_column("run_id").to_list() == ["r2", "r1"]
    assert opened.run().name.startswith("r2 ")
    assert opened.sql("SELECT 1 AS n").to_dicts() == [{"n": 1}]


def test_all_runs_are_distinguished(store: Path) -> None:
    with open_store(store).all_runs() as tables:
        counted = tables.sql("SELECT run_id, count(*) AS n FROM places GROUP BY ALL ORDER BY ALL")
        assert counted.rows() == [("r1", 2), ("r2", 2)]


def test_values_are_given_by_name(store: Path) -> None:
    with open_store(store).run() as tables:
        query = "SELECT location_id FROM places WHERE location_id >= $least::INT"
        assert tables.sql(query, least=1).rows() == [(1,)]
        assert tables.names == ["places"]


def test_several_statements_return_the_last_rows(store: Path) -> None:
    with open_store(store).run() as tables:
        assert tables.sql("CREATE TABLE mine AS FROM places; FROM mine").height == 2
        assert tables.sql("SELECT count(*) AS n FROM mine").rows() == [(2,)]
        assert tables.sql("DROP TABLE mine").is_empty()
        assert tables.sql("PIVOT places ON kind USING count(*) GROUP BY location_id").height == 2


def test_mistakes_are_reported_in_a_line(store: Path) -> None:
    with open_store(store).run() as tables:
        with pytest.raises(QueryError, match="no table place: did you mean places"):
            tables.sql("FROM place")
        with pytest.raises(QueryError, match="read-only"):
            tables.sql("DROP VIEW places")
        with pytest.raises(QueryError, match="no value for \\$least"):
            tables.sql("SELECT $least::INT")
    with pytest.raises(MissingInputError, match="no run r3"):
        open_store(store).run("r3")
    with pytest.raises(MissingInputError, match="no store"):
        open_store(store / "nosuch")


def test_the_package_itself_imports_nothing() -> None:
    script = "import tracemill, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert {"polars", "duckdb", "rich", "pyarrow"}.isdisjoint(done.stdout.split())
