"""Functions that are called once, also by many threads."""

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def once(function: Callable[[Argument], Result]) -> Callable[[Argument], Result]:
    """Call a function once per argument: `cache` may, before the first call has returned, twice."""
    lock, cached = Lock(), cache(function)

    def call(argument: Argument) -> Result:
        with lock:
            return cached(argument)

    return call
