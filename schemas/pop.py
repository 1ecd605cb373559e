"""POP metrics: efficiencies of a run, and the times that they are computed from."""

from dataclasses import replace

from tracemill.schemas.columns import ENTER_NS, LEAVE_NS, LOCATION_ID, VISIT_ID
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT64, STRING, Column, Table

INTERVALS = ("init to finalize", "whole", "focus")
CONVENTIONS = ("times", "multiplicative", "basic analysis", "additive")

INTERVAL = Column(
    name="interval",
    type=STRING,
    meaning=(
        "init to finalize: of every process from leaving MPI_Init to entering MPI_Finalize; whole: "
        "from the first record to the last; focus: the periods of a focus."
    ),
)


def _time(name: str, meaning: str) -> Column:
    return Column(name=name, type=INT64, unit="ns", meaning=meaning)


PROCESS_MPI_CALLS = Table(
    name="process_mpi_calls",
    meaning="MPI calls of first threads whose processes also have teams of threads.",
    grain="one row per MPI call outside of other MPI calls",
    key=("visit_id",),
    is_transient=True,
    columns=(LOCATION_ID, VISIT_ID, ENTER_NS, LEAVE_NS),
)

POP_LOCATIONS = Table(
    name="pop_locations",
    meaning="Time of every thread in the interval of its process, by class.",
    grain="one row per interval and thread of a process",
    key=("interval", "location_id"),
    columns=(
        INTERVAL,
        LOCATION_ID,
        _time("begin_ns", "Begin of the interval of the process."),
        _time("end_ns", "End of the interval of the process."),
        _time("useful_ns", "Computation."),
        _time(
            "mpi_ns",
            "MPI calls; for workers outside of teams also those of the first thread; and the time "
            "outside of the interval of the process.",
        ),
        _time("barrier_wait_ns", "Waiting in barriers of teams."),
        _time("outside_ns", "Workers outside of teams while their first thread is not in MPI."),
        _time("other_ns", "All else, such as starting teams, waiting for locks, and file access."),
        _time("ideal_end_ns", "End of the interval of the process on an ideal network."),
    ),
)

POP_METRICS = Table(
    name="pop_metrics",
    meaning="Run time and efficiencies as POP defines them.",
    grain="one row per interval, convention and metric",
    key=("interval", "convention", "metric"),
    columns=(
        INTERVAL,
        Column(
            name="convention",
            type=ENUM,
            values=CONVENTIONS,
            meaning="How efficiencies are split; times: what they are computed from, in ns.",
        ),
        Column(name="metric", type=STRING, meaning="Time or efficiency."),
        Column(name="value", type=FLOAT64, meaning="Time in ns, or ratio."),
        Column(
            name="parent",
            type=STRING,
            null_means="not a part of another efficiency",
            meaning="Efficiency that this one is a part of.",
        ),
        Column(
            name="is_valid",
            type=BOOL,
            meaning=(
                "False if the ideal run would be shorter than the useful time of a process: clocks "
                "contradict each other, or waiting is hidden. Also false if a replay does not "
                "know when kernels of accelerators run."
            ),
        ),
    ),
)

USEFUL_COUNTERS = Table(
    name="useful_counters",
    meaning="Instructions and cycles of every thread in its useful time.",
    grain="one row per interval and thread with values of instructions or cycles",
    key=("interval", "location_id"),
    columns=(
        INTERVAL,
        LOCATION_ID,
        *(
            Column(
                name=name,
                type=FLOAT64,
                minimum=0,
                null_means="the thread has no such counter",
                meaning=f"{name.capitalize()} between two values with only useful time in between.",
            )
            for name in ("instructions", "cycles")
        ),
    ),
)

_METRICS = {column.name: column for column in POP_METRICS.columns}
EFFICIENCIES = Table(
    name="efficiencies",
    meaning="Efficiencies as POP defines them, with their titles.",
    grain="one row per interval, convention and efficiency",
    key=("interval", "convention", "metric"),
    columns=(
        *(_METRICS[name] for name in ("interval", "convention", "metric", "value")),
        Column(name="efficiency", type=STRING, meaning="Title of the efficiency."),
        Column(name="place", type=INT64, minimum=1, meaning="Place in the order of reports."),
    ),
)

_INVALID = "the ideal run is impossible"
_WITHOUT_TEAMS = "the run has no teams of threads"


def _loss(name: str, meaning: str, null_means: str = "") -> Column:
    return replace(_time(name, meaning), null_means=null_means)


EFFICIENCY_LOSSES = Table(
    name="efficiency_losses",
    meaning="Time that threads lose for computation, by the efficiency of POP that it lowers.",
    grain="one row per interval and thread of a process",
    key=("interval", "location_id"),
    columns=(
        INTERVAL,
        LOCATION_ID,
        _loss(
            "load_imbalance_ns",
            "Computation (with teams: time outside of MPI) that the thread, or process on average, "
            "with most of it has more.",
        ),
        _loss("serialization_ns", "Waiting that remains on an ideal network.", _INVALID),
        _loss("transfer_ns", "Time by which an ideal network would shorten the run.", _INVALID),
        _loss(
            "communication_ns", "Serialization and transfer together.", "both are known separately"
        ),
        _loss(
            "openmp_serialization_ns",
            "Time of workers outside of teams while their first thread is not in MPI.",
            _WITHOUT_TEAMS,
        ),
        _loss("openmp_load_imbalance_ns", "Waiting in barriers of teams.", _WITHOUT_TEAMS),
        _loss("openmp_scheduling_ns", "All other time without computation.", _WITHOUT_TEAMS),
    ),
)

TABLES = (PROCESS_MPI_CALLS, POP_LOCATIONS, POP_METRICS, USEFUL_COUNTERS)
VIEWS = (EFFICIENCIES, EFFICIENCY_LOSSES)
