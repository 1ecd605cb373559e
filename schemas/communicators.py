"""Shared objects of processes: communicators, Cartesian grids, memory windows and files."""

from tracemill.schemas.columns import (
    COMM_RANK,
    COMMUNICATOR_ID,
    IO_HANDLE_ID,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    NAME,
    NOT_RECORDED,
    PARADIGM,
    RMA_GROUP_ID,
    SIDE,
    SOURCE_REF,
    WINDOW_ID,
    nullable,
    renamed,
)
from tracemill.schemas.table import BOOL, ENUM, INT32, STRING, Column, Table

COMMUNICATOR_KINDS = ("group", "self", "inter", "thread_team", "unknown")

COMMUNICATORS = Table(
    name="communicators",
    meaning="MPI communicators and thread teams.",
    grain="one row per communicator",
    key=("communicator_id",),
    columns=(
        COMMUNICATOR_ID,
        SOURCE_REF,
        NAME,
        Column(name="kind", type=ENUM, values=COMMUNICATOR_KINDS, meaning="Kind of communicator."),
        PARADIGM,
        renamed(
            COMMUNICATOR_ID,
            "parent_communicator_id",
            "Communicator that this one was created from.",
            null_means=NOT_RECORDED,
        ),
        Column(name="size", type=INT32, minimum=0, meaning="Number of members of all groups."),
    ),
)

COMMUNICATOR_MEMBERS = Table(
    name="communicator_members",
    meaning="Ranks of locations in communicators.",
    grain="one row per communicator, its group and rank; none for MPI_COMM_SELF",
    key=("communicator_id", "side", "comm_rank"),
    columns=(
        COMMUNICATOR_ID,
        SIDE,
        COMM_RANK,
        nullable(LOCATION_ID, "the location of this rank is not defined"),
        nullable(LOCATION_GROUP_ID, "the location of this rank is not defined"),
    ),
)

CART_DIMENSIONS = Table(
    name="cart_dimensions",
    meaning="Cartesian topologies: grids of the processes of communicators.",
    grain="one row per dimension, for communicators with exactly one grid",
    key=("communicator_id", "dimension"),
    columns=(
        COMMUNICATOR_ID,
        Column(
            name="dimension",
            type=INT32,
            minimum=0,
            meaning="Position of the dimension; consecutive ranks differ in the last dimension.",
        ),
        Column(name="size", type=INT32, minimum=0, meaning="Processes along the dimension."),
        Column(
            name="is_periodic", type=BOOL, meaning="The first and the last process are neighbors."
        ),
    ),
)

RMA_WINDOWS = Table(
    name="rma_windows",
    meaning="Memory windows of one-sided communication.",
    grain="one row per window",
    key=("rma_window_id",),
    columns=(
        WINDOW_ID,
        SOURCE_REF,
        NAME,
        nullable(COMMUNICATOR_ID, "the communicator of the window is not defined"),
    ),
)

RMA_GROUP_MEMBERS = Table(
    name="rma_group_members",
    meaning="Members of the groups of processes that synchronize over RMA windows.",
    grain="one row per group and position in it; none in traces without windows",
    key=("rma_group_id", "position"),
    columns=(
        RMA_GROUP_ID,
        Column(name="position", type=INT32, minimum=0, meaning="Position in the group, from 0."),
        nullable(LOCATION_ID, "the location of this position is not defined"),
        nullable(LOCATION_GROUP_ID, "the location of this position is not defined"),
    ),
)

IO_HANDLES = Table(
    name="io_handles",
    meaning="Open files and other I/O channels.",
    grain="one row per handle",
    key=("io_handle_id",),
    columns=(
        IO_HANDLE_ID,
        SOURCE_REF,
        NAME,
        Column(name="file", type=STRING, null_means=NOT_RECORDED, meaning="File of the handle."),
        Column(
            name="io_paradigm",
            type=STRING,
            null_means=NOT_RECORDED,
            meaning="Interface, such as POSIX or MPI-IO.",
        ),
        nullable(COMMUNICATOR_ID, "not opened collectively"),
        Column(
            name="parent_io_handle_id",
            type=INT32,
            null_means="opened directly",
            meaning="Handle that this one wraps.",
        ),
    ),
)

TABLES = (
    COMMUNICATORS, COMMUNICATOR_MEMBERS, CART_DIMENSIONS, RMA_WINDOWS,
    RMA_GROUP_MEMBERS, IO_HANDLES,
)  # fmt: skip
