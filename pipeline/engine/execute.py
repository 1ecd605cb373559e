"""Runs stages on this machine: reading in threads, SQL and Python stages over DuckDB."""

import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from tracemill.base.errors import QueryError
from tracemill.base.free_memory import free_memory
from tracemill.base.interrupting import interruptibly
from tracemill.engine.graph import (
    AS_RECORDED,
    CORRECTIONS,
    ReadStage,
    SqlStage,
    Stage,
    has_needed_rows,
)
from tracemill.engine.lanes import Lanes, begin_with_long
from tracemill.engine.plan import DETAIL, MERGE_CALL_SITES
from tracemill.engine.progress import Reporter
from tracemill.patterns.results import RESULT, checked, complete_rows, statement_of
from tracemill.schemas import Table
from tracemill.schemas.definitions import FULL, PROFILE
from tracemill.sql.failures import batches_of, stage_errors
from tracemill.sql.folders import QUERIES
from tracemill.sql.query_files import Value
from tracemill.stages.clock_corrections import clocks_of
from tracemill.stages.stage import PythonStage
from tracemill.store.database import SmallTables, create_empty, less_memory, parsed, quoted
from tracemill.store.parquet import ROW_GROUP_ROWS
from tracemill.store.sink import FEW_ROWS, PartedSink, Sink

if TYPE_CHECKING:
    from tracemill.kernels.clock_replay import Clocks

MANY_ROWS = 500_000
"""Python stages with so many rows as input take much memory, which is given back at once."""
VERY_MANY_ROWS = 5_000_000
"""Queries over so many rows, besides visits, use all their memory, which then cannot be lowered."""


_NEED_RECORDS = frozenset(
    ("activities", "critical_path_jumps", "critical_path_segments", "critical_path_steps",
     "location_spans", "parallelism_losses", "replays", "time_profile", "timeline_bins")
)  # fmt: skip
"""Stages that need records; without them, all time would count as outside of visits."""


class Engine:
    """Runs stages over one database, and writes their tables into a sink.

    In several lanes, stages that do not need each other's tables run at once. Transient tables stay
    in the database until no later stage needs them. The database is opened after a trace is read,
    because reading then takes less memory.
    """

    def __init__(
        self,
        connect: Callable[[], duckdb.DuckDBPyConnection],
        sink: Sink,
        *,
        threads: int,
        reporter: Reporter,
        detail: str = FULL,
        lanes: int = 1,
    ) -> None:
        """At the level of detail `profile`, stages that need records leave their tables empty."""
        self._left_out = _NEED_RECORDS if detail == PROFILE else frozenset()
        self._connect = connect
        self._sink = sink
        self._threads = threads
        self._reporter = reporter
        self._lanes = lanes
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._of_lane = threading.local()
        self._provided: set[str] = set()
        self._transient_rows: dict[str, int] = {}
        self._made: dict[str, Table] = {}
        self._uses: Counter[str] = Counter()
        self._lock = threading.RLock()
        self._clocks: Clocks = {}

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()

    def take_database(self) -> SmallTables | None:
        """The database with the small tables to be stored; it is no longer the engine's to close.

        None if there is none, or it has spilled into the generation's folder.
        """
        connection, self._connection = self._connection, None
        if connection is None:
            return None
        stored = self._provided - self._transient_rows.keys()
        small = {name for name in stored if self._row_count(name) <= FEW_ROWS}
        try:
            for name in stored - small:
                connection.execute(f"DROP VIEW {quoted(name)}")
            for setting in ("temp_directory", "preserve_insertion_order", "external_threads"):
                connection.execute(f"RESET {setting}")
        except duckdb.Error:
            connection.close()
            return None
        return SmallTables(connection, frozenset(small))

    def run(
        self,
        stages: Sequence[Stage],
        options: Mapping[str, Mapping[str, Value]],
        run_id: str,
        kept: Iterable[str] = (),
    ) -> dict[str, float]:
        """Run `stages` in the given order, each with its options; returns seconds by stage.

        Transient tables that are `kept` stay when all stages have run.
        """
        seconds: dict[str, float] = {}
        self._uses.update(kept)
        self._uses.update(name for stage in stages for name in stage.inputs)

        def run_one(stage: Stage) -> None:
            with self._reported(stage, seconds):
                self._run(stage, options[stage.name], run_id)
            self._finish(stage)

        end = next((end for end, stage in enumerate(stages, 1) if _corrects_clocks(stage)), 0)
        is_read = any(isinstance(stage, ReadStage) for stage in stages[:end])
        if is_read:
            self._parted_sink.hold_back()
        self._run_all(stages[:end], run_one)
        if is_read:
            repeated = self._begin_again(stages[:end])
            self._parted_sink.store()
            self._run_all(repeated, run_one)
        self._run_all(stages[end:], run_one)
        return seconds

    def _run_all(self, stages: Sequence[Stage], run_one: Callable[[Stage], None]) -> None:
        """Run the stages: reading alone, which is the first one, then the others in lanes."""
        if stages and isinstance(stages[0], ReadStage):
            run_one(stages[0])
            stages = stages[1:]
        if not stages:
            return
        if self._lanes > 1:
            stages = begin_with_long(stages)
        lanes = Lanes(stages, is_large=self._is_large, can_wait=self._can_wait)
        cursors = [self._database.cursor() for _ in range(self._lanes - 1)]

        def work_on(connection: duckdb.DuckDBPyConnection) -> Callable[[Stage], None]:
            def work(stage: Stage) -> None:
                self._of_lane.connection = connection
                run_one(stage)

            return work

        def interrupt() -> None:
            for connection in (self._database, *cursors):
                connection.interrupt()

        def stop() -> None:
            lanes.stop(KeyboardInterrupt())
            interrupt()

        works = [work_on(connection) for connection in (self._database, *cursors)]
        try:
            interruptibly(lambda: lanes.run(works, interrupt), stop)
        finally:
            for cursor in cursors:
                cursor.close()

    def _is_large(self, stage: Stage) -> bool:
        """True for a stage whose memory grows with its inputs, which are large."""
        if isinstance(stage, PythonStage):
            return not stage.is_bounded and self._has_many_rows(stage)
        others = (name for name in stage.inputs if name != "visits")
        return sum(map(self._row_count, others)) > VERY_MANY_ROWS

    def _has_many_rows(self, stage: Stage) -> bool:
        return sum(map(self._row_count, stage.inputs)) > MANY_ROWS

    def _can_wait(self, stage: Stage) -> bool:
        """True for a stage that fits beside any other."""
        return self._lanes > 1 and isinstance(stage, PythonStage) and stage.is_bounded

    def _finish(self, stage: Stage) -> None:
        """Drop what no stage needs any more; a few rows are left, as dropping takes time."""
        with self._lock, stage_errors(stage.name):
            self._made |= {table.name: table for table in stage.outputs}
            self._uses.subtract(stage.inputs)
            for name in sorted(self._provided & self._transient_rows.keys()):
                if self._transient_rows[name] > FEW_ROWS and self._uses[name] <= 0:
                    self._database.execute(f"DROP TABLE {quoted(name)}")
                    self._provided.remove(name)

    def _begin_again(self, stages: Sequence[Stage]) -> list[Stage]:
        """The stages to repeat if clocks must be corrected, whose tables are removed."""
        if not self._sink.row_count(CORRECTIONS):
            return []
        self._clocks = self._read_clocks()
        repeated = [
            stage for stage in stages if AS_RECORDED.isdisjoint(t.name for t in stage.outputs)
        ]
        for stage in repeated:
            for table in stage.outputs:
                if not table.is_transient:
                    self._parted_sink.reset(table)
        self._uses.update(name for stage in repeated for name in stage.inputs)
        self._database.close()
        self._connection, self._provided, self._transient_rows = None, set(), {}
        return repeated

    @property
    def _parted_sink(self) -> PartedSink:
        assert isinstance(self._sink, PartedSink)
        return self._sink

    def _read_clocks(self) -> "Clocks":
        self.provide(CORRECTIONS)
        rows = self._database.table(CORRECTIONS).order("location_id, old_ns, sequence")
        return clocks_of(rows.to_arrow_table())

    @contextmanager
    def _reported(self, stage: Stage, seconds: dict[str, float]) -> Iterator[None]:
        total = stage.source.event_count if isinstance(stage, ReadStage) else None
        self._reporter.stage_started(stage.name, total)
        start = time.perf_counter()
        yield
        spent = seconds.get(stage.name, 0.0) + time.perf_counter() - start
        seconds[stage.name] = round(spent, 3)
        self._reporter.stage_finished(stage.name, seconds[stage.name])

    def _run(self, stage: Stage, options: Mapping[str, Value], run_id: str) -> None:
        if isinstance(stage, ReadStage):
            self._read(stage, options, run_id)
        elif stage.name in self._left_out or not has_needed_rows(
            stage.needed_rows, self._row_count
        ):
            self._leave_empty(stage)
        else:
            with stage_errors(stage.name, _file_of_user(stage)):
                self._compute(stage, options)

    def _compute(self, stage: SqlStage | PythonStage, options: Mapping[str, Value]) -> None:
        for name in self._related(stage):
            self.provide(name)
        if isinstance(stage, SqlStage):
            self._run_sql(stage, options)
        else:
            self._run_python(stage, options)

    def _read(self, stage: ReadStage, options: Mapping[str, Value], run_id: str) -> None:
        read: Callable[..., None] = stage.source.read
        if self._clocks:
            read = partial(read, clocks=self._clocks)
        read(
            self._sink,
            run_id=run_id,
            threads=self._threads,
            allow_damaged=bool(options["allow_damaged"]),
            report=lambda amount: self._reporter.stage_advanced(stage.name, amount),
            merge_call_sites=bool(options[MERGE_CALL_SITES]),
            detail=str(options[DETAIL]),
        )
        for table in stage.outputs:
            self._sink.finish(table)
        pa.default_memory_pool().release_unused()

    def _related(self, stage: Stage) -> Sequence[str]:
        """The inputs that a stage takes as relations."""
        if not isinstance(stage, PythonStage):
            return stage.inputs
        related = [name for name in stage.inputs if name not in stage.walked]
        return list(filter(self._row_count, related)) if stage.skips_empty else related

    def _row_count(self, name: str) -> int:
        count = self._transient_rows.get(name)
        return self._sink.row_count(name) if count is None else count

    def _leave_empty(self, stage: SqlStage | PythonStage) -> None:
        for table in stage.outputs:
            if table.is_transient:
                self._transient_rows[table.name] = 0
            else:
                self._sink.finish(table)

    def _run_sql(self, stage: SqlStage, options: Mapping[str, Value]) -> None:
        statement, values = stage.query.statement, dict(options)
        if stage.output.is_transient:
            self._create(stage.output, statement_of(stage.query), values)
        elif stage.query.pattern:
            self._run_pattern(stage, statement, values)
        elif sum(map(self._row_count, stage.inputs)) <= FEW_ROWS:
            self._sink.write(stage.output, self._result(stage, statement, values))
        else:
            relation = self._database.sql(statement, params=values)
            _check_columns(stage.output, relation.columns)
            batches = batches_of(relation.to_arrow_reader(ROW_GROUP_ROWS))
            self._sink.stream(stage.output, batches)

    def _result(self, stage: SqlStage, statement: str, values: Mapping[str, Value]) -> pa.Table:
        """All rows of a query at once, which plans it once; a stream of them plans it twice."""
        cursor = self._execute(statement, values)
        _check_columns(stage.output, [column[0] for column in cursor.description or ()])
        with warnings.catch_warnings(action="ignore"):  # that rows are copied: there are few
            return cursor.to_arrow_table()

    def _run_pattern(self, stage: SqlStage, statement: str, values: Mapping[str, Value]) -> None:
        """Store what a pattern finds, which is checked as it is written."""
        create = f"CREATE TEMP TABLE {RESULT} AS\n{statement}"
        ((count,),) = self._execute(create, values).fetchall()
        found = complete_rows(self._database, stage.query, stage.metrics, self._row_count)
        batches = batches_of(found.to_arrow_reader(ROW_GROUP_ROWS)) if count else ()
        self._sink.stream(stage.output, checked(batches, stage.query, stage.metrics))
        self._database.execute(f"DROP TABLE {RESULT}")

    def _run_python(self, stage: PythonStage, options: Mapping[str, Value]) -> None:
        inputs: dict[str, Any] = {name: self._database.table(name) for name in self._related(stage)}
        inputs |= {name: self._sink.walk(name) for name in stage.walked}
        with self._memory_for_arrays(stage):
            results = stage.compute(**inputs, **options)
            left = [results] if len(stage.outputs) == 1 else list(results)
            del results
            for table in stage.outputs:
                self._keep(table, left.pop(0))  # and free it before the next one is kept
        if left:
            raise ValueError(f"{stage.name} returns {len(left)} tables too many")

    @contextmanager
    def _memory_for_arrays(self, stage: PythonStage) -> Iterator[None]:
        """Give memory back before and after; the database has less while a large stage runs."""
        if not self._has_many_rows(stage):
            yield
            return
        with less_memory(self._database) if self._is_large(stage) else nullcontext():
            free_memory()
            yield
        free_memory()

    def _keep(self, table: Table, result: pa.Table | pa.RecordBatchReader) -> None:
        if table.is_transient:
            self._database.register("result", result)
            self._create(table, "FROM result", {})
            self._database.unregister("result")
        else:
            is_table = isinstance(result, pa.Table)
            self._sink.stream(table, [result] if is_table else batches_of(result))

    def _create(self, table: Table, statement: str, values: dict[str, Value]) -> None:
        """Make a transient table of the rows of a statement, and count them."""
        create = f"CREATE TABLE {quoted(table.name)} AS\n{statement}"
        ((count,),) = self._execute(create, values).fetchall()
        with self._lock:
            self._transient_rows[table.name] = count
            self._provided.add(table.name)

    def _execute(self, statement: str, values: Mapping[str, Value]) -> duckdb.DuckDBPyConnection:
        return self._database.execute(parsed(self._database, statement), values)

    @property
    def _database(self) -> duckdb.DuckDBPyConnection:
        """The connection of this lane."""
        if self._connection is None:
            self._connection = self._connect()
        found: duckdb.DuckDBPyConnection = getattr(self._of_lane, "connection", self._connection)
        return found

    def provide(self, name: str) -> None:
        """Make a table readable on the database: a finished one, or a transient one still there."""
        with self._lock:
            if name in self._provided:
                return
            if name in self._made and not self._row_count(name):
                create_empty(self._database, self._made[name])
            else:
                self._sink.provide(self._database, name)
            self._provided.add(name)


def _corrects_clocks(stage: Stage) -> bool:
    return any(table.name == CORRECTIONS for table in stage.outputs)


def _file_of_user(stage: Stage) -> Path | None:
    """The file of a stage's query, if the user wrote it."""
    if isinstance(stage, SqlStage) and QUERIES not in stage.query.path.parents:
        return stage.query.path
    return None


def _check_columns(table: Table, columns: Sequence[str]) -> None:
    if tuple(columns) != table.column_names:
        raise QueryError(
            f"{table.name}: the query's columns are {', '.join(columns)}; the schema declares "
            f"{', '.join(table.column_names)}"
        )
