"""Stores of runs to tell nights of: generated programs of which one region may be slower."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.partial_recipes import recipe_of_comparisons
from tracemill.engine.analyze import Options, analyze_source
from tracemill.nightly.outcome import NightOutcome
from tracemill.programs.generate import generate
from tracemill.programs.spec import parse_spec
from tracemill.readers import open_source
from tracemill.store import Run, Store

SECOND = 10**9
ITERATIONS, SIZE, CELL_NS = 5, 10_000, 10
SLOWER_NS = SIZE * CELL_NS * ITERATIONS
"""What a region that takes twice as long costs the last rank, all iterations together."""


@dataclass(frozen=True)
class Rule:
    """What a configuration says of an application."""

    name: str
    pattern: str
    baseline: str = ""
    fail_if: tuple[str, ...] = ()
    history: int = 10


@dataclass(frozen=True)
class Config:
    applications: tuple[Rule, ...] = ()


def add_run(
    store: Path, trace: Path, *, seed: int, imbalance: float = 0.0, processes: int = 4
) -> Run:
    """Analyse a run that was recorded `seed` seconds after 1970, as far as nights compare runs.

    Ranks compute `halo` and `physics`, then agree on a sum. With `imbalance` the last rank takes
    that part longer in `physics`, the others less the lower they are.
    """
    described: dict[str, Any] = {
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
    generate(parse_spec(described, "program"), trace)
    for path in (trace, *trace.rglob("*")):
        os.utime(path, ns=(seed * SECOND, seed * SECOND))
    analysis = analyze_source(
        open_source(trace),
        store=Store(store),
        options=Options(threads=1),
        recipe=recipe_of_comparisons(),
    )
    return analysis.run


def night(source: Path, **found: Any) -> NightOutcome:
    moments = {"started_at": "2026-11-21T02:00:00+00:00", "ended_at": "2026-11-21T02:10:00+00:00"}
    return NightOutcome(source=source, **moments, **found)
