"""Amounts of computation as expressions of the problem size, such as `2 * n**3`."""

import math
from collections.abc import Iterable, Mapping
from functools import cache

from tracemill.base.errors import CampaignError
from tracemill.base.expressions import Expression, ExpressionError


def check_expression(expression: str, names: Iterable[str]) -> None:
    """Raise CampaignError for a malformed expression, or one with other names."""
    try:
        _parse(expression).check(tuple(names))
    except ExpressionError as error:
        raise CampaignError(str(error)) from error


def evaluate_expression(expression: str, values: Mapping[str, float]) -> float:
    """The value of an expression. Raises CampaignError if it is malformed, negative or infinite."""
    try:
        value = _parse(expression).evaluate(values)
    except ExpressionError as error:
        raise CampaignError(str(error)) from error
    text = f"{expression!r} with {', '.join(f'{k} = {v:g}' for k, v in sorted(values.items()))}"
    if not math.isfinite(value):
        raise CampaignError(f"{text} has no value: it is {value}")
    if value < 0:
        raise CampaignError(f"{text} is {value:g}: it must be 0 or more")
    return value


@cache
def _parse(expression: str) -> Expression:
    return Expression(expression)
