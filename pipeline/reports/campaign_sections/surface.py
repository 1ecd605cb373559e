"""Surface: models of the run time over processes and size, and their scaling limits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice
from math import nan

import numpy as np

from tracemill.base.text import join_words
from tracemill.reports import scaling
from tracemill.reports.material import Material, filled
from tracemill.reports.model import Picture, Section, Table
from tracemill.reports.pictures.grids import Grid, draw_heat_map, draw_surface
from tracemill.reports.pivots import pivot_each
from tracemill.reports.tables import TableSpec
from tracemill.reports.units import Unit, Value, format_value
from tracemill.reports.wording import (
    Row,
    count_of,
    group_by,
    nonempty,
    number,
    share_of,
    size_of,
    start,
)
from tracemill.schemas.surfaces import NOISE_NOT_KNOWN, WITHIN_NOISE

PLACE = 40
MOST_DRAWN = 2
MOST_RANGES = 4
"""Maximum number of size ranges in a sentence; otherwise, only the two extreme ones."""
NANOSECONDS = 1e9
SMOOTH = "smooth"
METHODS = {
    scaling.FIXED_SIZE: "at a fixed size",
    scaling.SCALED_SIZE: "if the size grows with processes",
}
"""Constraints in words."""

FITS = TableSpec(
    query="fitted_models",
    title="Models of the run time",
    note=(
        "Seconds over processes p and size, with relative errors of the fit and of configurations "
        "left out of it (cross-validation). The chosen model has the smallest cross-validated "
        "error; if errors are nearly equal, it is the simplest. A smooth model is chosen only if "
        "it halves the error of every formula. The verdict compares the error with the noise, the "
        "relative standard deviation of repetitions: within noise up to twice the noise, or 2%; "
        "rejected above that and 25%. Limits are not extrapolated with a model in between. A "
        "smooth model has no formula: a Gaussian process interpolates between measurements, and "
        "the number of its parameters is an effective one."
    ),
    titles={
        "is_chosen": "Chosen", "parameter_count": "Parameters",
        "relative_error_ratio": "Error", "cross_validated_ratio": "Cross-validated error",
        "noise_ratio": "Noise", "verdict": "Verdict",
    },
    silent={"reason": None},
)  # fmt: skip
TERMS = TableSpec(
    query="composed_parts",
    title="Terms of the composed model",
    note=(
        "Seconds that the critical path spends in each call path, without callees. Their sum is "
        "the composed model. The share is that of the fitted time with the most processes and, of "
        "these, the largest size."
    ),
    titles={"cross_validated_ratio": "Cross-validated error"},
)
MEASURED = TableSpec(
    query="measured_times",
    title="Measured times and rates",
    note="Median over repetitions; the rate V = s/T is the amount of computation per second.",
    row_limit=2_000,
    titles={"measured_rate": "Rate"},
)
TIMES = TableSpec(
    query="fitted_times",
    title="Measured and fitted times",
    note="Median over repetitions; times of the chosen model.",
    row_limit=2_000,
    titles={"error_ratio": "Error"},
    silent={"lower_ns": None, "upper_ns": None},
)
INTERVALS = "95% of further runs are expected between lower and upper."
MAPS = TableSpec(
    query="scalability_maps",
    title="Scalability function",
    note=(
        "S = dR/dt: change of the mean speed-up R = s/(p T) along a constraint (Sekiguchi and Sato "
        "1994). Above 0: still gaining; below 0: losing. s is the amount of computation."
    ),
    row_limit=2_000,
    titles={"constraint_kind": "Constraint", "scalability": "S", "mean_speed_up": "R",
            "is_measured": "Measured"},
    hidden=frozenset({"model"}),
)  # fmt: skip
LIMITS = TableSpec(
    query="scaling_limits",
    title="Scaling limits",
    note="According to the chosen model: changes of the sign of S, and the largest number of "
    "processes that keeps efficiency above a bound. Efficiency at fixed size is the time with "
    "linear speed-up divided by the fitted time; at scaled size, the fitted mean speed-up divided "
    "by that at the start.",
    row_limit=500,
    titles={"constraint_kind": "Constraint", "crossing_processes": "Processes at limit",
            "crossing_size": "Size at limit", "start_processes": "From processes",
            "start_size": "From size", "is_falling": "Falling",
            "is_extrapolated": "Extrapolated"},
    silent={"note": None},
)  # fmt: skip


def build(material: Material) -> Section | None:
    """The chosen model, its pictures, and the scaling limits."""
    fits = material.table(FITS)
    if not fits.rows:
        return None
    measured, times, maps, limits, terms = map(
        material.table, (MEASURED, TIMES, MAPS, LIMITS, TERMS)
    )
    scalings = scaling.declared_scalings(material)
    losing = describe_losing(_along_one(maps.as_dicts()))
    claim = start(losing.replace("it falls", "the mean speed-up falls")) + "."
    return Section(
        key="surface",
        title="Performance surface",
        sentences=nonempty(
            *describe_choice(fits.as_dicts()), *describe_limits(limits.as_dicts(), scalings)
        ),
        pictures=tuple(_pictures(measured.as_dicts(), times.as_dicts(), maps.as_dicts(), scalings)),
        tables=filled(
            fits,
            terms,
            replace(limits, claim=next(describe_limits(limits.as_dicts(), scalings), "")),
            *pivot_each(measured, ("measured_rate",), ()),
            *pivot_each(_explain_intervals(times), ("fitted_ns", "error_ratio"), ()),
            *(
                replace(each, claim=claim)
                for each in pivot_each(maps, ("scalability",), ("constraint_kind",))
            ),
        ),
    )


def _along_one(rows: Sequence[Row]) -> list[Row]:
    """The rows of one constraint: fixed size, if there are any."""
    groups = group_by("constraint_kind", rows)
    return groups.get(scaling.FIXED_SIZE) or next(iter(groups.values()), [])


def _explain_intervals(times: Table) -> Table:
    """The table with an explanation of its intervals, if it has any."""
    return times if "lower_ns" in times.hidden else replace(times, note=f"{times.note} {INTERVALS}")


def describe_choice(fits: Sequence[Row]) -> Iterator[str]:
    """The chosen model of each application, or the reason for none."""
    for application, own in group_by("application", fits).items():
        yield f"{application}: {_describe_best(own[0])}{_explain_smooth(own)}"


def _describe_best(best: Row) -> str:
    if best["formula"] is None:
        return f"no model can be fitted: {best['reason']}."
    formula = f"T = {best['formula']} in seconds on p processes"
    if best["cross_validated_ratio"] is None:
        return (
            "models can be fitted, but not tested with configurations that were left out: none is "
            "chosen."
        )
    off = f"off by {share_of(best['cross_validated_ratio'])} for configurations left out of the fit"
    if best["is_chosen"]:
        return f"{formula}, {off}{_describe_verdict(best)}."
    return f"no model describes these runs: the best is {formula}, {off}."


def _describe_verdict(best: Row) -> str:
    if best["verdict"] == NOISE_NOT_KNOWN:
        return "; without repetitions, the noise is not known"
    noise = share_of(best["noise_ratio"])
    if best["verdict"] == WITHIN_NOISE:
        return f", within noise (repetitions differ by {noise})"
    return f", more than noise (repetitions differ by {noise}): limits are not extrapolated"


def _explain_smooth(own: Sequence[Row]) -> str:
    """An explanation of a smooth model, if it is chosen, and the best formula."""
    if not own[0]["is_chosen"] or own[0]["model"] != SMOOTH:
        return ""
    formulas = [row for row in own if row["cross_validated_ratio"] is not None][1:]
    best = (
        f" The best formula, T = {formulas[0]['formula']} in seconds, has an error of "
        f"{share_of(formulas[0]['cross_validated_ratio'])}."
        if formulas
        else ""
    )
    return (
        " A smooth model has no formula: a Gaussian process with "
        f"{count_of(own[0]['parameter_count'], 'effective parameter')} interpolates between "
        f'measurements. Its values are in "{TIMES.title}" and in the table surface_points.{best}'
    )


def describe_limits(limits: Sequence[Row], scalings: scaling.Scalings) -> Iterator[str]:
    """The largest process counts that keep the highest efficiency bound, by program and scaling."""
    shown_limits = [
        row
        for row in limits
        if row["constraint_kind"] in METHODS
        and row["quantity"] == "efficiency"
        and row["crossing_processes"] is not None
        and scaling.is_relevant(scalings, row["application"], row["constraint_kind"])
    ]
    groups: dict[tuple[Value, Value], list[Row]] = {}
    for row in shown_limits:
        groups.setdefault((row["application"], row["constraint_kind"]), []).append(row)
    for (application, kind), own in groups.items():
        bound = max(number(row["bound"]) for row in own)
        own = [row for row in own if row["bound"] == bound]
        yield (
            f"{application}: {METHODS[str(kind)]}, the model predicts an efficiency of at least "
            f"{100 * bound:.4g}% up to {_describe_kept(own)}, against {_describe_start(own)}."
        )


def _describe_start(rows: Sequence[Row]) -> str:
    """The number of processes of the references."""
    starts = [number(row["start_processes"]) for row in rows]
    fewest, most = min(starts), max(starts)
    if fewest == most:
        return count_of(most, "process", "processes")
    return f"its fewest processes, {fewest:g} to {most:g}"


def _describe_kept(rows: Sequence[Row]) -> str:
    """The largest process counts, for each range of sizes with the same count."""
    rows = sorted(rows, key=lambda row: number(row["start_size"]))
    groups = [
        list(group)
        for _, group in groupby(
            rows, lambda row: (int(number(row["crossing_processes"])), row["is_extrapolated"])
        )
    ]
    others = ""
    if len(groups) > MOST_RANGES:
        others = " (other sizes are in between)"
        by_processes = sorted(groups, key=lambda group: number(group[0]["crossing_processes"]))
        groups = [by_processes[0], by_processes[-1]]
    return join_words([_describe_group(group) for group in groups]) + others


def _describe_group(group: Sequence[Row]) -> str:
    """A process count and its range of sizes."""
    first, last = (number(group[at]["start_size"]) for at in (0, -1))
    sizes = (
        f"size {size_of(first)}" if first == last else f"sizes {size_of(first)} to {size_of(last)}"
    )
    beyond = " (not measured)" if group[0]["is_extrapolated"] else ""
    processes = count_of(group[0]["crossing_processes"], "process", "processes")
    return f"{processes} at {sizes}{beyond}"


def _pictures(
    measured: Sequence[Row], times: Sequence[Row], maps: Sequence[Row], scalings: scaling.Scalings
) -> Iterator[Picture]:
    times_of, maps_of = group_by("application", times), group_by("application", maps)
    for application, own in islice(group_by("application", measured).items(), MOST_DRAWN):
        points = _grid(own, "measured_ns")
        if len(points.processes) > 1 and len(points.sizes) > 1:
            yield _surface(application, "Measured", points, None)
            if fitted := times_of.get(application):
                yield _surface(application, "Fitted", _grid(fitted, "fitted_ns"), points)
            yield _rates(application, own)
        for constraint, values in group_by("constraint_kind", maps_of.get(application, ())).items():
            if scaling.is_relevant(scalings, application, constraint):
                yield _map(application, constraint, values)


def _surface(application: str, kind: str, grid: Grid, points: Grid | None) -> Picture:
    name = f"{kind}-time-{application}".lower()
    seen = f"Shortest time: {grid.values[~np.isnan(grid.values)].min(initial=np.inf):.3g} s"
    return Picture(
        name=name,
        title=f"{kind} time of {application}",
        draw=partial(draw_surface, grid, name, points),
        description=f"{seen}{'; points are measurements' if points else ''}.",
        of=f"Drawn from {TIMES.title if points else MEASURED.title}.",
    )


def _rates(application: str, rows: Sequence[Row]) -> Picture:
    name = f"rate-{application}".lower()
    grid = _grid(rows, "measured_rate", 1.0, "size per second")
    highest = float(np.nanmax(grid.values))
    return Picture(
        name=name,
        title=f"Rate of {application}",
        draw=partial(draw_surface, grid, name, None),
        description=f"Highest rate: {format_value(highest, Unit.NUMBER)} per second.",
        of=f"Drawn from {MEASURED.title}.",
    )


def _map(application: str, constraint: str, rows: Sequence[Row]) -> Picture:
    name = f"s-{constraint}-{application}".replace(" ", "-")
    grid = _grid(rows, "elasticity", 1.0, "S t/R", is_signed=True)
    return Picture(
        name=name,
        title=f"Scalability of {application}, {constraint}",
        draw=partial(draw_heat_map, grid, name),
        description=(
            "Change of the mean speed-up in percent per step of one percent along the constraint; "
            f"{describe_losing(rows)}."
        ),
        of=f"Drawn from {MAPS.title}.",
    )


def describe_losing(rows: Sequence[Row]) -> str:
    """The number of losing configurations, measured and not measured."""
    counts = []
    for is_measured, what in ((True, "measured configurations"), (False, "not measured")):
        own = [row for row in rows if bool(row["is_measured"]) is is_measured]
        losing = sum(number(row["scalability"]) < 0 for row in own)
        counts += [f"{losing} of {len(own)} {what}"] if own else []
    return f"according to the model, it falls at {join_words(counts)}"


def _grid(
    rows: Sequence[Row],
    column: str,
    unit: float = NANOSECONDS,
    label: str = "time in s",
    *,
    is_signed: bool = False,
) -> Grid:
    processes = tuple(sorted({int(number(row["processes"])) for row in rows}))
    sizes = tuple(sorted({number(row["size"]) for row in rows}))
    values = np.full((len(sizes), len(processes)), nan)
    for row in rows:
        if row[column] is not None:
            place = sizes.index(number(row["size"])), processes.index(int(number(row["processes"])))
            values[place] = number(row[column]) / unit
    return Grid(processes=processes, sizes=sizes, values=values, label=label, is_signed=is_signed)
