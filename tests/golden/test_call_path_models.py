"""Normal forms of call paths, from what each cost in every run."""

from typing import Any

import numpy as np
import pytest

from tests.helpers.running import query_rows, run_query, run_stage
from tests.helpers.surface_cases import NS, Time, campaign
from tracemill.stages.campaign.call_path_models import CALL_PATH_MODELS_STAGE

Row = dict[str, Any]

SOLVE, TREE, QUAD, INIT, RARE, WAITING = range(1, 7)
# Seconds per process.
TIMES: dict[int, Time] = {
    SOLVE: lambda p, n: 0.0005 + 0.001 * n / p,
    TREE: lambda p, n: 0.0004 + 0.005 * np.log2(p),
    QUAD: lambda p, n: 0.0004 + 0.0001 * p**2,
    INIT: lambda p, n: 0.3 * p,
    RARE: lambda p, n: 1e-6 * n,
}


@pytest.fixture(scope="module")
def tables() -> dict[str, list[Row]]:
    """A campaign with given times of call paths; MPI_Init takes the longest."""
    made = campaign(lambda p, n: 1.0)
    costs = [
        {
            "campaign_run_id": run["campaign_run_id"],
            "call_path_key": key,
            "exclusive_ns": round(time(run["processes"], run["size"]) * run["processes"] * NS),
        }
        for run in made["campaign_runs"]
        for key, time in TIMES.items()
    ]
    paths = [{"call_path_key": key, "is_setup": key == INIT} for key in TIMES]
    return made | {"run_call_paths": costs, "campaign_call_paths": paths}


def modeled(tables: dict[str, list[Row]], **parameters: Any) -> dict[int, Row]:
    times = query_rows("call_path_times", tables, **parameters)
    made = run_stage(CALL_PATH_MODELS_STAGE, tables | {"call_path_times": times})
    return {row["call_path_key"]: row for row in made["call_path_models"]}


def test_call_paths_have_their_terms(tables: dict[str, list[Row]]) -> None:
    rows = modeled(tables)
    assert {key: row["formula"] for key, row in rows.items()} == {
        SOLVE: "0.0005 + 0.001*n/p",
        TREE: "0.0004 + 0.005*log2(p)",
        QUAD: "0.0004 + 0.0001*p^2",
    }
    columns = (
        "leading_in_processes", "processes_power", "processes_log_power", "leading_in_size",
        "size_power", "size_log_power",
    )  # fmt: skip
    assert {key: tuple(row[name] for name in columns) for key, row in rows.items()} == {
        SOLVE: ("1/p", -1, 0, "n", 1, 0),
        TREE: ("log2(p)", 0, 1, None, None, None),
        QUAD: ("p^2", 2, 0, None, None, None),
    }
    assert all(row["cross_validated_error"] < 1e-5 for row in rows.values())
    assert {row["configuration_count"] for row in rows.values()} == {15}
    assert {row["parameter_count"] for row in rows.values()} == {2}


def test_a_call_path_has_its_own_noise(tables: dict[str, list[Row]]) -> None:
    """Repeated 10 % longer: 1 and 1.1 deviate by 0.1/sqrt(2) from 1.05; solve takes as long."""
    shift = 1000
    runs = [row | {"campaign_run_id": row["campaign_run_id"] + shift, "repetition": 2}
            for row in tables["campaign_runs"]]  # fmt: skip
    factors = {SOLVE: 1.0, TREE: 1.1, QUAD: 1.5, INIT: 1.0, RARE: 1.0}
    costs = [
        row | {"campaign_run_id": row["campaign_run_id"] + shift,
               "exclusive_ns": round(row["exclusive_ns"] * factors[row["call_path_key"]])}
        for row in tables["run_call_paths"]
    ]  # fmt: skip
    more = {"campaign_runs": runs, "run_call_paths": costs}
    rows = modeled(tables | {name: tables[name] + each for name, each in more.items()})
    noises = {key: row["noise_ratio"] for key, row in rows.items()}
    expected = {SOLVE: 0, TREE: 0.1 / 2**0.5 / 1.05, QUAD: 0.5 / 2**0.5 / 1.25}
    assert noises == pytest.approx(expected, rel=1e-6)
    assert {row["verdict"] for row in rows.values()} == {"within noise"}


def test_without_repetitions_the_noise_of_call_paths_is_not_known(
    tables: dict[str, list[Row]],
) -> None:
    found = {(row["noise_ratio"], row["verdict"]) for row in modeled(tables).values()}
    assert found == {(None, "noise not known")}


def with_waiting(tables: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """`tables` with a broadcast in which all wait for the first process: 0.25 ms n (1 - 1/p).

    Alone it takes 20 us, as all calls do.
    """
    costs = [
        {
            "campaign_run_id": run["campaign_run_id"],
            "call_path_key": WAITING,
            "exclusive_ns": round(waited(run["processes"], run["size"]) * run["processes"] * NS),
        }
        for run in tables["campaign_runs"]
    ]
    path = {"call_path_key": WAITING, "is_setup": False, "operation": "MPI_Bcast"}
    return tables | {
        "run_call_paths": tables["run_call_paths"] + costs,
        "campaign_call_paths": [*tables["campaign_call_paths"], path],
    }


def waited(processes: int, size: float) -> float:
    return 20e-6 if processes == 1 else 0.25e-3 * size * (1 - 1 / processes)


def test_communication_is_modeled_without_single_processes(tables: dict[str, list[Row]]) -> None:
    rows = modeled(with_waiting(tables))
    assert rows[WAITING]["formula"] == "0.00025*n*(1 - 1/p)"
    assert (rows[WAITING]["smallest_processes"], rows[WAITING]["configuration_count"]) == (2, 12)
    assert (rows[TREE]["smallest_processes"], rows[TREE]["configuration_count"]) == (1, 15)
    assert modeled(with_waiting(tables), min_processes=1)[WAITING]["configuration_count"] == 15


def test_a_model_that_is_far_off_describes_nothing(tables: dict[str, list[Row]]) -> None:
    """Times that jump by a factor of 100 from run to run follow no law."""
    costs = [
        row | {"exclusive_ns": 10_000_000 * 100 ** (row["campaign_run_id"] % 2)}
        if row["call_path_key"] == QUAD
        else row
        for row in tables["run_call_paths"]
    ]
    rows = modeled(tables | {"run_call_paths": costs})
    assert rows[QUAD]["cross_validated_error"] > 0.25
    assert {key: row["is_describing"] for key, row in rows.items()} == {
        SOLVE: True, TREE: True, QUAD: False,
    }  # fmt: skip


def test_models_that_describe_nothing_are_reported() -> None:
    models = [
        {"application": "app", "call_path_key": key, "formula": "8/p", "largest_share_ratio": 0.5,
         "leading_in_processes": "1/p", "cross_validated_error": error,
         "is_describing": error < 0.25}
        for key, error in ((SOLVE, 0.01), (TREE, 0.4721))
    ]  # fmt: skip
    given = {"call_path_models": models, "campaign_call_paths": [
        {"call_path_key": key, "call_path": "main", "place": f"exchange.f:{key}"}
        for key in (SOLVE, TREE)
    ]}  # fmt: skip
    columns = "source formula leading_in_processes"
    assert run_query("modeled_call_paths", given, columns, row_limit=9) == [
        ("exchange.f:1", "8/p", "1/p"),
        ("exchange.f:2", "no model fits; the best one is off by 47.2%: 8/p", None),
    ]


def test_shares_come_from_the_configuration_with_the_largest(tables: dict[str, list[Row]]) -> None:
    """`quad` is heaviest with p = 16 and n = 100: 26 of 26 + 6.75 + 20.4 + 0.1 ms."""
    share = modeled(tables)[QUAD]["largest_share_ratio"]
    assert share == pytest.approx(26 / (26 + 6.75 + 20.4 + 0.1))


def test_setup_counts_if_it_is_included(tables: dict[str, list[Row]]) -> None:
    settings = [row | {"is_setup_included": True} for row in tables["campaign_settings"]]
    rows = modeled(tables | {"campaign_settings": settings})
    assert rows[INIT]["formula"] == "0.3*p"
    # With p = 16 and n = 100: 4800 of 4800 + 6.75 + 20.4 + 26 + 0.1 ms.
    assert rows[INIT]["largest_share_ratio"] == pytest.approx(4800 / 4853.25)


def test_a_lower_threshold_shows_more(tables: dict[str, list[Row]]) -> None:
    assert modeled(tables, least_share=0.0001)[RARE]["formula"] == "1e-06*n"


def test_configurations_without_time_are_left_out(tables: dict[str, list[Row]]) -> None:
    """Something that is called from 4 processes on."""
    costs = [
        row | {"exclusive_ns": row["exclusive_ns"] if row["campaign_run_id"] >= 6 else 0}
        for row in tables["run_call_paths"]
    ]
    row = modeled(tables | {"run_call_paths": costs})[QUAD]
    assert (row["configuration_count"], row["formula"]) == (9, "0.0004 + 0.0001*p^2")


def test_too_few_configurations_have_a_reason(tables: dict[str, list[Row]]) -> None:
    costs = [row for row in tables["run_call_paths"] if row["campaign_run_id"] < 2]
    rows = modeled(tables | {"run_call_paths": costs})
    assert rows[SOLVE]["formula"] is None
    assert rows[SOLVE]["reason"] == "needs 3 configurations: there are 2"


def test_repetitions_give_their_median(tables: dict[str, list[Row]]) -> None:
    """Three repetitions of one configuration: 10, 30 and 12 ns on 2 processes."""
    runs = [
        {"campaign_run_id": number, "processes": 2, "threads": 1, "size": 1.0,
         "repetition": number + 1, "state": "measured", "time_ns": 100}
        for number in range(3)
    ]  # fmt: skip
    costs = [
        {"campaign_run_id": number, "call_path_key": SOLVE, "exclusive_ns": time}
        for number, time in enumerate((10, 30, 12))
    ]
    given = tables | {"campaign_runs": runs, "run_call_paths": costs}
    for row in given["campaign_settings"] + runs:
        row["application"] = "app"
    assert run_query("call_path_times", given, "time_per_process_ns") == [(6,)]
