"""Efficiencies of the configurations of a campaign, and what limits their scaling."""

import re
from dataclasses import dataclass
from typing import Any

import pytest

from tests.helpers.gathering import query_runs
from tests.helpers.micro_trace import Row, Tables
from tests.helpers.running import query_rows
from tracemill.reports.campaign_sections.efficiencies import describe_scaling
from tracemill.sql.query_files import load_query

INNER, WHOLE = "init to finalize", "whole"


@dataclass(frozen=True)
class Run:
    """A run with its sums over all processes (ns, instructions, cycles)."""

    processes: int
    time: int
    useful: int
    counted: tuple[int, int] | None = None
    size: float = 10
    threads: int = 1
    intervals: tuple[str, ...] = (INNER, WHOLE)

    def rows(self, number: int) -> list[Row]:
        """All intervals are alike, but the whole run takes twice as long."""
        values: dict[str, float] = {"useful_time": self.useful}
        if self.counted:
            values |= dict(zip(("instructions", "cycles"), self.counted, strict=True))
        cpus = self.processes * self.threads
        return [
            {"campaign_run_id": number, "interval": interval, "metric": metric, "value": value}
            for interval in self.intervals
            for time in [self.time * (1 + (interval == WHOLE))]
            for metric, value in {
                **values, "run_time": time, "parallel_efficiency": self.useful / (cpus * time),
            }.items()
        ]  # fmt: skip


def campaign(*runs: Run, scaling: str = "both", is_setup_included: bool = False) -> Tables:
    settings = {"application": "app", "scaling": scaling, "size_name": "n"}
    return {
        "campaign_settings": [settings | {"is_setup_included": is_setup_included}],
        "campaign_runs": [
            {"campaign_run_id": number, "application": "app", "state": "measured"}
            | {"processes": run.processes, "threads": run.threads, "size": run.size}
            | {"time_ns": run.time}
            for number, run in enumerate(runs)
        ],
        "run_efficiencies": [row for at, run in enumerate(runs) for row in run.rows(at)],
    }


def efficiencies(tables: Tables) -> dict[str, Any]:
    """Values by metric of the configuration with the most processes, and its kind of scaling."""
    rows = query_rows("configuration_efficiencies", tables)
    most = max((row["processes"] * row["threads"], row["size"]) for row in rows)
    own = [row for row in rows if (row["processes"] * row["threads"], row["size"]) == most]
    (kind,) = {row["scaling"] for row in own}
    return {row["metric"]: row["value"] for row in own} | {"scaling": kind}


# IPC 0.8 and 2.5 cycles/ns, then 0.75 and 2.4.
FEWEST = Run(1, 1000, 900, (1800, 2250))
STRONG = Run(4, 400, 1200, (2160, 2880))
WEAK = Run(4, 1200, 4000, (7200, 9600))


def test_computation_scales_as_instructions_times_ipc_times_frequency() -> None:
    """900/1200 = 1800/2160 × 0.75/0.8 × 2.4/2.5; parallel efficiency 1200 / (4 × 400)."""
    found = efficiencies(campaign(FEWEST, STRONG))
    assert found == {
        "scaling": "strong", "run_time": 400, "useful_time": 1200, "instructions": 2160,
        "cycles": 2880, "parallel_efficiency": 0.75, "computation_scaling": 0.75,
        "global_efficiency": pytest.approx(0.5625), "speed_up": 2.5,
        "instruction_scaling": pytest.approx(5 / 6), "ipc_scaling": pytest.approx(0.9375),
        "frequency_scaling": pytest.approx(0.96), "instructions_per_cycle": 0.75,
        "cycles_per_ns": 2.4,
    }  # fmt: skip


def test_with_weak_scaling_the_problem_grows_with_processes() -> None:
    """Four times 900 / 4000, and 1800 / 7200; 4000 / (4 × 1200); instructions grow by 4."""
    found = efficiencies(campaign(FEWEST, WEAK))
    assert found["scaling"] == "weak"
    assert found["computation_scaling"] == pytest.approx(0.9)
    assert found["instruction_scaling"] == pytest.approx(1)
    assert found["ipc_scaling"] * found["frequency_scaling"] == pytest.approx(0.9)
    assert found["global_efficiency"] == pytest.approx(0.9 * 4000 / 4800)
    assert found["speed_up"] == pytest.approx(4 * 1000 / 1200)


@pytest.mark.parametrize(("instructions", "kind"), [(6480, "strong"), (6481, "weak")])
def test_scaling_is_weak_if_instructions_grow_by_more_than_0_9(
    instructions: int, kind: str
) -> None:
    """6480 / 1800 / 4 = 0.9."""
    last = Run(4, 1200, 4000, (instructions, 9600))
    assert efficiencies(campaign(FEWEST, last))["scaling"] == kind


def test_the_kind_of_scaling_may_be_declared() -> None:
    assert efficiencies(campaign(FEWEST, WEAK, scaling="fixed size"))["scaling"] == "strong"
    assert efficiencies(campaign(FEWEST, STRONG, scaling="scaled size"))["scaling"] == "weak"


def test_without_counters_computation_scales_as_a_whole() -> None:
    found = efficiencies(campaign(Run(1, 1000, 900), Run(4, 400, 1200)))
    assert found["scaling"] == "strong"
    assert found["computation_scaling"] == 0.75
    assert not {"instruction_scaling", "ipc_scaling", "frequency_scaling"} & set(found)


def test_sizes_that_grow_with_processes_are_one_weak_series() -> None:
    found = efficiencies(campaign(Run(1, 1000, 900), Run(4, 1200, 4000, size=40)))
    assert (found["scaling"], found["speed_up"]) == ("weak", pytest.approx(10 / 3))
    fixed = campaign(Run(1, 1000, 900), Run(4, 1200, 4000, size=40), scaling="fixed size")
    assert efficiencies(fixed)["speed_up"] == 1


def test_every_size_has_its_own_reference() -> None:
    runs = [Run(p, 100 * n // p, 90 * n, size=n) for n in (10, 20) for p in (2, 4)]
    rows = query_rows("configuration_efficiencies", campaign(*runs), "size processes metric value")
    found = {(row["size"], row["processes"]): row["value"] for row in rows
             if row["metric"] == "speed_up"}  # fmt: skip
    assert found == {(10, 2): 1, (10, 4): 2, (20, 2): 1, (20, 4): 2}


def test_the_shortest_repetition_stands_for_its_configuration() -> None:
    """Efficiencies are not mixed: 1100 / (4 × 380), not 1200 / (4 × 400)."""
    found = efficiencies(campaign(FEWEST, STRONG, Run(4, 380, 1100)))
    assert found["parallel_efficiency"] == 1100 / (4 * 380)


def test_the_reference_has_the_fewest_cpus_and_not_the_fewest_processes() -> None:
    runs = [Run(1, 500, 900, threads=4), Run(2, 800, 900), Run(8, 200, 1000)]
    rows = query_rows("configuration_efficiencies", campaign(*runs))
    references = {(row["reference_processes"], row["reference_threads"]) for row in rows}
    assert references == {(2, 1)}
    speed_ups = {row["processes"]: row["value"] for row in rows if row["metric"] == "speed_up"}
    assert speed_ups == {1: 1.6, 2: 1, 8: 4}


def test_the_whole_run_counts_with_setup_or_where_more_runs_have_it() -> None:
    def interval(tables: Tables) -> set[str]:
        return {row["interval"] for row in query_rows("configuration_efficiencies", tables)}

    assert interval(campaign(FEWEST, STRONG)) == {INNER}
    assert interval(campaign(FEWEST, STRONG, is_setup_included=True)) == {WHOLE}
    assert interval(campaign(Run(1, 1000, 900, intervals=(WHOLE,)), STRONG)) == {WHOLE}


def test_counters_count_only_if_all_threads_with_useful_time_have_them() -> None:
    def run(cycles: float | None, spent: int) -> Tables:
        place = {"interval": WHOLE}
        return {
            "pop_metrics": [
                place | {"convention": convention, "metric": "m", "value": value}
                for convention, value in (("times", 7.0), ("additive", 8.0))
            ],
            "pop_locations": [
                place | {"location_id": at, "useful_ns": useful}
                for at, useful in enumerate((30, spent))
            ],
            "useful_counters": [
                place | {"location_id": at, "instructions": 5.0, "cycles": each}
                for at, each in enumerate((20.0, cycles))
            ],
        }

    rows = query_runs("gathered_efficiencies", {"a": run(None, 4), "b": run(None, 0)})
    found = [(row["run_id"], row["metric"], row["value"]) for row in rows]
    assert found == [
        ("a", "instructions", 10), ("a", "m", 7), ("a", "useful_time", 34),
        ("b", "cycles", 20), ("b", "instructions", 10), ("b", "m", 7), ("b", "useful_time", 30),
    ]  # fmt: skip


def sentences(tables: Tables) -> tuple[str, ...]:
    made = query_rows("configuration_efficiencies", tables)
    found = tables | {"configuration_efficiencies": made}
    return describe_scaling(query_rows("scaled_efficiencies", found))


def test_a_sentence_says_what_limits_scaling() -> None:
    assert sentences(campaign(FEWEST, STRONG)) == (
        "app: from 1 to 4 processes at n = 10, global efficiency falls from 90.0% to 56.2%, "
        "because all processes together execute more instructions (instruction scaling 83.3%) and "
        "cores complete fewer instructions per cycle (instructions per cycle 93.8%); parallel "
        "efficiency is 75.0% and the speed-up 2.5.",
    )
    hybrid = (Run(2, 100, 180), Run(2, 50, 360, threads=4))
    assert sentences(campaign(*hybrid)) == (
        "app: from 2 processes to 2 processes of 4 threads at n = 10, global efficiency falls "
        "from 90.0% to 45.0%, because the processes compute longer in total (computation scaling "
        "50.0%); parallel efficiency is 90.0% and the speed-up 2.",
    )
    (weak,) = sentences(campaign(FEWEST, WEAK))
    assert weak.startswith("app: from 1 to 4 processes at n = 10 with weak scaling, global")


# Load balance falls, but the cores fit the caches: computation takes half of the time.
def test_a_series_that_grows_has_no_reason_to_fall() -> None:
    tables = campaign(Run(1, 1000, 900), Run(4, 200, 450))
    for number, ratio in enumerate((1.0, 0.6)):
        row = {"campaign_run_id": number, "interval": INNER, "metric": "load_balance"}
        tables["run_efficiencies"].append(row | {"value": ratio})
    assert sentences(tables) == (
        "app: from 1 to 4 processes at n = 10, global efficiency grows from 90.0% to 112.5%; "
        "parallel efficiency is 56.2% and the speed-up 5.",
    )


def test_a_single_number_of_processes_does_not_show_scaling() -> None:
    assert sentences(campaign(STRONG)) == (
        "app: with 4 processes at n = 10, parallel efficiency is 75.0%; how it scales is not "
        "known, because all runs have the same number of CPUs.",
    )


def test_titles_are_those_of_runs() -> None:
    of_runs, of_campaigns = (
        dict(re.findall(r"\('(\w+)',(?: \d,)? '([^']+)'\)", load_query(name).text))
        for name in ("efficiencies", "scaled_efficiencies")
    )
    assert len(of_runs) == 10
    assert of_runs.items() <= of_campaigns.items()
