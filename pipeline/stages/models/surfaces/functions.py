"""Functions given as text, such as `2 * n**3`, with their partial derivatives."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tracemill.stages.models.surfaces.measurements import Floats, UndeterminedError

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_LARGEST = 1e300
_LOG_2, _LOG_10 = float(np.log(2)), float(np.log(10))
_DERIVATIVES: Mapping[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    "log": (np.log, lambda x: 1 / x),
    "log2": (np.log2, lambda x: 1 / (x * _LOG_2)),
    "log10": (np.log10, lambda x: 1 / (x * _LOG_10)),
    "exp": (np.exp, np.exp),
}


class Differentiated(NamedTuple):
    """Values, and a row of slopes per variable."""

    value: Floats
    slopes: Floats


@dataclass(frozen=True)
class Function:
    """An expression of numbers, names, + - * / ** ^ and sqrt, log, log2, log10, exp.

    `variables` maps names to the number of a variable.
    """

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
        try:
            parsed = ast.parse(self.text.replace("^", "**").strip(), mode="eval").body
            self._check(parsed)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UndeterminedError(
                f"{self.text!r} is no expression: write one like n**3"
            ) from error
        return parsed

    def _check(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                if abs(number) > _LARGEST:
                    raise UndeterminedError(f"{self.text!r}: a number is too large")
            case ast.Name(id=name):
                if name not in self.variables:
                    raise UndeterminedError(
                        f"{self.text!r}: no {name}: names that can be used are "
                        f"{', '.join(sorted(self.variables))}"
                    )
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                self._check(inner)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                self._check(left)
                self._check(right)
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if (
                name in _DERIVATIVES
            ):
                self._check(inner)
            case _:
                raise UndeterminedError(
                    f"{self.text!r}: {ast.unparse(node)} cannot be computed: write n**3"
                )

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
    value = u**v
    varying = np.where(dv == 0, 0, value * np.log(u) * dv)
    return Differentiated(value, v * u ** (v - 1) * du + varying)
