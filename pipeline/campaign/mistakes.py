"""Mistakes in lists and tables: all are looked for before any is told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tracemill.base.errors import CampaignError

_MOST_TOLD = 10


@dataclass
class Mistakes:
    """What is wrong with the parts of an input, each of which can be left out.

    With `leave_out`, that is what becomes of them, and it is told so; else they are an error.
    """

    leave_out: Callable[[str], None] | None = None
    found: list[str] = field(default_factory=list)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Take note of what is wrong with one part, and go on."""
        try:
            yield
        except CampaignError as error:
            self.found.append(str(error))

    def tell(self) -> None:
        """Say what is left out, or raise CampaignError; either names the first mistakes."""
        told = self.found[:_MOST_TOLD]
        more = len(self.found) - len(told)
        rest = [f"and {more} more"] if more else []
        if self.leave_out is not None:
            for each in [*told, *rest]:
                self.leave_out(f"left out: {each}")
        elif len(self.found) == 1:
            raise CampaignError(told[0])
        elif self.found:
            raise CampaignError(f"{len(self.found)} mistakes: {'; '.join([*told, *rest])}")
        self.found.clear()
