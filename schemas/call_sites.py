"""Call sites of communication: what they cost in each run, and which scale worst."""

from schemas.campaigns import (
    APPLICATION,
    CAMPAIGN_CALL_PATHS,
    CAMPAIGN_RUN_ID,
    RANK,
    SIZE,
    time_column,
)
from schemas.columns import CALL_PATH_KEY, nullable
from schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

NO_RUN = "no run with enough processes communicates"
TOO_FEW_RUNS = "fewer than three runs can be compared"
ONE_PROCESS_COUNT = "all compared runs have the same number of processes"
CONSTANT = "the same value in all compared runs"
REASONS = (NO_RUN, TOO_FEW_RUNS, ONE_PROCESS_COUNT, CONSTANT)
METHODS = ("all permutations", "t approximation")
NO_COEFFICIENT = "there is no coefficient"


def _count(name: str, meaning: str, *, minimum: int = 0) -> Column:
    return Column(name=name, type=INT64, minimum=minimum, meaning=meaning)


def ratio(name: str, meaning: str, *, null_means: str = "", maximum: int | None = None) -> Column:
    """A quotient of two quantities of one unit, at least 0."""
    return Column(
        name=name,
        type=FLOAT64,
        unit="ratio",
        minimum=0,
        maximum=maximum,
        meaning=meaning,
        null_means=null_means,
    )


PROCESS_COUNT = Column(
    name="process_count", type=INT32, minimum=1, meaning="Processes of the run, also silent ones."
)
OPERATION = Column(
    name="operation", type=STRING, meaning="Operation of communication, such as MPI_Wait."
)
TOTAL_NS = time_column("total_ns", "Time in all calls of all processes.")
CALL_COUNT = _count("call_count", "Calls of all processes.", minimum=1)
PER_PROCESS = (
    time_column("shortest_ns", "Least time of a process; 0 if one does not call."),
    time_column("mean_ns", "Mean over all processes of the run, rounded to whole nanoseconds."),
    time_column("longest_ns", "Most time of a process."),
    Column(
        name="longest_to_mean",
        type=FLOAT64,
        unit="ratio",
        minimum=1,
        null_means="the calls took no time",
        meaning="Most time of a process over the mean of all: 1 is perfect balance.",
    ),
)
SHARES = (
    ratio(
        "communication_share",
        "The time as a share of all communication of the run.",
        null_means="communication took no time",
    ),
    ratio(
        "application_share",
        "The time as a share of the time of all processes.",
        null_means="the run took no time",
    ),
)

COUNTED_CALLS = Table(
    name="counted_calls",
    meaning=(
        "Calls that count as communication: all but MPI_Init, MPI_Finalize and their kind, and "
        "those too if the campaign includes them."
    ),
    grain="one row per run, call path of communication that counts and process that calls there",
    key=("campaign_run_id", "call_path_key", "rank"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        RANK,
        OPERATION,
        _count("call_count", "Calls.", minimum=1),
        time_column("total_ns", "Time in all of them."),
        time_column("shortest_ns", "Shortest call."),
        time_column("longest_ns", "Longest call."),
    ),
    is_transient=True,
)

COMMUNICATION_TIMES = Table(
    name="communication_times",
    meaning=(
        "How much of the time of a run its processes communicate: the first view of call sites."
    ),
    grain="one row per run with call sites",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        PROCESS_COUNT,
        time_column("application_ns", "Time of all processes, of the part of the run that counts."),
        time_column(
            "communication_ns",
            "The part of it in calls that count as communication, as call sites have it; as the "
            "processes have it if no call site is known.",
        ),
        ratio(
            "communication_share",
            "Communication as a share of the time of all processes.",
            null_means="the run took no time",
        ),
        time_column("shortest_application_ns", "Least time of a process."),
        time_column("mean_application_ns", "Mean over processes, rounded."),
        time_column("longest_application_ns", "Most time of a process."),
        time_column("shortest_communication_ns", "Least communication of a process."),
        time_column("mean_communication_ns", "Mean over processes, rounded."),
        time_column("longest_communication_ns", "Most communication of a process."),
    ),
)

OPERATION_TIMES = Table(
    name="operation_times",
    meaning="Communication of a run split by operation: the second view of call sites.",
    grain="one row per run and operation that counts as communication",
    key=("campaign_run_id", "operation"),
    columns=(
        CAMPAIGN_RUN_ID,
        OPERATION,
        Column(
            name="call_site_count", type=INT32, minimum=1, meaning="Call sites of the operation."
        ),
        Column(name="caller_count", type=INT32, minimum=1, meaning="Processes that call it."),
        CALL_COUNT,
        TOTAL_NS,
        *PER_PROCESS,
        *SHARES,
    ),
)

CALL_SITE_TIMES = Table(
    name="call_site_times",
    meaning="Communication of a run split by call site: the third view.",
    grain="one row per run and call path that counts as communication",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        OPERATION,
        Column(name="caller_count", type=INT32, minimum=1, meaning="Processes that call there."),
        CALL_COUNT,
        TOTAL_NS,
        *PER_PROCESS,
        time_column("shortest_call_ns", "Shortest call of any process."),
        time_column("mean_call_ns", "Mean of all calls, rounded."),
        time_column("longest_call_ns", "Longest call of any process."),
        *SHARES,
    ),
)

ANY_SIZE = nullable(
    SIZE,
    "runs of all sizes together",
    meaning=(
        "Problem size of the runs. Sizes stand apart where there are several, each with three or "
        "more process counts."
    ),
)
RUN_COUNT = Column(
    name="run_count",
    type=INT32,
    minimum=0,
    meaning="Runs that are compared: those with enough processes, whatever else they differ in.",
)
SMALLEST_PROCESSES = Column(
    name="smallest_processes",
    type=INT32,
    minimum=1,
    unit="processes",
    null_means="no run is compared",
    meaning="Fewest processes of a run that is compared.",
)
LARGEST_PROCESSES = Column(
    name="largest_processes",
    type=INT32,
    minimum=1,
    unit="processes",
    null_means="no run is compared",
    meaning="Most processes of a run that is compared.",
)


def coefficient(name: str, meaning: str, *, null_means: str = "`reason` says why") -> Column:
    """A correlation, from -1 to 1."""
    return Column(
        name=name, type=FLOAT64, minimum=-1, maximum=1, null_means=null_means, meaning=meaning
    )


def probability(name: str, meaning: str) -> Column:
    """A chance from 0 to 1 that goes with a correlation."""
    return Column(
        name=name, type=FLOAT64, minimum=0, maximum=1, null_means=NO_COEFFICIENT, meaning=meaning
    )


METHOD = Column(
    name="p_value_method",
    type=ENUM,
    values=METHODS,
    null_means=NO_COEFFICIENT,
    meaning="How the p-value was found: exactly for up to nine runs.",
)
REASON = Column(
    name="reason",
    type=ENUM,
    values=REASONS,
    null_means="there is a coefficient",
    meaning="Why there is no coefficient.",
)

_PATHS = {column.name: column for column in CAMPAIGN_CALL_PATHS.columns}

CALL_SITE_RANKING = Table(
    name="call_site_ranking",
    meaning=(
        "Which call sites scale worst: Spearman's rank correlation of their share of all "
        "communication with the number of processes. A call site that a run does not visit has "
        "the share 0 there. Runs of fewer than `min_processes` processes, 2 unless told otherwise, "
        "are left out, as are runs without communication."
    ),
    grain="one row per application, size or all sizes, and call site",
    key=("application", "size", "call_path_key"),
    columns=(
        APPLICATION,
        ANY_SIZE,
        CALL_PATH_KEY,
        Column(
            name="rank",
            type=INT32,
            minimum=1,
            meaning=(
                "Position by coefficient from the largest, then by share; those without come last."
            ),
        ),
        _PATHS["call_path"],
        OPERATION,
        _PATHS["place"],
        RUN_COUNT,
        SMALLEST_PROCESSES,
        LARGEST_PROCESSES,
        coefficient(
            "spearman",
            "Rank correlation with average ties: positive where the share grows with processes.",
        ),
        probability(
            "p_value", "Chance of a coefficient as far from 0 if processes made no difference."
        ),
        METHOD,
        probability(
            "perfect_p_value",
            "The same of a perfect correlation over these runs: no p-value and no q-value can be "
            "less.",
        ),
        probability(
            "q_value",
            "Least false discovery rate at which the call site is called significant, among all "
            "of this application and size, after Benjamini and Hochberg.",
        ),
        probability(
            "q_value_any_dependence",
            "The same after Benjamini and Yekutieli, which holds although shares depend on each "
            "other: where one grows, others must shrink.",
        ),
        coefficient(
            "spearman_low",
            "Lower end of the bootstrap interval of the coefficient, from runs drawn again.",
            null_means="below the share guard, or without interval",
        ),
        coefficient(
            "spearman_high",
            "Upper end of the bootstrap interval.",
            null_means="below the share guard, or without interval",
        ),
        ratio("mean_share", "Share of communication, mean over the runs.", null_means=NO_RUN),
        ratio(
            "largest_share",
            "Share of communication at the largest run: with most processes, then of the largest "
            "size; mean over its repetitions.",
            null_means=NO_RUN,
        ),
        Column(
            name="is_above_guard",
            type=BOOL,
            null_means=NO_RUN,
            meaning=(
                "Whether the share at the largest run reaches the guard, 0.01 unless told "
                "otherwise; below it a perfect correlation does not matter."
            ),
        ),
        Column(
            name="largest_imbalance",
            type=FLOAT64,
            unit="ratio",
            minimum=1,
            null_means="no time at the largest run",
            meaning=(
                "Most time of a process over the mean of all at the largest run, in the mean of "
                "those of its repetitions that spend time there: 1 is perfect balance."
            ),
        ),
        REASON,
    ),
)

TABLES = (
    COUNTED_CALLS,
    COMMUNICATION_TIMES,
    OPERATION_TIMES,
    CALL_SITE_TIMES,
    CALL_SITE_RANKING,
)
