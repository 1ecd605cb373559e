"""Runs and tables of a campaign from measurements without traces."""

from collections.abc import Mapping, Sequence
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
from tracemill.schemas import Table, campaign_costs

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
    sites: dict[int, list[CallSiteTask]] = {}
    for call in run.call_sites:
        sites.setdefault(_key(call.site.identity), []).append(call)
    call_paths = [_site(key, calls, processes) for key, calls in sites.items()]
    call_paths += [_region(region, processes) for region in run.regions]
    calls = [{"call_path_key": key, **vars(call)} for key, own in sites.items() for call in own]
    return {
        table.name: _table(table, rows)
        for table, rows in (
            (campaign_costs.RUN_TASKS, [vars(task) for task in run.tasks]),
            (campaign_costs.CAMPAIGN_CALL_PATHS, call_paths),
            (campaign_costs.RUN_CALL_PATHS, call_paths),
            (campaign_costs.CALL_SITE_TASKS, calls),
        )
        if rows
    }


def _site(key: int, calls: Sequence[CallSiteTask], processes: int) -> dict[str, Any]:
    site = calls[0].site
    return {
        "call_path": site.call_path,
        "region": site.operation,
        "depth": len(site.frames),
        "place": site.place,
        "operation": site.operation,
        "visit_count": sum(call.call_count for call in calls),
        **_cost(key, [call.total_ns for call in calls], processes),
    }


def _region(region: RegionTime, processes: int) -> dict[str, Any]:
    """The description and cost of a region, with the same time on every process."""
    own_ns = [region.time_ns - region.callees_ns] * processes
    return {
        "call_path": "/".join(region.call_path),
        "region": region.call_path[-1],
        "depth": len(region.call_path) - 1,
        "visit_count": processes,
        **_cost(_key("\n".join(region.call_path)), own_ns, processes),
        "inclusive_ns": region.time_ns * processes,
    }


def _cost(key: int, times: Sequence[int], processes: int) -> dict[str, Any]:
    return {
        "call_path_key": key,
        "is_setup": False,
        "inclusive_ns": sum(times),
        "exclusive_ns": sum(times),
        "process_count": len(times),
        "shortest_ns": min(times) if len(times) >= processes else 0,
        "longest_ns": max(times),
        "wait_ns": 0,
        "critical_path_ns": 0,
    }


def _key(text: str) -> int:
    """A key as a signed number of 64 bits that is not 0."""
    return (key_of(text) or 1) - (1 << 63)


def _table(table: Table, rows: Rows) -> pa.Table:
    columns = [(c.name, c.type) for c in table.columns if c.name != "campaign_run_id"]
    return pa.Table.from_pylist(rows, schema=pa.schema(columns))
