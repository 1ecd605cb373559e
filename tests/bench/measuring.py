"""Runs jobs in fresh processes and measures their cost."""

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.places import CACHE, ROOT
from tests.bench.stage_meter import StageCost

CHEAP_EVENTS = 6_000_000
REPETITIONS = 3


class FailedJobError(Exception):
    """A job did not end well."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Cost of a job without start-up, which is listed apart; `bytes` are those written."""

    job: str
    threads: int
    events: int
    cpu_seconds: float
    wall_seconds: float
    start_up_cpu_seconds: float
    peak_bytes: int
    bytes: int = 0
    memory_limit: str = ""
    stages: dict[str, StageCost] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Million events per CPU-second."""
        return self.events / self.cpu_seconds / 1e6

    def of_stages(self, job: str, names: Sequence[str]) -> "Cost":
        """The cost of some of its stages, as a job of its own."""
        parts = [self.stages[name] for name in names if name in self.stages]
        return replace(
            self,
            job=job,
            cpu_seconds=sum(part.cpu_seconds for part in parts),
            wall_seconds=sum(part.wall_seconds for part in parts),
            peak_bytes=max(part.peak_bytes for part in parts),
            bytes=sum(part.bytes for part in parts),
            stages={},
        )

    @classmethod
    def load(cls, read: dict[str, Any]) -> "Cost":
        """A cost from its form in JSON."""
        stages = {name: StageCost(**cost) for name, cost in read.get("stages", {}).items()}
        return cls(**read | {"stages": stages})


@dataclass(frozen=True)
class Trace:
    """A trace to measure with.

    `made_by` identifies the code that made it, and is empty for one that was given; `byte_count`
    is the size of its events on disk; `generating` is what generating it cost when that was done.
    """

    name: str
    path: Path
    _: KW_ONLY
    made_by: str = ""
    byte_count: int
    generating: Cost | None = None


def measure(
    job: str, source: Path, *, threads: int = 1, repetitions: int = 1, memory_limit: str = ""
) -> Cost:
    """The run of median CPU time among several; what they write is thrown away.

    Raises FailedJobError.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    runs = []
    for _ in range(repetitions):
        with TemporaryDirectory(prefix="store-", dir=CACHE) as folder:
            runs.append(run(job, source, Path(folder), threads=threads, memory_limit=memory_limit))
    return sorted(runs, key=lambda cost: cost.cpu_seconds)[len(runs) // 2]


def run(job: str, source: Path, folder: Path, *, threads: int = 1, memory_limit: str = "") -> Cost:
    """Do a job once in a process of its own, which writes into `folder`. Raises FailedJobError."""
    arguments = [job, str(source.absolute()), "--threads", str(threads)]
    arguments += ["--folder", str(folder.absolute()), "--memory-limit", memory_limit]
    found = _call([sys.executable, "-m", "tests.bench.jobs", *arguments])
    return Cost.load({"job": job, "threads": threads, "memory_limit": memory_limit} | found)


def repetitions_for(events: int) -> int:
    """How often to measure: where it is cheap, often enough for a median."""
    return REPETITIONS if events <= CHEAP_EVENTS else 1


def growth_exponent(smaller: Cost, larger: Cost) -> float | None:
    """Slope of CPU time over events, both as logarithms: 1 is linear."""
    return slope(smaller.events, smaller.cpu_seconds, larger.events, larger.cpu_seconds)


def slope(events: int, seconds: float, more_events: int, more_seconds: float) -> float | None:
    """Slope of seconds over events, both as logarithms; None if undefined."""
    if events == more_events or min(events, more_events, seconds, more_seconds) <= 0:
        return None
    return math.log(more_seconds / seconds) / math.log(more_events / events)


def marginal_rate(smaller: Cost, larger: Cost) -> float | None:
    """Million events per CPU-second of the events that one archive has more than another.

    What costs the same for any archive cancels out. None if undefined.
    """
    events, seconds = larger.events - smaller.events, larger.cpu_seconds - smaller.cpu_seconds
    return events / seconds / 1e6 if events > 0 and seconds > 0 else None


def _call(command: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise FailedJobError(f"{' '.join(command)}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
