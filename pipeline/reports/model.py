"""Content of a report, without its layout; every renderer draws the same object."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from tracemill.base.names import site_behind
from tracemill.engine.focusing.options import EVERYTHING, FocusOptions
from tracemill.reports.embedding import embed
from tracemill.reports.units import Unit, Value, format_value, grade_of

if TYPE_CHECKING:
    from tracemill.reports.document import Document

MARK = "†"
LEAST_SPAN = 0.2
"""Values of a curve that differ by a smaller share than this are drawn as flat."""


class Layout(StrEnum):
    """The relation between the rows of a table."""

    PLAIN = "plain"
    TREE = "tree"  # a `depth` column nests rows below earlier ones
    MATRIX = "matrix"  # the first two columns are row and column of the last that has amounts
    PARTS = "parts"  # the rows are parts of one whole
    COURSE = "course"  # each part has a row per stretch of time, one part after the other


class Subject(StrEnum):
    """The subject of a report."""

    RUN = "run"
    CAMPAIGN = "campaign"
    COMPARISON = "comparison"
    NIGHT = "nightly"
    FORECAST = "forecast"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A shown column. `has_bar`: its values are compared with the largest of them.

    `meaning` defines its values. If `is_explained`, the values are metrics that the report
    explains. If `is_whole`, texts are not shortened. Values in `marked` are shown with a dagger,
    those in `sources` with their file and line.
    If `is_efficiency`, the values are colored by their grade; if `is_heat`, by their size from 0
    to 1.
    """

    name: str
    title: str
    unit: Unit
    has_bar: bool = False
    is_whole: bool = False
    is_path: bool = False
    meaning: str = ""
    is_explained: bool = False
    is_efficiency: bool = False
    is_heat: bool = False
    marked: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_numeric(self) -> bool:
        return self.unit is not Unit.TEXT

    def grade_of(self, value: Value) -> str:
        """The grade of a value, which names its color; empty for most."""
        return grade_of(value) if self.is_efficiency else ""

    def mark_of(self, value: str) -> str:
        """The mark behind a value; empty for most."""
        return f" {MARK}" if value in self.marked else ""

    def site_of(self, value: str) -> str:
        """File and line behind a value, without folders; empty if unknown or part of the value."""
        return site_behind(value, self.sources.get(value, ""))


@dataclass(frozen=True, kw_only=True)
class Trend:
    """Values in an order, drawn as a small curve; `is_marked` highlights the last."""

    values: tuple[float, ...]
    unit: Unit
    is_marked: bool = False
    order: str = "oldest first"

    @property
    def heights(self) -> tuple[float, ...]:
        """The values scaled to 0–1; small differences stay small."""
        low, high = min(self.values), max(self.values)
        span = max(high - low, LEAST_SPAN * abs(low), 1e-300)
        middle = (low + high) / 2
        return tuple(0.5 + (value - middle) / span for value in self.values)

    @property
    def description(self) -> str:
        """The curve in words."""
        low, high = (format_value(each(self.values), self.unit) for each in (min, max))
        return f"{len(self.values)} values from {low} to {high}, {self.order}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A titled relation with the query that returns exactly its rows.

    `is_cut`: more rows exist than its query's limit lets through. `hidden` columns are
    part of the rows but say nothing here, such as a thread number that is always 0. Rows may
    have names of their own (`row_names`), to which others of the page lead (`row_links`); in both
    a row has a text, empty if it has none; `row_pages` are addresses of other pages in the same
    manner. `cell_links` are addresses for each cell. A last column may show a trend for each row.
    `row_shades` (0–1) color rows. A table with a `claim` is folded and says it. If it
    `is_in_opening`, the page opens with the same.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    sql: str
    note: str = ""
    layout: Layout = Layout.PLAIN
    hidden: frozenset[str] = frozenset()
    is_cut: bool = False
    row_names: tuple[str, ...] = ()
    row_links: tuple[str, ...] = ()
    row_pages: tuple[str, ...] = ()
    trends: tuple[Trend, ...] = ()
    trend_title: str = "Trend"
    row_shades: tuple[float, ...] = ()
    cell_links: tuple[tuple[str, ...], ...] = ()
    claim: str = ""
    is_in_opening: bool = False

    @property
    def shown(self) -> tuple[tuple[int, Column], ...]:
        """Visible columns with their positions in the rows."""
        return tuple(
            (position, column)
            for position, column in enumerate(self.columns)
            if column.name not in self.hidden
        )

    @property
    def defined_columns(self) -> tuple[Column, ...]:
        """Visible columns that have a definition."""
        return tuple(column for _, column in self.shown if column.meaning)

    @property
    def has_paths(self) -> bool:
        """True if a column shows call paths, which carry the links of rows."""
        return any(column.is_path for _, column in self.shown)

    @property
    def is_numeric(self) -> bool:
        """True if no text column is shown."""
        return all(column.is_numeric for _, column in self.shown)

    @property
    def measure(self) -> Column:
        """The amount that a matrix shows: the last additive column with a non-zero value."""
        additive = [column for column in self.columns if column.unit.is_additive]
        return next(
            (each for each in reversed(additive) if any(self.values(each.name))), additive[0]
        )

    def values(self, name: str) -> tuple[Value, ...]:
        position = [column.name for column in self.columns].index(name)
        return tuple(row[position] for row in self.rows)

    def as_dicts(self) -> tuple[dict[str, Value], ...]:
        names = [column.name for column in self.columns]
        return tuple(dict(zip(names, row, strict=True)) for row in self.rows)


@dataclass(frozen=True)
class Fact:
    """A figure of a run with its label and its definition (`meaning`)."""

    label: str
    value: Value
    unit: Unit = Unit.TEXT
    meaning: str = ""

    @property
    def title(self) -> str:
        return self.label

    @property
    def text(self) -> str:
        return format_value(self.value, self.unit)


@dataclass(frozen=True)
class Finding:
    """A problem that costs time: what and how much, then where, which location and why.

    `metric` is the metric that the report explains, if any, and `page` the address of a page
    with details.
    """

    headline: str
    detail: str
    metric: str = ""
    page: str = ""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A share of one as a colored bar; `level` nests it below the one it is a factor of.

    `before` is the share that it is compared with, if any.
    """

    title: str
    ratio: float
    level: int = 0
    before: float | None = None

    @property
    def text(self) -> str:
        text = format_value(self.ratio, Unit.SHARE)
        return text if self.before is None else f"{format_value(self.before, Unit.SHARE)} → {text}"

    @property
    def grade(self) -> str:
        return grade_of(self.ratio)


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A cause of lost time: its call path, `source` file and line, its cost, and what to try."""

    call_path: str
    cost: str
    advice: str
    source: str = ""


@dataclass(frozen=True)
class NamedPath:
    """A call path that a sentence names, with its `source` file and line if they are known."""

    call_path: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The meaning of a metric, its usual causes, and what to try."""

    metric: str
    title: str
    meaning: str
    causes: tuple[str, ...]
    advice: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure of the page, with a description in words.

    The SVG text is drawn once, on demand. `of` names the table or formula that it is drawn
    from. If it `is_in_opening`, the page opens with the same in another form.
    """

    name: str
    title: str
    draw: Callable[[], str] = field(compare=False)
    description: str
    of: str
    is_in_opening: bool = False

    @cached_property
    def svg(self) -> str:
        return self.draw()


@dataclass(frozen=True, kw_only=True)
class Opening:
    """The opening of a page: a verdict of one or two sentences, then its evidence.

    Efficiencies as bars and the worst causes stand side by side, as do tables and figures. The
    section of the opening does not show its own findings if these `findings` are shown.
    """

    verdict: str
    bars: tuple[Bar, ...] = ()
    causes: tuple[Cause, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Picture, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A picture as file content: SVG text and PNG."""

    svg: str
    png: bytes


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A picture for files beside the page, which shows the same in another form.

    It is drawn on demand. `name` is the name of its files.
    """

    name: str
    title: str
    draw: Callable[[], Drawn] = field(compare=False)


@dataclass(frozen=True)
class ShownQuery:
    """A query of sentences and facts that no table shows."""

    name: str
    sql: str


@dataclass(frozen=True, kw_only=True)
class Widget:
    """An interactive picture, drawn in the page by the script `widgets/<name>.js`.

    `data` are plain values and arrays, as in `embedding`; `of` are their queries. `description`
    describes the picture, also for readers who cannot see it.
    """

    name: str
    title: str
    description: str
    data: Mapping[str, object] = field(compare=False)  # arrays, which do not compare as a whole
    of: tuple[ShownQuery, ...]

    @cached_property
    def embedded(self) -> str:
        """The data as text for a page."""
        return embed(self.data)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a report: sentences first, then the tables they are based on.

    `remarks` follow the findings. Pages show an `opening` in place of the sentences; sections that
    are folded (`is_folded`) show their main figure until they are opened.
    """

    key: str
    title: str
    opening: Opening | None = None
    is_folded: bool = False
    facts: tuple[Fact, ...] = ()
    sentences: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    remarks: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    widgets: tuple[Widget, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[Table, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    sources: tuple[ShownQuery, ...] = ()

    @property
    def main_figure(self) -> str:
        """The text of its fold: the first sentence, or the title of its first table."""
        if self.sentences:
            return self.sentences[0].split(". ")[0].removesuffix(".")
        return self.tables[0].title if self.tables else ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """A whole report on a run, campaign, comparison, night or forecast.

    `name` identifies the `subject`, of which only a focus may be shown. That of a run has its
    summary as a `document`, too. `paths` are call paths by their names in its sentences.
    """

    title: str
    subtitle: str
    name: str
    sections: tuple[Section, ...]
    subject: Subject = Subject.RUN
    focus: FocusOptions = EVERYTHING
    document: "Document | None" = None
    paths: Mapping[str, NamedPath] = field(default_factory=dict)

    @property
    def sql_options(self) -> str:
        """Options of `tracemill sql` for its tables; empty if the report has no queries."""
        has_queries = any(each.sources for each in self.sections)
        if self.subject in (Subject.NIGHT, Subject.FORECAST) and not has_queries:
            return ""
        is_of_all = self.subject in (Subject.COMPARISON, Subject.NIGHT)
        named = "--all-runs" if is_of_all else f"--{self.subject} {self.name}"
        return " ".join([named, *self.focus.words])

    @property
    def kind(self) -> str:
        """The word before its name: 'Run', 'Night'."""
        return "Night" if self.subject is Subject.NIGHT else self.subject.capitalize()

    @property
    def folder(self) -> str:
        """Name of the folder with its files; for nights, there is only the last one."""
        is_alone = self.subject is Subject.NIGHT
        return str(self.subject) if is_alone else f"{self.subject}={self.name}"

    def section(self, key: str) -> Section:
        return next(section for section in self.sections if section.key == key)
