"""What a SELECT reads is what DuckDB needs to run it, and nothing else is a SELECT."""

import duckdb
import pytest

from tracemill.base.errors import QueryError
from tracemill.sql.reads import reads_of

# Expected tables were worked out by hand; the binder of DuckDB, which is asked below, agrees.
TABLES = {
    "SELECT 1": "",
    "FROM a": "a",
    "FROM (VALUES (1)) v(x)": "",
    "FROM a JOIN b USING (x), LATERAL (FROM c)": "a b c",
    "FROM a SEMI JOIN b USING (x)": "a b",
    "SELECT (SELECT max(x) FROM b) FROM a WHERE x IN (FROM c) ORDER BY (SELECT min(x) FROM d)":
        "a b c d",
    "FROM a UNION ALL (FROM b EXCEPT FROM c)": "a b c",
    "SELECT b.x FROM a AS b": "a",
    "PIVOT a ON x IN (1) USING count(*)": "a",
    # What WITH defines is no table, whatever the case of its letters,
    "WITH m AS (FROM a) FROM m": "a",
    "WITH M AS (FROM a) FROM m": "a",
    "WITH m AS (FROM a), n AS (FROM m) FROM n JOIN m USING (x)": "a",
    "WITH m AS (SELECT 1 AS x) SELECT (SELECT max(x) FROM (FROM m))": "",
    "WITH m AS (SELECT 1 AS x) (FROM m UNION ALL FROM a)": "a",
    # but only where it holds: not in its own body, before it, beside it, or above it.
    "WITH a AS (FROM a) FROM a": "a",
    "WITH m AS (FROM a), a AS (SELECT 1 AS x) FROM m JOIN a USING (x)": "a",
    "SELECT * FROM (WITH a AS (SELECT 1 AS x) FROM a), a": "a",
    "FROM (WITH a AS (SELECT 1 AS x) FROM a) UNION ALL FROM a": "a",
    "WITH m AS (WITH a AS (SELECT 1 AS x) FROM a) FROM m JOIN a USING (x)": "a",
    "WITH a AS (SELECT 1 AS x) FROM (WITH a AS (FROM a) FROM a)": "",
    # A recursion reads itself where it repeats, and a table of its name where it begins.
    "WITH RECURSIVE m AS (SELECT x FROM a UNION ALL SELECT x + 1 FROM m WHERE x < 3) FROM m": "a",
    "WITH RECURSIVE a AS (SELECT x FROM a UNION ALL SELECT x + 1 FROM a WHERE x < 3) FROM a": "a",
    "WITH RECURSIVE m AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM m WHERE x < 3) FROM m": "",
    "WITH RECURSIVE a AS (FROM a) FROM a": "a",
    "WITH RECURSIVE m(x, y) USING KEY (x) AS (SELECT 1, 1 UNION SELECT r.x, r.y + 1 "
    "FROM recurring.m AS r WHERE y < 3) FROM m": "",
}  # fmt: skip


def binds(text: str, tables: set[str]) -> bool:
    with duckdb.connect() as connection:
        for name in tables:
            connection.execute(f"CREATE TABLE {name} (x BIGINT)")
        try:
            connection.execute(f"EXPLAIN {text}").fetchall()
        except (duckdb.CatalogException, duckdb.BinderException):
            return False
    return True


@pytest.mark.parametrize(("text", "expected"), TABLES.items())
def test_tables_are_those_without_which_it_cannot_run(text: str, expected: str) -> None:
    tables = set(expected.split())
    assert reads_of(text).tables == tables
    assert binds(text, tables)
    assert not any(binds(text, tables - {name}) for name in tables)


def test_files_and_other_schemas_are_read_too() -> None:
    assert reads_of("FROM 'some file.parquet'").tables == {"some file.parquet"}
    assert reads_of("FROM information_schema.tables").tables == {"information_schema.tables"}
    assert reads_of("WITH a AS (SELECT 1) FROM main.a").tables == {"main.a"}


def test_functions_are_those_that_rows_come_from() -> None:
    text = "SELECT upper(x) FROM READ_CSV('f'), range(3), LATERAL (FROM glob('*')), unnest([1])"
    assert reads_of(text).functions == {"read_csv", "range", "glob", "unnest"}
    assert reads_of("FROM (SHOW TABLES)").functions == {"SHOW"}
    assert reads_of("FROM (DESCRIBE a)").functions == set()


def test_parameters_are_those_it_takes() -> None:
    assert reads_of("SELECT $least + $most FROM a WHERE x > $least").parameters == {"least", "most"}
    assert reads_of("SELECT '$least' -- $most").parameters == set()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INSERT INTO a VALUES (1)", "the SQL is no SELECT"),
        ("CREATE TABLE a AS SELECT 1", "the SQL is no SELECT"),
        ("COPY a TO 'file.csv'", "the SQL is no SELECT"),
        ("SELECT 1; DROP TABLE a", "the SQL is no SELECT"),
        ("FROM (PIVOT a ON x)", "or has a PIVOT without IN"),
        ("SELECT 1; SELECT 2", "the SQL holds 2 statements"),
        ("-- nothing", "the SQL holds 0 statements"),
        ("-- µs\nSELECT x\nFROM a WHERE WHERE", 'at or near "WHERE" in line 3$'),
        ("SELECT $least, ?", "the SQL cannot be read: Mixing"),
    ],
)
def test_what_is_not_a_single_select_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as caught:
        reads_of(text)
    assert "\n" not in str(caught.value)
