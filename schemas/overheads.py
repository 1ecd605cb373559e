"""Overheads of parallelism: the classes, and the time of each class."""

import re
from dataclasses import dataclass, replace

from tracemill.schemas.columns import (
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
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

ACTIVITIES = (
    "computing", "blocked", "communicating", "synchronizing", "I/O", "create/destroy", "idle",
    "unknown",
)  # fmt: skip
"""Primitive activities, as in EXPERT (Wolf and Mohr). A CPU thread is in one of them at a time."""


@dataclass(frozen=True)
class Overhead:
    """A class of the taxonomy of Truong and Fahringer (2001). Its position is its number.

    The meaning is that of its metric.
    """

    name: str
    part: str
    activity: str

    @property
    def metric(self) -> str:
        """Name of the metric of this class."""
        if self.part == "user code":
            return "computation"
        return "overhead_" + re.sub("[^a-z]+", "_", self.part.lower().replace("i/o", "io"))


TAXONOMY = (
    Overhead("computation", "user code", "computing"),
    Overhead("data movement", "local memory", "computing"),
    Overhead("data movement", "point-to-point", "communicating"),
    Overhead("data movement", "collective", "communicating"),
    Overhead("data movement", "put/get", "communicating"),
    Overhead("data movement", "I/O", "I/O"),
    Overhead("synchronisation", "barrier", "synchronizing"),
    Overhead("synchronisation", "lock", "synchronizing"),
    Overhead("synchronisation", "wait", "synchronizing"),
    Overhead("synchronisation", "condition", "synchronizing"),
    Overhead("control of parallelism", "fork/join", "create/destroy"),
    Overhead("control of parallelism", "scheduling", "create/destroy"),
    Overhead("control of parallelism", "process/thread management", "create/destroy"),
    Overhead("control of parallelism", "initialise/finalise", "create/destroy"),
    Overhead("additional computation", "algorithm change", "computing"),
    Overhead("additional computation", "compiler change", "computing"),
    Overhead("loss of parallelism", "unparallelised code", "computing"),
    Overhead("loss of parallelism", "replicated code", "computing"),
    Overhead("loss of parallelism", "partially parallelised code", "computing"),
    Overhead("loss of parallelism", "idle threads", "idle"),
    Overhead("unidentified", "measurement", "unknown"),
    Overhead("unidentified", "no rule", "unknown"),
    Overhead("unidentified", "outside visits", "unknown"),
    Overhead("data movement", "device memory", "communicating"),
)
"""New classes come last: tables of stored runs keep the numbers of the others."""


def overhead_id(part: str) -> int:
    """Number of the class with this subclass."""
    return [each.part for each in TAXONOMY].index(part)


OVERHEAD_ID = Column(
    name="overhead_id",
    type=INT32,
    minimum=0,
    maximum=len(TAXONOMY) - 1,
    meaning="Overhead class, numbered as in overhead_classes.",
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
    meaning="Subclass. Names of subclasses are unique.",
)
ACTIVITY = Column(
    name="activity",
    type=ENUM,
    values=ACTIVITIES,
    meaning=(
        "Primitive activity of the class, from which blocked time in wait states is taken off: "
        "computing, also in local memory; communicating, also with accelerators; synchronizing; "
        "I/O; create/destroy: control of parallelism; idle: a worker outside regions; unknown: "
        "measurement, no rule, or outside visits."
    ),
)
RULE_ID = Column(
    name="rule_id", type=INT32, minimum=0, meaning="Rule, in order. The first matching rule counts."
)

OVERHEAD_CLASSES = Table(
    name="overhead_classes",
    meaning="The overhead taxonomy. Every nanosecond of a location is in exactly one class.",
    grain="one row per class",
    key=("overhead_id",),
    columns=(
        OVERHEAD_ID,
        OVERHEAD_CLASS,
        OVERHEAD_SUBCLASS,
        ACTIVITY,
        replace(METRIC, meaning="Metric of the class; see table `metrics` for its meaning."),
    ),
)

OVERHEAD_RULES = Table(
    name="overhead_rules",
    meaning="Rules that assign regions to overhead classes: the shipped rules, or the user's.",
    grain="one row per rule",
    key=("rule_id",),
    columns=(
        RULE_ID,
        Column(name="line", type=INT32, minimum=1, meaning="Line in the rules file."),
        Column(name="paradigm", type=STRING, meaning="Pattern for the paradigm of the region."),
        Column(name="role", type=STRING, meaning="Pattern for the role of the region."),
        Column(name="name", type=STRING, meaning="Pattern for the name of the region."),
        OVERHEAD_ID,
    ),
)

REGION_CLASSES = Table(
    name="region_classes",
    meaning="Overhead class of the exclusive time of each region.",
    grain="one row per region",
    key=("region_id",),
    columns=(REGION_ID, OVERHEAD_ID, nullable(RULE_ID, "no rule matches the region")),
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
            "Time from the fork to the enter and from the leave to the join, part of the exclusive "
            "time.",
        ),
        renamed(
            EXCLUSIVE_NS, "fork_ns", "Time from the fork to the enter, part of `fork_join_ns`."
        ),
    ),
)

OPERATION_CALLS = Table(
    name="operation_calls",
    meaning="Calls of communication, synchronization and I/O operations.",
    grain="one row per call path of an operation and location that visited it",
    key=("call_path_id", "location_id"),
    is_transient=True,
    columns=(
        Column(
            name="kind",
            type=ENUM,
            values=("communication", "synchronisation", "io"),
            meaning="Kind of operation.",
        ),
        Column(
            name="operation",
            type=STRING,
            meaning="Lower-case C name of the MPI call; otherwise, the name of the region.",
        ),
        CALL_PATH_ID,
        LOCATION_ID,
        VISIT_COUNT,
        renamed(EXCLUSIVE_NS, "time_ns", "Time of the calls, without fork and join."),
        Column(name="is_complete", type=BOOL, meaning="No records of the location are missing."),
    ),
)

LOCATION_BASES = Table(
    name="location_bases",
    meaning="Overhead class of a location's time outside of visits, with its time range.",
    grain="one row per location with code",
    key=("location_id",),
    is_transient=True,
    columns=(
        LOCATION_ID,
        renamed(
            OVERHEAD_ID,
            "overhead_id",
            "Class of the time outside of visits, from `begin_ns` to `end_ns`.",
        ),
        renamed(
            OVERHEAD_ID,
            "outside_id",
            "Class of the time outside of visits before and after this range.",
        ),
        renamed(ENTER_NS, "begin_ns", "Start of the range."),
        renamed(LEAVE_NS, "end_ns", "End of the range."),
        renamed(ENTER_NS, "run_begin_ns", "First record of the run."),
        renamed(LEAVE_NS, "run_end_ns", "Last record of the run."),
    ),
)

_TIME_RATIO = Column(
    name="time_ratio",
    type=FLOAT64,
    unit="ratio",
    null_means="the run took no time",
    meaning="Share of the length of the run.",
)

LOCATION_OVERHEADS = Table(
    name="location_overheads",
    meaning="Overhead classes of the run, per location.",
    grain="one row per location and class that took time",
    key=("location_id", "overhead_id"),
    columns=(
        LOCATION_ID,
        OVERHEAD_ID,
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Time of the class. The sum over all classes is the length of the run. Time "
                "outside of visits is negative if visits overlap."
            ),
        ),
        _TIME_RATIO,
    ),
)

OVERHEADS = Table(
    name="overheads",
    meaning="Overhead classes of the run, over all locations.",
    grain="one row per class that took time",
    key=("overhead_id",),
    columns=(
        OVERHEAD_ID,
        Column(name="time_ns", type=INT64, unit="ns", meaning="Time of all locations."),
        renamed(_TIME_RATIO, "time_ratio", "Share of the time of all locations.",
                null_means="the run took no time"),
        Column(name="mean_ns", type=INT64, unit="ns", meaning="Mean over all locations, rounded."),
        Column(name="longest_ns", type=INT64, unit="ns", meaning="Longest time of a location."),
    ),
)  # fmt: skip

_EXCLUSIVE = renamed(EXCLUSIVE_NS, "exclusive_ns", "Time of the class without callees.")

CALL_PATH_OVERHEADS = Table(
    name="call_path_overheads",
    meaning="Time per overhead class and call path, over all locations.",
    grain="one row per class, and call path with time of the class at or below it",
    key=("overhead_id", "call_path_id"),
    columns=(
        OVERHEAD_ID,
        CALL_PATH_ID,
        _EXCLUSIVE,
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time of the class at the call path and below it. Tasks count only below TASKS.",
        ),
    ),
)

REGION_OVERHEADS = Table(
    name="region_overheads",
    meaning="Time per overhead class and region of the call graph, over all locations.",
    grain="one row per class, and executed region with time of the class in it or below it",
    key=("overhead_id", "region_id"),
    columns=(
        OVERHEAD_ID,
        REGION_ID,
        _EXCLUSIVE,
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time of the class in the region and everything called or forked from it. Inner visits "
            "of a recursion count once.",
        ),
        Column(
            name="forked_ns",
            type=INT64,
            unit="ns",
            meaning="Part of `inclusive_ns` on locations that are not in the region themselves.",
        ),
    ),
)

TABLES = (
    OVERHEAD_CLASSES, OVERHEAD_RULES, REGION_CLASSES, FORK_JOIN_TIMES,
    OPERATION_CALLS, LOCATION_BASES, LOCATION_OVERHEADS, OVERHEADS, CALL_PATH_OVERHEADS,
    REGION_OVERHEADS,
)  # fmt: skip
