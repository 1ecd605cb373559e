"""Surfaces and campaigns for tests of fits: published, or with a given formula."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.helpers.running import run_stage
from tracemill.stages.campaign.surfaces import SURFACES_STAGE
from tracemill.stages.models.surfaces.measurements import Measurements, measurements

Floats = NDArray[np.float64]
Time = Callable[[Any, Any], Any]
Row = dict[str, Any]
Tables = dict[str, list[Row]]
NS = 1_000_000_000


def cm5(p: Any, n: Any) -> Any:
    """Seconds of a column-wise matrix multiplication on a CM-5 (Sekiguchi & Sato 1994)."""
    return (0.0300746 * n - 0.00011629 * n**2 + 3.33514e-6 * n**3) * (0.00868232 + 0.767314 / p)


def cm5_slopes(p: Any, n: Any) -> tuple[Any, Any]:
    """Its partial derivatives by p and n, by hand."""
    of_size = 0.0300746 * n - 0.00011629 * n**2 + 3.33514e-6 * n**3
    of_processes = 0.00868232 + 0.767314 / p
    slope = 0.0300746 - 2 * 0.00011629 * n + 3 * 3.33514e-6 * n**2
    return of_size * -0.767314 / p**2, slope * of_processes


def grid(processes: Iterable[float], sizes: Iterable[float]) -> tuple[Floats, Floats]:
    """All pairs as two arrays."""
    p, n = np.meshgrid(np.array([*processes], float), np.array([*sizes], float), indexing="ij")
    return p.ravel(), n.ravel()


CM5_GRID = grid(range(2, 33, 2), range(10, 501, 10))


def measure(
    time: Time,
    processes: Iterable[float] = (1, 2, 4, 8, 16),
    sizes: Iterable[float] = (100, 200, 400),
    *,
    repetitions: int = 1,
    noise: float = 0.0,
    seed: int = 1,
) -> Measurements:
    """A function's values as measurements; `noise` is their relative standard deviation."""
    p, n = (np.repeat(each, repetitions) for each in grid(processes, sizes))
    spread = 1 + noise * np.random.default_rng(seed).standard_normal(len(p))
    return measurements(p, n, time(p, n) * spread)


def campaign(
    time: Time,
    processes: Iterable[float] = (1, 2, 4, 8, 16),
    sizes: Iterable[float] = (100, 200, 400),
    *,
    application: str = "app",
    computation_size: str = "n",
    amount: Time = lambda p, n: n,
) -> dict[str, list[dict[str, Any]]]:
    """Tables of a campaign of one run per configuration, with a function's values as times."""
    settings = {
        "application": application,
        "size_name": "n",
        "computation_size_expression": computation_size,
    }
    runs = [
        {
            "campaign_run_id": number,
            "application": application,
            "processes": int(p),
            "threads": 1,
            "size": float(n),
            "computation_size": float(amount(p, n)),
            "repetition": 1,
            "state": "measured",
            "time_ns": round(float(time(p, n)) * NS),
        }
        for number, (p, n) in enumerate(zip(*grid(processes, sizes), strict=True))
    ]
    return {"campaign_settings": [settings], "campaign_runs": runs}


def computed(tables: Tables, **parameters: str) -> Tables:
    """The tables of surfaces of a campaign."""
    return run_stage(SURFACES_STAGE, tables, **parameters)


def only(rows: list[Row], **wanted: Any) -> Row:
    """The one row with these values."""
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    assert len(found) == 1, found
    return found[0]
