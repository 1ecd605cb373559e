"""A table as rows of text, for renderers with a grid of characters."""

from dataclasses import dataclass

from tracemill.base.names import format_path, make_visible
from tracemill.reports.course import course_of
from tracemill.reports.model import Column, Layout, Table, Trend
from tracemill.reports.trees import nest
from tracemill.reports.units import Unit, Value, format_value

DEEPEST_INDENT = 20
WIDEST_MATRIX = 16
COURSE_WIDTH = 40
_LEVELS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class TextGrid:
    """Headings, alignment, rows with indent, and a bar (0–1) per row if any.

    `grades` name the colors of the cells of each row, empty for most. `is_rigid`: the texts are
    pictures that must not be wrapped.
    """

    titles: tuple[str, ...]
    is_numeric: tuple[bool, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    bars: tuple[float, ...] = ()
    grades: tuple[tuple[str, ...], ...] = ()
    is_rigid: bool = False


def grid_of(table: Table) -> TextGrid:
    """The table in characters; a wide matrix becomes a list of pairs."""
    if table.layout is Layout.MATRIX:
        named = (rank for row in table.rows for rank in row[:2])
        ranks = sorted({int(rank) for rank in named if isinstance(rank, int)})
        if len(ranks) <= WIDEST_MATRIX:
            return _matrix_grid(table, ranks)
    if table.layout is Layout.COURSE:
        return _course_grid(table)
    shown = table.shown
    indents = _indents(table)
    trends: list[tuple[str, ...]] = [(draw_trend(trend),) for trend in table.trends]
    has_trends = bool(table.trends)
    return TextGrid(
        titles=(*(column.title for _, column in shown), *(table.trend_title,) * has_trends),
        is_numeric=(*(column.is_numeric for _, column in shown), *(False,) * has_trends),
        rows=tuple(
            (indent, (*(_text(column, row[position]) for position, column in shown), *drawn))
            for indent, row, drawn in zip(
                indents, table.rows, trends or [()] * len(table.rows), strict=True
            )
        ),
        bars=_bars(table),
        grades=_grades(table),
    )


def draw_trend(trend: Trend) -> str:
    """One character per value; its height shows the value."""
    most = len(_LEVELS) - 2
    return "".join(_LEVELS[1 + round(height * most)] for height in trend.heights)


def _text(column: Column, value: Value) -> str:
    if isinstance(value, str) and (column.is_path or column.sources):
        site = column.site_of(value)
        text = format_path(value) if column.is_path else format_value(value, column.unit)
        return text + column.mark_of(value) + (f" ({site})" if site else "")
    if column.is_whole and isinstance(value, str):
        return make_visible(value)
    return format_value(value, column.unit)


def _indents(table: Table) -> list[int]:
    if table.layout is not Layout.TREE:
        return [0] * len(table.rows)
    return [min(row.level, DEEPEST_INDENT) for row in nest(table.values("depth"))]


def _bars(table: Table) -> tuple[float, ...]:
    named = next((column.name for column in table.columns if column.has_bar), None)
    if named is None:
        return ()
    values = [float(value or 0) for value in table.values(named) if not isinstance(value, str)]
    peak = max(values, default=0)
    return tuple(max(0.0, value / peak) for value in values) if peak > 0 else ()


def _grades(table: Table) -> tuple[tuple[str, ...], ...]:
    if not any(column.is_efficiency for _, column in table.shown):
        return ()
    return tuple(
        tuple(column.grade_of(row[position]) for position, column in table.shown)
        for row in table.rows
    )


def _matrix_grid(table: Table, ranks: list[int]) -> TextGrid:
    rows = table.as_dicts()
    by, unit = table.measure.name, table.measure.unit
    amounts = {tuple(row.values())[:2]: row[by] for row in rows}
    corner = f"{table.columns[0].title} \\ {table.columns[1].title}".lower()
    return TextGrid(
        titles=(corner, *(str(rank) for rank in ranks)),
        is_numeric=(True,) * (len(ranks) + 1),
        rows=tuple(
            (0, (str(sender), *(_amount(amounts.get((sender, to)), unit) for to in ranks)))
            for sender in ranks
        ),
    )


def _course_grid(table: Table) -> TextGrid:
    """A line of characters per part; the height shows the share of the part at that time."""
    course = course_of(table, most_stretches=COURSE_WIDTH)
    return TextGrid(
        titles=("Part", "Time", "Of the run", f"From {course.begin} to {course.end}"),
        is_numeric=(False, True, True, False),
        rows=tuple(
            (0, (part.name, part.time, part.share, "".join(map(_draw_level, part.ratios))))
            for part in course.parts
        ),
        is_rigid=True,
    )


def _draw_level(ratio: float) -> str:
    """Every positive value is visible."""
    level = round(min(max(ratio, 0.0), 1.0) * (len(_LEVELS) - 1))
    return _LEVELS[max(level, 1)] if ratio > 0.005 else _LEVELS[level]


def _amount(value: Value, unit: Unit) -> str:
    return "" if value is None else format_value(value, unit)
