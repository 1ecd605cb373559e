"""The plan of an analysis: tables to compute, tables to reuse, and reasons."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracemill.base.text import hash_of
from tracemill.engine.graph import AS_RECORDED, ReadStage, SqlStage, Stage, key_parts
from tracemill.schemas.definitions import CALLS, FULL
from tracemill.sql.query_files import Value
from tracemill.store.manifest import Manifest, TableRecord

FIRST_RUN = "first run"
FORCED = "forced"
MISSING = "file missing or of another size"
UNCHANGED = "unchanged"
MERGE_CALL_SITES, DETAIL = "merge_call_sites", "detail"
"""The parameters of readers."""
_SUMMED_RECORDS = 50_000_000
"""From so many records on, visits of user functions are summed by default."""

# The reason for a difference in a part of the key, the most specific first.
_CHANGES = {
    "source": "source changed",
    "options": "options changed",
    "clocks": "matching or clock correction changed",
    "query": "query text changed",
    "code": "code changed",
    "schema": "schema changed",
    "format": "stage format changed",
    "tracemill": "version of Tracemill changed",
    "pyarrow": "version of pyarrow changed",
    "duckdb": "version of DuckDB changed",
}


@dataclass(frozen=True)
class Decision:
    """The decision about a table, with its reason."""

    table: str
    stage: str
    is_computed: bool
    reason: str

    def __str__(self) -> str:
        return f"{self.table}: {'computed' if self.is_computed else 'reused'}, {self.reason}"


@dataclass(frozen=True)
class Plan:
    """All tables of a generation with their records, and the stages that must run, in order."""

    key: str
    stages: tuple[Stage, ...]
    records: Mapping[str, TableRecord]
    decisions: tuple[Decision, ...]

    @property
    def has_to_read(self) -> bool:
        """True if the trace must be read."""
        return any(isinstance(stage, ReadStage) for stage in self.stages)


def make_plan(
    graph: Sequence[Stage],
    *,
    digest: str,
    allow_damaged: bool,
    values: Mapping[str, Value],
    current: Manifest | None,
    missing: Collection[str],
    force: bool,
) -> Plan:
    """Compare the tables to make with those of the current generation.

    `digest` identifies the source's content; `missing` are stored tables that are not intact.
    """
    records = _records(graph, digest, allow_damaged, values)
    old = current.tables if current else {}
    reasons = {
        name: _reason(record, old.get(name), is_first=current is None)
        for name, record in records.items()
    }
    reasons |= {name: MISSING for name in missing if reasons.get(name) == UNCHANGED}
    reasons |= dict.fromkeys(records, FORCED) if force and current else {}
    stages, reasons = _to_run(graph, reasons | _made_together(graph, reasons))
    computed = {table.name for stage in stages for table in stage.outputs}
    decisions = tuple(
        Decision(table.name, stage.name, table.name in computed, reasons[table.name])
        for stage in graph
        for table in stage.outputs
        if table.name in computed or not table.is_transient
    )
    return Plan(generation_key(records), stages, _with_reasons(records, decisions), decisions)


@dataclass(frozen=True)
class Outline:
    """The parts and inputs of all tables without a source's content."""

    tables: Mapping[str, tuple[Mapping[str, str], Collection[str]]]


def outline(graph: Sequence[Stage], *, allow_damaged: bool, values: Mapping[str, Value]) -> Outline:
    """The outline of all tables that the stages of a graph make."""
    records = _records(graph, "", allow_damaged, values)
    return Outline({name: (each.parts, set(each.inputs)) for name, each in records.items()})


def is_as_outlined(manifest: Manifest, outline: Outline, digest: str) -> bool:
    """True if a generation has the tables of an outline for a source of that content.

    Comparing parts and inputs suffices: equal ones all the way up give equal keys.
    """
    made = manifest.tables
    return set(made) == set(outline.tables) and all(
        made[name].parts == ({**parts, "source": digest} if "source" in parts else parts)
        and set(made[name].inputs) == inputs
        for name, (parts, inputs) in outline.tables.items()
    )


def generation_key(records: Mapping[str, TableRecord]) -> str:
    """Identity of a generation: that of all its tables."""
    return _key({name: record.key for name, record in records.items()})


def option_values(
    stage: Stage, *, allow_damaged: bool, values: Mapping[str, Value]
) -> dict[str, Value]:
    """The options that one stage depends on; raises QueryError for a parameter without value."""
    if isinstance(stage, ReadStage):
        of_clocks = (
            option_values(each, allow_damaged=allow_damaged, values=values)
            for each in stage.matching
        )
        own = {
            "allow_damaged": allow_damaged,
            MERGE_CALL_SITES: values.get(MERGE_CALL_SITES, False),
            DETAIL: values.get(DETAIL) or detail_of(stage.source.record_count, values),
        }
        return own | {k: v for each in of_clocks for k, v in each.items()}
    if isinstance(stage, SqlStage):
        return stage.query.bind(values)
    return {name: values.get(name, default) for name, default in stage.parameters.items()}


def options_by_stage(
    stages: Sequence[Stage], values: Mapping[str, Value], *, allow_damaged: bool = False
) -> dict[str, dict[str, Value]]:
    """The options of stages by their names."""
    return {
        stage.name: option_values(stage, allow_damaged=allow_damaged, values=values)
        for stage in stages
    }


def detail_of(record_count: int, values: Mapping[str, Value]) -> str:
    """The level of detail given, or that of a trace with so many records."""
    return str(values.get(DETAIL) or (CALLS if record_count >= _SUMMED_RECORDS else FULL))


def _records(
    graph: Sequence[Stage], digest: str, allow_damaged: bool, values: Mapping[str, Value]
) -> dict[str, TableRecord]:
    records: dict[str, TableRecord] = {}
    for stage in graph:
        options = option_values(stage, allow_damaged=allow_damaged, values=values)
        inputs = {name: records[name].key for name in stage.inputs}
        for table in stage.outputs:
            parts = key_parts(stage, table, digest=digest, options=options)
            records[table.name] = TableRecord(
                key=_key({"parts": parts, "inputs": inputs, "table": table.name}),
                parts=parts,
                inputs=inputs,
                reason="",
                is_stored=not table.is_transient,
            )
    return records


def _reason(new: TableRecord, old: TableRecord | None, *, is_first: bool) -> str:
    if is_first:
        return FIRST_RUN
    if old is None or old.is_stored != new.is_stored:
        return "new table"
    if old.key == new.key:
        return UNCHANGED
    for part, change in _CHANGES.items():
        if old.parts.get(part) != new.parts.get(part):
            return change
    names = sorted(set(old.inputs) | set(new.inputs))
    changed = [name for name in names if old.inputs.get(name) != new.inputs.get(name)]
    return f"upstream changed: {', '.join(changed)}"


def _made_together(graph: Sequence[Stage], reasons: Mapping[str, str]) -> dict[str, str]:
    """Tables that must be made because clocks are corrected while the trace is read."""
    found: dict[str, str] = {}
    for stage in graph:
        if isinstance(stage, ReadStage) and stage.matching:
            tables = [table.name for each in (stage, *stage.matching) for table in each.outputs]
            read = {table.name for table in stage.outputs} | AS_RECORDED
            due = [name for name in tables if name in read and reasons[name] != UNCHANGED]
            unchanged = [name for name in tables if due and reasons[name] == UNCHANGED]
            found |= dict.fromkeys(unchanged, f"made together with {due[0]}" if due else "")
    return found


def _to_run(
    graph: Sequence[Stage], reasons: Mapping[str, str]
) -> tuple[tuple[Stage, ...], dict[str, str]]:
    """The stages that must run, in order, and the reasons of all tables.

    A transient table is made only if a stage that runs needs it.
    """
    chosen: list[Stage] = []
    completed = dict(reasons)
    needed_by: dict[str, str] = {}
    for stage in reversed(graph):
        if any(
            table.name in needed_by if table.is_transient else reasons[table.name] != UNCHANGED
            for table in stage.outputs
        ):
            chosen.append(stage)
            needed_by |= dict.fromkeys(stage.inputs, stage.name)
            completed |= _completed(stage, reasons, needed_by)
    return tuple(reversed(chosen)), completed


def _completed(
    stage: Stage, reasons: Mapping[str, str], needed_by: Mapping[str, str]
) -> dict[str, str]:
    due = [table.name for table in stage.outputs if reasons[table.name] != UNCHANGED]
    users = (needed_by[table.name] for table in stage.outputs if table.name in needed_by)
    reason = f"made together with {due[0]}" if due else f"needed by {next(users)}"
    return {table.name: reason for table in stage.outputs if reasons[table.name] == UNCHANGED}


def _with_reasons(
    records: Mapping[str, TableRecord], decisions: Sequence[Decision]
) -> dict[str, TableRecord]:
    decided = {each.table: each for each in decisions}
    return {
        name: replace(record, reason=decided[name].reason, is_reused=not decided[name].is_computed)
        if name in decided
        else replace(record, reason=UNCHANGED, is_reused=True)
        for name, record in records.items()
    }


def _key(document: Any) -> str:
    return hash_of(json.dumps(document, sort_keys=True))
