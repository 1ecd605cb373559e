"""Definitions of the trace: the run, its system and its code."""

from tracemill.schemas.columns import (
    CALL_PATH_ID,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    NAME,
    NOT_RECORDED,
    PARADIGM,
    REGION_ID,
    SOURCE_REF,
    VISIT_COUNT,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, ENUM, INT32, INT64, STRING, Column, Table

REGION_ROLES = (
    "unknown", "function", "wrapper", "loop", "code", "parallel", "sections", "section",
    "workshare", "single", "single_sblock", "master", "critical", "critical_sblock", "atomic",
    "barrier", "implicit_barrier", "flush", "ordered", "ordered_sblock", "task", "task_create",
    "task_wait", "coll_one2all", "coll_all2one", "coll_all2all", "coll_other", "file_io",
    "point2point", "rma", "data_transfer", "artificial", "thread_create", "thread_wait",
    "task_untied", "allocate", "deallocate", "reallocate", "file_io_metadata", "cancel", "kernel",
)  # fmt: skip
LOCATION_KINDS = ("unknown", "cpu_thread", "gpu", "metric")
LOCATION_GROUP_KINDS = ("unknown", "process", "accelerator")
CALL_PATH_KINDS = ("program", "task", "thread", "task_stub")

DETAILS = ("full", "calls", "profile")
FULL, CALLS, PROFILE = DETAILS
RUNS = Table(
    name="runs",
    meaning="The analyzed execution as a whole.",
    grain="one row per run",
    key=("run_id",),
    columns=(
        Column(
            name="run_id", type=STRING, meaning="Identifier of the run, derived from the trace."
        ),
        Column(name="trace_id", type=STRING, meaning="Identifier stored in the trace."),
        Column(name="source_format", type=STRING, meaning="Format of the trace."),
        Column(name="creator", type=STRING, meaning="Program that wrote the trace."),
        Column(name="machine_name", type=STRING, meaning="Machine that the program ran on."),
        Column(
            name="timer_resolution",
            type=INT64,
            unit="ticks/s",
            minimum=1,
            meaning="Clock ticks per second.",
        ),
        Column(
            name="global_offset_ticks",
            type=INT64,
            unit="ticks",
            meaning=(
                "Clock tick at the zero of the trace. All times in the tables count from there."
            ),
        ),
        Column(
            name="started_at_ns",
            type=INT64,
            unit="ns",
            null_means=NOT_RECORDED,
            meaning="Wall-clock time at the zero of the trace, since 1970-01-01 UTC.",
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="First record of any location."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="Last record of any location."),
        Column(name="location_count", type=INT32, minimum=0, meaning="Number of locations."),
        Column(name="process_count", type=INT32, minimum=0, meaning="Number of processes."),
        Column(name="record_count", type=INT64, minimum=0, meaning="Number of event records read."),
        Column(
            name="detail",
            type=ENUM,
            values=DETAILS,
            meaning=(
                "Level of detail: full has every visit, calls has sums of visits of user "
                "functions, profile has only the call tree."
            ),
        ),
    ),
)

SYSTEM_TREE_NODES = Table(
    name="system_tree_nodes",
    meaning="System tree: machines, nodes and other units that contain location groups.",
    grain="one row per system tree node",
    key=("system_tree_node_id",),
    columns=(
        Column(
            name="system_tree_node_id", type=INT32, minimum=0, meaning="Number in definition order."
        ),
        Column(
            name="parent_system_tree_node_id",
            type=INT32,
            null_means="the root",
            meaning="Node that contains this one.",
        ),
        NAME,
        Column(
            name="class_name", type=STRING, meaning="Kind of tree node, such as machine or node."
        ),
    ),
)

LOCATION_GROUPS = Table(
    name="location_groups",
    meaning="Groups of locations: processes and accelerators.",
    grain="one row per location group",
    key=("location_group_id",),
    columns=(
        LOCATION_GROUP_ID,
        SOURCE_REF,
        NAME,
        Column(name="kind", type=ENUM, values=LOCATION_GROUP_KINDS, meaning="Kind of group."),
        Column(
            name="rank",
            type=INT32,
            minimum=0,
            meaning="World rank of the process; without MPI, its position among the groups.",
        ),
        Column(
            name="system_tree_node_id",
            type=INT32,
            null_means=NOT_RECORDED,
            meaning="System tree node that the group ran on.",
        ),
        renamed(
            LOCATION_GROUP_ID,
            "creating_location_group_id",
            "Process that controls this accelerator.",
            null_means="an independent process",
        ),
    ),
)

LOCATIONS = Table(
    name="locations",
    meaning="Streams of events, and whether each could be read completely.",
    grain="one row per location",
    key=("location_id",),
    columns=(
        LOCATION_ID,
        SOURCE_REF,
        NAME,
        Column(name="kind", type=ENUM, values=LOCATION_KINDS, meaning="Kind of location."),
        LOCATION_GROUP_ID,
        Column(name="rank", type=INT32, minimum=0, meaning="Rank of the location's group."),
        Column(
            name="thread",
            type=INT32,
            minimum=0,
            meaning=(
                "Position of a thread in its process. Accelerator streams and metric locations "
                "have the numbers after the threads of their rank."
            ),
        ),
        Column(
            name="declared_count",
            type=INT64,
            minimum=0,
            meaning="Number of event records according to the definitions.",
        ),
        Column(name="record_count", type=INT64, minimum=0, meaning="Number of event records read."),
        Column(
            name="moved_count",
            type=INT64,
            minimum=0,
            meaning="Records whose time was corrected, because clocks contradict each other.",
        ),
        VISIT_COUNT,
        Column(
            name="begin_ns",
            type=INT64,
            unit="ns",
            null_means="no records",
            meaning="First record of the location.",
        ),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            null_means="no records",
            meaning="Last record of the location.",
        ),
        Column(name="is_complete", type=BOOL, meaning="No records are missing."),
        Column(
            name="record_gap_count",
            type=INT64,
            minimum=0,
            meaning=(
                "Number of gaps between neighboring enter and leave records, with at most metric "
                "records between."
            ),
        ),
        Column(
            name="short_record_gap_ns",
            type=INT64,
            unit="ns",
            minimum=0,
            null_means="no such gaps",
            meaning="First percentile of these gaps (nearest rank).",
        ),
    ),
)

REGIONS = Table(
    name="regions",
    meaning="Named code sections: functions, loops, constructs and library calls.",
    grain="one row per region",
    key=("region_id",),
    columns=(
        REGION_ID,
        SOURCE_REF,
        NAME,
        Column(name="canonical_name", type=STRING, meaning="Mangled or otherwise unique name."),
        Column(name="role", type=ENUM, values=REGION_ROLES, meaning="Role of the region."),
        PARADIGM,
        Column(
            name="file", type=STRING, null_means=NOT_RECORDED, meaning="Source file of the region."
        ),
        Column(
            name="begin_line",
            type=INT32,
            null_means=NOT_RECORDED,
            meaning="First source line of the region.",
        ),
        Column(
            name="end_line",
            type=INT32,
            null_means=NOT_RECORDED,
            meaning="Last source line of the region.",
        ),
    ),
)

LAST_CALL_PATH_ID = renamed(
    CALL_PATH_ID,
    "last_call_path_id",
    "Last id of the subtree: a call path and all call paths below it have consecutive ids.",
)

CALL_PATHS = Table(
    name="call_paths",
    meaning="The call tree of all locations. Threads are below the call path that forked them.",
    grain=(
        "one row per distinct chain of regions and call sites; each recursion depth is a separate "
        "row"
    ),
    key=("call_path_id",),
    columns=(
        CALL_PATH_ID,
        renamed(
            CALL_PATH_ID, "parent_call_path_id", "Call path of the caller.", null_means="a root"
        ),
        REGION_ID,
        renamed(
            REGION_ID,
            "caller_region_id",
            "Region that made the call.",
            null_means="a root: no visited call path is above",
        ),
        LAST_CALL_PATH_ID,
        Column(name="depth", type=INT32, minimum=0, meaning="Number of callers above."),
        Column(
            name="kind",
            type=ENUM,
            values=CALL_PATH_KINDS,
            meaning=(
                "Root above the call path: the program, TASKS or THREADS. A task_stub repeats the "
                "time and visits of tasks at the place that scheduled them; do not add it to "
                "theirs."
            ),
        ),
        Column(
            name="source_location_id",
            type=INT32,
            minimum=0,
            null_means="the call site is not recorded, or --merge-call-sites joined all of them",
            meaning=(
                "Call site: the source position of the calling context with which the region is "
                "entered, or of an attribute of its enter."
            ),
        ),
        Column(
            name="path",
            type=STRING,
            meaning=(
                "Region names from the root, joined by '/'; regions with a call site read "
                "'MPI_Wait @x.c:10'. With more than 100 levels (fewer if "
                "all names together would exceed 32 MB), only the last levels after '…/': a label, "
                "not a key."
            ),
        ),
    ),
)

SOURCE_LOCATIONS = Table(
    name="source_locations",
    meaning="Source code positions that calling contexts and attributes refer to.",
    grain="one row per source location",
    key=("source_location_id",),
    columns=(
        Column(
            name="source_location_id", type=INT32, minimum=0, meaning="Number in definition order."
        ),
        SOURCE_REF,
        Column(name="file", type=STRING, meaning="Source file."),
        Column(name="line", type=INT32, meaning="Source line."),
    ),
)

CALLING_CONTEXTS = Table(
    name="calling_contexts",
    meaning="Call stacks from sampling or unwinding, as a tree.",
    grain="one row per calling context",
    key=("calling_context_id",),
    columns=(
        Column(
            name="calling_context_id", type=INT32, minimum=0, meaning="Number in definition order."
        ),
        SOURCE_REF,
        nullable(REGION_ID, "the region of the context is not defined"),
        Column(
            name="source_location_id",
            type=INT32,
            null_means=NOT_RECORDED,
            meaning="Source position of the call.",
        ),
        Column(
            name="parent_calling_context_id",
            type=INT32,
            null_means="a root",
            meaning="Calling context of the caller.",
        ),
    ),
)

TABLES = (
    RUNS, SYSTEM_TREE_NODES, LOCATION_GROUPS, LOCATIONS, REGIONS, CALL_PATHS, SOURCE_LOCATIONS,
    CALLING_CONTEXTS,
)  # fmt: skip
