"""Large runs: a report shows the largest, says what is left out, and runs no query twice."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.helpers.hand_made import late_sender_run
from tracemill.reports import material
from tracemill.reports.build import build_report
from tracemill.reports.model import Layout
from tracemill.reports.tables import TableSpec, read_table
from tracemill.store.manifest import TableRecord


def test_page_and_summary_say_how_many_call_paths_are_left_out() -> None:
    run = late_sender_run()
    record = TableRecord(key="", parts={}, inputs={}, reason="", row_count=1_554_351)
    many = replace(run, manifest=replace(run.manifest, tables={"call_paths": record}))
    said = (
        "Pages show 5,000 of 1,554,351 call paths, those with the most time; the values of others "
        "count for their callers. All call paths: tracemill hierarchy --level call-path"
    )
    sections = {section.key: section for section in build_report(many).sections}
    assert said in sections["exploration"].sentences
    assert said in sections["summary"].remarks
    assert not any("Pages show" in each for each in build_report(run).sections[0].remarks)


def test_no_query_runs_twice_but_those_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    run: Counter[str] = Counter()

    def counted(function: Any) -> Any:
        def call(connection: Any, query: str, *given: Any, **values: Any) -> Any:
            run[query] += 1
            return function(connection, query, *given, **values)

        return call

    for name in ("fetch", "fetch_arrays"):
        monkeypatch.setattr(material, name, counted(getattr(material, name)))
    build_report(late_sender_run())
    twice = {query for query, count in run.items() if count > 1}
    assert twice <= {"window_waits"}  # for the whole run, and for its window


def first_rows(spec: TableSpec, *rows: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    """What a table shows of the rows that its query returns for one more."""

    def fetch(query: str, row_limit: int | None) -> Any:
        assert row_limit == 3, "the query runs once"
        return ("kind", "time_ns"), rows

    table = read_table(fetch, spec)
    assert table.is_cut
    return table.rows


def test_a_ranking_loses_its_last_row() -> None:
    spec = TableSpec(query="heaviest_edges", title="", row_limit=2)
    assert first_rows(spec, ("a", 9), ("b", 8), ("c", 7)) == (("a", 9), ("b", 8))


def test_of_each_kind_the_first_rows_remain() -> None:
    spec = TableSpec(query="heaviest_edges", title="", row_limit=2, limited_per="kind")
    rows = [("a", 9), ("a", 8), ("a", 7), ("b", 6), ("c", 5), ("c", 4)]
    assert first_rows(spec, *rows) == (("a", 9), ("a", 8), ("b", 6), ("c", 5), ("c", 4))


def test_a_tree_loses_its_smallest_branch_and_of_equals_the_last() -> None:
    spec = TableSpec(
        query="heaviest_edges", title="", row_limit=2, layout=Layout.TREE, bars=("time_ns",)
    )
    assert first_rows(spec, ("main", 9), ("small", 1), ("large", 8)) == (("main", 9), ("large", 8))
    assert first_rows(spec, ("main", 9), ("b", 1), ("c", 1)) == (("main", 9), ("b", 1))
