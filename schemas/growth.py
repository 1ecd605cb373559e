"""How metrics and call paths grow with the number of processes."""

from schemas.call_sites import (
    ANY_SIZE,
    LARGEST_PROCESSES,
    METHOD,
    REASON,
    RUN_COUNT,
    SMALLEST_PROCESSES,
    coefficient,
    probability,
)
from schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_RUN_ID,
    time_column,
)
from schemas.columns import CALL_PATH_KEY, METRIC, nullable
from schemas.table import ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

WHOLES = ("time of all locations", "critical path")
QUANTITIES = ("exclusive time", "waiting", "critical path")

WHOLE = Column(
    name="share_of",
    type=ENUM,
    values=WHOLES,
    meaning=(
        "What shares are of: the time of all locations in any call path, or that of all processes "
        "where only call sites of communication are known; or the length of the critical path for "
        "metrics that are parts of it."
    ),
)


def number(name: str, meaning: str, *, unit: str = "ratio", null_means: str = "") -> Column:
    """A quantity with a fraction, of either sign."""
    return Column(name=name, type=FLOAT64, unit=unit, null_means=null_means, meaning=meaning)


TITLE = Column(
    name="title",
    type=STRING,
    null_means="the metric is not listed in `metrics`",
    meaning="The metric's name for people.",
)
COUNTED_CALL_PATHS = Table(
    name="counted_call_paths",
    meaning=(
        "What call paths cost in a run: all but MPI_Init, MPI_Finalize and their kind, and those "
        "too if the campaign includes them."
    ),
    grain="one row per run and call path that counts",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        time_column("exclusive_ns", "Time without callees, of all locations."),
        time_column("wait_ns", "The part of it that was waiting."),
        time_column("critical_path_ns", "The part of the critical path that lies here."),
    ),
    is_transient=True,
)

RUN_TOTALS = Table(
    name="run_totals",
    meaning="What the call paths of a run that count sum up to.",
    grain="one row per run with call paths",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        nullable(
            time_column(
                "location_ns",
                "Time of all locations, in any call path that counts; where only call sites of "
                "communication are known, the time of all processes.",
            ),
            "only call sites of communication are known",
        ),
        time_column("wait_ns", "The part of it that was waiting."),
        time_column("critical_path_ns", "Length of the critical path, in call paths that count."),
    ),
)

METRIC_TIMES = Table(
    name="metric_times",
    meaning="Every metric of time of a run: overheads, wait states and what else there is.",
    grain="one row per run and metric where it is not 0",
    key=("campaign_run_id", "metric"),
    columns=(
        CAMPAIGN_RUN_ID,
        METRIC,
        Column(
            name="value_ns",
            type=INT64,
            unit="ns",
            meaning="Sum over call paths that count and locations, with sub-metrics; also what "
            "happens in no call path.",
        ),
        WHOLE,
        number("share", "The value as a share of the whole.", null_means="the whole is 0"),
    ),
)

NO_FIT = "values above 0 at fewer than two process counts"
_GROWTH = (
    RUN_COUNT,
    SMALLEST_PROCESSES,
    LARGEST_PROCESSES,
    Column(
        name="fitted_count",
        type=INT32,
        minimum=0,
        meaning="Runs where the value is above 0, which make the exponent.",
    ),
    number(
        "growth_exponent",
        "b of c p^b, with a factor of its own for each size, fitted to the sum over all processes "
        "by least squares of logarithms: 0 where p processes share what one would spend, 1 where "
        "each spends as much however many there are.",
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
    coefficient("spearman", "Rank correlation of the share with processes, with average ties."),
    probability(
        "p_value", "Chance of a coefficient as far from 0 if processes made no difference."
    ),
    METHOD,
    number("mean_share", "Share of the whole, mean over the runs.", null_means="no run"),
    number(
        "smallest_share",
        "Share at the runs of fewest processes, among those of the largest size; their mean.",
        null_means="no run",
    ),
    number(
        "largest_share",
        "Share at the runs of most processes, among those of the largest size; their mean.",
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
        "How overheads, wait states and other metrics of time grow with processes. A run where a "
        "metric is 0 counts with the share 0. Runs of fewer than `min_processes` processes, 2 "
        "unless told otherwise, are left out."
    ),
    grain="one row per application, size or all sizes, and metric",
    key=("application", "size", "metric"),
    columns=(APPLICATION, ANY_SIZE, METRIC, TITLE, WHOLE, *_GROWTH),
)

CALL_PATH_GROWTH = Table(
    name="call_path_growth",
    meaning=(
        "How the time of call paths, the part of it that is waiting, and their part of the "
        "critical path grow with processes; for the same runs as `metric_growth`."
    ),
    grain="one row per application, size or all sizes, quantity, and call path where it is not 0",
    key=("application", "size", "quantity", "call_path_key"),
    columns=(
        APPLICATION,
        ANY_SIZE,
        Column(
            name="quantity",
            type=ENUM,
            values=QUANTITIES,
            meaning="Of the call path, without callees: its time, its waiting (both as shares of "
            "the time of all locations) or its part of the critical path.",
        ),
        CALL_PATH_KEY,
        *_GROWTH,
    ),
)

TABLES = (COUNTED_CALL_PATHS, RUN_TOTALS, METRIC_TIMES, METRIC_GROWTH, CALL_PATH_GROWTH)
