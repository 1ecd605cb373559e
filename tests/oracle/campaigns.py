"""Comparisons of campaigns, run by run in plain Python: slow, and easy to check.

Tables are rows as dictionaries. Shares are looked up for every run, ranks are positions in a
sorted list, chances are counted over all orders, and growth is fitted with one unknown per size.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]
Values = Mapping[int, float]
"""A quantity by number of the run; a run without it counts as 0."""


@dataclass(frozen=True)
class Compared:
    """Runs that are compared: of all sizes, or of one."""

    size: float | None
    runs: tuple[Row, ...]
    candidates: tuple[Row, ...]

    @property
    def reason(self) -> str | None:
        """Which of the reasons against a coefficient comes first."""
        if not self.runs:
            return "no run"
        if len(self.runs) < 3:
            return "few runs"
        return "one count" if len({run["processes"] for run in self.runs}) == 1 else None

    def of(self, values: Values) -> list[float]:
        return [values.get(run["campaign_run_id"], 0) for run in self.runs]

    def mean_at(self, values: Values, *, most: bool) -> float:
        """The mean over the runs of most or fewest processes that are of the largest size."""
        count = (max if most else min)(run["processes"] for run in self.runs)
        size = max(run["size"] for run in self.runs if run["processes"] == count)
        found = [
            values.get(run["campaign_run_id"], 0)
            for run in self.runs
            if (run["processes"], run["size"]) == (count, size)
        ]
        return sum(found) / len(found)


def compared(tables: Tables, given: Iterable[int]) -> Iterator[Compared]:
    """Of one application: all runs, then those of each size that has three process counts."""
    ids = set(given)
    candidates = tuple(run for run in tables["campaign_runs"] if run["campaign_run_id"] in ids)
    if not candidates:
        return
    large = tuple(run for run in candidates if run["processes"] >= 2)
    yield Compared(None, large, candidates)
    sizes = sorted({run["size"] for run in large})
    for size in sizes if len(sizes) > 1 else ():
        own = tuple(run for run in large if run["size"] == size)
        if len({run["processes"] for run in own}) >= 3:
            yield Compared(size, own, tuple(r for r in candidates if r["size"] == size))


# --- Correlations ------------------------------------------------------------------------------


def average_ranks(values: Sequence[float]) -> list[float]:
    """Mean position of each value in the sorted list, from 1."""
    ordered = sorted(values)
    positions = {v: [n for n, o in enumerate(ordered, 1) if o == v] for v in set(values)}
    return [sum(positions[value]) / len(positions[value]) for value in values]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's coefficient of the average ranks; None if either is constant."""
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    x, y = average_ranks(one), average_ranks(other)
    mean = sum(x) / len(x)
    above = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    return above / math.sqrt(sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y))


def chance(one: Sequence[float], other: Sequence[float]) -> float:
    """The share of all orders whose coefficient is as far from 0."""
    x, y = average_ranks(one), average_ranks(other)
    mean = sum(x) / len(x)

    def distance(order: Sequence[float]) -> float:
        return abs(sum((a - mean) * (b - mean) for a, b in zip(x, order, strict=True)))

    found = [distance(order) >= distance(y) - 1e-9 for order in permutations(y)]
    return sum(found) / len(found)


def false_discovery(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg: the least level at which each would be a discovery."""
    ordered = sorted(p_values)
    count = len(ordered)
    return [
        min(1, min(p * count / n for n, p in enumerate(ordered, 1) if p >= own)) for own in p_values
    ]


# --- Call sites (Vetter and McCracken 2001) -------------------------------------------------------


def is_counted(tables: Tables, key: int) -> bool:
    return not any(
        path["is_setup"] for path in tables["campaign_call_paths"] if path["call_path_key"] == key
    )


def site_shares(tables: Tables) -> dict[int, dict[int, float]]:
    """The share of the communication of each run, by call site; without runs that have none."""
    calls = [row for row in tables["call_site_tasks"] if is_counted(tables, row["call_path_key"])]
    found: dict[int, dict[int, float]] = {}
    for run in {row["campaign_run_id"] for row in calls}:
        own = [row for row in calls if row["campaign_run_id"] == run]
        whole = sum(row["total_ns"] for row in own)
        for key in {row["call_path_key"] for row in own} if whole else ():
            time = sum(row["total_ns"] for row in own if row["call_path_key"] == key)
            found.setdefault(key, {})[run] = time / whole
    return found


def ranking(tables: Tables) -> list[dict[str, Any]]:
    """call_site_ranking, without intervals and in no order."""
    shares = site_shares(tables)
    rows = []
    for population in compared(tables, {run for own in shares.values() for run in own}):
        there = population.runs or population.candidates
        ids = {run["campaign_run_id"] for run in there}
        own = {key: values for key, values in shares.items() if ids & set(values)}
        part = [{"call_path_key": key, **describe(population, own[key])} for key in own]
        correlated = [row for row in part if row["spearman"] is not None]
        levels = false_discovery([row["p_value"] for row in correlated])
        for row, level in zip(correlated, levels, strict=True):
            row["q_value"] = level
        rows += part
    return rows


def describe(population: Compared, shares: Values) -> dict[str, Any]:
    """All columns of one series of shares."""
    row: dict[str, Any] = {
        "size": population.size, "run_count": len(population.runs), "spearman": None,
        "p_value": None, "mean_share": None, "smallest_share": None, "largest_share": None,
    }  # fmt: skip
    if not population.runs:
        return row
    processes, values = [run["processes"] for run in population.runs], population.of(shares)
    row["mean_share"] = sum(values) / len(values)
    row["smallest_share"] = population.mean_at(shares, most=False)
    row["largest_share"] = population.mean_at(shares, most=True)
    row["spearman"] = None if population.reason else correlation(processes, values)
    row["p_value"] = None if row["spearman"] is None else chance(processes, values)
    return row


# --- Growth --------------------------------------------------------------------------------------


def location_times(tables: Tables) -> dict[int, float]:
    """The total of shares by run: time of all call paths, or of all processes."""
    found = {}
    operations = {row["call_path_key"]: row["operation"] for row in tables["campaign_call_paths"]}
    for run in {row["campaign_run_id"] for row in tables["run_call_paths"]}:
        own = counted_costs(tables, run)
        whole = sum(row["exclusive_ns"] for row in own)
        if own and all(operations[row["call_path_key"]] for row in own):
            tasks = [row for row in tables["run_tasks"] if row["campaign_run_id"] == run]
            elapsed = sum(row["time_ns"] for row in tasks)
            whole = max(elapsed, whole) if elapsed else 0
        if whole:
            found[run] = whole
    return found


def counted_costs(tables: Tables, run: int) -> list[Row]:
    return [
        row
        for row in tables["run_call_paths"]
        if row["campaign_run_id"] == run and is_counted(tables, row["call_path_key"])
    ]


def call_path_growth(tables: Tables) -> list[dict[str, Any]]:
    whole = location_times(tables)
    path = {
        run: sum(row["critical_path_ns"] for row in counted_costs(tables, run))
        for run in {row["campaign_run_id"] for row in tables["run_call_paths"]}
    }
    rows = []
    for quantity, column, totals in (
        ("exclusive time", "exclusive_ns", whole),
        ("waiting", "wait_ns", whole),
        ("critical path", "critical_path_ns", path),
    ):
        values: dict[int, dict[int, float]] = {}
        for run in path:
            for row in counted_costs(tables, run):
                if row[column] > 0 and totals.get(run):
                    values.setdefault(row["call_path_key"], {})[run] = row[column]
        for row in growth(tables, whole, values, dict.fromkeys(values, totals)):
            rows.append({"quantity": quantity, "call_path_key": row.pop("item"), **row})
    return rows


def metric_growth(tables: Tables) -> list[dict[str, Any]]:
    whole = location_times(tables)
    path = {
        run: sum(row["critical_path_ns"] for row in counted_costs(tables, run)) for run in whole
    }
    values: dict[str, dict[int, float]] = {}
    totals: dict[str, Mapping[int, float]] = {}
    for row in tables["run_metrics"]:
        run, metric = row["campaign_run_id"], row["metric"]
        own = path if metric.startswith("critical_path") else whole
        if is_counted(tables, row["call_path_key"]) and own.get(run):
            totals[metric] = own
            of_metric = values.setdefault(metric, {})
            of_metric[run] = of_metric.get(run, 0) + row["value_ns"]
    return [{"metric": row.pop("item"), **row} for row in growth(tables, whole, values, totals)]


def growth(
    tables: Tables,
    whole: Mapping[int, float],
    values: Mapping[Any, Values],
    totals: Mapping[Any, Values],
) -> Iterator[dict[str, Any]]:
    for population in compared(tables, whole):
        there = population.runs or population.candidates
        ids = {run["campaign_run_id"] for run in there}
        for item, own in values.items():
            if ids & set(own):
                shares = {run: value / totals[item][run] for run, value in own.items()}
                row = {"item": item, **describe(population, shares)}
                yield row | exponent(population, own)


def exponent(population: Compared, values: Values) -> dict[str, Any]:
    """b of log(value) = a + b log(p), with an a for each size, as a system of equations."""
    runs = [run for run in population.runs if values.get(run["campaign_run_id"], 0) > 0]
    row: dict[str, Any] = {"fitted_count": len(runs), "growth_exponent": None, "growth_error": None}
    sizes = sorted({run["size"] for run in runs})
    counts = [{run["processes"] for run in runs if run["size"] == size} for size in sizes]
    if not any(len(of_size) > 1 for of_size in counts):
        return row
    system = np.array(
        [[math.log(run["processes"]), *(run["size"] == size for size in sizes)] for run in runs]
    )
    logs = np.array([math.log(values[run["campaign_run_id"]]) for run in runs])
    solution = np.linalg.lstsq(system, logs, rcond=None)[0]
    row["growth_exponent"] = float(solution[0])
    freedom = len(runs) - len(sizes) - 1
    if freedom > 0:
        residual = float(((logs - system @ solution) ** 2).sum())
        scale = np.linalg.inv(system.T @ system)[0, 0]
        row["growth_error"] = math.sqrt(residual / freedom * float(scale))
    return row
