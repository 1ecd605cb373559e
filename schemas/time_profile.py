"""Time per overhead class over the course of the run."""

from tracemill.schemas.columns import ENTER_NS, LEAVE_NS, LOCATION_ID, renamed
from tracemill.schemas.overheads import OVERHEAD_ID
from tracemill.schemas.table import BOOL, INT32, INT64, Column, Table

_PAUSED_ID = renamed(
    OVERHEAD_ID,
    "caller_overhead_id",
    "Class that loses the time.",
    null_means="none: the gaining class is the class of time outside of visits",
)
_BEGIN_NS = renamed(ENTER_NS, "begin_ns", "Start of the interval, since the zero of the trace.")
_END_NS = renamed(LEAVE_NS, "end_ns", "End of the interval, since the zero of the trace.")

TASK_STRETCHES = Table(
    name="task_stretches",
    meaning="Intervals in which tasks ran, with the overhead classes around them.",
    grain="one row per interval from start or resumption to suspension or end",
    key=("location_id", "begin_ns", "end_ns", "number"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(name="thread", type=INT64, meaning="Thread of the team that created the task."),
        Column(name="number", type=INT64, meaning="Number of the task within that thread."),
        Column(
            name="instance", type=INT64, meaning="Instance, if several tasks have the same number."
        ),
        _BEGIN_NS,
        _END_NS,
        renamed(OVERHEAD_ID, "base_id", "Class of the location's time outside of visits."),
        renamed(OVERHEAD_ID, "scheduler_class_id", "Class of the visit that scheduled the task."),
        Column(
            name="is_scheduled_by_task", type=BOOL, meaning="The scheduling visit is inside a task."
        ),
    ),
)

TASK_PAUSES = Table(
    name="task_pauses",
    meaning="Intervals in which tasks interrupt open visits.",
    grain="one row per interval in which a visit is paused",
    key=("location_id", "begin_ns", "end_ns", "overhead_id", "paused_overhead_id"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        renamed(
            OVERHEAD_ID, "overhead_id", "Class that the time counts for, as far as it is known."
        ),
        renamed(OVERHEAD_ID, "paused_overhead_id", "Class of the visit, which loses the time."),
        _BEGIN_NS,
        _END_NS,
    ),
)

CLASS_CHANGES = Table(
    name="class_changes",
    meaning="Intervals in which time counts for another overhead class than that of the visit.",
    grain="one row per location, pair of classes and interval",
    key=("location_id", "overhead_id", "caller_overhead_id", "begin_ns", "end_ns"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        renamed(OVERHEAD_ID, "overhead_id", "Class that gains the time."),
        _PAUSED_ID,
        _BEGIN_NS,
        _END_NS,
        Column(name="change_count", type=INT64, minimum=1, meaning="Number of such intervals."),
    ),
)

TIME_PROFILE = Table(
    name="time_profile",
    meaning="Time of all locations per overhead class, in equal bins of the run.",
    grain="one row per bin and class that took time in it",
    key=("bin", "overhead_id"),
    columns=(
        Column(name="bin", type=INT32, minimum=0, meaning="Position of the bin in the run."),
        renamed(ENTER_NS, "begin_ns", "Start of the bin, since the zero of the trace."),
        renamed(LEAVE_NS, "end_ns", "End of the bin, since the zero of the trace."),
        OVERHEAD_ID,
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Time of all locations. The sum over all classes is the number of locations times "
                "the bin width."
            ),
        ),
    ),
)

TABLES = (TASK_STRETCHES, TASK_PAUSES, CLASS_CHANGES, TIME_PROFILE)
