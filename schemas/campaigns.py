"""What a campaign knows of its runs: configurations, times, and what each call path costs."""

from schemas.columns import CALL_PATH_KEY, METRIC, nullable, renamed
from schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

FAILED = "the run failed, or only its efficiency is known"

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
        "Run of the campaign, numbered by application, processes, threads, size, other "
        "parameters and repetition."
    ),
)
APPLICATION = Column(name="application", type=STRING, meaning="Program that was run.")
PROCESSES = Column(
    name="processes", type=INT32, minimum=1, meaning="Processes the run had.", unit="processes"
)
SIZE = Column(
    name="size",
    type=FLOAT64,
    meaning="Problem size as the campaign states it; 1 where it states none.",
)
COMPUTATION_SIZE = Column(
    name="computation_size",
    type=FLOAT64,
    minimum=0,
    meaning=(
        "Amount of computation: the campaign's expression of the size, such as n**3; the size "
        "itself where it states none."
    ),
)
RANK = Column(name="rank", type=INT32, minimum=0, meaning="Rank in MPI_COMM_WORLD.")


def time_column(name: str, meaning: str) -> Column:
    """A duration in nanoseconds."""
    return Column(name=name, type=INT64, unit="ns", minimum=0, meaning=meaning)


def _count(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT64, minimum=0, meaning=meaning)


CAMPAIGN_SETTINGS = Table(
    name="campaign_settings",
    meaning="What the campaign declares about an application, and what follows where it does not.",
    grain="one row per application",
    key=("application",),
    columns=(
        APPLICATION,
        Column(
            name="named_by",
            type=ENUM,
            values=NAMINGS,
            meaning=(
                "What tells that runs are of this program: an option, a file, a pattern or the "
                "measurements; or only how their traces and the folders above are called."
            ),
        ),
        Column(name="size_name", type=STRING, meaning="Name of the problem size, such as n."),
        Column(
            name="computation_size_expression",
            type=STRING,
            meaning="Amount of computation as an expression of the size, such as n**3.",
        ),
        Column(
            name="timed_part", type=ENUM, values=INTERVALS, meaning="Part of the run that counts."
        ),
        Column(name="scaling", type=ENUM, values=SCALINGS, meaning="How sizes go with processes."),
        Column(
            name="efficiency_definition",
            type=ENUM,
            values=EFFICIENCIES,
            meaning=(
                "Efficiency is given with the measurements; or computation size per second and "
                "process over the attainable performance; or the speed-up over the smallest run of "
                "the same size by the ratio of processes."
            ),
        ),
        Column(
            name="attainable_per_second",
            type=FLOAT64,
            minimum=0,
            null_means="not declared",
            meaning="Computation size that one process could do in a second at best.",
        ),
        Column(
            name="is_setup_included",
            type=BOOL,
            meaning="Whether MPI_Init and MPI_Finalize count as communication.",
        ),
    ),
)

CAMPAIGN_RUNS = Table(
    name="campaign_runs",
    meaning="Runs of the campaign, also those that failed: configuration, time and state.",
    grain="one row per run",
    key=("campaign_run_id",),
    columns=(
        CAMPAIGN_RUN_ID,
        APPLICATION,
        PROCESSES,
        Column(name="threads", type=INT32, minimum=1, meaning="Threads per process."),
        SIZE,
        COMPUTATION_SIZE,
        Column(
            name="variant",
            type=STRING,
            meaning="Other parameters as name=value, by name; empty if there are none.",
        ),
        Column(
            name="repetition",
            type=INT32,
            minimum=1,
            meaning="Which run of its configuration, from 1.",
        ),
        Column(
            name="run_id",
            type=STRING,
            null_means="measured without a trace, or failed",
            meaning="The analysed run in the store.",
        ),
        Column(
            name="label", type=STRING, meaning="Name of the trace, or place of the measurement."
        ),
        Column(name="state", type=ENUM, values=STATES, meaning="What became of the run."),
        Column(name="reason", type=STRING, null_means="it was measured", meaning="Why it failed."),
        nullable(
            time_column("time_ns", "Elapsed time of the part of the run that counts."), FAILED
        ),
        nullable(
            time_column("whole_time_ns", "Elapsed time from the first record to the last."),
            "measured without a trace, or failed",
        ),
        Column(
            name="given_efficiency",
            type=FLOAT64,
            unit="ratio",
            minimum=0,
            null_means="not given",
            meaning="Efficiency that was given with the measurement.",
        ),
    ),
)

RUN_PARAMETERS = Table(
    name="run_parameters",
    meaning="Parameters of runs besides processes, threads, size and repetition.",
    grain="one row per run and parameter",
    key=("campaign_run_id", "name"),
    columns=(
        CAMPAIGN_RUN_ID,
        Column(name="name", type=STRING, meaning="Name of the parameter."),
        Column(name="value", type=STRING, meaning="Its value as text."),
    ),
)

RUN_TASKS = Table(
    name="run_tasks",
    meaning="How long the processes of a run took.",
    grain="one row per run with call sites and process",
    key=("campaign_run_id", "rank"),
    columns=(
        CAMPAIGN_RUN_ID,
        RANK,
        time_column("time_ns", "Elapsed time of the part of the run that counts."),
        time_column("communication_ns", "The part of it in calls of communication."),
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
            "The call path it is called from.",
            null_means="it is a root",
        ),
        Column(name="call_path", type=STRING, meaning="Names of the regions from the root."),
        Column(name="region", type=STRING, meaning="Name of the last region."),
        Column(name="depth", type=INT32, minimum=0, meaning="Callers above it."),
        Column(
            name="place",
            type=STRING,
            null_means="it is not known",
            meaning="Where the region begins in the source, or else its caller: file:line.",
        ),
        Column(
            name="operation",
            type=STRING,
            null_means="it is no communication",
            meaning="Operation of communication, such as MPI_Wait.",
        ),
        Column(
            name="is_setup",
            type=BOOL,
            meaning="Starts or ends MPI or its threads, such as MPI_Init and MPI_Finalize.",
        ),
    ),
)

RUN_CALL_PATHS = Table(
    name="run_call_paths",
    meaning="What a call path cost in a run, over all its processes.",
    grain="one row per run and call path with visits at or below it",
    key=("campaign_run_id", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        _count("visit_count", "Visits."),
        time_column("inclusive_ns", "Time with callees, of all locations."),
        time_column("exclusive_ns", "Time without callees, of all locations."),
        Column(
            name="process_count",
            type=INT32,
            minimum=0,
            meaning="Processes that visit it; 0 for what only stands above tasks or threads.",
        ),
        time_column("shortest_ns", "Least exclusive time of a process; 0 if one does not visit."),
        time_column("longest_ns", "Most exclusive time of a process."),
        time_column("wait_ns", "The part of the exclusive time that was waiting."),
        time_column("critical_path_ns", "The part of the critical path that lies here."),
    ),
)

CALL_SITE_TASKS = Table(
    name="call_site_tasks",
    meaning="Calls of communication per call site and process, as a profiler of MPI lists them.",
    grain="one row per run, call path of communication and process that calls there",
    key=("campaign_run_id", "call_path_key", "rank"),
    columns=(
        CAMPAIGN_RUN_ID,
        CALL_PATH_KEY,
        RANK,
        _count("call_count", "Calls."),
        time_column("total_ns", "Time in all of them."),
        time_column("shortest_ns", "Shortest call."),
        time_column("longest_ns", "Longest call."),
    ),
)

RUN_METRICS = Table(
    name="run_metrics",
    meaning="Every metric of time per call path of a run, summed over locations.",
    grain="one row per run, metric and call path where it is not 0",
    key=("campaign_run_id", "metric", "call_path_key"),
    columns=(
        CAMPAIGN_RUN_ID,
        METRIC,
        renamed(
            CALL_PATH_KEY,
            "call_path_key",
            "Call path by the names of its regions; 0 for what happens in no call path.",
        ),
        Column(
            name="value_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Its value with sub-metrics and without callees; also the waiting that Scalasca's "
                "analyser leaves out."
            ),
        ),
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
)
"""What is gathered from the runs; everything else is computed from these."""
