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
from tracemill.forecast.errors_storing import record_measurements, store_errors_of
from tracemill.programs.clusters.cluster import Channel, Cluster, Level
from tracemill.store.forecasts import has_forecasts

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


def read_records(store: Path) -> list[ErrorRecord]:
    """The records of a store."""
    if not has_forecasts(store):
        return []
    rows = open_store(store).forecasts().sql("FROM forecast_errors").to_dicts()
    names = ErrorRecord.__dataclass_fields__
    return [
        ErrorRecord(**{name: value for name, value in row.items() if name in names}) for row in rows
    ]


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
    rows = open_store(tmp_path).forecasts().sql(query).rows()
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
