"""How large the tables are that each stage of an analysis makes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.bench.stage_meter import StageCost
from tracemill.engine.execute import Engine
from tracemill.engine.graph import Stage, build_graph
from tracemill.engine.recipe import standard_recipe
from tracemill.readers import open_source
from tracemill.sql.query_files import Value
from tracemill.store import TableRecord


class CountingEngine(Engine):
    """Also tells the rows of transient tables, which nothing else remembers."""

    def __init__(self, row_counts: dict[str, int], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._row_counts = row_counts

    def run(
        self, stages: Sequence[Stage], options: Mapping[str, Mapping[str, Value]], run_id: str
    ) -> dict[str, float]:
        seconds = super().run(stages, options, run_id)
        self._row_counts |= self._transient_rows
        return seconds


@contextmanager
def transient_rows_counted() -> Iterator[dict[str, int]]:
    """Rows by transient table, filled by analyses that run meanwhile."""
    row_counts: dict[str, int] = {}
    with patch("tracemill.engine.analyze.Engine", partial(CountingEngine, row_counts)):
        yield row_counts


def with_tables(
    costs: Mapping[str, StageCost],
    trace: Path,
    records: Mapping[str, TableRecord],
    transient_rows: Mapping[str, int],
) -> dict[str, StageCost]:
    """The costs with rows and bytes of what the stages made."""
    outputs = {
        stage.name: [table.name for table in stage.outputs]
        for stage in build_graph(open_source(trace), standard_recipe())
    }
    return {
        name: replace(
            cost,
            rows=sum(
                records[table].row_count + transient_rows.get(table, 0)
                for table in outputs.get(name, ())
            ),
            bytes=sum(records[table].byte_count for table in outputs.get(name, ())),
        )
        for name, cost in costs.items()
    }
