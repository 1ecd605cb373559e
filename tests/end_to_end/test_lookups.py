"""A quick check finds runs that are as an analysis would leave them, and no others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.fake_source import QUERY_TEXTS, Case, write_recipe, write_trace
from tracemill.engine.analyze import find_analyzed
from tracemill.engine.graph import build_graph
from tracemill.engine.plan import outline
from tracemill.store.runs import Run


def look(case: Case, *, allow_damaged: bool = False) -> Run | None:
    graph = build_graph(case.source, case.recipe)
    wanted = outline(graph, allow_damaged=allow_damaged, values={})
    return find_analyzed(case.source, store=case.store, outlines=[wanted])


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def change_trace(case: Case) -> None:
    case.source = write_trace(case.folder / "first", stays=((1, 2), (3,)))


def touch_trace(case: Case) -> None:
    case.source.path.touch()


def move_trace(case: Case) -> None:
    (case.folder / "first").rename(case.folder / "moved")
    case.source = type(case.source)(case.folder / "moved" / "trace.json")


def change_query(case: Case) -> None:
    text = QUERY_TEXTS["ranking"] + "\n-- Changed."
    case.recipe = write_recipe(case.folder / "queries", ranking=text)


def change_query_between(case: Case) -> None:
    text = QUERY_TEXTS["long_stays"] + "\n-- Changed."
    case.recipe = write_recipe(case.folder / "queries", long_stays=text)


def lose_table(case: Case) -> None:
    next(case.generations[0].glob("ranking.parquet")).unlink()


def cut_part(case: Case) -> None:
    part = next(case.generations[0].glob("stays/part-*.parquet"))
    part.write_bytes(part.read_bytes()[:-1])


def break_record(case: Case) -> None:
    (case.generations[0] / "manifest.json").write_text("{")


CHANGES = (
    change_trace, touch_trace, move_trace, change_query, change_query_between, lose_table, cut_part,
    break_record,
)  # fmt: skip


def test_nothing_is_found_before_an_analysis(case: Case) -> None:
    assert look(case) is None


def test_an_analyzed_run_is_found(case: Case) -> None:
    analysis = case.analyze()
    found = look(case)
    assert found is not None
    assert found.path == analysis.run.path
    assert case.explain() == {}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_left_to_the_analysis(case: Case, change: Callable[[Case], None]) -> None:
    case.analyze()
    change(case)
    assert look(case) is None
    case.analyze()
    assert look(case) is not None


def test_options_count(case: Case) -> None:
    case.analyze(allow_damaged=True)
    assert look(case) is None
    assert look(case, allow_damaged=True) is not None
