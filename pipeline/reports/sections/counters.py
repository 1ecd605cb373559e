"""Counters: derived counters by call path, and all counters over time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Picture, Section, Table
from tracemill.reports.pictures.counter_curves import CounterCurve, draw_counters
from tracemill.reports.tables import Columns, TableSpec, groups_of
from tracemill.reports.timeline_counters import QUERY, counters_over_time
from tracemill.reports.units import Unit, format_value
from tracemill.reports.wording import Row, count_of, group_by, name_path, number

PLACE = 75
MOST_PICTURES = 4
_COUNT = "#"  # The unit of numbers without one, in traces of Score-P.

TOTALS = TableSpec(
    query="counter_totals",
    title="Counters of the run",
    note="In the main part of the run, over all locations.",
    silent={"negative_step_count": 0},
    titles={"covered_ns": "Known for", "negative_step_count": "Falling steps"},
)
BELOW_MEAN = TableSpec(
    query="counters_below_mean",
    title="Call paths worse than the mean of the run",
    note="By their time; without callees.",
    row_limit=10,
    limited_per="counter",
    bars=("time_ns",),
    titles={"time_ns": "Time", "mean_value": "Mean of the run", "value": "Value"},
    hidden=frozenset({"counter"}),
)


def build(material: Material) -> Section | None:
    """Derived counters with their worst call paths, and curves over time."""
    totals = material.table(TOTALS)
    curves = sorted(_curves(material), key=lambda curve: (curve.is_derived, curve.counter))
    if not totals.rows and not curves:
        return None
    worst = material.table(BELOW_MEAN)
    return Section(
        key="counters",
        title="Counters",
        sentences=tuple(_sentences(worst.as_dicts(), curves)),
        pictures=tuple(_pictures(curves)),
        tables=(*filled(totals), *_by_counter(worst)),
    )


def _by_counter(table: Table) -> Iterator[Table]:
    """A table per derived counter."""
    place = [column.name for column in table.columns].index("counter")
    for name in dict.fromkeys(str(row[place]) for row in table.rows):
        literal = name.replace("'", "''")
        yield replace(
            table,
            title=f"{name}: worse than the mean of the run",
            rows=tuple(row for row in table.rows if row[place] == name),
            sql=f"FROM (\n{table.sql.rstrip(';')}\n)\nWHERE counter = '{literal}'",
        )


def _sentences(worst: Sequence[Row], curves: Sequence[CounterCurve]) -> Iterator[str]:
    for name, rows in group_by("counter", worst).items():
        first = rows[0]
        yield (
            f"{name} is {number(first['mean_value']):.3g} {first['unit']} over the run; "
            f"{name_path(first['call_path'])} has {number(first['value']):.3g}."
        )
    falling = [curve for curve in curves if curve.is_as_recorded]
    if falling:
        yield (
            f"{count_of(len(falling), 'counter')} declared as accumulated also "
            f"{'falls' if len(falling) == 1 else 'fall'}: drawn as recorded."
        )


def _curves(material: Material) -> Iterator[CounterCurve]:
    """A curve per counter and part of the system that has different finite values."""
    for counter in counters_over_time(material):
        series = list(groups_of(counter, "scope", "scope_id"))
        parts = [rows for rows in series if not rows["is_together"][0]]
        yield from (curve for rows in parts or series for curve in _curve(rows))


def _curve(rows: Columns) -> Iterator[CounterCurve]:
    is_drawn = np.isfinite(rows["value"])
    values = rows["value"][is_drawn]
    if len(np.unique(values)) < 2:
        return
    unit = str(rows["unit"][0])
    yield CounterCurve(
        counter=str(rows["counter"][0]),
        part=str(rows["part"][0]),
        unit="" if unit == _COUNT else unit,
        seconds=tuple(((rows["begin_ns"] + rows["end_ns"])[is_drawn] / 2e9).tolist()),
        values=tuple(values.tolist()),
        is_derived=bool(rows["counter_id"][0] < 0),
        is_as_recorded=bool(rows["is_as_recorded"][0]),
    )


def _pictures(curves: Sequence[CounterCurve]) -> Iterator[Picture]:
    """Curves of like counters together, those of power first, then derived ones."""
    families: dict[str, list[CounterCurve]] = {}
    for curve in curves:
        families.setdefault(curve.family, []).append(curve)

    def rank(name: str) -> tuple[bool, bool, int]:
        is_power = "power" in name.lower()
        return not is_power, not families[name][0].is_derived, -len(families[name])

    for place, name in enumerate(sorted(families, key=rank)[:MOST_PICTURES], 1):
        chosen = families[name]
        plain = re.sub(r"[^A-Za-z0-9]+", "-", f"-{name}")[:60].rstrip("-")
        yield Picture(
            name=f"counters-{place}{plain}",
            title=f"{name} over time",
            draw=partial(draw_counters, chosen),
            description=" ".join(_describe(curve) for curve in chosen),
            of=QUERY,
        )


def _describe(curve: CounterCurve) -> str:
    low, high = (format_value(of(curve.values), Unit.AMOUNT) for of in (min, max))
    return f"{curve.label}: {low} to {high} {curve.unit}".rstrip() + "."
