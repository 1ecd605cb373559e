"""Make a described program from the runs of a campaign: times and sizes by number of processes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tracemill.base.errors import ProgramError
from tracemill.base.text import counted, join_words
from tracemill.forecast.from_traces.computing import Computing, Model
from tracemill.forecast.from_traces.fitting import SizeModel, fit_sizes, fit_times
from tracemill.forecast.from_traces.making import (
    Options,
    Times,
    describe,
    leave_out_others,
    merge_and_nest,
    same_size,
    total_spent,
)
from tracemill.forecast.from_traces.operations import find_operations
from tracemill.forecast.from_traces.recording import Recording, read_recording
from tracemill.forecast.from_traces.steps import Node
from tracemill.forecast.from_traces.text import Field, number_text
from tracemill.sql.query_files import load_query
from tracemill.store.runs import Run, Store

LEAST_COUNTS = 3
"""Fewest different numbers of processes."""
CONSTANT = 0.005
"""Sizes with a smaller exponent do not depend on the number of processes."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which runs of a campaign: problem size, program, and most processes."""

    size: float | None = None
    application: str | None = None
    most_processes: int | None = None


@dataclass(frozen=True)
class _Member:
    """A measured run of the campaign."""

    application: str
    size: float
    variant: str
    threads: int
    processes: int
    time_ns: int
    run_id: str


@dataclass(frozen=True)
class Chosen:
    """Runs of one program and size, and the exponents of growth by call path."""

    name: str
    application: str
    recordings: Sequence[Recording]
    longest_ns: Sequence[int]
    growth: Mapping[str, float] = field(default_factory=dict)

    @property
    def typical(self) -> Recording:
        """The run of median time with the most processes."""
        most = max(each.process_count for each in self.recordings)
        runs = [
            (time, number)
            for number, (each, time) in enumerate(
                zip(self.recordings, self.longest_ns, strict=True)
            )
            if each.process_count == most
        ]
        return self.recordings[sorted(runs)[(len(runs) - 1) // 2][1]]


def choose_runs(campaign: Run, store: Store, choice: Choice) -> Chosen:
    """Read the runs of a campaign. Raises ProgramError if they are not of one program and size."""
    members = _choose(campaign, choice)
    recordings = []
    for each in members:
        run = store.current(each.run_id)
        if run is None:
            raise ProgramError(
                f"campaign {campaign.run_id}: run {each.run_id} is not in the store any more: make "
                "the campaign again"
            )
        recordings.append(read_recording(run))
    return Chosen(
        campaign.run_id,
        members[0].application,
        recordings,
        [each.time_ns for each in members],
        _growth(campaign, members[0]),
    )


def _choose(campaign: Run, choice: Choice) -> list[_Member]:
    rows = campaign.read(
        "campaign_runs",
        ["application", "size", "variant", "threads", "processes", "time_ns", "run_id"],
    ).to_pylist()
    members = [_Member(**row) for row in rows if row["run_id"] and row["time_ns"] is not None]
    for name, option, given in (
        ("programs", "--application", choice.application),
        ("sizes", "--size", choice.size),
    ):
        values = _values(members, name)
        if given is not None and given not in values:
            raise ProgramError(
                f"campaign {campaign.run_id}: no run of {option} {_plain(given)}: {name} are "
                f"{join_words([_plain(each) for each in values])}"
            )
        if given is None and len(values) > 1:
            raise ProgramError(
                f"campaign {campaign.run_id} has runs of several {name}: choose one of "
                f"{join_words([_plain(each) for each in values])} with {option}"
            )
        members = [each for each in members if given is None or _value(each, name) == given]
    most = choice.most_processes
    members = [each for each in members if most is None or each.processes <= most]
    _check(campaign, members)
    return sorted(members, key=lambda each: each.processes)


def _value(member: _Member, name: str) -> str | float:
    return member.application if name == "programs" else member.size


def _values(members: Sequence[_Member], name: str) -> list[str | float]:
    return sorted({_value(each, name) for each in members})


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else number_text(value)


def _check(campaign: Run, members: Sequence[_Member]) -> None:
    """Raise ProgramError for runs that differ in more than processes, or too few."""
    variants = sorted({(each.threads, each.variant) for each in members})
    if len(variants) > 1:
        listed = join_words(
            [
                counted(count, "thread") + (f", {text}" if text else "")
                for count, text in variants[:3]
            ]
        )
        raise ProgramError(
            f"campaign {campaign.run_id}: its runs differ in more than processes ({listed}): make "
            "a campaign of one configuration"
        )
    counts = sorted({each.processes for each in members})
    if len(counts) < LEAST_COUNTS:
        listed = join_words([str(each) for each in counts]) or "none"
        raise ProgramError(
            f"campaign {campaign.run_id}: {LEAST_COUNTS} numbers of processes or more are needed, "
            f"its runs with traces have {listed}: analyze more runs, or give one RUN"
        )


def _growth(campaign: Run, member: _Member) -> dict[str, float]:
    """Exponents of growth by call path: those of the size, else those of all sizes."""
    query = load_query("program_growth")
    connection = campaign.connect(tables=query.inputs)
    try:
        rows = connection.execute(query.statement).fetchall()
    finally:
        connection.close()
    return {
        path: exponent
        for application, size, path, exponent in rows
        if application == member.application and size in (None, member.size)
    }


def program_from_runs(chosen: Chosen, options: Options) -> str:
    """The description of the program of a campaign. Raises ProgramError or UsageError."""
    times = [Times.of(each) for each in chosen.recordings]
    options.given.check(sorted({path for each in times for path in each.by_rank}))
    paths = {path for each in times for path in each.large}
    paths |= {path for each in times for path in each.by_rank if options.given.names(path)}
    pooled = [each.pooled(paths) for each in times]
    typical = chosen.typical
    merged, nodes = merge_and_nest(typical, paths)
    left_out = leave_out_others(nodes)
    singles = _singles(pooled)
    counts = [each.process_count for each in pooled]
    computing = Computing(
        process_count=typical.process_count,
        singles=singles,
        given=options.given,
        models=_models(pooled, nodes, typical.process_count, singles, chosen.growth),
    )
    comments = (
        f"Made from {len(counts)} runs of campaign {chosen.name} with "
        f"{join_words([str(each) for each in sorted(set(counts))])} processes;",
        f"its operations are those of {typical.label}.",
        *left_out,
    )
    return describe(
        chosen.application,
        typical,
        merged,
        nodes,
        computing,
        _Sizes.of(chosen, typical).field,
        options,
        comments,
    )


def _singles(times: Sequence[Times]) -> frozenset[str]:
    """Call paths that a single process computes in all runs of several processes."""
    several = [each for each in times if each.process_count > 1]
    paths = {path for each in several for path in each.by_rank}
    return frozenset(path for path in paths if all(each.is_single(path) for each in several))


def _models(
    times: Sequence[Times],
    nodes: Sequence[Node],
    process_count: int,
    singles: frozenset[str],
    growth: Mapping[str, float],
) -> dict[str, Model]:
    """The model of each call path of the steps."""
    models = {}
    for path, spent in total_spent(nodes).items():
        is_single = path in singles
        measured = [each.longest_ns(path) if is_single else each.mean_ns(path) for each in times]
        fitted = fit_times([each.process_count for each in times], measured)
        total = spent.longest_ns if is_single else spent.sum_ns / process_count
        models[path] = Model(fitted, total, growth.get(path))
    return models


@dataclass(frozen=True)
class _Sizes:
    """Models of the bytes of operations, and their mean in the run whose steps are used."""

    models: Mapping[str, tuple[SizeModel, float]]

    @classmethod
    def of(cls, chosen: Chosen, typical: Recording) -> "_Sizes":
        """The models by call path of the operation."""
        measured: dict[str, list[tuple[int, float]]] = {}
        own: Mapping[str, float] = {}
        for recording in chosen.recordings:
            sizes = _mean_sizes(recording)
            own = sizes if recording is typical else own
            for path, size in sizes.items():
                measured.setdefault(path, []).append((recording.process_count, size))
        return cls({path: (fit_sizes(*zip(*measured[path], strict=True)), own[path])
                    for path in own})  # fmt: skip

    def field(self, path: str, size: float) -> Field:
        """Bytes of an operation: a number, or an expression of p."""
        model, mean = self.models.get(path, (SizeModel(0.0, 0.0), 0.0))
        if not mean or not size or abs(model.exponent) < CONSTANT:
            return same_size(path, size)
        return f"{number_text(model.factor * size / mean)} * p ** {model.exponent:.3f}"


def _mean_sizes(recording: Recording) -> dict[str, float]:
    """Mean bytes of a message, or of one member of a collective, by call path."""
    operations = find_operations(recording)
    sums: dict[str, tuple[float, float]] = {}
    for number, signature in enumerate(operations.signatures):
        pattern = operations.patterns[signature]
        sizes = operations.channel_bytes[number]
        count = sum(each for _, _, each in pattern.pairs) or 1
        size, before = sums.get(pattern.call_path, (0.0, 0.0))
        sums[pattern.call_path] = (size + sum(sizes), before + count)
    return {path: size / count for path, (size, count) in sums.items()}
