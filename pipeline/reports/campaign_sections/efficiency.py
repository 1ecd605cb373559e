"""Efficiency over the grid of processes and sizes, and its growth."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from math import nan

import numpy as np

from tracemill.reports.material import Material, filled
from tracemill.reports.model import Picture, Section, Table
from tracemill.reports.pictures.curves import Curve, draw_scaling
from tracemill.reports.pictures.grids import Grid, MarkedCell, draw_heat_map, draw_surface
from tracemill.reports.pivots import by_size
from tracemill.reports.run_links import anchor_of
from tracemill.reports.scaling import FIXED_SIZE, declared_scalings, is_relevant
from tracemill.reports.tables import TableSpec
from tracemill.reports.units import format_share
from tracemill.reports.wording import Row, count_of, group_by, nonempty, number, size_of
from tracemill.schemas import campaigns
from tracemill.schemas.scalability import SIZE_AXES
from tracemill.stages.models.efficiency_grid.parts import LEAST_GROWTH

PLACE = 20
MOST_DRAWN = 4
"""Maximum number of applications with pictures; the tables contain all."""
MOST_CURVES = 8
DEFINITIONS = dict(
    zip(
        campaigns.EFFICIENCIES,
        (
            "Efficiency is as given with the measurements.",
            "Efficiency is achieved divided by attainable performance: amount of computation / "
            "(T × p × attainable performance of a process per second). T is the time on p "
            "processes.",
            "Efficiency is speed-up / p = (T0 × p0) / (T × p). T is the time on p processes; T0 is "
            "the time on p0 processes, the fewest measured with this size.",
        ),
        strict=True,
    )
)
"""A sentence for each definition of efficiency."""
OUT_OF_MEMORY = "out of memory"
SIZE_LABEL = "problem size"
_ALL_BUT_ROUNDING = 1e-9
_LEAST_POINTS = 0.1

EFFICIENCIES = TableSpec(
    query="grid_efficiencies",
    title="Efficiency of every configuration",
    note="Against the fewest processes of each size. Cells lead to their runs.",
    row_limit=2_000,
    titles={
        "efficiency_ratio": "Efficiency", "best_ns": "Best time", "median_ns": "Median",
        "repetition_count": "Runs", "reference_processes": "Reference processes",
        "efficiency_definition": "Definition",
    },
    silent={"variant": "", "reason": None, "state": "measured"},
    hidden_if_equal=("application", "efficiency_definition"),
)  # fmt: skip
MARKS = TableSpec(
    query="grid_marks",
    title="Scalability metric",
    note=(
        "Nine figures per program: ranges of processes and size, three marks (mean growth of "
        "efficiency over the cells of the grid, with processes, with size, with both), highest and "
        "lowest efficiency. Ranges, marks and growth are for the area that cells cover; "
        "efficiencies are for all configurations. Covered is the share of their area that cells "
        "cover. Regions other than the whole are parts with the same sign of growth. Growth from "
        "end to end does not depend on the density of the grid (Teplov 2014)."
    ),
    row_limit=200,
    limited_per="application",
    titles={
        "mark_procs": "MarkProcs", "mark_data": "MarkData", "mark_all": "MarkAll",
        "max_efficiency_ratio": "Max E", "min_efficiency_ratio": "Min E", "cell_count": "Cells",
        "covered_ratio": "Covered", "process_growth": "Growth, processes",
        "data_growth": "Growth, size",
    },
    silent={"reason": None, "size_axis": SIZE_AXES[0], "are_memory_failures_zero": False},
)  # fmt: skip
CELLS = TableSpec(
    query="grid_cell_marks",
    title="Cells of the grid",
    note=(
        "By the size and the processes where a cell ends; it begins at the next smaller ones with "
        "efficiency, and skips configurations without. Cells never overlap: if two of equal size "
        "start at one corner, the method takes the one with fewer process steps."
    ),
    row_limit=2_000,
    titles={
        "mark_procs": "MarkProcs", "mark_data": "MarkData", "mark_all": "MarkAll",
        "upper_size": "Size",
    },
    hidden_if_equal=("application", "size_axis"),
)  # fmt: skip
SPEED_UPS = TableSpec(
    query="speed_ups",
    title="Speed-up",
    note=(
        "Relative to the run of the same size with the fewest processes. The speed-up of this "
        "reference is its number of processes."
    ),
    row_limit=2_000,
    titles={"best_ns": "Best time", "efficiency_ratio": "Of the ideal"},
)


def build(material: Material) -> Section:
    """The grid, its marks, and the speed-up of the best runs."""
    efficiencies, cells, speed_ups = map(material.table, (EFFICIENCIES, CELLS, SPEED_UPS))
    marks = material.table(MARKS)
    return Section(
        key="efficiency",
        title="Efficiency",
        sentences=nonempty(
            *describe_marks(marks.as_dicts()),
            *describe_definitions(efficiencies.values("efficiency_definition")),
        ),
        pictures=tuple(_pictures(marks, efficiencies, cells, speed_ups, material)),
        tables=filled(
            by_size(efficiencies, "efficiency_ratio", EFFICIENCIES.title, is_heat=True),
            by_size(efficiencies, "best_ns", "Best time of every configuration"),
            by_size(speed_ups, "speed_up", SPEED_UPS.title),
            replace(efficiencies, rows=efficiencies.rows if _has_reasons(efficiencies) else ()),
        ),
    )


def _has_reasons(efficiencies: Table) -> bool:
    """True if a configuration failed or has no efficiency."""
    return not {"reason", "state"} <= efficiencies.hidden


def describe_marks(marks: Sequence[Row]) -> Iterator[str]:
    """The marks of each program in one sentence."""
    for row in marks:
        if row["region"] != "whole":
            continue
        if row["reason"] is not None:
            yield f"{row['application']} has no marks: {row['reason']}."
            continue
        highest = number(row["max_efficiency_ratio"])
        yield (
            f"{row['application']}: on average{_describe_cover(row)}, efficiency "
            f"{_direction(number(row['process_growth']), highest)} from "
            f"{number(row['min_processes']):g} to {number(row['max_processes']):g} processes and "
            f"{_direction(number(row['data_growth']), highest)} from size "
            f"{size_of(row['min_size'])} to {size_of(row['max_size'])}. Over all configurations, "
            f"it is {format_share(number(row['min_efficiency_ratio']))} to {format_share(highest)}."
        )


def _describe_cover(row: Row) -> str:
    """The share of the grid that cells cover; nothing for the whole grid."""
    covered = number(row["covered_ratio"])
    if covered > 1 - _ALL_BUT_ROUNDING:
        return ""
    return f" where neighbors were measured ({format_share(covered)} of the grid)"


def _direction(growth: float, highest: float) -> str:
    if abs(growth) <= LEAST_GROWTH * highest:
        return "does not change"
    points = abs(growth) * 100
    amount = (
        f"{points:.1f} points" if points >= _LEAST_POINTS else f"less than {_LEAST_POINTS} points"
    )
    return f"{'grows' if growth > 0 else 'falls'} by {amount}"


def describe_definitions(definitions: Iterable[object]) -> Iterator[str]:
    """The definition of efficiency, and the runs that are used."""
    found = list(dict.fromkeys(str(definition) for definition in definitions))
    for definition in found:
        yield DEFINITIONS[definition]
    if found:
        yield (
            "Efficiency, marks and speed-up use the best run of a configuration, with any threads "
            "and other parameters. Indices and serial fractions use the shortest run of the launch "
            "with the shortest median time; models of the run time use all runs of that launch."
        )


def _pictures(
    marks: Table, efficiencies: Table, cells: Table, speed_ups: Table, material: Material
) -> Iterator[Picture]:
    groups = group_by("application", efficiencies.as_dicts())
    scalings = declared_scalings(material)
    stated = {str(row["application"]): row for row in marks.as_dicts()}
    cells_of = group_by("application", cells.as_dicts())
    speed_ups_of = group_by("application", speed_ups.as_dicts())
    for application, own in islice(groups.items(), MOST_DRAWN):
        grid = read_grid(own, stated[application])
        zeros = describe_zeros(own, stated[application])
        marked = cells_of.get(application, ())
        if len(grid.processes) > 1 and len(grid.sizes) > 1:
            yield _surface(application, grid, zeros)
        if len(grid.processes) > 1:
            yield _heat_map(application, grid, marked, zeros)
        if len(grid.processes) > 1 and is_relevant(scalings, application, FIXED_SIZE):
            yield _scaling(application, speed_ups_of.get(application, ()))


def read_grid(rows: Sequence[Row], stated: Row) -> Grid:
    """Efficiencies of a program on the size axis of its marks (`stated`).

    The best of sizes with the same amount of computation; 0 for runs out of memory.
    """
    is_size = stated["size_axis"] == SIZE_AXES[0]
    column = "size" if is_size else "computation_size"
    processes = tuple(sorted({int(number(row["processes"])) for row in rows}))
    sizes = tuple(sorted({number(row[column]) for row in rows}))
    values = np.full((len(sizes), len(processes)), nan)
    for row in rows:
        efficiency = 0.0 if _is_out_of_memory(row) else row["efficiency_ratio"]
        if efficiency is not None:
            place = sizes.index(number(row[column])), processes.index(int(number(row["processes"])))
            values[place] = np.fmax(values[place], number(efficiency))
    return Grid(
        processes=processes, sizes=sizes, values=values, label="efficiency", is_percent=True,
        size_label=SIZE_LABEL if is_size else "amount of computation",
        low=0.0, high=max(1.0, float(np.nanmax(values, initial=0.0))),
    )  # fmt: skip


def _is_out_of_memory(row: Row) -> bool:
    return row["state"] == OUT_OF_MEMORY and row["efficiency_ratio"] is None


def describe_zeros(rows: Sequence[Row], stated: Row) -> str:
    """The number of configurations out of memory, drawn as 0, and their effect on marks."""
    count = sum(map(_is_out_of_memory, rows))
    if not count:
        return ""
    counted = "also count them as 0" if stated["are_memory_failures_zero"] else "leave them out"
    return (
        f" {count_of(count, 'configuration')} that ran out of memory "
        f"{'is' if count == 1 else 'are'} drawn as 0; marks {counted}."
    )


def _surface(application: str, grid: Grid, zeros: str) -> Picture:
    has_holes = bool(np.isnan(grid.values).any())
    note = " Points are configurations; holes are configurations without efficiency."
    return Picture(
        name=f"surface-{application}",
        title=f"Efficiency of {application} over processes and size",
        draw=partial(draw_surface, grid, f"surface-{application}", grid if has_holes else None),
        description=_describe(grid) + (note if has_holes else "") + zeros,
        of=f"Drawn from {EFFICIENCIES.title}.",
    )


def read_marks(cells: Sequence[Row]) -> list[MarkedCell]:
    """MarkProcs and MarkData of every cell, in points, with its corners."""
    return [
        MarkedCell(
            (int(number(row["lower_processes"])), int(number(row["upper_processes"]))),
            (number(row["lower_size"]), number(row["upper_size"])),
            f"{_points(number(row['mark_procs']))} {_points(number(row['mark_data']))}",
        )
        for row in cells
    ]


def _points(ratio: float) -> str:
    """A change of efficiency in points; small changes with one digit."""
    points = 100 * ratio
    return f"{points:+.1g}" if 0 < abs(points) < _LEAST_POINTS else f"{points:+.1f}"


def _heat_map(application: str, grid: Grid, cells: Sequence[Row], zeros: str) -> Picture:
    # An amount of computation may have several sizes.
    is_size = grid.size_label == SIZE_LABEL
    links = {
        (p, size): anchor_of(application, p, size)
        for p, size in product(grid.processes, grid.sizes if is_size else ())
    }
    return Picture(
        name=f"grid-{application}",
        title=f"Efficiency of {application} as a map",
        draw=partial(draw_heat_map, grid, f"grid-{application}", read_marks(cells), links=links),
        description=_describe(grid)
        + " Between four configurations: mean change of efficiency with processes (MarkProcs) and "
        "with size (MarkData), in points. Squares lead to their runs." + zeros,
        of=f"Drawn from {EFFICIENCIES.title} and {CELLS.title}.",
    )


def _describe(grid: Grid) -> str:
    """Efficiency at the ends of the grid, for the smallest and the largest size."""
    ends = dict.fromkeys((grid.sizes[0], grid.sizes[-1]))
    what = "size" if grid.size_label == SIZE_LABEL else grid.size_label
    parts = [
        f"at {what} {size_of(size)}: {_value(row[0])} with {grid.processes[0]} and "
        f"{_value(row[-1])} with {count_of(grid.processes[-1], 'process', 'processes')}"
        for size, row in zip(ends, (grid.values[0], grid.values[-1]), strict=False)
    ]
    return f"A{'; '.join(parts)[1:]}."


def _value(efficiency: float) -> str:
    return "no value" if np.isnan(efficiency) else format_share(float(efficiency))


def speed_up_curves(rows: Sequence[Row], most: int = MOST_CURVES) -> list[Curve]:
    """Speed-up over processes for at most so many sizes, the largest first."""
    sizes = sorted({number(row["size"]) for row in rows}, reverse=True)
    return [
        Curve(
            f"size {size_of(size)}",
            tuple(int(number(row["processes"])) for row in rows if row["size"] == size),
            tuple(number(row["speed_up"]) for row in rows if row["size"] == size),
        )
        for size in sizes[:: max(1, -(-len(sizes) // most))]
    ]


def _scaling(application: str, rows: Sequence[Row]) -> Picture:
    curves = speed_up_curves(rows)
    return Picture(
        name=f"scaling-{application}",
        title=f"Speed-up of {application}",
        draw=partial(draw_scaling, curves, f"scaling-{application}"),
        description=describe_speed_up(rows),
        of=f"Drawn from {SPEED_UPS.title}.",
    )


def describe_speed_up(rows: Sequence[Row]) -> str:
    """The highest speed-up of an application, and its sizes."""
    if not rows:
        return "No run was measured."
    highest = max(number(row["speed_up"]) for row in rows)
    best = [row for row in rows if number(row["speed_up"]) >= highest * (1 - LEAST_GROWTH)]
    fewest = min(number(row["processes"]) for row in best)
    reached = sorted(number(row["size"]) for row in best if row["processes"] == fewest)
    run = {number(row["size"]) for row in rows if row["processes"] == fewest}
    place = f"at size {size_of(reached[0])}"
    if len(reached) > 1:
        which = "all" if len(reached) == len(run) else f"{len(reached)} of"
        place = f"at {which} {len(run)} sizes, from {size_of(reached[0])} to {size_of(reached[-1])}"
    processes = count_of(fewest, "process", "processes")
    references = [number(row["reference_processes"]) for row in best if row["processes"] == fewest]
    return (
        f"The highest speed-up is {highest:.3g} with {processes} {place} (measured, fixed size), "
        f"{_describe_reference(min(references), max(references))}."
    )


def _describe_reference(fewest: float, most: float) -> str:
    """The reference run of a speed-up, and the speed-up assigned to it."""
    run = "relative to the best run of the same size on"
    if fewest != most:
        return (
            f"{run} the fewest processes ({fewest:g} to {most:g}), whose speed-up is their number"
        )
    counted = "" if most == 1 else f", whose speed-up is set to {most:g}"
    return f"{run} {count_of(most, 'process', 'processes')}{counted}"
