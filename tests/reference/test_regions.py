"""Figures of the region call graph of a recorded trace, from an independent implementation."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tracemill.engine.analyze import Options, analyze
from tracemill.store.runs import Run, Store

TRACES = Path(__file__).parents[3] / "shared" / "traces"
pytestmark = pytest.mark.skipif(not TRACES.exists(), reason="the traces are not here")
Analyze = Callable[[str], Run]


@pytest.fixture(scope="module")
def analyzed(tmp_path_factory: pytest.TempPathFactory) -> Analyze:
    """Analyzes a trace once, with times as recorded."""
    store = Store(tmp_path_factory.mktemp("store"))
    options = Options(threads=1, parameters={"clock_correction": "off"})

    @cache
    def find(name: str) -> Run:
        return analyze(TRACES / name, store=store, options=options).run

    return find


def rows_of(run: Run, text: str) -> list[tuple[Any, ...]]:
    with run.connect() as connection:
        return connection.execute(text).fetchall()


def test_main_holds_what_its_threads_were_forked_for(analyzed: Analyze) -> None:
    nodes = """
    SELECT exclusive_ns, inclusive_ns, forked_ns, total_ns
    FROM region_graph_nodes JOIN regions USING (region_id) WHERE name = 'main'
    """
    run = analyzed("m29_hybrid")
    assert rows_of(run, nodes) == [(366_435, 2_596_081_305, 1_246_053_516, 3_842_134_821)]
    edges = """
    SELECT sum(total_ns), sum(forked_ns)
    FROM region_graph_edges
    JOIN regions AS callers ON caller_region_id = callers.region_id
    JOIN regions AS callees ON callee_region_id = callees.region_id
    WHERE callers.name = 'main' AND callees.role = 'parallel'
    """
    assert rows_of(run, edges) == [(1_869_080_274, 1_246_053_516)]
