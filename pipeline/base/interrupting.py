"""Work that Ctrl-C can stop although it computes outside Python."""

from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
_AGAIN_SECONDS = 0.1


def interruptibly(work: Callable[[], Result], interrupt: Callable[[], None]) -> Result:
    """Do `work` in a thread, so that Ctrl-C works while DuckDB computes.

    `interrupt` is called until the work stops. Errors of the work are raised here.

    An interrupt at any moment leaves no work running: the one that pops the ticket decides. Threads
    and futures of the standard library lose a thread whose start is interrupted.
    """
    ticket = [work]
    outcome: list[tuple[Any, BaseException | None]] = []
    ended = allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            begun = ticket.pop()
        except IndexError:
            return
        try:
            outcome.append((begun(), None))
        except BaseException as error:
            outcome.append((None, error))
        ended.release()

    try:
        start_new_thread(run, ())
        ended.acquire()
    finally:
        try:
            ticket.pop()
        except IndexError:  # the work has begun
            while not outcome:
                interrupt()
                ended.acquire(timeout=_AGAIN_SECONDS)
    value, error = outcome.pop()
    if error is None:
        return value
    try:
        raise error
    finally:
        del error  # its traceback refers to this frame
