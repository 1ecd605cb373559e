"""Links on the page of a campaign: from rows and cells to runs, and from runs to reports."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from tracemill.reports.html import render_html
from tracemill.reports.model import Column, Report, Section, Subject, Table
from tracemill.reports.pictures.grids import Grid, draw_heat_map
from tracemill.reports.run_links import RUNS, anchor_of, link_runs
from tracemill.reports.units import Unit, Value


def table(name: str, columns: str, *rows: tuple[Value, ...]) -> Table:
    shown = tuple(
        Column(name=each, title=each, unit=Unit.TEXT, is_path=each == "call_path")
        for each in columns.split()
    )
    return Table(name=name, title=name, columns=shown, rows=rows, sql="")


LISTED = table(
    RUNS, "label run application size processes time_ns",
    ("a", "1f", "x", 100.0, 2, 9), ("b", "2f", "x", 100.0, 2, 7), ("c", None, "x", 400.0, 16, 5),
)  # fmt: skip


def linked(store: Path, *tables: Table) -> tuple[Table, ...]:
    sections = Section(key="s", title="s", tables=tables), Section(key="r", title="r",
                                                                   tables=(LISTED,))  # fmt: skip
    return tuple(each for section in link_runs(sections, store) for each in section.tables)


def test_a_configuration_leads_to_the_first_of_its_runs(tmp_path: Path) -> None:
    """Nothing leads to a configuration without runs."""
    grid = table("grid", "application processes size", ("x", 2, 100.0), ("x", 16, 400.0),
                 ("x", 4, 100.0))  # fmt: skip
    found, runs = linked(tmp_path, grid)
    assert found.row_links == ("runs-x-p2-n100", "runs-x-p16-n400", "")
    assert runs.row_names == ("runs-x-p2-n100", "", "runs-x-p16-n400")


def test_of_two_ends_the_one_with_more_processes_counts(tmp_path: Path) -> None:
    ends = table(
        "ends", "application smallest_processes largest_processes largest_size", ("x", 2, 16, 400.0)
    )
    cells = table("cells", "application lower_processes upper_processes upper_size",
                  ("x", 1, 2, 100.0))  # fmt: skip
    first, second, _ = linked(tmp_path, ends, cells)
    assert (first.row_links, second.row_links) == (("runs-x-p16-n400",), ("runs-x-p2-n100",))


def test_runs_lead_to_their_reports_if_they_have_one(tmp_path: Path) -> None:
    page = tmp_path / "reports" / "run=2f" / "index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    waits = table("waits", "run call_path", ("2f", "main"), ("1f", "main"))
    found, runs = linked(tmp_path, waits)
    assert runs.row_pages == ("", "../run=2f/index.html", "")
    assert found.row_pages == ("../run=2f/index.html", "")


def test_a_cell_leads_to_the_shortest_run_with_a_report_or_to_its_row(tmp_path: Path) -> None:
    for run in ("1f", "2f"):
        page = tmp_path / "reports" / f"run={run}" / "index.html"
        page.parent.mkdir(parents=True)
        page.touch()
    links = (("", "#runs-x-p2-n100", "#runs-x-p16-n400"),)
    pivot = replace(table("pivot", "size p2 p16", (100.0, 1, 2)), cell_links=links)
    found, _ = linked(tmp_path, pivot)
    assert found.cell_links == (("", "../run=2f/index.html", "#runs-x-p16-n400"),)


def test_links_of_rows_stay_as_they_are(tmp_path: Path) -> None:
    row = table("cells", "application processes size", ("x", 2, 100.0))
    found, _ = linked(tmp_path, replace(row, row_links=("cell-1",)))
    assert found.row_links == ("cell-1",)


def test_the_page_shows_the_links_in_the_call_path_or_the_first_column(tmp_path: Path) -> None:
    plain = table("plain", "application processes size", ("x", 2, 100.0))
    paths = table("paths", "application call_path processes size", ("x", "main", 2, 100.0))
    sections = link_runs(
        (Section(key="summary", title="s", tables=(plain, paths, LISTED)),), tmp_path
    )
    report = Report(title="t", subtitle="", name="t", sections=sections, subject=Subject.CAMPAIGN)
    page = render_html(report)
    anchors = re.findall(r'<a href="#(runs-[^"]*)">(.*?)</a>', page)
    links = [(place, re.sub("<[^>]*>", "", text)) for place, text in anchors]
    assert links == [("runs-x-p2-n100", "x"), ("runs-x-p2-n100", "main")]
    assert page.count('<tr id="runs-x-p2-n100"') == 1


def test_squares_of_a_picture_lead_to_places_of_the_page() -> None:
    grid = Grid(processes=(1, 2), sizes=(5.0,), values=np.array([[1.0, 0.5]]), label="efficiency")
    svg = draw_heat_map(grid, "grid", links={(2, 5.0): anchor_of("a b", 2, 5.0)})
    assert re.findall(r'href="#(runs[^"]*)"', svg) == ["runs-a-b-p2-n5"]
