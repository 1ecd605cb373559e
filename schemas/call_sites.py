"""Communication call sites: their cost in each run, and which of them scale worst."""

from tracemill.schemas.campaign_costs import CAMPAIGN_CALL_PATHS
from tracemill.schemas.campaigns import APPLICATION, CAMPAIGN_RUN_ID, RANK, SIZE, time_column
from tracemill.schemas.columns import CALL_PATH_KEY, nullable
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

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
    """A ratio of two quantities with the same unit, at least 0."""
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
    name="process_count",
    type=INT32,
    minimum=1,
    meaning="Processes of the run, including processes without communication.",
)
OPERATION = Column(
    name="operation", type=STRING, meaning="Communication operation, such as MPI_Wait."
)
TOTAL_NS = time_column("total_ns", "Total time of all calls in all processes.")
CALL_COUNT = _count("call_count", "Calls in all processes.", minimum=1)
PER_PROCESS = (
    time_column("shortest_ns", "Shortest total time of a process; 0 if a process makes no call."),
    time_column("mean_ns", "Mean over all processes of the run, rounded to whole nanoseconds."),
    time_column("longest_ns", "Longest total time of a process."),
    Column(
        name="longest_to_mean",
        type=FLOAT64,
        unit="ratio",
        minimum=1,
        null_means="the calls took no time",
        meaning="Longest total time of a process divided by the mean: 1 is perfect balance.",
    ),
)
SHARES = (
    ratio(
        "communication_share",
        "Share of all communication time of the run.",
        null_means="the run has no communication time",
    ),
    ratio(
        "application_share",
        "Share of the total time of all processes.",
        null_means="the run has no time",
    ),
)

COUNTED_CALLS = Table(
    name="counted_calls",
    meaning=(
        "Calls that count as communication: all except MPI_Init, MPI_Finalize and similar calls. "
        "The campaign can include these too."
    ),
    grain="one row per run, counted call path of communication, and calling process",
    key=("campaign_run_id", "call_path_key", "rank"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        RANK,
        OPERATION,
        _count("call_count", "Calls.", minimum=1),
        time_column("total_ns", "Total time of the calls."),
        time_column("shortest_ns", "Shortest call."),
        time_column("longest_ns", "Longest call."),
    ),
    is_transient=True,
)

COMMUNICATION_TIMES = Table(
    name="communication_times",
    meaning="Communication share of each run: the first view of call sites.",
    grain="one row per run with call sites",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        PROCESS_COUNT,
        time_column(
            "application_ns", "Total time of all processes in the measured part of the run."
        ),
        time_column(
            "communication_ns",
            "Time in calls that count as communication, from call sites; from the processes if no "
            "call sites are available.",
        ),
        ratio(
            "communication_share",
            "Communication as a share of the total time of all processes.",
            null_means="the run has no time",
        ),
        time_column("shortest_application_ns", "Shortest time of a process."),
        time_column("mean_application_ns", "Mean over all processes, rounded."),
        time_column("longest_application_ns", "Longest total time of a process."),
        time_column("shortest_communication_ns", "Shortest communication time of a process."),
        time_column("mean_communication_ns", "Mean over all processes, rounded."),
        time_column("longest_communication_ns", "Longest communication time of a process."),
    ),
)

OPERATION_TIMES = Table(
    name="operation_times",
    meaning="Communication of a run by operation: the second view of call sites.",
    grain="one row per run and operation that counts as communication",
    key=("campaign_run_id", "operation"),
    columns=(
        CAMPAIGN_RUN_ID,
        OPERATION,
        Column(
            name="call_site_count", type=INT32, minimum=1, meaning="Call sites of the operation."
        ),
        Column(
            name="caller_count", type=INT32, minimum=1, meaning="Processes that call the operation."
        ),
        CALL_COUNT,
        TOTAL_NS,
        *PER_PROCESS,
        *SHARES,
    ),
)

CALL_SITE_TIMES = Table(
    name="call_site_times",
    meaning="Communication of a run by call site: the third view.",
    grain="one row per run and call path that counts as communication",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        OPERATION,
        Column(
            name="caller_count",
            type=INT32,
            minimum=1,
            meaning="Processes that make calls at this call site.",
        ),
        CALL_COUNT,
        TOTAL_NS,
        *PER_PROCESS,
        time_column("shortest_call_ns", "Shortest call in any process."),
        time_column("mean_call_ns", "Mean of all calls, rounded."),
        time_column("longest_call_ns", "Longest call in any process."),
        *SHARES,
    ),
)

ANY_SIZE = nullable(
    SIZE,
    "runs of all sizes together",
    meaning=(
        "Problem size of the runs. Each size has its own rows if there are several sizes with at "
        "least three process counts."
    ),
)
RUN_COUNT = Column(
    name="run_count",
    type=INT32,
    minimum=0,
    meaning=(
        "Compared runs: all runs with enough processes, even if they differ in other parameters."
    ),
)
SMALLEST_PROCESSES = Column(
    name="smallest_processes",
    type=INT32,
    minimum=1,
    unit="processes",
    null_means="no run is compared",
    meaning="Smallest number of processes of a compared run.",
)
LARGEST_PROCESSES = Column(
    name="largest_processes",
    type=INT32,
    minimum=1,
    unit="processes",
    null_means="no run is compared",
    meaning="Largest number of processes of a compared run.",
)


def coefficient(name: str, meaning: str, *, null_means: str = "see `reason`") -> Column:
    """A correlation coefficient, from -1 to 1."""
    return Column(
        name=name, type=FLOAT64, minimum=-1, maximum=1, null_means=null_means, meaning=meaning
    )


def probability(name: str, meaning: str) -> Column:
    """A probability from 0 to 1 that belongs to a correlation."""
    return Column(
        name=name, type=FLOAT64, minimum=0, maximum=1, null_means=NO_COEFFICIENT, meaning=meaning
    )


METHOD = Column(
    name="p_value_method",
    type=ENUM,
    values=METHODS,
    null_means=NO_COEFFICIENT,
    meaning="Method of the p-value: exact for up to nine runs.",
)
REASON = Column(
    name="reason",
    type=ENUM,
    values=REASONS,
    null_means="there is a coefficient",
    meaning="Reason for a missing coefficient.",
)

_PATHS = {column.name: column for column in CAMPAIGN_CALL_PATHS.columns}

CALL_SITE_RANKING = Table(
    name="call_site_ranking",
    meaning=(
        "Call sites ranked by scaling: Spearman's rank correlation between their share of all "
        "communication and the number of processes. A call site has the share 0 in runs that do "
        "not visit it. Runs without communication, and runs with fewer than `min_processes` "
        "processes (default 2), are left out."
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
                "Rank by coefficient, largest first, then by share; rows without a coefficient "
                "come last."
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
            "Rank correlation with average ranks for ties: positive if the share grows with the "
            "number of processes.",
        ),
        probability(
            "p_value",
            "Probability of a coefficient at least as far from 0 if the number of processes had no "
            "effect.",
        ),
        METHOD,
        probability(
            "perfect_p_value",
            "p-value of a perfect correlation over these runs: the lower limit of all p-values and "
            "q-values.",
        ),
        probability(
            "q_value",
            "Smallest false discovery rate at which the call site is significant, among all call "
            "sites of this application and size (Benjamini and Hochberg).",
        ),
        probability(
            "q_value_any_dependence",
            "The same after Benjamini and Yekutieli. It is valid for dependent shares: if one "
            "share grows, others must shrink.",
        ),
        coefficient(
            "spearman_low",
            "Lower end of the bootstrap interval of the coefficient, from resampled runs.",
            null_means="the share is below share_guard, or there is no interval",
        ),
        coefficient(
            "spearman_high",
            "Upper end of the bootstrap interval.",
            null_means="the share is below share_guard, or there is no interval",
        ),
        ratio("mean_share", "Share of communication, mean over the runs.", null_means=NO_RUN),
        ratio(
            "largest_share",
            "Share of communication in the largest run: largest number of processes, then largest "
            "size. Mean over its repetitions.",
            null_means=NO_RUN,
        ),
        Column(
            name="is_above_guard",
            type=BOOL,
            null_means=NO_RUN,
            meaning=(
                "Whether the share in the largest run reaches share_guard (default 0.01). Below "
                "it, even a perfect correlation is not important."
            ),
        ),
        Column(
            name="largest_imbalance",
            type=FLOAT64,
            unit="ratio",
            minimum=1,
            null_means="no time in the largest run",
            meaning=(
                "Longest time of a process divided by the mean over all processes, in the largest "
                "run: 1 is perfect balance. Mean over the repetitions that spend time there."
            ),
        ),
        REASON,
    ),
)

TABLES = (COUNTED_CALLS, COMMUNICATION_TIMES, OPERATION_TIMES, CALL_SITE_TIMES, CALL_SITE_RANKING)
