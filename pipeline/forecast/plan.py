"""A program on a grid as a plan: numbered parts, operations and intervals, in nested lists."""

from dataclasses import dataclass
from typing import Literal

from tracemill.forecast.short_pipelines import ShortPipeline

IntervalMode = Literal["user", "parallel", "serial", "loops"]


@dataclass(frozen=True)
class Node:
    """An item of the plan in an interval (by number)."""

    interval: int


@dataclass(frozen=True)
class Compute(Node):
    """A part, by number."""

    part: int


@dataclass(frozen=True)
class Start(Node):
    """Starts an operation, by number."""

    operation: int


@dataclass(frozen=True)
class Wait(Node):
    """Waits for an operation, by number."""

    operation: int


@dataclass(frozen=True)
class Pipeline(Node):
    """A pipelined loop: its number, and if only a part of it is simulated its steps."""

    operation: int
    short: ShortPipeline | None
    name: str


@dataclass(frozen=True)
class Loop(Node):
    """A serial loop."""

    iterations: int
    body: tuple[Node, ...]
    name: str


@dataclass(frozen=True)
class Branch(Node):
    """Alternatives with their probabilities."""

    alternatives: tuple[tuple[float, tuple[Node, ...]], ...]


@dataclass(frozen=True)
class Stretch(Node):
    """An interval (by number) that the body belongs to."""

    number: int
    body: tuple[Node, ...]


@dataclass(frozen=True)
class IntervalName:
    """Path of names of an interval, and number of the enclosing one."""

    path: str
    parent: int | None
