"""Instructions and cycles in useful time, for efficiencies."""

from collections.abc import Callable, Sequence

import pytest

from tests.helpers.counters import Value, Visit, counted_trace
from tests.helpers.hand_made import make_table
from tests.helpers.micro_trace import Tables
from tests.helpers.running import run_query
from tracemill.engine.analyze import Analysis
from tracemill.engine.asking import computed_again
from tracemill.schemas.events import COUNTER_VALUES
from tracemill.schemas.named_values import COUNTERS

#                  0    30     40     70    75    100
# main             [                              ]
# MPI_Send              [      ]
# MPI_Wait                            [     ]
TRACE = [("main", 0, 100), ("main/MPI_Send", 30, 40), ("main/MPI_Wait", 70, 75)]
STRICT = [(0, 5), (30, 25), (40, 26), (70, 60), (75, 61), (100, 90)]
WHOLE = {"interval": "whole", "begin_ns": 0, "end_ns": 100}
INNER = {"interval": "init to finalize", "begin_ns": 40, "end_ns": 100}
# Values at every change of a location count its nanoseconds.
TICKING = """
    SELECT
        location_id,
        row_number() OVER (ORDER BY location_id, time_ns)::BIGINT AS sequence,
        time_ns,
        0::INTEGER AS counter_id,
        time_ns AS value_integer
    FROM (
        SELECT location_id, unnest([enter_ns, leave_ns]) AS time_ns FROM visits
        UNION
        SELECT location_id, unnest([fork_ns, join_ns]) FROM parallel_visits
        UNION
        SELECT location_id, unnest([begin_ns, end_ns]) FROM task_fragments
        UNION
        SELECT location_id, unnest([begin_ns, end_ns]) FROM locations
    )
"""


def counted(
    values: Sequence[Value],
    name: str = "PAPI_TOT_INS",
    mode: str = "accumulated start",
    visits: Sequence[Visit] = TRACE,
    gaps: Sequence[tuple[int, int]] = (),
) -> Tables:
    tables = counted_trace(visits, values, mode=mode, gaps=gaps)
    tables["counters"][0]["name"] = name
    tables["regions"] = [
        {"region_id": row["region_id"], "name": region}
        | {"paradigm": "mpi" if region.startswith("MPI_") else "user"}
        for row in tables["call_paths"]
        for region in [row["path"].rpartition("/")[2]]
    ]
    tables["locations"][0] |= {"kind": "cpu_thread", "begin_ns": 0, "end_ns": 100}
    tables["location_groups"] = [{"location_group_id": 0, "kind": "process"}]
    tables["pop_locations"] = [
        {"location_id": 0, "useful_ns": 85, **each} for each in (INNER, WHOLE)
    ]
    return tables


def useful(tables: Tables, columns: str = "interval instructions") -> list[tuple[object, ...]]:
    return run_query("useful_counters", tables, columns)


def test_accumulated_values_count_between_mpi_calls() -> None:
    """From 0 to 30: 20; from 40 to 70: 34; from 75 on: 29. Only the last two after 40."""
    assert useful(counted(STRICT)) == [("init to finalize", 63), ("whole", 83)]


def test_a_relative_value_counts_if_all_of_its_stretch_is_useful() -> None:
    """The first has no stretch; 8 from 30 to 60 has MPI_Send in it."""
    values = [(10, 99), (30, 7), (60, 8), (70, 5)]
    for occurrence in ("last", "point"):
        tables = counted(values, mode=f"relative {occurrence}")
        assert useful(tables) == [("init to finalize", 5), ("whole", 12)]


def test_a_relative_value_may_be_about_the_next_stretch() -> None:
    tables = counted([(10, 7), (30, 8), (60, 5), (70, 99)], mode="relative next")
    assert useful(tables) == [("init to finalize", 5), ("whole", 12)]


def test_stretches_with_a_flush_or_a_falling_counter_do_not_count() -> None:
    """The flush is from 10 to 12; from 40 to 70 the counter falls."""
    values = [(0, 5), (30, 25), (40, 26), (70, 20), (75, 61), (100, 90)]
    assert useful(counted(values, gaps=[(10, 12)])) == [("init to finalize", 29), ("whole", 29)]


def test_functions_that_mpi_calls_are_not_useful() -> None:
    """The call inside MPI_Send lasts from 32 to 38; values 0, 30, 32, 38, 40 and 100."""
    visits = [("main", 0, 100), ("main/MPI_Send", 30, 40), ("main/MPI_Send/called", 32, 38)]
    values = [(0, 0), (30, 1), (32, 11), (38, 111), (40, 1111), (100, 11111)]
    assert useful(counted(values, visits=visits))[1] == ("whole", 1 + 10_000)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("PAPI_TOT_INS", (83, None)),
        ("instructions", (83, None)),
        ("perf::PERF_COUNT_HW_INSTRUCTIONS:u", (83, None)),
        ("PAPI_TOT_CYC", (None, 83)),
        ("cpu-cycles", (None, 83)),
        ("perf::CYCLES", (None, 83)),
    ],
)
def test_instructions_and_cycles_have_several_names(
    name: str, found: tuple[int | None, int | None]
) -> None:
    assert useful(counted(STRICT, name), "instructions cycles")[1] == found


@pytest.mark.parametrize("name", ["PAPI_REF_CYC", "ref-cycles", "branch-instructions", "c"])
def test_other_counters_do_not_count(name: str) -> None:
    assert useful(counted(STRICT, name)) == []


# Both ranks compute in `f` and `g` all the time.
def test_counters_of_a_recorded_trace(analysis_of: Callable[[str], Analysis]) -> None:
    run = analysis_of("counters/f1_counters").run
    found = run.read("useful_counters", ["location_id", "instructions", "cycles"]).to_pylist()
    assert [tuple(row.values()) for row in found] == [(0, 8700, 7200), (1, 17_400, 7200)]


@pytest.mark.parametrize(
    "trace", ["e06_critical_path", "m18_master_worker", "m28_omp_critical", "m29_hybrid"]
)
def test_a_counter_of_nanoseconds_counts_the_useful_time(
    analysis_of: Callable[[str], Analysis], trace: str
) -> None:
    run = analysis_of(trace).run
    with computed_again(run, ["parallel_visits"]) as answer:
        for name in ("parallel_visits", "visits", "task_fragments", "locations"):
            answer.provide(name)
        ticks = answer.connection.sql(TICKING).to_arrow_table()
    given = {"counter_values": make_table(COUNTER_VALUES, ticks.to_pylist())}
    given["counters"] = make_table(COUNTERS, counted(STRICT, "PAPI_TOT_CYC")["counters"])
    with computed_again(run, ["useful_counters"], given) as answer:
        found = answer.table("useful_counters").to_pylist()
    spent = run.read("pop_locations", ["interval", "location_id", "useful_ns"]).to_pylist()
    assert {(row["interval"], row["location_id"]): row["cycles"] for row in found} == {
        (row["interval"], row["location_id"]): row["useful_ns"] for row in spent
    }
