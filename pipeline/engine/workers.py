"""Processes that work on items, each on one at a time, and can be ended at any moment.

The pools of the standard library cannot do this: after the death of one process,
ProcessPoolExecutor fails all items without an exit code, and multiprocessing.Pool waits forever;
neither lets a running item clean up at a deadline.
"""

import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from tracemill.base.errors import PipelineError

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE_SECONDS = 20
_MOMENT_SECONDS = 0.05
PRELOADED = "tracemill.cli.preload"


@dataclass(frozen=True)
class Died:
    """A process ended while it worked: the exit code, or the negative number of a signal."""

    exit_code: int | None


def work_through(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    count: int,
    until: float = math.inf,
) -> Generator[tuple[int, Result | Died]]:
    """What a function gives for every item, with the item's number, as `count` processes get it.

    An item is taken when a process is free for it. An exception of the function is raised here.
    When the caller has enough, also by an exception such as Ctrl-C, or `until` of the monotonic
    clock is over, the function is left by KeyboardInterrupt, as it is if the caller dies.
    """
    waiting = enumerate(items)
    started: list[_Worker[Item]] = []
    idle: list[_Worker[Item]] = []
    busy: dict[Any, tuple[_Worker[Item], int]] = {}
    try:
        while time.monotonic() < until:
            while len(busy) < count and (following := next(waiting, None)):
                if not idle:
                    idle.append(_Worker(function))
                    started += idle
                worker, (number, item) = idle.pop(), following
                busy[worker.connection] = (worker, number)
                worker.begin(item)
            if not busy:
                return
            for ready in wait(list(busy), _seconds_to(until)):
                worker, number = busy.pop(ready)
                outcome = worker.finish()
                if not isinstance(outcome, Died):
                    idle.append(worker)
                yield number, outcome
    finally:
        _end(started)


def _seconds_to(moment: float) -> float | None:
    """Seconds until a moment of the monotonic clock; None if it never comes."""
    return None if math.isinf(moment) else max(moment - time.monotonic(), 0)


class _Worker(Generic[Item]):
    """A process, and the end of the pipe that leads to it."""

    def __init__(self, function: Callable[[Item], Any]) -> None:
        context = _context()
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, function), daemon=True)
        with _uninterrupted():
            self.process.start()
        other.close()

    def begin(self, item: Item) -> None:
        with suppress(OSError):  # if it has died, `finish` will tell
            self.connection.send(item)

    def finish(self) -> Any:
        """What came of the item; raises the exception if it was one."""
        try:
            outcome = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            return Died(self.process.exitcode)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


@cache
def _context() -> Any:
    """How processes are started: forked from one without threads that has loaded what they need.

    Threads of this process must not be forked, and loading everything takes longer than analyzing
    a small trace.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: it is for the caller to end them.

    They inherit that the signal is blocked; here it waits until the block is left.
    """
    resource_tracker.ensure_running()  # which would unblock it again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(workers: Sequence[_Worker[Any]]) -> None:
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_PATIENCE_SECONDS)
        worker.process.kill()
        worker.connection.close()


def _serve(connection: Connection, function: Callable[[Any], Any]) -> None:
    """Work on items until there are no more."""
    threading.Thread(target=_end_with_caller, daemon=True).start()
    while True:
        try:
            item = connection.recv()
        except EOFError:
            return
        try:
            with _stopped_by_signal():
                outcome = function(item)
        except KeyboardInterrupt:
            return
        except Exception as error:
            if not isinstance(error, PipelineError):  # one of ours keeps where it happened
                error.add_note(traceback.format_exc())
            outcome = error
        connection.send(outcome)


@contextmanager
def _stopped_by_signal() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt once, so that what was begun is cleared away.

    Where C code calls Python, an exception gets no further and is only shown: then it is raised
    again a moment later, until it is out of there.
    """

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    def raise_again(lost: "sys.UnraisableHookArgs", /) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _MOMENT_SECONDS)
        else:
            shown_before(lost)

    shown_before, sys.unraisablehook = sys.unraisablehook, raise_again
    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGALRM)}
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = shown_before


def _end_with_caller() -> None:
    caller = parent_process()
    if caller is not None:
        caller.join()
        os.kill(os.getpid(), signal.SIGTERM)  # which wakes the main thread
