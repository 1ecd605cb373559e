"""Where time is lost to parallelism: the classes of overhead, and the time of each."""

import re
from dataclasses import dataclass, replace

from schemas.columns import (
    CALL_PATH_ID,
    ENTER_NS,
    EXCLUSIVE_NS,
    INCLUSIVE_NS,
    LEAVE_NS,
    LOCATION_ID,
    METRIC,
    REGION_ID,
    VISIT_COUNT,
    nullable,
    renamed,
)
from schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table


@dataclass(frozen=True)
class Overhead:
    """A class of the taxonomy of Truong and Fahringer (2001); its number is its place in it.

    Its metric says what belongs to it.
    """

    name: str
    part: str

    @property
    def metric(self) -> str:
        """Name of the metric of this class."""
        if self.part == "user code":
            return "computation"
        return "overhead_" + re.sub("[^a-z]+", "_", self.part.lower().replace("i/o", "io"))


TAXONOMY = (
    Overhead("computation", "user code"),
    Overhead("data movement", "local memory"),
    Overhead("data movement", "point-to-point"),
    Overhead("data movement", "collective"),
    Overhead("data movement", "put/get"),
    Overhead("data movement", "I/O"),
    Overhead("synchronisation", "barrier"),
    Overhead("synchronisation", "lock"),
    Overhead("synchronisation", "wait"),
    Overhead("synchronisation", "condition"),
    Overhead("control of parallelism", "fork/join"),
    Overhead("control of parallelism", "scheduling"),
    Overhead("control of parallelism", "process/thread management"),
    Overhead("control of parallelism", "initialise/finalise"),
    Overhead("additional computation", "algorithm change"),
    Overhead("additional computation", "compiler change"),
    Overhead("loss of parallelism", "unparallelised code"),
    Overhead("loss of parallelism", "replicated code"),
    Overhead("loss of parallelism", "partially parallelised code"),
    Overhead("loss of parallelism", "idle threads"),
    Overhead("unidentified", "measurement"),
    Overhead("unidentified", "no rule"),
    Overhead("unidentified", "outside visits"),
)


def overhead_id(part: str) -> int:
    """Number of the class with this subclass."""
    return [each.part for each in TAXONOMY].index(part)


OVERHEAD_ID = Column(
    name="overhead_id",
    type=INT32,
    minimum=0,
    maximum=len(TAXONOMY) - 1,
    meaning="Class of overhead, numbered as in overhead_classes.",
)
OVERHEAD_CLASS = Column(
    name="overhead_class",
    type=ENUM,
    values=tuple(dict.fromkeys(each.name for each in TAXONOMY)),
    meaning="Class of the taxonomy.",
)
OVERHEAD_SUBCLASS = Column(
    name="overhead_subclass",
    type=ENUM,
    values=tuple(each.part for each in TAXONOMY),
    meaning="Subclass; no two classes have one of the same name.",
)
RULE_ID = Column(
    name="rule_id", type=INT32, minimum=0, meaning="Rule, in order: the first that fits counts."
)

OVERHEAD_CLASSES = Table(
    name="overhead_classes",
    meaning="The taxonomy of overheads: every nanosecond of a location is in one class.",
    grain="one row per class",
    key=("overhead_id",),
    columns=(
        OVERHEAD_ID,
        OVERHEAD_CLASS,
        OVERHEAD_SUBCLASS,
        replace(METRIC, meaning="Its metric, which `metrics` describes."),
    ),
)

OVERHEAD_RULES = Table(
    name="overhead_rules",
    meaning="Which regions belong to which class of overhead, as given or shipped.",
    grain="one row per rule",
    key=("rule_id",),
    columns=(
        RULE_ID,
        Column(name="line", type=INT32, minimum=1, meaning="Line of the file of rules."),
        Column(name="paradigm", type=STRING, meaning="Pattern of the region's paradigm."),
        Column(name="role", type=STRING, meaning="Pattern of the region's role."),
        Column(name="name", type=STRING, meaning="Pattern of the region's name."),
        OVERHEAD_ID,
    ),
)

REGION_CLASSES = Table(
    name="region_classes",
    meaning="The class of overhead that the exclusive time of each region belongs to.",
    grain="one row per region",
    key=("region_id",),
    columns=(REGION_ID, OVERHEAD_ID, nullable(RULE_ID, "no rule names the region")),
)

FORK_JOIN_TIMES = Table(
    name="fork_join_times",
    meaning="Time between parallel regions and their fork and join.",
    grain="one row per call path of a parallel region and location",
    key=("call_path_id", "location_id"),
    columns=(
        CALL_PATH_ID,
        LOCATION_ID,
        renamed(
            EXCLUSIVE_NS,
            "fork_join_ns",
            "From the fork to entering, and from leaving to the join: a part of exclusive time.",
        ),
        renamed(EXCLUSIVE_NS, "fork_ns", "From the fork to entering: a part of that."),
    ),
)

OPERATION_CALLS = Table(
    name="operation_calls",
    meaning="Calls of operations: communication, synchronisation and I/O.",
    grain="one row per call path of an operation and location that visited it",
    key=("call_path_id", "location_id"),
    is_transient=True,
    columns=(
        Column(
            name="kind",
            type=ENUM,
            values=("communication", "synchronisation", "io"),
            meaning="What the operation is.",
        ),
        Column(
            name="operation",
            type=STRING,
            meaning="The MPI call, as in C, in lower case; else the region's name.",
        ),
        CALL_PATH_ID,
        LOCATION_ID,
        VISIT_COUNT,
        renamed(EXCLUSIVE_NS, "time_ns", "Time of the calls, without fork and join."),
        Column(name="is_complete", type=BOOL, meaning="Nothing of the location is missing."),
    ),
)

LOCATION_BASES = Table(
    name="location_bases",
    meaning="Which class of overhead a location's time outside visits belongs to, and when.",
    grain="one row per location",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        renamed(OVERHEAD_ID, "overhead_id", "Class of time outside visits, from begin to end."),
        renamed(OVERHEAD_ID, "outside_id", "Class of time before that and after it."),
        renamed(ENTER_NS, "begin_ns", "When time outside visits begins to be of the class."),
        renamed(LEAVE_NS, "end_ns", "When it ceases to be."),
        renamed(ENTER_NS, "run_begin_ns", "First record of the run."),
        renamed(LEAVE_NS, "run_end_ns", "Last record of the run."),
    ),
)

_TIME_RATIO = Column(
    name="time_ratio",
    type=FLOAT64,
    unit="ratio",
    null_means="the run took no time",
    meaning="Share of the run.",
)

LOCATION_OVERHEADS = Table(
    name="location_overheads",
    meaning="How the run divides into classes of overhead, for every location.",
    grain="one row per location and class that took time",
    key=("location_id", "overhead_id"),
    columns=(
        LOCATION_ID,
        OVERHEAD_ID,
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            meaning="Time of the class; over all classes it is the time from the run's first to "
            "its last record. Outside visits it is negative where visits overlap.",
        ),
        _TIME_RATIO,
    ),
)

OVERHEADS = Table(
    name="overheads",
    meaning="How the run divides into classes of overhead, over all locations.",
    grain="one row per class that took time",
    key=("overhead_id",),
    columns=(
        OVERHEAD_ID,
        Column(name="time_ns", type=INT64, unit="ns", meaning="Time of all locations."),
        renamed(_TIME_RATIO, "time_ratio", "Share of the time of all locations.",
                null_means="the run took no time"),
        Column(name="mean_ns", type=INT64, unit="ns", meaning="Mean over all locations, rounded."),
        Column(name="longest_ns", type=INT64, unit="ns", meaning="Most on any location."),
    ),
)  # fmt: skip

_EXCLUSIVE = renamed(EXCLUSIVE_NS, "exclusive_ns", "Time of the class without callees.")

CALL_PATH_OVERHEADS = Table(
    name="call_path_overheads",
    meaning="Time per class of overhead of every call path, over all locations.",
    grain="one row per class and call path at or below which it took time",
    key=("overhead_id", "call_path_id"),
    columns=(
        OVERHEAD_ID,
        CALL_PATH_ID,
        _EXCLUSIVE,
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time of the class at the call path and below it; tasks count below TASKS only.",
        ),
    ),
)

REGION_OVERHEADS = Table(
    name="region_overheads",
    meaning="Time per class of overhead of every region of the call graph, over all locations.",
    grain="one row per class and executed region in which, or below which, it took time",
    key=("overhead_id", "region_id"),
    columns=(
        OVERHEAD_ID,
        REGION_ID,
        _EXCLUSIVE,
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time of the class in the region and all that was called or forked from it; inner "
            "visits of a recursion count once.",
        ),
    ),
)

TABLES = (
    OVERHEAD_CLASSES, OVERHEAD_RULES, REGION_CLASSES, FORK_JOIN_TIMES,
    OPERATION_CALLS, LOCATION_BASES, LOCATION_OVERHEADS, OVERHEADS, CALL_PATH_OVERHEADS,
    REGION_OVERHEADS,
)  # fmt: skip
