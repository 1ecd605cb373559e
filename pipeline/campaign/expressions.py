"""Amounts of computation as expressions of the problem size, such as `2 * n**3`."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pipeline.errors import CampaignError

_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
}


def evaluate(expression: str, values: Mapping[str, float]) -> float:
    """The value of an expression of numbers, names, + - * / ** and sqrt, log, log2, log10, exp.

    Raises CampaignError if it holds something else, or has no finite value that is 0 or more.
    """
    try:
        value = _value(_parsed(expression), values, expression)
    except (ArithmeticError, ValueError) as error:
        raise CampaignError(f"{_told(expression, values)} has no value: {error}") from error
    if not math.isfinite(value) or value < 0:
        raise CampaignError(f"{_told(expression, values)} is {value:g}: it must be 0 or more")
    return value


@cache
def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CampaignError(f"{expression!r} is no expression: write one like n**3") from error


def _value(node: ast.expr, values: Mapping[str, float], expression: str) -> float:
    def value(inner: ast.expr) -> float:
        return _value(inner, values, expression)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name):
            return _named(name, values, expression)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](value(left), value(right))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](value(inner))
    raise CampaignError(f"{expression!r}: {ast.unparse(node)} cannot be computed: write n**3")


def _named(name: str, values: Mapping[str, float], expression: str) -> float:
    if name not in values:
        raise CampaignError(
            f"{expression!r}: no {name}: names that can be used are {', '.join(sorted(values))}"
        )
    return values[name]


def _told(expression: str, values: Mapping[str, Any]) -> str:
    return f"{expression!r} with {', '.join(f'{k} = {v:g}' for k, v in sorted(values.items()))}"
