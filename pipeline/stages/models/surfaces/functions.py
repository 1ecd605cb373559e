"""Functions given as text, such as `2 * n**3`, with their partial derivatives."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from tracemill.base.expressions import Expression, ExpressionError
from tracemill.stages.models.surfaces.measurements import Floats, UndeterminedError

_LOG_2, _LOG_10 = float(np.log(2)), float(np.log(10))
_DERIVATIVES: Mapping[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    "log": (np.log, lambda x: 1 / x),
    "log2": (np.log2, lambda x: 1 / (x * _LOG_2)),
    "log10": (np.log10, lambda x: 1 / (x * _LOG_10)),
    "exp": (np.exp, np.exp),
    "ceil": (np.ceil, np.zeros_like),
    "floor": (np.floor, np.zeros_like),
}


class Differentiated(NamedTuple):
    """Values, and a row of slopes per variable."""

    value: Floats
    slopes: Floats


@dataclass(frozen=True)
class Function:
    """An expression as in base.expressions; `variables` maps names to numbers of variables."""

    text: str
    variables: Mapping[str, int]

    def check(self) -> None:
        """Raise UndeterminedError, with what to write, unless the text is such an expression."""
        _ = self._parsed

    def evaluate(self, *variables: Floats) -> Differentiated:
        """Values and slopes at points, given by arrays of one shape, one per variable.

        Undefined values are infinite or NaN. Raises UndeterminedError for other texts.
        """
        arrays = np.array(variables, np.float64)
        with np.errstate(all="ignore"):
            return self._differentiate(self._parsed, arrays)

    @cached_property
    def _parsed(self) -> ast.expr:
        expression = Expression(self.text)
        try:
            expression.check(self.variables)
        except ExpressionError as error:
            raise UndeterminedError(str(error)) from error
        return expression.parsed

    def _differentiate(self, node: ast.expr, x: Floats) -> Differentiated:
        match node:
            case ast.Name(id=name):
                slopes = np.zeros_like(x)
                slopes[self.variables[name]] = 1
                return Differentiated(x[self.variables[name]], slopes)
            case ast.UnaryOp(operand=operand):
                value, slopes = self._differentiate(operand, x)
                return Differentiated(-value, -slopes)
            case ast.BinOp(left=left, op=op, right=right):
                return _combine(op, self._differentiate(left, x), self._differentiate(right, x))
            case ast.Call(func=ast.Name(id=name), args=[inner]):
                value, slopes = self._differentiate(inner, x)
                function, derivative = _DERIVATIVES[name]
                return Differentiated(function(value), derivative(value) * slopes)
            case ast.Call(func=ast.Name(id=name), args=inners):
                found = (self._differentiate(each, x) for each in inners)
                return reduce(_smaller if name == "min" else _larger, found)
            case ast.Constant(value=int() | float() as number):
                return Differentiated(np.full_like(x[0], number), np.zeros_like(x))
        raise AssertionError(f"not checked: {ast.unparse(node)}")


def _combine(op: ast.operator, left: Differentiated, right: Differentiated) -> Differentiated:
    (u, du), (v, dv) = left, right
    match op:
        case ast.Add():
            return Differentiated(u + v, du + dv)
        case ast.Sub():
            return Differentiated(u - v, du - dv)
        case ast.Mult():
            return Differentiated(u * v, du * v + u * dv)
        case ast.Div():
            return Differentiated(u / v, (du - u / v * dv) / v)
        case ast.FloorDiv():
            return Differentiated(u // v, np.zeros_like(du))
    value = u**v
    varying = np.where(dv == 0, 0, value * np.log(u) * dv)
    return Differentiated(value, v * u ** (v - 1) * du + varying)


def _smaller(left: Differentiated, right: Differentiated) -> Differentiated:
    is_left = left.value <= right.value
    return Differentiated(*(np.where(is_left, *pair) for pair in zip(left, right, strict=True)))


def _larger(left: Differentiated, right: Differentiated) -> Differentiated:
    is_left = left.value >= right.value
    return Differentiated(*(np.where(is_left, *pair) for pair in zip(left, right, strict=True)))
