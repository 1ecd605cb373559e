"""Growth of metrics and call paths with the number of processes."""

from tracemill.schemas.call_sites import (
    ANY_SIZE,
    LARGEST_PROCESSES,
    METHOD,
    REASON,
    RUN_COUNT,
    SMALLEST_PROCESSES,
    coefficient,
    probability,
)
from tracemill.schemas.campaigns import APPLICATION, CAMPAIGN_RUN_ID, time_column
from tracemill.schemas.columns import CALL_PATH_KEY, METRIC, nullable
from tracemill.schemas.table import ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

WHOLES = ("time of all locations", "critical path")
QUANTITIES = ("exclusive time", "waiting", "critical path")

WHOLE = Column(
    name="share_of",
    type=ENUM,
    values=WHOLES,
    meaning=(
        "Reference of the shares: the time of all locations in all call paths (of all processes if "
        "only communication call sites are available); or the length of the critical path, for "
        "metrics that are parts of it."
    ),
)


def number(name: str, meaning: str, *, unit: str = "ratio", null_means: str = "") -> Column:
    """A floating-point quantity of either sign."""
    return Column(name=name, type=FLOAT64, unit=unit, null_means=null_means, meaning=meaning)


TITLE = Column(
    name="title",
    type=STRING,
    null_means="the metric is not listed in `metrics`",
    meaning="Title of the metric.",
)
COUNTED_CALL_PATHS = Table(
    name="counted_call_paths",
    meaning=(
        "Cost of call paths in a run: all except MPI_Init, MPI_Finalize and similar calls. The "
        "campaign can include these too."
    ),
    grain="one row per run and call path that counts",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        time_column("exclusive_ns", "Time without callees, over all locations."),
        time_column("wait_ns", "Waiting time, part of this time."),
        time_column("critical_path_ns", "Time of the critical path in this call path."),
    ),
    is_transient=True,
)

RUN_TOTALS = Table(
    name="run_totals",
    meaning="Totals over the counted call paths of a run.",
    grain="one row per run with call paths",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        nullable(
            time_column(
                "location_ns",
                "Time of all locations in counted call paths. If only communication call sites are "
                "available, the time of all processes.",
            ),
            "only communication call sites are available",
        ),
        time_column("wait_ns", "Waiting time, part of this time."),
        time_column("critical_path_ns", "Length of the critical path in counted call paths."),
    ),
)

METRIC_TIMES = Table(
    name="metric_times",
    meaning="All time metrics of a run: overheads, wait states and others.",
    grain="one row per run and metric with a value other than zero",
    key=("campaign_run_id", "metric"),
    columns=(
        CAMPAIGN_RUN_ID,
        METRIC,
        Column(
            name="value_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Sum over counted call paths and all locations, with sub-metrics; includes time "
                "outside of all call paths."
            ),
        ),
        WHOLE,
        number("share", "The value as a share of `share_of`.", null_means="the reference is 0"),
    ),
)

NO_FIT = "values above 0 for fewer than two process counts"
_GROWTH = (
    RUN_COUNT,
    SMALLEST_PROCESSES,
    LARGEST_PROCESSES,
    Column(
        name="fitted_count",
        type=INT32,
        minimum=0,
        meaning="Runs with a value above 0. The exponent is fitted to them.",
    ),
    number(
        "growth_exponent",
        "b in c p^b, with a separate factor c for each size, fitted to the sum over all processes "
        "by least squares of logarithms. 0: the total does not grow with processes; 1: the time "
        "per process does not change.",
        unit="",
        null_means=NO_FIT,
    ),
    Column(
        name="growth_error",
        type=FLOAT64,
        minimum=0,
        null_means="no exponent, or a perfect fit of too few runs",
        meaning="Standard error of the exponent.",
    ),
    coefficient(
        "spearman",
        "Rank correlation of the share with the number of processes, with average ranks for ties.",
    ),
    probability(
        "p_value",
        "Probability of a coefficient at least as far from 0 if the number of processes had no "
        "effect.",
    ),
    METHOD,
    number("mean_share", "Mean share over the runs.", null_means="no run"),
    number(
        "smallest_share",
        "Mean share of the runs with the fewest processes, among the runs of the largest size.",
        null_means="no run",
    ),
    number(
        "largest_share",
        "Mean share of the runs with the most processes, among the runs of the largest size.",
        null_means="no run",
    ),
    number(
        "smallest_run_size", "Size of the runs of `smallest_share`.", unit="", null_means="no run"
    ),
    number(
        "largest_run_size", "Size of the runs of `largest_share`.", unit="", null_means="no run"
    ),
    REASON,
)

METRIC_GROWTH = Table(
    name="metric_growth",
    meaning=(
        "Growth of overheads, wait states and other time metrics with the number of processes. A "
        "metric has the share 0 in runs where it is 0. Runs with fewer than `min_processes` "
        "processes (default 2) are left out."
    ),
    grain="one row per application, size or all sizes, and metric",
    key=("application", "size", "metric"),
    columns=(APPLICATION, ANY_SIZE, METRIC, TITLE, WHOLE, *_GROWTH),
)

CALL_PATH_GROWTH = Table(
    name="call_path_growth",
    meaning=(
        "Growth of the time of call paths, of its waiting part, and of their part of the critical "
        "path with the number of processes; for the same runs as `metric_growth`."
    ),
    grain=(
        "one row per application, size or all sizes, quantity, and call path with a non-zero value"
    ),
    key=("application", "size", "quantity", "call_path_key"),
    columns=(
        APPLICATION,
        ANY_SIZE,
        Column(
            name="quantity",
            type=ENUM,
            values=QUANTITIES,
            meaning=(
                "Quantity of the call path, without callees: its time, its waiting (both as shares "
                "of the time of all locations) or its part of the critical path."
            ),
        ),
        CALL_PATH_KEY,
        *_GROWTH,
    ),
)

TABLES = (COUNTED_CALL_PATHS, RUN_TOTALS, METRIC_TIMES, METRIC_GROWTH, CALL_PATH_GROWTH)
