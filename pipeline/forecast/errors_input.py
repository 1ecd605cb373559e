"""Measurements of forecast programs: tables of them, runs in a store, and plain times."""

import csv
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tracemill.base.errors import MissingInputError, PipelineError, ProgramError, UsageError
from tracemill.campaign.gathering import SIZES, lacks, sizes_of
from tracemill.campaign.names import DEFAULT_PATTERNS, program_of, read_name
from tracemill.forecast.errors import ErrorRecord
from tracemill.store.finding import open_run
from tracemill.store.runs import Run, Store

COLUMNS = ("program", "variant", "cluster", "processes", "forecast_s", "measured_s")
_LONGEST_SECONDS = 9e9  # of 64 bits in ns


@dataclass(frozen=True)
class Measurement:
    """A measured run time in ns; `run_id` is None if it was given as a number."""

    measured_ns: int
    run_id: str | None
    source: str


# --- Tables --------------------------------------------------------------------------------------


def read_errors(path: Path) -> list[ErrorRecord]:
    """Records of a CSV file with COLUMNS; empty lines and lines that begin with # are skipped.

    Raises MissingInputError or ProgramError, which names file, line and column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise MissingInputError(f"{path}: cannot be read: {reason}") from error
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    header = _cells(lines[0][1]) if lines else []
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise ProgramError(
            f"{path}: line 1: no column {', '.join(missing)}: columns are {', '.join(COLUMNS)}"
        )
    seen: dict[tuple[object, ...], int] = {}
    records = []
    for number, line in lines[1:]:
        record = _record(f"{path}: line {number}", header, _cells(line), path.name)
        key = (record.program, record.variant, record.cluster, record.processes)
        if key in seen:
            raise ProgramError(
                f"{path}: line {number}: repeats line {seen[key]}: give each variant once for "
                "each cluster and number of processes"
            )
        seen[key] = number
        records.append(record)
    if not records:
        raise ProgramError(f"{path}: no rows: there is nothing below the first line")
    return records


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line]))]


def _record(where: str, header: list[str], cells: list[str], source: str) -> ErrorRecord:
    if len(cells) != len(header):
        raise ProgramError(f"{where}: {len(cells)} cells, but {len(header)} columns")
    row = dict(zip(header, cells, strict=True))
    for name in ("program", "cluster"):
        if not row[name]:
            raise ProgramError(f"{where}: {name}: give a name")
    return ErrorRecord(
        program=row["program"],
        variant=row["variant"],
        cluster=row["cluster"],
        processes=_processes(where, row["processes"]),
        forecast_ns=_nanoseconds(f"{where}: forecast_s", row["forecast_s"]),
        measured_ns=_nanoseconds(f"{where}: measured_s", row["measured_s"]),
        source=source,
    )


def _processes(where: str, text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise ProgramError(f"{where}: processes: give a whole number of at least 1, not {text!r}")
    return int(text)


def _nanoseconds(where: str, text: str) -> int:
    """Seconds as whole nanoseconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < _LONGEST_SECONDS:
        raise ProgramError(f"{where}: give seconds above 0, not {text!r}")
    return math.floor(seconds * 1e9 + 0.5)


# --- One measurement -----------------------------------------------------------------------------


def read_measurement(text: str, store: Path, processes: int) -> Measurement:
    """The measurement `text`: seconds, or the main part of a run of the store.

    Raises UsageError if the run has another number of processes, or MissingInputError.
    """
    with suppress(ValueError):
        float(text)
        return Measurement(_nanoseconds("--measured", text), None, "given")
    run = open_run(store, text)
    size = sizes_of([run])[run.run_id]
    if size.processes != processes:
        raise UsageError(
            f"--measured: run {run.label} has {size.processes:,} processes, the forecast "
            f"{processes:,}: forecast that number, or name another run"
        )
    return Measurement(size.run_time_ns, run.run_id, run.label)


# --- Runs of the store ---------------------------------------------------------------------------


def matching_runs(
    store: Path, *, program: str, variant: str, cluster: str, processes: int
) -> list[Measurement]:
    """Runs of a store with the same program, cluster and number of processes.

    The name of a run's trace, without processes, size and repetition, must be that of the program
    and the variant, and its machine must be named like the cluster (of Score-P, set
    SCOREP_MACHINE_NAME). Runs that cannot be read are left out.
    """
    wanted = _words(f"{program} {variant}")
    named = [run for run in Store(store).runs() if _program_words(run) == wanted]
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
