"""Growth of a program's efficiency over processes and problem size (Teplov 2014)."""

from tracemill.stages.models.efficiency_grid.cells import Cells, EfficiencyGrid, cover_grid
from tracemill.stages.models.efficiency_grid.configurations import (
    Configurations,
    Runs,
    attainable_efficiency,
    reduce_to_best,
    speed_up_efficiency,
)
from tracemill.stages.models.efficiency_grid.marks import (
    CellMarks,
    Extent,
    Growth,
    Region,
    find_growth,
    mark_cells,
    measure_region,
)
from tracemill.stages.models.efficiency_grid.parts import find_parts, find_signs
from tracemill.stages.models.efficiency_grid.rankings import (
    FEWEST_PAIRS,
    Agreement,
    compare_orders,
    rank_ascending,
)

__all__ = [
    "FEWEST_PAIRS",
    "Agreement",
    "CellMarks",
    "Cells",
    "Configurations",
    "EfficiencyGrid",
    "Extent",
    "Growth",
    "Region",
    "Runs",
    "attainable_efficiency",
    "compare_orders",
    "cover_grid",
    "find_growth",
    "find_parts",
    "find_signs",
    "mark_cells",
    "measure_region",
    "rank_ascending",
    "reduce_to_best",
    "speed_up_efficiency",
]
