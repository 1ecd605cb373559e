"""Forecasts of recorded runs: the files that they are written to, and the runs that are kept."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tracemill import cli, open_store
from tracemill.engine.analyze import Analysis
from tracemill.engine.progress import SilentReporter
from tracemill.forecast.replayed.forecasting import forecast_on, keep_forecast
from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.programs.clusters.reading import read_cluster
from tracemill.store.runs import Run

Analyses = Callable[[str], Analysis]
MVS = Path("data/clusters/mvs-15k.toml")
SITE = """\
name = "site"
overhead_ns = 700
[[level]]
name = "machine"
units = 64
[[level.channel]]
count = 64
latency_ns = 1000
ns_per_byte = 0.1
"""
# Time of each process from leaving MPI_Init to entering MPI_Finalize, and of it in MPI.
BY_RANK = """
    WITH framing AS (
        SELECT
            location_id,
            min(leave_ns) FILTER (WHERE regions.name = 'MPI_Init') AS begin_ns,
            max(enter_ns) FILTER (WHERE regions.name = 'MPI_Finalize') AS end_ns
        FROM visits INNER JOIN regions USING (region_id)
        WHERE name IN ('MPI_Init', 'MPI_Finalize')
        GROUP BY location_id
    )
    SELECT
        rank,
        any_value(framing.end_ns - framing.begin_ns)::BIGINT AS run_ns,
        sum(if(regions.name LIKE 'MPI_%', visits.leave_ns - enter_ns, 0))::BIGINT AS mpi_ns
    FROM framing
    INNER JOIN locations USING (location_id)
    INNER JOIN visits USING (location_id)
    INNER JOIN regions USING (region_id)
    WHERE enter_ns >= framing.begin_ns AND visits.leave_ns <= framing.end_ns
    GROUP BY rank ORDER BY rank
"""
METRICS = """
    SELECT metric::VARCHAR, value FROM pop_metrics
    WHERE interval = 'init to finalize' AND convention <> 'additive'
"""


def metrics(run: Run) -> dict[str, float]:
    return dict(run.connect().sql(METRICS).fetchall())


# Overheads are paid in the calls: time in MPI is overhead and waiting.
@pytest.mark.parametrize("name", ["m18_master_worker", "m03_ls_waitall", "z01_otf2v3_nbc_rma"])
def test_a_kept_forecast_has_the_times_of_the_forecast(
    analysis_of: Analyses, tmp_path: Path, name: str
) -> None:
    (tmp_path / "site.toml").write_text(SITE)
    made = forecast_on(analysis_of(name).run, read_cluster(tmp_path / "site.toml", speed=1.5))
    kept, outcome = keep_forecast(made, tmp_path, SilentReporter()), made.outcome
    assert kept.source.kind == "forecast"
    assert kept.label == f"{name} forecast on site at speed 1.5"
    rows = kept.connect().sql(BY_RANK).fetchall()
    assert [run_ns for _, run_ns, _ in rows] == (outcome.end - outcome.begin).tolist()
    assert [mpi_ns for *_, mpi_ns in rows] == (outcome.overhead + outcome.waiting).tolist()
    found = metrics(kept)
    assert found["run_time"] == outcome.time
    efficiency = float(outcome.useful.mean()) / outcome.time
    assert found["parallel_efficiency"] == pytest.approx(efficiency, rel=1e-6)


# Calls have no time of their own on a network without costs; all that is left is waiting.
def test_a_kept_forecast_without_costs_is_the_ideal_run(
    analysis_of: Analyses, tmp_path: Path
) -> None:
    run = analysis_of("e06_critical_path").run
    zero = Cluster("zero", (Level("node", 1_000, (Channel(),)),))
    found = metrics(keep_forecast(forecast_on(run, zero), tmp_path, SilentReporter()))
    assert found["run_time"] == found["ideal_run_time"] == 7_750_000
    assert found["parallel_efficiency"] == pytest.approx(4_070 / 7_750)


def test_the_command_writes_files_and_keeps_the_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "store")]
    assert cli.main(["analyze", "data/m18_master_worker", *store, "--no-report"]) == 0
    files = ["--html", "f.html", "--csv", "tables", "--json", "f.json"]
    places = [each if each.startswith("--") else str(tmp_path / each) for each in files]
    command = ["forecast", "m18", "--cluster", str(MVS), "--output"]
    assert cli.main([*command, *places, *store]) == 0
    assert "m18_master_worker forecast on mvs-15k" in capfd.readouterr().err
    page = (tmp_path / "f.html").read_text()
    assert "replayed from the trace" in page
    assert "MPI_Recv" in page
    tables = json.loads((tmp_path / "f.json").read_text())
    (row,) = tables["forecast_runs"]
    with (tmp_path / "tables" / "forecast_ranks.csv").open() as file:
        ranks = list(csv.DictReader(file))
    assert len(ranks) == len(tables["forecast_ranks"]) == row["processes"] == 5
    for each in ranks:
        parts = ("computation_ns", "overhead_ns", "waiting_ns")
        assert int(each["run_ns"]) == sum(int(each[part]) for part in parts)
    opened = open_store(tmp_path / "store")
    assert opened.run("m18_master_worker forecast on mvs-15k").sql(
        "SELECT value::BIGINT AS n FROM pop_metrics WHERE interval = 'init to finalize' "
        "AND metric = 'run_time' LIMIT 1"
    ).item() == row["forecast_ns"]  # fmt: skip
    assert opened.run().sql("SELECT count(*) AS n FROM runs").item() == 1
    assert cli.main(["report", "m18_master_worker forecast on mvs-15k", *store]) == 0


def test_forecasts_of_programs_are_no_runs(capfd: pytest.CaptureFixture[str]) -> None:
    command = ["forecast", "data/programs/jacobi.toml", "--cluster", str(MVS), "--output"]
    assert cli.main(command) == 2
    assert "--output is for recorded runs" in capfd.readouterr().err
