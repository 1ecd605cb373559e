"""Work that Ctrl-C can stop although it computes outside Python."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Result = TypeVar("Result")
_AGAIN_SECONDS = 0.1


def interruptibly(work: Callable[[], Result], interrupt: Callable[[], None]) -> Result:
    """Do `work` in a thread, so that Ctrl-C works while DuckDB computes.

    `interrupt` is called until the work stops. Errors of the work are raised here.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="stage") as executor:
        future = executor.submit(work)
        try:
            return future.result()
        finally:
            while not future.done():
                interrupt()
                wait([future], _AGAIN_SECONDS)
