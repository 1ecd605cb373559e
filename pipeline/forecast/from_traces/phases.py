"""Phases of a described program from the steps of a run."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tracemill.forecast.from_traces.computing import Computing, region_of
from tracemill.forecast.from_traces.grids import Channels, fit
from tracemill.forecast.from_traces.pipelines import Arrays, find_wavefront, pipelined, shape_of
from tracemill.forecast.from_traces.steps import Merged, Node, Repeat, Spent, Step
from tracemill.forecast.from_traces.text import Field, Table

SizeText = Callable[[str, float], Field]
"""Bytes as a field, from the call path of an operation and its bytes in the run."""

_WAVEFRONT = "A wavefront: processes compute between receiving and sending; see kind pipelined."


def channels_of(step: Step, merged: Merged) -> Channels:
    """The messages of a step, with mean sizes over its executions."""
    sums = [0.0] * len(step.pattern.pairs)
    for number in step.executions:
        for place, size in enumerate(merged.channel_bytes[number]):
            sums[place] += size
    counts = [count * len(step.executions) for _, _, count in step.pattern.pairs]
    sizes = tuple(size / count for size, count in zip(sums, counts, strict=True))
    return Channels(step.pattern.call_path, step.pattern.pairs, sizes)


@dataclass(frozen=True, kw_only=True)
class Builder:
    """Makes phases of steps on a grid."""

    merged: Merged
    grid: tuple[int, ...]
    computing: Computing
    size_text: SizeText
    arrays: Arrays = field(default_factory=Arrays)

    def build(self, nodes: Sequence[Node], executions: float = 1.0) -> tuple[Table, ...]:
        """Phases of a list that is executed so often."""
        return tuple(self._phases(nodes, executions))

    def _phases(self, nodes: Sequence[Node], executions: float) -> Iterator[Table]:
        pairs = _matched(nodes)
        names: dict[str, int] = {}
        started: dict[int, list[str]] = {}
        for place, node in enumerate(nodes):
            if isinstance(node, Repeat):
                yield from self._parts(node.before, executions)
                yield from self._pipelined(node, executions) or [self._loop(node, executions)]
                continue
            yield from self._parts(node.spent, executions)
            if node.pattern.is_wait:
                yield from (_wait(name) for name in started.pop(pairs.get(place, -1), []))
            elif node.pattern.kind != "end":
                own = yield from self._started(node, place in pairs, names)
                if place in pairs:
                    started[pairs[place]] = own
                else:
                    yield from map(_wait, own)

    def _started(
        self, step: Step, is_nonblocking: bool, names: dict[str, int]
    ) -> Generator[Table, None, list[str]]:
        """Phases of an operation; the names of those that are non-blocking.

        Of the phases of a blocking operation, the last one is blocking.
        """
        tables = self._operation(step)
        count = len(tables) if is_nonblocking else len(tables) - 1
        own = []
        for number, fields in enumerate(tables):
            comments = (_WAVEFRONT,) if not number and step.pattern.is_wavefront else ()
            if number < count:
                own.append(_unique(str(fields["name"]), names))
                fields = fields | {"name": own[-1], "nonblocking": True}
            yield Table(fields, comments)
        return own

    def _loop(self, repeat: Repeat, executions: float) -> Table:
        count = repeat.iterations
        total = executions * count
        inner = (*self.build(repeat.body, total), *self._parts(repeat.after, total))
        return Table({"kind": "loop", "name": "iterations", "iterations": count}, phases=inner)

    def _pipelined(self, repeat: Repeat, executions: float) -> list[Table]:
        """A wavefront as pipelined loop, after parts that are not shared; else nothing."""
        step = find_wavefront(repeat)
        if step is None or any(map(self.computing.given.expression, step.spent)):
            return []
        channels = channels_of(step, self.merged)
        shape = shape_of(fit(channels, self.grid), self.grid, repeat.iterations)
        parts = [*self._parts(step.spent, executions), *self._parts(repeat.after, executions)]
        shared = [part for part in parts if part.fields["kind"] == "parallel"]
        if shape is None or not shared:
            return []
        longest = max(shared, key=lambda part: float(str(part.fields["time_ns"])))
        name = str(longest.fields["name"])
        own = self.arrays.name(shape)
        others = [part for part in parts if part.fields["kind"] != "parallel"]
        text = (
            f"{channels.call_path}: {repeat.iterations} steps, each waits for the edges of its "
            "predecessors"
        )
        return [*others, pipelined(name, own, shape, shared, text)]

    def _parts(self, spent: Mapping[str, Spent], executions: float) -> Iterator[Table]:
        for path, each in spent.items():
            yield from self.computing.tables(path, each, executions)

    def _operation(self, step: Step) -> list[dict[str, Field]]:
        """Fields of the phases of an operation."""
        pattern = step.pattern
        if pattern.kind == "neighbours":
            return [
                {
                    "kind": "neighbours",
                    "name": _name(pattern.call_path),
                    "offsets": [list(offset) for offset in each.offsets],
                    "bytes": self.size_text(pattern.call_path, each.bytes),
                    **({"periodic": True} if each.is_periodic else {}),
                }
                for each in fit(channels_of(step, self.merged), self.grid)
            ]
        sizes = [self.merged.channel_bytes[number][0] for number in step.executions]
        fields: dict[str, Field] = {
            "kind": pattern.kind,
            "name": region_of(pattern.call_path),
            "operation": pattern.operation,
            "bytes": self.size_text(pattern.call_path, sum(sizes) / len(sizes)),
        }
        if pattern.kind == "io":
            fields["mode"] = "each" if pattern.root else "one"
        elif pattern.root:
            fields["root"] = pattern.root
        return [fields]


def _wait(name: str) -> Table:
    return Table({"kind": "wait", "for": name})


def _matched(nodes: Sequence[Node]) -> dict[int, int]:
    """Places of starts and of their completions in a list; others are blocking."""
    open_starts: dict[int, list[int]] = {}
    pairs: dict[int, int] = {}
    for place, node in enumerate(nodes):
        if not isinstance(node, Step):
            continue
        if node.pattern.is_wait and open_starts.get(node.signature - 1):
            start = open_starts[node.signature - 1].pop(0)
            pairs[start] = pairs[place] = start
        elif node.pattern.is_nonblocking:
            open_starts.setdefault(node.signature, []).append(place)
    return pairs


def _name(path: str) -> str:
    """The region that exchanges messages: that which calls MPI."""
    regions = path.split("/")
    return regions[-2] if len(regions) > 1 else regions[-1]


def _unique(name: str, names: dict[str, int]) -> str:
    """The name, with a number from the second of a list on."""
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} {names[name]}"
