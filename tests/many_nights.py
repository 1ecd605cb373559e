"""Several nights at once over one store, of which some are killed, while somebody reads.

    python -m tests.many_nights FOLDER --processes 8 --archives 200 --kills 4

The folder must not exist. What is found wrong is printed, and makes the exit code 1.
"""

import argparse
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.forking import Command, start_command
from tests.nightly_cases import write_archive
from tracemill.base.temporary import temporaries
from tracemill.store import Store


@dataclass
class Reader:
    """Reads the whole store again and again, and keeps what went wrong."""

    store: Path
    pause_seconds: float = 0.2
    problems: list[str] = field(default_factory=list)
    looks: int = 0
    _is_over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def reading(self) -> Iterator[None]:
        thread = threading.Thread(target=self._read_on)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()

    def _read_on(self) -> None:
        while not self._is_over.wait(self.pause_seconds):
            try:
                self._read()
            except Exception as error:
                self.problems.append(f"reader: {type(error).__name__}: {error}")
            self.looks += 1

    def _read(self) -> None:
        store = Store(self.store)
        for summary in store.summaries():
            if summary.state not in ("complete", "being analysed", "unfinished"):
                self.problems.append(f"reader: {summary.run_id} is {summary.state}")
        runs = store.runs()
        for run in runs:
            if run.missing_tables():
                self.problems.append(f"reader: {run.run_id} lacks {run.missing_tables()}")
        for run in runs[:1]:
            assert run.read("runs").num_rows == 1
            assert store.open(run.run_id).run_id == run.run_id
        for generation in store.runs_path.glob("run=*/gen=*"):
            if not (generation / "manifest.json").exists():
                self.problems.append(f"reader: {generation} is half-written")


def start_night(source: Path, store: Path, number: int = 0) -> Command:
    """A night in a process of its own, which analyses one archive at a time."""
    words = [
        "nightly", str(source), "--store", str(store),
        "--settle", "0s", "--jobs", "1", "--threads", "1", "--no-report",
    ]  # fmt: skip
    return start_command(words, store.parent / f"night{number}")


def run_nights(folder: Path, *, processes: int, archives: int, kills: int, seed: int) -> list[str]:
    """What was found wrong with nights of which so many are killed at moments drawn at random.

    The first is killed when the first run is there, and none when fewer than two archives are left.
    """
    source, store = folder / "traces", folder / "store"
    for number in range(archives):
        write_archive(source / f"a{number:04}", 40 + number, f"work{number}")
    time.sleep(0.1)  # until all are at rest
    chance, reader = random.Random(seed), Reader(store)
    with reader.reading():
        nights = [start_night(source, store, number) for number in range(processes)]
        victims = chance.sample(nights, kills)
        moments = sorted(chance.randint(1, max(archives - 2, 1)) for _ in victims[1:])
        for victim, moment in zip(victims, [1, *moments], strict=True):
            _wait_for_runs(store, moment, nights)
            victim.process.kill()
        ends = [night.finish() for night in nights]
    problems = list(reader.problems)
    for night, (exit_code, out, err) in zip(nights, ends, strict=True):
        expected = -9 if night in victims else 0
        if exit_code != expected:
            problems.append(f"a night ended with {exit_code}: {out}{err}")
    problems += _what_is_wrong(store, archives)
    if not reader.looks:
        problems.append("nobody read")
    print(f"{reader.looks} looks of the reader, killed when {[1, *moments]} runs were there")
    return problems


def _wait_for_runs(
    store: Path, count: int, nights: Sequence[Command], seconds: float = 3_600
) -> None:
    end = time.monotonic() + seconds
    while len(list(store.glob("runs/run=*/current.json"))) < count:
        assert time.monotonic() < end
        assert any(night.is_running() for night in nights)
        time.sleep(0.05)


def _what_is_wrong(folder: Path, archives: int) -> list[str]:
    """What is wrong with the store in the end."""
    store, problems = Store(folder), []
    runs = store.runs()
    if len(runs) != archives or len({run.source.path for run in runs}) != archives:
        problems.append(f"{len(runs)} runs of {archives} archives")
    for run in runs:
        generations = list(run.path.parent.glob("gen=*"))
        if len(generations) != 1:
            problems.append(f"{run.run_id} was analysed {len(generations)} times")
    time.sleep(1)  # until the children of those who were killed have ended
    store.sweep()
    left = [path for run in runs for path in temporaries(run.path.parent)]
    left += list(store.leases_path.iterdir())
    if left:
        problems.append(f"left behind: {left}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--archives", type=int, default=200)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    start = time.monotonic()
    problems = run_nights(
        given.folder,
        processes=given.processes,
        archives=given.archives,
        kills=given.kills,
        seed=given.seed,
    )
    print(f"{time.monotonic() - start:.0f} s, {len(problems)} problems")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
