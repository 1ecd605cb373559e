"""The performance model normal form: c0 + sum of c * p^i * log2(p)^j * n^k * log2(n)^l."""

from dataclasses import dataclass

import numpy as np

from tracemill.stages.models.surfaces import normal_form_terms
from tracemill.stages.models.surfaces.measurements import Floats, Measurements, UndeterminedError
from tracemill.stages.models.surfaces.normal_form_search import search
from tracemill.stages.models.surfaces.surface import Values, write_sum

FEWEST_CONFIGURATIONS = 3


@dataclass(frozen=True)
class NormalForm:
    """Terms with their coefficients in seconds; the constant is a term.

    Errors are means of 2 |fitted - time| / (fitted + time) over the configurations' medians:
    `error` in sample, `cross_error` leaving each configuration out, with the same terms.
    """

    terms: tuple[normal_form_terms.Term, ...]
    coefficients: tuple[float, ...]
    error: float
    cross_error: float

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        return tuple((f"c{number}", value) for number, value in enumerate(self.coefficients))

    @property
    def parameter_count(self) -> int:
        return len(self.coefficients)

    @property
    def leading_in_processes(self) -> normal_form_terms.Factor | None:
        """The factor that grows fastest, or falls slowest, with p; None if none depends on p."""
        return _leading([term.processes for term in self.terms])

    @property
    def leading_in_size(self) -> normal_form_terms.Factor | None:
        """The factor that grows fastest with the size; None if none depends on it."""
        return _leading([term.size for term in self.terms])

    def formula(self, size_name: str) -> str:
        factors = [term.write(size_name) for term in self.terms]
        return write_sum(zip(self.coefficients, factors, strict=True))

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        total = np.zeros((3, len(processes)))
        for coefficient, term in zip(self.coefficients, self.terms, strict=True):
            total += coefficient * np.array(term.evaluate(processes, sizes))
        return Values(*total)


def fit_normal_form(
    measured: Measurements,
    dictionary: normal_form_terms.Dictionary | None = None,
    *,
    most_terms: int = 2,
    width: int = 3,
) -> NormalForm:
    """The normal form of the medians over repetitions.

    `dictionary` is that of the configurations, if known. Raises UndeterminedError if there are too
    few configurations.
    """
    medians = measured.medians()
    if len(medians.times) < FEWEST_CONFIGURATIONS:
        raise UndeterminedError(
            f"needs {FEWEST_CONFIGURATIONS} configurations: there are {len(medians.times)}"
        )
    dictionary = dictionary or normal_form_terms.build_dictionary(medians)
    found = search(dictionary, medians.times, most_terms=most_terms, width=width)
    terms = [dictionary.get(number) for number in found.terms]
    scales = [1.0, *dictionary.scales[list(found.terms)]][not found.has_constant :]
    coefficients = found.coefficients / scales
    return NormalForm(
        terms=(normal_form_terms.CONSTANT, *terms)[not found.has_constant :],
        coefficients=tuple(coefficients.tolist()),
        error=found.error,
        cross_error=found.cross_error,
    )


def _leading(factors: list[normal_form_terms.Factor]) -> normal_form_terms.Factor | None:
    return max((factor for factor in factors if factor != normal_form_terms.ONE), default=None)
