"""Calls of a function in several threads."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> list[Result]:
    """Results of a function for all items, in order; one thread is the caller's own."""
    if threads == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, items))
