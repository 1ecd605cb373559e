"""Profiles of time, and communication between processes."""

from tracemill.schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    CALL_PATH_KEY,
    EXCLUSIVE_NS,
    INCLUSIVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    MESSAGE_COUNT,
    REGION_ID,
    VISIT_COUNT,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, ENUM, INT64, Column, Table

SHORTEST_NS = Column(
    name="shortest_ns", type=INT64, unit="ns", minimum=0, meaning="Shortest visit."
)
UNVISITED = "the location visits only call paths below, or the row is the stub of a task"
LONGEST_NS = Column(name="longest_ns", type=INT64, unit="ns", minimum=0, meaning="Longest visit.")

_SUMMED = ("visit_count", "inclusive_ns", "exclusive_ns")

CALL_TREE = Table(
    name="call_tree",
    meaning="Time and visits of every call path on every location.",
    grain="one row per location and call path with visits at or below it",
    key=("location_id", "call_path_id"),
    is_partitioned=True,
    are_integers_compressed=False,
    columns=(
        LOCATION_ID,
        CALL_PATH_ID,
        VISIT_COUNT,
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time at the call path and below it, including tasks that run inside a scheduling "
            "point.",
        ),
        EXCLUSIVE_NS,
        nullable(SHORTEST_NS, UNVISITED),
        nullable(LONGEST_NS, UNVISITED),
        Column(
            name="is_recursive",
            type=BOOL,
            meaning="The location also visits a call path above with the same region.",
        ),
        Column(
            name="is_repeated",
            type=BOOL,
            meaning=(
                "The location also visits a call path above with the same region and the same "
                "caller."
            ),
        ),
    ),
)

CALL_PATH_TOTALS = Table(
    name="call_path_totals",
    meaning="Times and visits of call paths, summed over all locations.",
    grain="one row per call path with visits at or below it",
    key=("call_path_id",),
    columns=(CALL_PATH_ID, *(column for column in CALL_TREE.columns if column.name in _SUMMED)),
)

CALL_PATH_KEYS = Table(
    name="call_path_keys",
    meaning="Keys to compare call paths of different runs.",
    grain="one row per call path",
    key=("call_path_id",),
    columns=(CALL_PATH_ID, CALL_PATH_KEY),
)

FLAT_PROFILE = Table(
    name="flat_profile",
    meaning="Time and visits of every region on every location.",
    grain="one row per visited region and location",
    key=("region_id", "location_id"),
    columns=(
        REGION_ID,
        LOCATION_ID,
        VISIT_COUNT,
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time in the region and its callees; inner visits of a recursion count once.",
        ),
        EXCLUSIVE_NS,
        SHORTEST_NS,
        LONGEST_NS,
    ),
)

EDGE_KINDS = ("call", "fork", "create", "task")
FORKED_NS = Column(
    name="forked_ns",
    type=INT64,
    unit="ns",
    meaning="Part of `total_ns` on locations that are not in the region themselves: forked work.",
)

REGION_GRAPH_NODES = Table(
    name="region_graph_nodes",
    meaning="Nodes of the dynamic region call graph: all executed regions.",
    grain="one row per executed region",
    key=("region_id",),
    columns=(
        REGION_ID,
        VISIT_COUNT,
        Column(
            name="location_count",
            type=INT64,
            minimum=1,
            meaning="Number of locations that visit the region.",
        ),
        renamed(
            INCLUSIVE_NS,
            "inclusive_ns",
            "Time in the region and its callees on the visiting locations, including tasks that "
            "run inside a scheduling point. Inner visits of a recursion count once.",
        ),
        EXCLUSIVE_NS,
        renamed(
            INCLUSIVE_NS,
            "total_ns",
            "Time in the region and everything called or forked from it, on all locations. Inner "
            "visits of a recursion count once. Tasks and created threads are regions of their own.",
        ),
        FORKED_NS,
        Column(
            name="is_entry", type=BOOL, meaning="The region is the start of a location or task."
        ),
    ),
)

REGION_GRAPH_EDGES = Table(
    name="region_graph_edges",
    meaning="Edges of the dynamic region call graph: callers and callees.",
    grain="one row per pair of calling and called region, and kind",
    key=("caller_region_id", "callee_region_id", "kind"),
    columns=(
        renamed(REGION_ID, "caller_region_id", "Region that makes the call."),
        renamed(REGION_ID, "callee_region_id", "Region that is called."),
        Column(
            name="kind",
            type=ENUM,
            values=EDGE_KINDS,
            meaning=(
                "How the callee is started: by a call, as the first region of a thread that a team "
                "(fork) or a creating call (create) started, or as a task that the caller "
                "scheduled."
            ),
        ),
        renamed(VISIT_COUNT, "visit_count", "Visits of the callee from this caller."),
        renamed(INCLUSIVE_NS, "inclusive_ns", "Time of those visits with their callees."),
        renamed(EXCLUSIVE_NS, "exclusive_ns", "Time of those visits without their callees."),
        renamed(
            INCLUSIVE_NS,
            "total_ns",
            "Time of those visits and everything called or forked from them, on all locations; 0 "
            "for tasks and created threads, which are entries of the graph.",
        ),
        renamed(
            FORKED_NS,
            "forked_ns",
            "Part of `total_ns` on locations that are not in the caller themselves: forked work.",
        ),
    ),
)

COMMUNICATION_MATRIX = Table(
    name="communication_matrix",
    meaning="Matched messages between pairs of processes.",
    grain="one row per pair of processes that exchanged messages in that direction",
    key=("sender_group_id", "receiver_group_id"),
    columns=(
        renamed(LOCATION_GROUP_ID, "sender_group_id", "Process that sends."),
        renamed(LOCATION_GROUP_ID, "receiver_group_id", "Process that receives."),
        MESSAGE_COUNT,
        renamed(BYTES, "bytes", "Bytes of all those messages."),
    ),
)

MESSAGE_SIZES = Table(
    name="message_sizes",
    meaning="Histogram of message sizes in powers of two.",
    grain="one row per size class that occurs",
    key=("lower_bytes",),
    columns=(
        renamed(BYTES, "lower_bytes", "Smallest size of the class: 0 or a power of two."),
        renamed(BYTES, "upper_bytes", "Largest size of the class."),
        MESSAGE_COUNT,
        renamed(BYTES, "bytes", "Bytes of all messages of the class."),
    ),
)

TABLES = (
    CALL_TREE, CALL_PATH_KEYS, FLAT_PROFILE, REGION_GRAPH_NODES,
    REGION_GRAPH_EDGES, COMMUNICATION_MATRIX, MESSAGE_SIZES,
)  # fmt: skip
VIEWS = (CALL_PATH_TOTALS,)
