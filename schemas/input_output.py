"""Input and output: operations on files, and file accesses that processes make together."""

from dataclasses import replace

from schemas.columns import (
    BYTES,
    CALL_PATH_ID,
    COMM_RANK,
    ENTER_NS,
    IO_HANDLE_ID,
    IS_BEYOND_REFERENCE,
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
from schemas.records import OUTSIDE
from schemas.table import BOOL, ENUM, INT64, STRING, Column, Table

UNFINISHED = "the trace tells no end"

FILE_MODE = Column(
    name="mode",
    type=ENUM,
    values=("open", "read", "write", "flush", "seek", "close"),
    meaning="What was done.",
)
FILE = Column(
    name="file",
    type=STRING,
    meaning="File behind the handle; the handle's name where the trace tells none.",
)
IO_PARADIGM = Column(
    name="io_paradigm", type=STRING, meaning="Interface, such as POSIX or MPI-IO; empty if unknown."
)
_COUNT = Column(
    name="operation_count", type=INT64, unit="operations", minimum=0, meaning="Operations begun."
)
_MOVED_BYTES = replace(
    BYTES,
    meaning="Bytes moved, as the ends tell; as asked for where an end tells none. What was "
    "cancelled moved none.",
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
        renamed(SEQUENCE, "sequence", "Position of the record of its begin."),
        FILE_MODE,
        Column(
            name="is_collective", type=BOOL, meaning="The record says that all processes take part."
        ),
        Column(
            name="is_nonblocking",
            type=BOOL,
            meaning="Begun by one call, ended by another or never.",
        ),
        Column(name="is_cancelled", type=BOOL, meaning="Ended without moving anything."),
        nullable(BYTES, "the trace tells no amount", meaning=_MOVED_BYTES.meaning),
        Column(
            name="begin_ns",
            type=INT64,
            unit="ns",
            meaning="Record of the begin; when the call was entered to open, seek and close.",
        ),
        Column(
            name="end_ns",
            type=INT64,
            unit="ns",
            null_means=UNFINISHED,
            meaning="Record of the end; when the call was left to open, seek and close.",
        ),
        nullable(VISIT_ID, OUTSIDE, meaning="Visit of the call that began it."),
        nullable(CALL_PATH_ID, OUTSIDE, meaning="Call path of the call that began it."),
        nullable(ENTER_NS, OUTSIDE, meaning="When the call that began it was entered."),
        renamed(
            LOCATION_ID,
            "end_location_id",
            "Location that ended it, another one of the process perhaps.",
            null_means=UNFINISHED,
        ),
        renamed(
            VISIT_ID,
            "end_visit_id",
            "Visit of the call that ended it.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
        renamed(
            CALL_PATH_ID,
            "end_call_path_id",
            "Call path of the call that ended it.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
        renamed(
            ENTER_NS,
            "end_enter_ns",
            "When the call that ended it was entered.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
        renamed(
            LEAVE_NS,
            "end_leave_ns",
            "When the call that ended it was left.",
            null_means=f"{UNFINISHED}, or {OUTSIDE}",
        ),
    ),
)

FILE_ACCESSES = Table(
    name="file_accesses",
    meaning="What was read, written and otherwise done with files, and how long it took.",
    grain="one row per handle, location, call path that began it, and mode",
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
            meaning="A handle of another interface stands above this one, as MPI-IO above POSIX, "
            "and tells what was done in its own terms: do not add both.",
        ),
        _COUNT,
        renamed(_COUNT, "collective_count", "Of these, made by all processes together."),
        renamed(_COUNT, "nonblocking_count", "Of these, ended by another call or never."),
        renamed(_COUNT, "unfinished_count", "Of these, cancelled or without an end in the trace."),
        _MOVED_BYTES,
        Column(
            name="time_ns",
            type=INT64,
            unit="ns",
            meaning="From begin to end, of operations that one call begins and ends.",
        ),
        Column(
            name="in_flight_ns",
            type=INT64,
            unit="ns",
            meaning="From begin to end, of operations that another call ended; the process may "
            "have done other things meanwhile.",
        ),
    ),
)

COLLECTIVE_FILE_CALLS = Table(
    name="collective_file_calls",
    meaning="File accesses that all processes of a handle make together, and who takes part.",
    grain="one row per access and process",
    key=("io_handle_id", "ordinal", "location_id"),
    columns=(
        IO_HANDLE_ID,
        renamed(ORDINAL, "ordinal", "Position among the collective accesses through the handle."),
        LOCATION_ID,
        renamed(
            COMM_RANK,
            "comm_rank",
            "Rank in the communicator that the handle was opened by.",
            null_means="the process is not in the communicator's definition",
        ),
        Column(
            name="call", type=STRING, meaning="The MPI call that began it; else the region's name."
        ),
        nullable(VISIT_ID, OUTSIDE, meaning="Visit of the call that ended it."),
        nullable(CALL_PATH_ID, OUTSIDE, meaning="Call path of the call that ended it."),
        nullable(ENTER_NS, OUTSIDE, meaning="When the call that ended it was entered."),
        nullable(LEAVE_NS, OUTSIDE, meaning="When the call that ended it was left."),
        renamed(VISIT_ID, "start_visit_id", "Visit of the call that began it.", null_means=OUTSIDE),
        renamed(
            CALL_PATH_ID,
            "start_call_path_id",
            "Call path of the call that began it.",
            null_means=OUTSIDE,
        ),
        renamed(ENTER_NS, "begin_ns", "When the call that began it was entered."),
        Column(
            name="is_complete",
            type=BOOL,
            meaning="All processes of the handle are there and made the same call.",
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
    meaning="Operations on files as metrics.",
    grain="one row per metric, call path and location with a value other than zero",
    key=("metric", "call_path_id", "location_id"),
    columns=(METRIC, CALL_PATH_ID, LOCATION_ID, IS_BEYOND_REFERENCE, VALUE),
)

TABLES = (FILE_OPERATIONS, FILE_ACCESSES, COLLECTIVE_FILE_CALLS, FILE_SEVERITIES)
