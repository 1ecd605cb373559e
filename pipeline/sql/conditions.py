"""Conditions on named numbers, such as `a > 3 or b + c >= 10`: parsed and evaluated by DuckDB."""

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from tracemill.base.errors import UsageError
from tracemill.base.names import make_visible, shorten
from tracemill.base.near import did_you_mean, near_matches
from tracemill.base.text import printable

_COMPARISONS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
}
_CONJUNCTIONS = {"CONJUNCTION_AND": " AND ", "CONJUNCTION_OR": " OR "}
_ARITHMETIC = "+-*/"
_LONGEST = 200
Node = Mapping[str, Any]


class ConditionError(Exception):
    """A text is not a condition on the numbers."""


class UnknownNameError(ConditionError):
    """A condition names a number that does not exist."""


def evaluate(expression: str, rows: Sequence[Mapping[str, float]]) -> tuple[list[bool], list[str]]:
    """Evaluate a condition in each row; also returns the names that it uses, in order.

    All rows have the same names, in lower case. A number divided by zero is infinite with its sign;
    0/0 equals nothing, and is neither more nor less. Raises ConditionError.
    """
    try:
        with duckdb.connect() as connection:
            condition = _Condition(rows[0])
            sql = condition.render(_parse(connection, expression))
            names = list(condition.used)
            if not names:
                raise ConditionError("it names no count")
            columns = ", ".join(f"unnest(${name}::DOUBLE[]) AS {name}" for name in names)
            values = {name: [float(row[name]) for row in rows] for name in names}
            held = connection.execute(f"SELECT {sql} FROM (SELECT {columns})", values).fetchall()
    except RecursionError as error:
        raise ConditionError("it is too long") from error
    except duckdb.Error as error:
        raise ConditionError(f"it cannot be evaluated ({_first_line(error)})") from error
    return [bool(holds) for (holds,) in held], names


def refusal(option: str, expression: str, problem: str) -> UsageError:
    """The error for an option whose text is not a condition."""
    return UsageError(f"{option} {shorten(make_visible(expression), _LONGEST)}: {problem}")


def _parse(connection: duckdb.DuckDBPyConnection, expression: str) -> Node:
    """The tree of one expression. Raises ConditionError for anything else."""
    if not expression.strip():
        raise ConditionError("there is no condition")
    query = {"query": f"SELECT {printable(expression)}"}
    ((text,),) = connection.execute("SELECT json_serialize_sql($query)", query).fetchall()
    found = json.loads(text)
    if found["error"]:
        raise ConditionError(f"it cannot be read ({_first_line(found.get('error_message', ''))})")
    nodes = [statement["node"] for statement in found["statements"]]
    filled = {name for name, value in nodes[0].items() if value} - {"cte_map"}
    is_plain = filled == {"type", "select_list", "from_table", "aggregate_handling"}
    if len(nodes) > 1 or not is_plain or nodes[0]["from_table"]["type"] != "EMPTY":
        raise ConditionError("it is more than a condition")
    if len(nodes[0]["select_list"]) != 1:
        raise ConditionError("give one condition")
    tree: Node = nodes[0]["select_list"][0]
    return tree


@dataclass(frozen=True)
class _Condition:
    """Renders a condition as SQL in floating point.

    Only comparisons of numbers, and, or, not, and + - * / are allowed, so that it reads nothing but
    the named numbers.
    """

    known: Collection[str]
    used: dict[str, None] = field(default_factory=dict)

    def render(self, node: Node) -> str:
        if node["class"] == "COMPARISON" and node["type"] in _COMPARISONS:
            one, other = (f"nullif({self._number(part)}, 'nan')" for part in _children(node))
            return f"coalesce({one} {_COMPARISONS[node['type']]} {other}, false)"
        if node["class"] == "CONJUNCTION":
            joined = _CONJUNCTIONS[node["type"]].join(map(self.render, _children(node)))
            return f"({joined})"
        if node["type"] == "OPERATOR_NOT":
            return f"(NOT {self.render(*_children(node))})"
        if node["class"] == "COLUMN_REF":
            raise ConditionError(f"{self._name(node)} is a count, not a condition")
        raise ConditionError(f"{_describe(node)} is not a condition")

    def _number(self, node: Node) -> str:
        if node["class"] == "COLUMN_REF":
            return self._name(node)
        literal = node.get("literal", {})
        if literal.get("kind") in ("INTEGER", "NUMERIC"):
            return _literal(literal["text"])
        if node["class"] == "FUNCTION" and node["is_operator"]:
            sign, values = node["function_name"], [self._number(each) for each in _children(node)]
            if sign in _ARITHMETIC:
                one, other = values if len(values) == 2 else ("0", *values)
                return f"({one} {sign} {other})"
        raise ConditionError(f"{_describe(node)} is neither a count nor a number")

    def _name(self, node: Node) -> str:
        name = ".".join(node["column_names"]).lower()
        if name not in self.known:
            close = did_you_mean(near_matches(name, self.known, most=1))
            hint = f" ({close})" if close else ""
            raise UnknownNameError(f"no count {name}{hint}")
        self.used[name] = None
        return name


def _children(node: Node) -> Iterator[Node]:
    yield from (node[side] for side in ("left", "right") if side in node)
    yield from node.get("children", ())
    yield from (each["expression"] for each in node.get("arguments", ()))


def _literal(text: str) -> str:
    try:
        value = float(text)
    except ValueError as error:
        raise ConditionError(f"{text} is no number") from error
    if math.isinf(value):
        raise ConditionError("it reckons with too large a number")
    return f"'{value!r}'::DOUBLE"


def _describe(node: Node) -> str:
    """The function, the literal or the kind of a node."""
    literal = node.get("literal", {}).get("text")
    return str(node.get("function_name") or literal or node["class"].lower())


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]
