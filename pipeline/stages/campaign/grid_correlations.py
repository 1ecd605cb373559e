"""Correlation of efficiency with other characteristics over the configurations of the grid."""

from itertools import groupby

import numpy as np
import pyarrow as pa

from tracemill.schemas.rankings import GRID_CORRELATIONS
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.campaign.rows import Row, rows_as_table
from tracemill.stages.models.efficiency_grid.rankings import compare_orders
from tracemill.stages.stage import PythonStage

FEWEST = 4
"""Fewest configurations of a correlation."""


def correlate_characteristics(
    efficiency_grid: Relation, grid_characteristics: Relation
) -> pa.Table:
    """Correlate each characteristic of a program with its efficiency, where both are known."""
    known = efficiency_grid.filter("efficiency IS NOT NULL")
    pairs = grid_characteristics.join(known, "application, processes, size").order(
        "application, kind, characteristic, processes, size"
    )
    columns = ("application", "kind::VARCHAR", "characteristic", "unit")
    *names, value, efficiency = read_columns(pairs, *columns, "value", "efficiency")
    keys = list(zip(*(column.tolist() for column in names), strict=True))
    rows: list[Row] = []
    for key, places in groupby(range(len(keys)), key=lambda at: keys[at][:3]):
        own = list(places)
        found = compare_orders(value[own], efficiency[own])
        row = (*key, keys[own[0]][3], found.pair_count)
        if found.pair_count < FEWEST:
            reason = f"fewer than {FEWEST} configurations have both"
            rows.append((*row, None, None, None, reason))
        elif found.rho is None:
            rows.append((*row, None, None, None, "one of both is always the same"))
        else:
            rows.append((*row, found.rho, found.p_value, None, None))
    return rows_as_table(GRID_CORRELATIONS, _with_discovery_rates(rows))


def _with_discovery_rates(rows: list[Row]) -> list[Row]:
    """The rows with q-values among the p-values of each application."""
    from scipy.stats import false_discovery_control  # 0.6 s, and only if something is correlated

    p_at, q_at = map(GRID_CORRELATIONS.column_names.index, ("p_value", "q_value"))
    found = []
    for _, group in groupby(rows, key=lambda row: row[0]):
        own = list(group)
        p_values = [row[p_at] for row in own if row[p_at] is not None]
        rates = iter(false_discovery_control(np.array(p_values)).tolist() if p_values else ())
        found += [
            row if row[p_at] is None else (*row[:q_at], next(rates), *row[q_at + 1 :])
            for row in own
        ]
    return found


GRID_CORRELATIONS_STAGE = PythonStage(
    name="grid_correlations", outputs=(GRID_CORRELATIONS,), compute=correlate_characteristics
)
