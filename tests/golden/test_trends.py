"""Trends in tables, and rows that lead to other pages: what each renderer makes of them."""

import re

import pytest

from tracemill.reports.grid import draw_trend
from tracemill.reports.html import render_html
from tracemill.reports.markdown import render_markdown
from tracemill.reports.model import Column, Finding, Report, Section, Subject, Table, Trend
from tracemill.reports.units import Unit


def trend(*values: float, is_marked: bool = False) -> Trend:
    return Trend(values=values, unit=Unit.TIME, is_marked=is_marked)


@pytest.mark.parametrize(
    ("values", "heights"),
    [
        ((100.0, 200.0, 150.0), (0.0, 1.0, 0.5)),
        # 5 differ by less than a fifth of 100: the curve is a quarter of the height, in the middle.
        ((100.0, 105.0), (0.375, 0.625)),
        ((7.0,), (0.5,)),
        ((0.0, 0.0), (0.5, 0.5)),
        ((-1.0, 1.0), (0.0, 1.0)),
    ],
)
def test_a_curve_has_the_whole_height_if_values_differ_much(
    values: tuple[float, ...], heights: tuple[float, ...]
) -> None:
    assert trend(*values).heights == pytest.approx(heights)


def test_text_has_a_character_per_value() -> None:
    # Eight characters stand for heights of 0/7, 1/7 and so on.
    assert draw_trend(trend(0.0, 7.0, 1.0, 3.0)) == "▁█▂▄"


def report(table: Table, *findings: Finding) -> Report:
    section = Section(key="summary", title="Summary", tables=(table,), findings=findings)
    return Report(
        title="Night", subtitle="", name="n", sections=(section,), subject=Subject.NIGHT
    )  # fmt: skip


TABLE = Table(
    name="trends",
    title="Trends",
    columns=(
        Column(name="application", title="Application", unit=Unit.TEXT),
        Column(name="reason", title="Reason", unit=Unit.TEXT, is_whole=True),
    ),
    rows=(("<cg>", "x" * 300), ("ft", "")),
    sql="",
    row_pages=("../run=1/index.html", ""),
    trends=(trend(1e6, 2e6, is_marked=True), trend(3e6)),
    trend_title="Run time",
)
FINDING = Finding("It is worse.", "Because.", page="../run=1/index.html")


def test_the_page_draws_curves_and_leads_to_pages() -> None:
    page = render_html(report(TABLE, FINDING))
    assert '<th scope="col">Run time</th>' in page
    # Of 120 by 24 units with a margin of 3: from the lower left to the upper right.
    assert 'points="3.0,21.0 117.0,3.0"' in page
    assert 'aria-label="2 values from 1.00 ms to 2.00 ms, oldest first"' in page
    assert page.count('class="trend marked"') == 1
    assert '<a href="../run=1/index.html"><bdi>&lt;cg&gt;</bdi></a>' in page
    assert '<a href="../run=1/index.html">Report</a>' in page
    assert "x" * 300 in page
    assert "tracemill sql" not in page


def test_the_text_has_curves_and_links_too() -> None:
    text = render_markdown(report(TABLE, FINDING))
    row = re.escape(r"| [\<cg\>](../run=1/index.html) | " + "x" * 300 + " | ▁█ |")
    assert re.search(row, text)
    assert re.search(r"\| ft \|  \| [▄▅] \|", text)
    assert "**It is worse.** Because. [More](../run=1/index.html)" in text
    assert "tracemill sql" not in text
