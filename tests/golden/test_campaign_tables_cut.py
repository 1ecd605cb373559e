"""Sentences of a campaign's report on tables that hold the first rows of each program."""

from functools import partial
from typing import Any

import duckdb
import pytest

from tests.helpers.hand_made import make_table
from tests.helpers.running import query_rows, run_query
from tracemill.reports.campaign_sections.call_sites import RANKING, describe_worst
from tracemill.reports.model import Table
from tracemill.reports.tables import TableSpec, fetch, read_table
from tracemill.schemas import BY_NAME

Row = dict[str, Any]


def ranked(rank: int, application: str = "x", **changes: Any) -> Row:
    """A call site that grows beyond chance, but is too small to matter."""
    return {
        "application": application, "call_path_key": rank, "rank": rank,
        "call_path": f"main/{rank}", "run_count": 8, "smallest_processes": 2,
        "largest_processes": 16, "spearman": 1.0, "p_value": 0.001, "perfect_p_value": 0.001,
        "p_value_method": "all permutations", "q_value": 0.01, "q_value_any_dependence": 0.02,
        "mean_share": 0.001, "largest_share": 0.001, "is_above_guard": False,
    } | changes  # fmt: skip


def sentences_on(ranking: list[Row]) -> list[str]:
    return list(describe_worst(query_rows("worst_call_sites", {"call_site_ranking": ranking})))


def test_a_large_growing_call_site_is_named_even_after_many_small_ones() -> None:
    matters = {"is_above_guard": True, "largest_share": 0.4}
    ranking = [ranked(rank) for rank in range(1, 121)]
    ranking.append(ranked(121, spearman=0.95, q_value=0.2, **matters))
    ranking.append(ranked(122, spearman=0.9, **matters))
    ranking.append(ranked(123, spearman=0.8, **matters))
    growing, small = sentences_on(ranking)
    assert growing.startswith('x: the share of "main/122" grows most')
    assert small.startswith(
        'The share of "main/1" grows most steadily (rank correlation 1.00), but is only 0.10% of '
    )


def test_every_program_is_named() -> None:
    ranking = [ranked(rank, name) for name in "abc" for rank in range(1, 61)]
    sentences = sentences_on([row | {"is_above_guard": True} for row in ranking])
    assert [sentence[:2] for sentence in sentences] == ["a:", "b:", "c:"]


# --- Tables --------------------------------------------------------------------------------------


def table_of(spec: TableSpec, ranking: list[Row]) -> Table:
    inputs = {"call_site_ranking": ranking}
    names = ("call_site_ranking", "call_site_times", "communication_times", "campaign_runs")
    with duckdb.connect() as connection:
        for name in names:
            connection.register(name, make_table(BY_NAME[name], inputs.get(name, ())))
        return read_table(partial(fetch, connection), spec)


@pytest.mark.parametrize(("count", "shown"), [(99, 99), (100, 100), (101, 100)])
def test_a_table_shows_as_many_rows_of_every_program(count: int, shown: int) -> None:
    table = table_of(RANKING, [ranked(rank, name) for name in "ab" for rank in range(1, count + 1)])
    programs = [row["application"] for row in table.as_dicts()]
    assert [programs.count(name) for name in "ab"] == [shown, shown]
    assert table.is_cut == (count > shown)


def test_call_sites_are_ranked_at_fixed_sizes_too() -> None:
    ranking = [ranked(rank, size=size) for size in (None, 10.0, 20.0) for rank in (1, 2, 3)]
    tables = {"call_site_ranking": ranking}
    wanted = "size place call_path"
    assert run_query("ranked_call_sites_of_sizes", tables, wanted, row_limit=4) == [
        (10.0, 1, "main/1"), (10.0, 2, "main/2"), (20.0, 1, "main/1"), (20.0, 2, "main/2"),
    ]  # fmt: skip


# --- Courses -------------------------------------------------------------------------------------


def test_a_course_is_of_the_runs_that_are_ranked_and_no_visit_is_no_share() -> None:
    """Left out: one process, a failed run, one that does not communicate.

    The mean shares at 2, 4 and 8 processes are (0.4 + 0) / 2, 0.4 and 0.8: 2, 4 and 8 eighths.
    """
    runs = [(1, 0.8), (2, 0.4), (2, None), (4, 0.4), (8, 0.8), (16, 0.8), (32, None)]
    tables: dict[str, list[Row]] = {
        "call_site_ranking": [ranked(1)],
        "campaign_runs": [
            {"campaign_run_id": at, "application": "x", "processes": p,
             "state": "failed" if p == 16 else "measured"}
            for at, (p, _) in enumerate(runs)
        ],
        "communication_times": [
            {"campaign_run_id": at, "communication_ns": 0 if p == 32 else 100}
            for at, (p, _) in enumerate(runs)
        ],
        "call_site_times": [
            {"campaign_run_id": at, "call_path_key": 1, "communication_share": share}
            for at, (_, share) in enumerate(runs) if share is not None
        ],
    }  # fmt: skip
    assert run_query("ranked_call_sites", tables, "course", row_limit=5) == [("▂▄█",)]
