"""Summaries in HTML, as notebooks show them."""

from html import escape

from tracemill.reports.model import Report


def summary_html(report: Report) -> str:
    """Title, size, sentences and findings of a report."""
    summary = report.section("summary")
    findings = (
        f"<b>{escape(each.headline)}</b> {escape(each.detail)}" for each in summary.findings
    )
    items = [*map(escape, summary.sentences), *findings, *map(escape, summary.remarks)]
    listed = "".join(f"<li>{each}</li>" for each in items)
    return f"<h4>{escape(report.title)}</h4><p>{escape(report.subtitle)}</p><ul>{listed}</ul>"
