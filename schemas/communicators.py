"""What processes share: communicators, the grids they lie on, windows of memory, and files."""

from schemas.columns import (
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
from schemas.table import BOOL, ENUM, INT32, STRING, Column, Table

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
            "Communicator this one was made from.",
            null_means=NOT_RECORDED,
        ),
        Column(name="size", type=INT32, minimum=0, meaning="Number of members of all groups."),
    ),
)

COMMUNICATOR_MEMBERS = Table(
    name="communicator_members",
    meaning="Which location has which rank in which communicator.",
    grain="one row per communicator, group of it and rank; none for MPI_COMM_SELF",
    key=("communicator_id", "side", "comm_rank"),
    columns=(
        COMMUNICATOR_ID,
        SIDE,
        COMM_RANK,
        nullable(LOCATION_ID, "the rank names a location that is not defined"),
        nullable(LOCATION_GROUP_ID, "the rank names a location that is not defined"),
    ),
)

CART_DIMENSIONS = Table(
    name="cart_dimensions",
    meaning="Grids that the processes of communicators lie on (Cartesian topologies).",
    grain="one row per dimension, of communicators that have one grid",
    key=("communicator_id", "dimension"),
    columns=(
        COMMUNICATOR_ID,
        Column(
            name="dimension",
            type=INT32,
            minimum=0,
            meaning="Position of the dimension; ranks that follow each other differ in the last.",
        ),
        Column(name="size", type=INT32, minimum=0, meaning="Processes along the dimension."),
        Column(
            name="is_periodic", type=BOOL, meaning="The last process has the first as neighbour."
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
        nullable(COMMUNICATOR_ID, "the window names a communicator that is not defined"),
    ),
)

RMA_GROUP_MEMBERS = Table(
    name="rma_group_members",
    meaning="Processes of the groups that synchronise over RMA windows without the others.",
    grain="one row per group and place in it; none in traces without windows",
    key=("rma_group_id", "position"),
    columns=(
        RMA_GROUP_ID,
        Column(name="position", type=INT32, minimum=0, meaning="Place in the group, from 0."),
        nullable(LOCATION_ID, "the group names a location that is not defined"),
        nullable(LOCATION_GROUP_ID, "the group names a location that is not defined"),
    ),
)

IO_HANDLES = Table(
    name="io_handles",
    meaning="Open files and other input and output channels.",
    grain="one row per handle",
    key=("io_handle_id",),
    columns=(
        IO_HANDLE_ID,
        SOURCE_REF,
        NAME,
        Column(
            name="file", type=STRING, null_means=NOT_RECORDED, meaning="File behind the handle."
        ),
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
