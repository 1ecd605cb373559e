"""Searches for the best grid, rankings of variants, and forecasts beside measurements."""

import pyarrow as pa
import pyarrow.compute as pc

from tracemill.schemas.columns import nullable
from tracemill.schemas.forecasts import CLUSTER, GRID, PROCESSES, PROGRAM, VARIANT, time_column
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, STRING, Column, Rule, Table

FATES = ("empty process", "class", "bound", "evaluated")
PARAMETERS = ("given", "fitted")

_NOT_EVALUATED = "not evaluated"
_NO_MPI = "time in MPI was not compared"
_REPLAY = "replay of a run"

SEARCH_ID = Column(
    name="search_id",
    type=STRING,
    meaning=(
        "Hash of the program, the variant, the cluster and the limits of the search. Equal "
        "searches have the same."
    ),
)
RANKING_ID = Column(
    name="ranking_id",
    type=STRING,
    meaning="Hash of all searches of the ranking. Equal rankings have the same.",
)
MAX_PROCESSES = Column(
    name="max_processes", type=INT32, minimum=1, meaning="Most processes of a grid."
)
MIN_EFFICIENCY = Column(
    name="min_efficiency_ratio",
    type=FLOAT64,
    unit="ratio",
    minimum=0,
    meaning="Least efficiency of the best grid.",
)
IS_EXACT = Column(
    name="is_exact", type=BOOL, meaning="Whether grids have exactly `max_processes` processes."
)


def _ratio(name: str, meaning: str, *, minimum: float | None = 0, null_means: str = "") -> Column:
    return Column(
        name=name,
        type=FLOAT64,
        unit="ratio",
        minimum=minimum,
        meaning=meaning,
        null_means=null_means,
    )


def _is_known_where_evaluated(table: pa.Table) -> pa.ChunkedArray:
    evaluated = pc.equal(table["fate"].cast(STRING), "evaluated")
    return pc.equal(evaluated, pc.is_valid(table["time_ns"]))


GRID_SEARCH = Table(
    name="grid_search",
    meaning="Grids of searches for the best grid of a program on a cluster.",
    grain="one row per search and grid",
    key=("search_id", "grid"),
    columns=(
        SEARCH_ID,
        PROGRAM,
        VARIANT,
        CLUSTER,
        MAX_PROCESSES,
        MIN_EFFICIENCY,
        IS_EXACT,
        GRID,
        PROCESSES,
        _ratio(
            "evenness_ratio",
            "Smallest part of the largest array divided by the largest part, in the least even "
            "extent; 0 if a process has no part.",
        ),
        Column(
            name="fate",
            type=ENUM,
            values=FATES,
            meaning=(
                "Dropped because a process has no part of the largest array (empty process), "
                "because of other grids that differ in one dimension only (class), or because "
                "computing alone takes longer than the best time found (bound); or evaluated."
            ),
        ),
        Column(
            name="step",
            type=INT32,
            minimum=0,
            meaning="Step of the search that decided; 0 for grids with an empty process.",
        ),
        time_column("bound_ns", "Computing time of the process that computes longest."),
        nullable(time_column("time_ns", "Run time."), _NOT_EVALUATED),
        _ratio(
            "efficiency_ratio",
            "Productive time divided by run time and number of processes.",
            null_means=_NOT_EVALUATED,
        ),
    ),
    rules=(Rule("times_are_known_where_evaluated", _is_known_where_evaluated),),
)

VARIANT_RANKING = Table(
    name="variant_ranking",
    meaning="Variants of programs on clusters, each on its best grid.",
    grain="one row per ranking, cluster, `max_processes`, program and variant",
    key=("ranking_id", "cluster", "max_processes", "program", "variant"),
    columns=(
        RANKING_ID,
        CLUSTER,
        MAX_PROCESSES,
        PROGRAM,
        VARIANT,
        MIN_EFFICIENCY,
        IS_EXACT,
        Column(
            name="rank",
            type=INT32,
            minimum=1,
            meaning="Rank by run time on this cluster; equal times have equal ranks.",
        ),
        GRID,
        PROCESSES,
        time_column("time_ns", "Run time on the best grid."),
        _ratio("of_best_ratio", "Run time divided by that of the best variant.", minimum=1),
        _ratio("efficiency_ratio", "Productive time divided by run time and number of processes."),
        Column(
            name="nearly_best_processes",
            type=INT32,
            minimum=1,
            meaning=(
                "Fewest processes of an evaluated grid whose run time is at most 5 % above that of "
                "the best grid."
            ),
        ),
        Column(
            name="evaluated_count",
            type=INT32,
            unit="grids",
            minimum=1,
            meaning="Number of simulated grids.",
        ),
        _ratio(
            "possible_loss_ratio",
            "Share of the run time that a grid dropped because of other grids can save at most.",
        ),
    ),
)

FORECAST_ERRORS = Table(
    name="forecast_errors",
    meaning="Forecast and measured times of programs and of replayed runs.",
    grain="one row per forecast, measurement and interval",
    key=("error_id",),
    columns=(
        Column(
            name="error_id",
            type=STRING,
            meaning="Hash of all columns but cluster_hash, version and source.",
        ),
        nullable(PROGRAM, _REPLAY),
        Column(
            name="run_id",
            type=STRING,
            null_means="the measurement has no trace in this store",
            meaning="Measured run.",
        ),
        nullable(VARIANT, _REPLAY),
        CLUSTER,
        Column(
            name="cluster_hash",
            type=STRING,
            null_means="only the name of the cluster is known",
            meaning="Hash of the description of the cluster.",
        ),
        PROCESSES,
        Column(
            name="interval",
            type=STRING,
            meaning="Interval of the program or run; `program` is the whole program.",
        ),
        time_column("forecast_ns", "Forecast time of the interval."),
        time_column("measured_ns", "Measured time of the interval."),
        _ratio("error_ratio", "Forecast divided by measured time, minus 1.", minimum=-1),
        nullable(time_column("mpi_forecast_ns", "Forecast time in MPI."), _NO_MPI),
        nullable(time_column("mpi_measured_ns", "Measured time in MPI."), _NO_MPI),
        _ratio(
            "mpi_error_ratio",
            "Forecast divided by measured time in MPI, minus 1.",
            minimum=-1,
            null_means=f"{_NO_MPI}, or there was none",
        ),
        Column(
            name="parameters",
            type=ENUM,
            values=PARAMETERS,
            meaning="Whether the cluster was given, or fitted to the run.",
        ),
        Column(name="version", type=STRING, meaning="Version of Tracemill that recorded the row."),
        Column(
            name="source",
            type=STRING,
            meaning="Source of the measurement: name of a file or of a run, or given.",
        ),
    ),
)

TABLES: tuple[Table, ...] = (GRID_SEARCH, VARIANT_RANKING, FORECAST_ERRORS)
