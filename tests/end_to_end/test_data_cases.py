"""The traces in data/: every figure is the expected one, and analyzing again does nothing.

Where the expected results come from, with the arithmetic: data/README.md.
"""

import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.reference.cases import DATA, EXACT, EXACT_SOURCE_NAME, EXPECTED_NAME, Case
from tests.reference.comparison import (
    EXPECTED_ROWS,
    broken_checks,
    compared_of,
    find_cells_off,
    load_cells,
    load_expected,
)
from tests.reference.metrics import DELAYS, DERIVED
from tests.written_csv import write_csv
from tracemill.engine.analyze import Analysis, Options, analyze
from tracemill.shell.exports.severities import export_severities
from tracemill.store.runs import Store

README = (DATA / "README.md").read_text(encoding="utf-8")
# Written event by event, like those with a trace.txt.
EXACT_CASES = ("z01_otf2v3_nbc_rma",)
WRITTEN = sorted(source.parent.name for source in DATA.glob(f"*/{EXACT_SOURCE_NAME}"))

# Rows of the README's table: case, ranks, locations, events.
CASES = {
    name: (int(ranks), int(locations), int(events))
    for name, ranks, locations, events in re.findall(
        r"^\| `(\w+)` \| +(\d+) \| +(\d+) \| +(\d+) \|", README, re.MULTILINE
    )
}


@pytest.fixture(scope="session", params=CASES)
def analysis(request: pytest.FixtureRequest, analysis_of: Callable[[str], Analysis]) -> Analysis:
    return analysis_of(request.param)


def case_of(analysis: Analysis) -> Case:
    return Case(DATA / analysis.run.label)


def test_severities_are_the_expected_ones(analysis: Analysis, tmp_path: Path) -> None:
    case, severities = case_of(analysis), tmp_path / "severities.parquet"
    export_severities(analysis.run, severities)
    tolerance = EXACT if case.name in EXACT_CASES else case.tolerance
    with duckdb.connect() as connection:
        load_expected(connection, case.path / EXPECTED_NAME, EXPECTED_ROWS)
        load_cells(connection, severities, compared_of(analysis.run) - DERIVED - DELAYS)
        assert find_cells_off(connection, tolerance) == []


@pytest.mark.parametrize("name", WRITTEN)
def test_the_same_trace_in_csv_has_the_same_severities(
    name: str, tmp_path: Path, analysis_of: Callable[[str], Analysis]
) -> None:
    """Regions are numbered in another order, which changes the order of the rows."""
    text, files = tmp_path / "trace.csv", [tmp_path / "archive.csv", tmp_path / "text.csv"]
    write_csv(DATA / name / EXACT_SOURCE_NAME, text)
    again = analyze(text, store=Store(tmp_path / "store"), options=Options(threads=1))
    for each, file in zip((analysis_of(name), again), files, strict=True):
        export_severities(each.run, file)
    one, other = (sorted(file.read_text().splitlines()) for file in files)
    assert one == other


def test_exported_classes_of_overhead_fill_the_run(analysis: Analysis, tmp_path: Path) -> None:
    severities = tmp_path / "severities.parquet"
    export_severities(analysis.run, severities)
    with analysis.run.connect() as connection:
        classes = "metric = 'computation' OR metric IN (SELECT parent_metric FROM metrics)"
        filled = connection.sql(
            f"""
            SELECT cells.rank, cells.thread, round(sum(cells.value) * 1e9)
            FROM read_parquet('{severities}') AS cells
            INNER JOIN metrics USING (metric)
            WHERE kind = 'overhead' AND ({classes})
            GROUP BY ALL
            ORDER BY ALL
            """
        ).fetchall()
        ((duration_ns,),) = connection.sql("SELECT end_ns - begin_ns FROM runs").fetchall()
        locations = connection.sql("SELECT rank, thread FROM locations ORDER BY ALL").fetchall()
    assert filled == [(*location, duration_ns) for location in locations]


def test_all_checks_hold(analysis: Analysis) -> None:
    assert broken_checks(analysis.run) == ()


def test_everything_is_read_and_nothing_is_doubtful(analysis: Analysis) -> None:
    found = analysis.run.read("runs", ["process_count", "location_count", "record_count"])
    assert tuple(found.to_pylist()[0].values()) == CASES[case_of(analysis).name]
    assert analysis.run.read("trace_quality").to_pylist() == []


def test_analyzing_again_does_nothing(analysis: Analysis) -> None:
    store = Store(analysis.run.path.parents[2])
    again = analyze(case_of(analysis).path, store=store, options=Options(threads=2))
    assert not again.is_new
    assert again.run.path == analysis.run.path
    assert "nothing changed" in again.summary


def test_every_case_is_described_and_every_described_case_is_there() -> None:
    folders = {anchor.parent.name for anchor in DATA.glob("*/*.otf2")}
    assert folders == set(CASES)
    assert folders == set(re.findall(r"^### (\w+)$", README, re.MULTILINE))


def test_the_case_of_the_demonstration_is_there() -> None:
    makefile = (DATA.parent / "Makefile").read_text(encoding="utf-8")
    (case,) = re.findall(r"analyze data/(\w+)", makefile)
    assert (DATA / case / "traces.otf2").exists()


def test_cases_are_small() -> None:
    files = [path for path in DATA.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 4_000_000
