"""Efficiency: over the grid of processes and sizes, and how it grows there."""

from collections.abc import Iterable, Iterator, Sequence
from math import nan

import numpy as np

from pipeline.models.efficiency_grid.parts import LEAST_GROWTH
from pipeline.reports.material import Material, filled
from pipeline.reports.model import Picture, Section, Table
from pipeline.reports.pictures.curves import Curve, draw_scaling
from pipeline.reports.pictures.grids import Cell, Grid, draw_heat_map, draw_surface
from pipeline.reports.tables import TableSpec
from pipeline.reports.units import format_share
from pipeline.reports.wording import Row, count_of, join_words, number, said
from schemas import campaigns

PLACE = 20
MOST_DRAWN = 4
"""Applications that get pictures; a table holds all."""
MOST_CURVES = 8
DEFINITIONS = dict(
    zip(
        campaigns.EFFICIENCIES,
        (
            "Efficiency is as it was given with the measurements.",
            "Efficiency is achieved over attainable performance: amount of computation / (T × p × "
            "what a process attains per second), T being the time on p processes.",
            "Efficiency is speed-up / p = (T0 × p0) / (T × p), T being the time on p processes and "
            "T0 that on the fewest, p0, with which this size was measured.",
        ),
        strict=True,
    )
)
"""What is said of every definition of efficiency."""
_ALL_BUT_ROUNDING = 1e-9
_LEAST_POINTS = 0.1

EFFICIENCIES = TableSpec(
    query="grid_efficiencies",
    title="Efficiency of every configuration",
    row_limit=2_000,
    titles={
        "efficiency_ratio": "Efficiency", "best_ns": "Best time", "median_ns": "Median",
        "repetition_count": "Runs", "reference_processes": "Refers to processes",
        "efficiency_definition": "Efficiency is",
    },
    silent={"variant": "", "reason": None},
    said_once=("application", "efficiency_definition"),
)  # fmt: skip
MARKS = TableSpec(
    query="grid_marks",
    title="Scalability metric",
    note=(
        "Nine figures per program: ranges of processes and size, three marks (mean growth of "
        "efficiency over the cells of the grid, with processes, with size, with both), highest and "
        "lowest efficiency. Ranges, marks and growth are of what cells cover, efficiencies of all "
        "configurations; Covered is the share of the area between these. Regions beside the whole "
        "are parts over which growth keeps its sign. "
        "Growth from end to end does not depend on how dense the grid is (Teplov 2014)."
    ),
    row_limit=200,
    limited_per="application",
    titles={
        "mark_procs": "MarkProcs", "mark_data": "MarkData", "mark_all": "MarkAll",
        "max_efficiency_ratio": "Max E", "min_efficiency_ratio": "Min E", "cell_count": "Cells",
        "covered_ratio": "Covered", "process_growth": "Growth, processes",
        "data_growth": "Growth, size",
    },
    silent={"reason": None},
)  # fmt: skip
CELLS = TableSpec(
    query="grid_cell_marks",
    title="Cells of the grid",
    note=(
        "A cell reaches over configurations without efficiency to the nearest ones with. Of two as "
        "large from one corner only one can be, as cells never overlap: that with fewer steps of "
        "processes, by the order of the method."
    ),
    row_limit=2_000,
    titles={"mark_procs": "MarkProcs", "mark_data": "MarkData", "mark_all": "MarkAll"},
)
SPEED_UPS = TableSpec(
    query="speed_ups",
    title="Speed-up",
    note=(
        "Over the run with the fewest processes of the same size, which counts as having a "
        "speed-up of as many as it has processes."
    ),
    row_limit=2_000,
    titles={"best_ns": "Best time", "efficiency_ratio": "Of the ideal"},
)


def build(material: Material) -> Section:
    """The grid, its marks, and the scaling of the best runs."""
    efficiencies, cells, speed_ups = map(material.table, (EFFICIENCIES, CELLS, SPEED_UPS))
    marks = material.table(MARKS)
    return Section(
        key="efficiency",
        title="Efficiency",
        sentences=said(
            *describe_marks(marks.as_dicts()),
            *describe_definitions(efficiencies.values("efficiency_definition")),
        ),
        pictures=tuple(_pictures(efficiencies, cells, speed_ups)),
        tables=filled(marks, efficiencies, cells, speed_ups),
    )


def describe_marks(marks: Sequence[Row]) -> Iterator[str]:
    """What the marks of each program mean, in a sentence each."""
    for row in marks:
        if row["region"] != "whole":
            continue
        if row["reason"] is not None:
            yield f"{row['application']} has no marks: {row['reason']}."
            continue
        highest = number(row["max_efficiency_ratio"])
        directions = [
            f"{_direction(number(row['process_growth']), highest)} with processes",
            f"{_direction(number(row['data_growth']), highest)} with size",
        ]
        yield (
            f"{row['application']}: over {_describe_cover(row)}, "
            f"efficiency {join_words(directions)}, from end to end; over all configurations it is "
            f"{format_share(number(row['min_efficiency_ratio']))} to {format_share(highest)}."
        )


def _describe_cover(row: Row) -> str:
    """What the cells cover: their ranges, and what share of the grid they leave out."""
    ranges = (
        f"{number(row['min_processes']):g} to {number(row['max_processes']):g} processes and sizes "
        f"{number(row['min_size']):g} to {number(row['max_size']):g}"
    )
    cells = count_of(row["cell_count"], "cell")
    covered = number(row["covered_ratio"])
    if covered > 1 - _ALL_BUT_ROUNDING:
        return f"{ranges} ({cells})"
    return f"{ranges}, where {cells} cover {format_share(covered)} of the grid"


def _direction(growth: float, highest: float) -> str:
    if abs(growth) <= LEAST_GROWTH * highest:
        return "does not change"
    points = abs(growth) * 100
    told = (
        f"{points:.1f} points" if points >= _LEAST_POINTS else f"less than {_LEAST_POINTS} points"
    )
    return f"{'grows' if growth > 0 else 'falls'} by {told}"


def describe_definitions(definitions: Iterable[object]) -> Iterator[str]:
    """What efficiency means here, and which of the repetitions it is of."""
    found = list(dict.fromkeys(str(definition) for definition in definitions))
    for definition in found:
        yield DEFINITIONS[definition]
    if found:
        yield (
            "Efficiency, marks, speed-up and indices use the best repetition of a configuration, "
            "models of the run time the median of all."
        )


def _pictures(efficiencies: Table, cells: Table, speed_ups: Table) -> Iterator[Picture]:
    rows = efficiencies.as_dicts()
    for application in list(dict.fromkeys(str(row["application"]) for row in rows))[:MOST_DRAWN]:
        own = [row for row in rows if row["application"] == application]
        grid = _grid(own)
        marked = [row for row in cells.as_dicts() if row["application"] == application]
        if len(grid.processes) > 1 and len(grid.sizes) > 1:
            yield _surface(application, grid)
        if len(grid.processes) > 1:
            yield _heat_map(application, grid, marked)
            yield _scaling(
                application,
                [row for row in speed_ups.as_dicts() if row["application"] == application],
            )


def _grid(rows: Sequence[Row]) -> Grid:
    processes = tuple(sorted({int(number(row["processes"])) for row in rows}))
    sizes = tuple(sorted({number(row["size"]) for row in rows}))
    values = np.full((len(sizes), len(processes)), nan)
    for row in rows:
        if row["efficiency_ratio"] is not None:
            place = sizes.index(number(row["size"])), processes.index(int(number(row["processes"])))
            values[place] = number(row["efficiency_ratio"])
    return Grid(
        processes=processes, sizes=sizes, values=values, label="efficiency", is_percent=True,
        low=0.0, high=max(1.0, float(np.nanmax(values, initial=0.0))),
    )  # fmt: skip


def _surface(application: str, grid: Grid) -> Picture:
    has_holes = bool(np.isnan(grid.values).any())
    told = " Configurations are points; where one has no efficiency, there is a hole."
    return Picture(
        name=f"surface-{application}",
        title=f"Efficiency of {application} over processes and size",
        svg=draw_surface(grid, f"surface-{application}", grid if has_holes else None),
        description=_describe(grid) + (told if has_holes else ""),
        of=f"Drawn from {EFFICIENCIES.title}.",
    )


def _heat_map(application: str, grid: Grid, cells: Sequence[Row]) -> Picture:
    marks = [
        Cell(
            (int(number(row["lower_processes"])), int(number(row["upper_processes"]))),
            (number(row["lower_size"]), number(row["upper_size"])),
            f"{100 * number(row['process_growth']):+.0f} {100 * number(row['data_growth']):+.0f}",
        )
        for row in cells
        if {number(row["lower_size"]), number(row["upper_size"])} <= set(grid.sizes)
    ]
    return Picture(
        name=f"grid-{application}",
        title=f"Efficiency of {application} as a map",
        svg=draw_heat_map(grid, f"grid-{application}", marks),
        description=_describe(grid)
        + " Between four configurations: growth in percent with processes, then with size.",
        of=f"Drawn from {EFFICIENCIES.title} and {CELLS.title}.",
    )


def _describe(grid: Grid) -> str:
    """Efficiency at the ends of the grid, of the smallest size and of the largest."""
    ends = dict.fromkeys((grid.sizes[0], grid.sizes[-1]))
    parts = [
        f"at size {size:g}: {_value(row[0])} with {grid.processes[0]} and {_value(row[-1])} with "
        f"{grid.processes[-1]} processes"
        for size, row in zip(ends, (grid.values[0], grid.values[-1]), strict=False)
    ]
    return f"A{'; '.join(parts)[1:]}."


def _value(efficiency: float) -> str:
    return "no value" if np.isnan(efficiency) else format_share(float(efficiency))


def _scaling(application: str, rows: Sequence[Row]) -> Picture:
    sizes = sorted({number(row["size"]) for row in rows})
    step = max(1, -(-len(sizes) // MOST_CURVES))
    curves = [
        Curve(
            f"size {size:g}",
            tuple(int(number(row["processes"])) for row in rows if row["size"] == size),
            tuple(number(row["speed_up"]) for row in rows if row["size"] == size),
        )
        for size in sizes[::step]
    ]
    return Picture(
        name=f"scaling-{application}",
        title=f"Speed-up of {application}",
        svg=draw_scaling(curves, f"scaling-{application}", "speed-up"),
        description=describe_speed_up(rows),
        of=f"Drawn from {SPEED_UPS.title}.",
    )


def describe_speed_up(rows: Sequence[Row]) -> str:
    """The highest speed-up of an application, and at which sizes it is reached."""
    if not rows:
        return "No run was measured."
    highest = max(number(row["speed_up"]) for row in rows)
    best = [row for row in rows if number(row["speed_up"]) >= highest * (1 - LEAST_GROWTH)]
    fewest = min(number(row["processes"]) for row in best)
    reached = sorted(number(row["size"]) for row in best if row["processes"] == fewest)
    run = {number(row["size"]) for row in rows if row["processes"] == fewest}
    place = f"at size {reached[0]:g}"
    if len(reached) > 1:
        which = "all" if len(reached) == len(run) else f"{len(reached)} of"
        place = f"at {which} {len(run)} sizes, from {reached[0]:g} to {reached[-1]:g}"
    processes = count_of(fewest, "process", "processes")
    return f"The highest speed-up is {highest:.3g} with {processes} {place}."
