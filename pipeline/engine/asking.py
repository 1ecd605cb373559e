"""Tables of a stored run computed again with other parameters, in memory and only for a command."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tracemill.base.errors import QueryError, StoreError
from tracemill.engine.execute import Engine
from tracemill.engine.graph import ReadStage, Stage, build_graph
from tracemill.engine.plan import options_by_stage
from tracemill.engine.progress import SilentReporter
from tracemill.engine.recipe import standard_recipe
from tracemill.patterns.catalog import known_tables
from tracemill.readers.otf2.source import Otf2Source
from tracemill.schemas import Table
from tracemill.sql.query_files import Value
from tracemill.store.database import AGAIN, connect, copy_rows
from tracemill.store.runs import Run
from tracemill.store.sink import FEW_ROWS, Sink, Walk, Written
from tracemill.store.walking import KeptRows, StoredRows

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Answer:
    """Tables of a run, some of which were computed again, on a database."""

    engine: Engine
    connection: "duckdb.DuckDBPyConnection"

    def provide(self, name: str) -> None:
        """Make a table readable."""
        self.engine.provide(name)

    def table(self, name: str) -> pa.Table:
        """A table in memory."""
        self.provide(name)
        return self.connection.table(name).to_arrow_table()


@contextmanager
def computed_again(
    run: Run,
    relations: Collection[str],
    given: Mapping[str, pa.Table] = MappingProxyType({}),
    **parameters: Value,
) -> Iterator[Answer]:
    """The run's tables, with these relations and the transient ones they need computed again.

    Given tables replace those of the run, also transient ones. The other parameters are those of
    the run's analysis. Raises PipelineError.
    """
    stages = _stages_for(relations, {*run.tables, *given})
    values = {**_parameters_of(run), **parameters}
    options = options_by_stage(stages, values)
    connection = connect()
    sink = _Answers(run, given)
    with Engine(
        lambda: connection, sink, threads=1, reporter=SilentReporter(), detail=run.detail
    ) as engine:
        try:
            engine.run(stages, options, run.run_id, kept=relations)
        except QueryError as error:
            if not _is_outdated(run):
                raise
            reason = f"the store has tables of another version of Tracemill: {run.label}: {AGAIN}"
            raise StoreError(reason) from error
        yield Answer(engine, connection)


def _stages_for(relations: Iterable[str], stored: Iterable[str]) -> list[Stage]:
    """The stages that make the relations from stored tables, in their order.

    A stage with several tables runs if one of them is asked for.
    """
    source: Any = Otf2Source  # reading makes the same tables from every source
    asked = set(relations)
    needed, given = set(asked), set(stored) - asked
    chosen: list[Stage] = []
    for stage in reversed(build_graph(source, standard_recipe())):
        made = {table.name for table in stage.outputs}
        is_due = bool(made & asked) or bool((made & needed) - given)
        if is_due and not isinstance(stage, ReadStage):
            chosen.append(stage)
            needed |= set(stage.inputs)
    return chosen[::-1]


def _is_outdated(run: Run) -> bool:
    """Some stored table has other columns than those declared now."""
    return any(
        pq.read_schema(file).names != table.arrow_schema.names
        for name, table in known_tables().items()
        if name in run.tables
        for file in run.files(name)[:1]
    )


def _parameters_of(run: Run) -> Mapping[str, Value]:
    found = run.manifest.options.get("parameters", {})
    return found if isinstance(found, Mapping) else {}


class _Answers(Sink):
    """The tables of a run; those computed again replace stored ones, in memory."""

    def __init__(self, run: Run, given: Mapping[str, pa.Table]) -> None:
        self._run = run
        self._made = {name: known_tables()[name].conform(rows) for name, rows in given.items()}

    def stream(self, table: Table, batches: Iterable[pa.RecordBatch | pa.Table]) -> None:
        parts = [
            each if isinstance(each, pa.Table) else pa.Table.from_batches([each])
            for each in batches
        ]
        self._made[table.name] = table.conform(pa.concat_tables(parts)) if parts else table.empty()

    def finish(self, table: Table) -> Written:
        rows = self._made.setdefault(table.name, table.empty())
        return Written(rows.num_rows, rows.nbytes)

    def row_count(self, name: str) -> int:
        if name in self._made:
            return self._made[name].num_rows
        return self._run.manifest.tables[name].row_count

    def provide(self, connection: "duckdb.DuckDBPyConnection", name: str) -> None:
        if name not in self._made:
            self._run.provide(connection, name)
        elif self._made[name].num_rows > FEW_ROWS:
            connection.register(name, self._made[name])
        else:
            copy_rows(connection, name, self._made[name])

    def walk(self, name: str) -> Walk:
        if name in self._made:
            return KeptRows([self._made[name].combine_chunks()])
        return StoredRows(self._run.files(name))
