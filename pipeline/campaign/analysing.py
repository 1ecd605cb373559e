"""Analyses the traces of a campaign, several at once, each in a process of its own."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from pipeline.campaign.discovery import Member
from pipeline.errors import MissingLibraryError, PipelineError, StoreError
from pipeline.reporter import Reporter
from pipeline.run import Options, analyze
from pipeline.store import Run, Store

STAGE = "runs"
# No other run would fare better.
_FATAL = (StoreError, MissingLibraryError)


@dataclass(frozen=True, kw_only=True)
class Analysed:
    """A run of the campaign in the store, or why its trace could not be analysed."""

    member: Member
    run_id: str = ""
    generation: str = ""
    processes: int = 0
    threads: int = 0
    reason: str = ""


def analyse_members(
    members: Sequence[Member], *, store: Store, options: Options, reporter: Reporter
) -> list[Analysed]:
    """Analyse all traces that are not yet, in any order; what came of each, in theirs.

    A trace that cannot be analysed is no reason to stop. Raises StoreError if the store cannot
    be written, and MissingLibraryError.
    """
    reporter.stage_started(STAGE, len(members))
    found: dict[Path, Analysed] = {}
    try:
        for analysed in _analyse(members, store, options, min(options.threads, len(members))):
            found[analysed.member.trace] = analysed
            reporter.stage_advanced(STAGE, 1)
    finally:
        reporter.stage_finished(STAGE, 0.0)
    return [found[member.trace] for member in members]


def _analyse(
    members: Sequence[Member], store: Store, options: Options, jobs: int
) -> Iterator[Analysed]:
    if jobs <= 1:
        for member in members:
            yield analyse_member(member, store.path, options)
        return
    each = replace(options, threads=max(options.threads // jobs, 1))
    # Threads of this process must not be forked.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(analyse_member, member, store.path, each) for member in members]
        try:
            yield from _finished(futures)
        except BaseException:
            _cancel(pool)
            raise


def _finished(futures: Sequence[Future[Analysed]]) -> Iterator[Analysed]:
    for future in as_completed(futures):
        yield future.result()


def _cancel(pool: Executor) -> None:
    pool.shutdown(wait=False, cancel_futures=True)


def analyse_member(member: Member, store: Path, options: Options) -> Analysed:
    """Analyse one trace, unless that is done already."""
    try:
        run = _analysed(member, Store(store), options)
        counts = run.read("runs", ["process_count"]).to_pylist()[0]
        groups = run.read("locations", ["location_group_id", "kind"]).to_pylist()
    except _FATAL:
        raise
    except PipelineError as error:
        return Analysed(member=member, reason=str(error))
    threads: Counter[int] = Counter()
    for row in groups:
        if row["kind"] == "cpu_thread":
            threads[row["location_group_id"]] += 1
    return Analysed(
        member=member,
        run_id=run.run_id,
        generation=run.generation,
        processes=max(counts["process_count"], 1),
        threads=max(threads.values(), default=1),
    )


def _analysed(member: Member, store: Store, options: Options) -> Run:
    """The run of a trace; that of the store itself for a member that names one."""
    if member.run_id:
        return store.open(member.run_id)
    return analyze(member.trace, store=store, options=replace(options, force=False)).run
