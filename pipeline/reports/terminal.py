"""A report in the terminal: the same sentences and tables, drawn with rich."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from tracemill.base.console import UNBOUNDED_WIDTH
from tracemill.base.text import join_words
from tracemill.reports.grid import TextGrid, grid_of
from tracemill.reports.model import Layout, Report, Section, Table
from tracemill.reports.wording import count_of

BAR_WIDTH = 12
GAP = 2
# Texts up to this length are not folded, so that names stay whole.
SHORT = 26
# And if there is really no space, up to this one.
VERY_SHORT = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def print_report(report: Report, console: Console) -> None:
    """Print every section with text; a matrix is replaced by the list of pairs that follows it."""
    print_heading(report, console)
    for section in report.sections:
        if not _has_text(section):
            continue
        console.print()
        console.print(Text(section.title, style="section"))
        print_section(section, console)


def print_first(report: Report, console: Console, more: str) -> None:
    """Print the sections that are not folded, the rows that the others have, and `more`."""
    shown = tuple(each for each in report.sections if not each.is_folded)
    print_report(replace(report, sections=shown), console)
    folded = [each for each in report.sections if each.is_folded and each.tables]
    count = sum(len(table.rows) for section in folded for table in section.tables)
    if count:
        titles = join_words([each.title for each in folded])
        line = f"{count_of(count, 'more row')} ({titles}): {more}"
        console.print()
        console.print(Text(line, style="muted"), soft_wrap=not console.is_terminal)


def _has_text(section: Section) -> bool:
    """False for sections of which only pages show something, such as the timeline."""
    texts = (section.sentences, section.findings, section.remarks, section.tables)
    return any((*texts, section.explanations))


def print_summary(report: Report, console: Console) -> None:
    """Print the summary: sentences, parts of the time and findings."""
    print_heading(report, console)
    _print_sentences(report.section("summary"), console)


def print_heading(report: Report, console: Console) -> None:
    """Print the subject of the report."""
    console.print(Text(report.title, style="heading"))
    if report.subtitle:
        console.print(Text(report.subtitle, style="muted"), soft_wrap=not console.is_terminal)


def print_section(section: Section, console: Console) -> None:
    """Print the sentences and tables of a section; a table with its title needs no title."""
    _print_sentences(section, console)
    for table in section.tables:
        if table.layout is not Layout.MATRIX:
            console.print()
            if table.title != section.title:
                console.print(Text(table.title, style="title"))
            print_table(table, console)
    for explained in section.explanations:
        line = Text.assemble((explained.title, "title"), ": ", explained.meaning, " ")
        line.append(f"tracemill explain {explained.metric}", style="muted")
        console.print(line, soft_wrap=not console.is_terminal)


def _print_sentences(section: Section, console: Console) -> None:
    for sentence in section.sentences:
        console.print(Text(sentence), soft_wrap=not console.is_terminal)
    for number, finding in enumerate(section.findings, 1):
        grid = RichTable.grid(padding=(0, 1))
        grid.add_column(style="number", justify="right", min_width=3)
        grid.add_column(overflow="fold")
        line = Text.assemble((finding.headline, "bold"), " ", finding.detail)
        line.rstrip()
        grid.add_row(f"{number}.", line)
        console.print(grid)
    for remark in section.remarks:
        console.print(Text(remark, style="muted"), soft_wrap=not console.is_terminal)


def print_table(table: Table, console: Console) -> None:
    """Print a table without its title; columns that do not fit are named below it."""
    grid, left_out = fit(grid_of(table), console.width)
    console.print(FittedGrid(grid))
    if table.is_cut:
        console.print(Text(f"the first {len(table.rows)} rows", style="muted"))
    if left_out:
        names = ", ".join(left_out)
        console.print(Text(f"in a wider terminal also: {names}", style="muted"))


def fit(grid: TextGrid, width: int) -> tuple[TextGrid, tuple[str, ...]]:
    """The grid fitted to a width, and the titles of the columns left out.

    Bars are removed first, then columns from the last; the first two stay.
    """
    if _total(_least_widths(grid), grid) <= width:
        return grid, ()
    fitting = replace(grid, bars=())
    kept = len(grid.titles)
    while kept > 2 and _total(_least_widths(fitting), fitting) > width:
        kept -= 1
        fitting = replace(
            fitting,
            titles=grid.titles[:kept],
            is_numeric=grid.is_numeric[:kept],
            rows=tuple((indent, cells[:kept]) for indent, cells in grid.rows),
        )
    return fitting, grid.titles[kept:]


def print_grid(
    console: Console,
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Collection[str] = (),
) -> None:
    """Print rows of text; columns with the titles in `numeric` are aligned to the right."""
    is_numeric = tuple(title in numeric for title in titles)
    console.print(
        FittedGrid(TextGrid(tuple(titles), is_numeric, tuple((0, tuple(row)) for row in rows)))
    )


@dataclass(frozen=True)
class FittedGrid:
    """A grid that fits its width when it is printed, with a bar per row if the grid has bars.

    If space is short, titles and long texts are wrapped, but never numbers.
    """

    grid: TextGrid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The output for rich."""
        grid = self.grid
        drawn = RichTable(box=None, padding=(0, GAP, 0, 0), header_style="muted", pad_edge=False)
        widths = _widths(grid, options.max_width)
        for title, is_numeric, width in zip(grid.titles, grid.is_numeric, widths, strict=True):
            justify: JustifyMethod = "right" if is_numeric else "left"
            drawn.add_column(Text(title), justify=justify, width=width, overflow="fold")
        if grid.bars:
            drawn.add_column("", style="bar", width=BAR_WIDTH)
        for number, (indent, cells) in enumerate(grid.rows):
            bar = [draw_bar(grid.bars[number])] if grid.bars else []
            styles = chain(grid.grades[number] if grid.grades else (), repeat(""))
            first, *rest = map(Text, cells, styles)
            drawn.add_row(Text("  " * indent).append(first), *rest, *bar)
        yield drawn


def _widths(grid: TextGrid, width: int) -> list[int]:
    """Characters for each column: as needed; if space is short, the widest columns shrink."""
    widths = [max(_longest(grid, at), cell_len(title)) for at, title in enumerate(grid.titles)]
    for shortest in (SHORT, VERY_SHORT):
        least = _least_widths(grid, shortest)
        while _total(widths, grid) > width:
            slack = [wide - low for wide, low in zip(widths, least, strict=True)]
            if max(slack) <= 0:
                break
            widths[slack.index(max(slack))] -= 1
    return widths


def _least_widths(grid: TextGrid, shortest: int = SHORT) -> list[int]:
    """Minimum width of each column if titles and longer texts are wrapped."""
    return [
        max(
            max(map(cell_len, title.split()), default=1),
            min(_longest(grid, at), UNBOUNDED_WIDTH if is_numeric or grid.is_rigid else shortest),
        )
        for at, (title, is_numeric) in enumerate(zip(grid.titles, grid.is_numeric, strict=True))
    ]


def _longest(grid: TextGrid, at: int) -> int:
    return max(
        (cell_len(cells[at]) + (2 * indent if at == 0 else 0) for indent, cells in grid.rows),
        default=0,
    )


def _total(widths: list[int], grid: TextGrid) -> int:
    """Width of a whole row: columns, gaps between them, and bars."""
    return sum(widths) + (len(widths) - 1) * GAP + (GAP + BAR_WIDTH if grid.bars else 0)


def draw_bar(share: float) -> str:
    """A bar of at most BAR_WIDTH characters, exact to an eighth of a character."""
    eighths = round(share * BAR_WIDTH * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
