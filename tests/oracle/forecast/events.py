"""One queue of events: what processes do, and transfers that are ready."""

from collections.abc import Callable, Generator, Iterable
from fractions import Fraction
from heapq import heappop, heappush

from tests.oracle.forecast.network import Network
from tracemill.programs.placed import STORAGE


class Happening:
    """Something that happens once; `time` is None until it is known when."""

    def __init__(self) -> None:
        self.time: int | None = None
        self.listeners: list[Callable[[], None]] = []

    def happen(self, time: int) -> None:
        """Sets the time (ns)."""
        assert self.time is None
        self.time = time
        for listener in self.listeners:
            listener()


Waiting = Generator[list[Happening] | int, None, None]
"""The actions of a process: it yields happenings it waits for, or the time it computes until."""


def when_all(happenings: Iterable[Happening], then: Callable[[list[int]], None]) -> None:
    """Calls with all times as soon as they are known."""
    wanted = list(happenings)
    missing = [each for each in wanted if each.time is None]
    left = len(missing)

    def count_down() -> None:
        nonlocal left
        left -= 1
        if not left:
            then([each.time for each in wanted if each.time is not None])

    for each in missing:
        each.listeners.append(count_down)
    if not missing:
        then([each.time for each in wanted if each.time is not None])


class Transfer:
    """A transfer; `end` happens when it is over."""

    def __init__(self, sender: int, receiver: int, size: int, weight: Fraction) -> None:
        self.sender, self.receiver, self.size = sender, receiver, size
        self.weight = weight
        self.end = Happening()


class Simulation:
    """Clocks of processes (ns), and the queue of what comes next."""

    def __init__(self, network: Network, process_count: int) -> None:
        self.network = network
        self.clocks = [0] * process_count
        self.queue: list[tuple[int, int, int, int, int, object]] = []
        self.pushed = 0

    def add_transfer(self, transfer: Transfer, needs: Iterable[Happening]) -> None:
        """A transfer that is ready when all it needs has happened."""

        def queue(times: list[int]) -> None:
            self._push(max(times), 1, transfer.sender, transfer.receiver, transfer)

        when_all(needs, queue)

    def run(self, processes: dict[int, Waiting]) -> None:
        """Runs processes to their end, and gives all transfers that they start a channel."""
        for rank in processes:
            self._push(self.clocks[rank], 0, rank, 0, processes[rank])
        ended = 0
        while self.queue:
            time, _, first, _, _, what = heappop(self.queue)
            if isinstance(what, Transfer):
                self._place(what, time)
            else:
                self.clocks[first] = max(self.clocks[first], time)
                ended += self._continue(first, what)  # type: ignore[arg-type]
        assert ended == len(processes), "some processes wait forever"

    def _push(self, time: int, is_transfer: int, first: int, second: int, what: object) -> None:
        self.pushed += 1
        heappush(self.queue, (time, is_transfer, first, second, self.pushed, what))

    def _place(self, transfer: Transfer, ready: int) -> None:
        ends = (transfer.sender, transfer.receiver)
        assert ends[0] != ends[1]
        assert ends != (STORAGE, STORAGE)
        end = self.network.place(*ends, transfer.size, ready, transfer.weight)
        transfer.end.happen(end)

    def _continue(self, rank: int, process: Waiting) -> bool:
        """Lets a process go on until it has to wait; whether it has ended."""
        for wanted in process:
            if isinstance(wanted, list):

                def resume(times: list[int]) -> None:
                    self._push(max([self.clocks[rank], *times]), 0, rank, 0, process)

                when_all(wanted, resume)
                return False
            if wanted > self.clocks[rank]:
                self._push(wanted, 0, rank, 0, process)
                return False
        return True
