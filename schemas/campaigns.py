"""Runs of a campaign: configurations, times, and the cost of each call path."""

from tracemill.schemas.columns import CALL_PATH_KEY, LOCATION_ID, METRIC, nullable, renamed
from tracemill.schemas.delays import DELAY_KIND
from tracemill.schemas.overheads import OVERHEAD_ID
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

FAILED = "the run failed, or only its efficiency is available"

STATES = ("measured", "failed", "out of memory")
INTERVALS = ("between MPI_Init and MPI_Finalize", "whole run", "as given")
SCALINGS = ("fixed size", "scaled size", "both")
NAMINGS = ("told", "names of traces")
EFFICIENCIES = ("as given", "attainable performance", "speed-up over the smallest run")

CAMPAIGN_RUN_ID = Column(
    name="campaign_run_id",
    type=INT32,
    minimum=0,
    meaning=(
        "Run of the campaign, numbered by application, processes, threads, size, other parameters "
        "and repetition."
    ),
)
APPLICATION = Column(name="application", type=STRING, meaning="Name of the program.")
PROCESSES = Column(
    name="processes", type=INT32, minimum=1, meaning="Number of processes.", unit="processes"
)
THREADS = Column(name="threads", type=INT32, minimum=1, meaning="Threads per process.")
SIZE = Column(name="size", type=FLOAT64, meaning="Problem size in the campaign; 1 if not declared.")
COMPUTATION_SIZE = Column(
    name="computation_size",
    type=FLOAT64,
    minimum=0,
    meaning=(
        "Amount of computation: the campaign's expression of the size, such as n**3; the size "
        "itself if not declared."
    ),
)
RANK = Column(name="rank", type=INT32, minimum=0, meaning="Rank in MPI_COMM_WORLD.")


def time_column(name: str, meaning: str) -> Column:
    """A duration in nanoseconds."""
    return Column(name=name, type=INT64, unit="ns", minimum=0, meaning=meaning)


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

CAMPAIGN_SETTINGS = Table(
    name="campaign_settings",
    meaning="Settings of an application: declared in the campaign, or derived.",
    grain="one row per application",
    key=("application",),
    columns=(
        APPLICATION,
        Column(
            name="named_by",
            type=ENUM,
            values=NAMINGS,
            meaning=(
                "Source of the application's name: an option, a file, a pattern or the "
                "measurements (told); or only the names of the traces and their folders."
            ),
        ),
        Column(name="size_name", type=STRING, meaning="Name of the problem size, such as n."),
        Column(
            name="computation_size_expression",
            type=STRING,
            meaning="Amount of computation as an expression of the size, such as n**3.",
        ),
        Column(name="timed_part", type=ENUM, values=INTERVALS, meaning="Measured part of the run."),
        Column(
            name="scaling",
            type=ENUM,
            values=SCALINGS,
            meaning="Relation between problem sizes and processes.",
        ),
        Column(
            name="efficiency_definition",
            type=ENUM,
            values=EFFICIENCIES,
            meaning=(
                "Definition of efficiency: given with the measurements; or computation size per "
                "second and process divided by the attainable performance; or the speed-up over "
                "the smallest run of the same size divided by the ratio of processes."
            ),
        ),
        Column(
            name="attainable_per_second",
            type=FLOAT64,
            minimum=0,
            null_means="not declared",
            meaning="Largest computation size that one process can handle per second.",
        ),
        Column(
            name="is_setup_included",
            type=BOOL,
            meaning="Whether MPI_Init and MPI_Finalize count as communication.",
        ),
        Column(
            name="are_sites_joined",
            type=BOOL,
            meaning=(
                "Whether calls of a region by one caller are one call path, because some runs lack "
                "call sites."
            ),
        ),
    ),
)

CAMPAIGN_RUNS = Table(
    name="campaign_runs",
    meaning="Runs of the campaign, including failed ones: configuration, time and state.",
    grain="one row per run",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        APPLICATION,
        PROCESSES,
        THREADS,
        SIZE,
        COMPUTATION_SIZE,
        Column(
            name="variant",
            type=STRING,
            meaning="Other parameters as name=value, sorted by name; empty if there are none.",
        ),
        Column(
            name="repetition",
            type=INT32,
            minimum=1,
            meaning="Repetition of the configuration, from 1.",
        ),
        Column(
            name="run_id",
            type=STRING,
            null_means="measured without a trace, or failed",
            meaning="Analyzed run in the store.",
        ),
        Column(
            name="label", type=STRING, meaning="Name of the trace, or position of the measurement."
        ),
        Column(name="state", type=ENUM, values=STATES, meaning="Outcome of the run."),
        Column(
            name="reason",
            type=STRING,
            null_means="the run was measured",
            meaning="Reason of the failure.",
        ),
        nullable(time_column("time_ns", "Elapsed time of the measured part of the run."), FAILED),
        nullable(
            time_column("whole_time_ns", "Elapsed time from the first to the last record."),
            "measured without a trace, or failed",
        ),
        nullable(
            time_column(
                "serial_ns",
                "Time of the main part in which exactly one of several threads computes: the "
                "measured serial part.",
            ),
            "measured without a trace, or with setup; failed; or a single thread",
        ),
        Column(
            name="perturbed_ratio",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            null_means="measured without a trace; failed; or the cost of a record is not known",
            meaning=(
                "Cost of records and flushes as a share of the main part of all threads, see "
                "`run_perturbation`."
            ),
        ),
        Column(
            name="given_efficiency",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            null_means="not given",
            meaning="Efficiency given with the measurement.",
        ),
    ),
)

RUN_PARAMETERS = Table(
    name="run_parameters",
    meaning="Parameters of runs except processes, threads, size and repetition.",
    grain="one row per run and parameter",
    key=("campaign_run_id", "name"),
    columns=(
        CAMPAIGN_RUN_ID,
        Column(name="name", type=STRING, meaning="Name of the parameter."),
        Column(name="value", type=STRING, meaning="Value as text."),
    ),
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

RUN_MONITORING = Table(
    name="run_monitoring",
    meaning="Characteristics of runs from a file of monitoring data.",
    grain="one row per run and characteristic",
    key=("campaign_run_id", "characteristic"),
    columns=(
        CAMPAIGN_RUN_ID,
        Column(name="characteristic", type=STRING, meaning="Name, as in the file."),
        Column(name="value", type=FLOAT64, meaning="Value of the run."),
        Column(name="unit", type=STRING, meaning="Unit, as in the file; may be empty."),
        Column(name="line", type=INT32, minimum=1, meaning="Line in the file."),
    ),
)

TABLES: tuple[Table, ...] = (
    CAMPAIGN_SETTINGS,
    CAMPAIGN_RUNS,
    RUN_PARAMETERS,
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
    RUN_MONITORING,
)
"""Data collected from the runs, beside RUN_EFFICIENCIES; other tables are computed from it."""
