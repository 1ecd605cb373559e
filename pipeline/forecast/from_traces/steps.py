"""The sequence of steps that all processes of a run go through."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["collective", "neighbours", "io", "end"]


@dataclass(frozen=True)
class Pattern:
    """Operations that are alike.

    `call_path` is that of the calls, `operation` a collective, or read or write. `pairs` are the
    senders and receivers of messages, with their number. `size_class` is the binary order of
    magnitude of the bytes. Non-blocking ones are started by one step and completed by another,
    with `is_wait`. In a wavefront, processes compute between receiving and sending.
    """

    kind: Kind
    call_path: str
    operation: str = ""
    root: int = 0
    pairs: tuple[tuple[int, int, int], ...] = ()
    size_class: int = 0
    is_nonblocking: bool = False
    is_wait: bool = False
    is_wavefront: bool = False


@dataclass
class Spent:
    """Computing: sum over processes, and sum of the longest process of each execution (ns)."""

    sum_ns: float = 0.0
    longest_ns: float = 0.0

    def add(self, other: "Spent", factor: float = 1.0) -> None:
        """Add the time of further executions, or a part of it."""
        self.sum_ns += factor * other.sum_ns
        self.longest_ns += factor * other.longest_ns


@dataclass
class Step:
    """Computing of all processes by call path, then an operation.

    `executions` are the numbers of the operations that this step stands for, and `bytes` the sum of
    theirs.
    """

    pattern: Pattern
    signature: int
    spent: dict[str, Spent] = field(default_factory=dict)
    executions: list[int] = field(default_factory=list)

    @property
    def steps(self) -> Iterable["Step"]:
        """The step itself."""
        return (self,)

    def scale(self, factor: int) -> None:
        """Steps count their executions themselves."""


@dataclass
class Repeat:
    """Steps that are repeated; their times and executions are those of all repetitions.

    `entry_count` is how often the loop is entered, `total_count` the number of its iterations in
    all. `before` is computing that the first iteration alone does, before its first operation;
    `after` is that of all iterations after their last one.
    """

    body: list["Node"]
    signature: int
    entry_count: int
    total_count: int
    before: dict[str, Spent] = field(default_factory=dict)
    after: dict[str, Spent] = field(default_factory=dict)

    @property
    def iterations(self) -> int:
        """Mean number of iterations, at least 1."""
        return max(1, int(self.total_count / self.entry_count + 0.5))

    @property
    def steps(self) -> Iterable[Step]:
        """All steps in it."""
        return (step for node in self.body for step in node.steps)

    def scale(self, factor: int) -> None:
        """Count everything so often."""
        self.entry_count *= factor
        self.total_count *= factor
        for node in self.body:
            node.scale(factor)


Node = Step | Repeat


def add_spent(total: dict[str, Spent], spent: dict[str, Spent]) -> None:
    """Add computing by call path."""
    for path, each in spent.items():
        total.setdefault(path, Spent()).add(each)


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The steps of all processes in order, the last one without operation.

    `channel_bytes` has for each operation by number the bytes of one member (collectives), of all
    processes (files), or of each pair of its pattern (messages).
    """

    process_count: int
    steps: list[Step]
    channel_bytes: Mapping[int, tuple[float, ...]]
