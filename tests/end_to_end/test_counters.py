"""The command that shows counters."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tracemill import cli
from tracemill.engine.analyze import Analysis

Show = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def show(analysis_of: Callable[[str], Analysis], capsys: pytest.CaptureFixture[str]) -> Show:
    def rows(*options: str, trace: str = "f1_counters") -> list[dict[str, Any]]:
        store = analysis_of(f"counters/{trace}").run.path.parents[2]
        status = cli.main(["counters", "--store", str(store), "--format", "json", *options])
        assert status == 0
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return found

    return rows


def values(rows: list[dict[str, Any]], column: str) -> dict[Any, Any]:
    return {row[column]: row["value"] for row in rows}


# f has 4400 + 8800 instructions in 2 * 4600 cycles, g 4000 + 8000 in 2 * 2000.
def test_a_derived_counter_is_a_ratio_of_sums(show: Show) -> None:
    found = show("--counter", "ipc")
    assert values(found, "call_path") == {
        "main": 900 / 1200, "main/f": 13_200 / 9_200, "main/f/g": 3
    }  # fmt: skip
    assert found[0]["value_with_callees"] == 26_100 / 14_400
    assert values(show("--counter", "IPC", "--by", "region"), "region")["g"] == 3
    assert values(show("--counter", "IPC", "--by", "process"), "rank") == {
        0: 8_700 / 7_200, 1: 17_400 / 7_200
    }  # fmt: skip
    assert values(show("--counter", "IPC", "--by", "thread"), "rank") == {
        0: 8_700 / 7_200, 1: 17_400 / 7_200
    }  # fmt: skip


# Rank 0 from 20 to 40 us: 4000 instructions in 2000 cycles.
def test_counters_over_time(show: Show) -> None:
    found = show("--counter", "IPC", "--by", "time")
    inside = [row for row in found if row["begin_ns"] >= 20_000 and row["end_ns"] <= 40_000]
    assert {round(row["value"], 9) for row in inside} == {2, 4}
    assert {row["part"] for row in inside} == {"MPI Rank 0", "MPI Rank 1"}


def test_power_over_time(show: Show) -> None:
    found = show("--counter", "power_next", "--by", "time", trace="f4_power")
    assert [row["value"] for row in found] == pytest.approx([100] * 100 + [300] * 100)


def test_own_derived_counters(show: Show, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    header = "name,numerator,denominator,factor,unit,more is better\n"
    file.write_text(f"{header}CPI,PAPI_TOT_CYC,PAPI_TOT_INS,1,cycles,no\n", encoding="utf-8")
    found = show("--derived-counters", str(file), "--counter", "CPI", "--by", "process")
    assert values(found, "rank") == {0: 7_200 / 8_700, 1: 7_200 / 17_400}


def fail(options: list[str], store: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["counters", "--store", str(store), *options]) == 2
    return capsys.readouterr().err


def test_an_unknown_counter_is_refused_with_those_there_are(
    analysis_of: Callable[[str], Analysis], capsys: pytest.CaptureFixture[str]
) -> None:
    store = analysis_of("counters/f1_counters").run.path.parents[2]
    error = fail(["--counter", "L9*"], store, capsys)
    assert "--counter L9*: no counter fits: there are PAPI_TOT_CYC, PAPI_TOT_INS, IPC" in error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("IPC,A,B,1,x", "2: 5 fields instead of 6"),
        ("IPC,A+,B,1,x,yes", "2: numerator 'A+' has an empty name"),
        ("IPC,A,B,0,x,yes", "2: factor '0': write a number other than 0"),
        ("IPC,A,B,1,x,maybe", "2: more is better 'maybe': write yes or no"),
    ],
)
def test_a_wrong_definition_is_refused_by_line(
    analysis_of: Callable[[str], Analysis],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    line: str,
    message: str,
) -> None:
    file = tmp_path / "own.csv"
    header = "name,numerator,denominator,factor,unit,more is better\n"
    file.write_text(f"{header}{line}\n", encoding="utf-8")
    store = analysis_of("counters/f1_counters").run.path.parents[2]
    assert message in fail(["--derived-counters", str(file)], store, capsys)


def test_a_trace_without_counters_gets_one_sentence(
    analysis_of: Callable[[str], Analysis], capsys: pytest.CaptureFixture[str]
) -> None:
    store = analysis_of("m01_late_sender").run.path.parents[2]
    assert cli.main(["counters", "--store", str(store)]) == 0
    assert capsys.readouterr().out == "The trace has no counters.\n"
