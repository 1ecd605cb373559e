"""Summaries in HTML, as notebooks show them."""

from html import escape

from tracemill.reports.model import Report


def summary_html(report: Report) -> str:
    """Title, size, sentences, and findings as a list."""
    summary = report.section("summary")
    sentences, remarks = (
        "".join(f"<p>{escape(each)}</p>" for each in texts)
        for texts in ((report.subtitle, *summary.sentences), summary.remarks)
    )
    findings = "".join(
        f"<li><b>{escape(each.headline)}</b> {escape(each.detail)}</li>"
        for each in summary.findings
    )
    listed = f"<ol>{findings}</ol>" if findings else ""
    return f"<h4>{escape(report.title)}</h4>{sentences}{listed}{remarks}"
