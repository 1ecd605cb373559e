"""Writes an archive of a described program, and its true results."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from tracemill.programs.clusters.cluster import Cluster
from tracemill.programs.critical_path import PathTimes, Steps
from tracemill.programs.language.process_kinds import ClockSpec, Spec, WhatIf
from tracemill.programs.phases.building import build_program
from tracemill.programs.phases.computing import region_of
from tracemill.programs.phases.data import build_data_program
from tracemill.programs.placed import PlacedProgram
from tracemill.programs.program import Program
from tracemill.programs.simulation import Factors, Rows, Simulated, simulate
from tracemill.programs.timing import Timing, of_data, of_machine, of_processes
from tracemill.programs.truth import WaitFile, write_critical_path, write_summary
from tracemill.programs.waits import Waits

_PPM = 1_000_000
_NODE = "node"


@dataclass(frozen=True)
class Generated:
    """Anchor file of the archive, number of records, and content of truth.json."""

    anchor: Path
    record_count: int
    summary: dict[str, Any]


@dataclass(frozen=True)
class _Job:
    """A program with its times, and what else its description says."""

    program: Program
    timing: Timing
    seed: int = 0
    clocks: ClockSpec = field(default_factory=ClockSpec)
    has_id_maps: bool = False


def generate(
    described: Spec | PlacedProgram, output: Path, *, cluster: Cluster | None = None
) -> Generated:
    """Simulate a program and write its archive and true results into the new folder `output`.

    With a cluster, messages use its channels; programs of data need one. The same description gives
    the same records and results. Raises ProgramError for a program that cannot run,
    MissingLibraryError, or PipelineError if `output` exists or cannot be written.
    """
    job, what_ifs = _job(described, cluster), []
    if isinstance(described, Spec):
        what_ifs = [(each, _factors(described, job.program, each)) for each in described.what_if]
    with _new_folder(output) as folder:
        outcome, totals, segments = _write_waits(job, folder)
        counts, times = _write_archive(job, outcome, segments, folder)
        write_critical_path(folder, job.program, segments, times)
        summary = {
            "processes": job.program.process_count,
            "threads": job.program.thread_count,
            "seed": job.seed,
            "record_count": sum(counts),
            "visit_count": int(outcome.visit_counts.sum()),
            "run_ns": _run_ns(outcome),
            "waits_without_submetrics": totals,
            "critical_path": _describe_path(segments, times),
            "what_if": [_describe_what_if(job, what_if, factors) for what_if, factors in what_ifs],
        }
        write_summary(folder, summary)
    return Generated(output / "traces.otf2", sum(counts), summary)


def _job(described: Spec | PlacedProgram, cluster: Cluster | None) -> _Job:
    """The program of a description, and its times on a cluster or described machine."""
    if isinstance(described, PlacedProgram):
        if cluster is None:
            raise ProgramError(
                f"{described.name} is a program of data: name a cluster with --cluster FILE"
            )
        job = _Job(build_data_program(described, cluster), of_data(cluster))
        _place(job.program, cluster)
        return job
    machine, count = described.machine, described.processes
    program, timing = build_program(described), of_machine(machine, count)
    if cluster is not None:
        timing = of_processes(machine, cluster, count)
        _place(program, cluster)
    return _Job(program, timing, described.seed, described.clocks, described.id_maps)


def _place(program: Program, cluster: Cluster) -> None:
    """Set the machine of a program, and the nodes of its processes.

    Nodes are the units of the level `node`, or else of the innermost level.
    """
    names = [level.name for level in cluster.levels]
    level = names.index(_NODE) if _NODE in names else 0
    cores = cluster.cores(program.process_count)
    program.machine = cluster.name
    program.nodes = [int(each) for each in cores // cluster.cores_per_unit(level)]


def _write_waits(job: _Job, folder: Path) -> tuple[Simulated, dict[str, dict[str, int]], Rows]:
    """Simulate a program and write its waits; returns outcome, sums of waits, critical path."""
    program = job.program
    with TemporaryDirectory(prefix=".", dir=folder) as scratch:
        waits = Waits(program.process_count * program.thread_count, Path(scratch))
        outcome = simulate(program, job.timing, seed=job.seed, take_waits=waits.take)
        steps = Steps(program, Path(scratch))
        with WaitFile(folder, program, outcome) as file:
            for block in waits.blocks():
                file.take(block)
                steps.take(block)
        return outcome, file.totals(), steps.walk(outcome)


def _write_archive(
    job: _Job, outcome: Simulated, segments: Rows, folder: Path
) -> tuple[list[int], NDArray[np.int64]]:
    """Simulate again and write the events; returns records by location, times of the path."""
    program = job.program
    times, accesses = PathTimes(program, segments), FileAccesses(program)
    with open_archive(folder, program.machine) as archive:
        writer = ArchiveWriter(
            archive, program, _clocks(job, outcome), seed=job.seed, has_id_maps=job.has_id_maps
        )

        def take(events: Rows) -> None:
            writer.take(events)
            times.take(events)
            accesses.take(events)

        simulate(program, job.timing, seed=job.seed, take_events=take)
        writer.finish(outcome.end_ns)
    accesses.write(folder)
    return writer.counts.tolist(), times.result()


def _clocks(job: _Job, outcome: Simulated) -> Clocks:
    count = job.program.process_count * job.program.thread_count
    if not job.clocks.offset_ns and not job.clocks.drift_ppm:
        return true_clocks(count)
    return skewed_clocks(
        count,
        end_ns=outcome.end_ns,
        offset_ns=job.clocks.offset_ns,
        drift_ppm=job.clocks.drift_ppm,
        seed=job.seed,
    )


def _describe_path(segments: Rows, times: NDArray[np.int64]) -> dict[str, int]:
    return {
        "begin_ns": int(segments[0, at.SEGMENT_BEGIN]),
        "end_ns": int(segments[-1, at.SEGMENT_END]),
        "time_without_waiting_ns": int(times.sum()),
        "segment_count": len(segments),
    }


def _describe_what_if(job: _Job, what_if: WhatIf, factors: Factors) -> dict[str, Any]:
    """Run time of the program with a scaled part, by simulation."""
    outcome = simulate(job.program, job.timing, seed=job.seed, factors=factors)
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
