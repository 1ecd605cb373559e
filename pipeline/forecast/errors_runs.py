"""Measured times of forecast programs: given ones, and those of runs in a store."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import MissingInputError, PipelineError, UsageError
from tracemill.base.text import counted
from tracemill.campaign.gathering import SIZES, lacks, sizes_of
from tracemill.campaign.names import DEFAULT_PATTERNS, program_of, read_name
from tracemill.forecast.errors_input import nanoseconds_of
from tracemill.store.finding import open_run
from tracemill.store.runs import Run

_TIME_WITH_UNIT = re.compile(r"\d+(\.\d*)?\s*(ns|us|µs|ms|s|sec|seconds|min)")


@dataclass(frozen=True)
class Measurement:
    """A measured run time in ns; `run_id` is None if it was given as a number."""

    measured_ns: int
    run_id: str | None
    source: str


def read_measurement(text: str, store: Path, processes: int) -> Measurement:
    """The measurement `text`: seconds, or the main part of a run of the store.

    Raises UsageError if the run has another number of processes or a unit is given, or
    MissingInputError.
    """
    with suppress(ValueError):
        float(text)
        return Measurement(nanoseconds_of("--measured", text), None, "given")
    try:
        run = open_run(store, text)
    except MissingInputError as error:
        if _TIME_WITH_UNIT.fullmatch(text):
            raise UsageError(
                f"--measured {text}: give seconds as a number without unit, such as 2.5"
            ) from error
        raise
    size = sizes_of([run])[run.run_id]
    if size.processes != processes:
        raise UsageError(
            f"--measured: run {run.label} has {counted(size.processes, 'process', 'processes')}, "
            f"the forecast {processes:,}: forecast that number, or name another run"
        )
    if not size.run_time_ns:
        raise UsageError(f"--measured: run {run.label} took no time: name another run")
    return Measurement(size.run_time_ns, run.run_id, run.label)


def matching_runs(
    runs: Sequence[Run], *, program: str, variant: str, cluster: str, processes: int
) -> list[Measurement]:
    """Those of some runs with the same program, cluster and number of processes.

    The name of a run's trace, without processes, size and repetition, must be that of the program
    and the variant, and its machine must be named like the cluster (of Score-P, set
    SCOREP_MACHINE_NAME). Runs that cannot be read are left out.
    """
    wanted = _words(f"{program} {variant}")
    named = [run for run in runs if _program_words(run) == wanted]
    found = []
    for run in named:
        with suppress(PipelineError):
            if lacks(run, (SIZES,)) or cluster not in _machines(run):
                continue
            size = sizes_of([run])[run.run_id]
            if size.processes == processes and size.run_time_ns > 0:
                found.append(Measurement(size.run_time_ns, run.run_id, run.label))
    return found


def _program_words(run: Run) -> list[str]:
    """Words of the program's name in the name of a trace, or in those of its folders."""
    for pattern in DEFAULT_PATTERNS:
        named = read_name(run.label, pattern)
        if named is not None:
            return _words(named.rest or program_of(Path(run.source.path).parts[:-2]))
    return _words(run.label)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _machines(run: Run) -> set[str]:
    """Names of the machine that a run was recorded on: of the trace, and of its system tree."""
    nodes = run.read("system_tree_nodes", ["name", "class_name"]).to_pylist()
    names = run.read("runs", ["machine_name"])["machine_name"].to_pylist()
    return {*names, *(node["name"] for node in nodes if node["class_name"] == "machine")}
