"""Reads damaged copies of a trace, in a process of its own because it may die of that.

    python -m tests.damage.worker TRACE FORMAT SEED FIRST LAST ANALYSED

Prints a line of JSON before each way to damage the trace, and one after it. Every ANALYSED-th
copy is analysed as a whole; none if that is 0.
"""

import json
import resource
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from tests.damage.judging import Judge, problems_of_analysis
from tests.damage.mutators import damage

MEMORY = Path("/dev/shm")
NO_FILES_OF_THE_TRACE = shutil.ignore_patterns("*.csv", "*.txt", "*.stat", "*.cubex", "*.log")
MOST_SECONDS, MOST_MEGABYTES = 20, 500


def main() -> None:
    name, format, seed, first, last, analysed = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    trace, judge = Path(name), Judge(Path(name))
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for number in range(int(first), int(last)):
            say(number=number)
            is_analysed = int(analysed) > 0 and number % int(analysed) == 0
            copy = shutil.copytree(trace, Path(folder) / "trace", ignore=NO_FILES_OF_THE_TRACE)
            for file in copy.rglob("*"):
                file.chmod(0o755)
            how = damage(copy, format=format, seed=f"{seed}:{trace.name}:{number}")
            say(number=number, how=how, **try_out(judge, copy, is_analysed))
            shutil.rmtree(copy)


def say(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def try_out(judge: Judge, copy: Path, is_analysed: bool) -> dict[str, Any]:
    """The outcome for a damaged trace, and what is wrong with it."""
    begun, before = time.monotonic(), megabytes()
    try:
        judgement = judge.judge(copy)
        outcome, problems = judgement.outcome, judgement.problems
        if is_analysed:
            problems += problems_of_analysis(copy, copy.with_name("store"))
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


if __name__ == "__main__":
    main()
