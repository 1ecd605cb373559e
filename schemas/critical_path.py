"""The critical path: the chain of activities that determines the length of the run."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    COLLECTIVE_ID,
    ENTER_NS,
    IS_EXTENDED,
    LEAVE_NS,
    LOCATION_ID,
    MESSAGE_ID,
    METRIC,
    VALUE,
    VISIT_ID,
    WAIT_NS,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, Column, Table

KINDS = (
    "late_sender", "late_receiver", "barrier", "n_to_n", "one_to_n", "n_to_one", "init", "finalize",
    "fork", "team_barrier", "device", "launch",
)  # fmt: skip
NOBODY = "no other location was waited for"
START = "the path starts here"
END = "the path ends here"

KIND = Column(
    name="kind",
    type=ENUM,
    values=KINDS,
    meaning="Wait state, or family of collectives, that synchronized the locations.",
)
POINT_ID = Column(
    name="point_id",
    type=INT64,
    minimum=0,
    meaning="Call that waited, numbered by visit; the last number is the end of the program.",
)
SEGMENT_ORDINAL = Column(
    name="ordinal",
    type=INT64,
    minimum=0,
    meaning="Position on the path, from the start of the program to its end.",
)
BEGIN_NS = Column(
    name="begin_ns", type=INT64, unit="ns", meaning="Time when the path arrived here."
)
END_NS = Column(
    name="end_ns", type=INT64, unit="ns", meaning="Time when the path moved to another location."
)
COMPUTATION_NS = Column(
    name="computation_ns", type=INT64, unit="ns", meaning="Time of the path outside MPI."
)
COMMUNICATION_NS = Column(
    name="communication_ns",
    type=INT64,
    unit="ns",
    meaning="Time of the path in MPI, without waiting.",
)
SEGMENT_COUNT = Column(
    name="segment_count", type=INT64, minimum=0, meaning="Number of segments of the path."
)
PATH_NS = Column(
    name="path_ns",
    type=INT64,
    unit="ns",
    meaning="Time that the path spends in the call path itself, without waiting.",
)

SYNCHRONIZATION_POINTS = Table(
    name="synchronization_points",
    meaning="Synchronization points: calls that waited, or that others waited for.",
    grain="one row per synchronizing call and its message or collective",
    key=("visit_id", "kind", "message_id", "collective_id"),
    is_transient=True,
    columns=(
        KIND,
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        ENTER_NS,
        LEAVE_NS,
        WAIT_NS,
        renamed(
            LOCATION_ID, "cause_location_id", "Location that was waited for.", null_means=NOBODY
        ),
        renamed(
            VISIT_ID, "cause_visit_id", "Visit of the call that was waited for.", null_means=NOBODY
        ),
        nullable(
            renamed(ENTER_NS, "cause_enter_ns", "Enter time of the call that was waited for."),
            NOBODY,
        ),
        nullable(MESSAGE_ID, "not about a message"),
        nullable(COLLECTIVE_ID, "not about a collective"),
        renamed(
            LEAVE_NS,
            "partner_leave_ns",
            "Leave time of the call on the other side of the message.",
            null_means="not about a message",
        ),
    ),
)

DEVICE_POINTS = Table(
    name="device_points",
    meaning="Synchronization points of threads with streams of accelerators.",
    grain="one row per call that waited for a kernel, and per kernel that waited for none",
    key=("visit_id", "kind"),
    is_transient=True,
    columns=SYNCHRONIZATION_POINTS.columns[:-3],
)

LOCATION_SPANS = Table(
    name="location_spans",
    meaning=(
        "Time span of each location, from the enter of MPI_Init to the enter of MPI_Finalize; "
        "without them, all its records."
    ),
    grain="one row per location with records",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(
            name="is_process",
            type=BOOL,
            meaning="The first thread of a process, which represents the process.",
        ),
        Column(
            name="is_worker",
            type=BOOL,
            meaning="The first thread of a process, or a member of a thread team.",
        ),
        renamed(VISIT_ID, "begin_visit_id", "Visit of MPI_Init.", null_means="no MPI_Init"),
        nullable(
            renamed(CALL_PATH_ID, "begin_call_path_id", "Call path of MPI_Init."), "no MPI_Init"
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start of the span."),
        renamed(VISIT_ID, "end_visit_id", "Visit of MPI_Finalize.", null_means="no MPI_Finalize"),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the span."),
    ),
)

CRITICAL_PATH_JUMPS = Table(
    name="critical_path_jumps",
    meaning=(
        "Backward steps of the path: from a call that waited to the call it waited for, and from "
        "there to the last earlier call that waited."
    ),
    grain="one row per call that waited, and one for the program's end",
    key=("point_id",),
    is_transient=True,
    columns=(
        POINT_ID,
        nullable(VISIT_ID, "the end of the program"),
        nullable(WAIT_NS, "the end of the program"),
        renamed(LOCATION_ID, "cause_location_id", "Location where the path continues."),
        renamed(
            VISIT_ID,
            "cause_visit_id",
            "Call where the path continues; the path covers the time before it.",
            null_means="the end of the location",
        ),
        renamed(ENTER_NS, "cause_enter_ns", "Enter time of that call, or end of the location."),
        renamed(
            POINT_ID,
            "predecessor_id",
            "Last call before it that waited.",
            null_means="none: the path goes back to the start",
        ),
    ),
)

CRITICAL_PATH_STEPS = Table(
    name="critical_path_steps",
    meaning="Jumps of the critical path, in order.",
    grain="one row per segment of the critical path",
    key=("ordinal",),
    is_transient=True,
    columns=(
        SEGMENT_ORDINAL,
        renamed(POINT_ID, "point_id", "Jump at which the path leaves the segment."),
    ),
)

CRITICAL_PATH_SEGMENTS = Table(
    name="critical_path_segments",
    meaning=(
        "The critical path: the decisive location at each time. Each segment except the first "
        "starts in a call that waited for the location of the previous segment."
    ),
    grain="one row per segment of the critical path",
    key=("ordinal",),
    columns=(
        SEGMENT_ORDINAL,
        LOCATION_ID,
        BEGIN_NS,
        END_NS,
        nullable(KIND, START, meaning="Reason why the path came from another location."),
        renamed(
            LOCATION_ID, "cause_location_id", "Location that the path came from.", null_means=START
        ),
        renamed(
            VISIT_ID,
            "visit_id",
            "Call in which the segment starts: a call that waited, or MPI_Init.",
            null_means="the start of the location",
        ),
        nullable(CALL_PATH_ID, "the start of the location"),
        Column(
            name="wait_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Waiting at the start of the segment. It is not part of the path's length.",
        ),
        Column(
            name="completion_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Rest of the call that waited, until it completed.",
        ),
        renamed(
            VISIT_ID,
            "end_visit_id",
            "Call before which the segment ends: a call that was waited for, or MPI_Finalize.",
            null_means="the end of the location",
        ),
    ),
)

CRITICAL_PATH_PROFILE = Table(
    name="critical_path_profile",
    meaning="Time of the critical path by call path and location.",
    grain="one row per call path and location with time on the critical path",
    key=("call_path_id", "location_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        PATH_NS,
        renamed(PATH_NS, "main_path_ns", "The same within the main part of the run."),
    ),
)

CRITICAL_PATH_LOCATIONS = Table(
    name="critical_path_locations",
    meaning="Contribution of each location to the critical path.",
    grain="one row per location that the critical path visits",
    key=("location_id",),
    columns=(LOCATION_ID, SEGMENT_COUNT, COMPUTATION_NS, COMMUNICATION_NS),
)

CRITICAL_PATH_PARTNERS = Table(
    name="critical_path_partners",
    meaning="Pairs of locations between which the critical path moves.",
    grain="one row per pair of locations and kind of synchronization",
    key=("from_location_id", "to_location_id", "kind"),
    columns=(
        renamed(LOCATION_ID, "from_location_id", "Location that was waited for."),
        renamed(
            LOCATION_ID,
            "to_location_id",
            "Location that waited. Forward in time, the path continues here.",
        ),
        KIND,
        Column(name="jump_count", type=INT64, minimum=1, meaning="Number of transitions."),
        Column(
            name="wait_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Waiting at these transitions. It is not part of the path's length.",
        ),
        Column(
            name="completion_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning=(
                "Time of the path in these calls after the waiting. It counts as communication."
            ),
        ),
    ),
)

CRITICAL_PATH_WAITS = Table(
    name="critical_path_waits",
    meaning=(
        "Waiting inside the critical path: the path does not move at scans and at extended "
        "wait states (not in Scalasca)."
    ),
    grain=("one row per property, call path, location and whether it is extended"),
    key=("property", "call_path_id", "location_id", "is_extended"),
    columns=(
        renamed(METRIC, "property", "Metric of the wait state."),
        CALL_PATH_ID,
        LOCATION_ID,
        IS_EXTENDED,
        Column(
            name="path_ns",
            type=INT64,
            unit="ns",
            minimum=1,
            meaning="Time of the path in such waiting.",
        ),
    ),
)

CRITICAL_PATH_SUMMARY = Table(
    name="critical_path_summary",
    meaning=(
        "The critical path as a whole. Its length is computation plus communication. It can differ "
        "from the time between start and end: waiting in collectives is counted from a record "
        "inside the call, and clocks may disagree."
    ),
    grain="one row if the trace has a critical path",
    key=("begin_ns",),
    columns=(
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start of the path."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the path."),
        Column(
            name="wall_ns",
            type=INT64,
            unit="ns",
            meaning="Time from the first to the last record of the run.",
        ),
        COMPUTATION_NS,
        COMMUNICATION_NS,
        SEGMENT_COUNT,
        Column(
            name="location_count",
            type=INT32,
            minimum=1,
            meaning="Number of locations that the path visits.",
        ),
        Column(
            name="is_whole",
            type=BOOL,
            meaning=(
                "The path reaches the start of the run. False if contradictory clocks or wrongly "
                "matched messages make it circular."
            ),
        ),
    ),
)

CRITICAL_PATH_WORK = Table(
    name="critical_path_work",
    meaning="Work of every location compared with the critical path in the same call path.",
    grain="one row per call path and location with work, if there is a critical path",
    key=("call_path_id", "location_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="work_ns", type=INT64, unit="ns", minimum=1, meaning="Time there without waiting."
        ),
        replace(PATH_NS, meaning="Time of the path in the call path, summed over all locations."),
    ),
)

CRITICAL_PATH_IMPACTS = Table(
    name="critical_path_impacts",
    meaning="Cost of the critical path for the other locations.",
    grain="one row per call path on the critical path",
    key=("call_path_id",),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        replace(PATH_NS, meaning="Time of the path in the call path, summed over all locations."),
        Column(
            name="impact_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Time that all locations lose because they have less work in the call path.",
        ),
        Column(
            name="partition_impact_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Time that locations without work in the call path lose.",
        ),
    ),
)

CRITICAL_PATH_IMBALANCES = Table(
    name="critical_path_imbalances",
    meaning="Part of the critical path that exists only because work is distributed unevenly.",
    grain="one row per call path on the critical path with uneven work",
    key=("call_path_id",),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        Column(
            name="imbalance_ratio",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            meaning=(
                "Share of the path, in the call path and below, that an even distribution of work "
                "would avoid."
            ),
        ),
    ),
)

CRITICAL_PATH_SEVERITIES = Table(
    name="critical_path_severities",
    meaning="Critical-path metrics of call paths and locations.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES = (
    SYNCHRONIZATION_POINTS, DEVICE_POINTS, LOCATION_SPANS, CRITICAL_PATH_JUMPS, CRITICAL_PATH_STEPS,
    CRITICAL_PATH_SEGMENTS, CRITICAL_PATH_PROFILE, CRITICAL_PATH_LOCATIONS,
    CRITICAL_PATH_PARTNERS, CRITICAL_PATH_WAITS, CRITICAL_PATH_SUMMARY, CRITICAL_PATH_WORK,
    CRITICAL_PATH_IMPACTS, CRITICAL_PATH_IMBALANCES, CRITICAL_PATH_SEVERITIES,
)  # fmt: skip
