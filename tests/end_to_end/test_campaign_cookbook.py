"""Questions about a campaign: each has an answer, which plain loops confirm."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tracemill import open_store
from tracemill.api import Tables
from tracemill.base.console import ProgressReporter
from tracemill.campaign.campaign import make_campaign, plan_campaign
from tracemill.engine.analyze import Options
from tracemill.shell.cookbook import campaign_questions
from tracemill.store.runs import Store

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    """A campaign of measured times, without traces."""
    store = Store(tmp_path_factory.mktemp("campaign_cookbook"))
    reporter = ProgressReporter()
    plan = plan_campaign(
        DATA / "campaigns" / "timings.csv", fields={}, store=store, reporter=reporter
    )
    make_campaign(plan, store=store, options=Options(threads=1), reporter=reporter)
    with open_store(store.path).campaign() as opened:
        yield opened


def test_every_question_can_be_asked(tables: Tables) -> None:
    for recipe in campaign_questions():
        assert tables.example(recipe.name).equals(tables.example(recipe.number))


def test_speed_up_is_that_over_the_smallest_run(tables: Tables) -> None:
    times: defaultdict[tuple[str, float], dict[int, float]] = defaultdict(dict)
    query = "SELECT application, size, processes, time_ns FROM campaign_runs WHERE time_ns > 0"
    for application, size, processes, time_ns in tables.sql(query).rows():
        shortest = times[application, size].get(processes, float("inf"))
        times[application, size][processes] = min(time_ns, shortest)
    rows = tables.example("scaling_of_run_times").to_dicts()
    assert len(rows) == sum(map(len, times.values()))
    for row in rows:
        series = times[row["application"], row["size"]]
        assert row["seconds"] == pytest.approx(series[row["processes"]] / 1e9)
        expected = series[min(series)] / series[row["processes"]]
        assert row["speed_up"] == pytest.approx(expected)
