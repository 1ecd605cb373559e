"""The summary of a run as a JSON document, for scripts.

The classes declare every key; docs/reference/summary.md is made from them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from tracemill.base.text import printable
from tracemill.base.version import VERSION
from tracemill.reports.explanation import all_metrics
from tracemill.reports.material import Material
from tracemill.reports.sections import efficiencies, gains, root_causes, summary, wait_states
from tracemill.reports.sections.metrics import explain_metric
from tracemill.reports.units import Unit
from tracemill.reports.wording import Row
from tracemill.schemas.definitions import PROFILE

if TYPE_CHECKING:
    from tracemill.engine.focusing.resolve import Focus
    from tracemill.reports.build import ReportedRun
    from tracemill.reports.model import Section

Record = TypeVar("Record", "RootCause", "Gain", "WaitState")
DOCUMENT_VERSION = 1
_NANOSECONDS = 10**9
_OF_ALL = "as a share of `all_time`"
_UNKNOWN = f"if that is 0, and with the detail {PROFILE}"
_OF_RECORDS = ("waiting", "extended_waiting", "messages")
"""Figures that the detail profile does not have."""


@dataclass(frozen=True, kw_only=True)
class DescribedRun:
    """The run."""

    run_id: Annotated[str, "id of the run, as in every command"]
    label: Annotated[str, "name of the folder that holds its trace"]
    trace: Annotated[str, "path of its trace"]
    kind: Annotated[str, "measured, what-if or forecast"]
    detail: Annotated[str, "level of detail: full, calls or profile"]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Figures of the summary."""

    run_time: Annotated[float, Unit.TIME, "run time of the main part, without MPI setup"]
    whole_time: Annotated[float, Unit.TIME, "time from the first record to the last"]
    all_time: Annotated[
        float, Unit.TIME, "time of all locations in region visits, in the main part"
    ]
    mpi: Annotated[float | None, Unit.SHARE, f"time in MPI, {_OF_ALL}; null if that is 0"]
    waiting: Annotated[
        float | None,
        Unit.SHARE,
        f"time in calls that wait for a late location, {_OF_ALL}; null {_UNKNOWN}",
    ]
    extended_waiting: Annotated[
        float | None,
        Unit.SHARE,
        f"the same in wait states that Scalasca does not have, {_OF_ALL}; null {_UNKNOWN}",
    ]
    processes: Annotated[int, Unit.COUNT, "number of processes"]
    threads: Annotated[int, Unit.COUNT, "number of threads"]
    messages: Annotated[
        int | None, Unit.COUNT, f"number of messages; null with the detail {PROFILE}"
    ]
    records: Annotated[int, Unit.COUNT, "number of event records"]


@dataclass(frozen=True, kw_only=True)
class Efficiencies:
    """Efficiencies as POP defines them; null where the run has none."""

    parallel_efficiency: Annotated[
        float | None, Unit.SHARE, "load balance × serialization × transfer × OpenMP"
    ]
    mpi_efficiency: Annotated[float | None, Unit.SHARE, "that of processes; null without teams"]
    load_balance: Annotated[float | None, Unit.SHARE, "mean useful time / longest one"]
    communication_efficiency: Annotated[float | None, Unit.SHARE, "serialization × transfer"]
    serialization_efficiency: Annotated[float | None, Unit.SHARE, "longest useful time / ideal run"]
    transfer_efficiency: Annotated[float | None, Unit.SHARE, "ideal run time / run time"]
    openmp_efficiency: Annotated[float | None, Unit.SHARE, "part of teams of threads"]
    openmp_serialization: Annotated[float | None, Unit.SHARE, "1 without workers outside of teams"]
    openmp_load_balance: Annotated[float | None, Unit.SHARE, "1 without waiting in barriers"]
    openmp_scheduling: Annotated[float | None, Unit.SHARE, "1 without other losses in teams"]


@dataclass(frozen=True, kw_only=True)
class RootCause:
    """A call path that makes others wait."""

    call_path: Annotated[str, "call path that takes longer than where others wait"]
    source: Annotated[str | None, "its file and line; null if unknown"]
    is_setup: Annotated[bool, "whether it is MPI setup"]
    caused_s: Annotated[float, "waiting that it causes"]
    caused_ratio: Annotated[float | None, "the same as a share of all waiting"]
    direct_s: Annotated[float, "part of it that it causes directly"]
    passed_on_s: Annotated[float, "part of it that those who wait for it pass on to others"]
    location_count: Annotated[int, "locations that cause at least 1% of it"]
    worst_rank: Annotated[int | None, "process that causes most of it"]
    worst_thread: Annotated[int | str | None, "thread of it, or name of a stream"]
    worst_s: Annotated[float, "waiting that this one causes"]


@dataclass(frozen=True, kw_only=True)
class Gain:
    """A call path and what removing it would bring, as a replay of the run finds."""

    call_path: Annotated[str, "removed call path"]
    is_setup: Annotated[bool, "whether it is MPI setup"]
    gain_s: Annotated[float | None, "how much shorter the run would be; null if not replayed"]
    gain_ratio: Annotated[float | None, "the same as a share of the whole run"]
    path_s: Annotated[float, "its time on the critical path"]
    run_s: Annotated[float | None, "length of the whole run without it"]


@dataclass(frozen=True, kw_only=True)
class WaitState:
    """A kind of waiting; it includes its parts, which have entries of their own."""

    metric: Annotated[str, "metric, as in `tracemill explain`"]
    title: Annotated[str, "its name for people"]
    part_of: Annotated[str | None, "title of the kind that includes it"]
    is_extended: Annotated[bool, "whether Scalasca does not have it"]
    wait_s: Annotated[float, "waiting in the whole run"]
    wait_ratio: Annotated[float | None, f"waiting in the main part, {_OF_ALL}"]
    wait_count: Annotated[int, "number of waits"]
    longest_s: Annotated[float, "longest wait"]
    location_count: Annotated[int, "locations that wait"]
    worst_rank: Annotated[int | None, "process that waits most"]
    worst_thread: Annotated[int | str | None, "thread of it, or name of a stream"]
    worst_s: Annotated[float, "waiting of this one"]
    confidence: Annotated[int, "least confidence of a wait, in percent"]
    advice: Annotated[tuple[str, ...], "what to try"]


@dataclass(frozen=True, kw_only=True)
class CheckedLimit:
    """A condition of --fail-if."""

    condition: Annotated[str, "condition as given"]
    figure: Annotated[str, "figure that it limits"]
    value: Annotated[float | None, "value of the figure; null if the run has none"]
    holds: Annotated[bool, "whether it holds, so that the command fails"]


@dataclass(frozen=True, kw_only=True)
class Places:
    """Paths of results."""

    report: Annotated[str | None, "page that this command wrote; null if it wrote none"] = None
    text: Annotated[str | None, "the same report as Markdown"] = None
    tables: Annotated[str | None, "folder of the tables; null for a focus"] = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """The summary of a run, or of a part of it."""

    version: Annotated[int, "version of this layout"]
    tracemill: Annotated[str, "version of Tracemill"]
    run: Annotated[DescribedRun, "the run"]
    focus: Annotated[str | None, "part of the run that all else is about; null for the whole run"]
    figures: Annotated[Figures, "figures of the summary"]
    efficiencies: Annotated[Efficiencies, "POP efficiencies, multiplicative; null if unknown"]
    sentences: Annotated[tuple[str, ...], "summary for people"]
    root_causes: Annotated[tuple[RootCause, ...], "causes of waiting, worst first; 20 at most"]
    gains: Annotated[tuple[Gain, ...], "call paths by what removing them would bring; 20 at most"]
    wait_states: Annotated[tuple[WaitState, ...], "kinds of waiting, worst first; 30 at most"]
    warnings: Annotated[tuple[str, ...], "what is missing, damaged or uncertain"]
    conditions: Annotated[tuple[CheckedLimit, ...], "conditions of --fail-if"] = ()
    files: Annotated[Places, "paths of results"] = Places()


def document_of(run: "ReportedRun", material: Material, sections: Sequence["Section"]) -> Document:
    """The document of a run with sections of a report; nothing is checked or written yet."""
    focus: Focus | None = getattr(run, "focus", None)
    source = run.manifest.source
    return Document(
        version=DOCUMENT_VERSION,
        tracemill=VERSION,
        run=DescribedRun(
            run_id=(focus.run if focus else run).run_id,
            label=printable((focus.run if focus else run).label),
            trace=printable(source.path),
            kind=source.kind,
            detail=run.manifest.detail,
        ),
        focus=focus.sentence if focus else None,
        figures=_figures(material.overview, run.manifest.detail),
        efficiencies=_efficiencies(material),
        sentences=next(each.sentences for each in sections if each.key == "summary"),
        root_causes=_records(RootCause, material.rows_of(root_causes.BY_CALL_PATH)),
        gains=() if focus else _gains(material),
        wait_states=_wait_states(material),
        warnings=summary.describe_warnings(material),
    )


def to_json(document: Document) -> str:
    """The document as text in JSON."""
    return json.dumps(asdict(document), indent=1, ensure_ascii=False) + "\n"


def places_of(written: Sequence[tuple[str, Path]]) -> Places:
    """The paths of written results, by their labels."""
    return Places(**{label: printable(str(path)) for label, path in written})


def _figures(overview: Row, detail: str) -> Figures:
    named = {
        "run_time": "run_s",
        "whole_time": "whole_s",
        "all_time": "total_s",
        "mpi": "mpi_ratio",
        "waiting": "wait_ratio",
        "extended_waiting": "extended_ratio",
        "processes": "process_count",
        "threads": "thread_count",
        "messages": "message_count",
        "records": "record_count",
    }
    values = _in_seconds(overview)
    absent = dict.fromkeys(_OF_RECORDS if detail == PROFILE else ())
    return Figures(**{figure: values[name] for figure, name in named.items()} | absent)


def _efficiencies(material: Material) -> Efficiencies:
    """The efficiencies of the first interval."""
    rows = efficiencies.of_first_interval(material.rows_of(efficiencies.EFFICIENCIES))
    ratios: dict[str, Any] = {str(row["metric"]): row["multiplicative_ratio"] for row in rows}
    return Efficiencies(**{each.name: ratios.get(each.name) for each in fields(Efficiencies)})


def _gains(material: Material) -> tuple[Gain, ...]:
    rows = [row for row in material.rows_of(gains.PARTS) if row["kind"] == "call path"]
    return _records(Gain, [row | {"call_path": row["part"]} for row in rows])


def _wait_states(material: Material) -> tuple[WaitState, ...]:
    texts = {metric.name: metric for metric in all_metrics()}
    rows: list[dict[str, Any]] = []
    for row in material.rows_of(wait_states.BY_PROPERTY):
        metric = texts.get(str(row["metric"]))
        advice = explain_metric(metric).advice if metric else ()
        rows.append(row | {"title": row["finding"], "advice": advice})
    return _records(WaitState, rows)


def _records(kind: type[Record], rows: Sequence[Mapping[str, Any]]) -> tuple[Record, ...]:
    """Rows of a query as records with times in seconds; other columns are left out."""
    names = [each.name for each in fields(kind)]
    return tuple(
        kind(**{name: values[name] for name in names}) for values in map(_in_seconds, rows)
    )


def _in_seconds(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with a column in seconds instead of each one in nanoseconds."""
    return {
        name.removesuffix("_ns") + "_s" if name.endswith("_ns") else name: value
        if value is None or not name.endswith("_ns")
        else value / _NANOSECONDS
        for name, value in row.items()
    }
