"""Patterns of the user: files of SQL in a folder, checked before anything is computed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import MissingInputError, PatternError, QueryError
from pipeline.patterns.catalogue import catalogue, known_tables, metrics_of, pattern_of
from pipeline.sql import Query, all_queries, known_parameters, read_query

FOLDER = "patterns"
"""Folder of a store whose patterns are looked for in every trace analysed into it."""


def read_patterns(folders: Sequence[Path]) -> tuple[Query, ...]:
    """All patterns of some folders, by name.

    Raises MissingInputError for a folder that is not there, and PatternError for a file that is
    no pattern, or whose name or metrics are taken.
    """
    files = [file for folder in folders for file in _files(folder)]
    patterns = sorted((_read(file) for file in files), key=lambda query: query.relation)
    _check_names(patterns)
    _check_metrics(patterns)
    return tuple(patterns)


def patterns_of_store(store: Path) -> tuple[Path, ...]:
    """The folder of a store's own patterns, if it has one."""
    folder = store / FOLDER
    return (folder,) if folder.is_dir() else ()


def patterns_beside(store: Path, folder: Path | None) -> tuple[Query, ...]:
    """The patterns of a store, which need not exist, and of a folder. Raises like read_patterns."""
    return read_patterns((*patterns_of_store(store), *((folder,) if folder else ())))


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise MissingInputError(f"no folder of patterns: {folder}: name one that holds .sql files")
    return sorted(folder.glob("*.sql"))


def _read(file: Path) -> Query:
    try:
        query = read_query(file)
        known_parameters((query, *(each for each in all_queries() if each.is_stage)))
        query.bind({})
    except QueryError as error:
        raise PatternError(str(error)) from error
    if query.pattern is None:
        raise PatternError(f"{query.relation}: the header lacks Pattern and Metrics: {file}")
    if query.output != query.relation:
        raise PatternError(
            f"{query.relation}: Output is {query.output}: {file}: name it like the file"
        )
    return query


def _check_names(patterns: Sequence[Query]) -> None:
    taken = {query.relation for query in all_queries()} | set(known_tables())
    seen: dict[str, Query] = {}
    for query in patterns:
        other = seen.setdefault(query.relation, query)
        if other is not query:
            raise PatternError(
                f"{query.relation}: two patterns have this name: {other.path} and {query.path}"
            )
        if not query.relation.isidentifier():
            raise PatternError(
                f"{query.relation} is no name of a table: {query.path}: use letters, digits and _"
            )
        if query.relation in taken:
            raise PatternError(
                f"{query.relation}: Tracemill has something of this name: {query.path}: "
                "choose another"
            )
        _check_inputs(query, patterns)


def _check_inputs(query: Query, patterns: Sequence[Query]) -> None:
    known = {*known_tables(), *(each.relation for each in patterns)}
    for name in query.inputs:
        if name not in known:
            raise PatternError(
                f"{query.relation}: no table {name}: {query.path}: tracemill tables lists them"
            )
    for name in sorted(_tables_read(query) - set(query.inputs)):
        raise PatternError(
            f"{query.relation}: the query reads {name}: {query.path}: add it to Inputs"
        )


def _tables_read(query: Query) -> set[str]:
    """What a query names after FROM and JOIN, but for what it defines itself."""
    import duckdb

    text = duckdb.execute("SELECT json_serialize_sql($text)", {"text": query.statement}).fetchall()[
        0
    ][0]
    document = json.loads(text)
    if document["error"]:
        reason = document["error_message"].splitlines()[0]
        raise PatternError(f"{query.relation}: the SQL cannot be read: {query.path}: {reason}")
    nodes = list(_walk(document))
    named = {node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"}
    return named - {each["key"] for node in nodes for each in _defined(node)}


def _defined(node: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The common table expressions that a node of a statement defines."""
    cte_map = node.get("cte_map")
    return cte_map.get("map", ()) if isinstance(cte_map, dict) else ()


def _walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    children = node.values() if isinstance(node, dict) else node
    if isinstance(node, dict | list):
        for child in children:
            yield from _walk(child)


def _check_metrics(patterns: Sequence[Query]) -> None:
    taken = dict.fromkeys(_names_of_catalogue(), "Tracemill")
    for query in patterns:
        for metric in pattern_of(query).metrics:
            if metric.name in taken:
                raise PatternError(
                    f"{query.relation}: {taken[metric.name]} has a metric {metric.name}: "
                    f"{query.path}: choose another name"
                )
            taken[metric.name] = query.relation
    for query in patterns:
        if not metrics_of(query, (*catalogue(), *patterns)):
            raise PatternError(
                f"{query.relation}: no pattern {pattern_of(query).shared}: {query.path}"
            )
        for metric in pattern_of(query).metrics:
            if metric.parent is not None and metric.parent not in taken:
                raise PatternError(
                    f"{query.relation}: {metric.name} is part of {metric.parent}, which is no "
                    f"metric: {query.path}: tracemill explain lists them"
                )


def _names_of_catalogue() -> Iterator[str]:
    from pipeline.patterns.metrics import measured_metrics

    yield from (metric.name for metric in measured_metrics())
    for query in catalogue():
        yield from (metric.name for metric in pattern_of(query).metrics)
