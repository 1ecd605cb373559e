"""Running jobs in fresh processes, and what came of it."""

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.archives import CACHE, ROOT
from tests.bench.stage_meter import StageCost

CHEAP_EVENTS = 6_000_000
REPETITIONS = 3


class FailedJobError(Exception):
    """A job did not end well."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a job cost, without start-up, which is told apart; `bytes` are those of its tables."""

    job: str
    threads: int
    events: int
    cpu_seconds: float
    wall_seconds: float
    start_up_cpu_seconds: float
    peak_bytes: int
    bytes: int = 0
    stages: dict[str, StageCost] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Million events per CPU-second."""
        return self.events / self.cpu_seconds / 1e6

    def as_dict(self) -> dict[str, Any]:
        found = asdict(self)
        found.pop("versions")
        return found


def measure(
    job: str, trace: Path, *, threads: int = 1, repetitions: int = 1, memory_limit: str = ""
) -> Cost:
    """The run of median CPU time among several."""
    runs = [_run(job, trace, threads, memory_limit) for _ in range(repetitions)]
    return sorted(runs, key=lambda cost: cost.cpu_seconds)[len(runs) // 2]


def repetitions_for(events: int) -> int:
    """How often to measure: where it is cheap, often enough for a median."""
    return REPETITIONS if events <= CHEAP_EVENTS else 1


def growth_exponent(smaller: Cost, larger: Cost) -> float:
    """Slope of CPU time over events, both as logarithms: 1 is linear."""
    return slope(smaller.events, smaller.cpu_seconds, larger.events, larger.cpu_seconds)


def slope(events: int, seconds: float, more_events: int, more_seconds: float) -> float:
    """Slope of seconds over events, both as logarithms."""
    return math.log(more_seconds / seconds) / math.log(more_events / events)


def marginal_rate(smaller: Cost, larger: Cost) -> float:
    """Million events per CPU-second of the events that one archive has more than another.

    What costs the same for any archive cancels out.
    """
    seconds = larger.cpu_seconds - smaller.cpu_seconds
    return (larger.events - smaller.events) / seconds / 1e6 if seconds > 0 else math.inf


def _run(job: str, trace: Path, threads: int, memory_limit: str) -> Cost:
    CACHE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="store-", dir=CACHE) as folder:
        arguments = [job, str(trace.absolute()), "--threads", str(threads), "--folder", folder]
        arguments += ["--memory-limit", memory_limit]
        found = _call([sys.executable, "-m", "tests.bench.jobs", *arguments])
    stages = {name: StageCost(**cost) for name, cost in found.pop("stages", {}).items()}
    return Cost(job=job, threads=threads, stages=stages, **found)


def _call(command: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise FailedJobError(f"{' '.join(command)}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
