"""Archives, runs and nights for tests of `tracemill nightly`."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.helpers.otf2_archive import Trace
from tracemill.engine.analyze import Options, analyze
from tracemill.engine.progress import SilentReporter
from tracemill.nightly.agenda import NightOptions
from tracemill.nightly.config import Application, Config
from tracemill.nightly.night import Reported, report_night, run_night
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


@dataclass(frozen=True)
class Site:
    """A store, and runs of one program below `traces`; in the last one a region is slower."""

    folder: Path
    runs: Sequence[Run]

    @property
    def source(self) -> Path:
        return self.folder / "traces"

    @property
    def store(self) -> Store:
        return Store(self.folder / "store")

    @property
    def slower(self) -> Run:
        return self.runs[-1]

    def forget_nights(self) -> None:
        """Remove the results of all nights."""
        for kept in (self.store.path / "nightly" / "nights").glob("*.json"):
            kept.unlink()

    def night(self, **found: Any) -> Night:
        return outcome(self.source, **found)

    def report(self, night: Night, **wave: Any) -> tuple[Reported, dict[str, Any]]:
        """Report a night; `wave` configures the application of the runs."""
        configured = [Application(name="Wave", **{"pattern": "*", **wave})] if wave else []
        reported = report_night(self.store, night, configured)
        return reported, json.loads(dict(reported.files)["result"].read_text())


def make_site(folder: Path, good_runs: int = 4) -> Site:
    """Runs of one program; in the newest one the last rank takes twice as long in a region."""
    runs = [
        add_run(
            folder / "store",
            folder / "traces" / "wave" / f"2026-11-{number:02d}" / f"scorep-{number}",
            seed=number,
            imbalance=1.0 if number > good_runs else 0.0,
        )
        for number in range(1, good_runs + 2)
    ]
    page = folder / "store" / "reports" / f"run={runs[-1].run_id}" / "index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    return Site(folder, runs)
