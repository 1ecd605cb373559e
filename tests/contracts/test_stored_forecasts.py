"""Forecasts in a store: published whole, readable by SQL, and never taken for runs."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.helpers.store_cases import publish as publish_run
from tracemill import cli
from tracemill.api import open_store
from tracemill.base.errors import BrokenContractError
from tracemill.base.temporary import temporary_name
from tracemill.schemas.forecasts import FORECAST_CHANNELS, FORECASTS
from tracemill.store.forecasts import FOLDER, files_of, has_forecasts, publish, read
from tracemill.store.runs import Store
from tracemill.store.usage import measure


def channels(forecast_id: str, *, busy_ns: int = 4) -> pa.Table:
    row = {
        "forecast_id": forecast_id,
        "level": "node",
        "transfers": 1.0,
        "bytes": 3,
        "busy_ns": busy_ns,
        "busy_ratio": 0.5,
    }
    return pa.Table.from_pylist([row], schema=FORECAST_CHANNELS.arrow_schema)


def test_a_folder_holds_the_files_of_its_tables(tmp_path: Path) -> None:
    folder = publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")})
    assert folder == tmp_path / FOLDER / "forecast=a"
    assert os.listdir(tmp_path / FOLDER) == ["forecast=a"]
    assert os.listdir(folder) == ["forecast_channels.parquet"]
    assert read(tmp_path, "forecast=a", FORECAST_CHANNELS) == channels("a")
    assert read(tmp_path, "forecast=b", FORECAST_CHANNELS) is None


def test_an_equal_folder_stays_and_another_replaces_it(tmp_path: Path) -> None:
    first = publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")}).stat().st_ino
    equal = publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")}).stat().st_ino
    other = publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a", busy_ns=5)})
    assert first == equal
    assert read(tmp_path, "forecast=a", FORECAST_CHANNELS) == channels("a", busy_ns=5)
    assert os.listdir(tmp_path / FOLDER) == [other.name]


def test_a_table_that_breaks_its_schema_publishes_nothing(tmp_path: Path) -> None:
    tables = {FORECAST_CHANNELS: channels("a", busy_ns=-1), FORECASTS: FORECASTS.empty()}
    with pytest.raises(BrokenContractError, match="busy_ns is at least 0"):
        publish(tmp_path, "forecast=a", tables)
    assert os.listdir(tmp_path / FOLDER) == []


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    publish(tmp_path, "forecast=a", {FORECASTS: FORECASTS.empty()})
    assert read(tmp_path, "forecast=a", FORECASTS) == FORECASTS.empty()


def test_sql_reads_all_forecasts_without_any_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        publish(tmp_path, f"forecast={name}", {FORECAST_CHANNELS: channels(name)})
    query = "SELECT forecast_id, busy_ns FROM forecast_channels ORDER BY ALL"
    assert cli.main(["sql", query, "--store", str(tmp_path), "--format", "csv"]) == 0
    assert capfd.readouterr().out == "forecast_id,busy_ns\na,4\nb,4\n"
    with open_store(tmp_path).forecasts() as tables:
        assert tables.names == ["forecast_channels"]


def test_sql_reads_forecasts_beside_a_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    publish_run(Store(tmp_path), "r1")
    publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")})
    query = "SELECT level FROM forecast_channels, places LIMIT 1"
    for option in (["--run", "r1"], ["--all-runs"], []):
        assert cli.main(["sql", query, "--store", str(tmp_path), "--format", "csv", *option]) == 0
        assert capfd.readouterr().out == "level\nnode\n"


def test_forecasts_are_no_runs(tmp_path: Path) -> None:
    publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")})
    assert has_forecasts(tmp_path)
    assert Store(tmp_path).summaries() == []
    assert Store(tmp_path).campaigns.summaries() == []
    assert [use.kind for use in measure(tmp_path) if use.count] == ["forecasts"]
    limits = ["--older-than", "0s", "--grace", "0s", "--max-size", "1KB"]
    assert cli.main(["prune", *limits, "--store", str(tmp_path)]) == 0
    assert files_of(tmp_path, "forecast_channels")


def test_what_a_killed_writer_left_is_not_read_and_is_swept(tmp_path: Path) -> None:
    folder = publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")})
    dead = temporary_name("forecast").replace(f"~{os.getpid()}~", "~999999999~")
    folder.rename(folder.with_name(dead))
    assert not has_forecasts(tmp_path)
    assert [path.name for path in Store(tmp_path).sweep()] == [dead]


def test_unreadable_files_are_left_out(tmp_path: Path) -> None:
    for name in ("a", "b"):
        publish(tmp_path, f"forecast={name}", {FORECAST_CHANNELS: channels(name)})
    (tmp_path / FOLDER / "forecast=a" / "forecast_channels.parquet").write_bytes(b"PAR1")
    with open_store(tmp_path).forecasts() as tables:
        assert tables.sql("SELECT forecast_id FROM forecast_channels").rows() == [("b",)]
    (tmp_path / FOLDER / "forecast=b" / "forecast_channels.parquet").write_bytes(b"")
    with open_store(tmp_path).forecasts() as tables:
        assert tables.names == []


def test_folders_of_earlier_versions_have_null_for_new_columns(tmp_path: Path) -> None:
    publish(tmp_path, "forecast=a", {FORECAST_CHANNELS: channels("a")})
    earlier = tmp_path / FOLDER / "forecast=b"
    earlier.mkdir()
    pq.write_table(channels("b").drop(["bytes"]), earlier / "forecast_channels.parquet")
    with open_store(tmp_path).forecasts() as tables:
        found = tables.sql("SELECT forecast_id, bytes FROM forecast_channels ORDER BY ALL")
    assert found.rows() == [("a", 3), ("b", None)]


def test_all_tables_of_forecasts_are_explained(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tables"]) == 0
    assert "\nforecast_intervals\t" in capfd.readouterr().out
    assert cli.main(["tables", "forecast_intervals"]) == 0
    assert "rule: lost_is_the_sum_of_its_parts" in capfd.readouterr().out
