"""The critical path: the chain of activities that decided how long the run took."""

from dataclasses import replace

from schemas.columns import (
    CALL_PATH_ID,
    COLLECTIVE_ID,
    ENTER_NS,
    IS_BEYOND_REFERENCE,
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
from schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, Column, Table

KINDS = (
    "late_sender", "late_receiver", "barrier", "n_to_n", "one_to_n", "n_to_one", "init", "finalize",
    "fork", "team_barrier",
)  # fmt: skip
NOBODY = "nobody was waited for"
START = "the path starts here"
END = "the path ends here"

KIND = Column(
    name="kind",
    type=ENUM,
    values=KINDS,
    meaning="Wait state, or family of collectives, in which processes met.",
)
POINT_ID = Column(
    name="point_id",
    type=INT64,
    minimum=0,
    meaning="Call that waited, numbered by visit; the last number stands for the program's end.",
)
SEGMENT_ORDINAL = Column(
    name="ordinal",
    type=INT64,
    minimum=0,
    meaning="Position on the path, from the start of the program to its end.",
)
BEGIN_NS = Column(name="begin_ns", type=INT64, unit="ns", meaning="When the path came there.")
END_NS = Column(name="end_ns", type=INT64, unit="ns", meaning="When the path went on elsewhere.")
COMPUTATION_NS = Column(
    name="computation_ns",
    type=INT64,
    unit="ns",
    meaning="Time of the path outside of MPI.",
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

SYNCHRONISATION_POINTS = Table(
    name="synchronisation_points",
    meaning="Where the processes of a program met: calls that waited, or were waited for.",
    grain="one row per call and message or collective that it met others for",
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
        renamed(LOCATION_ID, "cause_location_id", "Location waited for.", null_means=NOBODY),
        renamed(VISIT_ID, "cause_visit_id", "Visit of the call waited for.", null_means=NOBODY),
        nullable(
            renamed(ENTER_NS, "cause_enter_ns", "When the call waited for was entered."), NOBODY
        ),
        nullable(MESSAGE_ID, "not about a message"),
        nullable(COLLECTIVE_ID, "not about a collective"),
    ),
)

LOCATION_SPANS = Table(
    name="location_spans",
    meaning="From entering MPI_Init to entering MPI_Finalize; without them the whole location.",
    grain="one row per location with records",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        Column(
            name="is_process",
            type=BOOL,
            meaning="The first thread of a process, which stands for it.",
        ),
        Column(
            name="is_worker",
            type=BOOL,
            meaning="The first thread of a process, or a member of a team of threads.",
        ),
        renamed(VISIT_ID, "begin_visit_id", "Visit of MPI_Init.", null_means="no MPI_Init"),
        nullable(
            renamed(CALL_PATH_ID, "begin_call_path_id", "Call path of MPI_Init."), "no MPI_Init"
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin of the span."),
        renamed(VISIT_ID, "end_visit_id", "Visit of MPI_Finalize.", null_means="no MPI_Finalize"),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the span."),
    ),
)

CRITICAL_PATH_JUMPS = Table(
    name="critical_path_jumps",
    meaning="Ways to go on backwards: from a call that waited to the one it waited for, and from "
    "there to the call that waited last before it.",
    grain="one row per call that waited, and one for the program's end",
    key=("point_id",),
    is_transient=True,
    columns=(
        POINT_ID,
        nullable(VISIT_ID, "the program's end"),
        nullable(WAIT_NS, "the program's end"),
        renamed(LOCATION_ID, "cause_location_id", "Location on which the path goes on."),
        renamed(
            VISIT_ID, "cause_visit_id", "Call before which it goes on.", null_means="at its end"
        ),
        renamed(ENTER_NS, "cause_enter_ns", "When that call was entered, or the location ended."),
        renamed(
            POINT_ID,
            "predecessor_id",
            "The last call before it that waited.",
            null_means="none: the path goes back to the begin",
        ),
    ),
)

CRITICAL_PATH_STEPS = Table(
    name="critical_path_steps",
    meaning="The jumps of the critical path in their order.",
    grain="one row per segment of the critical path",
    key=("ordinal",),
    is_transient=True,
    columns=(
        SEGMENT_ORDINAL,
        renamed(POINT_ID, "point_id", "Jump with which the path leaves the segment."),
    ),
)

CRITICAL_PATH_SEGMENTS = Table(
    name="critical_path_segments",
    meaning="The critical path: which location decided when. Each segment but the first begins in "
    "a call that waited for the location of the segment before.",
    grain="one row per segment of the critical path",
    key=("ordinal",),
    columns=(
        SEGMENT_ORDINAL,
        LOCATION_ID,
        BEGIN_NS,
        END_NS,
        nullable(KIND, START, meaning="Why the path came from elsewhere."),
        renamed(
            LOCATION_ID, "cause_location_id", "Location that the path came from.", null_means=START
        ),
        renamed(
            VISIT_ID,
            "visit_id",
            "Call that the segment begins in: one that waited, or MPI_Init.",
            null_means="the begin of the location",
        ),
        nullable(CALL_PATH_ID, "the begin of the location"),
        Column(
            name="wait_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Waiting at the begin, which is no part of the path's length.",
        ),
        Column(
            name="completion_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Rest of the call that waited: how long it still took to complete.",
        ),
        renamed(
            VISIT_ID,
            "end_visit_id",
            "Call that the segment ends before: one that was waited for, or MPI_Finalize.",
            null_means="the end of the location",
        ),
    ),
)

CRITICAL_PATH_PROFILE = Table(
    name="critical_path_profile",
    meaning="Where the critical path spends its time.",
    grain="one row per call path and location with time on the critical path",
    key=("call_path_id", "location_id"),
    columns=(CALL_PATH_ID, LOCATION_ID, PATH_NS),
)

CRITICAL_PATH_LOCATIONS = Table(
    name="critical_path_locations",
    meaning="How much of the critical path each process contributes.",
    grain="one row per location that the critical path visits",
    key=("location_id",),
    columns=(LOCATION_ID, SEGMENT_COUNT, COMPUTATION_NS, COMMUNICATION_NS),
)

CRITICAL_PATH_PARTNERS = Table(
    name="critical_path_partners",
    meaning="Between which locations the critical path passes on.",
    grain="one row per pair of locations and kind with which the path passes on",
    key=("from_location_id", "to_location_id", "kind"),
    columns=(
        renamed(LOCATION_ID, "from_location_id", "Location that was waited for."),
        renamed(LOCATION_ID, "to_location_id", "Location that waited, where the path goes on."),
        KIND,
        Column(name="jump_count", type=INT64, minimum=1, meaning="How often."),
        Column(
            name="wait_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Waiting there, which is no part of the path's length.",
        ),
        Column(
            name="completion_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            meaning="Time of the path in those calls, after the waiting: communication.",
        ),
    ),
)

CRITICAL_PATH_WAITS = Table(
    name="critical_path_waits",
    meaning="Waiting that the critical path contains, as it is not followed to whoever was waited "
    "for: in scans, and what Scalasca's analyser leaves out.",
    grain="one row per property, call path and location with such time, beyond the reference apart",
    key=("property", "call_path_id", "location_id", "is_beyond_reference"),
    columns=(
        renamed(METRIC, "property", "Metric of the wait state."),
        CALL_PATH_ID,
        LOCATION_ID,
        IS_BEYOND_REFERENCE,
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
    meaning="The critical path as a whole. Its length, computation and communication, is about the "
    "time from its begin to its end: only waiting in collectives is counted from a record inside "
    "the call, and clocks may disagree.",
    grain="one row if the trace has a critical path",
    key=("begin_ns",),
    columns=(
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Where the path begins."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="Where the path ends."),
        Column(
            name="wall_ns", type=INT64, unit="ns", meaning="From first to last record of the run."
        ),
        COMPUTATION_NS,
        COMMUNICATION_NS,
        SEGMENT_COUNT,
        Column(
            name="location_count",
            type=INT32,
            minimum=1,
            meaning="Locations that the path visits.",
        ),
        Column(
            name="is_whole",
            type=BOOL,
            meaning="It reaches back to the begin; false where contradicting clocks or wrongly "
            "matched messages turn it in a circle.",
        ),
    ),
)

CRITICAL_PATH_WORK = Table(
    name="critical_path_work",
    meaning="How long every process worked, beside how long the critical path is at that place.",
    grain="one row per call path and location that works there, if there is a critical path",
    key=("call_path_id", "location_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="work_ns", type=INT64, unit="ns", minimum=1, meaning="Time there without waiting."
        ),
        replace(PATH_NS, meaning="Time of the path there, summed over all locations."),
    ),
)

CRITICAL_PATH_IMPACTS = Table(
    name="critical_path_impacts",
    meaning="What the critical path costs the locations beside it.",
    grain="one row per call path on the critical path",
    key=("call_path_id",),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        replace(PATH_NS, meaning="Time of the path there, summed over all locations."),
        Column(
            name="impact_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Time that all locations lose because they have less to do there.",
        ),
        Column(
            name="partition_impact_ns",
            type=FLOAT64,
            unit="ns",
            minimum=0,
            meaning="Time that processes lose which have nothing to do there.",
        ),
    ),
)

CRITICAL_PATH_IMBALANCES = Table(
    name="critical_path_imbalances",
    meaning="How much of the critical path is there only because work is spread unevenly.",
    grain="one row per call path on the critical path whose work is spread unevenly",
    key=("call_path_id",),
    is_transient=True,
    columns=(
        CALL_PATH_ID,
        Column(
            name="imbalance_ratio",
            type=FLOAT64,
            minimum=0,
            maximum=1,
            meaning="Share of the path, there and below, that evenly spread work would not need.",
        ),
    ),
)

CRITICAL_PATH_SEVERITIES = Table(
    name="critical_path_severities",
    meaning="What the critical path says about the call paths and locations that it visits.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES = (
    SYNCHRONISATION_POINTS, LOCATION_SPANS, CRITICAL_PATH_JUMPS, CRITICAL_PATH_STEPS,
    CRITICAL_PATH_SEGMENTS, CRITICAL_PATH_PROFILE, CRITICAL_PATH_LOCATIONS,
    CRITICAL_PATH_PARTNERS, CRITICAL_PATH_WAITS, CRITICAL_PATH_SUMMARY, CRITICAL_PATH_WORK,
    CRITICAL_PATH_IMPACTS, CRITICAL_PATH_IMBALANCES, CRITICAL_PATH_SEVERITIES,
)  # fmt: skip
