"""Work that Ctrl-C can stop although it computes outside Python."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
_AGAIN_SECONDS = 0.1


def interruptibly(work: Callable[[], Result], interrupt: Callable[[], None]) -> Result:
    """Do `work` in a thread, so that Ctrl-C is noticed while DuckDB computes.

    `interrupt` makes it stop; it is called until it has. Errors of the work are passed on.
    """
    done = threading.Event()
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error
        finally:
            done.set()

    threading.Thread(target=run, name="stage").start()
    try:
        done.wait()
    except BaseException:
        interrupt()
        while not done.wait(_AGAIN_SECONDS):
            interrupt()
        raise
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
