"""A report in the terminal: the same sentences and tables, drawn by rich."""

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from pipeline.reports.grid import Grid, grid_of
from pipeline.reports.model import Layout, Report, Section, Table

BAR_WIDTH = 12
# Texts up to this length are not folded, so that names stay whole.
SHORT = 26
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def print_report(report: Report, console: Console) -> None:
    """Print every section; a matrix is left to the list of pairs that follows it."""
    print_heading(report, console)
    for section in report.sections:
        console.print()
        console.print(Text(section.title, style="section"))
        _print_section(section, console)


def print_summary(report: Report, console: Console) -> None:
    """Print what a reader should know first: sentences, parts of the time and findings."""
    print_heading(report, console)
    _print_sentences(report.section("summary"), console)


def print_heading(report: Report, console: Console) -> None:
    """Print what the report is about."""
    console.print(Text(report.title, style="heading"))
    console.print(Text(report.subtitle, style="muted"), soft_wrap=not console.is_terminal)


def _print_section(section: Section, console: Console) -> None:
    _print_sentences(section, console)
    for table in section.tables:
        if table.layout is not Layout.MATRIX:
            console.print()
            _print_table(table, console)


def _print_sentences(section: Section, console: Console) -> None:
    for sentence in section.sentences:
        console.print(Text(sentence), soft_wrap=not console.is_terminal)
    for number, finding in enumerate(section.findings, 1):
        grid = RichTable.grid(padding=(0, 1))
        grid.add_column(style="number", justify="right", min_width=3)
        grid.add_column(overflow="fold")
        grid.add_row(f"{number}.", Text.assemble((finding.headline, "bold"), " ", finding.detail))
        console.print(grid)


def _print_table(table: Table, console: Console) -> None:
    console.print(Text(table.title, style="title"))
    console.print(draw(grid_of(table)))
    if table.is_cut:
        console.print(Text(f"the first {len(table.rows)} rows", style="muted"))


def draw(grid: Grid) -> RichTable:
    """A rich table of the grid, with a bar at the end of each row if it has bars."""
    drawn = RichTable(box=None, padding=(0, 2, 0, 0), header_style="muted", pad_edge=False)
    for at, (title, is_numeric) in enumerate(zip(grid.titles, grid.is_numeric, strict=True)):
        is_short = max((len(cells[at]) for _, cells in grid.rows), default=0) <= SHORT
        drawn.add_column(
            Text(title),
            justify="right" if is_numeric else "left",
            no_wrap=is_numeric or is_short,
            overflow="fold",
        )
    if grid.bars:
        drawn.add_column("", style="bar", no_wrap=True)
    for number, (indent, cells) in enumerate(grid.rows):
        first, *rest = cells
        bar = [draw_bar(grid.bars[number])] if grid.bars else []
        drawn.add_row(Text("  " * indent + first), *map(Text, rest), *bar)
    return drawn


def draw_bar(share: float) -> str:
    """A bar of at most BAR_WIDTH characters, exact to an eighth of a character."""
    eighths = round(share * BAR_WIDTH * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
