"""All that a run of the benchmark measured, and its form in JSON."""

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.measuring import Cost


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What the figures depend on besides our code."""

    system: str
    processors: int
    processor: str = ""
    load_before: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    """All costs measured on one trace; `made_by` identifies the code that made the trace."""

    name: str
    events: int
    byte_count: int
    made_by: str = ""
    costs: tuple[Cost, ...]

    def find(self, job: str, threads: int) -> Cost | None:
        """The cost of a job, if it was measured."""
        for cost in self.costs:
            if (cost.job, cost.threads) == (job, threads):
                return cost
        return None

    @classmethod
    def load(cls, read: dict[str, Any]) -> "Measured":
        """From its form in JSON."""
        return cls(**read | {"costs": tuple(Cost.load(cost) for cost in read["costs"])})


@dataclass(frozen=True, kw_only=True)
class Results:
    """A run of the benchmark; `archives` and `texts` are traces from the smallest to the largest,
    `programs` are described ones.

    `others` are readers that are not ours, on the first of the archives; the first of them is the
    bare loop of the official Python reader. `real` are traces of real programs,
    `levels` that of a program of which most events are calls of user functions.
    `fixed_loop_seconds` is what a fixed loop of Python takes on the machine.
    """

    measured_at: str
    machine: Machine
    versions: dict[str, str]
    others: tuple[Cost, ...]
    archives: tuple[Measured, ...]
    texts: tuple[Measured, ...] = ()
    programs: tuple[Measured, ...] = ()
    real: tuple[Measured, ...] = ()
    levels: tuple[Measured, ...] = ()
    fixed_loop_seconds: float = 0.0
    bench_seconds: float = field(default=0.0)

    @property
    def bare_loop(self) -> Cost:
        return self.others[0]

    def with_smaller(self) -> Iterator[tuple[Measured | None, Measured]]:
        """Every trace after the next smaller one of the same kind."""
        for traces in (self.archives, self.texts, self.programs):
            yield from zip((None, *traces), traces, strict=False)

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(asdict(self), indent=indent) + "\n"

    @classmethod
    def load(cls, text: str) -> "Results":
        """From JSON. Raises ValueError, KeyError or TypeError for what another version wrote."""
        read = json.loads(text)
        traces = {
            kind: tuple(Measured.load(each) for each in read.get(kind, ()))
            for kind in ("archives", "texts", "programs", "real", "levels")
        }
        others = tuple(Cost.load(cost) for cost in read["others"])
        return cls(**read | traces | {"others": others, "machine": Machine(**read["machine"])})


def this_machine() -> Machine:
    """The machine that this runs on, as it is now."""
    return Machine(
        system=f"{platform.system()} {platform.machine()}",
        processors=os.cpu_count() or 1,
        processor=_processor_name(),
        load_before=os.getloadavg()[0],
    )


def _processor_name() -> str:
    """The system's name of it; empty if there is none."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "")
