"""Cells of the grid, and the marks of every program over its regions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tracemill.base.errors import UsageError
from tracemill.schemas.scalability import (
    GRID_CELLS,
    GROWTHS,
    SCALABILITY_MARKS,
    SIZE_AXES,
    SPLITS,
    WHOLE,
)
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.models.efficiency_grid.cells import Cells, EfficiencyGrid, cover_grid
from tracemill.stages.models.efficiency_grid.marks import (
    Extent,
    Growth,
    Triple,
    box_of,
    find_growth,
    mark_cells,
    measure_region,
)
from tracemill.stages.models.efficiency_grid.parts import find_parts, find_signs
from tracemill.stages.stage import PythonStage

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]
Row = dict[str, Any]

_PART_COLUMNS = dict(
    zip(SPLITS[1:], ("part_by_processes", "part_by_size", "part_by_both"), strict=True)
)
_NO_CELLS = {"cell_count": 0, "covered_share": 0.0}
_NONE = -1
_COLUMNS = {
    "application": "application",
    "processes": "processes::BIGINT",
    "size": "size",
    "computation_size": "computation_size",
    "efficiency": "coalesce(efficiency, 'nan'::DOUBLE)",
    "is_out_of_memory": "state = 'out of memory'",
    "definition": "efficiency_definition::VARCHAR",
    "reference": f"coalesce(reference_processes, {_NONE})::BIGINT",
}


@dataclass(frozen=True)
class _Choices:
    """Parameters of the stage."""

    size_axis: str
    are_memory_failures_zero: bool
    least_growth: float


@dataclass(frozen=True)
class _Program:
    """One application: its grid, the cells that cover it, and what is said on each of its rows."""

    grid: EfficiencyGrid
    cells: Cells
    growth: Growth
    stated: Row


def mark_scalability(
    efficiency_grid: Relation,
    *,
    grid_size_axis: str = "size",
    grid_memory_failures_are_zero: bool = False,
    grid_least_growth: float = 0.0,
) -> tuple[pa.Table, pa.Table]:
    """Cover every application's grid with cells, and mark the region and its parts.

    `grid_size_axis`: problem sizes or amounts of computation. `grid_least_growth`: growth of
    efficiency over a cell, as a ratio, that counts as none when a region is split by sign (a
    millionth of the efficiency always does). Raises UsageError for an unknown axis or a negative
    growth.
    """
    if grid_size_axis not in SIZE_AXES:
        raise UsageError(
            f"grid_size_axis is {grid_size_axis!r}: it must be one of {', '.join(SIZE_AXES)}"
        )
    if not 0 <= grid_least_growth < np.inf:
        raise UsageError(f"grid_least_growth is {grid_least_growth}: it must be at least 0")
    choices = _Choices(grid_size_axis, grid_memory_failures_are_zero, float(grid_least_growth))
    configurations = efficiency_grid.order("application, processes, size")
    columns = dict(zip(_COLUMNS, read_columns(configurations, *_COLUMNS.values()), strict=True))
    names, application = np.unique(columns["application"].astype(str), return_inverse=True)
    cells: list[pa.Table] = [GRID_CELLS.empty()]
    regions: list[Row] = []
    for number, name in enumerate(names.tolist()):
        chosen = application == number
        own = {key: values[chosen] for key, values in columns.items()}
        program = _read_program(name, own, choices)
        parts = _parts_of(program, choices.least_growth)
        regions += _regions_of(program, parts)
        if len(program.cells):
            cells.append(_cell_rows(program, {split: numbers for split, numbers, _ in parts}))
    return pa.concat_tables(cells), _table_of(regions)


def _read_program(name: str, columns: Columns, choices: _Choices) -> _Program:
    grid = _grid_of(columns, choices)
    cells = cover_grid(grid)
    reference = columns["reference"][
        (columns["reference"] != _NONE) & ~np.isnan(columns["efficiency"])
    ]
    stated = {
        "application": name,
        "size_axis": choices.size_axis,
        "efficiency_definition": str(columns["definition"][0]),
        "min_reference_processes": int(reference.min()) if len(reference) else None,
        "max_reference_processes": int(reference.max()) if len(reference) else None,
        "are_memory_failures_zero": choices.are_memory_failures_zero,
    }
    return _Program(grid, cells, find_growth(cells), stated)


def _grid_of(columns: Columns, choices: _Choices) -> EfficiencyGrid:
    """The grid on the chosen axis; the best of sizes with the same amount of computation."""
    efficiency = columns["efficiency"]
    if choices.are_memory_failures_zero:
        efficiency = np.where(columns["is_out_of_memory"], 0.0, efficiency)
    size = columns["size" if choices.size_axis == "size" else "computation_size"]
    processes = columns["processes"].astype(np.float64)
    order = np.lexsort((-efficiency, size, processes))
    processes, size = processes[order], size[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (np.diff(processes) != 0) | (np.diff(size) != 0)
    return EfficiencyGrid(processes[is_first], size[is_first], efficiency[order][is_first])


Part = tuple[str, Numbers, Numbers]


def _parts_of(program: _Program, least_growth: float) -> list[Part]:
    """By what the region is split, the part of each cell, and the sign of its growth."""
    growth, parts = program.growth, []
    for split, values in zip(SPLITS[1:], (growth.processes, growth.size, growth.both), strict=True):
        signs = find_signs(program.cells, values, least_growth=least_growth)
        parts.append((split, find_parts(program.cells, signs), signs))
    return parts


def _cell_rows(program: _Program, parts: dict[str, Numbers]) -> pa.Table:
    cells, growth = program.cells, program.growth
    marks = mark_cells(cells, growth, box_of(cells))
    names = (program.stated["application"], program.stated["size_axis"])
    application, axis = (pa.array([name] * len(cells), pa.string()) for name in names)
    return GRID_CELLS.conform(
        pa.table(
            {
                "application": application,
                "lower_processes": cells.p1,
                "upper_processes": cells.p2,
                "lower_size": cells.d1,
                "upper_size": cells.d2,
                "size_axis": axis,
                "skipped_processes": cells.right - cells.left - 1,
                "skipped_sizes": cells.top - cells.bottom - 1,
                "efficiency_11": cells.e11,
                "efficiency_12": cells.e12,
                "efficiency_21": cells.e21,
                "efficiency_22": cells.e22,
                "growth_processes": growth.processes,
                "growth_size": growth.size,
                "growth_both": growth.both,
                "mark_procs": marks.procs,
                "mark_data": marks.data,
                "mark_all": marks.all,
            }
            | {column: parts[split] for split, column in _PART_COLUMNS.items()}
        )
    )


def _regions_of(program: _Program, parts: list[Part]) -> Iterator[Row]:
    yield program.stated | _whole(program)
    for split, numbers, signs in parts:
        order = np.argsort(numbers, kind="stable")
        bounds = np.searchsorted(numbers[order], np.arange(1, numbers.max(initial=0) + 2))
        for part, (begin, end) in enumerate(pairwise(bounds), 1):
            chosen = order[begin:end]
            cells = program.cells.select(chosen)
            yield program.stated | {
                "region": f"{split} {part}",
                "split_by": split,
                "part": part,
                "growth": GROWTHS[int(signs[chosen[0]]) + 1],
                "configuration_count": _count_corners(cells),
                **_measured(cells, box_of(cells)),
            }


def _whole(program: _Program) -> Row:
    grid = program.grid
    known = int((~np.isnan(grid.efficiency)).sum())
    possible = len(np.unique(grid.processes)) * len(np.unique(grid.size))
    described = {
        "region": WHOLE,
        "split_by": SPLITS[0],
        "configuration_count": known,
        "missing_count": possible - known,
    }
    if not known:
        return described | _NO_CELLS | {"reason": "no configuration has an efficiency"}
    extent = _extent_of(grid)
    return described | {"reason": _why_no_cells(program)} | _measured(program.cells, extent)


def _extent_of(grid: EfficiencyGrid) -> Extent:
    is_known = ~np.isnan(grid.efficiency)
    processes, size = grid.processes[is_known], grid.size[is_known]
    efficiency = grid.efficiency[is_known]
    return Extent(
        min_processes=float(processes.min()),
        min_size=float(size.min()),
        max_processes=float(processes.max()),
        max_size=float(size.max()),
        max_efficiency=float(efficiency.max()),
        min_efficiency=float(efficiency.min()),
    )


def _why_no_cells(program: _Program) -> str | None:
    if len(program.cells):
        return None
    extent = _extent_of(program.grid)
    if extent.min_processes == extent.max_processes:
        count = int(extent.min_processes)
        return f"two numbers of processes are needed, and all runs have {count:,}"
    if extent.min_size == extent.max_size:
        return f"two sizes are needed, and all runs have {extent.min_size:g}"
    return "no two numbers of processes have efficiencies at the same two sizes"


def _count_corners(cells: Cells) -> int:
    columns = np.concatenate((cells.left, cells.right, cells.left, cells.right))
    rows = np.concatenate((cells.bottom, cells.bottom, cells.top, cells.top))
    return len(np.unique(np.column_stack((columns, rows)), axis=0))


def _measured(cells: Cells, extent: Extent) -> Row:
    """The nine-tuple, over the ranges that cells cover, and what stands beside it."""
    box = box_of(cells) if len(cells) else extent
    ranges = {
        "min_processes": box.min_processes,
        "min_size": box.min_size,
        "max_processes": box.max_processes,
        "max_size": box.max_size,
        "max_efficiency": extent.max_efficiency,
        "min_efficiency": extent.min_efficiency,
    }
    region = measure_region(cells, extent)
    if region is None:
        return ranges | _NO_CELLS
    return {
        **ranges,
        "cell_count": region.cell_count,
        "covered_share": region.covered_share,
        **_triple(region.marks, "mark_procs", "mark_data", "mark_all"),
        **_triple(region.sums, "mark_procs_sum", "mark_data_sum", "mark_all_sum"),
        **_triple(region.growth, "growth_processes", "growth_size", "growth_both"),
    }


def _triple(values: Triple, procs: str, data: str, both: str) -> Row:
    return {procs: values.procs, data: values.data, both: values.all}


def _table_of(rows: list[Row]) -> pa.Table:
    names = SCALABILITY_MARKS.column_names
    return SCALABILITY_MARKS.conform(
        pa.table({name: [row.get(name) for row in rows] for name in names})
    )


SCALABILITY_STAGE = PythonStage(
    name="scalability_marks", outputs=(GRID_CELLS, SCALABILITY_MARKS), compute=mark_scalability
)
