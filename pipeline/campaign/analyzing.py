"""Analyzes the new traces of a campaign, several at once."""

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from tracemill.base.errors import MissingLibraryError, PipelineError, StoreError
from tracemill.base.text import bytes_of, printable
from tracemill.campaign.discovery import Member
from tracemill.campaign.gathering import MOST_RUNS, RunSize, lacks, sizes_of
from tracemill.engine.analyze import Options, analyze_source, find_analyzed, sweep_store
from tracemill.engine.graph import build_graph
from tracemill.engine.plan import DETAIL, Outline, outline
from tracemill.engine.progress import Reporter
from tracemill.engine.recipe import recipe_of
from tracemill.engine.workers import Died, work_through
from tracemill.readers import open_source
from tracemill.readers.common.source import Source
from tracemill.schemas.definitions import CALLS, FULL
from tracemill.store.runs import Run, Store

STAGE = "analyzing runs"
# Errors that do not come from the trace, so that other traces would fail, too.
_FATAL = (StoreError, MissingLibraryError)
# Percentage of the memory for queries if no limit is given.
_MEMORY_SHARE = 80
# Least memory in bytes for the queries of one run.
_LEAST_MEMORY = 64_000_000

_KILLED = "its analysis was killed: if memory was short, analyze fewer runs at once with --threads"

MemberOutcome = Run | str
"""The run of a trace, or the reason of its failure."""


@dataclass(frozen=True, kw_only=True)
class Analyzed:
    """A run of the campaign in the store, or the `reason` why its trace could not be analyzed."""

    member: Member
    run_id: str = ""
    generation: str = ""
    size: RunSize | None = None
    reason: str = ""


def analyze_members(
    members: Sequence[Member], *, store: Store, options: Options, reporter: Reporter
) -> list[Analyzed]:
    """Analyze the traces without an up-to-date run; returns the outcome of each, in their order.

    After a failure the other traces are still analyzed. Raises StoreError if the store cannot be
    written, and MissingLibraryError.
    """
    sweep_store(store, reporter)
    reporter.stage_started(STAGE, len(members))
    start = time.perf_counter()
    found: dict[int, Analyzed] = {}
    with closing(_outcomes(members, store, options, reporter)) as outcomes:
        while batch := list(islice(outcomes, MOST_RUNS)):
            found |= _with_sizes(members, batch)
    reporter.stage_finished(STAGE, round(time.perf_counter() - start, 3))
    return [found[number] for number in range(len(members))]


def _with_sizes(
    members: Sequence[Member], outcomes: Sequence[tuple[int, MemberOutcome]]
) -> dict[int, Analyzed]:
    runs = {run.run_id: run for _, run in outcomes if isinstance(run, Run)}
    sizes = sizes_of(list(runs.values())) if runs else {}
    return {
        number: Analyzed(member=members[number], reason=outcome)
        if isinstance(outcome, str)
        else Analyzed(
            member=members[number],
            run_id=outcome.run_id,
            generation=outcome.generation,
            size=sizes[outcome.run_id],
        )
        for number, outcome in outcomes
    }


def _outcomes(
    members: Sequence[Member], store: Store, options: Options, reporter: Reporter
) -> Generator[tuple[int, MemberOutcome]]:
    """The outcome of every member with its number; members with an up-to-date run come first."""
    due: list[tuple[int, int]] = []
    lookup = _Lookup(store, options)
    for number, member in enumerate(members):
        found = member.failure or lookup.find(member)
        if isinstance(found, int):
            due.append((-found, number))
        else:
            reporter.stage_advanced(STAGE, 1)
            yield number, found
    # Traces with most events first: none of them is then left alone at the end.
    numbers = [number for _, number in sorted(due)]
    traces = [members[number].trace for number in numbers]
    for position, outcome in _analyze_traces(traces, store, options):
        reporter.stage_advanced(STAGE, 1)
        yield numbers[position], outcome


class _Lookup:
    """Finds up-to-date runs in the store."""

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options
        self._outlines: dict[str, list[Outline]] = {}

    def find(self, member: Member) -> MemberOutcome | int:
        """The run, the reason of a failure, or the number of events to analyze."""
        try:
            if member.run_id:
                return self._stored(member.run_id)
            source = open_source(member.trace)
            run = find_analyzed(source, store=self._store, outlines=self._accepted(source))
        except _FATAL:
            raise
        except PipelineError as error:
            return printable(str(error))
        return source.event_count if run is None else run

    def _stored(self, run_id: str) -> MemberOutcome:
        """A run of the store as it is, if it has the tables that campaigns need."""
        try:
            run = self._store.current(run_id)
        except StoreError as error:
            return printable(str(error))
        missing = lacks(run) if run else ["its tables"]
        if run is None or missing:
            return f"{run_id}: the store lacks {', '.join(missing)}: analyze the trace again"
        return run

    def _accepted(self, source: Source) -> list[Outline]:
        if source.format not in self._outlines:
            self._outlines[source.format] = accepted_outlines(source, self._store, self._options)
        return self._outlines[source.format]


def accepted_outlines(source: Source, store: Store, options: Options) -> list[Outline]:
    """Outlines of up-to-date runs of the source's format.

    Runs of intact traces are equal with and without `allow_damaged`, so both are accepted. Without
    a given level of detail, it depends on the trace, so both levels are.
    """
    graph = build_graph(source, recipe_of(store, options.patterns))
    levels = [options.parameters[DETAIL]] if DETAIL in options.parameters else [FULL, CALLS]
    return [
        outline(graph, allow_damaged=is_allowed, values={**options.parameters, DETAIL: level})
        for is_allowed in sorted({False, options.allow_damaged})
        for level in levels
    ]


def _analyze_traces(
    traces: Sequence[Path], store: Store, options: Options
) -> Generator[tuple[int, MemberOutcome]]:
    """Analyze traces, several at once if threads and memory allow it."""
    limit = options.memory_limit
    most = int(bytes_of(limit) // _LEAST_MEMORY) if limit else options.threads
    jobs = max(min(options.threads, most, len(traces)), 1)
    analyze = partial(_analyze, store=store.path, options=share_options(options, jobs))
    if jobs == 1:
        yield from enumerate(map(analyze, traces))
        return
    with closing(work_through(analyze, traces, count=jobs)) as outcomes:
        for number, outcome in outcomes:
            if isinstance(outcome, Died):
                yield number, f"{printable(str(traces[number]))}: {_KILLED}"
            else:
                yield number, outcome


def share_options(options: Options, jobs: int) -> Options:
    """The options of each of `jobs` simultaneous analyses, which share threads and memory."""
    limit = options.memory_limit
    if jobs > 1:
        limit = f"{bytes_of(limit) / jobs:.0f}B" if limit else f"{_MEMORY_SHARE / jobs:.2f}%"
    threads = max(options.threads // jobs, 1)
    return replace(options, threads=threads, memory_limit=limit, force=False)


def _analyze(trace: Path, *, store: Path, options: Options) -> MemberOutcome:
    try:
        source = open_source(trace)
        return analyze_source(source, store=Store(store), options=options, is_swept=True).run
    except _FATAL:
        raise
    except PipelineError as error:
        return printable(str(error))
