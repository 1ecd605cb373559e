"""I/O: file operations, and collective file accesses of processes."""

from dataclasses import replace

from tracemill.schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COMM_RANK,
    ENTER_NS,
    IO_HANDLE_ID,
    IS_EXTENDED,
    LEAVE_NS,
    LOCATION_ID,
    METRIC,
    ORDINAL,
    SEQUENCE,
    VALUE,
    VISIT_ID,
    nullable,
    renamed,
)
from tracemill.schemas.records import OUTSIDE
from tracemill.schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

UNFINISHED = "the end is not recorded"

FILE_MODE = Column(
    name="mode",
    type=ENUM,
    values=("open", "read", "write", "flush", "seek", "close"),
    meaning="Kind of operation.",
)
FILE = Column(
    name="file",
    type=STRING,
    meaning="File of the handle; the name of the handle if no file is recorded.",
)
IO_PARADIGM = Column(
    name="io_paradigm", type=STRING, meaning="Interface, such as POSIX or MPI-IO; empty if unknown."
)
_COUNT = Column(
    name="operation_count", type=INT64, unit="operations", minimum=0, meaning="Operations started."
)
_MOVED_BYTES = replace(
    BYTES,
    meaning=(
        "Bytes transferred according to the end record, or bytes requested if the end record has "
        "no size. Canceled operations count zero bytes."
    ),
)

FILE_OPERATIONS = Table(
    name="file_operations",
    meaning="Operations on open files, each with its end.",
    grain="one row per operation begun on a defined handle",
    key=("location_id", "sequence"),
    is_transient=True,
    columns=(
        IO_HANDLE_ID,
        LOCATION_ID,
        renamed(SEQUENCE, "sequence", "Position of its begin record."),
        FILE_MODE,
        Column(name="is_collective", type=BOOL, meaning="The operation is recorded as collective."),
        Column(
            name="is_nonblocking",
            type=BOOL,
            meaning="One call starts it, and another call completes it, or none does.",
        ),
        Column(
            name="is_cancelled",
            type=BOOL,
            meaning="The operation was canceled and transferred no data.",
        ),
        nullable(BYTES, "no size is recorded", meaning=_MOVED_BYTES.meaning),
        Column(
            name="begin_ns",
            type=INT64,
            unit="ns",
            meaning="Begin record; for open, seek and close, enter of the call.",
        ),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            null_means=UNFINISHED,
            meaning="End record; for open, seek and close, leave of the call.",
        ),
        nullable(VISIT_ID, OUTSIDE, meaning="Visit of the call that started the access."),
        nullable(CALL_PATH_ID, OUTSIDE, meaning="Call path of the call that started the access."),
        nullable(ENTER_NS, OUTSIDE, meaning="Enter time of the call that started the access."),
        renamed(
            LOCATION_ID,
            "end_location_id",
            "Location of the end; it can be another location of the process.",
            null_means=UNFINISHED,
        ),
        renamed(
            VISIT_ID,
            "end_visit_id",
            "Visit of the call that completed the operation.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
        renamed(
            CALL_PATH_ID,
            "end_call_path_id",
            "Call path of the call that completed the operation.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
        renamed(
            ENTER_NS,
            "end_enter_ns",
            "Enter time of the call that completed the operation.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
        renamed(
            LEAVE_NS,
            "end_leave_ns",
            "Leave time of the call that completed the operation.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
    ),
)

FILE_ACCESSES = Table(
    name="file_accesses",
    meaning="Number, size and time of file operations.",
    grain="one row per handle, location, beginning call path, and mode",
    key=("io_handle_id", "location_id", "call_path_id", "mode"),
    columns=(
        IO_HANDLE_ID,
        FILE,
        IO_PARADIGM,
        LOCATION_ID,
        nullable(CALL_PATH_ID, OUTSIDE),
        FILE_MODE,
        Column(
            name="is_inner",
            type=BOOL,
            meaning=(
                "A handle of another interface is above this one, such as MPI-IO above POSIX, and "
                "records the same operations. Do not add both."
            ),
        ),
        _COUNT,
        renamed(_COUNT, "collective_count", "Collective operations among them."),
        renamed(
            _COUNT,
            "nonblocking_count",
            "Operations among them that another call completes, or none does.",
        ),
        renamed(
            _COUNT,
            "unfinished_count",
            "Operations among them that were canceled or have no end in the trace.",
        ),
        _MOVED_BYTES,
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            meaning="Time from begin to end of operations that start and end in one call.",
        ),
        Column(
            name="in_flight_ns",
            type=INT64,
            unit="ns",
            meaning=(
                "Time from begin to end of operations that another call completed. The process may "
                "have done other work in between."
            ),
        ),
    ),
)

COLLECTIVE_FILE_CALLS = Table(
    name="collective_file_calls",
    meaning="Collective file accesses, with the part of each process.",
    grain="one row per access and process",
    key=("io_handle_id", "ordinal", "location_id"),
    columns=(
        IO_HANDLE_ID,
        renamed(ORDINAL, "ordinal", "Position among the collective accesses through the handle."),
        LOCATION_ID,
        renamed(
            COMM_RANK,
            "comm_rank",
            "Rank in the communicator that opened the handle.",
            null_means="the process is not in the communicator's definition",
        ),
        Column(
            name="call",
            type=STRING,
            meaning="MPI call that started the access; otherwise, the name of the region.",
        ),
        nullable(VISIT_ID, OUTSIDE, meaning="Visit of the call that completed the operation."),
        nullable(
            CALL_PATH_ID, OUTSIDE, meaning="Call path of the call that completed the operation."
        ),
        nullable(ENTER_NS, OUTSIDE, meaning="Enter time of the call that completed the operation."),
        nullable(LEAVE_NS, OUTSIDE, meaning="Leave time of the call that completed the operation."),
        renamed(
            VISIT_ID,
            "start_visit_id",
            "Visit of the call that started the access.",
            null_means=OUTSIDE,
        ),
        renamed(
            CALL_PATH_ID,
            "start_call_path_id",
            "Call path of the call that started the access.",
            null_means=OUTSIDE,
        ),
        renamed(ENTER_NS, "begin_ns", "Enter time of the call that started the access."),
        Column(
            name="is_complete",
            type=BOOL,
            meaning="All processes of the handle are present and made the same call.",
        ),
        Column(
            name="is_doubtful",
            type=BOOL,
            meaning="The handle has incomplete accesses: calls may be matched wrongly.",
        ),
    ),
)

FILE_SEVERITIES = Table(
    name="file_severities",
    meaning="Metrics of file operations.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, IS_EXTENDED, VALUE),
)

TABLES = (FILE_OPERATIONS, FILE_ACCESSES, COLLECTIVE_FILE_CALLS, FILE_SEVERITIES)
