"""Archives, runs and nights for tests of `tracemill nightly`."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.helpers.otf2_archive import Trace
from tracemill.engine.analyze import Options, analyze
from tracemill.engine.progress import SilentReporter
from tracemill.nightly.agenda import NightOptions
from tracemill.nightly.config import Config
from tracemill.nightly.night import report_night, run_night
from tracemill.nightly.outcome import Night
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.store.runs import Run, Store

SECOND = 10**9
ITERATIONS, SIZE, CELL_NS = 5, 10_000, 10
SLOWER_NS = SIZE * CELL_NS * ITERATIONS
"""Additional time of the last rank if a region takes twice as long, over all iterations."""


class Notes(SilentReporter):
    """A reporter that keeps its notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def write_archive(folder: Path, work: int = 40, function: str = "solve") -> Path:
    """Write an archive of two processes that compute `work` ticks; returns its anchor file."""
    trace = Trace()
    for rank in range(2):
        end = 20 + work + rank
        trace.location(
            f"""
            0 enter main
            10 enter {function}
            {10 + work} leave {function}
            {end} leave main
            """
        )
    return trace.write(folder)


def cut(anchor: Path) -> None:
    """Truncate the events of the first process."""
    events = next(anchor.with_suffix("").glob("0.evt"))
    events.write_bytes(events.read_bytes()[:-9])


def night(
    source: Path,
    store: Path,
    *,
    settle_seconds: float = -60.0,
    max_seconds: float = math.inf,
    is_retrying: bool = False,
    has_report: bool = False,
    notes: Notes | None = None,
    config: dict[str, Any] | None = None,
    is_reported: bool = True,
) -> Night:
    """A night over small archives, by default without reports of runs.

    Without `is_reported` it ends like a night that is killed before its report.
    """
    opened, configured = Store(store), Config.model_validate(config or {})
    found = run_night(
        source,
        store=opened,
        options=Options(threads=1),
        night=NightOptions(
            jobs=1,
            max_seconds=max_seconds,
            settle_seconds=settle_seconds,
            is_retrying=is_retrying,
            has_report=has_report,
        ),
        config=configured,
        config_folder=source.parent,
        reporter=notes or Notes(),
    )
    if is_reported:
        report_night(opened, found, configured.applications)
    return found


def start_night(source: Path, store: Path, *options: str) -> subprocess.Popen[str]:
    """Start the command in a process of its own; it analyzes one archive at a time."""
    words = ["nightly", str(source), "--store", str(store), "--settle", "0s", "--no-report"]
    return subprocess.Popen(
        [sys.executable, "-m", "tracemill", *words, "--jobs", "1", "--threads", "1", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def add_run(
    store: Path, trace: Path, *, seed: int, imbalance: float = 0.0, processes: int = 4
) -> Run:
    """Analyze a run of a program, recorded `seed` seconds after 1970.

    Ranks compute `halo` and `physics`, then agree on a sum. With `imbalance` the last rank takes
    that part longer in `physics`, the others less the lower they are.
    """
    program: dict[str, Any] = {
        "processes": processes,
        "iterations": ITERATIONS,
        "size": SIZE,
        "seed": seed,
        "phase": [
            {"kind": "stencil", "name": "halo", "cell_ns": CELL_NS, "jitter": 0.02},
            {"kind": "work", "name": "physics", "cell_ns": CELL_NS, "imbalance": imbalance},
            {"kind": "collectives", "operations": ["allreduce"], "cell_ns": 0},
        ],
    }
    generate(parse_spec(program, "program"), trace)
    for path in (trace, *trace.rglob("*")):
        os.utime(path, ns=(seed * SECOND, seed * SECOND))
    return analyze(trace, store=Store(store), options=Options(threads=1)).run


def outcome(source: Path, **found: Any) -> Night:
    """A night with these findings, to test its report."""
    moments = {"started_at": "2026-11-21T02:00:00+00:00", "ended_at": "2026-11-21T02:10:00+00:00"}
    return Night(source=source, **moments, **found)
