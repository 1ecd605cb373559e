"""The files of a report in the store: a folder per run or campaign."""

from pathlib import Path

from pipeline.files import write_bytes
from pipeline.reports.html import render_html
from pipeline.reports.markdown import render_markdown
from pipeline.reports.model import Drawing, Report
from pipeline.reports.pictures.drawing import standing_alone

_ADVICE = "name another --store, or do without: --no-report"


def write_reports(report: Report, store: Path) -> list[tuple[str, Path]]:
    """Write the files of a report whose content is new, and return where page and text are.

    Pictures say what the page says: they are drawn only if that is new, or if they are missing.
    """
    folder = store / "reports" / f"{report.subject}={report.name}"
    page, text = folder / "index.html", folder / "report.md"
    is_new = _write(page, _encode(render_html(report)))
    _write(text, _encode(render_markdown(report, has_pictures=True)))
    for section in report.sections:
        for picture in section.pictures:
            _write(folder / f"{picture.name}.svg", _encode(standing_alone(picture.svg)))
        for drawing in section.drawings:
            _write_drawing(drawing, folder, is_new=is_new)
    return [("report", page), ("text", text)]


def _write_drawing(drawing: Drawing, folder: Path, *, is_new: bool) -> None:
    svg, png = (folder / f"{drawing.name}.{suffix}" for suffix in ("svg", "png"))
    if is_new or not (svg.exists() and png.exists()):
        drawn = drawing.draw()
        _write(svg, _encode(drawn.svg))
        _write(png, drawn.png)


def _encode(text: str) -> bytes:
    """UTF-8; lone surrogates cannot be written so and stand for bytes nobody could read."""
    return text.encode("utf-8", errors="replace")


def _write(path: Path, content: bytes) -> bool:
    """Write a file unless it is there with this content; return whether it was written."""
    is_new = not _holds(path, content)
    if is_new:
        write_bytes(path, content, advice=_ADVICE, is_folder_made=True)
    return is_new


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False
