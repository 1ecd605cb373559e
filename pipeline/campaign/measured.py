"""Runs and tables of a campaign from measurements without traces."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tracemill.base.errors import CampaignError
from tracemill.base.text import key_of
from tracemill.campaign.configurations import RunRecord, special_parameters
from tracemill.campaign.inputs.measurements import (
    CallSiteTask,
    MeasuredRun,
    MeasuredRuns,
    RegionTime,
)
from tracemill.campaign.names import PROCESSES, REPETITION, SIZE, THREADS
from tracemill.schemas import Table, campaigns

Rows = list[dict[str, Any]]


def records_of(measurements: MeasuredRuns, *, size_name: str, application: str) -> list[RunRecord]:
    """A record for every measured run. Raises CampaignError without a number of processes."""
    return [_record(run, size_name, application) for run in measurements]


def _record(run: MeasuredRun, size_name: str, application: str) -> RunRecord:
    numbers, others = special_parameters(run.parameters, size_name, run.place)
    if PROCESSES not in numbers:
        raise CampaignError(f"{run.place}: no number of processes: name a parameter p")
    return RunRecord(
        application=run.application or application or "program",
        label=run.place,
        processes=int(numbers[PROCESSES]),
        threads=int(numbers.get(THREADS, 1)),
        size=numbers.get(SIZE, 1.0),
        repetition=int(numbers.get(REPETITION, 0)),
        parameters=others,
        state=run.state,
        reason=run.reason,
        time_ns=run.time_ns,
        given_efficiency=run.efficiency,
        measured=run,
    )


def tables_of(run: MeasuredRun, processes: int) -> Mapping[str, pa.Table]:
    """Processes, call sites and regions of a measured run, by table; without run ids.

    Tables without rows are left out. Times of regions are means per process: the tables hold
    them times `processes`.
    """
    paths: dict[int, dict[str, Any]] = {}
    costs: dict[int, dict[str, Any]] = {}
    for key, path, cost in [*_sites(run.call_sites, processes), *_regions(run.regions, processes)]:
        paths[key], costs[key] = path, cost
    ordered = sorted(paths)
    return {
        table.name: _table(table, rows)
        for table, rows in (
            (campaigns.RUN_TASKS, [vars(task) for task in run.tasks]),
            (campaigns.CAMPAIGN_CALL_PATHS, [paths[key] for key in ordered]),
            (campaigns.RUN_CALL_PATHS, [costs[key] for key in ordered]),
            (campaigns.CALL_SITE_TASKS, _calls(run.call_sites)),
        )
        if rows
    }


def _sites(
    calls: Iterable[CallSiteTask], processes: int
) -> Iterable[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Key, description and cost of every call site."""
    by_site: dict[int, list[CallSiteTask]] = {}
    for call in calls:
        by_site.setdefault(_key(call.site.identity), []).append(call)
    for key, own in by_site.items():
        site, times = own[0].site, [call.total_ns for call in own]
        path = {
            "call_path_key": key,
            "call_path": site.call_path,
            "region": site.operation,
            "depth": len(site.frames),
            "place": site.place,
            "operation": site.operation,
            "is_setup": False,
        }
        yield key, path, _cost(key, times, processes, sum(call.call_count for call in own))


def _regions(
    regions: Iterable[RegionTime], processes: int
) -> Iterable[tuple[int, dict[str, Any], dict[str, Any]]]:
    """The same of every region."""
    for region in regions:
        key = _key("\n".join(region.call_path))
        path = {
            "call_path_key": key,
            "call_path": "/".join(region.call_path),
            "region": region.call_path[-1],
            "depth": len(region.call_path) - 1,
            "is_setup": False,
        }
        own = [region.time_ns - region.callees_ns] * processes
        cost = _cost(key, own, processes, processes)
        yield key, path, cost | {"inclusive_ns": region.time_ns * processes}


def _cost(key: int, times: list[int], processes: int, visits: int) -> dict[str, Any]:
    return {
        "call_path_key": key,
        "visit_count": visits,
        "inclusive_ns": sum(times),
        "exclusive_ns": sum(times),
        "process_count": len(times),
        "shortest_ns": min(times) if len(times) >= processes else 0,
        "longest_ns": max(times),
        "wait_ns": 0,
        "critical_path_ns": 0,
    }


def _calls(calls: Iterable[CallSiteTask]) -> Rows:
    rows = [{"call_path_key": _key(call.site.identity), **vars(call)} for call in calls]
    return sorted(rows, key=lambda row: (row["call_path_key"], row["rank"]))


def _key(text: str) -> int:
    """A key as a signed number of 64 bits that is not 0."""
    return (key_of(text) or 1) - (1 << 63)


def _table(table: Table, rows: Rows) -> pa.Table:
    columns = [(c.name, c.type) for c in table.columns if c.name != "campaign_run_id"]
    return pa.Table.from_pylist(rows, schema=pa.schema(columns))
