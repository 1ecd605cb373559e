"""Figures of regions of recorded traces, from an independent implementation."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tracemill.comparison.overheads import find_overheads
from tracemill.engine.analyze import Options, analyze
from tracemill.schemas.overheads import TAXONOMY
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


@pytest.mark.parametrize(
    ("trace", "unparallelized", "partial", "by_all"),
    [
        ("sB_model_p8_n400_r1", 1_023_726_322, 0, 54_657_083),
        ("m29_hybrid", 2_159_106_350, 1_882_777, 642_645_303),
        ("m28_omp_critical", 100_854_017, 0, 1_140_266_657),
        ("m18_master_worker", 0, 0, 239_697_717),
        ("l01_lulesh_8", 0, 0, 1_995_109_473),
    ],
)
def test_lost_parallelism(
    analyzed: Analyze, trace: str, unparallelized: int, partial: int, by_all: int
) -> None:
    losses = """
    SELECT
        coalesce(overhead_subclass::VARCHAR, ''),
        sum(alone_ns + with_others_ns),
        count(*)
    FROM parallelism_losses
    LEFT JOIN overhead_classes
        ON moved_to_overhead_id = overhead_classes.overhead_id
    GROUP BY ALL
    """
    found = {part: (time, count) for part, time, count in rows_of(analyzed(trace), losses)}
    wanted = {"unparallelised code": unparallelized, "partially parallelised code": partial}
    for part, time in {**wanted, "": by_all}.items():
        ours, count = found.get(part, (0, 0))
        assert abs(ours - time) <= count / 2  # each row is rounded


def test_serial_parts_of_a_model_program(analyzed: Analyze) -> None:
    losses = """
    SELECT path, sum(alone_ns + with_others_ns)
    FROM parallelism_losses JOIN call_paths USING (call_path_id)
    WHERE moved_to_overhead_id IS NOT NULL GROUP BY ALL ORDER BY ALL
    """
    assert rows_of(analyzed("sB_model_p8_n400_r1"), losses) == [
        ("main/imbalanced", 338_974_438),
        ("main/serial_part", 684_751_884),
    ]


def test_overheads_against_a_sequential_run(analyzed: Analyze) -> None:
    found = find_overheads(
        [analyzed("sB_model_p1_n400_r1")], [analyzed("sB_model_p8_n400_r1")], tolerance=0.2
    )
    assert (found.seq[0].main_ns, found.par[0].main_ns) == (553_140_683, 228_052_990)
    classes = {TAXONOMY[each].part: time / 1e6 for each, time in found.classes.items()}
    lost = classes["unparallelised code"]
    assert round(found.total_ns / 1e6, 3) == 158.910
    assert round(lost, 3) == 127.966
    assert round(classes["collective"] + classes["barrier"] + lost, 3) == 135.073
    assert round(classes["replicated code"], 3) == 0.816
    assert round(classes["algorithm change"], 3) == 22.255
    assert round(found.unidentified_ns / 1e6, 3) == 0.767
    assert sum(found.classes.values()) == pytest.approx(found.total_ns, abs=1e-6)
    solve = found.call_paths.filter(call_path="main/solve")
    assert round(solve["unidentified_ns"][0] / 8e6, 3) == 0.702
    (serial,) = found.regions.filter(region="serial_part").iter_rows(named=True)
    names = ("overhead_mean_ns", "overhead_max_ns", "charged_ns")
    assert [round(serial[name] / 1e6, 3) for name in names] == [-0.002, 88.078, 85.594]
