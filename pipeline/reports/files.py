"""Report files in the store: a folder per run or campaign, and one for nightly reports."""

from pathlib import Path

from tracemill.base.files import write_bytes
from tracemill.reports.html import render_html
from tracemill.reports.markdown import render_markdown
from tracemill.reports.model import Drawing, Report
from tracemill.reports.pictures.drawing import standing_alone

_ADVICE = "use another --store, or no report: --no-report"


def write_reports(
    report: Report, store: Path, *, has_drawings: bool = False
) -> list[tuple[str, Path]]:
    """Write the report files with changed content, and return the paths of page and text.

    Drawing takes longer than analyzing a small trace. Drawings are made only if requested, or if
    an earlier page had them. If the page is unchanged, only missing drawings are made.
    """
    folder = store / "reports" / report.folder
    if report.focus.given:
        return _write_focused(report, folder)
    page, text = folder / "index.html", folder / "report.md"
    drawings = [drawing for section in report.sections for drawing in section.drawings]
    has_drawings |= any(path.exists() for each in drawings for path in _paths(each, folder))
    is_new = _write(page, _encode(render_html(report)))
    _write(text, _encode(render_markdown(report, has_pictures=has_drawings)))
    for section in report.sections:
        for picture in section.pictures:
            _write(folder / f"{picture.name}.svg", _encode(standing_alone(picture.svg)))
    for drawing in drawings if has_drawings else ():
        _write_drawing(drawing, folder, is_new=is_new)
    return [("report", page), ("text", text)]


def _write_focused(report: Report, folder: Path) -> list[tuple[str, Path]]:
    """Write page and text of a focus, beside those of the whole run."""
    page, text = (
        folder / f"{stem}.{report.focus.name}.{suffix}"
        for stem, suffix in (("index", "html"), ("report", "md"))
    )
    _write(page, _encode(render_html(report)))
    _write(text, _encode(render_markdown(report, has_pictures=False)))
    return [("report", page), ("text", text)]


def _paths(drawing: Drawing, folder: Path) -> tuple[Path, Path]:
    return folder / f"{drawing.name}.svg", folder / f"{drawing.name}.png"


def _write_drawing(drawing: Drawing, folder: Path, *, is_new: bool) -> None:
    svg, png = _paths(drawing, folder)
    if is_new or not (svg.exists() and png.exists()):
        drawn = drawing.draw()
        _write(svg, _encode(drawn.svg))
        _write(png, drawn.png)


def _encode(text: str) -> bytes:
    """UTF-8; lone surrogates, which stand for undecodable bytes, are replaced."""
    return text.encode("utf-8", errors="replace")


def _write(path: Path, content: bytes) -> bool:
    """Write a file if its content changed; return whether it was written."""
    is_new = not _holds(path, content)
    if is_new:
        write_bytes(path, content, advice=_ADVICE, is_folder_made=True)
    return is_new


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False
