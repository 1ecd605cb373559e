"""Collectives: instances, members, and their dependencies."""

from tracemill.schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COLLECTIVE_ID,
    COMM_RANK,
    COMMUNICATOR_ID,
    CONFIDENCE,
    ENTER_NS,
    IS_EXTENDED,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    METRIC,
    OPERATION,
    ORDINAL,
    SIDE,
    VALUE,
    VISIT_ID,
    WAIT_NS,
    nullable,
    renamed,
)
from tracemill.schemas.records import OUTSIDE
from tracemill.schemas.table import BOOL, ENUM, INT32, INT64, STRING, Column, Table

IS_NEIGHBORHOOD = Column(
    name="is_neighborhood",
    type=BOOL,
    meaning="Only neighbors in a topology exchange data, as in MPI_Neighbor_… calls.",
)
IS_NONBLOCKING = Column(
    name="is_nonblocking", type=BOOL, meaning="One call starts it, and another call completes it."
)

NO_MEMBER = "the location is not in the communicator's definition"

COLLECTIVES = Table(
    name="collectives",
    meaning="Collective instances: the n-th collective of a communicator, over its members.",
    grain="one row per instance",
    key=("collective_id",),
    columns=(
        COLLECTIVE_ID,
        COMMUNICATOR_ID,
        ORDINAL,
        OPERATION,
        renamed(SIDE, "root_side", "Group of the root.", null_means="no root"),
        renamed(COMM_RANK, "root_rank", "Rank of the root.", null_means="no root"),
        IS_NONBLOCKING,
        IS_NEIGHBORHOOD,
        Column(
            name="expected_count", type=INT32, minimum=0, meaning="Members of the communicator."
        ),
        Column(
            name="member_count", type=INT32, minimum=0, meaning="Members that the trace contains."
        ),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin of the first member."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the last member."),
        Column(
            name="is_complete",
            type=BOOL,
            meaning="All members are present and agree on the operation and the root.",
        ),
    ),
)

MEMBER_COLUMNS = (
    LOCATION_ID,
    nullable(SIDE, NO_MEMBER),
    nullable(COMM_RANK, NO_MEMBER),
    nullable(VISIT_ID, OUTSIDE),
    nullable(CALL_PATH_ID, OUTSIDE),
    nullable(ENTER_NS, OUTSIDE),
    nullable(LEAVE_NS, OUTSIDE),
    Column(
        name="begin_ns",
        type=INT64,
        unit="ns",
        meaning=(
            "Begin record, or enter of the call; for non-blocking collectives, enter of the "
            "starting call."
        ),
    ),
    Column(name="end_ns", type=INT64, unit="ns", meaning="End record."),
    renamed(BYTES, "bytes_sent", "Bytes sent into the collective."),
    renamed(BYTES, "bytes_received", "Bytes received from it."),
    renamed(
        VISIT_ID,
        "start_visit_id",
        "Visit of the call that started a non-blocking collective.",
        null_means=f"blocking, the start is missing, or {OUTSIDE}",
    ),
)

PROCESS_RANKS = Table(
    name="process_ranks",
    meaning="Ranks of processes in communicators.",
    grain="one row per communicator and process in it; none for MPI_COMM_SELF",
    key=("communicator_id", "location_group_id"),
    is_transient=True,
    columns=(COMMUNICATOR_ID, LOCATION_GROUP_ID, SIDE, COMM_RANK),
)

COLLECTIVE_CALLS = Table(
    name="collective_calls",
    meaning="Completed collective calls, each with its instance.",
    grain="one row per completed collective call",
    key=("collective_id", "location_id"),
    is_transient=True,
    columns=(
        COLLECTIVE_ID,
        COMMUNICATOR_ID,
        ORDINAL,
        nullable(OPERATION, "not recorded in the trace"),
        renamed(COMM_RANK, "root_rank", "Rank of the root.", null_means="no root"),
        IS_NONBLOCKING,
        IS_NEIGHBORHOOD,
        *MEMBER_COLUMNS,
    ),
)

COLLECTIVE_MEMBERS = Table(
    name="collective_members",
    meaning="Part of each location in each collective instance.",
    grain="one row per instance and location",
    key=("collective_id", "location_id"),
    columns=(COLLECTIVE_ID, *MEMBER_COLUMNS),
)

MEMBER_BEGIN, MEMBER_END = (
    column for column in MEMBER_COLUMNS if column.name in ("begin_ns", "end_ns")
)
FAMILY = Column(
    name="family",
    type=ENUM,
    values=("barrier", "n_to_n", "one_to_n", "n_to_one", "scan", "neighbourhood"),
    meaning="Dependencies between the members of the operation.",
)
COLLECTIVE_ROLES = Table(
    name="collective_roles",
    meaning="Role of each member in a collective: the members that it waits for.",
    grain="one row per member with a role in a complete instance of several members",
    key=("collective_id", "location_id"),
    is_transient=True,
    columns=(
        COLLECTIVE_ID,
        FAMILY,
        IS_NONBLOCKING,
        IS_EXTENDED,
        LOCATION_ID,
        SIDE,
        renamed(SIDE, "awaited_side", "Group of the members that this member waits for."),
        COMM_RANK,
        nullable(VISIT_ID, OUTSIDE),
        nullable(CALL_PATH_ID, OUTSIDE),
        nullable(ENTER_NS, OUTSIDE),
        renamed(
            VISIT_ID,
            "begin_visit_id",
            "Visit of the call in which the member began.",
            null_means=OUTSIDE,
        ),
        MEMBER_BEGIN,
        MEMBER_END,
        Column(
            name="is_awaited",
            type=BOOL,
            meaning="Other members may have to wait until this member begins.",
        ),
        Column(
            name="is_waiting", type=BOOL, meaning="This member may have to wait until others begin."
        ),
        Column(
            name="is_doubtful",
            type=BOOL,
            meaning=(
                "The communicator has incomplete instances: members may be assigned to wrong "
                "instances."
            ),
        ),
    ),
)

CART_NEIGHBORS = Table(
    name="cart_neighbors",
    meaning="Neighbors on the grid of a communicator.",
    grain="one row per rank and neighbor, for communicators with neighborhood collectives",
    key=("communicator_id", "comm_rank", "neighbor_rank"),
    is_transient=True,
    columns=(
        COMMUNICATOR_ID,
        COMM_RANK,
        renamed(
            COMM_RANK,
            "neighbor_rank",
            "Rank of a neighbor; the own rank in a periodic dimension of size one.",
        ),
    ),
)

SYNCHRONIZED_MEMBERS = Table(
    name="synchronized_members",
    meaning="Members of collectives that had to wait for others, with the last member to begin.",
    grain="one row per member that depends on the begin of others",
    key=("collective_id", "location_id"),
    is_transient=True,
    columns=(
        COLLECTIVE_ID,
        FAMILY,
        Column(name="property", type=STRING, meaning="Metric of the wait for the last member."),
        IS_NONBLOCKING,
        IS_EXTENDED,
        LOCATION_ID,
        COMM_RANK,
        VISIT_ID,
        CALL_PATH_ID,
        ENTER_NS,
        MEMBER_BEGIN,
        MEMBER_END,
        Column(name="last_begin_ns", type=INT64, unit="ns", meaning="Begin of the last member."),
        renamed(
            WAIT_NS,
            "wait_ns",
            "Time from the own begin to the begin of the last member, at most to the own end.",
        ),
        renamed(LOCATION_ID, "last_location_id", "Location of the last member."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the call in which the last member began."),
        CONFIDENCE,
    ),
)

FRAMING_CALLS = Table(
    name="framing_calls",
    meaning=(
        "MPI_Init and MPI_Finalize of all processes, with the last process to enter and the first "
        "to leave."
    ),
    grain="one row per process and call, if all processes made that call",
    key=("is_finalize", "location_id"),
    is_transient=True,
    columns=(
        Column(name="is_finalize", type=BOOL, meaning="True for MPI_Finalize, false for MPI_Init."),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        ENTER_NS,
        LEAVE_NS,
        renamed(ENTER_NS, "last_enter_ns", "Enter time of the last process."),
        renamed(LOCATION_ID, "last_location_id", "Location of the last process to enter."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the last process to enter."),
        renamed(WAIT_NS, "wait_ns", "Time from the own enter to the enter of the last process."),
        renamed(LEAVE_NS, "first_leave_ns", "Leave time of the first process."),
        renamed(LOCATION_ID, "first_location_id", "Location of the first process to leave."),
        renamed(VISIT_ID, "first_visit_id", "Visit of the first process to leave."),
        CONFIDENCE,
    ),
)

COLLECTIVE_COUNTS = Table(
    name="collective_counts",
    meaning="Numbers of blocking collectives, and the bytes they transferred.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES = (
    PROCESS_RANKS, COLLECTIVE_CALLS, COLLECTIVES, COLLECTIVE_MEMBERS, COLLECTIVE_ROLES,
    CART_NEIGHBORS, SYNCHRONIZED_MEMBERS, FRAMING_CALLS, COLLECTIVE_COUNTS,
)  # fmt: skip
