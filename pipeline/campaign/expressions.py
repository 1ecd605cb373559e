"""Amounts of computation as expressions of the problem size, such as `2 * n**3`."""

import math
from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np

from tracemill.base.errors import CampaignError
from tracemill.stages.models.surfaces.functions import Function
from tracemill.stages.models.surfaces.measurements import UndeterminedError


def check_expression(expression: str, names: Iterable[str]) -> None:
    """Raise CampaignError for a malformed expression, or one with other names. See Function."""
    try:
        _function(expression, tuple(names)).check()
    except UndeterminedError as error:
        raise CampaignError(str(error)) from error


def evaluate_expression(expression: str, values: Mapping[str, float]) -> float:
    """The value of an expression. Raises CampaignError if it is malformed, negative or infinite."""
    points = [np.array([value], np.float64) for value in values.values()]
    try:
        (found,) = _function(expression, tuple(values)).evaluate(*points).value.tolist()
    except UndeterminedError as error:
        raise CampaignError(str(error)) from error
    value = float(found)
    text = f"{expression!r} with {', '.join(f'{k} = {v:g}' for k, v in sorted(values.items()))}"
    if not math.isfinite(value):
        raise CampaignError(f"{text} has no value: it is {value}")
    if value < 0:
        raise CampaignError(f"{text} is {value:g}: it must be 0 or more")
    return value


@cache
def _function(expression: str, names: tuple[str, ...]) -> Function:
    return Function(expression, {name: number for number, name in enumerate(names)})
