"""Forecasts beside measurements in a store: tables of them, given times, and matching runs."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tracemill import cli
from tracemill.api import open_store
from tracemill.base.errors import MissingInputError, ProgramError, UsageError
from tracemill.forecast.errors import ErrorRecord
from tracemill.forecast.errors_report import describe_record
from tracemill.forecast.errors_storing import read_records, record_measurements, store_errors_of
from tracemill.programs.clusters.cluster import Channel, Cluster, Level

if TYPE_CHECKING:
    from tracemill.engine.analyze import Analysis

MHPDV = Path(__file__).parents[2] / "data" / "forecasts" / "mhpdv.csv"
LINUX = Cluster("Linux", (Level("node", 8, (Channel(),)),), digest="abc")
"""Named like the machine of the traces in data/."""


@pytest.fixture
def store(analysis_of: "Callable[[str], Analysis]", tmp_path: Path) -> Path:
    """A store with a run of m01_late_sender: four processes on the machine Linux."""
    run = analysis_of("m01_late_sender").run
    shutil.copytree(run.path.parents[2], tmp_path / "store")
    return tmp_path / "store"


def recorded(
    store: Path, *, program: str = "m01_late", variant: str = "sender", processes: int = 4,
    cluster: Cluster = LINUX, measured: str | None = None,
) -> list[ErrorRecord]:  # fmt: skip
    return record_measurements(
        store,
        program=program,
        variant=variant,
        cluster=cluster,
        processes=processes,
        forecast_ns=1_000_000,
        measured=measured,
    )


def run_time_of(store: Path) -> int:
    """Time of the main part of the run."""
    with open_store(store).run() as tables:
        ((time,),) = tables.sql("SELECT end_ns - begin_ns FROM main_part").rows()
    assert isinstance(time, int)
    return time


def test_the_published_table_is_compared_and_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for added in ("18 records added", "0 records added"):
        assert cli.main(["forecast-errors", str(MHPDV), "--store", str(tmp_path)]) == 0
        captured = capsys.readouterr()
        assert captured.err.startswith(added)
    lines = captured.out.splitlines()
    start = lines.index("mhpdv on mvs-100k, 64 processes")
    assert lines[start + 1] == (
        "Without variant 5, forecast and measurement rank the variants alike."
    )
    assert "4 and 5 by 39.4" in lines[start + 2]
    row = next(line for line in lines[start:] if line.startswith("6 "))
    assert row.split() == [
        "6", "204.1", "s", "79.17", "s", "-61.2%", "234.2%", "128.6%", "28.3%", "75.1%"
    ]  # fmt: skip
    query = "SELECT variant, error_ratio FROM forecast_errors WHERE processes = 64 ORDER BY ALL"
    with open_store(tmp_path).forecasts() as stored:
        rows = stored.sql(query).rows()
    assert [(variant, round(100 * error, 1)) for variant, error in rows] == [
        ("1", -29.3), ("2", -34.0), ("3", -33.9), ("4", -25.3), ("5", -45.9), ("6", -61.2)
    ]  # fmt: skip


def test_the_table_grows_and_its_files_never_change(tmp_path: Path) -> None:
    def record(measured_ns: int, source: str) -> ErrorRecord:
        return ErrorRecord(
            program="p", variant="", cluster="c", processes=2, forecast_ns=3,
            measured_ns=measured_ns, source=source,
        )  # fmt: skip

    assert store_errors_of(tmp_path, [record(4, "a"), record(5, "a"), record(4, "a")]) == 2
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    # A time that is recorded already stays as it is; its source does not matter.
    assert store_errors_of(tmp_path, [record(4, "b"), record(6, "b")]) == 1
    assert all(path.read_bytes() == content for path, content in files.items())
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    assert {(each.measured_ns, each.source) for each in read_records(tmp_path)} == {
        (4, "a"), (5, "a"), (6, "b")
    }  # fmt: skip


def test_a_given_time_is_recorded(tmp_path: Path) -> None:
    (record,) = recorded(tmp_path, measured="0.002")
    assert (record.forecast_ns, record.measured_ns, record.error) == (1_000_000, 2_000_000, -0.5)
    assert (record.cluster, record.cluster_hash, record.source) == ("Linux", "abc", "given")
    assert read_records(tmp_path) == [record]
    assert describe_record(record) == "Measured 2.00 ms (given), forecast 1.00 ms: error -50.0%."


def test_a_named_run_is_recorded(store: Path) -> None:
    (record,) = recorded(store, program="other", measured="m01_late_sender")
    assert record.measured_ns == run_time_of(store)
    assert record.run_id is not None
    assert record.source == "m01_late_sender"


def test_runs_of_the_same_program_cluster_and_processes_are_matched(store: Path) -> None:
    """Words of the trace's name are those of program and variant."""
    (record,) = recorded(store)
    assert record.measured_ns == run_time_of(store)
    assert (record.program, record.variant) == ("m01_late", "sender")
    (again,) = recorded(store, measured="m01_late_sender")
    assert again == record
    assert len(read_records(store)) == 1


@pytest.mark.parametrize(
    "other",
    [{"program": "m01"}, {"variant": ""}, {"processes": 8}, {"cluster": Cluster("Lin", ())}],
)
def test_other_runs_are_not_matched(store: Path, other: dict[str, object]) -> None:
    assert recorded(store, **other) == []  # type: ignore[arg-type]
    assert read_records(store) == []


def test_wrong_measurements_are_refused(store: Path) -> None:
    with pytest.raises(UsageError, match="run m01_late_sender has 4 processes, the forecast 8"):
        recorded(store, processes=8, measured="m01_late_sender")
    with pytest.raises(MissingInputError, match="no run nothing"):
        recorded(store, measured="nothing")
    with pytest.raises(ProgramError, match="--measured: give seconds above 0, not '-1'"):
        recorded(store, measured="-1")
    assert read_records(store) == []


def test_a_forecast_is_recorded_beside_its_measurement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jacobi on 64 processes, forecast 36.8 ms, measured 40 ms: error −8.0 %."""
    data = MHPDV.parents[1]
    arguments = [
        "forecast", str(data / "programs" / "jacobi.toml"), "--variant", "blocks", "--grid", "4x16",
        "--cluster", str(data / "clusters" / "mvs-15k.toml"), "--store", str(tmp_path),
    ]  # fmt: skip
    assert cli.main([*arguments, "--measured", "0.04"]) == 0
    assert "Measured 40.0 ms (given), forecast 36.8 ms: error -8.0%." in capsys.readouterr().out
    (record,) = read_records(tmp_path)
    assert (record.program, record.variant, record.cluster) == ("jacobi", "blocks", "mvs-15k")
    assert (record.processes, record.forecast_ns) == (64, 36_818_380)
    assert cli.main([*arguments, "--measured", "nothing"]) == 11
    assert cli.main(arguments) == 0
    assert len(read_records(tmp_path)) == 1


def test_forecasts_of_a_store_are_matched_to_later_runs(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The forecast of 300 ms on 4 processes is made before the run is in its store."""
    program, cluster, early = tmp_path / "p.toml", tmp_path / "c.toml", tmp_path / "early"
    program.write_text(
        'name = "m01_late_sender"\ngrid = [4]\n[[phase]]\nkind = "serial"\ntime_ns = 3e8\n'
    )
    cluster.write_text(
        'name = "Linux"\n[[level]]\nname = "node"\nunits = 4\n[[level.channel]]\n'
    )  # fmt: skip
    arguments = ["forecast", str(program), "--cluster", str(cluster), "--store", str(early)]
    assert cli.main(arguments) == 0
    assert cli.main(["forecast-errors", "--store", str(early)]) == 11
    assert "no measured forecasts" in capsys.readouterr().err
    shutil.copytree(early, store, dirs_exist_ok=True)
    for added in ("1 record added", "0 records added"):
        assert cli.main(["forecast-errors", "--store", str(store)]) == 0
        captured = capsys.readouterr()
        assert captured.err.startswith(added)
        assert "m01_late_sender on Linux, 4 processes" in captured.out
    (record,) = read_records(store)
    assert (record.forecast_ns, record.measured_ns) == (300_000_000, run_time_of(store))


def test_variants_with_several_records_are_ranked_by_their_medians(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Only the second measurement of a, which is not the median, is worse than that of b.
    for number, measured in enumerate((0.5, 3, 0.6)):
        table = tmp_path / f"{number}.csv"
        table.write_text(
            "program,variant,cluster,processes,forecast_s,measured_s\n"
            f"p,a,c,2,1,{measured}\np,b,c,2,2,1\n"
        )
        assert cli.main(["forecast-errors", str(table), "--store", str(tmp_path)]) == 0
        assert ("Without variant" in capsys.readouterr().out) == (measured == 3)
    assert cli.main(["forecast-errors", "--store", str(tmp_path)]) == 0
    assert (
        "Forecast and measurement rank the variants alike. Of several records of a variant, the "
        "medians are compared."
    ) in capsys.readouterr().out
    assert len(read_records(tmp_path)) == 4
