"""Runs workers over many ways to damage a trace; one that dies or hangs costs a single way."""

import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.damage.mutators import OTF2

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS, PATIENCE_SECONDS = 600, 60
"""After so long without a word a worker hangs; when it starts, it may have to compile kernels."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Which ways to try: those from `first` up to `last` that follow from the seed."""

    trace: Path
    last: int
    first: int = 0
    seed: int = 1
    analysed: int = 0
    format: str = OTF2


@dataclass
class Outcomes:
    """How often each outcome occurred, and what went wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, trace: str, result: dict[str, Any]) -> None:
        self.counts[result["outcome"]] += 1
        for problem in result["problems"]:
            self.problems.append(f"{trace} way {result['number']} ({result['how']}): {problem}")

    def __str__(self) -> str:
        lines = [f"{count:6} {outcome}" for outcome, count in self.counts.most_common()]
        return "\n".join([f"{self.counts.total():6} ways; outcome / with --allow-damaged", *lines])


def try_ways(plan: Plan) -> Iterator[dict[str, Any]]:
    """The result of each way: its number, how the trace was damaged, outcome and problems."""
    first = plan.first
    while first < plan.last:
        for result in _one_worker(plan, first):
            yield result
            first = result["number"] + 1


def _one_worker(plan: Plan, first: int) -> Iterator[dict[str, Any]]:
    """Results up to the end, or to one that the worker did not survive."""
    numbers = map(str, (plan.seed, first, plan.last, plan.analysed))
    command = [sys.executable, "-m", "tests.damage.worker", str(plan.trace), plan.format, *numbers]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout
        begun = first
        for line in _lines(process.stdout):
            result = json.loads(line) if line else {}
            if "outcome" in result:
                yield result
                begun = result["number"] + 1
            elif not result:
                process.kill()
                yield _died(begun, "hangs", "")
                return
        if process.wait() or begun < plan.last:
            errors.seek(0)
            yield _died(begun, _name_of(process.returncode), errors.read()[-2_000:])


def _lines(stream: IO[str]) -> Iterator[str]:
    """Lines as they come; an empty one if none comes any more."""
    lines: queue.Queue[str | None] = queue.Queue()

    def pump() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=pump, daemon=True).start()
    patience = START_SECONDS
    while True:
        try:
            line = lines.get(timeout=patience)
        except queue.Empty:
            yield ""
            return
        if line is None:
            return
        yield line
        patience = PATIENCE_SECONDS


def _name_of(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _died(number: int, how: str, said: str) -> dict[str, Any]:
    problem = f"the process {how}: {said}"
    return {"number": number, "how": "see the seed", "outcome": "died", "problems": [problem]}
