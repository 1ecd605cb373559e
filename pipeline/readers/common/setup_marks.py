"""When a location leaves MPI setup and enters MPI_Finalize, in ticks, found in the survey.

They limit the main part of the run, and sums of visits must not reach across its limits.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels.records import ENTER, LEAVE
from tracemill.readers.common.identifiers import Identifiers
from tracemill.schemas.definitions import CALLS

_INIT, _FINALIZE = (
    re.compile(rf"p?mpi_{name}(_f08(ts)?)?_*(\(.*\))?", re.IGNORECASE)
    for name in ("init(_thread)?", "finalize")
)


def marks_for(detail: str, identifiers: Identifiers) -> "SetupMarks | None":
    """Marks to look for in the survey if visits will be summed."""
    return SetupMarks.of(identifiers) if detail == CALLS else None


@dataclass
class SetupMarks:
    """The last leave of MPI_Init and the first enter of MPI_Finalize of a location, if any."""

    init: tuple[int, ...]
    finalize: tuple[int, ...]
    init_leave: int | None = None
    finalize_enter: int | None = None

    @classmethod
    def of(cls, identifiers: Identifiers) -> "SetupMarks":
        """No marks yet; the calls are found by their names."""
        found = identifiers.definitions
        names = {ref: found.text(values[0]) for ref, values in found["Region"].items()}
        init, finalize = (
            tuple(ref for ref, name in names.items() if pattern.fullmatch(name))
            for pattern in (_INIT, _FINALIZE)
        )
        return cls(init, finalize)

    def empty(self) -> "SetupMarks":
        """The same calls for another location."""
        return SetupMarks(self.init, self.finalize)

    def add(
        self, times: NDArray[np.uint64], kinds: NDArray[np.uint8], refs: NDArray[np.uint32]
    ) -> None:
        """Look for the calls among the next records."""
        for ref in self.init:
            rows = np.flatnonzero((refs == ref) & (kinds == LEAVE))
            if len(rows):
                self.init_leave = int(times[rows[-1]])
        if self.finalize_enter is None:
            for ref in self.finalize:
                rows = np.flatnonzero((refs == ref) & (kinds == ENTER))
                if len(rows):
                    self.finalize_enter = int(times[rows[0]])
