"""Measure speed and memory of reading and analysing: python -m tests.bench."""

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from pipeline.errors import PipelineError
from tests.bench.archives import CACHE, PROGRAM_NAMES, event_file_bytes, provide_archive
from tests.bench.figures import record
from tests.bench.measuring import Cost, FailedJobError, measure, repetitions_for
from tests.bench.report import TITLES, Measured, cost_table, stage_table

HISTORY = CACHE / "history.jsonl"
WIDTH = 160

messages = Console(stderr=True, highlight=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, show and record; 1 if that is not possible."""
    chosen, machine = _parse(arguments), _machine()
    thread_counts = sorted({1, min(2, os.cpu_count() or 1)})
    try:
        archives = _archives(chosen)
        measured = [
            _measure_archive(archive, thread_counts, chosen.memory_limit) for archive in archives
        ]
        others = tuple(_measure_others(archives[0]))
    except (PipelineError, FailedJobError) as error:
        messages.print(str(error), markup=False, soft_wrap=True)
        return 1
    _show(measured, others, thread_counts[-1])
    document = _describe(measured, others, machine)
    _remember(document)
    if chosen.record:
        record(document)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    add = parser.add_argument
    add("--events", default="1000000,5000000,20000000", help="sizes of generated archives")
    add("--program", choices=PROGRAM_NAMES, default="mixed", help="what generated archives are of")
    add("--trace", type=Path, help="measure with this archive instead of generated ones")
    add("--memory-limit", default="", help="memory for queries of the whole analysis, e.g. 4GB")
    add("--record", action="store_true", help="also put the figures into README.md")
    return parser.parse_args(arguments)


def _archives(chosen: argparse.Namespace) -> list[Path]:
    if chosen.trace:
        return [chosen.trace]
    found = []
    for events in sorted({int(size) for size in chosen.events.split(",")}):
        messages.print(f"{chosen.program}: archive of {events:,} events", style="dim")
        found.append(provide_archive(chosen.program, events))
    return found


def _measure_archive(trace: Path, thread_counts: Sequence[int], memory_limit: str) -> Measured:
    # The first run compiles kernels where no cache has them, and warms the disk's cache.
    events = measure("library", trace).events
    measure("read", trace)
    costs = tuple(_measure_jobs(trace, events, thread_counts, memory_limit))
    return Measured(
        archive=trace.name, events=events, archive_bytes=event_file_bytes(trace), costs=costs
    )


def _measure_jobs(
    trace: Path, events: int, thread_counts: Sequence[int], memory_limit: str
) -> Iterator[Cost]:
    jobs = [("library", 1), ("callbacks", 1)]
    jobs += [("read", threads) for threads in thread_counts]
    jobs += [("analyze", thread_counts[-1])]
    for job, threads in jobs:
        messages.print(f"{events:,} events: {TITLES[job]}, threads: {threads}", style="dim")
        repetitions = repetitions_for(events)
        yield measure(
            job, trace, threads=threads, repetitions=repetitions, memory_limit=memory_limit
        )


def _measure_others(trace: Path) -> Iterator[Cost]:
    """Other readers: the official Python one, and the library's command if it is installed."""
    jobs = ["bare_loop"] + (["otf2_print"] if shutil.which("otf2-print") else [])
    for job in jobs:
        messages.print(TITLES[job], style="dim")
        yield measure(job, trace)


def _show(measured: Sequence[Measured], others: Sequence[Cost], threads: int) -> None:
    console = Console(width=WIDTH, highlight=False)
    console.print(cost_table(measured, others))
    console.print(stage_table(measured, threads))
    for each in measured:
        ratio = each.archive_bytes / each.events
        console.print(f"{each.archive}: {ratio:.2f} bytes per event in its files", markup=False)


def _describe(
    measured: Sequence[Measured], others: Sequence[Cost], machine: dict[str, Any]
) -> dict[str, Any]:
    """All that was measured, and on what."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "versions": next(cost.versions for cost in measured[0].costs if cost.versions),
        "others": [cost.as_dict() for cost in others],
        "archives": [_as_dict(each) for each in measured],
    }


def _remember(document: dict[str, Any]) -> None:
    """Append the measurements to the history."""
    with HISTORY.open("a", encoding="utf-8") as history:
        history.write(json.dumps(document) + "\n")
    messages.print(f"appended to {HISTORY}", style="dim", soft_wrap=True)


def _as_dict(measured: Measured) -> dict[str, Any]:
    return {
        "archive": measured.archive,
        "events": measured.events,
        "archive_bytes": measured.archive_bytes,
        "costs": [cost.as_dict() for cost in measured.costs],
    }


def _machine() -> dict[str, Any]:
    """What the figures depend on besides our code."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load_before": os.getloadavg()[0],
    }


if __name__ == "__main__":
    sys.exit(main())
