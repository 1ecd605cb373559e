"""Counters and monitoring data of campaigns."""

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.counted_runs import write_counted
from tests.helpers.nights import Notes
from tests.helpers.ring_campaigns import campaign, rows
from tracemill.base.errors import CampaignError
from tracemill.reports.build_campaign import build_campaign_report

# Processes, time (ns), instructions and cycles of the work of each process.
RUNS = ((1, 800, 800, 1600), (2, 500, 400, 1000), (4, 400, 200, 800), (8, 300, 100, 600))


def write_runs(folder: Path) -> None:
    for processes, *work in RUNS:
        write_counted(folder / f"x_p{processes}", [{"work": tuple(work)}] * processes)


def write_table(path: Path, *lines: str) -> str:
    path.write_text("\n".join(["trace,characteristic,value,unit", *lines]) + "\n")
    return str(path)


def test_counters_and_monitoring_data_are_correlated_with_efficiency(tmp_path: Path) -> None:
    write_runs(tmp_path / "runs")
    table = write_table(tmp_path / "power.csv", *[f"x_p{p},power,{100 + p},W" for p, *_ in RUNS])
    made = campaign(tmp_path / "runs", tmp_path / "store", monitoring=table)
    names = "processes kind characteristic unit value"
    found = {tuple(row[:3]): row[3:] for row in rows(made, "grid_characteristics", names)}
    assert found[8, "counter", "IPC"] == ("instructions/cycle", 100 / 600)
    assert found[8, "counter rate", "PAPI_TOT_INS"] == ("#/s", pytest.approx(100 / 300e-9))
    assert found[8, "monitoring", "power"] == ("W", 108)
    names = "kind characteristic configuration_count spearman p_value reason"
    known = {tuple(row[:2]): row[2:] for row in rows(made, "grid_correlations", names)}
    # Efficiency and IPC fall with processes, power grows; 2 of 24 orders are as far from 0.
    expected = pytest.approx(2 / 24)
    assert known["monitoring", "power"] == (4, pytest.approx(-1), expected, None)
    assert known["counter", "IPC"] == (4, pytest.approx(1), expected, None)
    report = build_campaign_report(made.run)
    (section,) = [each for each in report.sections if each.key == "characteristics"]
    assert "power" in " ".join(picture.title for picture in section.pictures)
    (counters,) = [
        row
        for row in rows(made, "run_counters", "campaign_run_id counter numerator value covered_ns")
        if row[:2] == (3, "IPC") and row[2]
    ]
    assert counters[2:] == (800, pytest.approx(1 / 6), 2400)


def test_changed_monitoring_data_are_read_again(tmp_path: Path) -> None:
    write_runs(tmp_path / "runs")
    for power in ("1.5", "2.5"):
        table = write_table(tmp_path / "power.csv", f"x_p1,power,{power},")
        made = campaign(tmp_path / "runs", tmp_path / "store", monitoring=table)
        found = rows(made, "run_monitoring", "campaign_run_id characteristic value unit")
        assert found == [(0, "power", float(power), "")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["x_p3,power,1,W"], "line 2: the campaign has no run x_p3: did you mean x_p8 or x_p4?"),
        (["x_p1,power,high,W"], "line 2: value is not a number: 'high'"),
        (["x_p1,power,nan,W"], "line 2: value is nan: remove values that were not measured"),
        (["x_p1,,1,W"], "line 2: no characteristic is named"),
        ([",power,1,W"], "line 2: no run is named"),
        (["x_p1,power,1"], "line 2: not as many cells as the first line"),
        (["x_p1,a,1,W", "x_p1,a,2,W"], "line 3: a of this run is already in line 2"),
        (["x_p1,a,1,W", "x_p2,a,2,kW"], "line 3: a is in kW, but in W in line 2"),
        (["x_p7,a,1,W", "x_p1,a,?,W"], "2 mistakes: "),
    ],
)
def test_wrong_lines_are_named(lines: list[str], expected: str, tmp_path: Path) -> None:
    write_runs(tmp_path / "runs")
    table = write_table(tmp_path / "power.csv", *lines)
    with pytest.raises(CampaignError) as caught:
        campaign(tmp_path / "runs", tmp_path / "store", monitoring=table)
    assert expected in str(caught.value)
    assert not (tmp_path / "store" / "runs").exists()  # found before the traces are analyzed


def test_a_table_without_its_columns_names_them(tmp_path: Path) -> None:
    write_runs(tmp_path / "runs")
    (tmp_path / "power.csv").write_text("run,power\nx_p1,7\n")
    with pytest.raises(CampaignError, match="line 1: columns are run, power: name them trace or"):
        campaign(tmp_path / "runs", tmp_path / "store", monitoring=str(tmp_path / "power.csv"))


def test_wrong_lines_can_be_left_out(tmp_path: Path) -> None:
    write_runs(tmp_path / "runs")
    lines = ("runs/x_p1,power,7,W", "x_p3,power,8,W")
    fields: dict[str, Any] = {"monitoring": write_table(tmp_path / "power.csv", *lines)}
    notes = Notes()
    made = campaign(
        tmp_path / "runs", tmp_path / "store", notes=notes, allow_damaged=True, **fields
    )
    assert rows(made, "run_monitoring", "campaign_run_id value") == [(0, 7)]
    assert any("left out" in note and "line 3" in note for note in notes.notes)
