"""A campaign as a source: gathers its tables from analyzed runs and from measurements."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tracemill.base.errors import StoreError
from tracemill.base.text import hash_of
from tracemill.campaign.configurations import RunRecord, computation_size
from tracemill.campaign.description import Description
from tracemill.campaign.gathering import QUERIES, Gathered, gather, in_batches
from tracemill.campaign.measured import tables_of
from tracemill.campaign.mixture import Programs, own_regions
from tracemill.campaign.site_matching import MatchedSites, match_call_sites
from tracemill.schemas import BY_NAME, Table, campaign_costs, campaigns
from tracemill.schemas.campaign_efficiencies import RUN_EFFICIENCIES
from tracemill.schemas.definitions import FULL
from tracemill.sql.query_files import load_query
from tracemill.store.manifest import SourceFile, SourceRecord
from tracemill.store.runs import Run, Store
from tracemill.store.sink import PartedSink

FORMAT = "campaign"
# The fields of a description from which the tables are made.
_SETTINGS = {
    "size", "computation_size", "scaling", "efficiency", "attainable_per_second", "with_setup",
}  # fmt: skip


@dataclass(frozen=True)
class CampaignIdentity:
    """The name of a campaign, and files whose names change with its runs and settings."""

    run_id: str
    files: tuple[SourceFile, ...]

    def digest(self, threads: int = 1) -> str:
        """A hash of all inputs of the tables; the names of the files contain them."""
        return hash_of(json.dumps([file.name for file in self.files]))


@dataclass(frozen=True, kw_only=True)
class CampaignSource:
    """The numbered runs of a campaign; `generations` are those of analyzed runs, by run id."""

    name: str
    path: Path
    store: Store
    description: Description
    runs: tuple[RunRecord, ...]
    generations: Mapping[str, str]
    is_application_given: bool = False
    memory_limit: str = ""

    format = FORMAT
    tables: tuple[Table, ...] = (*campaigns.TABLES, *campaign_costs.TABLES, RUN_EFFICIENCIES)
    code_modules = (
        "tracemill.campaign",
        "tracemill.sql.failures",
        "tracemill.stages.call_path_keys",
        "tracemill.stages.models.surfaces.functions",
    )

    @property
    def event_count(self) -> int:
        return len(self.runs)

    @property
    def record_count(self) -> int:
        return 0

    def identity(self) -> CampaignIdentity:
        """The name of the campaign, and its settings, runs and queries."""
        return self._identity

    @cached_property
    def _identity(self) -> CampaignIdentity:
        queries = [load_query(name).text for name in QUERIES]
        settings = self.description.model_dump(include=_SETTINGS)
        texts = [json.dumps([settings, hash_of("".join(queries))], sort_keys=True)]
        texts += [self._text_of(run) for run in self.runs]
        return CampaignIdentity(self.name, tuple(SourceFile(text, 0, 0) for text in texts))

    def _text_of(self, run: RunRecord) -> str:
        generation = self.generations.get(run.run_id or "", "")
        own = asdict(replace(run, measured=None))
        measured = hash_of(repr(run.measured)) if run.measured else ""
        return json.dumps([own, generation, measured], sort_keys=True)

    def read(
        self,
        sink: PartedSink,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
        merge_call_sites: bool = False,
        detail: str = FULL,
    ) -> None:
        """Write `tables`. Raises CampaignError if programs are mixed."""
        numbers = {run.run_id: n for n, run in enumerate(self.runs) if run.run_id is not None}
        report(len(self.runs) - len(numbers))
        applications = {run_id: self.runs[number].application for run_id, number in numbers.items()}
        matched = match_call_sites([self._opened(run_id) for run_id in numbers], applications)
        writer = _Writer(sink, numbers)
        figures = self._write_analyzed(writer, numbers, matched, threads=threads, report=report)
        for number, run in enumerate(self.runs):
            if run.measured is not None:
                writer.write_measured(number, tables_of(run.measured, run.processes))
        writer.finish()
        rows = [self._row(number, figures) for number in range(len(self.runs))]
        _write(sink, campaigns.CAMPAIGN_RUNS, rows)
        _write(sink, campaigns.RUN_PARAMETERS, self._parameters())
        _write(sink, campaigns.RUN_MONITORING, self._monitored())
        _write(sink, campaigns.CAMPAIGN_SETTINGS, self._settings(matched.joined))

    def _write_analyzed(
        self,
        writer: "_Writer",
        numbers: Mapping[str, int],
        matched: MatchedSites,
        *,
        threads: int,
        report: Callable[[int], None],
    ) -> "_Figures":
        """Write the rows of analyzed runs, by their numbers; returns their figures."""
        figures, programs = _Figures(), Programs(is_name_given=self.is_application_given)
        for batch in in_batches(self._opened(run_id) for run_id in numbers):
            gathered = gather(
                batch,
                is_setup_included=self.description.with_setup,
                matched=matched,
                threads=threads,
                memory_limit=self.memory_limit,
            )
            regions = own_regions(gathered.call_paths)
            for analyzed in batch:
                run = self.runs[numbers[analyzed.run_id]]
                programs.add(run.application, run.label, regions.get(analyzed.run_id, set()))
            writer.write(gathered)
            figures.add(gathered)
            report(len(batch))
        programs.check()
        return figures

    def _opened(self, run_id: str) -> Run:
        run = self.store.generation(run_id, self.generations[run_id])
        if run is None:
            raise StoreError(
                f"the run {run_id} was removed from {self.store.path}: run the command again"
            )
        return run

    def _row(self, number: int, figures: "_Figures") -> dict[str, Any]:
        run, given = self.runs[number], self.description
        run_id = run.run_id or ""
        return {
            "campaign_run_id": number,
            "application": run.application,
            "processes": run.processes,
            "threads": run.threads,
            "size": run.size,
            "computation_size": computation_size(
                given.computation_size, given.size, size=run.size, processes=run.processes
            ),
            "variant": run.variant,
            "repetition": run.repetition,
            "run_id": run.run_id,
            "label": run.label,
            "state": run.state,
            "reason": run.reason,
            "time_ns": figures.time_ns.get(run_id, run.time_ns),
            "whole_time_ns": run.whole_time_ns,
            "serial_ns": None if given.with_setup else figures.serial_ns.get(run_id),
            "perturbed_ratio": figures.perturbed_ratio.get(run_id),
            "given_efficiency": run.given_efficiency,
        }

    def _parameters(self) -> list[dict[str, Any]]:
        return [
            {"campaign_run_id": number, "name": name, "value": run.parameters[name]}
            for number, run in enumerate(self.runs)
            for name in sorted(run.parameters)
        ]

    def _monitored(self) -> list[dict[str, Any]]:
        return [
            {"campaign_run_id": number, **asdict(each)}
            for number, run in enumerate(self.runs)
            for each in sorted(run.monitored, key=lambda each: each.characteristic)
        ]

    def _settings(self, joined: Collection[str]) -> list[dict[str, Any]]:
        given = self.description
        size = given.size or "n"
        return [
            {
                "application": application,
                "named_by": campaigns.NAMINGS[not all(run.is_named for run in own)],
                "size_name": size,
                "computation_size_expression": given.computation_size or size,
                "timed_part": _timed_part(given, own),
                "scaling": given.scaling,
                "efficiency_definition": _efficiency_of(given, own),
                "attainable_per_second": given.attainable_per_second,
                "is_setup_included": given.with_setup,
                "are_sites_joined": application in joined,
            }
            for application in sorted({run.application for run in self.runs})
            for own in [[run for run in self.runs if run.application == application]]
        ]


def runs_used(source: SourceRecord) -> set[tuple[str, str]]:
    """Run ids and generations of the analyzed runs in a stored campaign."""
    runs = [json.loads(file.name) for file in source.files[1:]]
    return {(run["run_id"], generation) for run, generation, _ in runs if run["run_id"] is not None}


@dataclass(frozen=True)
class _Figures:
    """Figures of analyzed runs, by run id."""

    time_ns: dict[str, int] = field(default_factory=dict)
    serial_ns: dict[str, int] = field(default_factory=dict)
    perturbed_ratio: dict[str, float] = field(default_factory=dict)

    def add(self, gathered: Gathered) -> None:
        self.time_ns.update(gathered.time_ns)
        self.serial_ns.update(gathered.serial_ns)
        self.perturbed_ratio.update(gathered.perturbed_ratios)


class _Writer:
    """Writes the rows of runs as they come; each call path is written once, at the end."""

    def __init__(self, sink: PartedSink, numbers: Mapping[str, int]) -> None:
        self._sink = sink
        self._run_ids = pa.array(numbers, pa.string())
        self._numbers = pa.array(numbers.values(), pa.int32())
        self._paths: list[pa.Table] = []
        self._written_keys = np.empty(0, np.int64)

    def write(self, gathered: Gathered) -> None:
        """Write rows of analyzed runs, whose numbers are greater than those of earlier calls."""
        call_paths = self._numbered(gathered.call_paths)
        self._append(campaign_costs.RUN_TASKS, self._numbered(gathered.times))
        self._append(campaign_costs.RUN_CALL_PATHS, call_paths)
        self._append(campaign_costs.CALL_SITE_TASKS, self._numbered(gathered.call_sites))
        self._append(campaign_costs.RUN_METRICS, self._numbered(gathered.metrics))
        self._append(campaign_costs.RUN_CAUSES, self._numbered(gathered.causes))
        self._append(campaign_costs.RUN_THREADS, self._numbered(gathered.threads))
        self._append(campaign_costs.RUN_THREAD_TIMES, self._numbered(gathered.thread_times))
        self._append(campaign_costs.RUN_LOSSES_BY_CLASS, self._numbered(gathered.losses_by_class))
        self._append(campaign_costs.RUN_LOSSES, self._numbered(gathered.losses))
        self._append(campaign_costs.RUN_COUNTERS, self._numbered(gathered.counters))
        self._append(RUN_EFFICIENCIES, self._numbered(gathered.efficiencies))
        self._keep_new(call_paths.sort_by("campaign_run_id"))

    def write_measured(self, number: int, tables: Mapping[str, pa.Table]) -> None:
        """Write rows of a measured run, after those of all analyzed runs."""
        for name, rows in tables.items():
            column = pa.array(np.full(rows.num_rows, number, np.int32))
            numbered = rows.append_column("campaign_run_id", column)
            if name == campaign_costs.CAMPAIGN_CALL_PATHS.name:
                self._keep_new(numbered)
            else:
                self._append(BY_NAME[name], numbered)

    def finish(self) -> None:
        if self._paths:
            paths = pa.concat_tables(self._paths).sort_by("call_path_key")
            self._sink.part(campaign_costs.CAMPAIGN_CALL_PATHS, 0).write(paths)

    def _numbered(self, rows: pa.Table) -> pa.Table:
        places = pc.index_in(rows["run_id"], value_set=self._run_ids)
        return rows.append_column("campaign_run_id", self._numbers.take(places))

    def _append(self, table: Table, rows: pa.Table) -> None:
        # The sink adds nullability and metadata.
        schema = pa.schema([(column.name, column.type) for column in table.columns])
        ordered = rows.sort_by([(name, "ascending") for name in table.key])
        self._sink.part(table, 0).write(ordered.select(list(table.column_names)).cast(schema))

    def _keep_new(self, rows: pa.Table) -> None:
        """Keep new call paths, with the values of the first run that has them."""
        keys, first = np.unique(rows["call_path_key"].to_numpy(), return_index=True)
        is_new = ~np.isin(keys, self._written_keys)
        if is_new.any():
            columns = list(campaign_costs.CAMPAIGN_CALL_PATHS.column_names)
            self._paths.append(rows.select(columns).take(first[is_new]))
            self._written_keys = np.concatenate([self._written_keys, keys[is_new]])


def _write(sink: PartedSink, table: Table, rows: list[dict[str, Any]]) -> None:
    plain = [
        (column.name, pa.string() if pa.types.is_dictionary(column.type) else column.type)
        for column in table.columns
    ]
    sink.part(table, 0).write(pa.Table.from_pylist(rows, schema=pa.schema(plain)))


def _timed_part(description: Description, runs: Sequence[RunRecord]) -> str:
    if not any(run.run_id for run in runs):
        return "as given"
    return "whole run" if description.with_setup else "between MPI_Init and MPI_Finalize"


def _efficiency_of(description: Description, runs: Sequence[RunRecord]) -> str:
    """The declared definition of efficiency, else the one that the data of the runs allow."""
    if description.efficiency:
        return description.efficiency
    if any(run.given_efficiency is not None for run in runs):
        return "as given"
    is_attainable = description.attainable_per_second is not None
    return "attainable performance" if is_attainable else "speed-up over the smallest run"
