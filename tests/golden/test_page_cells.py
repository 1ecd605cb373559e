"""Cells of a page's tables: all texts are escaped once, and links stand where they belong."""

from dataclasses import replace
from typing import Any

from tracemill.reports.html import rows_of
from tracemill.reports.model import Column, Table
from tracemill.reports.units import Unit, Value

HOSTILE = "<b>&\"'"
SAFE = "&lt;b&gt;&amp;&#34;&#39;"


def row_of(columns: tuple[Column, ...], values: tuple[Value, ...], **more: Any) -> str:
    """The cells of a table of one row."""
    table = Table(name="t", title="T", columns=columns, rows=(values,), sql="", **more)
    (row,) = rows_of(table)
    return str(row)


def text(name: str, *, is_path: bool = False, is_explained: bool = False) -> Column:
    return Column(name=name, title=name, unit=Unit.TEXT, is_path=is_path, is_explained=is_explained)


TIME = Column(name="time_ns", title="Time", unit=Unit.TIME, has_bar=True)


def test_texts_are_escaped_once() -> None:
    assert row_of((text("name"),), (HOSTILE,)) == f"<td><bdi>{SAFE}</bdi></td>"
    metric = f'<td><a href="#metric-{SAFE}_x">{SAFE}_<wbr>x</a></td>'
    assert row_of((text("metric", is_explained=True),), (f"{HOSTILE}_x",)) == metric
    linked = f'<td><a href="{SAFE}"><bdi>{SAFE}</bdi></a></td>'
    assert row_of((text("name"),), (HOSTILE,), row_pages=(HOSTILE,)) == linked
    assert row_of((text("name"),), (HOSTILE,), cell_links=((HOSTILE,),)) == linked


def test_numbers_have_bars() -> None:
    assert row_of((TIME,), (1_000,)) == '<td class="n b" style="--p:100.0%">1.00 µs</td>'
    assert row_of((TIME,), (None,)) == '<td class="n">–</td>'


def test_a_row_leads_on_from_its_call_path_else_from_its_first_cell() -> None:
    path, name = text("call_path", is_path=True), text("name")
    first, second = row_of((name, path), ("n", "main"), row_links=("there",)).split("</td><td")
    assert "<a" not in first
    assert '<a href="#there">' in second
    first, second = row_of((name, TIME), ("n", 1), row_links=("there",)).split("</td><td")
    assert '<a href="#there">' in first
    assert "<a" not in second
    first, second = row_of((path, name), ("main", "n"), row_pages=("p.html",)).split("</td><td")
    assert '<a href="p.html">' in first
    assert "<a" not in second


def test_small_shares_and_texts_among_numbers_are_escaped() -> None:
    share = Column(name="time_ratio", title="Share", unit=Unit.SHARE)
    assert row_of((share,), (0.00005,)) == '<td class="n">&lt;0.01%</td>'
    assert row_of((TIME,), (HOSTILE,)) == f'<td class="n">{SAFE}</td>'


def test_a_metric_that_leads_elsewhere_has_one_link() -> None:
    linked = f'<td><a href="{SAFE}"><bdi>x</bdi></a></td>'
    column = text("metric", is_explained=True)
    assert row_of((column,), ("x",), cell_links=((HOSTILE,),)) == linked


def test_places_in_code_are_escaped() -> None:
    path = replace(text("call_path", is_path=True), sources={"main": "<f>.c:3"})
    assert row_of((path,), ("main",)).endswith(
        'title="main\n&lt;f&gt;.c:3"><span><bdi>main</bdi></span></bdi> '
        '<small class="site">&lt;f&gt;.c:3</small></td>'
    )
