"""Traces with reference results."""

from dataclasses import dataclass
from pathlib import Path

REFERENCE_NAME = "reference.csv"
# Results with the reference's correction of clocks; not every case has it.
CORRECTED_NAME = "reference_tc.csv"
# What the reference derives from its results; not every case has it.
DERIVED_NAME = "remapped_excl.csv"
# The source of a trace that was written, not recorded: its times are exact.
EXACT_SOURCE_NAME = "trace.txt"
DATA = Path(__file__).parents[2] / "data"
# What is expected of the traces in data/.
EXPECTED_NAME = "expected_severities.csv"


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """How far a time may be off: in seconds, or as a share of the reference, whichever is more."""

    seconds: float
    ratio: float


RECORDED = Tolerance(seconds=1e-6, ratio=1e-3)
EXACT = Tolerance(seconds=1e-9, ratio=0.0)


@dataclass(frozen=True)
class Case:
    """A trace with its reference results, as recorded or with corrected clocks."""

    path: Path
    is_corrected: bool = False

    @property
    def name(self) -> str:
        return f"{self.path.name}{'+corrected' * self.is_corrected}"

    @property
    def reference(self) -> Path:
        return self.path / (CORRECTED_NAME if self.is_corrected else REFERENCE_NAME)

    @property
    def derived(self) -> Path:
        return self.path / DERIVED_NAME

    @property
    def tolerance(self) -> Tolerance:
        return EXACT if (self.path / EXACT_SOURCE_NAME).exists() else RECORDED


def find_cases(folder: Path) -> tuple[list[Case], list[str]]:
    """The cases below a folder, and the names of traces there that have no reference."""
    traces = sorted({anchor.parent for anchor in folder.glob("*/*.otf2")})
    cases = [Case(path, is_corrected) for path in traces for is_corrected in (False, True)]
    cases = [case for case in cases if case.reference.exists()]
    return cases, [path.name for path in traces if not (path / REFERENCE_NAME).exists()]
