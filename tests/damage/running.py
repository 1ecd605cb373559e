"""Runs workers over many ways to damage traces; one that dies or hangs costs a single way."""

import signal
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.damage import worker
from tests.damage.worker import Plan
from tests.helpers.processes import start_function

START_SECONDS, PATIENCE_SECONDS = 600, 60
"""After so long without a word a worker hangs; when it starts, it may have to compile kernels."""


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
    expected = [number for plan in plans for number in range(plan.first, plan.last)]
    results, sending = Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder, results:
        errors = Path(folder) / "errors"
        process = start_function(worker.work, plans, sending, errors)
        sending.close()  # so that the worker's end is the last one
        try:
            has_begun = False
            for result in _received(results):
                has_begun = True
                if "outcome" in result:
                    yield result
                    del expected[0]
                elif not result:
                    yield _died(expected[0], "hangs", "")
                    return
            process.join()
            if process.exitcode or expected:
                said = errors.read_text() if errors.exists() else ""
                assert has_begun, said
                yield _died(expected[0], _name_of(process.exitcode or 0), said[-2_000:])
        finally:
            process.kill()
            process.join()


def _received(results: Connection) -> Iterator[dict[str, Any]]:
    """Results as they come; an empty one if none comes any more."""
    patience = START_SECONDS
    while results.poll(patience):
        try:
            yield results.recv()
        except EOFError:
            return
        patience = PATIENCE_SECONDS
    yield {}


def _name_of(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _died(number: int, how: str, said: str) -> dict[str, Any]:
    problem = f"the process {how}: {said}"
    return {"number": number, "how": "see the seed", "outcome": "died", "problems": [problem]}
