"""An interrupt at any moment leaves no work behind."""

import signal
import time
from collections.abc import Iterator

import pytest

from tracemill.base.interrupting import interruptibly

TRIES = 300
LATEST_SECONDS = 0.002


@pytest.fixture
def _alarm() -> Iterator[None]:
    """Let the alarm raise what Ctrl-C raises."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("_alarm")
def test_no_work_runs_after_an_interrupt() -> None:
    """The interrupts fall everywhere: before the thread starts, while it starts, and later."""
    begun, ended = [], []

    def work() -> None:
        begun.append(None)
        time.sleep(LATEST_SECONDS / 2)
        ended.append(None)

    for number in range(1, TRIES + 1):
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, number / TRIES * LATEST_SECONDS)
                interruptibly(work, lambda: None)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            pass
        assert len(begun) == len(ended), f"interrupted at {number} of {TRIES}"
