"""The interface of every model of a performance surface, and its formula."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from tracemill.stages.models.surfaces.measurements import Floats


class Values(NamedTuple):
    """T(p, n) in seconds at some points, and its partial derivatives there."""

    time: Floats
    by_processes: Floats
    by_size: Floats


class Surface(Protocol):
    """A fitted model of T(p, n)."""

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """Names and values of what was fitted."""

    @property
    def parameter_count(self) -> int:
        """The number of fitted parameters."""

    def formula(self, size_name: str) -> str:
        """T in seconds as an expression of p and the size, with figures to four digits."""

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        """The surface and its slopes at points given as two arrays of one length."""


def write_sum(terms: Iterable[tuple[float, str]]) -> str:
    """A sum of coefficients times factors, such as `0.5*n - 2*log2(p)`; an empty factor is 1."""
    text = ""
    for coefficient, factor in terms:
        if coefficient == 0:
            continue
        sign = ("-" if coefficient < 0 else "") if not text else " - " if coefficient < 0 else " + "
        text += f"{sign}{_times(abs(coefficient), factor)}"
    return text or "0"


def write_power(base: str, exponent: float) -> str:
    """A power such as `n^1.5`; empty for the exponent 0."""
    if exponent == 0:
        return ""
    text = f"{exponent:.4g}"
    return base if text == "1" else f"{base}^{text}"


def _times(figure: float, factor: str) -> str:
    text = f"{figure:.4g}"
    if not factor or factor.startswith("/"):
        return text + factor
    return factor if text == "1" else f"{text}*{factor}"
