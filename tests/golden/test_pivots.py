"""Tables over processes and size, and sizes as people write them."""

from dataclasses import replace

import duckdb
import pytest

from tracemill.reports.model import Column, Section, Table
from tracemill.reports.pivots import pivot
from tracemill.reports.run_links import RUNS, link_runs
from tracemill.reports.units import Unit
from tracemill.reports.wording import size_of

SQL = """SELECT * FROM (VALUES
    ('sB', 100.0, 1, 50), ('sB', 100.0, 2, 30), ('sB', 400.0, 2, 90)
) AS rows (application, size, processes, time_ns)"""
ROWS = (("sB", 100.0, 1, 50), ("sB", 100.0, 2, 30), ("sB", 400.0, 2, 90))
COLUMNS = (
    Column(name="application", title="Application", unit=Unit.TEXT),
    Column(name="size", title="Size", unit=Unit.PROBLEM),
    Column(name="processes", title="Processes", unit=Unit.COUNT),
    Column(name="time_ns", title="Time", unit=Unit.TIME),
)
TABLE = Table(
    name="times", title="Times", columns=COLUMNS, rows=ROWS, sql=SQL,
    hidden=frozenset({"application"}),
)  # fmt: skip


def test_processes_are_across_and_sizes_down() -> None:
    made = pivot(TABLE, "time_ns", ("application", "size"))
    assert [column.title for _, column in made.shown] == ["Size", "1", "2"]
    assert made.rows == (("sB", 100.0, 50, 30), ("sB", 400.0, None, 90))
    assert made.columns[2].unit is Unit.TIME


def test_the_query_returns_exactly_the_rows() -> None:
    made = pivot(TABLE, "time_ns", ("application", "size"))
    found = duckdb.sql(made.sql).fetchall()
    assert [tuple(map(float, row[1:3])) for row in found[:1]] == [(100.0, 50.0)]
    assert [row[2:] for row in found] == [row[2:] for row in made.rows]


# Of two runs of a configuration the shorter one has its time in the grid.
def test_cells_lead_to_the_report_of_the_shortest_run(tmp_path) -> None:
    runs = Table(
        name=RUNS, title="All runs",
        columns=(*COLUMNS, Column(name="run", title="Run", unit=Unit.TEXT)),
        rows=tuple((*row, run) for row, run in zip(
            (("sB", 100.0, 1, 60), *ROWS), ("slow", "fast", "two", "none"), strict=True
        )),
        sql="",
    )  # fmt: skip
    for run in ("slow", "fast", "two"):
        (tmp_path / "reports" / f"run={run}").mkdir(parents=True)
        (tmp_path / "reports" / f"run={run}" / "index.html").touch()
    made = pivot(TABLE, "time_ns", ("application", "size"))
    section = Section(key="runs", title="Runs", tables=(made, runs))
    (linked,) = link_runs((section,), tmp_path)
    assert linked.tables[0].cell_links == (
        ("", "", "../run=fast/index.html", "../run=two/index.html"),
        ("", "", "", "#runs-sB-p2-n400"),
    )


# With 2 processes there are two sizes.
def test_cells_of_averages_over_sizes_lead_to_runs_of_the_largest() -> None:
    columns = (*COLUMNS[2:], Column(name="largest_size", title="Largest", unit=Unit.PROBLEM))
    made = pivot(
        replace(
            TABLE,
            columns=(COLUMNS[0], Column(name="operation", title="", unit=Unit.TEXT), *columns),
            rows=(
                ("sB", "send", 1, 50, 100.0), ("sB", "send", 2, 60, 400.0),
                ("sB", "wait", 2, 9, 400.0),
            ),
        ),
        "time_ns",
        ("application", "operation"),
    )  # fmt: skip
    assert [column.title for column in made.columns] == ["Application", "", "1", "2"]
    assert made.cell_links == (
        ("", "", "#runs-sB-p1-n100", "#runs-sB-p2-n400"),
        ("", "", "", "#runs-sB-p2-n400"),
    )


@pytest.mark.parametrize(
    ("size", "text"),
    [(400.0, "400"), (1_048_576, "1,048,576"), (8867.22648079, "8,900"), (27_035.4, "27,000"),
     (0.125, "0.125"), (12.5, "12.5")],
)  # fmt: skip
def test_sizes_are_written_as_people_write_them(size: float, text: str) -> None:
    assert size_of(size) == text
