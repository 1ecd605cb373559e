"""Builds the report of a run from its tables."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import duckdb

from tracemill.base.names import make_visible, shorten
from tracemill.base.processors import available_threads
from tracemill.engine.focusing.options import EVERYTHING
from tracemill.engine.resources import lanes_for, prepare_for_reports
from tracemill.reports.document import document_of
from tracemill.reports.material import Material
from tracemill.reports.model import Report, Section
from tracemill.reports.opening import opening_of
from tracemill.reports.sections import build_sections, summary
from tracemill.reports.source_lines import with_sources
from tracemill.reports.windows import Window
from tracemill.store.database import SmallTables
from tracemill.store.manifest import Manifest

if TYPE_CHECKING:
    from tracemill.engine.focusing.resolve import Focus


class ReportedRun(Protocol):
    """The input of a report: the tables of a run and their manifest."""

    @property
    def run_id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def manifest(self) -> Manifest: ...
    def connect(
        self,
        *,
        threads: int | None = None,
        memory_limit: str = "",
        tables: Sequence[str] | None = None,
    ) -> duckdb.DuckDBPyConnection: ...
    def provide(self, connection: duckdb.DuckDBPyConnection, name: str) -> None: ...


def build_report(
    run: ReportedRun,
    *,
    threads: int | None = None,
    memory_limit: str = "",
    windows: tuple[Window, ...] = (),
    database: SmallTables | None = None,
) -> Report:
    """The whole report of a run, with some windows of its timeline in detail.

    A `database` that an analysis left saves to read small tables again; it is closed.
    Raises QueryError if a table does not fit its query.
    """

    def build(material: Material) -> tuple[Section, ...]:
        lanes = _lanes(material, threads, memory_limit)
        with material.beside(run.provide) if lanes > 1 else nullcontext() as beside:
            return _opened_sections(material, beside)

    return _build(run, build, threads, memory_limit, windows, database)


def _lanes(material: Material, threads: int | None, memory_limit: str) -> int:
    """How many sections are built at once; the tables of a focus belong to one connection."""
    lanes = lanes_for(
        _record_count(material), threads=threads or available_threads(), memory_limit=memory_limit
    )
    return 1 if material.is_focused else lanes


def _record_count(material: Material) -> int:
    return int(str(material.overview["record_count"]))


def _opened_sections(material: Material, beside: Material | None) -> tuple[Section, ...]:
    """All sections; the page opens with what the summary is in short."""
    first, *others = build_sections(material, beside=beside)
    return (replace(first, opening=opening_of(material)), *others)


def build_summary(
    run: ReportedRun,
    *,
    threads: int | None = None,
    memory_limit: str = "",
    database: SmallTables | None = None,
) -> Report:
    """Only the summary section, for the terminal output of an analysis; a `database` is closed."""
    return _build(run, _summary_section, threads, memory_limit, database=database)


def _summary_section(material: Material) -> tuple[Section, ...]:
    return (summary.build(material),)


def _build(
    run: ReportedRun,
    build: Callable[[Material], tuple[Section, ...]],
    threads: int | None,
    memory_limit: str,
    windows: tuple[Window, ...] = (),
    database: SmallTables | None = None,
) -> Report:
    focus: Focus | None = getattr(run, "focus", None)
    if focus:
        windows = (*windows, Window(*focus.times.hull))
    if database is None:
        connection = run.connect(threads=threads, memory_limit=memory_limit, tables=())
        database = SmallTables(connection, frozenset())
    connection = database.connection
    try:
        provide = partial(run.provide, connection)
        material = Material(
            connection,
            run.manifest,
            windows=windows,
            is_focused=focus is not None,
            provide=provide,
            provided=set(database.names),
        )
        prepare_for_reports(connection, _record_count(material))
        size = summary.describe_size(material.overview)
        sections, paths = with_sources(build(material), material)
        return Report(
            title=shorten(make_visible(focus.run.label if focus else run.label)),
            subtitle=make_visible(f"{focus.sentence}. {size}") if focus else size,
            name=(focus.run if focus else run).run_id,
            sections=sections,
            focus=focus.options if focus else EVERYTHING,
            document=document_of(run, material, sections),
            paths=paths,
        )
    finally:
        connection.close()
