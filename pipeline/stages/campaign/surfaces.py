"""Models of the performance surface of every application, and what follows from them."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain

import pyarrow as pa

from tracemill.schemas import surface_scaling, surfaces
from tracemill.stages.arrays import Relation
from tracemill.stages.campaign.rows import Row, rows_as_table
from tracemill.stages.stage import PythonStage

_SETTINGS = "application, size_name, computation_size_expression"
_RUN = "application, campaign_run_id, processes, size, computation_size, time_ns, serial_ns"

_PART = "campaign_run_id, part, call_path_key, time_ns"


def fit_surfaces(
    campaign_settings: Relation,
    representative_runs: Relation,
    path_parts: Relation,
    *,
    efficiency_bounds: str = "0.8, 0.5",
    scaled_size: str = "p",
    size_per_process: str = "",
) -> tuple[pa.Table, ...]:
    """Fit every model to the times of each application, and follow the fitted ones.

    `efficiency_bounds`: numbers separated by commas. `scaled_size`: growth of the amount of
    computation with the processes p, an expression such as p. Raises UsageError for other texts.
    `size_per_process`: a checked expression of p and the size; empty for the amount divided by p.
    """
    # SciPy is loaded only when there is something to fit.
    from tracemill.stages.campaign.surface_indices import index_rows, serial_fraction_rows
    from tracemill.stages.campaign.surface_rows import (
        Part,
        Surveyed,
        TimedRun,
        fit_rows,
        parameter_rows,
        point_rows,
        survey,
        term_rows,
    )
    from tracemill.stages.campaign.surface_scalability import (
        function_rows,
        limit_rows,
        read_bounds,
        read_growth,
    )

    bounds, growth = read_bounds(efficiency_bounds), read_growth(scaled_size)
    runs: dict[str, list[TimedRun]] = defaultdict(list)
    for application, *figures in representative_runs.select(_RUN).order(_RUN).fetchall():
        runs[application].append(TimedRun(*figures))
    parts: dict[int, dict[Part, int]] = defaultdict(dict)
    for run, part, key, time in path_parts.select(_PART).fetchall():
        parts[run][part, key] = time
    settings = campaign_settings.select(_SETTINGS).order("application").fetchall()
    surveyed = [survey(*each, runs=runs[each[0]], times_of_parts=parts) for each in settings]
    rows_of_tables: tuple[Callable[[Surveyed], Iterable[Row]], ...] = (
        fit_rows,
        parameter_rows,
        term_rows,
        point_rows,
        lambda each: index_rows(each, growth, size_per_process),
        lambda each: function_rows(each, growth),
        lambda each: limit_rows(each, growth, bounds),
        serial_fraction_rows,
    )
    return tuple(
        rows_as_table(table, chain.from_iterable(map(rows_of, surveyed)))
        for table, rows_of in zip(SURFACES_STAGE.outputs, rows_of_tables, strict=True)
    )


SURFACES_STAGE = PythonStage(
    name="surfaces",
    outputs=(
        surfaces.SURFACE_FITS,
        surfaces.SURFACE_PARAMETERS,
        surfaces.COMPOSED_TERMS,
        surfaces.SURFACE_POINTS,
        surface_scaling.PERFORMANCE_INDICES,
        surface_scaling.SCALABILITY_FUNCTIONS,
        surface_scaling.SCALABILITY_LIMITS,
        surface_scaling.SERIAL_FRACTIONS,
    ),
    compute=fit_surfaces,
)
