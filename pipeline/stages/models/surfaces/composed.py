"""The model composed of the parts of the critical path: T(p, n) = sum of m_c(p, n).

Each m_c is the normal form of the time that the path spends in a call path c.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tracemill.stages.models.surfaces.measurements import Floats, Measurements, UndeterminedError
from tracemill.stages.models.surfaces.normal_form import NormalForm
from tracemill.stages.models.surfaces.normal_forms import NormalForms
from tracemill.stages.models.surfaces.surface import Values, write_sum


@dataclass(frozen=True)
class Composed:
    """A normal form per part."""

    forms: tuple[NormalForm, ...]

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        values = [value for form in self.forms for value in form.coefficients]
        return tuple((f"c{number}", value) for number, value in enumerate(values))

    @property
    def parameter_count(self) -> int:
        return sum(form.parameter_count for form in self.forms)

    def formula(self, size_name: str) -> str:
        """The sum of all forms, terms of equal factors together."""
        factors: dict[str, float] = defaultdict(float)
        for form in self.forms:
            for coefficient, term in zip(form.coefficients, form.terms, strict=True):
                factors[term.write(size_name)] += coefficient
        constant = factors.pop("", 0.0)
        return write_sum([(constant, ""), *((value, name) for name, value in factors.items())])

    def evaluate(self, processes: Floats, sizes: Floats) -> Values:
        return Values(*np.sum([form.evaluate(processes, sizes) for form in self.forms], axis=0))


def fit_composed(measured: Measurements) -> Composed:
    """The normal forms of the medians of each part, of the configurations where it takes time.

    Raises UndeterminedError if a part is unknown, or takes time in too few configurations.
    """
    if measured.parts is None:
        raise UndeterminedError("needs the critical path of every run, from traces")
    if not measured.parts.shape[1]:
        raise UndeterminedError("needs call paths that take time in 4 configurations")
    medians, at, forms = measured.median_parts(), measured.medians(), NormalForms()
    return Composed(tuple(forms.fit(at.processes, at.sizes, times) for times in medians.T))
