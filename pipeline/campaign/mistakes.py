"""Mistakes in lists and tables, collected to report them together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tracemill.base.errors import CampaignError

_MOST_REPORTED = 10


@dataclass
class Mistakes:
    """Mistakes in parts of an input: an error, or with `leave_out` messages to this function."""

    leave_out: Callable[[str], None] | None = None
    found: list[str] = field(default_factory=list)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect a CampaignError in one part instead of raising it."""
        try:
            yield
        except CampaignError as error:
            self.found.append(str(error))

    def finds_none(self, check: Callable[..., object], *given: object) -> bool:
        """Whether a check raises no CampaignError; collects it otherwise."""
        count = len(self.found)
        with self.collecting():
            check(*given)
        return len(self.found) == count

    def report(self) -> None:
        """Name the first mistakes as left out, or raise CampaignError with them."""
        shown = self.found[:_MOST_REPORTED]
        more = len(self.found) - len(shown)
        rest = [f"and {more} more"] if more else []
        if self.leave_out is not None:
            for each in [*shown, *rest]:
                self.leave_out(f"left out: {each}")
        elif len(self.found) == 1:
            raise CampaignError(shown[0])
        elif self.found:
            raise CampaignError(f"{len(self.found)} mistakes: {'; '.join([*shown, *rest])}")
        self.found.clear()
