"""Computes relations from tables in memory: the stages of the product, run by its engine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from tests.helpers.memory_sink import MemorySink
from tracemill.campaign.source import CampaignSource
from tracemill.engine.execute import Engine
from tracemill.engine.graph import ReadStage, Stage, build_graph
from tracemill.engine.plan import options_by_stage
from tracemill.engine.progress import SilentReporter
from tracemill.engine.recipe import campaign_recipe, standard_recipe
from tracemill.patterns.catalog import known_tables
from tracemill.readers.otf2.source import Otf2Source
from tracemill.sql.query_files import Value
from tracemill.store.database import connect

NO_SPILL = Path("/nowhere")
# The findings of patterns are checked against the numbers of rows here.
NUMBERED = ("call_paths", "locations", "visits", "visit_sums")
Row = tuple[Any, ...]


class Computation:
    """Tables that the engine computed, or that were given to it."""

    def __init__(self, engine: Engine, connection: duckdb.DuckDBPyConnection) -> None:
        self._engine = engine
        self.connection = connection

    def provide(self, name: str) -> None:
        """Make a table readable in the connection."""
        self._engine.provide(name)

    def rows(self, query: str, *tables: str, **values: Value) -> list[Row]:
        """Rows of a query over some of the tables, in its order."""
        for name in tables:
            self._engine.provide(name)
        return self.connection.execute(query, values).fetchall()

    def table(self, name: str) -> pa.Table:
        self._engine.provide(name)
        return self.connection.table(name).to_arrow_table()

    def records(self, name: str) -> list[dict[str, Any]]:
        """Its rows by column."""
        return self.table(name).to_pylist()


@contextmanager
def computed(
    relations: Iterable[str],
    tables: Mapping[str, pa.Table],
    *,
    stages: Sequence[Stage] | None = None,
    **parameters: Value,
) -> Iterator[Computation]:
    """Compute relations and all that they are computed from.

    Given tables replace the stages that make them. Tables that neither are given nor have a stage
    are empty.
    """
    relations = tuple(relations)
    chosen = stages_for(relations, tables) if stages is None else stages
    sink = MemorySink(NO_SPILL)
    made = {table.name for stage in chosen for table in stage.outputs}
    for name, rows in tables.items():
        if name not in made:
            sink.write(known_tables()[name], rows)
    inputs = {name for stage in chosen for name in stage.inputs}
    for name in {*relations, *inputs, *NUMBERED} - made - tables.keys():
        sink.finish(known_tables()[name])
    options = options_by_stage(chosen, parameters)
    connection = connect(threads=1)
    with Engine(lambda: connection, sink, threads=1, reporter=SilentReporter()) as engine:
        engine.run(chosen, options, "run", kept=relations)
        yield Computation(engine, connection)


def analyze_tables(read: Mapping[str, pa.Table]) -> dict[str, list[dict[str, Any]]]:
    """Rows of all tables of a trace: those that were read, and all that are computed from them."""
    stages = all_stages()
    made = [table.name for stage in stages for table in stage.outputs]
    with computed(made, read, stages=stages) as computation:
        return {name: computation.records(name) for name in (*read, *made)}


def stages_for(relations: Iterable[str], given: Iterable[str] = ()) -> tuple[Stage, ...]:
    """The stages that these relations need if some tables are given, in their order."""
    given, needed = set(given), set(relations)
    chosen: list[Stage] = []
    for stage in reversed(all_stages(of_campaigns=bool(needed & campaign_tables()))):
        made = {table.name for table in stage.outputs}
        if made & needed and not made & given:
            chosen.append(stage)
            needed |= set(stage.inputs)
    return tuple(reversed(chosen))


@cache
def all_stages(*, of_campaigns: bool = False) -> tuple[Stage, ...]:
    """Every stage of a trace, or of a campaign, except for reading."""
    source: Any = CampaignSource if of_campaigns else Otf2Source
    recipe = campaign_recipe() if of_campaigns else standard_recipe()
    graph = build_graph(source, recipe)
    return tuple(stage for stage in graph if not isinstance(stage, ReadStage))


@cache
def campaign_tables() -> frozenset[str]:
    """Tables that exist in campaigns alone."""
    of_traces, of_campaigns = (
        {table.name for stage in all_stages(of_campaigns=each) for table in stage.outputs}
        for each in (False, True)
    )
    return frozenset(of_campaigns - of_traces | {table.name for table in CampaignSource.tables})
