"""What the trace declares: the run, its places and its code."""

from schemas.columns import (
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
from schemas.table import BOOL, ENUM, INT32, INT64, STRING, Column, Table

REGION_ROLES = (
    "unknown", "function", "wrapper", "loop", "code", "parallel", "sections", "section",
    "workshare", "single", "single_sblock", "master", "critical", "critical_sblock", "atomic",
    "barrier", "implicit_barrier", "flush", "ordered", "ordered_sblock", "task", "task_create",
    "task_wait", "coll_one2all", "coll_all2one", "coll_all2all", "coll_other", "file_io",
    "point2point", "rma", "data_transfer", "artificial", "thread_create", "thread_wait",
    "task_untied", "allocate", "deallocate", "reallocate", "file_io_metadata", "cancel", "kernel",
)  # fmt: skip
LOCATION_KINDS = ("unknown", "cpu_thread", "gpu", "metric")
CALL_PATH_KINDS = ("program", "task", "thread", "task_stub")

RUNS = Table(
    name="runs",
    meaning="The analysed execution as a whole.",
    grain="one row per run",
    key=("run_id",),
    columns=(
        Column(name="run_id", type=STRING, meaning="Identity of the run, derived from the trace."),
        Column(name="trace_id", type=STRING, meaning="Identity that the trace itself carries."),
        Column(name="source_format", type=STRING, meaning="Format of the trace."),
        Column(name="creator", type=STRING, meaning="Program that wrote the trace."),
        Column(name="machine_name", type=STRING, meaning="Machine the program ran on."),
        Column(
            name="timer_resolution",
            type=INT64,
            unit="ticks/s",
            minimum=1,
            meaning="Ticks per second of the trace's clock.",
        ),
        Column(
            name="global_offset_ticks",
            type=INT64,
            unit="ticks",
            meaning="Tick of the trace's zero, which all times in the tables are counted from.",
        ),
        Column(
            name="started_at_ns",
            type=INT64,
            unit="ns",
            null_means=NOT_RECORDED,
            meaning="Wall-clock time of the trace's zero, since 1970-01-01 UTC.",
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="First record of any location."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="Last record of any location."),
        Column(name="location_count", type=INT32, minimum=0, meaning="Number of locations."),
        Column(name="process_count", type=INT32, minimum=0, meaning="Number of processes."),
        Column(name="record_count", type=INT64, minimum=0, meaning="Event records read."),
    ),
)

SYSTEM_TREE_NODES = Table(
    name="system_tree_nodes",
    meaning="Machines, nodes and other places that hold location groups.",
    grain="one row per place",
    key=("system_tree_node_id",),
    columns=(
        Column(name="system_tree_node_id", type=INT32, minimum=0, meaning="Definition order."),
        Column(
            name="parent_system_tree_node_id",
            type=INT32,
            null_means="the root",
            meaning="Place that this one is part of.",
        ),
        NAME,
        Column(name="class_name", type=STRING, meaning="Kind of place, such as machine or node."),
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
        Column(
            name="kind",
            type=ENUM,
            values=("unknown", "process", "accelerator"),
            meaning="Kind of group.",
        ),
        Column(
            name="rank",
            type=INT32,
            minimum=0,
            meaning="World rank of the process; its position among the groups without MPI.",
        ),
        Column(
            name="system_tree_node_id",
            type=INT32,
            null_means=NOT_RECORDED,
            meaning="Place that the group ran on.",
        ),
        renamed(
            LOCATION_GROUP_ID,
            "creating_location_group_id",
            "Process that drives this accelerator.",
            null_means="a process of its own",
        ),
    ),
)

LOCATIONS = Table(
    name="locations",
    meaning="Streams of events and how completely each could be read.",
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
            name="thread", type=INT32, minimum=0, meaning="Position of the location in its group."
        ),
        Column(
            name="declared_count",
            type=INT64,
            minimum=0,
            meaning="Event records that the definitions announce.",
        ),
        Column(name="record_count", type=INT64, minimum=0, meaning="Event records read."),
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
        Column(name="is_complete", type=BOOL, meaning="All announced records could be read."),
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
        Column(name="role", type=ENUM, values=REGION_ROLES, meaning="What the region does."),
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
    "Last id of the subtree: a call path and all below it have consecutive ids.",
)

CALL_PATHS = Table(
    name="call_paths",
    meaning="The call tree of all locations; threads hang below the forking call path.",
    grain="one row per distinct chain of regions; recursion yields one per depth",
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
            "Region that called.",
            null_means="a start: no visited call path lies above",
        ),
        LAST_CALL_PATH_ID,
        Column(name="depth", type=INT32, minimum=0, meaning="Number of callers above."),
        Column(
            name="kind",
            type=ENUM,
            values=CALL_PATH_KINDS,
            meaning=(
                "Below which root: the program, TASKS, THREADS; a task_stub repeats the time and "
                "visits of tasks where they were scheduled and must not be added to them."
            ),
        ),
        Column(
            name="path",
            type=STRING,
            meaning=(
                "Region names from the root, joined by '/'. Beyond 100 levels (fewer where all "
                "names together would exceed 32 MB) the last levels after '…/': a name, not a key."
            ),
        ),
    ),
)

SOURCE_LOCATIONS = Table(
    name="source_locations",
    meaning="Places in the source that calling contexts and attributes refer to.",
    grain="one row per place",
    key=("source_location_id",),
    columns=(
        Column(name="source_location_id", type=INT32, minimum=0, meaning="Definition order."),
        SOURCE_REF,
        Column(name="file", type=STRING, meaning="Source file."),
        Column(name="line", type=INT32, meaning="Source line."),
    ),
)

CALLING_CONTEXTS = Table(
    name="calling_contexts",
    meaning="Call stacks that sampling or unwinding found, as a tree.",
    grain="one row per calling context",
    key=("calling_context_id",),
    columns=(
        Column(name="calling_context_id", type=INT32, minimum=0, meaning="Definition order."),
        SOURCE_REF,
        nullable(REGION_ID, "the context names a region that is not defined"),
        Column(
            name="source_location_id",
            type=INT32,
            null_means=NOT_RECORDED,
            meaning="Place of the call.",
        ),
        Column(
            name="parent_calling_context_id",
            type=INT32,
            null_means="a root",
            meaning="Context of the caller.",
        ),
    ),
)

TABLES = (
    RUNS, SYSTEM_TREE_NODES, LOCATION_GROUPS, LOCATIONS, REGIONS, CALL_PATHS, SOURCE_LOCATIONS,
    CALLING_CONTEXTS,
)  # fmt: skip
