"""Runs of a campaign: settings, configurations and times."""

from tracemill.schemas.columns import nullable
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

FAILED = "the run failed, or only its efficiency is available"

STATES = ("measured", "failed", "out of memory")
INTERVALS = ("between MPI_Init and MPI_Finalize", "whole run", "as given")
SCALINGS = ("fixed size", "scaled size", "both")
NAMINGS = ("given", "names of traces")
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
                "Source of the application's name: given by an option, a file, a pattern or the "
                "measurements; or only the names of the traces and their folders."
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

TABLES: tuple[Table, ...] = (CAMPAIGN_SETTINGS, CAMPAIGN_RUNS, RUN_PARAMETERS, RUN_MONITORING)
"""What runs of a campaign are, as declared and measured."""
