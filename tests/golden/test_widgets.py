"""Widgets in a page: their data, their scripts, and nothing else that could run."""

import base64
import hashlib
import html
import re
from dataclasses import replace

import numpy as np
import pytest

from tracemill.reports.html import render_html
from tracemill.reports.model import Picture, Report, Section, ShownQuery, Widget
from tracemill.reports.scripting import LAST, SHARED, WIDGETS

PAGE = Report(title="t", subtitle="s", name="r", sections=(Section(key="k", title="K"),))


def page_with(data: dict[str, object]) -> str:
    widget = Widget(
        name="icicle",
        title="A <widget>",
        description="Shows & tells.",
        data=data,
        of=(ShownQuery("asked", "SELECT 1 < 2"),),
    )
    other = replace(widget, data=dict(data))
    sections = (Section(key="k", title="K", widgets=(widget, widget, other)),)
    return render_html(Report(title="t", subtitle="s", name="r", sections=sections))


def scripts_in(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)


# Tables can be ordered and SQL be shown on every page.
def test_a_page_without_widgets_has_only_the_scripts_of_all_pages() -> None:
    assert len(scripts_in(render_html(PAGE))) == len({*SHARED, LAST})


def test_only_the_scripts_of_the_page_may_run() -> None:
    page = page_with({"name": "<script>alert(1)</script>", "values": np.arange(3)})
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    allowed = set(re.findall(r"sha256-([^']*)'", html.unescape(policy[1])))
    found = scripts_in(page)
    digests = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in found}
    assert digests == allowed
    assert len(found) == len({*SHARED, "icicle", LAST})
    assert "unsafe-inline'; script" in policy[1]
    assert "alert(1)</script>" not in page


def test_a_widget_names_its_content_and_source() -> None:
    page = page_with({})
    assert "A &lt;widget&gt;" in page
    assert "Shows &amp; tells." in page
    assert "SELECT 1 &lt; 2" in page
    assert page.count('data-widget="icicle"') == 3


def test_widgets_of_the_same_data_share_them() -> None:
    page = page_with({})
    assert re.findall(r'data-source="([^"]*)"', page) == ["data-k-1", "data-k-1", "data-k-3"]
    assert re.findall(r'id="(data-[^"]*)"', page) == ["data-k-1", "data-k-3"]


def test_every_script_is_strict_and_fits_into_a_page() -> None:
    for path in WIDGETS.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith('"use strict";\n'), path.name
        assert "</script" not in text.lower(), path.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|\beval\(", text), path.name


def test_a_page_without_matplotlib_says_what_pictures_need(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw() -> str:
        raise AssertionError("drawn")

    picture = Picture(name="map", title="Map", draw=draw, description="All.", of="Cells")
    report = replace(PAGE, sections=(Section(key="s", title="S", pictures=(picture,)),))
    monkeypatch.setattr("tracemill.reports.html.can_draw", lambda: False)
    page = render_html(report)
    assert "Pictures need matplotlib, which is not installed: make pictures" in page
    assert "<figure" not in page
