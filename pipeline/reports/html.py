"""A report as one self-contained HTML page: no scripts, no requests, no fonts to load."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.reports.model import Column, Layout, Report, Table
from pipeline.reports.trees import TreeRow, nest
from pipeline.reports.units import Unit, Value, format_path, format_value, make_visible, shorten

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).parent / "templates"
LABELLED_MATRIX = 16
LONGEST_TITLE = 400
LONGEST_UNBROKEN = 30
OPEN_ABOVE = 0.05
_PART_STYLES = {"program code": "k0", "MPI, other calls": "k1"}


@dataclass(frozen=True)
class Cell:
    """A cell ready to be drawn. `bar` is 0–100; `full` is set where `text` is shortened."""

    text: str
    is_numeric: bool = False
    bar: float | None = None
    full: str = ""
    is_path: bool = False

    @property
    def is_long(self) -> bool:
        """Text that may be broken anywhere, so that it does not make the table too wide."""
        return len(self.text) > LONGEST_UNBROKEN


@dataclass(frozen=True)
class Branch:
    """A row of the call tree with its place among the nested elements."""

    row: TreeRow
    cells: tuple[Cell, ...]
    is_open: bool


@dataclass(frozen=True)
class Segment:
    """A part of a stacked bar, `width` in percent; `style` names its colour."""

    text: str
    width: float
    style: str


def render_html(report: Report) -> str:
    """The page as text. Everything that comes from the trace is escaped."""
    return _template().render(report=report, Layout=Layout)


@cache
def _template() -> "jinja2.Template":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(
        rows_of=rows_of, branches_of=branches_of, matrix_of=matrix_of, segments_of=segments_of
    )
    return environment.get_template("report.html.j2")


def rows_of(table: Table) -> list[tuple[Cell, ...]]:
    """Rows of a plain table, ready to be drawn."""
    largest = _largest(table)
    return [_cells(table, row, largest) for row in table.rows]


def _cells(table: Table, row: tuple[Value, ...], largest: dict[str, float]) -> tuple[Cell, ...]:
    return tuple(_cell(column, row[position], largest) for position, column in table.shown)


def _cell(column: Column, value: Value, largest: dict[str, float]) -> Cell:
    text = format_value(value, column.unit)
    full = ""
    if isinstance(value, str):
        visible = make_visible(value)
        text = format_path(value) if column.is_path else text
        full = shorten(visible, LONGEST_TITLE) if text != visible else ""
    return Cell(text, column.is_numeric, _bar(column, value, largest), full, column.is_path)


def _bar(column: Column, value: Value, largest: dict[str, float]) -> float | None:
    top = largest.get(column.name, 0)
    if top <= 0 or not isinstance(value, int | float):
        return None
    return round(max(0.0, value / top * 100), 1)


def _largest(table: Table) -> dict[str, float]:
    """The longest bar per column; columns of one table with one unit share a scale."""
    bars = [column for column in table.columns if column.has_bar]
    peaks = {column.name: _peak(table.values(column.name)) for column in bars}
    shared: dict[Unit, float] = {}
    for column in bars:
        shared[column.unit] = max(shared.get(column.unit, 0), peaks[column.name])
    return {column.name: shared[column.unit] for column in bars}


def _peak(values: tuple[Value, ...]) -> float:
    return max((value for value in values if isinstance(value, int | float)), default=0)


def branches_of(table: Table) -> list[Branch]:
    """Rows of a tree in reading order; large branches are open at first."""
    largest = _largest(table)
    shares = table.values("inclusive_ratio")
    return [
        Branch(row, _cells(table, table.rows[row.position], largest), _is_open(shares, row))
        for row in nest(table.values("depth"))
    ]


def _is_open(shares: tuple[Value, ...], row: TreeRow) -> bool:
    share = shares[row.position]
    return isinstance(share, float) and share >= OPEN_ABOVE


def matrix_of(table: Table) -> dict[str, object]:
    """A square of heat-coloured cells, 0–100 by the root of the share of the largest."""
    rows = table.as_dicts()
    names = [column.name for column in table.columns]
    by, unit = ("bytes", Unit.SIZE) if _peak(table.values("bytes")) else (
        "message_count", Unit.COUNT
    )  # fmt: skip
    peak = _peak(table.values(by)) or 1
    amounts = {(row[names[0]], row[names[1]]): row[by] for row in rows}
    ranks = sorted({int(rank) for pair in amounts for rank in pair if isinstance(rank, int)})
    grid = [[_heat(amounts.get((row, column)), peak, unit) for column in ranks] for row in ranks]
    return {"ranks": ranks, "grid": grid, "is_labelled": len(ranks) <= LABELLED_MATRIX}


def _heat(amount: Value, peak: float, unit: Unit) -> tuple[int, str]:
    if not isinstance(amount, int | float):
        return 0, ""
    return round(10 + 90 * (amount / peak) ** 0.5), format_value(amount, unit)


def segments_of(table: Table) -> list[Segment]:
    """The stacked bar of a table whose rows are parts of one whole."""
    rows = table.as_dicts()
    total = sum(float(row["time_ns"] or 0) for row in rows)
    if total <= 0:
        return []
    shares = [round(max(0.0, float(row["time_ns"] or 0)) / total * 100, 2) for row in rows]
    parts = [str(row["part"]) for row in rows]
    others = [part for part in parts if part not in _PART_STYLES]
    return [
        Segment(part, share, _PART_STYLES.get(part) or _part_style(part, others.index(part)))
        for part, share in zip(parts, shares, strict=True)
    ]


def _part_style(part: str, number: int) -> str:
    return "w" if part == "waiting on messages" else f"k{2 + number % 3}"
