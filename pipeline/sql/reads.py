"""The names that a SELECT reads: tables, table functions, parameters."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from tracemill.base.errors import QueryError

_TABLE, _FUNCTION, _CALL = "table", "function", "call"
# What qualifies a name that stands for all rows so far, in a recursion that keeps one per key.
_RECURRING = "recurring"
# What SQL takes for functions without brackets, if there is no column of the name.
TIMES_OF_DAY = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
)


@dataclass(frozen=True)
class Reads:
    """Names that a statement reads, as it spells them.

    `tables`: names after FROM and JOIN, including files and other schemas, without those defined by
    WITH. `functions`: table functions. `calls`: functions anywhere, words for the time of day,
    SAMPLE.
    """

    tables: frozenset[str]
    functions: frozenset[str]
    calls: frozenset[str]
    parameters: frozenset[str]


def reads_of(text: str) -> Reads:
    """The names that a single SELECT reads. It is only parsed; tables need not exist.

    Raises QueryError, without a location, for any other text.
    """
    statement = parse_statement(text)
    found = set(_references(statement["node"], frozenset()))
    return Reads(
        tables=frozenset(name for kind, name in found if kind == _TABLE),
        functions=frozenset(name for kind, name in found if kind == _FUNCTION),
        calls=frozenset(name for kind, name in found if kind == _CALL),
        parameters=frozenset(parameter["key"] for parameter in statement["named_param_map"]),
    )


def parse_statement(text: str) -> Mapping[str, Any]:
    """The tree of a single SELECT, as DuckDB writes it in JSON. Raises like reads_of."""
    ((answer,),) = duckdb.execute("SELECT json_serialize_sql($text)", {"text": text}).fetchall()
    document = json.loads(answer)
    if document["error"]:
        raise QueryError(_reason(text, document))
    count = len(document["statements"])
    if count != 1:
        raise QueryError(f"the SQL holds {count} statements")
    statement: Mapping[str, Any] = document["statements"][0]
    return statement


def _reason(text: str, failure: Mapping[str, str]) -> str:
    said = failure["error_message"].splitlines()[0]
    if said.startswith("Only SELECT"):
        return "the SQL is no SELECT, or has a PIVOT without IN"
    if "position" not in failure:
        return f"the SQL cannot be read: {said}"
    line = text.encode()[: int(failure["position"])].count(b"\n") + 1
    return f"the SQL cannot be read: {said} in line {line}"


def _references(part: Any, defined: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Kind and name of what a part of a tree reads, where `defined` are known from WITH."""
    if isinstance(part, list):
        for each in part:
            yield from _references(each, defined)
    elif isinstance(part, dict):
        yield from _reference(part, defined)
        for child, known in _children(part, defined):
            yield from _references(child, known)


def _reference(node: Mapping[str, Any], defined: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The name that a node itself reads or calls, if any."""
    if node.get("sample"):
        yield _CALL, "SAMPLE"
    match node.get("type"):
        case "BASE_TABLE":
            path = node["qualified_name"]["path"]
            name = path[1:] if path[0].lower() == _RECURRING else path
            if len(name) > 1 or name[0].lower() not in defined:
                yield _TABLE, ".".join(path)
        case "TABLE_FUNCTION":
            yield _FUNCTION, node["function"]["function_name"]
        case "FUNCTION":
            yield _CALL, node["function_name"]
        case "COLUMN_REF" if "".join(node["column_names"]).lower() in TIMES_OF_DAY:
            yield _CALL, node["column_names"][0]
        case "SHOW_REF" if node["query"] is None:
            yield _FUNCTION, "SHOW"


def _children(
    node: Mapping[str, Any], defined: frozenset[str]
) -> Iterator[tuple[Any, frozenset[str]]]:
    """The parts of a node, each with the names defined there.

    A definition sees those before it, and itself only if it is recursive.
    """
    for definition in (node.get("cte_map") or {}).get("map", ()):
        yield definition["value"], defined
        defined |= {definition["key"].lower()}
    for key, child in node.items():
        if key == "right" and node.get("type") == "RECURSIVE_CTE_NODE":
            yield child, defined | {node["cte_name"].lower()}
        elif key != "cte_map":
            yield child, defined
