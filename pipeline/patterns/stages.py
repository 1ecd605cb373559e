"""Gather the rows of patterns: all waits, findings, metrics, and patterns."""

import json
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any

import duckdb
import pyarrow as pa

from tracemill.patterns.catalog import catalog, metrics_of, pattern_of
from tracemill.patterns.metrics import metrics_with
from tracemill.schemas.metrics import METRICS
from tracemill.schemas.patterns import FINDINGS, PATTERNS
from tracemill.schemas.wait_states import WAIT_STATES
from tracemill.sql.pattern_declaration import COMPLETION, FINDING
from tracemill.sql.query_files import Query
from tracemill.stages.stage import PythonStage
from tracemill.store.parquet import ROW_GROUP_ROWS


def pattern_stages(own: Sequence[Query] = ()) -> tuple[PythonStage, ...]:
    """The stages that gather what the patterns of the catalog and your own ones find."""
    patterns = (*catalog(), *own)
    findings = [query.relation for query in patterns if pattern_of(query).kind == FINDING]
    waits = [query.relation for query in patterns if query.relation not in findings]
    completions = frozenset(
        query.relation for query in patterns if pattern_of(query).kind == COMPLETION
    )
    return (
        PythonStage(
            name=WAIT_STATES.name,
            inputs=tuple(waits),
            outputs=(WAIT_STATES,),
            compute=partial(gather_waits, completions),
            needed_rows=(tuple(waits),),
            skips_empty=True,
        ),
        PythonStage(
            name=FINDINGS.name,
            inputs=tuple(findings),
            outputs=(FINDINGS,),
            compute=gather_findings,
            needed_rows=(tuple(findings),),
            skips_empty=True,
        ),
        PythonStage(
            name=PATTERNS.name,
            outputs=(PATTERNS,),
            compute=tabulate_patterns,
            parameters={"declared_patterns": _patterns_as_json(own)},
        ),
        metrics_stage(own),
    )


def metrics_stage(own: Sequence[Query] = ()) -> PythonStage:
    """The stage that lists all metrics, those of patterns of your own included."""
    return PythonStage(
        name=METRICS.name,
        outputs=(METRICS,),
        compute=tabulate_metrics,
        parameters={"declared_metrics": _metrics_as_json(own)},
    )


def gather_waits(
    completions: frozenset[str], **patterns: duckdb.DuckDBPyRelation
) -> pa.RecordBatchReader:
    """The waits that patterns find, at least one, those of `completions` as such."""
    found = [
        relation.select(
            duckdb.StarExpression(),
            duckdb.ConstantExpression(name in completions).alias("is_completion"),
        )
        for name, relation in sorted(patterns.items())
    ]
    return _in_order(found, "property, visit_id")


def gather_findings(**patterns: duckdb.DuckDBPyRelation) -> pa.RecordBatchReader:
    """The findings of all patterns, at least one."""
    return _in_order([relation for _, relation in sorted(patterns.items())], "ALL")


def tabulate_metrics(*, declared_metrics: str) -> pa.Table:
    """All metrics by name, given as JSON."""
    return pa.Table.from_pylist(json.loads(declared_metrics))


def tabulate_patterns(*, declared_patterns: str) -> pa.Table:
    """All patterns by name, given as JSON."""
    return pa.Table.from_pylist(json.loads(declared_patterns))


def _in_order(found: Sequence[duckdb.DuckDBPyRelation], order: str) -> pa.RecordBatchReader:
    everything = reduce(lambda one, other: one.union(other), found)
    return everything.order(order).to_arrow_reader(ROW_GROUP_ROWS)


def _metrics_as_json(own: Sequence[Query]) -> str:
    rows = [
        {
            "metric": each.name,
            "parent_metric": each.parent,
            "kind": each.kind,
            "title": each.title,
            "unit": each.unit,
            "meaning": each.meaning,
        }
        for each in metrics_with(own)
    ]
    return json.dumps(rows)


def _patterns_as_json(own: Sequence[Query]) -> str:
    patterns = sorted((*catalog(), *own), key=lambda query: query.relation)
    return json.dumps([_as_row(query, patterns, is_own=query in own) for query in patterns])


def _as_row(query: Query, patterns: Sequence[Query], *, is_own: bool) -> Mapping[str, Any]:
    return {
        "pattern": query.relation,
        "kind": pattern_of(query).kind,
        "is_own": is_own,
        "metrics": ", ".join(metric.name for metric in metrics_of(query, patterns)),
        "description": query.description,
        "source": query.source,
        "assumes": query.assumes,
        "query": query.text,
    }
