"""Traces with reference results."""

from dataclasses import dataclass
from pathlib import Path

REFERENCE_NAME = "reference.csv"
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
    """A trace with its reference results."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def reference(self) -> Path:
        return self.path / REFERENCE_NAME

    @property
    def derived(self) -> Path:
        return self.path / DERIVED_NAME

    @property
    def tolerance(self) -> Tolerance:
        return EXACT if (self.path / EXACT_SOURCE_NAME).exists() else RECORDED


def find_cases(folder: Path) -> tuple[list[Case], list[str]]:
    """The cases below a folder, and the names of traces there that have no reference."""
    traces = sorted({anchor.parent for anchor in folder.glob("*/*.otf2")})
    cases = [Case(path) for path in traces if (path / REFERENCE_NAME).exists()]
    return cases, [path.name for path in traces if not (path / REFERENCE_NAME).exists()]
