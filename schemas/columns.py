"""Columns that several tables share, each declared once."""

from dataclasses import replace

from tracemill.schemas.table import BOOL, ENUM, INT8, INT32, INT64, STRING, Column

NOT_RECORDED = "not recorded in the trace"

LOCATION_ID = Column(
    name="location_id",
    type=INT32,
    minimum=0,
    meaning="Stream of events (thread, GPU stream), numbered in definition order.",
)
LOCATION_GROUP_ID = Column(
    name="location_group_id",
    type=INT32,
    minimum=0,
    meaning="Group of locations, usually a process, numbered in definition order.",
)
REGION_ID = Column(
    name="region_id",
    type=INT32,
    minimum=0,
    meaning="Named code section, numbered in definition order.",
)
CALL_PATH_ID = Column(
    name="call_path_id",
    type=INT32,
    minimum=0,
    meaning="Node of the call tree, numbered depth first; children are in definition order.",
)
CALL_PATH_KEY = Column(
    name="call_path_key",
    type=INT64,
    meaning=(
        "Hash of the region names along the call path. It is the same in every run of a program, "
        "although call path numbers differ between traces."
    ),
)
VISIT_ID = Column(
    name="visit_id",
    type=INT64,
    minimum=0,
    meaning="Region visit, numbered over all locations by location, then by time of entry.",
)
COMMUNICATOR_ID = Column(
    name="communicator_id",
    type=INT32,
    minimum=0,
    meaning="Communicator or thread team, numbered in definition order.",
)
SEQUENCE = Column(
    name="sequence",
    type=INT64,
    minimum=0,
    meaning="Position of the record among all records of its location.",
)
TIME_NS = Column(
    name="time_ns",
    type=INT64,
    unit="ns",
    meaning="Time of the record, clock corrected, since the zero of the trace.",
)
ENTER_NS = Column(
    name="enter_ns",
    type=INT64,
    unit="ns",
    meaning="Time of entry into the region, clock corrected, since the zero of the trace.",
)
LEAVE_NS = Column(
    name="leave_ns",
    type=INT64,
    unit="ns",
    meaning="Time of leaving the region, clock corrected, since the zero of the trace.",
)
BYTES = Column(
    name="bytes", type=INT64, unit="bytes", minimum=0, meaning="Length of the message as sent."
)
TAG = Column(name="tag", type=INT64, minimum=0, meaning="Message tag of the program.")
NAME = Column(name="name", type=STRING, meaning="Name in the trace.")
SOURCE_REF = Column(
    name="source_ref", type=INT64, meaning="Identifier in the definitions of the trace."
)
PARADIGMS = (
    "unknown", "user", "compiler", "openmp", "mpi", "cuda", "measurement_system", "pthread",
    "hmpp", "ompss", "hardware", "gaspi", "upc", "shmem", "winthread", "qtthread", "acethread",
    "tbbthread", "openacc", "opencl", "mtapi", "sampling", "none", "hip", "kokkos",
    "openmp_target",
)  # fmt: skip
PARADIGM = Column(
    name="paradigm",
    type=ENUM,
    values=PARADIGMS,
    meaning="Programming model or instrumentation that the definition belongs to.",
)
IS_CLOSED = Column(
    name="is_closed",
    type=BOOL,
    meaning="False if the trace ends, or is damaged, before the leave record.",
)
VISIT_COUNT = Column(
    name="visit_count", type=INT64, unit="visits", minimum=0, meaning="Number of region visits."
)
INCLUSIVE_NS = Column(
    name="inclusive_ns",
    type=INT64,
    unit="ns",
    meaning="Time in the node and all its callees, summed over its visits.",
)
EXCLUSIVE_NS = Column(
    name="exclusive_ns",
    type=INT64,
    unit="ns",
    meaning=(
        "Time in the region itself, without callees and without tasks run inside. For a parallel "
        "region, it includes the time from the fork to the enter and from the leave to the join."
    ),
)
MESSAGE_ID = Column(
    name="message_id", type=INT64, minimum=0, meaning="Matched message, numbered by channel."
)
MESSAGE_COUNT = Column(
    name="message_count", type=INT64, unit="messages", minimum=0, meaning="Number of messages."
)
COLLECTIVE_ID = Column(
    name="collective_id",
    type=INT64,
    minimum=0,
    meaning="Collective instance, numbered by communicator, then by position on the communicator.",
)
ORDINAL = Column(
    name="ordinal",
    type=INT64,
    minimum=0,
    meaning="Position among the messages of a channel, or among the collectives of a communicator.",
)
COLLECTIVE_OPERATIONS = (
    "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "allreduce", "reduce", "reduce_scatter", "scan",
    "exscan", "reduce_scatter_block", "create_handle", "destroy_handle", "allocate",
    "deallocate", "create_handle_and_allocate", "destroy_handle_and_deallocate", "unknown",
)  # fmt: skip
OPERATION = Column(
    name="operation", type=ENUM, values=COLLECTIVE_OPERATIONS, meaning="Collective operation."
)
SIDE = Column(
    name="side",
    type=INT8,
    minimum=0,
    maximum=1,
    meaning="0; 1 for the second group of an inter-communicator.",
)
COMM_RANK = Column(name="comm_rank", type=INT32, minimum=0, meaning="Rank in the communicator.")
TEAM_ID = Column(
    name="thread_team_id",
    type=INT64,
    minimum=0,
    meaning="Fork of a thread team, numbered by location, then by fork time.",
)
METRIC = Column(name="metric", type=STRING, meaning="Unique name of the metric.")

VALUE = Column(
    name="value",
    type=INT64,
    meaning="Value without callees, in the unit of the metric; times are in nanoseconds.",
)

IS_EXTENDED = Column(
    name="is_extended",
    type=BOOL,
    meaning=(
        "Extended: Scalasca does not detect this waiting. Leave these rows out to compare totals "
        "with Scalasca."
    ),
)

WAIT_NS = Column(
    name="wait_ns", type=INT64, unit="ns", minimum=0, meaning="Waiting time of the call."
)

CONFIDENCE = Column(
    name="confidence",
    type=INT8,
    unit="percent",
    minimum=0,
    maximum=100,
    meaning=(
        "Confidence of the finding. It is lower if records that it depends on are missing or "
        "contradict each other."
    ),
)
WINDOW_ID = Column(
    name="rma_window_id", type=INT32, minimum=0, meaning="RMA window, numbered in definition order."
)
IO_HANDLE_ID = Column(
    name="io_handle_id", type=INT32, minimum=0, meaning="File handle, numbered in definition order."
)
RMA_GROUP_ID = Column(
    name="rma_group_id",
    type=INT32,
    minimum=0,
    meaning="Group of processes that synchronize over an RMA window, numbered in definition order.",
)
VALUE_INTEGER = Column(
    name="value_integer",
    type=INT64,
    null_means="the value is not an integer",
    meaning="Value, if it is an integer or a reference to another definition.",
)
VALUE_TEXT = Column(
    name="value_text",
    type=STRING,
    null_means="the value is a number",
    meaning="Value, if it is a string.",
)


def nullable(column: Column, null_means: str, *, meaning: str = "") -> Column:
    """The same column, nullable; `null_means` explains null."""
    return replace(column, null_means=null_means, meaning=meaning or column.meaning)


def renamed(column: Column, name: str, meaning: str, *, null_means: str = "") -> Column:
    """The same column with another name and meaning, for example for another location."""
    return replace(column, name=name, meaning=meaning, null_means=null_means)
