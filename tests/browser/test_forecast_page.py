"""The page of a forecast in a browser: colors, bars, and the way from interval to interval."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.helpers.forecasts import make_forecast
from tracemill.forecast.tables import tables_of
from tracemill.reports.build_forecast import build_forecast_report
from tracemill.reports.forecast_sections.material import ForecastMaterial
from tracemill.reports.model import Report

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 400, "height": 800}


@pytest.fixture(scope="module")
def report() -> Report:
    return build_forecast_report(ForecastMaterial(tables_of(make_forecast())))


def color_of(page: Page, row: str) -> str:
    script = "row => getComputedStyle(row).backgroundColor"
    return str(page.locator(row).evaluate(script))


def test_rows_with_a_larger_share_of_lost_time_have_a_stronger_color(
    open_page: Open, report: Report
) -> None:
    page = open_page(report)
    everything, third = (color_of(page, f"#row-{number}") for number in (1, 0))
    assert everything != third
    # Both are the same color, mixed with the page to a different degree.
    strength = [float(each.rstrip(")").split("/")[1]) for each in (everything, third)]
    assert strength[0] == pytest.approx(0.5)
    assert strength[1] == pytest.approx(0.5 * 596 / 1596, abs=0.001)


def test_links_lead_down_to_a_nested_interval_and_up_again(open_page: Open, report: Report) -> None:
    page = open_page(report)
    page.click("#intervals a >> text=edges")
    assert page.url.endswith("#interval-1")
    page.click("#interval-1 tr:has-text('above') a")
    assert page.url.endswith("#interval-0")
    page.click("#interval-0 tr:has-text('below') a")
    assert page.url.endswith("#interval-1")
    assert page.locator("#interval-1 h2").is_visible()


def test_every_column_has_a_name_of_its_own(open_page: Open, report: Report) -> None:
    tables = open_page(report).locator("table").all()
    assert tables
    for titles in [table.locator("thead th").all_text_contents() for table in tables]:
        assert all(titles)
        assert len(set(titles)) == len(titles)


def test_each_process_has_a_bar_as_high_as_its_time(open_page: Open, report: Report) -> None:
    page = open_page(report)
    boxes = page.locator("#interval-1 svg path").evaluate_all(
        "paths => paths.map(path => [path.getAttribute('class'), path.getBBox().height])"
    )
    # Process 2 communicates for 260 ns, the whole height; process 1 is idle for 240 ns.
    assert dict(boxes) == {
        "k0": 0,
        "k4": 0,
        "k2": 150,
        "w": pytest.approx(150 * 240 / 260, abs=0.1),
    }


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_page_is_never_wider_than_the_window(
    open_page: Open, report: Report, viewport: dict[str, int]
) -> None:
    page = open_page(report, viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_page_opens_from_a_file_that_the_command_wrote(open_page: Open, tmp_path: Path) -> None:
    from tracemill import cli

    data = Path(__file__).parents[2] / "data"
    path = tmp_path / "forecast" / "jacobi.html"
    path.parent.mkdir()
    given = ["--cluster", str(data / "clusters" / "fat-tree.toml"), "--intervals", "loops"]
    given += ["--store", str(tmp_path / "store"), "--html", str(path)]
    assert cli.main(["forecast", str(data / "programs" / "jacobi.toml"), *given]) == 0
    page = open_page(path)
    assert page.locator("h1").inner_text() == "jacobi"
    assert page.locator("section").count() == 2 + 3 + 2
