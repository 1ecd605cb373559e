"""Progress of an analysis."""

from typing import Protocol


class Reporter(Protocol):
    """Receives progress, from any thread; several stages may run at once."""

    def stage_started(self, name: str, total: int | None) -> None:
        """A stage begins; `total` is the sum of the amounts to come, if it is known."""

    def stage_advanced(self, name: str, amount: int) -> None:
        """So much more of a stage is done."""

    def stage_finished(self, name: str, seconds: float) -> None:
        """A stage is done and took so long."""

    def note(self, text: str) -> None:
        """Something worth knowing that is no error."""


class SilentReporter:
    """Reports nothing."""

    def stage_started(self, name: str, total: int | None) -> None:
        pass

    def stage_advanced(self, name: str, amount: int) -> None:
        pass

    def stage_finished(self, name: str, seconds: float) -> None:
        pass

    def note(self, text: str) -> None:
        pass
