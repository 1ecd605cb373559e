"""Counters of a recorded trace, against differences between enter and leave by another reader."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from tests.reference.recorded import analyzed
from tracemill import cli
from tracemill.engine.analyze import Options, analyze
from tracemill.store.runs import Store

TRACE = Path(__file__).parents[3] / "shared" / "foreign" / "pipit_ping_pong_papi"
VALUES = """
    SELECT groups.name, regions.name, counters.name, sum(exclusive_value)
    FROM call_path_counters
    INNER JOIN call_paths USING (call_path_id)
    INNER JOIN regions USING (region_id)
    INNER JOIN counters USING (counter_id)
    INNER JOIN locations USING (location_id)
    INNER JOIN location_groups AS groups USING (location_group_id)
    GROUP BY ALL
"""
Key = tuple[str, str, str]


def differences(anchor: Path) -> dict[Key, int]:
    """Values without callees by process, region and counter; needs the official reader."""
    otf2 = pytest.importorskip("otf2")
    found: dict[Key, int] = defaultdict(int)
    value: dict[str, list[int]] = {}
    stacks: dict[str, list[tuple[str, list[int]]]] = defaultdict(list)
    with otf2.reader.open(str(anchor)) as trace:
        names = [member.name for member in trace.definitions.metric_members]
        for location, event in trace.events:
            process = location.group.name
            kind = type(event).__name__
            if kind == "Metric":
                value[process] = list(event.values)
            elif kind == "Enter":
                stacks[process].append((event.region.name, value[process]))
            elif kind == "Leave":
                region, first = stacks[process].pop()
                for name, before, after in zip(names, first, value[process], strict=True):
                    found[process, region, name] += after - before
                    if stacks[process]:
                        found[process, stacks[process][-1][0], name] -= after - before
    return dict(found)


@pytest.mark.skipif(not TRACE.exists(), reason="shared traces are not here")
def test_papi_counters_are_differences_between_enter_and_leave(tmp_path: Path) -> None:
    options = Options(threads=1, parameters={"is_setup_included": True})
    analysis = analyze(TRACE, store=Store(tmp_path), options=options)
    with analysis.run.connect() as connection:
        rows = connection.sql(VALUES).fetchall()
    assert {row[:3]: row[3] for row in rows} == differences(TRACE / "traces.otf2")


def test_power_of_a_processor_has_a_curve_but_no_call_path(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All counters belong to the node; it takes some hundred watts, recorded in microwatts."""
    run = analyzed("foreign/fastotf2_mi300")
    words = ["counters", "--store", str(run.path.parents[2]), "--format", "json"]
    assert cli.main(words) == 0
    printed = capsys.readouterr()
    assert printed.out == "[]\n"
    assert "--by time shows them" in printed.err
    assert cli.main([*words, "--by", "time", "--counter", "*hwmon2:power1_input"]) == 0
    watts = [row["curve_value"] / 1e6 for row in json.loads(capsys.readouterr().out)]
    assert len(watts) > 100
    assert 100 < min(watts) < max(watts) < 1000
