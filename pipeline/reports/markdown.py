"""A report as GitHub-flavored Markdown."""

import re
from collections.abc import Iterator
from functools import lru_cache

from tracemill.reports.grid import grid_of
from tracemill.reports.model import Explanation, Layout, Report, Section, ShownQuery, Table

# Characters that would start emphasis, code, links, HTML or end a table cell.
# An underscore inside a word, as in MPI_Recv, means nothing.
_ACTIVE = re.compile(r"([\\`*\[\]<>|#~$]|(?<![^\W_])_|_(?![^\W_]))")

_MOST_KEPT = 10_000


def render_markdown(report: Report, *, has_pictures: bool = False) -> str:
    """The report as text. All content of the trace is escaped.

    With `has_pictures`, it includes the pictures beside it.
    """
    return "\n".join(_lines(report, has_pictures)) + "\n"


@lru_cache(_MOST_KEPT)
def escape(text: str) -> str:
    """Text that Markdown shows unchanged."""
    if _ACTIVE.search(text):  # finds faster than it replaces
        text = _ACTIVE.sub(r"\\\1", text)
    return text.replace("&", "&amp;")


def _lines(report: Report, has_pictures: bool) -> Iterator[str]:
    yield f"# {escape(report.title)}"
    yield ""
    yield escape(report.subtitle)
    for section in report.sections:
        yield ""
        yield from _section(section)
        for drawing in section.drawings if has_pictures else ():
            yield f"![{escape(drawing.title)}]({drawing.name}.svg)"
            yield ""
    yield ""
    if report.sql_options:
        yield (
            f"{report.kind} `{report.name}`. Run any of these queries with "
            f"`tracemill sql {report.sql_options}`."
        )


def _section(section: Section) -> Iterator[str]:
    yield f"## {escape(section.title)}"
    yield ""
    if section.facts:
        yield " · ".join(f"{escape(fact.label)} **{escape(fact.text)}**" for fact in section.facts)
        yield ""
    for sentence in section.sentences:
        yield escape(sentence)
        yield ""
    for number, finding in enumerate(section.findings, 1):
        more = f" [More]({finding.page})" if finding.page else ""
        yield f"{number}. **{escape(finding.headline)}** {escape(finding.detail)}{more}"
    if section.findings:
        yield ""
    for remark in section.remarks:
        yield escape(remark)
        yield ""
    for picture in section.pictures:
        yield f"**{escape(picture.title)}** (drawn in the page): {escape(picture.description)}"
        yield ""
    for widget in section.widgets:
        yield f"**{escape(widget.title)}** (drawn in the page): {escape(widget.description)}"
        yield ""
        for source in widget.of:
            yield from _sql(f"SQL: {source.name}", source)
    for table in section.tables:
        yield from _table(table)
    for explained in section.explanations:
        yield from _explanation(explained)
    for source in section.sources:
        yield from _sql(f"SQL of the figures above: {source.name}", source)


def _explanation(explained: Explanation) -> Iterator[str]:
    yield f"### {escape(explained.title)}"
    yield ""
    yield escape(explained.meaning)
    yield ""
    for heading, items in (("Usual causes", explained.causes), ("What to try", explained.advice)):
        if items:
            yield f"{heading}:"
            yield ""
            yield from (f"- {escape(item)}" for item in items)
            yield ""


def _table(table: Table) -> Iterator[str]:
    yield f"### {escape(table.title)}"
    yield ""
    if table.note:
        yield escape(table.note)
        yield ""
    grid = grid_of(table)
    yield _row([escape(title) for title in grid.titles])
    yield _row(["---:" if is_numeric else "---" for is_numeric in grid.is_numeric])
    pages = table.row_pages or ("",) * len(grid.rows)
    for (indent, cells), page in zip(grid.rows, pages, strict=True):
        first, *rest = (escape(text) for text in cells)
        linked = f"[{first}]({page})" if page else first
        yield _row(["&emsp;" * indent + linked, *rest])
    yield ""
    if table.is_cut and table.layout is not Layout.MATRIX:
        more = "; increase the limit in the query for more" if table.sql else ""
        yield f"The first {len(table.rows)} rows{more}."
        yield ""
    if table.sql:
        yield from _sql("SQL", ShownQuery(table.name, table.sql))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _sql(label: str, source: ShownQuery) -> Iterator[str]:
    yield f"<details><summary>{escape(label)}</summary>"
    yield ""
    yield "```sql"
    yield source.sql
    yield "```"
    yield ""
    yield "</details>"
    yield ""
