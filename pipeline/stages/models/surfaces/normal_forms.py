"""Normal forms of many quantities that were measured at much the same configurations."""

from tracemill.stages.models.surfaces.measurements import Floats, measurements
from tracemill.stages.models.surfaces.normal_form import NormalForm, fit_normal_form
from tracemill.stages.models.surfaces.normal_form_terms import Dictionary, build_dictionary

_MOST_KEPT = 32


class NormalForms:
    """Fits one after the other; those of the same configurations share the values of terms."""

    def __init__(self) -> None:
        self._dictionaries: dict[bytes, Dictionary] = {}

    def fit(self, processes: Floats, sizes: Floats, times: Floats) -> NormalForm:
        """The normal form of times in seconds, one per configuration.

        Raises UndeterminedError if there are too few or one is not positive.
        """
        measured = measurements(processes, sizes, times)
        key = measured.processes.tobytes() + measured.sizes.tobytes()
        if key not in self._dictionaries:
            if len(self._dictionaries) >= _MOST_KEPT:
                self._dictionaries.clear()
            self._dictionaries[key] = build_dictionary(measured)
        return fit_normal_form(measured, self._dictionaries[key])
