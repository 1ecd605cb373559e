"""A report as one self-contained HTML page without requests and without fonts to load.

Only the scripts of `widgets` can run, regardless of the names in a trace.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup, escape

from tracemill.base.caches import cache_folders
from tracemill.base.names import make_visible, shorten
from tracemill.reports.course import course_of
from tracemill.reports.model import Column, Layout, Report, Table, Trend
from tracemill.reports.page_names import (
    short_site,
    show_path,
    show_region,
    show_sentence,
    show_site,
    whole_of,
)
from tracemill.reports.part_styles import style_of
from tracemill.reports.pictures.drawing import NEEDED, can_draw
from tracemill.reports.scripting import scripting_of
from tracemill.reports.trees import TreeRow, nest
from tracemill.reports.units import Unit, Value, format_value

TEMPLATES = Path(__file__).parent / "templates"
LABELED_MATRIX = 16
LONGEST_UNBROKEN = 30
OPEN_ABOVE = 0.05
DEEPEST = 24
"""Levels of a tree that are indented."""
COURSE_STRETCHES = 200
COURSE_HEIGHT = 100
CURVE_WIDTH, CURVE_HEIGHT, CURVE_MARGIN = 120, 24, 3
_PATH = ' class="p"'


class HtmlCell(NamedTuple):
    """A cell to be drawn: what it contains, in HTML, and the attributes of its element.

    Drawn in Python, for speed: a page has thousands of cells.
    """

    content: str
    attributes: str
    is_path: bool

    def drawn(self, tag: str, *, more: str = "", address: str = "") -> str:
        """Its element in HTML, with more attributes, and as a link if an address is given."""
        return f"<{tag}{self.attributes}{more}>{_linked(self.content, address)}</{tag}>"


@dataclass(frozen=True)
class Branch:
    """A row of the call tree with its position among the nested elements."""

    row: TreeRow
    cells: Markup
    is_open: bool


@dataclass(frozen=True)
class Segment:
    """A part of a stacked bar, `width` in percent; `style` names its color."""

    text: str
    width: float
    style: str


_FILTERS = {
    "rank": "rank", "worst_rank": "rank", "cause_rank": "partner", "partner_rank": "partner",
    "sender_rank": "from", "receiver_rank": "to", "tag": "tag",
    "caller": "region", "callee": "region",
}  # fmt: skip


def render_html(report: Report) -> str:
    """The page as text. Everything that comes from the trace is escaped."""
    return _template().render(
        report=report,
        scripting=scripting_of(report),
        data_keys=_data_keys(report),
        Layout=Layout,
        undrawn="" if can_draw() else f"{NEEDED[0].upper()}{NEEDED[1:]}.",
        said={each for section in report.sections[1:] for each in section.sentences},
    )


def _data_keys(report: Report) -> dict[str, str]:
    """For each widget, the widget that carries its data: the first one with the same data."""
    keys: dict[str, str] = {}
    carriers: dict[int, str] = {}
    for section in report.sections:
        for number, widget in enumerate(section.widgets, 1):
            key = f"{section.key}-{number}"
            keys[key] = carriers.setdefault(id(widget.data), key)
    return keys


@cache
def _template() -> "jinja2.Template":
    import jinja2

    compiled = jinja2.FileSystemBytecodeCache(str(cache_folders("templates")[0]))
    environment = jinja2.Environment(
        bytecode_cache=compiled,
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(
        rows_of=rows_of,
        name_of=name_of,
        shade_of=shade_of,
        branches_of=branches_of,
        matrix_of=matrix_of,
        segments_of=segments_of,
        chart_of=chart_of,
        filter_of=_filter_of,
        curve_of=curve_of,
        show_path=show_path,
        show_site=show_site,
        short_site=short_site,
        whole_of=whole_of,
        show_sentence=show_sentence,
        visible=make_visible,
    )
    return environment.get_template("report.html.j2")


def rows_of(table: Table) -> Iterator[Markup]:
    """The cells of each row of a plain table."""
    links = table.row_links or ("",) * len(table.rows)
    pages = table.row_pages or ("",) * len(table.rows)
    rows = _cells(table, range(len(table.rows)))
    for row, link, page in zip(rows, links, pages, strict=True):
        drawn = []
        for at, cell in enumerate(row):
            address = "" if at else page
            if link and (cell.is_path if table.has_paths else not at):
                address = f"#{link}"
            drawn.append(cell.drawn("td", address=address))
        yield Markup("".join(drawn))


def name_of(table: Table, position: int) -> str:
    """The anchor of a row; empty if there is none."""
    return table.row_names[position] if table.row_names else ""


def shade_of(table: Table, position: int) -> float:
    """The color of a row, 0–100."""
    return round(100 * min(max(table.row_shades[position], 0.0), 1.0), 1)


@dataclass(frozen=True)
class TrendCurve:
    """A trend as a line in a box of `width` by `height`, with its end."""

    points: str
    end: tuple[str, str]
    width: int
    height: int
    description: str
    is_marked: bool


def curve_of(trend: Trend) -> TrendCurve:
    """The curve of a trend; for a single value, only its end is visible."""
    step = (CURVE_WIDTH - 2 * CURVE_MARGIN) / max(len(trend.values) - 1, 1)
    depth = CURVE_HEIGHT - 2 * CURVE_MARGIN
    points = [
        (f"{CURVE_MARGIN + at * step:.1f}", f"{CURVE_MARGIN + (1 - height) * depth:.1f}")
        for at, height in enumerate(trend.heights)
    ]
    return TrendCurve(
        points=" ".join(",".join(point) for point in points),
        end=points[-1],
        width=CURVE_WIDTH,
        height=CURVE_HEIGHT,
        description=trend.description,
        is_marked=trend.is_marked,
    )


def _cells(table: Table, positions: Iterable[int]) -> Iterator[tuple[HtmlCell, ...]]:
    """The cells of rows at some positions."""
    largest, shown = _largest(table), table.shown
    no_links = ("",) * len(table.columns)
    for position in positions:
        row = table.rows[position]
        links = table.cell_links[position] if table.cell_links else no_links
        yield tuple(_cell(column, row[at], largest, links[at]) for at, column in shown)


def _cell(column: Column, value: Value, largest: dict[str, float], link: str) -> HtmlCell:
    if isinstance(value, str):
        content, kind = _text(column, value, is_linked=bool(link)), _kind_of_text(column, value)
        return HtmlCell(_linked(content, link), kind, column.is_path)
    content = _number(value, column.unit)
    if not column.is_numeric:
        content = _isolated(column, content)
    return HtmlCell(_linked(content, link), _kind(column, value, largest), column.is_path)


def _number(value: Value, unit: Unit) -> str:
    return format_value(value, unit).replace("<", "&lt;")  # as in "<0.01%"


def _linked(content: str, address: str) -> str:
    return f'<a href="{escape(address)}">{content}</a>' if address else content


def _kind(column: Column, value: Value, largest: dict[str, float]) -> str:
    """The attributes of a number: its bar (0–100), and its color by grade or by size (0–100)."""
    if not column.is_numeric:
        return _PATH if column.is_path else ""
    bar = _bar(column, value, largest)
    heat = _heat_of(value) if column.is_heat else None
    grade = column.grade_of(value)
    kinds = " b" if bar is not None else ""
    kinds += f" {grade}" if grade else ""
    kinds += "" if heat is None else " heat high" if heat >= 50 else " heat"
    style = "" if heat is None else f' style="--h:{heat}"'
    return f' class="n{kinds}"' + (style if bar is None else f' style="--p:{bar}%"')


def _kind_of_text(column: Column, value: str) -> str:
    """A long text can break anywhere, so that it does not make the table too wide."""
    if column.is_numeric:
        return ' class="n"'
    return _PATH if column.is_path else ' class="l"' if len(value) > LONGEST_UNBROKEN else ""


def _text(column: Column, value: str, *, is_linked: bool) -> str:
    """A text as it is drawn; a metric leads to its explanation if it leads nowhere else."""
    text, full = _name(column, value)
    if column.is_explained and not is_linked:
        parts = "_<wbr>".join(map(escape, text.split("_")))
        return f'<a href="#metric-{escape(value)}">{parts}</a>'
    if column.is_numeric:
        return escape(text)
    site = ""
    if source := column.sources.get(value):
        full = f"{full or make_visible(value)}\n{make_visible(source)}"
        short = short_site(column.site_of(value))
        site = show_site(short) if short else ""
    title = f' title="{escape(full)}"' if full else ""
    return f"{_isolated(column, escape(text), title)}{site}"


def _isolated(column: Column, content: str, title: str = "") -> str:
    """A text whose direction of writing does not change what is around it."""
    kind = ' class="path"' if column.is_path else ""
    return f"<bdi{kind}{title}>{content}</bdi>"


def _name(column: Column, value: str) -> tuple[str, str]:
    """A text without its site, and the whole of it where not all is seen."""
    mark = column.mark_of(value)
    if column.is_path:
        return show_path(value, mark), whole_of(value)
    if _filter_of(column) == "region":
        shown = show_region(value)
        return shown + mark, whole_of(value) if "<i>" in shown else ""
    visible = make_visible(value)
    text = visible if column.is_whole else shorten(visible)
    return text + mark, whole_of(value) if text != visible else ""


def _heat_of(value: Value) -> float | None:
    return round(100 * min(max(value, 0.0), 1.0), 1) if isinstance(value, int | float) else None


def _bar(column: Column, value: Value, largest: dict[str, float]) -> float | None:
    top = largest.get(column.name, 0)
    if top <= 0 or not isinstance(value, int | float):
        return None
    return round(max(0.0, value / top * 100), 1)


def _largest(table: Table) -> dict[str, float]:
    """The largest value per column; columns of one table with the same unit share a scale."""
    bars = [column for column in table.columns if column.has_bar]
    peaks = {column.name: _peak(table.values(column.name)) for column in bars}
    shared: dict[Unit, float] = {}
    for column in bars:
        shared[column.unit] = max(shared.get(column.unit, 0), peaks[column.name])
    return {column.name: shared[column.unit] for column in bars}


def _peak(values: tuple[Value, ...]) -> float:
    return max((value for value in values if isinstance(value, int | float)), default=0)


def branches_of(table: Table) -> list[Branch]:
    """Rows of a tree in reading order; large branches are initially open, all without shares."""
    has_shares = any(column.name == "inclusive_ratio" for column in table.columns)
    shares = table.values("inclusive_ratio") if has_shares else (1.0,) * len(table.rows)
    rows = list(nest(table.values("depth")))
    drawn = _cells(table, (row.position for row in rows))
    return [
        Branch(row, _indented(cells, row.level), _is_open(shares, row))
        for row, cells in zip(rows, drawn, strict=True)
    ]


def _indented(cells: tuple[HtmlCell, ...], level: int) -> Markup:
    """The cells of a branch; the first one is indented."""
    first, *others = cells
    drawn = [each.drawn("span") for each in others]
    indent = f' style="--l:{min(level, DEEPEST)}"'
    return Markup("".join([first.drawn("span", more=indent), *drawn]))


def _is_open(shares: tuple[Value, ...], row: TreeRow) -> bool:
    share = shares[row.position]
    return isinstance(share, float) and share >= OPEN_ABOVE


def matrix_of(table: Table) -> dict[str, object]:
    """A square of heat-colored cells, 0–100 by the square root of the share of the largest."""
    rows = table.as_dicts()
    names = [column.name for column in table.columns]
    by, unit = table.measure.name, table.measure.unit
    peak = _peak(table.values(by)) or 1
    amounts = {(row[names[0]], row[names[1]]): row[by] for row in rows}
    ranks = sorted({int(rank) for pair in amounts for rank in pair if isinstance(rank, int)})
    grid = [[_heat(amounts.get((row, column)), peak, unit) for column in ranks] for row in ranks]
    corner = f"{table.columns[0].title} \\ {table.columns[1].title}".lower()
    return {
        "ranks": ranks,
        "grid": grid,
        "corner": corner,
        "is_labeled": len(ranks) <= LABELED_MATRIX,
    }


def _heat(amount: Value, peak: float, unit: Unit) -> tuple[int, str]:
    if not isinstance(amount, int | float):
        return 0, ""
    return round(10 + 90 * (amount / peak) ** 0.5), format_value(amount, unit)


def segments_of(table: Table) -> list[Segment]:
    """The stacked bar of a table whose rows are parts of a whole."""
    rows = table.as_dicts()
    total = sum(float(row["time_ns"] or 0) for row in rows)
    if total <= 0:
        return []
    return [
        Segment(
            text=str(row["part"]),
            width=round(max(0.0, float(row["time_ns"] or 0)) / total * 100, 2),
            style=style_of(str(row["part"])),
        )
        for row in rows
    ]


@dataclass(frozen=True)
class TrendArea:
    """A part of the time as an area of a stacked chart; `path` draws it."""

    name: str
    time: str
    share: str
    style: str
    path: str


@dataclass(frozen=True)
class Chart:
    """Areas in a box of `width` by `height`, from the bottom."""

    begin: str
    end: str
    width: int
    height: int
    areas: tuple[TrendArea, ...]


def chart_of(table: Table) -> Chart:
    """The stacked chart of a table in the layout COURSE."""
    course = course_of(table, most_stretches=COURSE_STRETCHES)
    width = max((len(part.ratios) for part in course.parts), default=1)
    floor = [0.0] * width
    areas = []
    for part in course.parts:
        top = [low + max(0.0, ratio) for low, ratio in zip(floor, part.ratios, strict=True)]
        path = _outline(floor, top)
        areas.append(TrendArea(part.name, part.time, part.share, style_of(part.name), path))
        floor = top
    return Chart(course.begin, course.end, width, COURSE_HEIGHT, tuple(areas))


def _outline(floor: list[float], top: list[float]) -> str:
    """Steps along the top edge, one unit wide each, and back along the bottom."""
    there = "".join(f"V{_depth(level)}h1" for level in top)
    back = "".join(f"V{_depth(level)}h-1" for level in reversed(floor))
    return f"M0 {_depth(floor[0])}{there}{back}z"


def _depth(level: float) -> str:
    """Distance from the upper edge; depths grow downward."""
    return f"{COURSE_HEIGHT * (1 - min(level, 1.0)):.1f}".removesuffix(".0")


def _filter_of(column: Column) -> str:
    """The kind of a column: region, rank, partner, tag, from or to of a message; else empty."""
    if column.is_path or column.name == "region" or column.name.endswith("_region"):
        return "region"
    return _FILTERS.get(column.name, "")
