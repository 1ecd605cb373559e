"""Checks of user patterns against the shipped ones and each other."""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cache

from tracemill.base.errors import PatternError, QueryError
from tracemill.patterns.catalog import catalog, known_tables, metrics_of, pattern_of
from tracemill.patterns.circles import is_made_of
from tracemill.patterns.metrics import metrics_with, spelling
from tracemill.patterns.results import WORKING_TABLES
from tracemill.schemas import TABLES
from tracemill.sql.metric_texts import Metric, shipped_metrics
from tracemill.sql.query_files import Query, all_queries, known_parameters
from tracemill.sql.reads import Reads, reads_of
from tracemill.sql.refusals import refused
from tracemill.sql.stability import unstable_functions

# Functions that make rows of their arguments; others read files, settings or other tables.
HARMLESS_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Others:
    """The other patterns of the user: `usable` so far, all `read`, and the names of all files."""

    usable: tuple[Query, ...]
    read: tuple[Query, ...]
    names: Set[str]


def check_pattern(query: Query, others: Others) -> None:
    """Raise PatternError if the pattern cannot be used, with the first reason."""
    _check_name(query, others)
    _check_inputs(query, others)
    reads = _reads(query)
    _check_reads(query, reads, others)
    _check_parameters(query, reads, others)
    _check_metrics(query, others)
    _check_shared(query, others)
    _check_parents(query, others)


def _check_name(query: Query, others: Others) -> None:
    if not _NAME.fullmatch(query.relation):
        raise refused(
            query.path, "this is no name of a table", "use small letters, digits and _ for the file"
        )
    if query.output != query.relation:
        raise refused(query.path, f"Output is {query.output}", "name it like the file")
    if query.relation in _taken_names():
        raise refused(query.path, "Tracemill has something of this name", "choose another")
    for other in others.usable:
        if other.relation == query.relation:
            raise refused(query.path, "two patterns have this name", f"rename it or {other.path}")


@cache
def _taken_names() -> Set[str]:
    return {*(query.relation for query in all_queries()), *known_tables(), *WORKING_TABLES}


def _tables_of_runs(others: Others) -> Set[str]:
    """The tables that a pattern may read: those of a run, and rows of patterns."""
    found = (query.relation for query in catalog())
    return {*(table.name for table in TABLES), *found, *others.names}


def _check_inputs(query: Query, others: Others) -> None:
    for name in query.inputs:
        if name not in _tables_of_runs(others):
            raise refused(query.path, f"no table {name}", "for all tables, see tracemill tables")
    for name in query.inputs:
        if is_made_of(name, query, others.usable):
            raise refused(
                query.path, f"it reads {name}, which is computed from its results",
                f"take {name} out of the query and of Inputs",
            )  # fmt: skip


def _reads(query: Query) -> Reads:
    try:
        return reads_of(query.text)
    except QueryError as error:
        raise refused(query.path, str(error), "write a single SELECT") from error


def _check_reads(query: Query, reads: Reads, others: Others) -> None:
    for name in sorted(reads.functions):
        if name.lower() not in HARMLESS_FUNCTIONS:
            raise refused(query.path, f"the query uses {name}", "a pattern reads only its Inputs")
    for name in sorted(reads.tables):
        if name.lower() in query.inputs:
            continue
        if name.lower() in _tables_of_runs(others):
            raise refused(query.path, f"the query reads {name}", "add it to Inputs")
        raise refused(
            query.path, f"the query reads {name}, which is no table of a run",
            "a pattern reads only its Inputs",
        )  # fmt: skip
    for name in sorted(reads.calls):
        if name.lower() in unstable_functions():
            raise refused(
                query.path, f"the query uses {name}, which depends on more than its arguments",
                "leave it out, so that the same is found every time",
            )  # fmt: skip


def _check_parameters(query: Query, reads: Reads, others: Others) -> None:
    declared = {parameter.name for parameter in query.parameters}
    for name in sorted(reads.parameters - declared):
        raise refused(
            query.path, f"the query takes ${name}, which the header does not declare",
            f"add ${name}  meaning (BIGINT, default 5) to Parameters",
        )  # fmt: skip
    for name in sorted(declared - reads.parameters):
        raise refused(query.path, f"the query does not take ${name}", "take it out of Parameters")
    for parameter in query.parameters:
        if not parameter.has_default:
            raise refused(
                query.path, f"${parameter.name} has no default",
                f"declare one, which is its value: ${parameter.name}  meaning (BIGINT, default 5)",
            )  # fmt: skip
    stages = (each for each in all_queries() if each.is_stage)
    try:
        known_parameters((*stages, *others.usable, query))
    except QueryError as error:
        raise PatternError(str(error)) from error


def _check_metrics(query: Query, others: Others) -> None:
    """Every metric has a name and a title of its own, but those shared with another pattern."""
    owners = _spellings(shipped_metrics().values(), "Tracemill")
    for other in others.usable:
        owners |= _spellings(pattern_of(other).metrics, other.relation)
    for metric in pattern_of(query).metrics:
        for word, text in (("name", metric.name), ("title", metric.title)):
            if owner := owners.get(spelling(text)):
                raise refused(query.path, f"{owner} has a metric {text}", f"choose another {word}")
        owners |= _spellings([metric], query.relation)


def _spellings(metrics: Iterable[Metric], owner: str) -> dict[str, str]:
    """The owners of metrics, with all patterns that find them."""
    return {spelling(text): owner for each in metrics for text in (each.name, each.title)}


def _check_shared(query: Query, others: Others) -> None:
    """Check that the pattern of shared metrics exists; its own errors are reported for it."""
    shared = pattern_of(query).shared
    if shared not in others.names and not metrics_of(query, (*catalog(), *others.read)):
        raise refused(query.path, f"no pattern {shared}", "tracemill patterns list lists them")


def _check_parents(query: Query, others: Others) -> None:
    """Check that parents of metrics exist, without cycles."""
    parents = {metric.name: metric.parent for metric in metrics_with(others.read)}
    for metric in pattern_of(query).metrics:
        if metric.parent is not None and metric.parent not in parents:
            raise refused(
                query.path, f"{metric.name} is part of {metric.parent}, which is no metric",
                "tracemill explain lists them",
            )  # fmt: skip
        if metric.name in _above(metric.name, parents):
            raise refused(
                query.path, f"{metric.name} is part of {metric.parent}, which is part of it",
                "leave out one of the two",
            )  # fmt: skip


def _above(name: str, parents: Mapping[str, str | None]) -> Set[str]:
    """Every metric that one is part of."""
    above: set[str] = set()
    parent = parents.get(name)
    while parent is not None and parent not in above:
        above.add(parent)
        parent = parents.get(parent)
    return above
