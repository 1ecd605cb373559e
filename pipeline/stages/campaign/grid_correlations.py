"""Correlation of efficiency with other characteristics over the configurations of the grid."""

from itertools import pairwise

import numpy as np
import pyarrow as pa

from tracemill.schemas.scalability import GRID_CORRELATIONS
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.models.efficiency_grid.rankings import FEWEST_PAIRS, compare_orders
from tracemill.stages.stage import PythonStage


def correlate_characteristics(
    efficiency_grid: Relation, grid_characteristics: Relation
) -> pa.Table:
    """Correlate each characteristic of a program with its efficiency, where both are known."""
    known = efficiency_grid.filter("efficiency IS NOT NULL")
    pairs = grid_characteristics.join(known, "application, processes, size").order(
        "application, characteristic, processes, size"
    )
    application, characteristic, value, efficiency = read_columns(
        pairs, "application", "characteristic", "value", "efficiency"
    )
    keys = list(zip(application.tolist(), characteristic.tolist(), strict=True))
    begins = [at for at, key in enumerate(keys) if at == 0 or key != keys[at - 1]]
    rows = []
    for begin, end in pairwise([*begins, len(keys)]):
        found = compare_orders(value[begin:end], efficiency[begin:end])
        rows.append((*keys[begin], *found, _why(found.pair_count) if found.rho is None else None))
    columns = np.array(rows, dtype=object).reshape(-1, 6).T.tolist()
    names = GRID_CORRELATIONS.column_names
    return GRID_CORRELATIONS.conform(pa.table(dict(zip(names, columns, strict=True))))


def _why(count: int) -> str:
    if count < FEWEST_PAIRS:
        return f"fewer than {FEWEST_PAIRS} configurations have both"
    return "one of both is always the same"


GRID_CORRELATIONS_STAGE = PythonStage(
    name="grid_correlations",
    outputs=(GRID_CORRELATIONS,),
    compute=correlate_characteristics,
)  # fmt: skip
