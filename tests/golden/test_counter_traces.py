"""Counters of the traces in data/counters, by hand."""

from collections.abc import Callable

import pytest

from tracemill.engine.analyze import Analysis
from tracemill.reports.build import build_report
from tracemill.reports.model import Section
from tracemill.shell.cookbook import find_question, run_questions

VALUES = """
    SELECT regions.name, location_id, exclusive_value, inclusive_value, method::VARCHAR
    FROM call_path_counters
    INNER JOIN call_paths USING (call_path_id)
    INNER JOIN regions USING (region_id)
    INNER JOIN counters USING (counter_id)
    WHERE counters.name = ?
    ORDER BY location_id, call_path_id
"""


def values_of(analysis: Analysis, counter: str) -> list[tuple[object, ...]]:
    with analysis.run.connect() as connection:
        found: list[tuple[object, ...]] = connection.execute(VALUES, [counter]).fetchall()
        return found


# Rank 0, instructions; rank 1 records twice as many from 1000 on.
#
#            1000 1100 1300     5300  5500 5600      9600  9700
# main       [                                             ]        9700 - 1000 = 8700
# f               [                  ]    [         ]               4400 and 4000
# g                    [        ]                                   4000
def test_values_at_every_enter_and_leave_are_exact(analysis_of: Callable[[str], Analysis]) -> None:
    found = values_of(analysis_of("counters/f1_counters"), "PAPI_TOT_INS")
    assert found == [
        ("main", 0, 8700 - 4400 - 4000, 8700, "exact"),
        ("f", 0, 4400 - 4000 + 4000, 4400 + 4000, "exact"),
        ("g", 0, 5300 - 1300, 4000, "exact"),
        ("main", 1, 17400 - 8800 - 8000, 17400, "exact"),
        ("f", 1, 8800 - 8000 + 8000, 8800 + 8000, "exact"),
        ("g", 1, 9600 - 1600, 8000, "exact"),
    ]


# Both ranks: main 5000 to 12200, f 5200 to 7800 and 8000 to 12000, g in the first f 5500 to 7500.
def test_cycles_are_the_same_on_both_ranks(analysis_of: Callable[[str], Analysis]) -> None:
    found = values_of(analysis_of("counters/f1_counters"), "PAPI_TOT_CYC")
    assert found == [
        (name, rank, exclusive, inclusive, "exact")
        for rank in (0, 1)
        for name, exclusive, inclusive in (
            ("main", 7200 - 2600 - 4000, 7200),
            ("f", 2600 - 2000 + 4000, 2600 + 4000),
            ("g", 2000, 2000),
        )
    ]


# Values 100 at 0 s, 300 at 1 s, 200 at 2 s; a lasts to 1 s, b from 1 s to 2 s, main around both.
def test_an_absolute_value_holds_until_the_next_or_since_the_last(
    analysis_of: Callable[[str], Analysis],
) -> None:
    power = analysis_of("counters/f4_power")
    assert values_of(power, "power_next") == [
        ("main", 0, None, (100 + 300) / 2, "mean"),
        ("a", 0, 100, 100, "mean"),
        ("b", 0, 300, 300, "mean"),
    ]
    assert values_of(power, "power_last") == [
        ("main", 0, None, (300 + 200) / 2, "mean"),
        ("a", 0, 300, 300, "mean"),
        ("b", 0, 200, 200, "mean"),
    ]


# 0 at 0 us, 400 at 40 us, 1000 at 100 us; a lasts to 50 us, b to 100 us. The second step of 600 in
# 60 us has 10 us in a.
def test_sparse_values_are_spread_over_time(analysis_of: Callable[[str], Analysis]) -> None:
    assert values_of(analysis_of("counters/f5_sparse"), "PAPI_L2_TCM") == [
        ("main", 0, 0, 1000, "spread"),
        ("a", 0, 400 + 600 * 10 / 60, 500, "spread"),
        ("b", 0, 600 * 50 / 60, 500, "spread"),
    ]


def test_derived_counters_need_their_counters(analysis_of: Callable[[str], Analysis]) -> None:
    with analysis_of("counters/f1_counters").run.connect() as connection:
        found = connection.sql("SELECT name FROM derived_counters ORDER BY name").fetchall()
    assert found == [("IPC",), ("MIPS",), ("clock",)]


def answer(analysis: Analysis, question: str) -> list[tuple[object, ...]]:
    with analysis.run.connect() as connection:
        found: list[tuple[object, ...]] = connection.sql(
            find_question(question, run_questions()).sql
        ).fetchall()
        return found


def test_the_cookbook_has_the_call_paths_with_most_of_each_counter(
    analysis_of: Callable[[str], Analysis],
) -> None:
    found = answer(analysis_of("counters/f1_counters"), "counters_of_call_paths")
    assert [row[:3] for row in found] == [
        ("PAPI_TOT_INS", "main/f", 4400 + 8800),
        ("PAPI_TOT_INS", "main/f/g", 4000 + 8000),
        ("PAPI_TOT_INS", "main", 300 + 600),
        ("PAPI_TOT_CYC", "main/f", 2 * 4600),
        ("PAPI_TOT_CYC", "main/f/g", 2 * 2000),
        ("PAPI_TOT_CYC", "main", 2 * 600),
    ]


def test_the_cookbook_has_derived_counters_by_rank(analysis_of: Callable[[str], Analysis]) -> None:
    found = answer(analysis_of("counters/f1_counters"), "counters_derived_by_rank")
    assert [row[:3] for row in found if row[0] == "IPC"] == [
        ("IPC", 0, 8700 / 7200),
        ("IPC", 1, 17400 / 7200),
    ]


def test_the_cookbook_has_counters_over_the_run(analysis_of: Callable[[str], Analysis]) -> None:
    found = answer(analysis_of("counters/f5_sparse"), "counters_over_the_run")
    assert len(found) == 200
    assert sum(float(str(row[4])) for row in found) == pytest.approx(1000)


def section_of(analysis: Analysis) -> Section:
    return build_report(analysis.run).section("counters")


# IPC of the run: 26100 / 14400 = 1.8125; g has 3, f 1.43 and main 0.75.
def test_the_report_lists_call_paths_worse_than_the_mean(
    analysis_of: Callable[[str], Analysis],
) -> None:
    section = section_of(analysis_of("counters/f1_counters"))
    (ipc,) = (table for table in section.tables if table.title.startswith("IPC"))
    assert [(row["call_path"], row["value"], row["time_ns"]) for row in ipc.as_dicts()] == [
        ("main/f", 13200 / 9200, 120_000),
        ("main", 900 / 1200, 60_000),
    ]
    assert any(
        sentence.startswith("IPC is 1.81 instructions/cycle over the run")
        for sentence in section.sentences
    )


def test_the_report_draws_curves(analysis_of: Callable[[str], Analysis]) -> None:
    (power, *_) = section_of(analysis_of("counters/f4_power")).pictures
    assert power.title == "power_last over time"
    assert power.description == "power_last (MPI Rank 0): 200 to 300 W."
    assert power.svg.startswith("<svg")


def test_a_trace_without_counters_has_no_section(analysis_of: Callable[[str], Analysis]) -> None:
    keys = [section.key for section in build_report(analysis_of("m01_late_sender").run).sections]
    assert "counters" not in keys
