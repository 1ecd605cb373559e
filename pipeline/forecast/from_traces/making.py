"""Make a described program from an analyzed run, or from the runs of a campaign."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import polars as pl

from tracemill.base.errors import ProgramError
from tracemill.base.text import counted
from tracemill.forecast.from_traces.computing import SINGLE, Computing, Given
from tracemill.forecast.from_traces.grids import choose_grid
from tracemill.forecast.from_traces.iterations import nest
from tracemill.forecast.from_traces.merging import OTHER, merge
from tracemill.forecast.from_traces.phases import Builder, SizeText, channels_of
from tracemill.forecast.from_traces.recording import ADVICE, Recording
from tracemill.forecast.from_traces.steps import Merged, Node, Repeat, Spent, add_spent
from tracemill.forecast.from_traces.text import Field, render_program
from tracemill.programs.language.data_program import DataProgram
from tracemill.programs.language.reading import parse_program

LEAST_SHARE = 0.01
"""Call paths below this share of all computing are put together as OTHER."""
LEAST_OTHERS = 0.005
"""OTHER is left out if it is below this share of all computing."""
MOST_PHASES = 20_000


@dataclass(frozen=True, kw_only=True)
class Options:
    """Choices of the user: grid of the run with the most processes, and kinds of parts.

    Without a grid, `dimensions` limits which one is chosen.
    """

    grid: tuple[int, ...] | None = None
    dimensions: int | None = None
    given: Given = field(default_factory=Given)


@dataclass(frozen=True)
class Times:
    """Computing of a run by call path and rank (ns)."""

    by_rank: Mapping[str, Mapping[int, float]]
    process_count: int

    @classmethod
    def of(cls, recording: Recording) -> "Times":
        """The times of a run."""
        sums = (
            recording.computing.group_by("call_path_id", "rank")
            .agg((pl.col("end_ns") - pl.col("begin_ns")).sum().alias("time_ns"))
            .sort("call_path_id", "rank")
        )
        by_rank: dict[str, dict[int, float]] = {}
        for call_path_id, rank, time in sums.iter_rows():
            own = by_rank.setdefault(recording.path(call_path_id), {})
            own[rank] = own.get(rank, 0.0) + time
        return cls(by_rank, recording.process_count)

    @property
    def large(self) -> set[str]:
        """Call paths with a noticeable share."""
        total = sum(self.sum_ns(path) for path in self.by_rank)
        return {path for path in self.by_rank if self.sum_ns(path) >= LEAST_SHARE * total}

    def pooled(self, call_paths: set[str]) -> "Times":
        """The same with all other call paths as OTHER."""
        pooled: dict[str, dict[int, float]] = {}
        for path, ranks in self.by_rank.items():
            own = pooled.setdefault(path if path in call_paths else OTHER, {})
            for rank, time in ranks.items():
                own[rank] = own.get(rank, 0.0) + time
        return Times(pooled, self.process_count)

    def sum_ns(self, path: str) -> float:
        """Time of all processes."""
        return sum(self.by_rank.get(path, {}).values())

    def mean_ns(self, path: str) -> float:
        """Time per process."""
        return self.sum_ns(path) / self.process_count

    def longest_ns(self, path: str) -> float:
        """Time of the process with the most."""
        return max(self.by_rank.get(path, {}).values(), default=0.0)

    def is_single(self, path: str) -> bool:
        """Whether a single process has almost all of it."""
        return self.longest_ns(path) >= SINGLE * self.sum_ns(path)


def program_from_recording(recording: Recording, options: Options) -> str:
    """The description of the program of one run. Raises ProgramError or UsageError."""
    times = Times.of(recording)
    options.given.check(list(times.by_rank))
    paths = times.large | {path for path in times.by_rank if options.given.names(path)}
    merged, nodes = merge_and_nest(recording, paths)
    left_out = leave_out_others(nodes)
    computing = Computing(
        process_count=recording.process_count,
        singles=frozenset(_singles_of(nodes)) if recording.process_count > 1 else frozenset(),
        given=options.given,
    )
    comments = (
        f"Made from run {recording.label} with "
        f"{counted(recording.process_count, 'process', 'processes')}.",
        "One run does not show which computing is replicated: all parts are taken as shared",
        "evenly, except those of a single process (see --replicated and --part).",
        *left_out,
    )
    label = recording.label
    return describe(label, recording, merged, nodes, computing, same_size, options, comments)


def merge_and_nest(recording: Recording, paths: set[str]) -> tuple[Merged, list[Node]]:
    """The steps of a run, and the same as nested loops."""
    merged = merge(recording, paths)
    nodes = nest(merged.steps)
    count = sum(1 for node in nodes for _ in node.steps)
    if count > MOST_PHASES:
        raise ProgramError(
            f"{recording.label}: {count:,} operations without repetition are too many for a "
            f"description: {ADVICE}"
        )
    return merged, nodes


def leave_out_others(nodes: Sequence[Node]) -> tuple[str, ...]:
    """Remove OTHER if it is small; says so. Else put small times of it together within each list.

    A time of it is small if it is below a tenth of that share.
    """
    total = total_spent(nodes)
    time = sum(spent.sum_ns for spent in total.values())
    others = total.get(OTHER, Spent()).sum_ns
    if not others:
        return ()
    if others < LEAST_OTHERS * time:
        _pool_others(nodes, float("inf"))
        return (f"Other call paths with {others / time:.2%} of the computing are left out.",)
    _pool_others(nodes, LEAST_OTHERS / 10 * time)
    return ()


def _pool_others(nodes: Sequence[Node], least_ns: float) -> None:
    """Move times of OTHER to the next step of a list until they are large enough."""
    pending = Spent()
    last: dict[str, Spent] = {}
    for node in nodes:
        own = node.before if isinstance(node, Repeat) else node.spent
        pending.add(own.pop(OTHER, Spent()))
        if pending.sum_ns >= least_ns:
            parts = {OTHER: pending, **own}
            own.clear()
            own.update(parts)
            pending = Spent()
        if isinstance(node, Repeat):
            _pool_others(node.body, least_ns)
            small = node.after.pop(OTHER, Spent())
            if least_ns < float("inf") and small.sum_ns:
                node.after[OTHER] = small
        last = own
    if pending.sum_ns and least_ns < float("inf"):
        last.setdefault(OTHER, Spent()).add(pending)


def describe(
    name: str,
    recording: Recording,
    merged: Merged,
    nodes: Sequence[Node],
    computing: Computing,
    size_text: SizeText,
    options: Options,
    comments: Sequence[str],
) -> str:
    """The text of a program with the steps of a run.

    Raises ProgramError for irregular messages, and for wrong expressions of the user.
    """
    grid = _grid(recording, merged, nodes, options)
    builder = Builder(merged=merged, grid=grid, computing=computing, size_text=size_text)
    phases = builder.build(nodes)
    if recording.unrecorded:
        calls = ", ".join(recording.unrecorded[:3])
        comments = (*comments, f"Left out, because the trace does not record them: {calls}.")
    fields: dict[str, Field] = {"name": name, "speed": 1, "grid": list(grid)}
    text = render_program(fields, builder.arrays.tables, phases, comments)
    parse_data_program(text, f"program of {name}")
    return text


def parse_data_program(text: str, source: str) -> DataProgram:
    """The program of a description on a grid. Raises ProgramError."""
    program = parse_program(tomllib.loads(text), source, source)
    assert isinstance(program, DataProgram)
    return program


def _grid(
    recording: Recording, merged: Merged, nodes: Sequence[Node], options: Options
) -> tuple[int, ...]:
    """The given grid, or one that the messages fit."""
    count, given = recording.process_count, options.grid
    if given is not None:
        if prod(given) != count:
            size = "x".join(map(str, given))
            raise ProgramError(
                f"--grid {size}: {counted(prod(given), 'process', 'processes')}, but "
                f"{recording.label} has {count:,}"
            )
        return given
    channels = [
        channels_of(step, merged) for node in nodes for step in node.steps if step.pattern.pairs
    ]
    return choose_grid(channels, count, recording.grids, options.dimensions)


def same_size(_: str, size: float) -> Field:
    """Bytes as they are in the run."""
    return round(size) if size >= 1000 else size


def _singles_of(nodes: Sequence[Node]) -> set[str]:
    """Call paths that a single process at a time computes, whichever it is."""
    total: dict[str, Spent] = total_spent(nodes)
    return {path for path, spent in total.items() if spent.longest_ns >= SINGLE * spent.sum_ns}


def total_spent(nodes: Sequence[Node]) -> dict[str, Spent]:
    """All computing by call path."""
    total: dict[str, Spent] = {}
    for node in nodes:
        if isinstance(node, Repeat):
            for spent in (node.before, node.after, total_spent(node.body)):
                add_spent(total, spent)
        else:
            add_spent(total, node.spent)
    return total
