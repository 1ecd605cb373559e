"""Tables and pages of forecasts of random programs: all rules of the tables hold."""

from typing import get_args

import pytest

from tests.helpers.random_descriptions import random_case
from tracemill.forecast.forecasting import Forecast
from tracemill.forecast.plan import IntervalMode
from tracemill.forecast.simulation import Shortcuts, simulate
from tracemill.forecast.tables import tables_of
from tracemill.reports.build_forecast import build_forecast_report
from tracemill.reports.forecast_sections.material import ForecastMaterial
from tracemill.reports.html import render_html
from tracemill.schemas.forecasts import FORECAST_INTERVALS, FORECAST_OPERATIONS, FORECAST_PROCESSES
from tracemill.store.keys import repeated_keys

SHORTCUTS, MODES = get_args(Shortcuts), get_args(IntervalMode)
CASE_COUNT = 60


def forecast_of(seed: int) -> Forecast:
    made, on = random_case(5000 + seed)
    shortcuts, mode = SHORTCUTS[seed % 3], MODES[seed % 4]
    outcome = simulate(made, on, shortcuts=shortcuts, intervals=mode)
    full = simulate(made, on, shortcuts="none", intervals=mode)
    return Forecast(
        program=made, cluster=on, shortcuts=shortcuts, intervals=mode, outcome=outcome, full=full
    )


@pytest.mark.parametrize("seed", range(CASE_COUNT))
def test_rules_and_keys_hold_and_sums_agree(seed: int) -> None:
    tables = tables_of(forecast_of(seed))
    for table, data in tables.items():
        assert not table.violations(table.conform(data))
        assert not repeated_keys(table, data)
    processes = tables[FORECAST_PROCESSES].to_pylist()
    operations = tables[FORECAST_OPERATIONS].to_pylist()
    for row in tables[FORECAST_INTERVALS].to_pylist():
        own = [each for each in processes if each["interval_id"] == row["interval_id"]]
        for name in ("productive_ns", "insufficient_ns", "communication_ns", "idle_ns"):
            assert row[name] == sum(each[name] for each in own)
        assert row["total_ns"] == sum(each["own_ns"] + each["idle_ns"] for each in own)
        found = [each for each in operations if each["interval_id"] == row["interval_id"]]
        for name in ("before_ns", "after_ns", "overlap_ns"):
            assert row[name] == sum(each[name] for each in found)


@pytest.mark.parametrize("seed", range(0, CASE_COUNT, 6))
def test_every_link_of_a_page_leads_somewhere(seed: int) -> None:
    made = forecast_of(seed)
    assert made.full is not None
    times = [each.time_ns for each in made.full.intervals]
    material = ForecastMaterial(tables_of(made), made.outcome.skipped, times)
    page = render_html(build_forecast_report(material))
    targets = {each.split('"')[0] for each in page.split('href="#')[1:]}
    names = {each.split('"')[0] for each in page.split(' id="')[1:]}
    assert targets <= names
