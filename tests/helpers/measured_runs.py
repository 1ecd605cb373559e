"""Campaigns of a few runs, given as the time of each process in each call path."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.helpers.micro_trace import Row, Tables

Spent = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class MeasuredRun:
    """A run: nanoseconds per process of each call path, without callees.

    Calls of MPI are one call per process that spends anything there; `waits` and `path` are the
    waiting and the part of the critical path of call paths, over all processes.
    """

    processes: int
    spent: Spent
    size: float = 1
    application: str = "program"
    state: str = "measured"
    waits: Mapping[str, int] = field(default_factory=dict)
    path: Mapping[str, int] = field(default_factory=dict)


def tables_of(runs: Iterable[MeasuredRun], *, is_setup_included: bool = False) -> Tables:
    """The tables of a campaign; call paths are numbered as they first occur."""
    runs = list(runs)
    names = list(dict.fromkeys(name for run in runs for name in run.spent))
    keys = {name: 1000 + number for number, name in enumerate(names)}
    tables: Tables = {
        "campaign_settings": [
            {"application": name, "is_setup_included": is_setup_included}
            for name in sorted({run.application for run in runs})
        ],
        "campaign_call_paths": [_call_path(name, key) for name, key in keys.items()],
        "campaign_runs": [],
        "run_tasks": [],
        "call_site_tasks": [],
        "run_call_paths": [],
    }
    for number, run in enumerate(runs):
        _add(tables, number, run, keys)
    return tables


def _add(tables: Tables, number: int, run: MeasuredRun, keys: Mapping[str, int]) -> None:
    identity = {"campaign_run_id": number}
    tables["campaign_runs"].append(
        identity
        | {name: getattr(run, name) for name in ("application", "processes", "size", "state")}
        | {"computation_size": run.size}
    )
    for rank in range(run.processes if run.spent else 0):
        of_rank = {name: times[rank] for name, times in run.spent.items()}
        calls = {name: time for name, time in of_rank.items() if _is_call(name) and time}
        tables["run_tasks"].append(
            identity
            | {
                "rank": rank,
                "time_ns": sum(of_rank.values()),
                "communication_ns": sum(calls.values()),
            }
        )
        for name, time in calls.items():
            row = {"call_path_key": keys[name], "rank": rank, "call_count": 1, "total_ns": time}
            tables["call_site_tasks"].append(
                identity | row | {"shortest_ns": time, "longest_ns": time}
            )
    for name, times in run.spent.items():
        tables["run_call_paths"].append(
            identity
            | {
                "call_path_key": keys[name],
                "exclusive_ns": sum(times),
                "wait_ns": run.waits.get(name, 0),
                "critical_path_ns": run.path.get(name, 0),
            }
        )


def _call_path(name: str, key: int) -> Row:
    region = name.rpartition("/")[2]
    return {
        "call_path_key": key,
        "call_path": name,
        "region": region,
        "depth": name.count("/"),
        "operation": region if _is_call(name) else None,
        "is_setup": region in ("MPI_Init", "MPI_Finalize"),
    }


def _is_call(name: str) -> bool:
    return name.rpartition("/")[2].startswith("MPI_")
