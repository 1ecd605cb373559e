"""Runs workers over many ways to damage traces; one that dies or hangs costs a single way."""

import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from tests.damage.mutators import OTF2

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS, PATIENCE_SECONDS = 600, 60
"""After so long without a word a worker hangs; when it starts, it may have to compile kernels."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Which ways to try with a trace: those from `first` up to `last` that follow from the seed.

    Every so many copies one is `analysed` as a whole; none if that is 0.
    """

    trace: Path
    last: int
    first: int = 0
    seed: int = 1
    analysed: int = 0
    format: str = OTF2

    def as_json(self) -> str:
        return json.dumps(asdict(self) | {"trace": str(self.trace)})

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        values = json.loads(text)
        return cls(**values | {"trace": Path(values["trace"])})


@dataclass
class Outcomes:
    """How often each outcome occurred, by format, and what went wrong."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)
    """How many ways only lost bytes, by format."""

    def add(self, plan: Plan, result: dict[str, Any]) -> None:
        self.counts.setdefault(plan.format, Counter())[result["outcome"]] += 1
        self.losses[plan.format] += result.get("only_loses", False)
        name = f"{plan.trace.name} ({plan.format}) way {result['number']}"
        self.problems += [f"{name} ({result['how']}): {each}" for each in result["problems"]]

    def __str__(self) -> str:
        lines = []
        for format, counts in self.counts.items():
            lines.append(f"{counts.total():6} ways, {format}; outcome / with --allow-damaged")
            lines += [f"{count:6} {outcome}" for outcome, count in counts.most_common()]
        return "\n".join(lines)


def try_ways(plans: Sequence[Plan]) -> Iterator[tuple[Plan, dict[str, Any]]]:
    """The result of each way: its number, how the trace was damaged, outcome and problems."""
    left = list(plans)
    while left:
        for result in _one_worker(left):
            yield left[0], result
            left[0] = replace(left[0], first=result["number"] + 1)
            if left[0].first >= left[0].last:
                del left[0]


def _one_worker(plans: Sequence[Plan]) -> Iterator[dict[str, Any]]:
    """Results up to the end, or to one that the worker did not survive."""
    command = [sys.executable, "-m", "tests.damage.worker", *(plan.as_json() for plan in plans)]
    expected = [number for plan in plans for number in range(plan.first, plan.last)]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout
        has_begun = False
        for line in _lines(process.stdout):
            result, has_begun = json.loads(line) if line else {}, True
            if "outcome" in result:
                yield result
                del expected[0]
            elif not result:
                process.kill()
                yield _died(expected[0], "hangs", "")
                return
        if process.wait() or expected:
            errors.seek(0)
            assert has_begun, errors.read()
            yield _died(expected[0], _name_of(process.returncode), errors.read()[-2_000:])


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
