"""Processes of tests that are killed, interrupted, or at work beside others."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Command:
    """A running command, and the files that take its output."""

    process: "subprocess.Popen[bytes]"
    output: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_running(self) -> bool:
        return self.process.poll() is None

    def finish(self, seconds: float | None = None) -> tuple[int | None, str, str]:
        """The exit code, or the negative number of a signal; results and messages."""
        self.process.wait(seconds)
        results, messages = (self.output.with_suffix(end).read_text() for end in (".out", ".err"))
        return self.process.returncode, results, messages


def start_command(words: Sequence[str], output: Path) -> Command:
    """Start a command of the product in a session of its own."""
    return start_module("pipeline", words, output)


def start_module(module: str, words: Sequence[object], output: Path) -> Command:
    """Start `python -m module` in a session of its own; it prints into two files named `output`."""
    with output.with_suffix(".out").open("w") as out, output.with_suffix(".err").open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, words)],
            cwd=ROOT,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    return Command(process, output)


def start_function(function: Callable[..., object], *given: object) -> BaseProcess:
    """Start a function of a module in a fresh interpreter; it ends with the test process."""
    process = get_context("spawn").Process(target=function, args=given, daemon=True)
    process.start()
    return process
