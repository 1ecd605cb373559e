"""Thread teams: their parallel regions and barriers."""

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    ENTER_NS,
    EXCLUSIVE_NS,
    LEAVE_NS,
    LOCATION_ID,
    METRIC,
    TEAM_ID,
    VALUE,
    VISIT_ID,
    WAIT_NS,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, INT32, Column, Table

PARALLEL_VISITS = Table(
    name="parallel_visits",
    meaning="Visits of parallel regions, with the fork and join of the team.",
    grain="one row per visit of a parallel region by a member of a team",
    key=("visit_id",),
    is_transient=True,
    columns=(
        VISIT_ID,
        LOCATION_ID,
        CALL_PATH_ID,
        TEAM_ID,
        renamed(LOCATION_ID, "master_location_id", "Location that forked the team."),
        Column(
            name="is_start", type=BOOL, meaning="The visit has no parent visit on its location."
        ),
        renamed(ENTER_NS, "fork_ns", "Fork record, but not later than the enter."),
        ENTER_NS,
        LEAVE_NS,
        renamed(LEAVE_NS, "join_ns", "Join record, but not earlier than the leave."),
    ),
)

TEAM_BARRIERS = Table(
    name="team_barriers",
    meaning="Barriers of thread teams, with the last thread to enter. This thread did not wait.",
    grain="one row per visit of a barrier by a member of a team",
    key=("visit_id",),
    is_transient=True,
    columns=(
        TEAM_ID,
        Column(
            name="ordinal",
            type=INT32,
            minimum=0,
            meaning="Position among the barriers of the team.",
        ),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        Column(
            name="is_implicit", type=BOOL, meaning="Implicit barrier at the end of a construct."
        ),
        ENTER_NS,
        LEAVE_NS,
        Column(
            name="is_parting",
            type=BOOL,
            meaning=(
                "The last barrier of the team, for a worker. The worker synchronizes with no other "
                "thread after it."
            ),
        ),
        renamed(ENTER_NS, "last_enter_ns", "Enter time of the last member."),
        renamed(LOCATION_ID, "last_location_id", "Location of the last member to enter."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the last member to enter."),
        renamed(
            WAIT_NS,
            "wait_ns",
            "Time from the own enter to the enter of the last member, minus the time of tasks in "
            "the barrier.",
        ),
    ),
)

TEAM_ENDINGS = Table(
    name="team_endings",
    meaning="Time of workers after the enter of the last barrier of the team.",
    grain="one row per call path and worker with such time",
    key=("call_path_id", "location_id"),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        renamed(EXCLUSIVE_NS, "ending_ns", "Time without callees, including waiting."),
    ),
)

TEAM_WORKERS = Table(
    name="team_workers",
    meaning="Threads that are part of teams, except the first thread of each process.",
    grain="one row per location that worked in a team of its process",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        renamed(LOCATION_ID, "master_location_id", "First thread of the process."),
    ),
)

DEVICE_CALLS = Table(
    name="device_calls",
    meaning="Call paths of calls that launch work on an accelerator or wait for it.",
    grain="one row per call path that launches work, or waits for a device, event or stream",
    key=("call_path_id",),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        Column(name="is_launch", type=BOOL, meaning="Launches a kernel or copy."),
        Column(name="is_kernel_launch", type=BOOL, meaning="Launches a kernel, not a copy."),
        Column(name="is_wait", type=BOOL, meaning="Waits for a device, stream or event."),
        Column(
            name="is_whole_device",
            type=BOOL,
            meaning="Waits for all streams of the device, not for one of them or for an event.",
        ),
    ),
)

STREAM_REFERENCES = Table(
    name="stream_references",
    meaning="Streams of accelerators that calls are for, where the trace shows them.",
    grain="one row per call with the reference of a stream",
    key=("visit_id",),
    is_transient=True,
    columns=(VISIT_ID, renamed(LOCATION_ID, "location_id", "Stream.")),
)

_NO_LAUNCH = "no call of the process launched anything before"

KERNELS = Table(
    name="kernels",
    meaning="Kernels and copies on streams of accelerators, with the calls that launched them.",
    grain="one row per kernel or copy",
    key=("visit_id",),
    is_transient=True,
    columns=(
        VISIT_ID,
        LOCATION_ID,
        CALL_PATH_ID,
        ENTER_NS,
        LEAVE_NS,
        renamed(VISIT_ID, "launch_visit_id", "Call that launched it.", null_means=_NO_LAUNCH),
        renamed(LOCATION_ID, "launch_location_id", "Location of that call.", null_means=_NO_LAUNCH),
        nullable(renamed(ENTER_NS, "launch_enter_ns", "Enter time of that call."), _NO_LAUNCH),
    ),
)

AWAITED_KERNELS = Table(
    name="awaited_kernels",
    meaning="Kernels that calls wait for: the last one of each stream that ends before they do.",
    grain="one row per call that waits for a device, event or stream, and stream",
    key=("visit_id", "cause_location_id"),
    is_transient=True,
    columns=(
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        ENTER_NS,
        renamed(LOCATION_ID, "cause_location_id", "Stream."),
        renamed(VISIT_ID, "cause_visit_id", "Last kernel of the stream that ends before the call."),
        renamed(LEAVE_NS, "end_ns", "End of that kernel."),
        Column(
            name="is_known",
            type=BOOL,
            meaning="The call waits for this stream: for the whole device, or as the trace shows.",
        ),
    ),
)

SERIAL_CALL_PATHS = Table(
    name="serial_call_paths",
    meaning="Call paths outside parallel regions, and the start of parallel regions.",
    grain="one row per call path that lies in no parallel region",
    key=("call_path_id",),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        Column(name="is_parallel", type=BOOL, meaning="A parallel region starts here."),
        renamed(CALL_PATH_ID, "last_call_path_id", "Last call path below this one, or this one."),
    ),
)

LIMITED_PARALLELISM = Table(
    name="limited_parallelism",
    meaning="Idle time of workers while a team without them works.",
    grain="one row per call path in a parallel region and worker that is idle there",
    key=("call_path_id", "location_id"),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        renamed(EXCLUSIVE_NS, "idle_ns", "The master's time without callees in these regions."),
    ),
)

TEAM_SEVERITIES = Table(
    name="team_severities",
    meaning="Costs of thread teams: fork and join, and idle threads.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TASK_CALLS = Table(
    name="task_calls",
    meaning=(
        "Explicit tasks that ran without interruption, as calls from the place that scheduled them."
    ),
    grain="one row per task with a single interval, the visit of its region",
    key=("visit_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        VISIT_ID,
        renamed(CALL_PATH_ID, "root_call_path_id", "Root call path of all tasks."),
        renamed(VISIT_ID, "scheduling_visit_id", "Visit in which the task ran."),
        renamed(CALL_PATH_ID, "scheduling_call_path_id", "Call path of that visit."),
        renamed(ENTER_NS, "since_ns", "Time of the last enter or leave before the task."),
        ENTER_NS,
        LEAVE_NS,
    ),
)

TABLES = (
    TASK_CALLS, PARALLEL_VISITS, TEAM_BARRIERS, TEAM_ENDINGS, TEAM_WORKERS, DEVICE_CALLS,
    STREAM_REFERENCES, KERNELS, AWAITED_KERNELS, SERIAL_CALL_PATHS, LIMITED_PARALLELISM,
    TEAM_SEVERITIES,
)  # fmt: skip
