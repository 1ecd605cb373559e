"""Perturbation: time that the measurement itself took."""

from tracemill.schemas.columns import CALL_PATH_ID, EXCLUSIVE_NS, LOCATION_ID, renamed
from tracemill.schemas.table import BOOL, FLOAT64, INT64, Column, Table

_UNKNOWN = "no location has 100 gaps between neighboring enter and leave records"
_FLUSH_NS = Column(
    name="flush_ns", type=INT64, unit="ns", minimum=0,
    meaning="Time in which the measurement system wrote its buffer.",
)  # fmt: skip
_EVENT_COST_NS = Column(
    name="event_cost_ns",
    type=INT64,
    unit="ns",
    minimum=0,
    null_means=_UNKNOWN,
    meaning=(
        "Time to record an event: as given with --event-cost, else the median over locations of "
        "the first percentile of gaps, which is an upper bound of the least cost."
    ),
)

PERTURBATION = Table(
    name="perturbation",
    meaning="Records of call paths, and the time that the measurement took for them.",
    grain="one row per call path and CPU thread with visits of it",
    key=("call_path_id", "location_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        Column(
            name="record_count",
            type=INT64,
            minimum=0,
            meaning="Enter and leave records of its visits, and records while it is innermost.",
        ),
        Column(
            name="cost_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            null_means=_UNKNOWN,
            meaning="Records times the cost of one.",
        ),
        _FLUSH_NS,
        EXCLUSIVE_NS,
        Column(
            name="perturbed_ratio",
            type=FLOAT64,
            unit="ratio",
            null_means="the cost of a record is not known, or the exclusive time is zero",
            meaning="Cost and flushes as a share of the exclusive time.",
        ),
    ),
)
RUN_PERTURBATION = Table(
    name="run_perturbation",
    meaning="The time that the measurement took in the whole run.",
    grain="one row",
    key=("record_count",),
    columns=(
        Column(
            name="record_count", type=INT64, minimum=0, meaning="Event records of all CPU threads."
        ),
        _EVENT_COST_NS,
        Column(name="is_given", type=BOOL, meaning="The cost was given with --event-cost."),
        renamed(_EVENT_COST_NS, "cost_ns", "Records times the cost of one.", null_means=_UNKNOWN),
        _FLUSH_NS,
        Column(
            name="perturbed_ratio",
            type=FLOAT64,
            unit="ratio",
            null_means="the cost of a record is not known, or the main part took no time",
            meaning="Cost and flushes as a share of the main part of all CPU threads.",
        ),
    ),
)

TABLES = (RUN_PERTURBATION,)
VIEWS = (PERTURBATION,)
