"""Tables of a forecast, from a small outcome made by hand (see tests.helpers.forecasts)."""

from dataclasses import replace

import pytest

from tests.helpers.forecasts import make_forecast, make_outcome
from tracemill.forecast.forecasting import Forecast
from tracemill.forecast.outcome import CLASSES, LevelOutcome
from tracemill.forecast.tables import tables_of
from tracemill.schemas import FORECAST_TABLES
from tracemill.schemas import forecasts as schema
from tracemill.store.keys import repeated_keys

Rows = list[dict[str, object]]


def rows_of(forecast: Forecast, table: str) -> Rows:
    """The rows of a table, without the id, which all of them share."""
    declared = next(each for each in FORECAST_TABLES if each.name == table)
    found: Rows = tables_of(forecast)[declared].to_pylist()
    for row in found:
        assert row.pop("forecast_id") == forecast.forecast_id
    return found


def test_a_forecast_is_one_row_with_its_speed_up() -> None:
    assert rows_of(make_forecast(), "forecasts") == [
        {
            "program": "example",
            "variant": "",
            "cluster": "h",
            "grid": "3",
            "processes": 3,
            "shortcuts": "loops",
            "time_ns": 532,
            "single_process_ns": 1000,
            "speed_up_ratio": 1000 / 532,
            "full_time_ns": None,
        }
    ]


def test_the_time_of_the_full_simulation_stands_beside_it() -> None:
    full = make_outcome(slower_ns=5)
    assert rows_of(make_forecast(full=full), "forecasts")[0]["full_time_ns"] == 537


def test_without_a_single_process_there_is_no_speed_up() -> None:
    row = rows_of(make_forecast(single_process_ns=None), "forecasts")[0]
    assert row["single_process_ns"] is None
    assert row["speed_up_ratio"] is None


def test_intervals_have_their_time_and_its_parts() -> None:
    assert rows_of(make_forecast(), "forecast_intervals") == [
        {
            "interval_id": 0,
            "parent_interval_id": None,
            "interval": "program",
            "time_ns": 532,
            "total_ns": 1596,  # 3 · 532
            "productive_ns": 1000,
            "lost_ns": 596,
            "insufficient_ns": 0,
            "communication_ns": 596,  # 320 + 276
            "idle_ns": 0,
            "efficiency_ratio": 1000 / 1596,
            "before_ns": 260,  # 200 + 60
            "after_ns": 60,
            "overlap_ns": 0,
        },
        {
            "interval_id": 1,
            "parent_interval_id": 0,
            "interval": "program/edges",
            "time_ns": 260,
            "total_ns": 780,
            "productive_ns": 0,
            "lost_ns": 780,
            "insufficient_ns": 0,
            "communication_ns": 320,
            "idle_ns": 460,  # 220 + 240 + 0
            "efficiency_ratio": 0.0,
            "before_ns": 200,
            "after_ns": 60,
            "overlap_ns": 0,
        },
    ]


def test_operations_are_rows_of_their_class_in_each_interval() -> None:
    assert [tuple(row.values()) for row in rows_of(make_forecast(), "forecast_operations")] == [
        (0, "exchange", 1.0, 320, 0, 200, 60),
        (0, "reduction", 1.0, 276, 0, 60, 0),
        (1, "exchange", 1.0, 320, 0, 200, 60),
    ]


def test_processes_have_the_parts_of_their_time() -> None:
    assert [tuple(row.values()) for row in rows_of(make_forecast(), "forecast_processes")] == [
        (0, 0, 532, 400, 0, 132, 0),
        (0, 1, 532, 400, 0, 132, 0),
        (0, 2, 532, 200, 0, 332, 0),
        (1, 0, 40, 0, 0, 40, 220),
        (1, 1, 20, 0, 0, 20, 240),
        (1, 2, 260, 0, 0, 260, 0),
    ]


def test_channels_have_their_use() -> None:
    assert rows_of(make_forecast(), "forecast_channels") == [
        {"level": "node", "transfers": 8.0, "bytes": 72, "busy_ns": 152, "busy_ratio": 152 / 532}
    ]


def test_parts_of_bytes_and_times_are_rounded_once_half_up() -> None:
    level = LevelOutcome("node", 0.5, 2.5, 14.5, 0.1)
    made = make_forecast(outcome=replace(make_outcome(), levels=(level,)))
    row = rows_of(made, "forecast_channels")[0]
    assert (row["transfers"], row["bytes"], row["busy_ns"]) == (0.5, 3, 15)


def test_a_level_called_storage_and_the_storage_have_names_of_their_own() -> None:
    level = LevelOutcome("storage", 1.0, 1.0, 1.0, 0.1)
    made = make_forecast(outcome=replace(make_outcome(), levels=(level, level)))
    names = [row["level"] for row in rows_of(made, "forecast_channels")]
    assert names == ["storage", "storage 2"]


def test_all_rules_hold() -> None:
    for table, data in tables_of(make_forecast(full=make_outcome())).items():
        assert not table.violations(table.conform(data))
        assert not repeated_keys(table, data)


@pytest.mark.parametrize(
    ("table", "column", "rule"),
    [
        (schema.FORECAST_PROCESSES, "communication_ns", "own_is_the_sum_of_its_parts"),
        (schema.FORECAST_INTERVALS, "productive_ns", "total_is_productive_and_lost"),
        (schema.FORECAST_INTERVALS, "idle_ns", "lost_is_the_sum_of_its_parts"),
    ],
)
def test_parts_that_do_not_sum_up_break_a_rule(table: schema.Table, column: str, rule: str) -> None:
    data = tables_of(make_forecast())[table]
    place = data.schema.get_field_index(column)
    wrong = data.set_column(place, data.field(place), [[9] * data.num_rows])
    assert [each.rule for each in table.violations(wrong)] == [rule]


def test_classes_of_the_tables_are_those_of_the_simulation() -> None:
    assert schema.CLASSES == CLASSES


def test_the_id_changes_with_all_that_the_outcome_follows_from() -> None:
    forecast = make_forecast()
    others = [
        replace(forecast, program=replace(forecast.program, grid=(1, 3))),
        replace(forecast, program=replace(forecast.program, variant="v2")),
        replace(forecast, cluster=replace(forecast.cluster, speed=2.0)),
        replace(forecast, shortcuts="all"),
        replace(forecast, intervals="loops"),
    ]
    assert len({each.forecast_id for each in (forecast, *others)}) == 6
    assert make_forecast(full=make_outcome()).forecast_id == forecast.forecast_id


def test_a_grid_is_written_with_crosses() -> None:
    program = replace(make_forecast().program, grid=(4, 2, 1))
    assert replace(make_forecast(), program=program).grid == "4x2x1"
