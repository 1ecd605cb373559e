"""Every finding of a report leads to its advice, every amount to its definition and query."""

import re

import pytest

from tests.helpers.hand_made import late_sender_run
from tracemill.reports.build import build_report
from tracemill.reports.html import render_html
from tracemill.reports.markdown import render_markdown
from tracemill.reports.meanings import MEANINGS, OF_TABLES
from tracemill.reports.model import Report
from tracemill.reports.units import Unit
from tracemill.sql.metric_texts import read_text
from tracemill.sql.query_files import all_queries

AMOUNTS = (Unit.TIME, Unit.SHARE, Unit.SIZE, Unit.COUNT)
# Where a stretch of the course of time begins and ends is drawn, not shown as a column.
DRAWN = ("begin_ns", "end_ns")


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(late_sender_run())


def test_a_finding_leads_to_its_meaning_causes_and_advice(report: Report) -> None:
    (finding,) = report.section("summary").findings
    (explained,) = report.section("metrics").explanations
    assert finding.metric == explained.metric == "mpi_latesender"
    page = render_html(report)
    article = re.search(r'<article class="explained" id="metric-mpi_latesender">(.*?)</article>',
                        page, re.DOTALL)  # fmt: skip
    assert article is not None
    text = read_text("mpi_latesender").replace("`", "")
    for item in (*explained.causes, *explained.advice):
        assert item in " ".join(text.split())
    assert len(explained.causes) == text.partition("## Usual causes")[2].split("## ")[0].count(
        "\n- "
    )
    assert len(explained.advice) == text.partition("## What to try")[2].count("\n- ")
    assert "In a pipeline, send smaller portions" in article[1]
    assert "In a pipeline, send smaller portions" in render_markdown(report)


def test_links_lead_to_something(report: Report) -> None:
    page = render_html(report)
    places = set(re.findall(r' id="([^"]+)"', page))
    links = re.findall(r'href="#([^"]+)"', page)
    assert {link for link in links if link.startswith("metric-")} == {"metric-mpi_latesender"}
    assert set(links) <= places


def test_every_amount_of_a_table_has_a_definition(report: Report) -> None:
    undefined = {
        (table.name, column.name)
        for section in report.sections
        for table in section.tables
        for _, column in table.shown
        if table.sql and column.unit in AMOUNTS and not column.meaning
    }
    assert {name for _, name in undefined} <= set(DRAWN)
    assert all(table.sql or table.note for each in report.sections for table in each.tables)


def test_every_fact_of_the_summary_has_a_definition(report: Report) -> None:
    assert all(fact.meaning for fact in report.section("summary").facts)


def test_definitions_are_of_columns_that_queries_have() -> None:
    texts = {query.relation: query.statement for query in all_queries()}
    everything = "\n".join(texts.values())
    assert [name for name in MEANINGS if not re.search(rf"\b{name}\b", everything)] == []
    for table, column in OF_TABLES:
        assert re.search(rf"\b{column}\b", texts[table])
