"""Cost of the runs of a campaign: by process, thread, call path, metric, cause and counter."""

from tracemill.schemas.campaigns import CAMPAIGN_RUN_ID, RANK, time_column
from tracemill.schemas.columns import CALL_PATH_KEY, LOCATION_ID, METRIC, nullable, renamed
from tracemill.schemas.delays import DELAY_KIND
from tracemill.schemas.overheads import OVERHEAD_ID
from tracemill.schemas.table import BOOL, FLOAT64, INT32, INT64, STRING, Column, Table


def _count(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT64, minimum=0, meaning=meaning)


def _counted(name: str) -> Column:
    return Column(
        name=name,
        type=FLOAT64,
        null_means="not counted for nearly all of the time",
        meaning=f"Counted {name}.",
    )


CAUSED_NS = (
    time_column("direct_ns", "Waiting of those that waited for it."),
    time_column("passed_on_ns", "Waiting of others for these, because they waited."),
)

PARTICIPANT_COUNT = Column(
    name="participant_count",
    type=INT32,
    minimum=1,
    meaning="Number of threads that visit the call path anywhere in the run.",
)
LOST_NS = (
    time_column("alone_ns", "Time lost by all others while only this call path computes."),
    time_column("with_others_ns", "Share of the time lost while others compute, too."),
)

RUN_TASKS = Table(
    name="run_tasks",
    meaning="Times of the processes of a run.",
    grain="one row per run with call sites, and process",
    key=("campaign_run_id", "rank"),
    columns=(
        CAMPAIGN_RUN_ID,
        RANK,
        time_column("time_ns", "Elapsed time of the measured part of the run."),
        time_column("communication_ns", "Time in communication calls, part of `time_ns`."),
    ),
)

CAMPAIGN_CALL_PATHS = Table(
    name="campaign_call_paths",
    meaning="Call paths that any run of the campaign visited.",
    grain="one row per call path",
    key=("call_path_key",),
    columns=(
        CALL_PATH_KEY,
        renamed(
            CALL_PATH_KEY,
            "parent_call_path_key",
            "Call path of the caller.",
            null_means="it is a root",
        ),
        Column(name="call_path", type=STRING, meaning="Region names from the root."),
        Column(name="region", type=STRING, meaning="Name of the last region."),
        Column(name="depth", type=INT32, minimum=0, meaning="Number of callers above."),
        Column(
            name="place",
            type=STRING,
            null_means="not available",
            meaning="Call site, or else first line of the region or of its caller: file:line.",
        ),
        Column(
            name="operation",
            type=STRING,
            null_means="not a communication operation",
            meaning="Communication operation, such as MPI_Wait.",
        ),
        Column(
            name="is_setup",
            type=BOOL,
            meaning="Starts or ends MPI or its threads, as MPI_Init and MPI_Finalize do.",
        ),
    ),
)

RUN_CALL_PATHS = Table(
    name="run_call_paths",
    meaning="Cost of a call path in a run, over all processes.",
    grain="one row per run and call path with visits at or below it",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        _count("visit_count", "Visits."),
        time_column("inclusive_ns", "Time with callees, over all locations."),
        time_column("exclusive_ns", "Time without callees, over all locations."),
        Column(
            name="process_count",
            type=INT32,
            minimum=0,
            meaning=(
                "Processes that visit the call path; 0 for nodes without own visits above tasks or "
                "threads."
            ),
        ),
        time_column(
            "shortest_ns",
            "Shortest exclusive time of a process; 0 if a process does not visit the call path.",
        ),
        time_column("longest_ns", "Longest exclusive time of a process."),
        time_column("wait_ns", "Waiting time, part of the exclusive time."),
        time_column(
            "critical_path_ns",
            "Time of the critical path in this call path, within the measured part of the run.",
        ),
    ),
)

CALL_SITE_TASKS = Table(
    name="call_site_tasks",
    meaning="Communication calls per call site and process, as in an MPI profiler.",
    grain="one row per run, communication call path, and process that calls it",
    key=("campaign_run_id", "call_path_key", "rank"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        RANK,
        _count("call_count", "Calls."),
        time_column("total_ns", "Total time of the calls."),
        time_column("shortest_ns", "Shortest call."),
        time_column("longest_ns", "Longest call."),
    ),
)

RUN_METRICS = Table(
    name="run_metrics",
    meaning="All time metrics per call path of a run, summed over locations.",
    grain="one row per run, metric, and call path with a non-zero value",
    key=("campaign_run_id", "metric", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        METRIC,
        renamed(
            CALL_PATH_KEY,
            "call_path_key",
            "Hash of the region names along the call path; 0 for time outside of all call paths.",
        ),
        Column(
            name="value_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Value with sub-metrics and without callees, including extended wait states (not "
                "in Scalasca)."
            ),
        ),
    ),
)

RUN_CAUSES = Table(
    name="run_causes",
    meaning="Causes of waiting in a run: the waiting that a call path of a process brought about.",
    grain="one row per run, causing call path and process, and kind of waiting that it caused",
    key=("campaign_run_id", "kind", "call_path_key", "rank"),
    columns=(CAMPAIGN_RUN_ID, DELAY_KIND, CALL_PATH_KEY, RANK, *CAUSED_NS),
)

RUN_LOSSES = Table(
    name="run_losses",
    meaning=(
        "Lost parallelism of a run: time that threads lose in the main part while code computes "
        "that not all threads take part in."
    ),
    grain="one row per run and call path that computes while others lose time",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        nullable(
            RANK,
            "several processes visit it",
            meaning="The only process that visits the call path.",
        ),
        PARTICIPANT_COUNT,
        *LOST_NS,
    ),
)

RUN_THREADS = Table(
    name="run_threads",
    meaning="CPU threads of a run, with the class of their time outside of region visits.",
    grain="one row per analyzed run and CPU thread",
    key=("campaign_run_id", "location_id"),
    columns=(
        CAMPAIGN_RUN_ID,
        LOCATION_ID,
        Column(name="is_first", type=BOOL, meaning="First thread of its process."),
        time_column("main_ns", "Elapsed time of the main part of the run."),
        OVERHEAD_ID,
    ),
)

RUN_THREAD_TIMES = Table(
    name="run_thread_times",
    meaning="Exclusive time of call paths on each thread in the main part of a run.",
    grain="one row per analyzed run, call path, and CPU thread that visits it",
    key=("campaign_run_id", "call_path_key", "location_id"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        LOCATION_ID,
        OVERHEAD_ID,
        time_column("time_ns", "Exclusive time."),
        _count("possible_count", "Threads that could take part; 0 if not known."),
        _counted("instructions"),
        _counted("cycles"),
    ),
)

RUN_LOSSES_BY_CLASS = Table(
    name="run_losses_by_class",
    meaning="Time that other threads lose while a call path of a run computes.",
    grain="one row per analyzed run, computing call path, and classes before and after moving",
    key=("campaign_run_id", "call_path_key", "overhead_id", "moved_to_overhead_id"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        OVERHEAD_ID,
        renamed(
            OVERHEAD_ID,
            "moved_to_overhead_id",
            "Class that the loss belongs to: unparallelised or partially parallelised code, or "
            "else that of the losing threads.",
        ),
        time_column("lost_ns", "Lost time, of all threads."),
    ),
)

RUN_COUNTERS = Table(
    name="run_counters",
    meaning="Counters and derived counters of the call paths of a run, over all locations.",
    grain="one row per analyzed run, call path and counter or derived counter with known values",
    key=("campaign_run_id", "call_path_key", "counter", "is_derived"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        Column(name="counter", type=STRING, meaning="Name of the counter."),
        Column(name="is_derived", type=BOOL, meaning="Derived from counters of the trace."),
        Column(name="unit", type=STRING, meaning="Unit of the value."),
        Column(
            name="value",
            type=FLOAT64,
            null_means="the denominator is 0",
            meaning="Value without callees: a sum, a ratio of sums, or a mean over time.",
        ),
        Column(
            name="per_second",
            type=FLOAT64,
            null_means="the value is no sum, or not known for any time",
            meaning="Value per second of a location.",
        ),
        Column(name="numerator", type=FLOAT64, meaning="Sum, or numerator of the value."),
        Column(
            name="denominator",
            type=FLOAT64,
            null_means="the value is a sum",
            meaning="Denominator of the value.",
        ),
        time_column("covered_ns", "Time of all locations for which values are known."),
    ),
)

TABLES: tuple[Table, ...] = (
    RUN_TASKS,
    CAMPAIGN_CALL_PATHS,
    RUN_CALL_PATHS,
    CALL_SITE_TASKS,
    RUN_METRICS,
    RUN_CAUSES,
    RUN_THREADS,
    RUN_THREAD_TIMES,
    RUN_LOSSES_BY_CLASS,
    RUN_LOSSES,
    RUN_COUNTERS,
)
"""What analyzed and measured runs cost, beside RUN_EFFICIENCIES; campaigns compute from it."""
