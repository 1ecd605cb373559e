"""The OTF2 event records: numbers, arguments, and definitions that they need."""

from dataclasses import dataclass
from typing import Final

SIDE_WIDTH: Final = 6
"""Arguments stored per record, each with 64 bits."""


MAPPINGS: Final = {
    "s": 0, "a": 1, "r": 3, "g": 4, "m": 5, "c": 6, "p": 7, "w": 8, "x": 10, "i": 11, "f": 12,
    "h": 13,
}  # fmt: skip
"""References with 32 bits: to a string, attribute, region, group, metric, communicator, parameter,
window, calling context, interrupt generator, file and file handle. The values are the types of the
tables in files that map identifiers of a location to those of the trace."""


@dataclass(frozen=True)
class Record:
    """One OTF2 event type.

    `code` is its number in files. `arguments` has a letter per argument, in the order of files and
    of the C callbacks: B, W and Q for unsigned integers of 8, 32 and 64 bits, L for a signed one of
    64 bits, T for a time, and those of MAPPINGS for references. `needs` names definitions that it
    refers to.
    """

    kind: int
    name: str
    code: int
    arguments: str
    needs: str = ""


ENTER, LEAVE, ATTRIBUTE, METRIC, UNKNOWN = 0, 1, 2, 3, 4
BUFFER_FLUSH, MEASUREMENT_ON_OFF = 5, 6
CONTEXT_ENTER, CONTEXT_LEAVE, CONTEXT_SAMPLE = 7, 8, 9
PARAMETER_STRING, PARAMETER_INT, PARAMETER_UNSIGNED = 10, 11, 12
IGNORED, PROGRAM_BEGIN, PROGRAM_END = 13, 14, 15
"""Records from IGNORED to PROGRAM_END are only counted; those of IGNORED have no event type."""
MPI_FIRST = 16
MPI_COLLECTIVE_BEGIN, MPI_COLLECTIVE_END = 24, 25
MPI_LAST = 33
FORK, JOIN, TEAM_BEGIN, TEAM_END = 40, 41, 42, 43
THREAD_CREATE, THREAD_BEGIN, THREAD_WAIT, THREAD_END = 44, 45, 46, 47
TASK_CREATE, TASK_SWITCH, TASK_COMPLETE = 48, 49, 50
OMP_FORK, OMP_JOIN, OMP_TASK_CREATE, OMP_TASK_SWITCH, OMP_TASK_COMPLETE = 51, 52, 53, 54, 55
THREAD_ACQUIRE_LOCK, THREAD_RELEASE_LOCK, OMP_ACQUIRE_LOCK, OMP_RELEASE_LOCK = 58, 59, 60, 61
RMA_FIRST, RMA_COLLECTIVE_BEGIN, RMA_COLLECTIVE_END, RMA_LAST = 64, 66, 67, 81
IO_FIRST, IO_LAST = 96, 109

RECORDS: Final = (
    Record(ENTER, "Enter", 12, "r"),
    Record(LEAVE, "Leave", 13, "r"),
    Record(BUFFER_FLUSH, "BufferFlush", 10, "T"),
    Record(MEASUREMENT_ON_OFF, "MeasurementOnOff", 11, "B"),
    Record(CONTEXT_ENTER, "CallingContextEnter", 66, "xW", "calling_contexts"),
    Record(CONTEXT_LEAVE, "CallingContextLeave", 67, "x", "calling_contexts"),
    Record(CONTEXT_SAMPLE, "CallingContextSample", 68, "xWi", "calling_contexts"),
    Record(PARAMETER_STRING, "ParameterString", 32, "ps", "parameters"),
    Record(PARAMETER_INT, "ParameterInt", 33, "pL", "parameters"),
    Record(PARAMETER_UNSIGNED, "ParameterUnsignedInt", 34, "pQ", "parameters"),
    Record(PROGRAM_END, "ProgramEnd", 84, "L"),
    Record(16, "MpiSend", 14, "WcWQ", "mpi"),
    Record(17, "MpiIsend", 15, "WcWQQ", "mpi"),
    Record(18, "MpiIsendComplete", 16, "Q", "mpi"),
    Record(19, "MpiIrecvRequest", 17, "Q", "mpi"),
    Record(20, "MpiRecv", 18, "WcWQ", "mpi"),
    Record(21, "MpiIrecv", 19, "WcWQQ", "mpi"),
    Record(22, "MpiRequestTest", 20, "Q", "mpi"),
    Record(23, "MpiRequestCancelled", 21, "Q", "mpi"),
    Record(MPI_COLLECTIVE_BEGIN, "MpiCollectiveBegin", 22, "", "mpi"),
    Record(MPI_COLLECTIVE_END, "MpiCollectiveEnd", 23, "BcWQQ", "mpi"),
    Record(26, "NonBlockingCollectiveRequest", 85, "Q", "mpi"),
    Record(27, "NonBlockingCollectiveComplete", 86, "BcWQQQ", "mpi"),
    Record(28, "MpiProbe", 89, "WcWQ", "mpi"),
    Record(29, "MpiMrecv", 90, "QQ", "mpi"),
    Record(30, "MpiImrecvRequest", 91, "QQ", "mpi"),
    Record(31, "MpiImrecv", 92, "QQ", "mpi"),
    Record(32, "CommCreate", 87, "c", "communicators"),
    Record(33, "CommDestroy", 88, "c", "communicators"),
    Record(FORK, "ThreadFork", 53, "BW", "threads"),
    Record(JOIN, "ThreadJoin", 54, "B", "threads"),
    Record(TEAM_BEGIN, "ThreadTeamBegin", 55, "c", "threads"),
    Record(TEAM_END, "ThreadTeamEnd", 56, "c", "threads"),
    Record(THREAD_CREATE, "ThreadCreate", 62, "cQ", "threads"),
    Record(THREAD_BEGIN, "ThreadBegin", 63, "cQ", "threads"),
    Record(THREAD_WAIT, "ThreadWait", 64, "cQ", "threads"),
    Record(THREAD_END, "ThreadEnd", 65, "cQ", "threads"),
    Record(TASK_CREATE, "ThreadTaskCreate", 59, "cWW", "threads"),
    Record(TASK_SWITCH, "ThreadTaskSwitch", 60, "cWW", "threads"),
    Record(TASK_COMPLETE, "ThreadTaskComplete", 61, "cWW", "threads"),
    Record(OMP_FORK, "OmpFork", 24, "W", "threads"),
    Record(OMP_JOIN, "OmpJoin", 25, "", "threads"),
    Record(OMP_TASK_CREATE, "OmpTaskCreate", 28, "Q", "threads"),
    Record(OMP_TASK_SWITCH, "OmpTaskSwitch", 29, "Q", "threads"),
    Record(OMP_TASK_COMPLETE, "OmpTaskComplete", 30, "Q", "threads"),
    Record(THREAD_ACQUIRE_LOCK, "ThreadAcquireLock", 57, "BWW", "threads"),
    Record(THREAD_RELEASE_LOCK, "ThreadReleaseLock", 58, "BWW", "threads"),
    Record(OMP_ACQUIRE_LOCK, "OmpAcquireLock", 26, "WW", "threads"),
    Record(OMP_RELEASE_LOCK, "OmpReleaseLock", 27, "WW", "threads"),
    Record(64, "RmaWinCreate", 35, "w", "rma"),
    Record(65, "RmaWinDestroy", 36, "w", "rma"),
    Record(RMA_COLLECTIVE_BEGIN, "RmaCollectiveBegin", 37, "", "rma"),
    Record(RMA_COLLECTIVE_END, "RmaCollectiveEnd", 38, "BWwWQQ", "rma"),
    Record(68, "RmaGroupSync", 39, "Wwg", "rma"),
    Record(69, "RmaRequestLock", 40, "wWQB", "rma"),
    Record(70, "RmaAcquireLock", 41, "wWQB", "rma"),
    Record(71, "RmaTryLock", 42, "wWQB", "rma"),
    Record(72, "RmaReleaseLock", 43, "wWQ", "rma"),
    Record(73, "RmaSync", 44, "wWB", "rma"),
    Record(74, "RmaWaitChange", 45, "w", "rma"),
    Record(75, "RmaPut", 46, "wWQQ", "rma"),
    Record(76, "RmaGet", 47, "wWQQ", "rma"),
    Record(77, "RmaAtomic", 48, "wWBQQQ", "rma"),
    Record(78, "RmaOpCompleteBlocking", 49, "wQ", "rma"),
    Record(79, "RmaOpCompleteNonBlocking", 50, "wQ", "rma"),
    Record(80, "RmaOpTest", 51, "wQ", "rma"),
    Record(81, "RmaOpCompleteRemote", 52, "wQ", "rma"),
    Record(96, "IoCreateHandle", 69, "hBWW", "io"),
    Record(97, "IoDestroyHandle", 70, "h", "io"),
    Record(98, "IoDuplicateHandle", 71, "hhW", "io"),
    Record(99, "IoSeek", 72, "hLBQ", "io"),
    Record(100, "IoChangeStatusFlags", 73, "hW", "io"),
    Record(101, "IoDeleteFile", 74, "Bf", "io"),
    Record(102, "IoOperationBegin", 75, "hBWQQ", "io"),
    Record(103, "IoOperationTest", 76, "hQ", "io"),
    Record(104, "IoOperationIssued", 77, "hQ", "io"),
    Record(105, "IoOperationComplete", 78, "hQQ", "io"),
    Record(106, "IoOperationCancelled", 79, "hQ", "io"),
    Record(107, "IoAcquireLock", 80, "hB", "io"),
    Record(108, "IoReleaseLock", 81, "hB", "io"),
    Record(109, "IoTryLock", 82, "hB", "io"),
)
METRIC_CODE, PROGRAM_BEGIN_CODE = 31, 83
"""Metric and ProgramBegin have arrays as arguments, and Unknown has none."""

RECORD_NAMES: Final = {record.kind: record.name for record in RECORDS} | {
    METRIC: "Metric", PROGRAM_BEGIN: "ProgramBegin", IGNORED: "Other", UNKNOWN: "Unknown",
}  # fmt: skip
"""Names of the event types by kind."""
