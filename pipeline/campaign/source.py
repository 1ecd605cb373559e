"""A campaign as a source: gathers its tables from analysed runs and from measurements."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.campaign.configurations import RunRecord, computation_size
from pipeline.campaign.gathering import Gathered, gather
from pipeline.errors import StoreError
from pipeline.graph import code_hash
from pipeline.store import GenerationWriter, Run, SourceFile, Store
from pipeline.text import hash_of
from schemas import Table, campaigns

FORMAT = "campaign"
# More than this many runs at once would only wait for each other.
_AT_ONCE = 8


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a campaign declares about its applications."""

    size_name: str = ""
    computation_size: str = ""
    scaling: str = "both"
    efficiency: str = ""
    attainable_per_second: float | None = None
    is_whole_run: bool = False
    is_setup_included: bool = False

    def efficiency_of(self, runs: Sequence[RunRecord]) -> str:
        """The declared definition of efficiency, else the one that the runs allow."""
        if self.efficiency:
            return self.efficiency
        if any(run.given_efficiency is not None for run in runs):
            return "as given"
        is_attainable = self.attainable_per_second is not None
        return "attainable performance" if is_attainable else "speed-up over the smallest run"


@dataclass(frozen=True)
class CampaignIdentity:
    """Which campaign it is, and by what a change of its runs or settings is seen."""

    run_id: str
    files: tuple[SourceFile, ...]

    def digest(self) -> str:
        """Hash of everything the tables are made from, which the names of the files hold."""
        return hash_of(json.dumps([file.name for file in self.files]))


@dataclass(frozen=True, kw_only=True)
class CampaignSource:
    """The numbered runs of a campaign; `generations` are those of analysed runs, by run id."""

    name: str
    path: Path
    store: Store
    settings: Settings
    runs: tuple[RunRecord, ...]
    generations: dict[str, str]

    format = FORMAT
    tables: tuple[Table, ...] = campaigns.TABLES
    code_modules = ("pipeline.campaign", "pipeline.query_failures")

    @property
    def event_count(self) -> int:
        return len(self.runs)

    def identity(self) -> CampaignIdentity:
        """The campaign by its name; its content by settings, runs and the queries that ask them."""
        queries = code_hash(("pipeline.campaign",)) + _hash_of_queries()
        told = [json.dumps([asdict(self.settings), queries], sort_keys=True)]
        told += [self._told(run) for run in self.runs]
        return CampaignIdentity(self.name, tuple(SourceFile(text, 0, 0) for text in told))

    def _told(self, run: RunRecord) -> str:
        generation = self.generations.get(run.run_id or "", "")
        return json.dumps([asdict(run), generation], sort_keys=True)

    def read(
        self,
        sink: GenerationWriter,
        *,
        run_id: str,
        threads: int,
        allow_damaged: bool,
        report: Callable[[int], None],
    ) -> None:
        """Write the tables of `schemas.campaigns`; runs are gathered in turn, a few at once."""
        times: dict[int, Gathered] = {}
        writer = _Writer(sink)
        for number, gathered in self._gathered(threads):
            if gathered is not None:
                writer.write(number, gathered)
                times[number] = gathered
            report(1)
        writer.finish()
        _write(sink, campaigns.CAMPAIGN_RUNS, [self._row(n, times.get(n)) for n in self._numbers])
        _write(sink, campaigns.RUN_PARAMETERS, self._parameters())
        _write(sink, campaigns.CAMPAIGN_SETTINGS, self._settings())

    @property
    def _numbers(self) -> range:
        return range(len(self.runs))

    def _gathered(self, threads: int) -> Iterator[tuple[int, Gathered | None]]:
        """What each run gives, in order; at most a few are held."""
        with ThreadPoolExecutor(max(1, min(threads, _AT_ONCE))) as pool:
            width = pool._max_workers
            for start in range(0, len(self.runs), width):
                numbers = self._numbers[start : start + width]
                yield from zip(numbers, pool.map(self._gather, numbers), strict=True)

    def _gather(self, number: int) -> Gathered | None:
        run_id = self.runs[number].run_id
        if run_id is None:
            return None
        return gather(
            self._opened(run_id),
            is_whole_run=self.settings.is_whole_run,
            is_setup_included=self.settings.is_setup_included,
        )

    def _opened(self, run_id: str) -> Run:
        run = self.store.generation(run_id, self.generations[run_id])
        if run is None:
            raise StoreError(f"the run {run_id} is gone from {self.store.path}: start again")
        return run

    def _row(self, number: int, gathered: Gathered | None) -> dict[str, Any]:
        run = self.runs[number]
        whole = gathered.run["whole_time_ns"] if gathered else run.whole_time_ns
        return {
            "campaign_run_id": number,
            "application": run.application,
            "processes": run.processes,
            "threads": run.threads,
            "size": run.size,
            "computation_size": computation_size(
                run, self.settings.computation_size, self.settings.size_name
            ),
            "variant": run.variant,
            "repetition": run.repetition,
            "run_id": run.run_id,
            "label": run.label,
            "state": run.state,
            "reason": run.reason,
            "time_ns": gathered.time_ns if gathered else run.time_ns,
            "whole_time_ns": whole,
            "given_efficiency": run.given_efficiency,
        }

    def _parameters(self) -> list[dict[str, Any]]:
        return [
            {"campaign_run_id": number, "name": name, "value": run.parameters[name]}
            for number, run in enumerate(self.runs)
            for name in sorted(run.parameters)
        ]

    def _settings(self) -> list[dict[str, Any]]:
        settings = self.settings
        return [
            {
                "application": application,
                "size_name": settings.size_name or "n",
                "computation_size_expression": settings.computation_size
                or settings.size_name
                or "n",
                "timed_part": _interval(settings, own),
                "scaling": settings.scaling,
                "efficiency_definition": settings.efficiency_of(own),
                "attainable_per_second": settings.attainable_per_second,
                "is_setup_included": settings.is_setup_included,
            }
            for application in sorted({run.application for run in self.runs})
            for own in [[run for run in self.runs if run.application == application]]
        ]


class _Writer:
    """Writes what runs give, run by run; of call paths only the new ones of each run are kept."""

    def __init__(self, sink: GenerationWriter) -> None:
        self._sink = sink
        self._paths: list[pa.Table] = []
        self._known = np.empty(0, np.int64)

    def write(self, number: int, gathered: Gathered) -> None:
        self._append(campaigns.RUN_TASKS, number, gathered.times)
        self._append(campaigns.RUN_CALL_PATHS, number, gathered.call_paths)
        self._append(campaigns.CALL_SITE_TASKS, number, gathered.call_sites)
        self._append(campaigns.RUN_METRICS, number, gathered.metrics)
        keys = gathered.call_paths["call_path_key"].to_numpy()
        is_new = ~np.isin(keys, self._known)
        if is_new.any():
            columns = list(campaigns.CAMPAIGN_CALL_PATHS.column_names)
            self._paths.append(gathered.call_paths.select(columns).filter(pa.array(is_new)))
            self._known = np.concatenate([self._known, keys[is_new]])

    def finish(self) -> None:
        if self._paths:
            whole = pa.concat_tables(self._paths).sort_by("call_path_key")
            self._sink.part(campaigns.CAMPAIGN_CALL_PATHS, 0).write(whole)

    def _append(self, table: Table, number: int, rows: pa.Table) -> None:
        numbers = pa.array(np.full(rows.num_rows, number, np.int32))
        told = rows.append_column("campaign_run_id", numbers).select(list(table.column_names))
        self._sink.part(table, 0).write(told.cast(_nullable(table)))


def _nullable(table: Table) -> pa.Schema:
    """The declared types without the rest of the declaration, which the sink adds."""
    return pa.schema([(column.name, column.type) for column in table.columns])


def _write(sink: GenerationWriter, table: Table, rows: list[dict[str, Any]]) -> None:
    plain = [(column.name, _plain(column.type)) for column in table.columns]
    sink.part(table, 0).write(pa.Table.from_pylist(rows, schema=pa.schema(plain)))


def _plain(type: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_dictionary(type) else type


def _interval(settings: Settings, runs: Sequence[RunRecord]) -> str:
    if not any(run.run_id for run in runs):
        return "as given"
    return "whole run" if settings.is_whole_run else "between MPI_Init and MPI_Finalize"


def _hash_of_queries() -> str:
    from pipeline.campaign.gathering import QUERIES
    from pipeline.sql import load_query

    return hash_of("".join(load_query(name).text for name in QUERIES))
