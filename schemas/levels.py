"""Levels of the program, from nodes to primitive activities, and what passes between processes."""

from dataclasses import replace

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    MESSAGE_COUNT,
    METRIC,
    NOT_RECORDED,
    WAIT_NS,
    nullable,
    renamed,
)
from tracemill.schemas.overheads import ACTIVITY
from tracemill.schemas.table import BOOL, ENUM, FLOAT64, INT32, INT64, STRING, Column, Table

NODE = Column(
    name="node",
    type=STRING,
    meaning="Name of the unit of class node around the process, else of the closest unit.",
)
_RANK = Column(name="rank", type=INT32, minimum=0, meaning="Rank of the process.")
_SOME_CAUSE = "rows of waits without a single cause"

ACTIVITY_TIMES = Table(
    name="activity_times",
    meaning=(
        "Primitive activities of CPU threads. The times of each thread sum to the main part of the "
        "run."
    ),
    grain="one row per CPU thread, call path and activity with time in the main part",
    key=("location_id", "call_path_id", "activity"),
    columns=(
        LOCATION_ID,
        nullable(CALL_PATH_ID, "outside visits"),
        renamed(
            ACTIVITY,
            "activity",
            "Blocked in a wait state, else the activity of the class of overhead.",
        ),
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            meaning="Time in the main part. Time outside of visits is negative if visits overlap.",
        ),
    ),
)

PROCESS_NODES = Table(
    name="process_nodes",
    meaning="Node that each process runs on.",
    grain="one row per location group",
    key=("location_group_id",),
    columns=(LOCATION_GROUP_ID, _RANK, replace(NODE, null_means=NOT_RECORDED)),
)

_EXCHANGED = (
    renamed(METRIC, "property", "Wait state.", null_means="messages and the critical path"),
    MESSAGE_COUNT,
    Column(name="bytes", type=INT64, unit="bytes", minimum=0, meaning="Bytes of the messages."),
    replace(WAIT_NS, meaning="Waiting of the second one that the first one caused."),
    replace(WAIT_NS, name="completion_ns", meaning="Completion time of the second one, likewise."),
    Column(
        name="path_jump_count",
        type=INT64,
        unit="jumps",
        minimum=0,
        meaning="Number of transitions of the critical path from the first to the second one.",
    ),
    replace(WAIT_NS, name="path_wait_ns", meaning="Waiting at these transitions."),
    replace(WAIT_NS, name="path_completion_ns", meaning="Completion time at these transitions."),
)

PROCESS_PAIRS = Table(
    name="process_pairs",
    meaning="Messages, waiting and the critical path between pairs of processes.",
    grain="one row per pair of processes, and wait state or none",
    key=("from_group_id", "to_group_id", "property"),
    columns=(
        renamed(
            LOCATION_GROUP_ID,
            "from_group_id",
            "Sender; process that was waited for; process that the critical path left.",
            null_means=_SOME_CAUSE,
        ),
        renamed(
            LOCATION_GROUP_ID,
            "to_group_id",
            "Receiver; process that waited; process that the critical path went to.",
        ),
        renamed(_RANK, "from_rank", "Rank of the first one.", null_means=_SOME_CAUSE),
        renamed(_RANK, "to_rank", "Rank of the second one."),
        *_EXCHANGED,
    ),
)

NODE_PAIRS = Table(
    name="node_pairs",
    meaning="Messages, waiting and the critical path inside nodes and between pairs of nodes.",
    grain="one row per pair of nodes, and wait state or none",
    key=("from_node", "to_node", "property"),
    columns=(
        renamed(
            NODE,
            "from_node",
            "Node of the first process.",
            null_means=f"{NOT_RECORDED}, or {_SOME_CAUSE}",
        ),
        renamed(NODE, "to_node", "Node of the second process.", null_means=NOT_RECORDED),
        Column(
            name="is_inside",
            type=BOOL,
            null_means="a node is not known",
            meaning="Both processes run on the same node.",
        ),
        *_EXCHANGED,
    ),
)

LEVELS = ("program", "node", "process", "thread", "call path", "activity")
_METRIC = renamed(
    METRIC,
    "metric",
    "Name in `metrics`, for the whole run; `main_ns` or an activity with `_ns`, for the main part; "
    "`path_ns`: time on the critical path; or a counter.",
)
_UNIT = Column(name="unit", type=STRING, meaning="Unit of the value.")
_VALUE = Column(name="value", type=FLOAT64, meaning="Value, without that of callees.")
_NO_CALLER = "a root, or outside call paths"
LEVEL_CELLS = Table(
    name="level_cells",
    meaning="All metrics, with the entity of every level that each value belongs to.",
    grain="one row per metric, call path, location and activity",
    key=("metric", "thread", "call_path", "activity"),
    columns=(
        _METRIC,
        _UNIT,
        NODE,
        Column(name="process", type=STRING, meaning="Rank of the process."),
        Column(name="thread", type=STRING, meaning="Rank and thread, such as 3:0."),
        Column(name="call_path", type=STRING, meaning="Call path, or outside."),
        Column(name="caller", type=STRING, null_means=_NO_CALLER, meaning="Its caller."),
        renamed(ACTIVITY, "activity", "Primitive activity that the value belongs to."),
        _VALUE,
        Column(
            name="divisor",
            type=FLOAT64,
            null_means="values are sums",
            meaning="What the sum of the values is divided by, if the metric is a ratio or mean.",
        ),
    ),
)

HIERARCHY = Table(
    name="hierarchy",
    meaning=(
        "All metrics on all levels of the program. Values on each level sum to that of the "
        "program, except ratios and means."
    ),
    grain="one row per level, entity and metric with a value",
    key=("level", "entity", "metric"),
    columns=(
        Column(name="level", type=ENUM, values=LEVELS, meaning="Level of the program."),
        Column(
            name="entity",
            type=STRING,
            meaning="Node, rank of a process, rank and thread such as 3:0, call path, or activity.",
        ),
        _METRIC,
        Column(
            name="parent_entity",
            type=STRING,
            null_means="the program",
            meaning="Entity that holds this one; of call paths, the caller; else the program.",
        ),
        replace(_VALUE, null_means="the divisor of a ratio is 0"),
        _UNIT,
        Column(
            name="share",
            type=FLOAT64,
            unit="ratio",
            null_means="ratios and means; the program has no value",
            meaning="Share of the program's value.",
        ),
    ),
)

VIEWS = (ACTIVITY_TIMES, PROCESS_NODES, PROCESS_PAIRS, NODE_PAIRS, LEVEL_CELLS, HIERARCHY)
