"""The files of a report in the store: a folder per run or campaign."""

from pathlib import Path

from pipeline.files import write_text
from pipeline.reports.html import render_html
from pipeline.reports.markdown import render_markdown
from pipeline.reports.model import Report


def write_reports(report: Report, store: Path) -> list[tuple[str, Path]]:
    """Write both report files if their content is new, and return where they are."""
    folder = store / "reports" / f"{report.subject}={report.name}"
    texts = {
        ("report", folder / "index.html"): render_html(report),
        ("text", folder / "report.md"): render_markdown(report),
    }
    for (_, path), text in texts.items():
        if not _holds(path, text):
            advice = "name another --store, or do without: --no-report"
            write_text(path, text, advice=advice, is_folder_made=True)
    return list(texts)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode("utf-8", errors="replace")
    except OSError:
        return False
