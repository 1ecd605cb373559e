"""Reads reports: the elements of a page, and all formats of a report."""

from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from importlib import import_module
from typing import cast

from tests.helpers.hand_made import late_sender_run
from tracemill.base.console import plain
from tracemill.reports.build import ReportedRun, build_report
from tracemill.reports.html import render_html
from tracemill.reports.markdown import render_markdown
from tracemill.reports.material import Material
from tracemill.reports.model import Report, Section, Table
from tracemill.reports.page_names import JOINT
from tracemill.reports.sections import SectionModule, build_sections
from tracemill.reports.terminal import print_report

VOID = {"meta", "wbr"}


@dataclass
class Page(HTMLParser):
    """The elements of a page; fails if they do not nest."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    deepest: int = 0
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
            self.deepest = max(self.deepest, len(self.open))
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        data = data.replace(JOINT, "").replace("\N{NO-BREAK SPACE}", " ")
        self.texts.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def read_page(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


def late_sender_report() -> Report:
    return build_report(late_sender_run())


def section_of(run: ReportedRun, key: str) -> Section:
    """One section of a report, made alone."""
    (section,) = some_of(run, key.replace("-", "_")).sections
    assert section.key == key
    return section


def some_of(run: ReportedRun, *names: str) -> Report:
    """The report of a run with only the sections that these modules make."""
    found = [import_module(f"tracemill.reports.sections.{name}") for name in names]
    modules = [cast(SectionModule, module) for module in found]
    with run.connect(threads=1, tables=()) as connection:
        material = Material(connection, run.manifest, provide=partial(run.provide, connection))
        sections = build_sections(material, modules)
    return Report(title=run.label, subtitle="", name=run.run_id, sections=sections)


def text_of(report: Report) -> str:
    console = plain()
    print_report(report, console)
    return console.export_text()


def all_forms(report: Report) -> tuple[str, str, str]:
    return render_html(report), render_markdown(report), text_of(report)


def tables_of(report: Report) -> dict[str, Table]:
    return {table.name: table for section in report.sections for table in section.tables}
