"""Generating: an archive of a described program, and beside it what is true about it."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import PipelineError, ProgramError
from pipeline.generator.archive import ArchiveWriter, open_archive
from pipeline.generator.clocks import Clocks, skewed_clocks, true_clocks
from pipeline.generator.phases import build_program, region_of
from pipeline.generator.program import Program
from pipeline.generator.simulation import Factors, Machine, Outcome, Rows, simulate
from pipeline.generator.spec import Spec, Threads, WhatIf
from pipeline.generator.truth import (
    CriticalPath,
    PathTimes,
    Truth,
    find_critical_path,
    settle_waits,
    total_waits,
)

_PPM = 1_000_000


@dataclass(frozen=True)
class Generated:
    """Where the archive is, how many records it has, and the truth about it."""

    anchor: Path
    record_count: int
    truth: Truth


def generate(spec: Spec, output: Path) -> Generated:
    """Simulate a program and write its archive and truth into the new folder `output`.

    Deterministic: the same description gives the same records and the same truth. Raises
    ProgramError for a program that cannot run, MissingLibraryError, or PipelineError if `output`
    is there already or cannot be written.
    """
    program, machine = build_program(spec), machine_of(spec)
    outcome = simulate(program, machine, has_truth=True)
    waits = settle_waits(outcome)
    has_path = not any(isinstance(phase, Threads) for phase in spec.phases)
    path = find_critical_path(program, outcome, waits) if has_path else None
    futures = [_describe_future(spec, program, what_if) for what_if in spec.what_if]
    with _new_folder(output) as folder:
        counts, times = _write_archive(spec, program, outcome, path, folder)
        summary = _summarise(spec, outcome, waits, path, times, sum(counts), futures)
        truth = Truth(program, outcome, waits, path, times, summary)
        truth.write(folder)
    return Generated(output / "traces.otf2", sum(counts), truth)


def machine_of(spec: Spec) -> Machine:
    """The machine that a description asks for."""
    own = spec.machine
    return Machine(
        seed=spec.seed,
        overhead_ns=own.overhead_ns,
        latency_ns=own.latency_ns,
        ns_per_kib=own.ns_per_kib,
        eager_limit=own.eager_limit,
        start_ns=own.start_ns,
    )


def _write_archive(
    spec: Spec, program: Program, outcome: Outcome, path: CriticalPath | None, folder: Path
) -> tuple[list[int], Any]:
    """Run the program again and write its events; records by location, and times of the path."""
    times = PathTimes(program, path) if path else None
    with open_archive(folder) as archive:
        writer = ArchiveWriter(
            archive, program, _clocks(spec, outcome), seed=spec.seed, has_id_maps=spec.id_maps
        )

        def take(events: Rows) -> None:
            writer.take(events)
            if times:
                times.take(events)

        simulate(program, machine_of(spec), take_events=take)
        writer.finish(outcome.end_ns)
    return writer.counts.tolist(), times.result() if times else None


def _clocks(spec: Spec, outcome: Outcome) -> Clocks:
    count = spec.processes * spec.threads
    if not spec.clocks.offset_ns and not spec.clocks.drift_ppm:
        return true_clocks(count)
    return skewed_clocks(
        count,
        end_ns=outcome.end_ns,
        offset_ns=spec.clocks.offset_ns,
        drift_ppm=spec.clocks.drift_ppm,
        seed=spec.seed,
    )


def _describe_future(spec: Spec, program: Program, what_if: WhatIf) -> dict[str, Any]:
    """How long the program would run if a part took another time, by running it so."""
    outcome = simulate(program, machine_of(spec), factors=_factors(spec, program, what_if))
    return {
        "region": what_if.region,
        "rank": what_if.rank,
        "factor": what_if.factor,
        "run_ns": _run_ns(outcome),
    }


def _factors(spec: Spec, program: Program, what_if: WhatIf) -> Factors:
    """The computing that a question is about."""
    names = {region_of(phase) for phase in spec.phases}
    if what_if.region is not None and what_if.region not in names:
        raise ProgramError(
            f"what_if: no region {what_if.region}: computing is in {', '.join(sorted(names))}"
        )
    factor = round(what_if.factor * _PPM)
    paths = tuple(
        number
        for number, path in enumerate(program.paths)
        if program.regions[path.region].name in ((what_if.region and {what_if.region}) or names)
    )
    return Factors(paths=paths, rank=what_if.rank, ppm=factor)


def _run_ns(outcome: Outcome) -> int:
    return outcome.end_ns - int(outcome.start_ns.min())


def _summarise(
    spec: Spec, outcome: Outcome, waits: Rows, path: CriticalPath | None, times: Any,
    record_count: int, futures: Sequence[Any],
) -> dict[str, Any]:  # fmt: skip
    found: dict[str, Any] = {
        "processes": spec.processes,
        "threads": spec.threads,
        "seed": spec.seed,
        "records": record_count,
        "visits": int(outcome.visit_counts.sum()),
        "run_ns": _run_ns(outcome),
        "waits": total_waits(waits),
        "critical_path": None,
        "what_if": futures,
    }
    if path is not None:
        found["critical_path"] = {
            "begin_ns": int(path.segments[0, 1]),
            "end_ns": int(path.segments[-1, 2]),
            "length_ns": int(times.sum()),
            "segments": len(path.segments),
        }
    return found


@contextmanager
def _new_folder(output: Path) -> Iterator[Path]:
    """A folder to fill that gets its name only when all is in it."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise PipelineError(f"{output} is there already: name another place with --output")
    beside = output.with_name(f".{output.name}.{os.getpid()}.tmp")
    try:
        beside.mkdir(parents=True)
        yield beside
        beside.replace(output)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PipelineError(f"cannot write {output}: {reason}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
