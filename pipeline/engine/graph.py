"""Stages, what each needs and makes, and an order in which all can run."""

import importlib.metadata
import importlib.util
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from tracemill.base.errors import QueryError
from tracemill.base.text import hash_of
from tracemill.base.version import VERSION
from tracemill.engine.recipe import Recipe
from tracemill.patterns.catalog import completing, metrics_of
from tracemill.readers.common.source import Source
from tracemill.schemas import Table, clocks
from tracemill.schemas.clocks import CLOCK_CORRECTIONS
from tracemill.sql.query_files import Query
from tracemill.stages.stage import PythonStage

# Stands for the code that runs stages. Raise it when a change of that code changes tables.
STAGE_FORMAT = 1
# How rows become bytes.
_WRITING_MODULES = ("tracemill.store.parquet",)
# How rows of patterns are completed.
_COMPLETING_MODULES = ("tracemill.patterns.results",)
READ = "read"
CORRECTIONS = CLOCK_CORRECTIONS.name
AS_RECORDED = frozenset(table.name for table in clocks.AS_RECORDED)
"""Tables about the trace as recorded, which stay if its clocks are corrected."""


@dataclass(frozen=True)
class ReadStage:
    """Reading the trace: the stage that needs no tables.

    `matching` are the stages that follow from the trace as recorded until its clocks are
    corrected; if they are wrong, the trace is read again.
    """

    source: Source
    matching: "tuple[SqlStage | PythonStage, ...]" = ()

    @property
    def name(self) -> str:
        return READ

    @property
    def inputs(self) -> tuple[str, ...]:
        return ()

    @property
    def outputs(self) -> tuple[Table, ...]:
        return self.source.tables


@dataclass(frozen=True)
class SqlStage:
    """A query that makes one table. `metrics` are those that it may find if it is a pattern."""

    query: Query
    output: Table
    metrics: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.query.relation

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.query.inputs

    @property
    def needed_rows(self) -> tuple[tuple[str, ...], ...]:
        return self.query.needed_rows

    @property
    def outputs(self) -> tuple[Table, ...]:
        return (self.output,)


Stage = ReadStage | SqlStage | PythonStage


def has_needed_rows(needed_rows: Iterable[Iterable[str]], row_count: Callable[[str], int]) -> bool:
    """True if every group has a table with rows; else the result is empty."""
    return all(any(map(row_count, group)) for group in needed_rows)


def build_graph(source: Source, recipe: Recipe) -> tuple[Stage, ...]:
    """All stages, each after those that make its inputs; the order depends on names alone.

    Raises QueryError for unknown tables, inputs without a stage, outputs made twice, and cycles.
    """
    queries = [query for query in recipe.queries if query.is_stage]
    made_by_sql = [
        SqlStage(query, _output(query, recipe.tables), _metrics(query, queries))
        for query in queries
    ]
    stages: list[Stage] = [ReadStage(source), *made_by_sql, *recipe.python_stages]
    makers = _makers(stages)
    for name, count in Counter(stage.name for stage in stages).items():
        if count > 1:
            raise QueryError(f"{count} stages are called {name}: give each a name of its own")
    for stage in stages:
        for name in stage.inputs:
            if name not in makers:
                known = ", ".join(sorted(makers))
                raise QueryError(f"{stage.name}: nothing makes {name}: tables present: {known}")
    if CORRECTIONS in makers:
        stages[0] = ReadStage(source, tuple(_matching(stages, makers)))
        makers |= {table.name: stages[0] for table in stages[0].outputs}
    return _ordered(stages, makers)


def key_parts(
    stage: Stage, output: Table, *, digest: str, options: Mapping[str, Any]
) -> dict[str, str]:
    """The parts of a table's key besides its inputs."""
    parts = {
        "format": f"{STAGE_FORMAT} {code_hash(_WRITING_MODULES)}",
        "schema": schema_hash(output),
        "tracemill": VERSION,
        "pyarrow": installed_version("pyarrow"),
    }
    if isinstance(stage, ReadStage):
        parts |= {"source": digest, "code": code_hash(stage.source.code_modules)}
        if stage.matching:
            parts["clocks"] = hash_of("".join(map(_text, stage.matching)))
    elif isinstance(stage, SqlStage):
        parts |= {"query": hash_of(stage.query.text), "duckdb": installed_version("duckdb")}
        if stage.query.pattern:
            parts["code"] = code_hash(_COMPLETING_MODULES) + hash_of(
                completing(stage.query).text + " ".join(stage.metrics)
            )
    else:
        parts |= {"code": code_hash(stage.modules), "duckdb": installed_version("duckdb")}
    return parts | {"options": json.dumps(options, sort_keys=True)}


def schema_hash(table: Table) -> str:
    """Hash of a table's declaration, with the source text of the modules of its rules."""
    modules = {rule.holds.__module__ for rule in table.rules} | {Table.__module__}
    return hash_of(table.declaration + code_hash(tuple(sorted(modules))))


@cache
def code_hash(modules: tuple[str, ...]) -> str:
    """Hash of the source text of some modules; a package stands for all modules in it."""
    return hash_of(" ".join(map(_source_hash, modules)))


@cache
def installed_version(package: str) -> str:
    """Version of an installed package, without importing it; empty if there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


@cache
def _source_hash(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"module {module} has no source text")
    path = Path(spec.origin)
    is_package = path.name == "__init__.py"
    files = sorted(path.parent.rglob("*.py"), key=str) if is_package else [path]
    return hash_of(b"".join(file.read_bytes() for file in files).decode())


def _output(query: Query, tables: Mapping[str, Table]) -> Table:
    if query.output != query.relation:
        raise QueryError(
            f"{query.relation}: Output is {query.output}: {query.path}: name it like the file"
        )
    if query.output not in tables:
        raise QueryError(f"{query.relation}: the schemas have no such table: {query.path}")
    return tables[query.output]


def _metrics(query: Query, queries: Sequence[Query]) -> tuple[str, ...]:
    if query.pattern is None:
        return ()
    return tuple(metric.name for metric in metrics_of(query, queries))


def _makers(stages: Iterable[Stage]) -> dict[str, Stage]:
    makers: dict[str, Stage] = {}
    for stage in stages:
        for table in stage.outputs:
            other = makers.setdefault(table.name, stage)
            if other is not stage:
                raise QueryError(f"{table.name} is made twice: by {other.name} and {stage.name}")
    return makers


def _text(stage: SqlStage | PythonStage) -> str:
    """The source text of a stage."""
    return stage.query.text if isinstance(stage, SqlStage) else code_hash(stage.modules)


def _matching(
    stages: Iterable[Stage], makers: Mapping[str, Stage]
) -> Iterator[SqlStage | PythonStage]:
    """The stages that the correction of clocks needs, and itself, in the order of `stages`."""
    needed = with_needed([makers[CORRECTIONS]], makers)
    return (stage for stage in stages if stage.name in needed and not isinstance(stage, ReadStage))


def with_needed(stages: Iterable[Stage], makers: Mapping[str, Stage]) -> set[str]:
    """Names of these stages and of all makers of what they need, directly or not."""
    found: set[str] = set()
    left = list(stages)
    while left:
        stage = left.pop()
        if stage.name not in found:
            found.add(stage.name)
            left += (makers[name] for name in stage.inputs if name in makers)
    return found


def _ordered(stages: Sequence[Stage], makers: Mapping[str, Stage]) -> tuple[Stage, ...]:
    first = {
        each.name for stage in stages if isinstance(stage, ReadStage) for each in stage.matching
    }

    def rank(stage: Stage) -> tuple[bool, bool, str]:
        """Reading comes first: before DuckDB, it runs in little memory."""
        return (stage.name != READ, stage.name not in first, stage.name)

    by_name = {stage.name: stage for stage in sorted(stages, key=rank)}
    needs = {
        name: sorted({makers[each].name for each in stage.inputs})
        for name, stage in by_name.items()
    }
    sorter = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as error:
        first, *others = reversed(error.args[1])
        circle = f"{first} needs {', which needs '.join(others)}"
        raise QueryError(f"stages wait for each other: {circle}") from error
    ready: list[Stage] = []
    ordered: list[Stage] = []
    while sorter.is_active():
        ready += (by_name[name] for name in sorter.get_ready())
        ordered.append(min(ready, key=rank))
        ready.remove(ordered[-1])
        sorter.done(ordered[-1].name)
    return tuple(ordered)
