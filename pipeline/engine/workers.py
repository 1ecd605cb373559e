"""Worker processes that can be ended at any time, each with one item.

The standard pools cannot do this: if a process dies, ProcessPoolExecutor fails all items without an
exit code, and multiprocessing.Pool waits forever; neither lets a running item clean up.
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
    """Yield the number and result of each item, as `count` processes finish them.

    A free process takes the next item. Exceptions of the function are raised here. When the caller
    stops, dies, or `until` (monotonic clock) has passed, running functions get KeyboardInterrupt.
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
        with suppress(OSError):  # if it has died, `finish` returns Died
            self.connection.send(item)

    def finish(self) -> Any:
        """The result of the item; raises its exception."""
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
    """Processes are forked from a server without threads that has loaded all modules.

    Threads of this process must not be forked, and loading takes longer than analyzing a small
    trace.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Block Ctrl-C for processes started here: the caller ends them."""
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
    """Let SIGTERM raise KeyboardInterrupt once, so that the function cleans up.

    An exception in a callback from C code is only printed; then it is raised again a moment later.
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
