"""Comparisons without a store: of values that a test writes down."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import polars as pl

from tracemill.campaign.gathering import RunSize
from tracemill.comparison.comparing import Comparison, Side

SCHEMA = {
    "metric": pl.String, "call_path_key": pl.Int64, "call_path": pl.String,
    "parent_call_path_key": pl.Int64, "rank": pl.Int32,
    "is_in_base": pl.Boolean, "is_in_other": pl.Boolean, "base_value": pl.Float64,
    "other_value": pl.Float64, "change_value": pl.Float64, "noise_value": pl.Float64,
}  # fmt: skip
Values = tuple[str, str | None, float, float]


class NamedRun:
    """The attributes of a run that a comparison reads."""

    def __init__(self, run_id: str) -> None:
        self.run_id = self.label = run_id
        self.detail = "full"
        self.manifest = SimpleNamespace(versions={}, options={})
        self.source = SimpleNamespace(is_measured=True)


def side_of(name: str, times: Sequence[int], processes: int = 4) -> Side:
    """Runs that took so long."""
    return Side(
        runs=tuple(NamedRun(f"{name}{number}") for number, _ in enumerate(times)),  # type: ignore[misc]
        sizes=tuple(
            RunSize(processes=processes, threads=1, whole_time_ns=time, run_time_ns=time)
            for time in times
        ),
    )


def comparison_of(
    *values: Values,
    ranked: Sequence[tuple[str, str, int, float, float]] = (),
    noise: float | None = None,
    times: tuple[Sequence[int], Sequence[int]] = ((1000,), (1000,)),
) -> Comparison:
    """A comparison with rows of metric, call path (None for a total) and values of both sides.

    All values have the same noise; `ranked` rows have the rank too.
    """
    paths = list(dict.fromkeys(path for _, path, *_ in values if path))
    keys = {path: 100 + number for number, path in enumerate(paths)}

    def row(metric: str, path: str | None, rank: int | None, one: float, two: float) -> Any:
        key = None if path is None else keys.get(path, 0)
        above = None if path is None else keys.get(path.rpartition("/")[0])
        return (metric, key, path, above, rank, True, True, one, two, two - one, noise)

    rows = [row(metric, path, None, one, two) for metric, path, one, two in values]
    rows.sort(key=lambda each: (each[0], each[1] is not None, -abs(each[9]), each[1]))
    return Comparison(
        base=side_of("base", times[0]),
        other=side_of("other", times[1]),
        rows=pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        ranked=pl.DataFrame([row(*each) for each in ranked], schema=SCHEMA, orient="row"),
        sql=("", ""),
    )
