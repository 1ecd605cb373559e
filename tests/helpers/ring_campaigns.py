"""Campaigns over runs of rings of processes, generated or written by hand."""

from pathlib import Path
from typing import Any

from tests.helpers.nights import Notes
from tracemill.campaign.campaign import make_campaign, plan_campaign
from tracemill.engine.analyze import Analysis, Options
from tracemill.programs.generate import generate
from tracemill.programs.language.process_kinds import parse_spec
from tracemill.store.runs import Store

ITERATIONS = 3
# Processes, size and repetition of the runs of most tests.
CONFIGURATIONS = [(2, 100, 1), (2, 100, 2), (2, 200, 1), (4, 100, 1), (4, 200, 1)]


def campaign(
    runs: Path | None,
    store: Path,
    *,
    threads: int = 1,
    notes: Notes | None = None,
    allow_damaged: bool = False,
    **fields: Any,
) -> Analysis:
    reporter = notes or Notes()
    plan = plan_campaign(
        runs, fields=fields, store=Store(store), reporter=reporter, allow_damaged=allow_damaged
    )
    options = Options(threads=threads)
    return make_campaign(plan, store=Store(store), options=options, reporter=reporter)


def rows(analysis: Analysis, table: str, columns: str) -> list[tuple[Any, ...]]:
    names = columns.split()
    found = analysis.run.read(table, names).to_pylist()
    return [tuple(row[name] for name in names) for row in found]


def write_stencil(folder: Path, processes: int, size: int, repetition: int) -> None:
    """Neighbors on a ring exchange edges, then all agree on a sum."""
    described = {
        "processes": processes,
        "iterations": ITERATIONS,
        "size": size,
        "seed": repetition,
        "phase": [
            {"kind": "stencil", "jitter": 0.1},
            {"kind": "collectives", "operations": ["allreduce"]},
        ],
    }
    generate(parse_spec(described, "stencil"), folder)


def write_trace(path: Path, processes: int, work: int, function: str = "solve") -> Path:
    """A trace in CSV of 10 ns in MPI_Init, `work` ns in a function, and 5 ns in MPI_Finalize."""
    calls = [("MPI_Init", 0, 10), (function, 10, 10 + work), ("MPI_Finalize", 10 + work, 15 + work)]
    lines = ["Timestamp (ns),Event Type,Name,Process"]
    for rank in range(processes):
        lines.append(f"0,Enter,main,{rank}")
        for name, enter, leave in calls:
            lines += [f"{enter},Enter,{name},{rank}", f"{leave},Leave,{name},{rank}"]
        lines.append(f"{15 + work},Leave,main,{rank}")
    path.write_text("\n".join(lines) + "\n")
    return path
