"""The best run of every configuration, and what is missing of the grid."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.errors import CampaignError
from tracemill.base.text import counted
from tracemill.schemas.scalability import EFFICIENCY_GRID
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.models.efficiency_grid.configurations import (
    NOTHING,
    Configurations,
    Runs,
    attainable_efficiency,
    reduce_to_best,
    speed_up_efficiency,
)
from tracemill.stages.stage import PythonStage

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]

_COLUMNS = {
    "application": "application",
    "campaign_run_id": "campaign_run_id::BIGINT",
    "processes": "processes::BIGINT",
    "threads": "threads::BIGINT",
    "size": "size",
    "computation_size": "computation_size",
    "variant": "variant",
    "label": "label",
    "state": "state::VARCHAR",
    "reason": "coalesce(reason, 'the run failed')",
    "has_time": "time_ns IS NOT NULL",
    "time_ns": "coalesce(time_ns, 0)",
    "given_efficiency": "coalesce(given_efficiency, 'nan'::DOUBLE)",
}
_MISSING = "there is no run"


@dataclass(frozen=True)
class _Settings:
    """The definition of an application's efficiency, with attainable performance or None."""

    definition: str
    attainable_per_second: float | None


@dataclass(frozen=True)
class _Efficiencies:
    """Efficiency of every run, NaN where there is none, and why there would be none."""

    values: Values
    reference_processes: Numbers
    reason: str


def make_efficiency_grid(
    campaign_settings: Relation, campaign_runs: Relation, *, grid_missing_limit: int = 100_000
) -> pa.Table:
    """Reduce the runs of every application to the best one of each configuration.

    Configurations without a run are listed, up to `grid_missing_limit` per application. Raises
    CampaignError if a time is not positive or a size is not a number.
    """
    settings = _read_settings(campaign_settings)
    runs = campaign_runs.order("campaign_run_id")
    columns = dict(zip(_COLUMNS, read_columns(runs, *_COLUMNS.values()), strict=True))
    names, application = np.unique(columns["application"].astype(str), return_inverse=True)
    tables = [EFFICIENCY_GRID.empty()]
    for number, name in enumerate(names.tolist()):
        chosen = application == number
        own = {key: values[chosen] for key, values in columns.items()}
        tables += _grid_of(name, own, settings[name], grid_missing_limit)
    return pa.concat_tables(tables).sort_by(
        [(name, "ascending") for name in ("application", "processes", "size")]
    )


def _read_settings(campaign_settings: Relation) -> dict[str, _Settings]:
    columns = "application, efficiency_definition::VARCHAR, attainable_per_second"
    rows = campaign_settings.select(columns).fetchall()
    return {name: _Settings(definition, attainable) for name, definition, attainable in rows}


def _grid_of(
    name: str, columns: Columns, settings: _Settings, missing_limit: int
) -> Iterator[pa.Table]:
    """The configurations of one application that were tried, and those that are missing."""
    _check(name, columns, settings)
    runs = _runs_of(columns)
    efficiencies = _efficiencies_of(runs, columns, settings)
    configurations = reduce_to_best(runs, efficiencies.values)
    yield _tried(name, columns, settings, configurations, efficiencies)
    yield _missing(name, columns, settings, configurations, efficiencies, missing_limit)


def _check(name: str, columns: Columns, settings: _Settings) -> None:
    is_measured = columns["state"] == "measured"
    is_timed = is_measured & columns["has_time"]
    is_untimed = is_measured & ~columns["has_time"] & (settings.definition != "as given")
    is_finite = np.isfinite(columns["size"]) & np.isfinite(columns["computation_size"])
    for is_bad, complaint in (
        (~is_finite, "its size is no finite number: correct it"),
        (is_timed & (columns["time_ns"] <= 0), "its time is not above 0: correct or remove it"),
        (is_untimed, "it has no time: give one, or efficiencies for all runs"),
    ):
        if is_bad.any():
            at = int(np.flatnonzero(is_bad)[0])
            size = columns["size"][at]
            processes = counted(int(columns["processes"][at]), "process", "processes")
            raise CampaignError(
                f"{columns['label'][at]}: run of {name} on {processes}, size {size:g}: {complaint}"
            )


def _runs_of(columns: Columns) -> Runs:
    setups = list(zip(columns["threads"].tolist(), columns["variant"].tolist(), strict=True))
    numbers = {setup: number for number, setup in enumerate(dict.fromkeys(setups))}
    return Runs(
        processes=columns["processes"],
        size=columns["size"],
        setup=np.array([numbers[setup] for setup in setups], np.int64),
        time_ns=columns["time_ns"],
        is_measured=columns["state"] == "measured",
        is_out_of_memory=columns["state"] == "out of memory",
    )


def _efficiencies_of(runs: Runs, columns: Columns, settings: _Settings) -> _Efficiencies:
    no_reference = np.full(len(runs.size), NOTHING)
    if settings.definition == "as given":
        given = np.where(runs.is_measured, columns["given_efficiency"], np.nan)
        return _Efficiencies(_finite(given), no_reference, "no efficiency was given")
    if settings.definition == "attainable performance":
        if not settings.attainable_per_second:
            none = np.full(len(runs.size), np.nan)
            reason = "the campaign does not declare what a process attains"
            return _Efficiencies(none, no_reference, reason)
        amount = columns["computation_size"]
        amount = np.where(amount > 0, amount, np.nan)
        values = attainable_efficiency(runs, amount, settings.attainable_per_second)
        reason = "computation size, time and attainable performance give no finite efficiency"
        return _Efficiencies(_finite(values), no_reference, reason)
    values, reference = speed_up_efficiency(runs)
    return _Efficiencies(values, reference, "no run of this size was measured")


def _finite(values: Values) -> Values:
    return np.where(np.isfinite(values), values, np.nan)


def _tried(
    name: str,
    columns: Columns,
    settings: _Settings,
    found: Configurations,
    efficiencies: _Efficiencies,
) -> pa.Table:
    is_measured = found.best != NOTHING
    run = np.where(is_measured, found.best, found.failure)
    efficiency = np.where(is_measured, efficiencies.values[run], np.nan)
    reason = np.where(is_measured, efficiencies.reason, columns["reason"][run])

    def of_best(column: str) -> pa.Array:
        values = columns[column][run].tolist()
        return pa.array(values, EFFICIENCY_GRID.arrow_schema.field(column).type, mask=~is_measured)

    return _rows(
        name,
        settings,
        efficiencies.reference_processes[run],
        processes=found.processes,
        size=found.size,
        computation_size=columns["computation_size"][run],
        state=_texts(columns["state"][run]),
        reason=_texts(reason, mask=~np.isnan(efficiency)),
        run_count=found.run_count,
        repetition_count=found.repetition_count,
        failed_count=found.failed_count,
        time_ns=_times(np.where(is_measured, columns["time_ns"][run], 0)),
        median_ns=_times(found.median_ns),
        longest_ns=_times(found.longest_ns),
        efficiency=pa.array(efficiency, mask=np.isnan(efficiency)),
        campaign_run_id=of_best("campaign_run_id"),
        threads=of_best("threads"),
        variant=of_best("variant"),
    )


def _missing(
    name: str,
    columns: Columns,
    settings: _Settings,
    found: Configurations,
    efficiencies: _Efficiencies,
    limit: int,
) -> pa.Table:
    """Configurations between the numbers of processes and sizes present that no run tried."""
    processes, column = np.unique(found.processes, return_inverse=True)
    sizes, row = np.unique(found.size, return_inverse=True)
    if len(processes) * len(sizes) - len(column) > limit:
        return EFFICIENCY_GRID.empty()
    is_present = np.zeros((len(processes), len(sizes)), np.bool_)
    is_present[column, row] = True
    lacking_column, lacking_row = np.nonzero(~is_present)
    _, first_run = np.unique(columns["size"], return_index=True)
    run = first_run[lacking_row]
    zeros = np.zeros(len(run), np.int64)
    return _rows(
        name,
        settings,
        efficiencies.reference_processes[run],
        processes=processes[lacking_column],
        size=sizes[lacking_row],
        computation_size=columns["computation_size"][run],
        state=_texts(np.full(len(run), "missing")),
        reason=_texts(np.full(len(run), _MISSING)),
        run_count=zeros,
        repetition_count=zeros,
        failed_count=zeros,
    )


def _rows(name: str, settings: _Settings, reference: Numbers, **columns: Any) -> pa.Table:
    """Rows of the table; columns that are left out are null."""
    count = len(reference)
    nulls = dict.fromkeys(EFFICIENCY_GRID.column_names, pa.nulls(count))
    stated = {
        "application": _texts(np.full(count, name)),
        "efficiency_definition": _texts(np.full(count, settings.definition)),
        "reference_processes": pa.array(reference, mask=reference == NOTHING),
    }
    return EFFICIENCY_GRID.conform(pa.table(nulls | stated | columns))


def _texts(values: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> pa.Array:
    return pa.array(values.tolist(), pa.string(), mask=mask)


def _times(values: Numbers) -> pa.Array:
    return pa.array(values, mask=values == 0)


EFFICIENCY_GRID_STAGE = PythonStage(
    name="efficiency_grid", outputs=(EFFICIENCY_GRID,), compute=make_efficiency_grid
)
