"""Collectives: their instances, their members, and who of them waits for whom."""

from schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COLLECTIVE_ID,
    COMM_RANK,
    COMMUNICATOR_ID,
    CONFIDENCE,
    ENTER_NS,
    IS_BEYOND_REFERENCE,
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
from schemas.records import OUTSIDE
from schemas.table import BOOL, ENUM, INT32, INT64, STRING, Column, Table

IS_NEIGHBOURHOOD = Column(
    name="is_neighbourhood",
    type=BOOL,
    meaning="Only neighbours in a topology exchange data, as MPI_Neighbor_… do.",
)
IS_NONBLOCKING = Column(
    name="is_nonblocking", type=BOOL, meaning="Started by one call, ended by another."
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
        renamed(SIDE, "root_side", "Group that the root belongs to.", null_means="no root"),
        renamed(COMM_RANK, "root_rank", "Rank of the root.", null_means="no root"),
        IS_NONBLOCKING,
        IS_NEIGHBOURHOOD,
        Column(
            name="expected_count", type=INT32, minimum=0, meaning="Members of the communicator."
        ),
        Column(name="member_count", type=INT32, minimum=0, meaning="Members in the trace."),
        Column(name="begin_ns", type=INT64, unit="ns", meaning="Begin of the first member."),
        Column(name="end_ns", type=INT64, unit="ns", meaning="End of the last member."),
        Column(
            name="is_complete",
            type=BOOL,
            meaning="All members are there and agree on the operation and the root.",
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
        meaning="Record of the begin, or when the call was entered; non-blocking: when the "
        "starting call was entered.",
    ),
    Column(name="end_ns", type=INT64, unit="ns", meaning="Record of the end."),
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
    meaning="Which rank a process has in a communicator.",
    grain="one row per communicator and process in it; none for MPI_COMM_SELF",
    key=("communicator_id", "location_group_id"),
    is_transient=True,
    columns=(COMMUNICATOR_ID, LOCATION_GROUP_ID, SIDE, COMM_RANK),
)

COLLECTIVE_CALLS = Table(
    name="collective_calls",
    meaning="Completed collective calls, each with the instance that it is part of.",
    grain="one row per completed collective call",
    key=("collective_id", "location_id"),
    is_transient=True,
    columns=(
        COLLECTIVE_ID,
        COMMUNICATOR_ID,
        ORDINAL,
        nullable(OPERATION, "the trace does not say"),
        renamed(COMM_RANK, "root_rank", "Rank of the root.", null_means="no root"),
        IS_NONBLOCKING,
        IS_NEIGHBOURHOOD,
        *MEMBER_COLUMNS,
    ),
)

COLLECTIVE_MEMBERS = Table(
    name="collective_members",
    meaning="What each location did in each collective instance.",
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
    meaning="Who needs whom in the operation.",
)
COLLECTIVE_ROLES = Table(
    name="collective_roles",
    meaning="Who waits for whom in a collective: the part that each member takes in it.",
    grain="one row per member that takes part in a complete instance of several members",
    key=("collective_id", "location_id"),
    is_transient=True,
    columns=(
        COLLECTIVE_ID,
        FAMILY,
        IS_NONBLOCKING,
        IS_BEYOND_REFERENCE,
        LOCATION_ID,
        SIDE,
        renamed(SIDE, "awaited_side", "Group whose members this one waits for."),
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
        Column(name="is_awaited", type=BOOL, meaning="Others may have to wait until it begins."),
        Column(name="is_waiting", type=BOOL, meaning="May have to wait until others begin."),
        Column(
            name="is_doubtful",
            type=BOOL,
            meaning="The communicator has incomplete instances: members may be matched wrongly.",
        ),
    ),
)

CART_NEIGHBOURS = Table(
    name="cart_neighbours",
    meaning="Who is whose neighbour on the grid of a communicator.",
    grain="one row per rank and neighbour, of communicators with neighbourhood collectives",
    key=("communicator_id", "comm_rank", "neighbour_rank"),
    is_transient=True,
    columns=(
        COMMUNICATOR_ID,
        COMM_RANK,
        renamed(COMM_RANK, "neighbour_rank", "Rank of a neighbour; its own on a circle of one."),
    ),
)

SYNCHRONISED_MEMBERS = Table(
    name="synchronised_members",
    meaning="Members of collectives that had to wait for others, with the one that began last.",
    grain="one row per member that depends on the begin of others",
    key=("collective_id", "location_id"),
    is_transient=True,
    columns=(
        COLLECTIVE_ID,
        FAMILY,
        Column(name="property", type=STRING, meaning="Metric of waiting for the last member."),
        IS_NONBLOCKING,
        IS_BEYOND_REFERENCE,
        LOCATION_ID,
        COMM_RANK,
        VISIT_ID,
        CALL_PATH_ID,
        ENTER_NS,
        MEMBER_BEGIN,
        MEMBER_END,
        Column(name="last_begin_ns", type=INT64, unit="ns", meaning="Begin of the last member."),
        renamed(WAIT_NS, "wait_ns", "From its own begin until the last member began or it ended."),
        renamed(LOCATION_ID, "last_location_id", "Location of the last member."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the call in which the last member began."),
        CONFIDENCE,
    ),
)

FRAMING_CALLS = Table(
    name="framing_calls",
    meaning="MPI_Init and MPI_Finalize of all processes: who came last, who left first.",
    grain="one row per process and call, if all processes made that call",
    key=("is_finalize", "location_id"),
    is_transient=True,
    columns=(
        Column(name="is_finalize", type=BOOL, meaning="The call is MPI_Finalize, else MPI_Init."),
        LOCATION_ID,
        VISIT_ID,
        CALL_PATH_ID,
        ENTER_NS,
        LEAVE_NS,
        renamed(ENTER_NS, "last_enter_ns", "When the last process entered."),
        renamed(LOCATION_ID, "last_location_id", "Location of the last process to enter."),
        renamed(VISIT_ID, "last_visit_id", "Visit of the last process to enter."),
        renamed(WAIT_NS, "wait_ns", "From entering until the last process entered."),
        renamed(LEAVE_NS, "first_leave_ns", "When the first process left."),
        renamed(LOCATION_ID, "first_location_id", "Location of the first process to leave."),
        renamed(VISIT_ID, "first_visit_id", "Visit of the first process to leave."),
        CONFIDENCE,
    ),
)

COLLECTIVE_COUNTS = Table(
    name="collective_counts",
    meaning="How many blocking collectives there were, and how many bytes they moved.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, VALUE),
)

TABLES = (
    PROCESS_RANKS, COLLECTIVE_CALLS, COLLECTIVES, COLLECTIVE_MEMBERS, COLLECTIVE_ROLES,
    CART_NEIGHBOURS, SYNCHRONISED_MEMBERS, FRAMING_CALLS, COLLECTIVE_COUNTS,
)  # fmt: skip
