"""SQL into files: which format, the rows as they are, whole or not there."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from tests.helpers.hand_made import late_sender_run
from tests.helpers.store_cases import publish
from tracemill import cli
from tracemill.base.errors import PipelineError, QueryError, UsageError
from tracemill.shell.outputs import choose_format, opened
from tracemill.shell.script import run_script
from tracemill.shell.session import Session
from tracemill.store.runs import Store

ROOT = Path(__file__).parents[2]


def write(script: str, path: Path, format: Any = None) -> None:
    """Of the run's tables one is there: no script here asks for any."""
    with duckdb.connect() as connection, opened(choose_format(format, path), path) as output:
        late_sender_run().fill(connection, ("visits",))
        run_script(Session.begin(connection), script, output)


def test_parquet_keeps_types_names_and_large_sums(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write(
        "SELECT n, 'a' AS \"a b\", sum(n) OVER () AS s FROM (VALUES (9007199254740993)) v (n)", path
    )
    table = pq.read_table(path)
    assert table.column_names == ["n", "a b", "s"]
    assert table.to_pylist() == [
        {"n": 9007199254740993, "a b": "a", "s": Decimal(9007199254740993)}
    ]


def test_parquet_of_no_rows_has_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write("SELECT 1 AS n LIMIT 0", path)
    assert pq.read_table(path).column_names == ["n"]
    assert pq.read_table(path).num_rows == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.csv", "n,word\n1,ä\n"),
        ("rows.json", '[\n{"n": 1, "word": "ä"}\n]\n'),
        ("ROWS.TXT", "n  word\n1  ä   \n"),
    ],
)
def test_the_suffix_chooses_the_format(tmp_path: Path, name: str, text: str) -> None:
    write("SELECT 1 AS n, 'ä' AS word", tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == text


def test_a_format_goes_before_the_suffix_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    write("SELECT 1 AS n", tmp_path / "rows.txt", "csv")
    assert (tmp_path / "rows.txt").read_text() == "n\n1\n"
    with pytest.raises(UsageError, match=r"use \.txt, \.csv, \.json, \.parquet or give --format"):
        choose_format(None, tmp_path / "rows.xlsx")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_query_that_fails_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows{suffix}"
    path.write_text("old")
    with pytest.raises(QueryError, match="half way"):
        write("SELECT if(range = 99999, error('half way'), 1) AS n FROM range(100000)", path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(PipelineError, match="no folder"):
        write("SELECT 1", tmp_path / "nosuch" / f"rows{suffix}")


@pytest.mark.parametrize(
    ("script", "said"),
    [("SELECT 1; SELECT 2", "takes one statement"), ("CREATE TABLE t (n INT)", "there is none")],
)
def test_parquet_is_one_result(tmp_path: Path, script: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        write(script, tmp_path / "rows.parquet")


def test_parquet_goes_through_a_pipe(tmp_path: Path) -> None:
    publish(Store(tmp_path / "store"), "r1")
    command = [sys.executable, "-m", "tracemill", "sql", "FROM places", "--format", "parquet"]
    done = subprocess.run(
        [*command, "--store", str(tmp_path / "store")], cwd=ROOT, capture_output=True, check=True
    )
    (tmp_path / "piped.parquet").write_bytes(done.stdout)
    assert pq.read_table(tmp_path / "piped.parquet").num_rows == 2


def test_a_closed_output_is_reported_in_a_line(tmp_path: Path) -> None:
    publish(Store(tmp_path), "r1")
    command = f"{sys.executable} -m tracemill sql 'FROM places' --store '{tmp_path}'"
    done = subprocess.run(
        ["sh", "-c", f"{command} >&-"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (PipelineError.exit_code, "")
    assert done.stderr.count("\n") == 1
    assert "standard output is closed" in done.stderr
    for closed in ("<&-", "2>&-"):
        done = subprocess.run(
            ["sh", "-c", f"{command} --format csv {closed}"], cwd=ROOT, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--harlequin", "FROM places"), "--harlequin takes no QUERY"),
        (("--harlequin", "--output", "rows.csv"), "need a QUERY"),
        (("--run", "r1", "--all-runs"), "give only one of"),
    ],
)
def test_what_does_not_go_together_is_reported(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["sql", *arguments]) == UsageError.exit_code
    assert said in capsys.readouterr().err
