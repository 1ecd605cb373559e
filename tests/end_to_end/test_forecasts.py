"""The shipped example from its description to tables, pages and SQL."""

import json
from pathlib import Path

import pytest

from tracemill import cli, open_store

DATA = Path(__file__).parents[2] / "data"
JACOBI = str(DATA / "programs" / "jacobi.toml")
CLUSTER = ["--cluster", str(DATA / "clusters" / "mvs-15k.toml")]

# Run times in ns by an independent simulation of Jacobi's method on MVS-15K.
TIMES = {
    ("rows", "8"): 216_510_990,
    ("rows", "64"): 42_108_940,
    ("rows", "110"): 36_600_480,
    ("blocks", "2x4"): 211_851_310,
    ("blocks", "4x16"): 36_818_380,
    ("blocks", "9x12"): 31_702_440,
    ("blocks", "7x16"): 31_807_070,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All forecasts of the example."""
    path = tmp_path_factory.mktemp("forecasts") / "store"
    for variant, grid in TIMES:
        chosen = ["--variant", variant, "--grid", grid, "--compare-full"]
        assert cli.main(["forecast", JACOBI, *CLUSTER, *chosen, "--store", str(path)]) == 0
    return path


def test_run_times_are_those_of_an_independent_simulation(store: Path) -> None:
    with open_store(store).forecasts() as tables:
        found = tables.sql("SELECT variant, grid, time_ns FROM forecasts").rows()
    assert {(variant, grid): time for variant, grid, time in found} == TIMES


def test_skipped_iterations_change_nothing(store: Path) -> None:
    with open_store(store).forecasts() as tables:
        found = tables.sql("FROM forecasts WHERE time_ns IS DISTINCT FROM full_time_ns")
    assert found.is_empty()


def test_the_time_of_one_process_is_the_same_for_all_variants(store: Path) -> None:
    # Ten iterations of 9998 x 9998 points at 1.65 ns; the reduction has no partner.
    with open_store(store).forecasts() as tables:
        found = tables.sql("SELECT DISTINCT single_process_ns FROM forecasts").rows()
    assert found == [(10 * round(1.65 * 9998 * 9998),)]


def test_parts_of_the_time_of_processes_sum_up_in_sql(store: Path) -> None:
    query = """
    SELECT forecast_id, interval_id
    FROM forecast_processes JOIN forecast_intervals AS whole USING (forecast_id, interval_id)
    GROUP BY ALL
    HAVING sum(own_ns + forecast_processes.idle_ns) <> any_value(whole.total_ns)
        OR sum(forecast_processes.productive_ns) <> any_value(whole.productive_ns)
        OR sum(forecast_processes.communication_ns) <> any_value(whole.communication_ns)
        OR max(own_ns) <> any_value(whole.time_ns)
    """
    with open_store(store).forecasts() as tables:
        assert tables.sql(query).is_empty()
        assert tables.sql("SELECT count(*) FROM forecast_processes").item() == sum(
            8 if grid in ("8", "2x4") else 64 if grid in ("64", "4x16") else
            {"110": 110, "9x12": 108, "7x16": 112}[grid]
            for _, grid in TIMES
        )  # fmt: skip


def test_a_forecast_in_two_stores_is_the_same_bytes(store: Path, tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "all.json"), "--store", str(tmp_path / "other")]
    chosen = ["--variant", "rows", "--grid", "8", "--compare-full"]
    assert cli.main(["forecast", JACOBI, *CLUSTER, *chosen, *files]) == 0
    (again,) = (tmp_path / "other" / "forecasts").iterdir()
    first = store / "forecasts" / again.name
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {
        path.name: path.read_bytes() for path in first.iterdir()
    }
    stored = json.loads((tmp_path / "all.json").read_text())["forecasts"][0]
    assert again.name == f"forecast={stored['forecast_id']}"


def test_other_commands_take_forecasts_for_nothing_else(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    assert cli.main(["runs", "--store", str(store)]) == 0
    assert "no runs" in capfd.readouterr().err
    assert cli.main(["du", "--store", str(store), "--format", "csv"]) == 0
    kinds = [line.split(",")[0] for line in capfd.readouterr().out.splitlines()[1:]]
    assert "forecasts" in kinds
    assert cli.main(["prune", "--max-size", "1KB", "--grace", "0s", "--store", str(store)]) == 0
    assert len(list((store / "forecasts").iterdir())) == len(TIMES)
