"""Parts of a program by call path: their kind and their time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tracemill.base.errors import UsageError
from tracemill.base.near import did_you_mean, near_matches
from tracemill.base.text import describe_duration
from tracemill.forecast.from_traces.fitting import TimeModel
from tracemill.forecast.from_traces.steps import Spent
from tracemill.forecast.from_traces.text import Field, Table, number_text

SINGLE = 0.95
"""A single process computes a part if its share of the time is at least this."""


@dataclass(frozen=True)
class Given:
    """Choices of the user: patterns of replicated parts, and expressions by pattern."""

    replicated: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)

    def is_replicated(self, path: str) -> bool:
        """Whether a part is run by everybody."""
        return any(matches(path, pattern) for pattern in self.replicated)

    def expression(self, path: str) -> str | None:
        """The time of a part (ns), or None."""
        return next((text for each, text in self.parts.items() if matches(path, each)), None)

    def names(self, path: str) -> bool:
        """Whether any of it is about a call path."""
        return self.is_replicated(path) or self.expression(path) is not None

    def check(self, paths: Sequence[str]) -> None:
        """Raise UsageError for a pattern without a call path."""
        for option, pattern in (
            *(("--replicated", each) for each in self.replicated),
            *(("--part", each) for each in self.parts),
        ):
            if not any(matches(path, pattern) for path in paths):
                advice = did_you_mean(near_matches(pattern, paths, most=3))
                known = advice or f"there are {', '.join(sorted(paths)[:6])}"
                raise UsageError(f"{option} {pattern}: no call path that computes is so: {known}")


def matches(path: str, pattern: str) -> bool:
    """Whether a call path, or its last region, is a pattern with * and ?."""
    return fnmatchcase(path, pattern) or fnmatchcase(region_of(path), pattern)


def region_of(path: str) -> str:
    """The last region of a call path."""
    return path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Model:
    """Time of a call path in runs of several sizes: per process, or of the single one.

    `total_ns` is the time of the run whose steps are used; `growth` the exponent of the campaign.
    """

    times: TimeModel
    total_ns: float
    growth: float | None


@dataclass(frozen=True, kw_only=True)
class Computing:
    """Rules for the parts of a program. Without models, times of one run are shared evenly."""

    process_count: int
    singles: frozenset[str]
    given: Given
    models: Mapping[str, Model] | None = None

    def tables(self, path: str, spent: Spent, executions: float) -> Iterator[Table]:
        """Phases for computing in a call path that is executed so often."""
        expression = self.given.expression(path)
        note = f"{path}: {self._imbalance(spent)}"
        if expression is not None:
            yield _table("serial", path, expression, note, "as given by --part")
        elif self.models is not None and path in self.models:
            yield from self._modeled(path, self.models[path], spent, executions, note)
        elif path in self.singles:
            time = spent.longest_ns / executions
            yield _table("serial", path, time, note, "computed by a single process", on="first")
        elif self.given.is_replicated(path):
            time = spent.sum_ns / self.process_count / executions
            yield _table("serial", path, time, note, "replicated as given by --replicated")
        else:
            yield _table("parallel", path, spent.sum_ns / executions, note)

    def _imbalance(self, spent: Spent) -> str:
        """Maximum over mean of the processes."""
        mean = spent.sum_ns / self.process_count
        return f"max/mean {spent.longest_ns / mean:.2f}" if mean else "no time"

    def _modeled(
        self, path: str, model: Model, spent: Spent, executions: float, note: str
    ) -> Iterator[Table]:
        """Phases for the terms of a model."""
        is_single = path in self.singles
        own = spent.longest_ns if is_single else spent.sum_ns / self.process_count
        share = own / model.total_ns / executions if model.total_ns else 0.0
        comment = describe_model(model)
        if is_single:
            terms = _sum_text(model.times, share)
            yield _table(
                "serial", path, terms, note, f"computed by a single process; {comment}", on="first"
            )
            return
        if self.given.is_replicated(path):
            yield _table("serial", path, own / executions, note, "replicated by --replicated")
            return
        notes = [note, comment]
        for kind, suffix, time in _terms(model.times, share):
            yield _table(kind, path + suffix, time, *notes)
            notes = []


def _terms(times: TimeModel, share: float) -> Iterator[tuple[str, str, Field]]:
    """Kind, suffix of the name, and time of each term."""
    if times.shared:
        yield "parallel", "", times.shared * share
    if times.replicated:
        yield "serial", " replicated" if times.shared else "", times.replicated * share
    if times.logarithmic:
        is_alone = not times.shared and not times.replicated
        factor = number_text(times.logarithmic * share)
        yield "serial", "" if is_alone else " log2 p", f"{factor} * log2(p)"


def _sum_text(times: TimeModel, share: float) -> Field:
    """All terms as one time."""
    if not times.shared and not times.logarithmic:
        return times.replicated * share
    terms = [
        f"{number_text(factor * share)}{rest}"
        for factor, rest in (
            (times.shared, " / p"),
            (times.replicated, ""),
            (times.logarithmic, " * log2(p)"),
        )
        if factor
    ]
    return " + ".join(terms)


def describe_model(model: Model) -> str:
    """A fitted model with its figures, over all executions."""
    times = model.times
    terms = [
        f"{describe_duration(factor / 1e9)}{rest}"
        for factor, rest in (
            (times.shared, " / p"),
            (times.replicated, ""),
            (times.logarithmic, " log2 p"),
        )
        if factor
    ]
    fitted = "no variance" if times.r_squared is None else f"r² {times.r_squared:.3f}"
    growth = "" if model.growth is None else f"; sum over processes grows as p^{model.growth:.2f}"
    return f"in all {' + '.join(terms) or 'no time'}; {fitted}{growth}"


def _table(kind: str, path: str, time: Field, *comments: str, on: str = "") -> Table:
    fields: dict[str, Field] = {"kind": kind, "name": region_of(path), "time_ns": time}
    if on:
        fields["on"] = on
    return Table(fields, ("; ".join(comments),) if comments else ())
