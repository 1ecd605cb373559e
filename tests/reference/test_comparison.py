"""The comparison with reference results finds what is wrong, and nothing else."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tests.reference import comparison
from tests.reference.__main__ import main
from tests.reference.cases import REFERENCE_NAME, Case, find_cases
from tests.reference.comparison import CHECKS, CellOff, Comparison, Outcome, broken_checks, compare
from tests.reference.metrics import COUNTS, TIMES
from tracemill.engine.analyze import Analysis
from tracemill.store.runs import Run

Row = tuple[str, str, int, int, float]

TIME: Row = ("time", "main/work", 1, 0, 2.0)
VISITS: Row = ("visits", "main/work", 1, 0, 3.0)
METRICS = ("time", "visits")


def make_case(folder: Path, rows: Iterable[Row], *, is_exact: bool = False) -> Case:
    """A case of a few reference cells."""
    path = folder / "case"
    path.mkdir()
    with (path / REFERENCE_NAME).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("metric", "callpath", "rank", "thread", "exclusive"))
        writer.writerows(rows)
    if is_exact:
        (path / "trace.txt").touch()
    return Case(path)


def compare_rows(
    case: Case,
    rows: Iterable[Row],
    *,
    emitted: Iterable[str] = METRICS,
    metrics: Iterable[str] = METRICS,
) -> Comparison:
    """Compare a few of our cells with a case."""
    file = case.path / "severities.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE ours (metric TEXT, call_path TEXT, rank INT, thread INT, value DOUBLE)"
        )
        for row in rows:
            connection.execute("INSERT INTO ours VALUES (?, ?, ?, ?, ?)", row)
        connection.execute(f"COPY ours TO '{file}' (FORMAT parquet)")
    return compare(file, case, emitted=tuple(emitted), metrics=tuple(metrics))


def test_equal_cells_agree(tmp_path: Path) -> None:
    case = make_case(tmp_path, [TIME, VISITS])
    assert compare_rows(case, [TIME, VISITS]) == Comparison(cell_count=2)


# Allowed is what is more: 1e-6 s, or 0.1 % of the reference.
@pytest.mark.parametrize(
    ("reference", "ours", "is_off"),
    [
        (2.0, 2.0019, False),
        (2.0, 2.0021, True),
        (2.0, 1.9979, True),
        (1e-5, 1.09e-5, False),
        (1e-5, 1.11e-5, True),
        (0.0, 0.9e-6, False),
        (0.0, 1.1e-6, True),
    ],
)
def test_times_of_recorded_traces_have_a_tolerance(
    reference: float, ours: float, is_off: bool, tmp_path: Path
) -> None:
    case = make_case(tmp_path, [(*TIME[:4], reference)])
    assert bool(compare_rows(case, [(*TIME[:4], ours)]).off) is is_off


@pytest.mark.parametrize(("ours", "is_off"), [(2.0 + 0.9e-9, False), (2.0 + 1.2e-9, True)])
def test_times_of_exact_traces_agree_to_the_nanosecond(
    ours: float, is_off: bool, tmp_path: Path
) -> None:
    case = make_case(tmp_path, [TIME], is_exact=True)
    assert bool(compare_rows(case, [(*TIME[:4], ours)]).off) is is_off


# 1.23457 stands for what lies between 1.234565 and 1.234575.
@pytest.mark.parametrize(("ours", "is_off"), [(1.234566, False), (1.234564, True)])
def test_what_is_derived_may_be_rounded_to_six_digits(
    ours: float, is_off: bool, tmp_path: Path
) -> None:
    case = make_case(tmp_path, [], is_exact=True)
    case.reference.write_text(
        "metric,cnode_id,callpath,location_id,rank,thread,exclusive\ntime,4,main/work,7,1,0,1\n"
    )
    case.derived.write_text("Cnode ID,Thread ID,mpi,critical_path_imbalance\n4,7,0,1.23457\n")
    row = ("critical_path_imbalance", "main/work", 1, 0, ours)
    found = compare_rows(case, [row], emitted=[row[0]], metrics=[row[0]])
    assert found.cell_count == 1
    assert bool(found.off) is is_off


def test_counts_agree_exactly(tmp_path: Path) -> None:
    case = make_case(tmp_path, [(*VISITS[:4], 1e6)])
    found = compare_rows(case, [(*VISITS[:4], 1e6 + 1)])
    assert found.off == (CellOff("visits", "main/work", 1, 0, 1e6 + 1, 1e6),)
    assert not found.is_good


def test_a_cell_on_one_side_only_is_held_against_zero(tmp_path: Path) -> None:
    case = make_case(tmp_path, [TIME])
    found = compare_rows(case, [VISITS])
    assert {(cell.metric, cell.ours, cell.expected) for cell in found.off} == {
        ("time", 0.0, 2.0),
        ("visits", 3.0, 0.0),
    }


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_value_at_another_place_is_off_at_both(place: int, tmp_path: Path) -> None:
    moved = list(TIME)
    moved[place] = "main/play" if place == 1 else 7
    found = compare_rows(make_case(tmp_path, [TIME]), [tuple(moved)])
    assert len(found.off) == found.cell_count == 2


def test_regions_of_one_name_are_one_cell(tmp_path: Path) -> None:
    case = make_case(tmp_path, [TIME])
    halves = [(*TIME[:4], 0.5), (*TIME[:4], 1.5)]
    assert compare_rows(case, halves) == Comparison(cell_count=1)


def test_the_worst_cell_comes_first(tmp_path: Path) -> None:
    rows = [("time", f"main/{name}", 0, 0, 1.0) for name in "abc"]
    ours = [(*row[:4], value) for row, value in zip(rows, (1.5, 3.0, 2.0), strict=True)]
    found = compare_rows(make_case(tmp_path, rows), ours)
    assert [cell.call_path for cell in found.off] == ["main/b", "main/c", "main/a"]


def test_a_metric_the_product_does_not_emit_fails_even_without_a_cell(tmp_path: Path) -> None:
    found = compare_rows(make_case(tmp_path, [TIME]), [TIME], emitted=["time"])
    assert found.missing == ("visits",)
    assert not found.is_good


def test_a_metric_of_both_that_is_not_declared_fails(tmp_path: Path) -> None:
    case = make_case(tmp_path, [("mpi_new_wait", "main", 0, 0, 1.0)])
    found = compare_rows(case, [], emitted=[*METRICS, "mpi_new_wait"])
    assert found.undeclared == ("mpi_new_wait",)
    assert not found.is_good


def test_a_metric_only_the_reference_has_is_told(tmp_path: Path) -> None:
    found = compare_rows(make_case(tmp_path, [("mpi_unknown", "main", 0, 0, 1.0)]), [])
    assert found.reference_only == ("mpi_unknown",)
    assert found.is_good


def test_traces_without_reference_are_named(tmp_path: Path) -> None:
    make_case(tmp_path, [])
    (tmp_path / "case" / "traces.otf2").touch()
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "traces.otf2").touch()
    cases, without = find_cases(tmp_path)
    assert [case.name for case in cases] == ["case"]
    assert without == ["bare"]


def test_nothing_to_compare_is_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_a_metric_is_a_time_or_a_count() -> None:
    assert not TIMES & COUNTS


@pytest.fixture(scope="module")
def analyzed(analysis_of: Callable[[str], Analysis]) -> Run:
    """A small trace of data/, analyzed."""
    return analysis_of("m01_late_sender").run


def test_a_check_that_finds_rows_is_named_with_one_of_them(
    analyzed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CHECKS
    assert broken_checks(analyzed) == ()
    (visited_once,) = (check for check in CHECKS if check.relation == "visits_are_counted_once")
    always_broken = replace(visited_once, text="SELECT 7 AS visit_id, 'why' AS reason")
    monkeypatch.setattr(comparison, "CHECKS", [*CHECKS, always_broken])
    assert broken_checks(analyzed) == ("visits_are_counted_once fails for 1 rows, e.g. (7, 'why')",)


def test_a_case_with_a_broken_check_fails() -> None:
    assert Outcome(case="case").is_good
    assert not Outcome(case="case", broken_checks=("a claim fails",)).is_good
