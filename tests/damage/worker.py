"""Reads damaged copies of traces, in its own process because damage may crash it."""

import os
import resource
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.damage.judging import Judge, problems_of_analysis
from tests.damage.mutators import OTF2
from tests.damage.traces import entry, prepare
from tests.damage.ways import Damage, damage

MEMORY = Path("/dev/shm")
MOST_SECONDS, MOST_MEGABYTES = 20, 500

Say = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Which ways to try with a trace: those from `first` up to `last` that follow from the seed.

    Every so many copies one is `analyzed` as a whole; none if that is 0.
    """

    trace: Path
    last: int
    first: int = 0
    seed: int = 1
    analyzed: int = 0
    format: str = OTF2


def work(plans: Sequence[Plan], results: Connection, errors: Path) -> None:
    """Try all plans; sends word before each way to damage a trace, and its result after it.

    What the process itself says, such as why it dies, is written to `errors`.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with errors.open("w") as file:
        os.dup2(file.fileno(), 2)
    tempfile.tempdir = str(MEMORY) if MEMORY.is_dir() else None
    for plan in plans:
        with tempfile.TemporaryDirectory() as folder:
            try_all(plan, Path(folder), results.send)


def try_all(plan: Plan, folder: Path, say: Say) -> None:
    """Damage copies of a trace, one after the other."""
    sound, copy = folder / "sound", folder / "trace"
    prepare(plan.trace, plan.format, sound)
    judge = Judge(entry(sound, plan.format), plan.format)
    for number in range(plan.first, plan.last):
        say({"number": number})
        shutil.copytree(sound, copy)
        seed = f"{plan.seed}:{plan.trace.name}:{number}"
        done = damage(copy, format=plan.format, seed=seed)
        is_analyzed = plan.analyzed > 0 and number % plan.analyzed == 0
        result = try_out(judge, entry(copy, plan.format), done, is_analyzed)
        say({"number": number, "how": done.description, "only_loses": done.only_loses} | result)
        shutil.rmtree(copy)


def try_out(judge: Judge, copy: Path, done: Damage, is_analyzed: bool) -> dict[str, Any]:
    """The outcome for a damaged trace, and what is wrong with it."""
    begun, before = time.monotonic(), megabytes()
    try:
        judgment = judge.judge(copy, only_loses=done.only_loses)
        outcome, problems = judgment.outcome, judgment.problems
        if is_analyzed:
            with tempfile.TemporaryDirectory() as store:
                problems += problems_of_analysis(copy, Path(store) / "store")
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        outcome = "failed"
        problems = [f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"]
    if time.monotonic() - begun > MOST_SECONDS:
        problems.append(f"took {time.monotonic() - begun:.0f} s")
    if megabytes() - before > MOST_MEGABYTES:
        problems.append(f"took {megabytes() - before} MB")
    return {"outcome": outcome, "problems": problems}


def megabytes() -> int:
    """The most memory this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
