"""The OTF2 event records: numbers, arguments, and definitions that they need."""

from dataclasses import dataclass
from typing import Final

SIDE_WIDTH: Final = 6
"""Arguments stored per record, each with 64 bits."""


@dataclass(frozen=True)
class Record:
    """One OTF2 event type.

    `arguments` has a letter per argument of the C callback: B, W and Q for unsigned integers of 8,
    32 and 64 bits, L for a signed one of 64 bits. `needs` names definitions that it refers to.
    """

    kind: int
    name: str
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
    Record(ENTER, "Enter", "W"),
    Record(LEAVE, "Leave", "W"),
    Record(BUFFER_FLUSH, "BufferFlush", "Q"),
    Record(MEASUREMENT_ON_OFF, "MeasurementOnOff", "B"),
    Record(CONTEXT_ENTER, "CallingContextEnter", "WW", "calling_contexts"),
    Record(CONTEXT_LEAVE, "CallingContextLeave", "W", "calling_contexts"),
    Record(CONTEXT_SAMPLE, "CallingContextSample", "WWW", "calling_contexts"),
    Record(PARAMETER_STRING, "ParameterString", "WW", "parameters"),
    Record(PARAMETER_INT, "ParameterInt", "WL", "parameters"),
    Record(PARAMETER_UNSIGNED, "ParameterUnsignedInt", "WQ", "parameters"),
    Record(PROGRAM_END, "ProgramEnd", "L"),
    Record(16, "MpiSend", "WWWQ", "mpi"),
    Record(17, "MpiIsend", "WWWQQ", "mpi"),
    Record(18, "MpiIsendComplete", "Q", "mpi"),
    Record(19, "MpiIrecvRequest", "Q", "mpi"),
    Record(20, "MpiRecv", "WWWQ", "mpi"),
    Record(21, "MpiIrecv", "WWWQQ", "mpi"),
    Record(22, "MpiRequestTest", "Q", "mpi"),
    Record(23, "MpiRequestCancelled", "Q", "mpi"),
    Record(MPI_COLLECTIVE_BEGIN, "MpiCollectiveBegin", "", "mpi"),
    Record(MPI_COLLECTIVE_END, "MpiCollectiveEnd", "BWWQQ", "mpi"),
    Record(26, "NonBlockingCollectiveRequest", "Q", "mpi"),
    Record(27, "NonBlockingCollectiveComplete", "BWWQQQ", "mpi"),
    Record(28, "MpiProbe", "WWWQ", "mpi"),
    Record(29, "MpiMrecv", "QQ", "mpi"),
    Record(30, "MpiImrecvRequest", "QQ", "mpi"),
    Record(31, "MpiImrecv", "QQ", "mpi"),
    Record(32, "CommCreate", "W", "communicators"),
    Record(33, "CommDestroy", "W", "communicators"),
    Record(FORK, "ThreadFork", "BW", "threads"),
    Record(JOIN, "ThreadJoin", "B", "threads"),
    Record(TEAM_BEGIN, "ThreadTeamBegin", "W", "threads"),
    Record(TEAM_END, "ThreadTeamEnd", "W", "threads"),
    Record(THREAD_CREATE, "ThreadCreate", "WQ", "threads"),
    Record(THREAD_BEGIN, "ThreadBegin", "WQ", "threads"),
    Record(THREAD_WAIT, "ThreadWait", "WQ", "threads"),
    Record(THREAD_END, "ThreadEnd", "WQ", "threads"),
    Record(TASK_CREATE, "ThreadTaskCreate", "WWW", "threads"),
    Record(TASK_SWITCH, "ThreadTaskSwitch", "WWW", "threads"),
    Record(TASK_COMPLETE, "ThreadTaskComplete", "WWW", "threads"),
    Record(OMP_FORK, "OmpFork", "W", "threads"),
    Record(OMP_JOIN, "OmpJoin", "", "threads"),
    Record(OMP_TASK_CREATE, "OmpTaskCreate", "Q", "threads"),
    Record(OMP_TASK_SWITCH, "OmpTaskSwitch", "Q", "threads"),
    Record(OMP_TASK_COMPLETE, "OmpTaskComplete", "Q", "threads"),
    Record(THREAD_ACQUIRE_LOCK, "ThreadAcquireLock", "BWW", "threads"),
    Record(THREAD_RELEASE_LOCK, "ThreadReleaseLock", "BWW", "threads"),
    Record(OMP_ACQUIRE_LOCK, "OmpAcquireLock", "WW", "threads"),
    Record(OMP_RELEASE_LOCK, "OmpReleaseLock", "WW", "threads"),
    Record(64, "RmaWinCreate", "W", "rma"),
    Record(65, "RmaWinDestroy", "W", "rma"),
    Record(RMA_COLLECTIVE_BEGIN, "RmaCollectiveBegin", "", "rma"),
    Record(RMA_COLLECTIVE_END, "RmaCollectiveEnd", "BWWWQQ", "rma"),
    Record(68, "RmaGroupSync", "WWW", "rma"),
    Record(69, "RmaRequestLock", "WWQB", "rma"),
    Record(70, "RmaAcquireLock", "WWQB", "rma"),
    Record(71, "RmaTryLock", "WWQB", "rma"),
    Record(72, "RmaReleaseLock", "WWQ", "rma"),
    Record(73, "RmaSync", "WWB", "rma"),
    Record(74, "RmaWaitChange", "W", "rma"),
    Record(75, "RmaPut", "WWQQ", "rma"),
    Record(76, "RmaGet", "WWQQ", "rma"),
    Record(77, "RmaAtomic", "WWBQQQ", "rma"),
    Record(78, "RmaOpCompleteBlocking", "WQ", "rma"),
    Record(79, "RmaOpCompleteNonBlocking", "WQ", "rma"),
    Record(80, "RmaOpTest", "WQ", "rma"),
    Record(81, "RmaOpCompleteRemote", "WQ", "rma"),
    Record(96, "IoCreateHandle", "WBWW", "io"),
    Record(97, "IoDestroyHandle", "W", "io"),
    Record(98, "IoDuplicateHandle", "WWW", "io"),
    Record(99, "IoSeek", "WLBQ", "io"),
    Record(100, "IoChangeStatusFlags", "WW", "io"),
    Record(101, "IoDeleteFile", "BW", "io"),
    Record(102, "IoOperationBegin", "WBWQQ", "io"),
    Record(103, "IoOperationTest", "WQ", "io"),
    Record(104, "IoOperationIssued", "WQ", "io"),
    Record(105, "IoOperationComplete", "WQQ", "io"),
    Record(106, "IoOperationCancelled", "WQ", "io"),
    Record(107, "IoAcquireLock", "WB", "io"),
    Record(108, "IoReleaseLock", "WB", "io"),
    Record(109, "IoTryLock", "WB", "io"),
)
"""Metric, ProgramBegin and Unknown have their own callbacks (otf2_callbacks.py)."""

RECORD_NAMES: Final = {record.kind: record.name for record in RECORDS} | {
    METRIC: "Metric", PROGRAM_BEGIN: "ProgramBegin", IGNORED: "Other", UNKNOWN: "Unknown",
}  # fmt: skip
"""Names of the event types by kind."""
