"""Forecasts of programs made from runs and campaigns of a store."""

from pathlib import Path

import pytest

from tracemill import cli, open_store

CLUSTER = """\
name = "site"
[[level]]
name = "machine"
units = 64
[[level.channel]]
count = 64
latency_ns = 1000
ns_per_byte = 0.1
"""
COUNTS = (1, 2, 4, 8)
POINTS = 800_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs of a stencil of one size, their campaign, and a cluster."""
    path = tmp_path_factory.mktemp("runs")
    (path / "site.toml").write_text(CLUSTER)
    for count in COUNTS:
        described = path / f"p{count}.toml"
        described.write_text(
            f"processes = {count}\niterations = 10\nsize = {POINTS // count}\n[[phase]]\n"
            'kind = "stencil"\njitter = 0\n[machine]\nnoise = false\n'
        )
        archive = path / "runs" / f"heat_p{count}_n800"
        assert cli.main(["generate", str(described), "--output", str(archive)]) == 0
    store = ["--store", str(path / "store"), "--no-report"]
    assert cli.main(["campaign", str(path / "runs"), "--name", "heat", *store]) == 0
    return path


def forecast(folder: Path, name: str, *options: str) -> int:
    given = ["--cluster", str(folder / "site.toml"), "--store", str(folder / "store")]
    return cli.main(["forecast", name, *given, *options])


def time_on(folder: Path, grid: str) -> int:
    query = "SELECT time_ns FROM forecasts WHERE grid = $grid"
    with open_store(folder / "store").forecasts() as tables:
        return int(tables.sql(query, grid=grid).item())


def measured(folder: Path, name: str) -> int:
    with open_store(folder / "store").run(name) as tables:
        return int(tables.sql("SELECT end_ns - begin_ns FROM main_part").item())


def test_a_run_is_forecast_on_its_own_grid(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert forecast(folder, "heat_p8_n800", "--grid", "8") == 0
    assert capfd.readouterr().err.startswith("Made from run heat_p8_n800 with 8 processes.")
    assert time_on(folder, "8") == pytest.approx(measured(folder, "heat_p8_n800"), rel=0.02)


def test_a_campaign_is_forecast_on_more_processes_than_were_run(folder: Path) -> None:
    assert forecast(folder, "heat", "--grid", "64") == 0
    ideal = measured(folder, "heat_p1_n800") / 64
    assert ideal < time_on(folder, "64") < 1.1 * ideal


def test_a_measured_run_is_recorded(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ("--grid", "4", "--measured", "heat_p4_n800")
    assert forecast(folder, "heat_p4_n800", *options) == 0
    assert "Measured" in capfd.readouterr().out
    with open_store(folder / "store").forecasts() as tables:
        query = "SELECT forecast_ns, measured_ns FROM forecast_errors WHERE processes = 4"
        found = tables.sql(query).rows()
    assert found == [(time_on(folder, "4"), measured(folder, "heat_p4_n800"))]


@pytest.mark.parametrize(
    ("name", "options", "code", "words"),
    [
        ("heat_p8_n800", ["--variant", "v"], 2, "--variant is for described programs: add --grid"),
        ("heat_p8_n800", ["--fit", "f.toml"], 2, "--fit makes a cluster, --cluster names one"),
        ("heat", ["--fit", "f.toml"], 2, "--fit is for recorded runs"),
        ("heat_p8_n800", ["--grid", "65"], 16, "64 cores"),
        ("heat_p8_n800", ["--grid", "8", "--measured", "heat_p4_n800"], 2, "has 4 processes"),
        ("heat_p8_n800", ["--grid", "8", "--measured", "2.5s"], 2, "seconds as a number"),
        ("heat_p3_n800", ["--grid", "8"], 11, "or a description (a file *.toml)"),
    ],
)
def test_what_cannot_be_forecast_is_said_in_one_line(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    name: str,
    options: list[str],
    code: int,
    words: str,
) -> None:
    capfd.readouterr()
    assert forecast(folder, name, *options) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
