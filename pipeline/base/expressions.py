"""Numbers given as expressions of names, such as `2 * n**3` or `ceil(n / p1)`."""

import ast
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

FUNCTIONS: Final[Mapping[str, Callable[..., float]]] = {
    "sqrt": math.sqrt, "log": math.log, "log2": math.log2, "log10": math.log10, "exp": math.exp,
    "min": min, "max": max, "ceil": math.ceil, "floor": math.floor,
}  # fmt: skip
"""Functions of expressions; `log` is the natural logarithm."""

OF_SEVERAL: Final = ("min", "max")
"""Functions of two or more arguments; the others have one."""

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
_LARGEST = 1e300


class ExpressionError(Exception):
    """A text is no expression; the message names the text and the mistake."""


@dataclass(frozen=True)
class Expression:
    """An expression of numbers, names, + - * / // ** ^ ( ) and FUNCTIONS; ^ means **."""

    text: str

    @cached_property
    def parsed(self) -> ast.expr:
        """The syntax tree. Raises ExpressionError for other texts."""
        try:
            parsed = ast.parse(self.text.replace("^", "**").strip(), mode="eval").body
            for node in _walk(parsed):
                self._check(node)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"{self.text!r} is no expression: write one like n**3") from error
        return parsed

    @cached_property
    def names(self) -> frozenset[str]:
        """Names whose values it needs. Raises ExpressionError."""
        return frozenset(each.id for each in _walk(self.parsed) if isinstance(each, ast.Name))

    def check(self, names: Collection[str]) -> None:
        """Raise ExpressionError unless it is an expression of these names."""
        for name in sorted(self.names.difference(names)):
            usable = ", ".join(sorted(names)) or "none"
            raise ExpressionError(f"{self.text!r}: no {name}: names that can be used are {usable}")

    def evaluate(self, values: Mapping[str, float]) -> float:
        """The value in double arithmetic; infinite or NaN where it is not defined.

        Raises ExpressionError if it is malformed, or a name has no value.
        """
        self.check(values)
        try:
            return _evaluate(self.parsed, values)
        except OverflowError:
            return math.inf
        except (ZeroDivisionError, ValueError):
            return math.nan

    def _check(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                if abs(number) > _LARGEST:
                    raise ExpressionError(f"{self.text!r}: a number is too large")
            case ast.Name() | ast.UnaryOp(op=ast.USub()):
                pass
            case ast.BinOp(op=op) if isinstance(op, _OPERATORS):
                pass
            case ast.Call(func=ast.Name(id=name), args=[_], keywords=[]) if (
                name in FUNCTIONS and name not in OF_SEVERAL
            ):
                pass
            case ast.Call(func=ast.Name(id=name), args=[_, _, *_], keywords=[]) if (
                name in OF_SEVERAL
            ):
                pass
            case _:
                raise ExpressionError(
                    f"{self.text!r}: {ast.unparse(node)} cannot be computed: write n**3"
                )


def _walk(node: ast.expr) -> Iterator[ast.expr]:
    """A node and its operands; those of unknown nodes are left out."""
    yield node
    operands: list[ast.expr] = []
    match node:
        case ast.UnaryOp(operand=inner):
            operands = [inner]
        case ast.BinOp(left=left, right=right):
            operands = [left, right]
        case ast.Call(args=inners):
            operands = inners
    for each in operands:
        yield from _walk(each)


def _evaluate(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return float(values[name])
        case ast.UnaryOp(operand=inner):
            return -_evaluate(inner, values)
        case ast.BinOp(left=left, op=op, right=right):
            return _combine(op, _evaluate(left, values), _evaluate(right, values))
        case ast.Call(func=ast.Name(id=name), args=inners):
            return float(FUNCTIONS[name](*(_evaluate(each, values) for each in inners)))
    raise AssertionError(f"not checked: {ast.unparse(node)}")


def _combine(op: ast.operator, left: float, right: float) -> float:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return left // right
    return math.pow(left, right)
