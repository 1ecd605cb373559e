"""Processes of tests that are to be killed, interrupted or at work beside others.

They are forked like the workers of the product, from a process that has loaded it: starting Python
and importing everything takes longer than most of what they do.
"""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from tracemill.engine.workers import PRELOADED


def start_process(function: Callable[..., object], *given: object) -> BaseProcess:
    """A process that calls a function of a module; Ctrl-C ends it by its signal, as Python does."""
    return _start(function, given, is_leader=False)


def start_leader(function: Callable[..., object], *given: object) -> BaseProcess:
    """The same in a session of its own, and with processes of its own if it starts any."""
    return _start(function, given, is_leader=True)


@dataclass(frozen=True)
class Command:
    """A command that runs, and where it writes what it prints."""

    process: BaseProcess
    said: Path

    @property
    def pid(self) -> int:
        return self.process.pid or 0

    def is_running(self) -> bool:
        return self.process.is_alive()

    def finish(self, seconds: float | None = None) -> tuple[int | None, str, str]:
        """The exit code, or the negative number of a signal; results and messages."""
        self.process.join(seconds)
        results, messages = (self.said.with_suffix(each).read_text() for each in (".out", ".err"))
        return self.process.exitcode, results, messages


def start_command(words: Sequence[str], said: Path) -> Command:
    """A command of the product in a session of its own; it prints into two files of that name."""
    return Command(start_leader(_run_command, words, said), said)


def _start(
    function: Callable[..., object], given: tuple[object, ...], *, is_leader: bool
) -> BaseProcess:
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    called = (function, given, is_leader)
    process = context.Process(target=_call, args=called, daemon=not is_leader)
    process.start()
    return process


def _call(function: Callable[..., object], given: tuple[object, ...], is_leader: bool) -> None:
    if is_leader:
        os.setsid()
    # Where the product has started the process that is forked, it is blocked.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        function(*given)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


def _run_command(words: Sequence[str], said: Path) -> None:
    from tracemill import cli

    for number, suffix in ((1, ".out"), (2, ".err")):
        with said.with_suffix(suffix).open("w") as file:
            os.dup2(file.fileno(), number)
    raise SystemExit(cli.main(words))
