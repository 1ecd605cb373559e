"""Writes an archive of a described program, and its true results."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracemill.base.errors import PipelineError, ProgramError
from tracemill.kernels.simulation import layout as at
from tracemill.programs.accesses import FileAccesses
from tracemill.programs.archive import ArchiveWriter, open_archive
from tracemill.programs.clocks import Clocks, skewed_clocks, true_clocks
from tracemill.programs.critical_path import PathTimes, Steps
from tracemill.programs.language.process_kinds import Spec, WhatIf
from tracemill.programs.phases.building import build_program
from tracemill.programs.phases.computing import region_of
from tracemill.programs.program import Program
from tracemill.programs.simulation import Factors, Rows, Simulated, simulate
from tracemill.programs.truth import WaitFile, write_critical_path, write_summary
from tracemill.programs.waits import Waits

_PPM = 1_000_000


@dataclass(frozen=True)
class Generated:
    """Anchor file of the archive, number of records, and content of truth.json."""

    anchor: Path
    record_count: int
    summary: dict[str, Any]


def generate(spec: Spec, output: Path) -> Generated:
    """Simulate a program and write its archive and true results into the new folder `output`.

    The same description gives the same records and results. Raises ProgramError for a program that
    cannot run, MissingLibraryError, or PipelineError if `output` exists or cannot be written.
    """
    program = build_program(spec)
    scaled_parts = [_factors(spec, program, what_if) for what_if in spec.what_if]
    with _new_folder(output) as folder:
        outcome, totals, segments = _write_waits(spec, program, folder)
        counts, times = _write_archive(spec, program, outcome, segments, folder)
        write_critical_path(folder, program, segments, times)
        summary = {
            "processes": spec.processes,
            "threads": spec.threads,
            "seed": spec.seed,
            "record_count": sum(counts),
            "visit_count": int(outcome.visit_counts.sum()),
            "run_ns": _run_ns(outcome),
            "waits_without_submetrics": totals,
            "critical_path": _describe_path(segments, times),
            "what_if": [
                _describe_what_if(spec, program, what_if, factors)
                for what_if, factors in zip(spec.what_if, scaled_parts, strict=True)
            ],
        }
        write_summary(folder, summary)
    return Generated(output / "traces.otf2", sum(counts), summary)


def _write_waits(
    spec: Spec, program: Program, folder: Path
) -> tuple[Simulated, dict[str, dict[str, int]], Rows]:
    """Simulate a program and write its waits; returns outcome, sums of waits, critical path."""
    with TemporaryDirectory(prefix=".", dir=folder) as scratch:
        waits = Waits(program.process_count * program.thread_count, Path(scratch))
        outcome = simulate(program, spec.machine, seed=spec.seed, take_waits=waits.take)
        steps = Steps(program, Path(scratch))
        with WaitFile(folder, program, outcome) as file:
            for block in waits.blocks():
                file.take(block)
                steps.take(block)
        return outcome, file.totals(), steps.walk(outcome)


def _write_archive(
    spec: Spec, program: Program, outcome: Simulated, segments: Rows, folder: Path
) -> tuple[list[int], NDArray[np.int64]]:
    """Simulate again and write the events; returns records by location, times of the path."""
    times, accesses = PathTimes(program, segments), FileAccesses(program)
    with open_archive(folder) as archive:
        writer = ArchiveWriter(
            archive, program, _clocks(spec, outcome), seed=spec.seed, has_id_maps=spec.id_maps
        )

        def take(events: Rows) -> None:
            writer.take(events)
            times.take(events)
            accesses.take(events)

        simulate(program, spec.machine, seed=spec.seed, take_events=take)
        writer.finish(outcome.end_ns)
    accesses.write(folder)
    return writer.counts.tolist(), times.result()


def _clocks(spec: Spec, outcome: Simulated) -> Clocks:
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


def _describe_path(segments: Rows, times: NDArray[np.int64]) -> dict[str, int]:
    return {
        "begin_ns": int(segments[0, at.SEGMENT_BEGIN]),
        "end_ns": int(segments[-1, at.SEGMENT_END]),
        "time_without_waiting_ns": int(times.sum()),
        "segment_count": len(segments),
    }


def _describe_what_if(
    spec: Spec, program: Program, what_if: WhatIf, factors: Factors
) -> dict[str, Any]:
    """Run time of the program with a scaled part, by simulation."""
    outcome = simulate(program, spec.machine, seed=spec.seed, factors=factors)
    return {
        "region": what_if.region,
        "rank": what_if.rank,
        "factor": what_if.factor,
        "run_ns": _run_ns(outcome),
    }


def _factors(spec: Spec, program: Program, what_if: WhatIf) -> Factors:
    """The computation that a what-if scales."""
    names = {region_of(phase) for phase in spec.phases}
    if what_if.region is not None and what_if.region not in names:
        raise ProgramError(
            f"what_if: no region {what_if.region}: computation is in {', '.join(sorted(names))}"
        )
    factor = round(what_if.factor * _PPM)
    paths = tuple(
        number
        for number, path in enumerate(program.paths)
        if program.regions[path.region].name in ((what_if.region and {what_if.region}) or names)
    )
    return Factors(paths=paths, rank=what_if.rank, ppm=factor)


def _run_ns(outcome: Simulated) -> int:
    return outcome.end_ns - int(outcome.start_ns.min())


@contextmanager
def _new_folder(output: Path) -> Iterator[Path]:
    """A temporary folder, renamed to `output` when it is complete."""
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
