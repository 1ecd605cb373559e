"""What CPU threads do at every moment, and the phases of the run."""

from tracemill.schemas.columns import LOCATION_ID, renamed
from tracemill.schemas.table import ENUM, INT64, Column, Table, not_before

ACTIVITIES = (
    "computing", "blocked", "communicating", "synchronizing", "I/O", "create/destroy", "idle",
    "unknown",
)  # fmt: skip
ACTIVITY = Column(
    name="activity",
    type=ENUM,
    values=ACTIVITIES,
    meaning=(
        "Computing, also in local memory; blocked in a wait state; communicating, synchronizing or "
        "I/O without the waiting; create/destroy: starting and ending processes and threads; idle: "
        "a worker outside regions; unknown: measurement, no rule, or outside visits."
    ),
)

ACTIVITY_STRETCHES = Table(
    name="activities",
    meaning="What each CPU thread does, from the begin to the end of the run.",
    grain="one row per CPU thread and stretch of one activity",
    key=("location_id", "begin_ns"),
    is_partitioned=True,
    columns=(
        LOCATION_ID,
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Start of the stretch."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the stretch."),
        ACTIVITY,
        renamed(
            ACTIVITY,
            "call_activity",
            "Activity of the call: the same, except for stretches in which it is blocked.",
        ),
    ),
    rules=(not_before("end_ns", "begin_ns"),),
)

TABLES = (ACTIVITY_STRETCHES,)
