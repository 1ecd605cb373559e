"""Conditions on named counts, such as `a > 3 or b + c >= 10`: read by DuckDB, judged here."""

import json
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pipeline.errors import UsageError

if TYPE_CHECKING:
    import duckdb

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "COMPARE_EQUAL": operator.eq,
    "COMPARE_NOTEQUAL": lambda one, other: one < other or one > other,
    "COMPARE_LESSTHAN": operator.lt,
    "COMPARE_GREATERTHAN": operator.gt,
    "COMPARE_LESSTHANOREQUALTO": operator.le,
    "COMPARE_GREATERTHANOREQUALTO": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: one / other if other else _by_zero(one),
}
_HOW = (
    "compare counts and numbers with = <> < <= > >=, such as 'clock_violations > 10', and join "
    "with and, or, not, + - * / ( ); or give any"
)
_LONGEST = 200
Node = Mapping[str, Any]


class _NoConditionError(Exception):
    """What a text holds is no condition on counts."""


class _UnknownNameError(_NoConditionError):
    """It names something that is not counted."""


@dataclass(frozen=True)
class Verdict:
    """Whether a condition holds, and the counts that it names, in their order."""

    holds: bool
    named: Mapping[str, int]


def judge(
    connection: "duckdb.DuckDBPyConnection",
    expression: str,
    counts: Mapping[str, int],
    *,
    aliases: Mapping[str, str],
) -> Verdict:
    """Whether a condition on counts holds; `aliases` are other names of some of them.

    What is divided by zero is infinite, with its sign; 0/0 is neither more nor less than anything,
    nor equal. Raises UsageError with the names there are if the text is no such condition.
    """
    # What is no text in a command line cannot be parsed, nor printed.
    expression = expression.encode("utf-8", "replace").decode()
    shown = " ".join(expression.split())
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} …"
    known = dict(counts) | {alias: counts[name] for alias, name in aliases.items()}
    try:
        tree = _parse(connection, expression)
        named = {name: known[name] for name in _names(tree, known)}
        holds = _truth(tree, known)
        if not named:
            raise _NoConditionError("it names no count")
        return Verdict(holds, named)
    except RecursionError:
        problem, advice = "it is too long", _HOW
    except OverflowError:
        problem, advice = "it reckons with too large a number", _HOW
    except _UnknownNameError as error:
        problem, advice = (
            str(error),
            f"counts: {', '.join(counts)}; or kinds as quality prints them",
        )
    except _NoConditionError as error:
        problem, advice = str(error), _HOW
    raise UsageError(f"--fail-on {shown}: {problem}: {advice}")


def _parse(connection: "duckdb.DuckDBPyConnection", expression: str) -> Node:
    """The tree of an expression. Raises _NoConditionError if the text is more than one, or none."""
    if not expression.strip():
        raise _NoConditionError("there is no condition")
    query = {"query": f"SELECT {expression}"}
    ((text,),) = connection.execute("SELECT json_serialize_sql($query)", query).fetchall()
    found = json.loads(text)
    if found["error"]:
        reason = str(found.get("error_message", "")).splitlines()[0]
        raise _NoConditionError(f"it cannot be read ({reason})")
    nodes = [statement["node"] for statement in found["statements"]]
    filled = {name for name, value in nodes[0].items() if value} - {"cte_map"}
    is_plain = filled == {"type", "select_list", "from_table", "aggregate_handling"}
    if len(nodes) > 1 or not is_plain or nodes[0]["from_table"]["type"] != "EMPTY":
        raise _NoConditionError("it is more than a condition")
    if len(nodes[0]["select_list"]) != 1:
        raise _NoConditionError("give one condition")
    tree: Node = nodes[0]["select_list"][0]
    return tree


def _names(node: Node, known: Mapping[str, int]) -> Iterator[str]:
    """The counts that a tree names; raises _NoConditionError for one that there is not."""
    if node["class"] == "COLUMN_REF":
        name = ".".join(node["column_names"]).lower()
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise _UnknownNameError(
                f"no count {name}" + (f" (did you mean {close[0]}?)" if close else "")
            )
        yield name
    for child in _children(node):
        yield from _names(child, known)


def _children(node: Node) -> list[Node]:
    sides = [node[side] for side in ("left", "right") if side in node]
    arguments = [each["expression"] for each in node.get("arguments", ())]
    return [*sides, *node.get("children", ()), *arguments]


def _truth(node: Node, known: Mapping[str, int]) -> bool:
    """Whether a tree holds."""
    parts = _children(node)
    if node["class"] == "COMPARISON" and node["type"] in _COMPARISONS:
        return _COMPARISONS[node["type"]](*(_number(part, known) for part in parts))
    if node["class"] == "CONJUNCTION":
        judged = [_truth(part, known) for part in parts]  # all: each must be a condition
        return all(judged) if node["type"] == "CONJUNCTION_AND" else any(judged)
    if node["type"] == "OPERATOR_NOT":
        return not _truth(parts[0], known)
    if node["class"] == "COLUMN_REF":
        raise _NoConditionError(f"{node['column_names'][0]} is a count, no condition")
    raise _NoConditionError(f"{_describe(node)} is no condition")


def _number(node: Node, known: Mapping[str, int]) -> float:
    """Value of a tree."""
    parts = _children(node)
    if node["class"] == "COLUMN_REF":
        return known[node["column_names"][0].lower()]
    literal = node.get("literal", {})
    if literal.get("kind") in ("INTEGER", "NUMERIC"):
        return _literal(literal["text"])
    if node["class"] == "FUNCTION" and node["is_operator"] and node["function_name"] in _ARITHMETIC:
        values = [_number(part, known) for part in parts]
        compute = _ARITHMETIC[node["function_name"]]
        return compute(*values) if len(values) == 2 else compute(0, values[0])
    raise _NoConditionError(f"{_describe(node)} is neither a count nor a number")


def _by_zero(one: float) -> float:
    return math.copysign(math.inf, one) if one else math.nan


def _describe(node: Node) -> str:
    """What stands there, in a word."""
    return str(
        node.get("function_name") or node.get("literal", {}).get("text") or node["class"].lower()
    )


def _literal(text: str) -> float:
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError as error:
        raise _NoConditionError(f"{text} is no number") from error
