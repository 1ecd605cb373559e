"""Analyze a trace: compute what changed, reuse the rest, publish, and say what was done."""

import os
import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from tracemill.base.errors import ChangedTraceError, PipelineError, StoreError
from tracemill.base.processors import available_threads
from tracemill.base.text import describe_moment
from tracemill.base.version import VERSION
from tracemill.engine.execute import Engine
from tracemill.engine.graph import build_graph, installed_version
from tracemill.engine.plan import (
    DETAIL,
    MERGE_CALL_SITES,
    UNCHANGED,
    Decision,
    Outline,
    Plan,
    detail_of,
    is_as_outlined,
    make_plan,
    options_by_stage,
)
from tracemill.engine.progress import Reporter, SilentReporter
from tracemill.engine.recipe import Recipe, recipe_of
from tracemill.engine.resources import keeps_rows, lanes_for, open_database
from tracemill.readers import open_source
from tracemill.readers.common.source import Source, SourceIdentity
from tracemill.sql.query_files import Value, check_values, known_parameters
from tracemill.store.clock import timestamp
from tracemill.store.completeness import is_complete
from tracemill.store.database import SmallTables
from tracemill.store.generation import GenerationWriter
from tracemill.store.manifest import Manifest, ReplayOrigin, SourceRecord, UnreadableRecordError
from tracemill.store.runs import Run, Store

_LIBRARIES = ("pyarrow", "duckdb", "polars", "numpy", "numba", "otf2")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an analysis. Only `allow_damaged` and `parameters` change the content of tables.

    `allow_damaged` has no effect on complete traces. `memory_limit` is the memory for SQL, such as
    2GB; by default DuckDB takes four fifths. `parameters` are values of named parameters of
    queries; `files` names the files that such values were read from. `patterns` are folders of user
    patterns besides the store's.
    """

    threads: int = field(default_factory=available_threads)
    memory_limit: str = ""
    allow_damaged: bool = False
    force: bool = False
    parameters: Mapping[str, Value] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    patterns: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """The outcome: the current generation of the run, and per table what was done and why.

    `database` has small tables of the run if it was asked for and they were computed. All
    stages took `seconds`, which is less than their sum if some ran at once.
    """

    run: Run
    is_new: bool
    summary: str
    decisions: tuple[Decision, ...]
    stage_seconds: Mapping[str, float]
    database: SmallTables | None = None
    seconds: float = 0.0


def analyze(
    trace: Path, *, store: Store, options: Options | None = None, reporter: Reporter | None = None
) -> Analysis:
    """Analyze a trace into `store`; compute only what is missing or outdated.

    Raises PipelineError, and publishes nothing, if the trace cannot be read, a table breaks its
    contract, a query fails, or the store cannot be written.
    """
    return analyze_source(open_source(trace), store=store, options=options, reporter=reporter)


def analyze_source(
    source: Source,
    *,
    store: Store,
    options: Options | None = None,
    reporter: Reporter | None = None,
    recipe: Recipe | None = None,
    is_swept: bool = False,
    origin: ReplayOrigin | None = None,
    keeps_database: bool = False,
) -> Analysis:
    """Analyze an opened source with any recipe; by default with the standard one.

    With `is_swept`, the caller has cleared the store with `sweep_store` once for many sources. An
    `origin` is that of a run which is not measured. If it `keeps_database`, the caller closes the
    connection of the outcome.
    """
    options, reporter = options or Options(), reporter or SilentReporter()
    if not is_swept:
        sweep_store(store, reporter)
    task = _prepare(source, store, options, reporter, recipe, origin)
    return task.already_done() or task.compute(keeps_database=keeps_database)


def sweep_store(store: Store, reporter: Reporter) -> None:
    """Remove what killed analyses left in the store, and say so; looks at every run."""
    for orphan in store.sweep():
        reporter.note(f"removed what an interrupted run left behind: {orphan}")


def find_analyzed(source: Source, *, store: Store, outlines: Sequence[Outline]) -> Run | None:
    """The current run of a source if it is intact and matches an outline, else None.

    Much cheaper than `analyze_source`. Raises StoreError if the store is from a newer version.
    """
    identity = source.identity()
    current = _current(store, identity.run_id, SilentReporter())
    if current is None or current.missing_tables():
        return None
    record = _source_record(source, identity, current)
    if record != current.source:
        return None
    manifest, digest = current.manifest, record.digest
    is_known = any(is_as_outlined(manifest, outline, digest) for outline in outlines)
    return current if is_known else None


def preview_source(
    source: Source, *, store: Store, options: Options | None = None, recipe: Recipe | None = None
) -> tuple[Decision, ...]:
    """The decision of `analyze_source` about each table; nothing is written."""
    task = _prepare(source, store, options or Options(), SilentReporter(), recipe)
    return task.decisions()


@dataclass(frozen=True)
class _Task:
    """An analysis that is planned."""

    source: Source
    record: SourceRecord
    run_id: str
    store: Store
    options: Options
    reporter: Reporter
    current: Run | None
    plan: Plan

    def decisions(self) -> tuple[Decision, ...]:
        """The decision about each table."""
        if self._complete() is None:
            return self.plan.decisions
        kept = (each for each in self.plan.decisions if self._is_stored(each.table))
        return tuple(replace(each, is_computed=False, reason=UNCHANGED) for each in kept)

    def already_done(self) -> Analysis | None:
        """The analysis if an intact generation holds all of it; it is made the current one."""
        run = self._complete()
        if run is None:
            return None
        words = "nothing changed since" if run is self.current else "already analyzed at"
        self._make_current(run)
        return Analysis(
            run=replace(run, source=self.record),
            is_new=False,
            summary=f"{words} {describe_moment(run.manifest.created_at)}: same data, options, "
            "code and queries (--force computes again)",
            decisions=self.decisions(),
            stage_seconds={},
        )

    def compute(self, *, keeps_database: bool) -> Analysis:
        """Run the stages of the plan and publish the new generation."""
        name = self._free_name()
        if name != self.plan.key and (done := self.already_done()):
            return done  # another process was faster since it was looked up
        start = time.perf_counter()
        file_bytes = sum(file.size for file in self.record.files)
        is_kept = keeps_rows(self.source.record_count, file_bytes)
        with self.store.begin(self.run_id, keeps_rows=is_kept) as generation:
            self._reuse(generation)
            seconds, database = self._run_stages(generation, keeps_database=keeps_database)
            run = self._publish(generation, self._manifest(name, generation, seconds))
        computed = sum(each.is_computed for each in self.plan.decisions)
        reused = len(self.plan.decisions) - computed
        return Analysis(
            run=run,
            is_new=True,
            summary=f"{computed} tables computed, {reused} reused",
            decisions=self.plan.decisions,
            stage_seconds=seconds,
            database=database,
            seconds=time.perf_counter() - start,
        )

    def _reuse(self, generation: GenerationWriter) -> None:
        for each in self.plan.decisions:
            if not each.is_computed and self.current:
                count = self.current.manifest.tables[each.table].row_count
                generation.reuse(each.table, self.current.path, count)

    def _run_stages(
        self, generation: GenerationWriter, *, keeps_database: bool
    ) -> tuple[dict[str, float], SmallTables | None]:
        """Seconds by stage, and the database if it is kept.

        Raises ChangedTraceError if the trace did not stay as it was.
        """
        try:
            done = self._engine_run(generation, keeps_database=keeps_database)
        except StoreError:
            raise
        except (PipelineError, OSError):
            self._check_unchanged()
            raise
        self._check_unchanged()
        return done

    def _check_unchanged(self) -> None:
        if not self.plan.has_to_read:
            return
        try:
            now = tuple(self.source.identity().files)
        except OSError as error:
            raise _changed(self.source, [os.path.basename(error.filename or "")]) from error
        if now != self.record.files:
            names = {file.name for file in set(now) ^ set(self.record.files)}
            raise _changed(self.source, sorted(names))

    def _engine_run(
        self, generation: GenerationWriter, *, keeps_database: bool
    ) -> tuple[dict[str, float], SmallTables | None]:
        given, count = self.options, self.source.record_count
        options = options_by_stage(
            self.plan.stages, given.parameters, allow_damaged=given.allow_damaged
        )
        with Engine(
            lambda: open_database(
                count, generation, threads=given.threads, memory_limit=given.memory_limit
            ),
            generation,
            threads=given.threads,
            reporter=self.reporter,
            detail=self._detail,
            lanes=lanes_for(count, threads=given.threads, memory_limit=given.memory_limit),
        ) as engine:
            seconds = engine.run(self.plan.stages, options, self.run_id)
            return seconds, engine.take_database() if keeps_database else None

    @property
    def _detail(self) -> str:
        return detail_of(self.source.record_count, self.options.parameters)

    def _publish(self, generation: GenerationWriter, manifest: Manifest) -> Run:
        self.reporter.stage_started("publish", None)
        start = time.perf_counter()
        run = self.store.publish(generation, manifest)
        self.reporter.stage_finished("publish", round(time.perf_counter() - start, 3))
        return run

    def _manifest(
        self, name: str, generation: GenerationWriter, seconds: Mapping[str, float]
    ) -> Manifest:
        old = self.current.manifest.tables if self.current else {}
        tables = {}
        for table, record in self.plan.records.items():
            counts = generation.finished.get(table) or old.get(table)
            if counts and record.is_stored:
                record = replace(record, row_count=counts.row_count, byte_count=counts.byte_count)
            tables[table] = record
        return Manifest(
            run_id=self.run_id,
            generation=name,
            created_at=timestamp("microseconds"),
            source=self.record,
            options={
                "threads": self.options.threads,
                "memory_limit": self.options.memory_limit,
                "allow_damaged": self.options.allow_damaged,
                "detail": self._detail,
                "parameters": dict(self.options.parameters),
                "files": dict(self.options.files),
                "patterns": [str(folder.absolute()) for folder in self.options.patterns],
            },
            versions=versions(),
            tables=tables,
            stage_seconds=dict(seconds),
            is_damaged_allowed=self.options.allow_damaged,
        )

    def _free_name(self) -> str:
        """The plan's key, with a number if that name is taken.

        Chosen before the computation: if the name is taken later, another process made the same
        tables.
        """
        name, number = self.plan.key, 1
        while self.store.has_generation(self.run_id, name):
            number += 1
            name = f"{self.plan.key}.{number}"
        return name

    def _complete(self) -> Run | None:
        """An intact generation that holds all tables as planned, the current one if it does."""
        if self.options.force:
            return None
        if self.current and not self.plan.stages and self._holds_all(self.current):
            return self.current
        try:  # of options used before, or published but never pointed to
            run = self.store.generation(self.run_id, self.plan.key)
        except StoreError:
            return None
        return run if run and not run.missing_tables() else None

    def _holds_all(self, run: Run) -> bool:
        return set(run.manifest.tables) == set(self.plan.records)

    def _is_stored(self, table: str) -> bool:
        return self.plan.records[table].is_stored

    def _make_current(self, run: Run) -> None:
        """Point to a generation, with the source as it is now."""
        if run is not self.current:
            self.store.point_to(replace(run, source=self.record))
        elif run.source != self.record:
            with suppress(StoreError):  # a store that is only read from now on
                self.store.point_to(replace(run, source=self.record))


def versions() -> dict[str, str]:
    """Versions of everything that tables may depend on, without importing it."""
    found = {name: installed_version(name) for name in _LIBRARIES}
    own = {"tracemill": VERSION, "python": platform.python_version()}
    return own | {name: version for name, version in found.items() if version}


def _prepare(
    source: Source, store: Store, options: Options, reporter: Reporter, recipe: Recipe | None,
    origin: ReplayOrigin | None = None,
) -> _Task:  # fmt: skip
    recipe = recipe or recipe_of(store, options.patterns)
    _check_parameters(recipe, options)
    graph = build_graph(source, recipe)
    identity = source.identity()
    current = _current(store, identity.run_id, reporter)
    known = current if origin is None else None
    record = _source_record(source, identity, known, options.threads)
    if origin is not None:
        record = replace(record, kind=origin.kind, change=origin.description)

    def plan_for(options: Options) -> Plan:
        return make_plan(
            graph,
            digest=record.digest,
            allow_damaged=options.allow_damaged,
            values=options.parameters,
            current=current.manifest if current else None,
            missing=current.missing_tables() if current else (),
            force=options.force,
        )

    plan = plan_for(options)
    if current and plan.has_to_read and not options.force:
        other = replace(options, allow_damaged=not options.allow_damaged)
        other_plan = plan_for(other)
        if not other_plan.has_to_read and (options.allow_damaged or _is_complete(current)):
            options, plan = other, other_plan
    return _Task(source, record, identity.run_id, store, options, reporter, current, plan)


def _is_complete(run: Run) -> bool:
    """True if a run is known to be complete."""
    try:
        return is_complete(run)
    except PipelineError:  # it has no such table, or not of this version
        return False


def _check_parameters(recipe: Recipe, options: Options) -> None:
    known = known_parameters(query for query in recipe.queries if query.is_stage)
    taken = {name for stage in recipe.python_stages for name in stage.parameters}
    taken |= {MERGE_CALL_SITES, DETAIL}
    given = {name: value for name, value in options.parameters.items() if name not in taken}
    check_values(given, known)


def _current(store: Store, run_id: str, reporter: Reporter) -> Run | None:
    """The current generation, or None if there is none that can be read."""
    try:
        return store.current(run_id)
    except UnreadableRecordError as error:
        reporter.note(f"{error}: everything is computed again")
        return None


def _source_record(
    source: Source, identity: SourceIdentity, current: Run | None, threads: int = 1
) -> SourceRecord:
    """The source as it is now; its content is read only if sizes or times changed."""
    files = tuple(identity.files)
    is_known = current is not None and current.source.files == files
    digest = current.source.digest if current and is_known else identity.digest(threads)
    path = str(source.path.absolute())
    return SourceRecord(path=path, format=source.format, files=files, digest=digest)


def _changed(source: Source, names: Sequence[str]) -> ChangedTraceError:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return ChangedTraceError(
        f"{source.path}: the trace changed while it was read: {names[0]}{more}: nothing was "
        "published, analyze it again when it is complete"
    )
