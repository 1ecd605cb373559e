"""One test for many similar checks."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Checked = TypeVar("Checked")


def check_each(
    every: Iterable[Checked], check: Callable[[Checked], None], *, name: Callable[[Checked], str]
) -> None:
    """Fail with all for which the check fails, and why; also if there is nothing to check."""
    checked, failed = list(every), {}
    assert checked
    for one in checked:
        try:
            check(one)
        except Exception as error:
            failed[name(one)] = error
    assert not failed, "\n\n".join(f"{each}: {error!r}" for each, error in failed.items())
