"""The activity graph of a run, and what follows from running it again."""

from tracemill.schemas.collectives import FAMILY
from tracemill.schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COLLECTIVE_ID,
    ENTER_NS,
    LEAVE_NS,
    LOCATION_ID,
    MESSAGE_ID,
    REGION_ID,
    VISIT_ID,
    WAIT_NS,
    nullable,
    renamed,
)
from tracemill.schemas.overheads import OVERHEAD_ID
from tracemill.schemas.table import BOOL, ENUM, INT32, INT64, Column, Table

MEETING = "a meeting of several locations"
NO_CALL = "no call ends the activity"

BOUNDARY_ID = Column(
    name="boundary_id",
    type=INT64,
    meaning=(
        "Moment of a location: twice the visit for the enter of a call, one more for its leave; "
        "other records have negative numbers."
    ),
)
DEPENDENCY_KINDS = (
    "message", "synchronous", "rendezvous", *FAMILY.values, "init", "finalize", "fence", "create",
    "free", "post", "complete", "file", "fork", "team_barrier", "lock", "task", "thread", "launch",
    "device",
)  # fmt: skip
DEPENDENCY_KIND = Column(
    name="kind", type=ENUM, values=DEPENDENCY_KINDS, meaning="Reason of the dependency."
)
GAIN_KINDS = ("call path", "region", "rank", "class")
ACTIVITY_KINDS = ("start", "work", "call", "thread runtime", "task", "meeting")
ACTIVITY_ID = Column(
    name="activity_id",
    type=INT64,
    minimum=0,
    meaning="Activity, numbered by location, then in order; meetings come last.",
)

SEND_LIMITS = Table(
    name="send_limits",
    meaning="Sizes from which standard sends wait for their receivers, as far as the trace shows.",
    grain="one row per kind of link over which messages were sent",
    key=("is_between_nodes",),
    columns=(
        Column(name="is_between_nodes", type=BOOL, meaning="Sender and receiver on two nodes."),
        renamed(
            BYTES,
            "proved_bytes",
            "Most bytes of a standard send that was complete before its receive was posted.",
            null_means="none was",
        ),
        renamed(
            BYTES,
            "limit_bytes",
            "Least bytes of a standard send that waited until its receive was posted.",
            null_means="none larger than the proved size did",
        ),
    ),
)

_EDGE = (
    DEPENDENCY_KIND,
    BOUNDARY_ID,
    renamed(BOUNDARY_ID, "cause_boundary_id", "Moment that is waited for."),
)

REPLAY_EDGES = Table(
    name="replay_edges",
    meaning="Moments that depend on one other moment.",
    grain="one row per dependency",
    key=("kind", "boundary_id", "cause_boundary_id", "message_id"),
    is_transient=True,
    columns=(
        *_EDGE,
        nullable(MESSAGE_ID, "not about a message"),
        nullable(COLLECTIVE_ID, "not about a collective"),
    ),
)

REPLAY_RMA_EDGES = Table(
    name="replay_rma_edges",
    meaning="Moments that depend on one other moment by one-sided communication.",
    grain="one row per dependency",
    key=("kind", "boundary_id", "cause_boundary_id"),
    is_transient=True,
    columns=_EDGE,
)

REPLAY_THREAD_EDGES = Table(
    name="replay_thread_edges",
    meaning="Moments of threads and accelerators that depend on one other moment.",
    grain="one row per dependency",
    key=("kind", "boundary_id", "cause_boundary_id"),
    is_transient=True,
    columns=_EDGE,
)

REPLAY_MEETINGS = Table(
    name="replay_meetings",
    meaning="Meetings of several locations.",
    grain="one row per meeting and location that takes part",
    key=("kind", "meeting_id", "location_id"),
    is_transient=True,
    columns=(
        DEPENDENCY_KIND,
        Column(name="meeting_id", type=INT64, minimum=0, meaning="Meeting of this kind."),
        LOCATION_ID,
        renamed(
            BOUNDARY_ID,
            "cause_boundary_id",
            "Moment that the meeting waits for.",
            null_means="it does not wait for this location",
        ),
        renamed(
            BOUNDARY_ID,
            "boundary_id",
            "Moment that waits for the meeting.",
            null_means="this location does not wait",
        ),
        nullable(COLLECTIVE_ID, "not about a collective"),
    ),
)

REPLAY_CALLS = Table(
    name="replay_calls",
    meaning="Calls that take part in a dependency: activities end at their enters and leaves.",
    grain="one row per call",
    key=("visit_id",),
    is_transient=True,
    columns=(VISIT_ID, LOCATION_ID, CALL_PATH_ID, ENTER_NS, LEAVE_NS),
)

REPLAY_RECORDS = Table(
    name="replay_records",
    meaning="Records of threads, tasks and locks at which activities end.",
    grain="one row per record",
    key=("boundary_id",),
    is_transient=True,
    columns=(
        BOUNDARY_ID,
        LOCATION_ID,
        Column(name="time_ns", type=INT64, unit="ns", meaning="Time of the record."),
        Column(
            name="kind", type=ENUM, values=ACTIVITY_KINDS, meaning="Kind of the activity that ends."
        ),
        Column(name="is_begin", type=BOOL, meaning="Begin of a team on a worker, or of a thread."),
        nullable(VISIT_ID, "outside of all calls"),
        Column(name="is_entered_now", type=BOOL, meaning="The call was entered at this time."),
    ),
)

ACTIVITIES = Table(
    name="activities",
    meaning="Stretches of locations between moments at which they synchronize, and meetings.",
    grain="one row per activity or meeting",
    key=("activity_id",),
    is_transient=True,
    columns=(
        ACTIVITY_ID,
        nullable(LOCATION_ID, MEETING),
        Column(
            name="kind",
            type=ENUM,
            values=ACTIVITY_KINDS,
            meaning="What ends the activity; start: the time before the first record.",
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="End of the activity before."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End."),
        renamed(WAIT_NS, "wait_ns", "Time from the begin until all that it depends on has ended."),
        Column(
            name="duration_ns", type=INT64, unit="ns", minimum=0, meaning="Time after the wait."
        ),
        nullable(VISIT_ID, NO_CALL),
        nullable(CALL_PATH_ID, NO_CALL),
        Column(
            name="total_slack_ns",
            type=INT64,
            unit="ns",
            meaning="How much longer it could take without a longer run.",
        ),
        Column(
            name="free_slack_ns",
            type=INT64,
            unit="ns",
            meaning="How much longer it could take without delaying any other activity.",
        ),
    ),
)

ACTIVITY_DEPENDENCIES = Table(
    name="activity_dependencies",
    meaning="Activities that activities wait for.",
    grain="one row per dependency",
    key=("activity_id", "cause_activity_id", "kind", "message_id"),
    is_transient=True,
    columns=(
        ACTIVITY_ID,
        renamed(ACTIVITY_ID, "cause_activity_id", "Activity or meeting whose end it waits for."),
        DEPENDENCY_KIND,
        nullable(MESSAGE_ID, "not about a message"),
        nullable(COLLECTIVE_ID, "not about a collective"),
        Column(
            name="is_decisive",
            type=BOOL,
            meaning="It ends last; of several, the one of the lowest location.",
        ),
    ),
)

ACTIVITY_TIMES = Table(
    name="activity_times",
    meaning="Durations of activities by call path.",
    grain="one row per activity and call path with time",
    key=("activity_id", "call_path_id"),
    is_transient=True,
    columns=(
        ACTIVITY_ID,
        nullable(CALL_PATH_ID, "outside of all visits"),
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            minimum=1,
            meaning="Time of the call path itself in the duration of the activity.",
        ),
    ),
)

LEFT_OUT_DEPENDENCIES = Table(
    name="left_out_dependencies",
    meaning="Dependencies that contradict the clocks: what is waited for comes later.",
    grain="one row per kind of dependency that was left out",
    key=("kind",),
    columns=(
        DEPENDENCY_KIND,
        Column(name="count", type=INT64, minimum=1, meaning="Dependencies of this kind."),
    ),
)

GAINS = Table(
    name="gains",
    meaning="How much shorter the run would be without a part of its critical path.",
    grain="one row per part with time on the critical path of the activity graph",
    key=("kind", "call_path_id", "region_id", "rank", "overhead_id"),
    columns=(
        Column(
            name="kind",
            type=ENUM,
            values=GAIN_KINDS,
            meaning=(
                "Part that is taken away: a call path's or a region's own time, computation of a "
                "rank, or a class of overhead."
            ),
        ),
        nullable(CALL_PATH_ID, "not a call path"),
        nullable(REGION_ID, "not a region"),
        Column(name="rank", type=INT32, null_means="not a rank", meaning="Rank of the process."),
        nullable(OVERHEAD_ID, "not a class"),
        Column(
            name="path_ns",
            type=INT64,
            unit="ns",
            minimum=1,
            meaning="Time of the part on the critical path; it cannot bring more.",
        ),
        Column(
            name="gain_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            null_means="not replayed: others have more time on the path",
            meaning="How much shorter the run is without the part.",
        ),
        Column(
            name="run_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            null_means="not replayed",
            meaning="Run time without the part.",
        ),
        Column(name="is_exact", type=BOOL, meaning="The run without the part was replayed."),
    ),
)

QUERIED = (ACTIVITIES.name, ACTIVITY_DEPENDENCIES.name)
"""Tables that the SQL shell computes on request."""

TABLES = (
    GAINS, SEND_LIMITS, REPLAY_EDGES, REPLAY_RMA_EDGES, REPLAY_THREAD_EDGES, REPLAY_MEETINGS,
    REPLAY_CALLS, REPLAY_RECORDS, ACTIVITIES, ACTIVITY_DEPENDENCIES, ACTIVITY_TIMES,
    LEFT_OUT_DEPENDENCIES,
)  # fmt: skip
