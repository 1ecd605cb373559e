"""Findings about the master of data/m18_master_worker, worked out by hand."""

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tracemill.engine.analyze import Analysis
from tracemill.store.runs import Run

EXPECTED = Path(__file__).parents[2] / "data" / "m18_master_worker" / "expected_severities.csv"
MS = 1_000_000


@pytest.fixture(scope="module")
def m18(analysis_of: Callable[[str], Analysis]) -> Run:
    """The analysis of data/m18_master_worker, which data/README.md explains."""
    return analysis_of("m18_master_worker").run


def test_rank_0_is_the_master_of_all_others(m18):
    found = [tuple(row.values()) for row in m18.read("master_workers").to_pylist()]
    assert found == [(0, 1, 7, 95), (0, 2, 7, 95), (0, 3, 5, 95), (0, 4, 5, 95)]


def test_workers_starve_as_long_as_the_reference_finds_them_waiting(m18):
    starving: Counter[int] = Counter()
    for row in m18.read("master_worker_starving").to_pylist():
        assert row["cause_location_id"] == 0
        starving[row["location_id"]] += row["value"]
    with EXPECTED.open(encoding="utf-8") as file:
        expected = {
            int(row["rank"]): round(float(row["value"]) * 1e9)
            for row in csv.DictReader(file)
            if row["metric"] == "mpi_latesender" and row["rank"] != "0"
        }
    assert starving == expected


# The table in data/README.md, with the arithmetic: the later of taking the request and the other
# one's coming, until the answer.
def test_rank_0_is_overloaded_while_another_rank_waits(m18):
    columns = ["cause_location_id", "start_ns", "value", "call_path_id", "location_id"]
    found = [tuple(row.values()) for row in m18.read("master_overloaded", columns).to_pylist()]
    crowded = [
        (1, 7534087, 12614495 - 7534087),
        (2, 12616177, 17714742 - 12616177),
        (3, 17720400, 22804453 - 17720400),
        (4, 22840346, 27914845 - 22840346),
        (4, 75264647, 80365655 - 78384306),
        (1, 80388258, 85475716 - 80388258),
        (4, 103251809, 108351625 - 103251809),
        (1, 115623652, 122006802 - 118495028),
        (2, 130713428, 135795157 - 135407658),
        (3, 163371807, 168472966 - 167347874),
    ]
    # It works in main.
    assert sorted(found, key=lambda row: row[1]) == [
        (worker, start + 440 * MS, value, 0, 0) for worker, start, value in crowded
    ]


def test_one_task_was_too_fine(m18):
    columns = ["location_id", "start_ns", "value", "cause_location_id", "confidence"]
    found = [tuple(row.values()) for row in m18.read("tasks_too_fine", columns).to_pylist()]
    assert found == [(1, 462_727_962, 33_025_900 - 22_727_962, 0, 95)]
    assert 43_111_141 - 33_025_900 < 33_025_900 - 22_727_962
