"""Sentences on growth: the compared runs, and sizes that disagree."""

from typing import Any

from tests.helpers.measured_runs import MeasuredRun, tables_of
from tests.helpers.running import query_rows, run_stage
from tracemill.reports.campaign_sections.growth import describe_growth, describe_range
from tracemill.stages.campaign.growth import CALL_PATH_GROWTH_STAGE, METRIC_GROWTH_STAGE

WORK, OTHER = "main/work", "main/other"
Row = dict[str, Any]


# Shares of `other` in percent, by processes and size: it grows at 400, and falls at 100 and 200.
SHARES = {
    100: {1: 90, 2: 30, 4: 20, 8: 10},
    200: {1: 90, 2: 30, 4: 30, 8: 25},
    400: {1: 90, 2: 10, 4: 30, 8: 40},
}


def rows_of(query: str) -> list[Row]:
    """Rows of a report query about that campaign; there `other` is late sending, too."""
    runs = [
        MeasuredRun(p, {WORK: [100 - share] * p, OTHER: [share] * p}, size=size)
        for size, shares in SHARES.items()
        for p, share in shares.items()
    ]
    tables = tables_of(runs)
    tables["campaign_settings"][0]["size_name"] = "n"
    tables["run_metrics"] = [
        {"campaign_run_id": number, "metric": "mpi_latesender", "call_path_key": 1001,
         "value_ns": run.spent[OTHER][0] * run.processes}
        for number, run in enumerate(runs)
    ]  # fmt: skip
    tables["campaign_call_paths"][1]["place"] = "exchange.f:71"
    for stage in (METRIC_GROWTH_STAGE, CALL_PATH_GROWTH_STAGE):
        tables |= run_stage(stage, tables)
    limit = {} if query == "growth_range" else {"row_limit": 9}
    return query_rows(query, tables, **limit)


def test_sizes_that_go_the_other_way_are_named() -> None:
    growing, falling = rows_of("growing_call_paths")
    assert (growing["call_path"], growing["source"]) == (OTHER, "exchange.f:71")
    assert growing["other_sizes"] == "falls at n = 100, 200"
    assert falling["other_sizes"] == "grows at n = 100, 200"
    (metric,) = rows_of("growing_metrics")
    assert (metric["title"], metric["other_sizes"]) == ("Late Sender", "falls at n = 100, 200")


def test_the_sentence_names_place_and_sizes() -> None:
    assert list(describe_growth(rows_of("growing_call_paths"))) == [
        'program: the share of "main/other" (exchange.f:71) grows most, from 10.0% to 40.0% of all '
        "time at the largest size, but falls at n = 100, 200."
    ]


def test_the_sentence_names_the_runs_of_its_shares() -> None:
    """Of 12 runs three have one process."""
    assert list(describe_range(rows_of("growth_range"))) == [
        "program: 9 runs compared; shares are from runs with 2 and 8 processes, both at n = 400, "
        "the largest of 3 sizes. 3 runs with 1 process are left out."
    ]


def test_ends_of_different_sizes_are_named_separately() -> None:
    row = {
        "application": "x", "run_count": 3, "size_name": "n", "size_count": 3,
        "smallest_processes": 2, "largest_processes": 8, "smallest_run_size": 100.0,
        "largest_run_size": 400.0, "left_out_count": 0, "left_out_processes": None,
    }  # fmt: skip
    assert list(describe_range([row])) == [
        "x: 3 runs compared; shares are from runs with 2 processes at n = 100 and 8 at n = 400."
    ]
