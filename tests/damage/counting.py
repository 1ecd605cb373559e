"""How many records of each kind an archive holds, counted with the library alone."""

import ctypes
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.readers.otf2.library import load_library

_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p,
    ctypes.c_void_p,
)  # fmt: skip
"""Arguments that follow are those of the kind, and not looked at."""

TABLES = {
    "visits": ("Enter", "CallingContextEnter"),
    "closed visits": ("Leave", "CallingContextLeave"),
    "mpi_operations": (
        "MpiSend", "MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiRecv", "MpiIrecv",
        "MpiRequestTest", "MpiRequestCancelled", "MpiCollectiveEnd",
        "NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete", "MpiProbe", "MpiMrecv",
        "MpiImrecvRequest", "MpiImrecv", "CommCreate", "CommDestroy",
    ),
    "thread_events": (
        "ThreadFork", "ThreadJoin", "ThreadTeamBegin", "ThreadTeamEnd", "ThreadCreate",
        "ThreadBegin", "ThreadWait", "ThreadEnd", "ThreadTaskCreate", "ThreadTaskSwitch",
        "ThreadTaskComplete", "OmpFork", "OmpJoin", "OmpTaskCreate", "OmpTaskSwitch",
        "OmpTaskComplete",
    ),
    "lock_operations": (
        "ThreadAcquireLock", "ThreadReleaseLock", "OmpAcquireLock", "OmpReleaseLock",
    ),
    "rma_operations": (
        "RmaWinCreate", "RmaWinDestroy", "RmaCollectiveEnd", "RmaGroupSync", "RmaRequestLock",
        "RmaAcquireLock", "RmaTryLock", "RmaReleaseLock", "RmaSync", "RmaWaitChange", "RmaPut",
        "RmaGet", "RmaAtomic", "RmaOpCompleteBlocking", "RmaOpCompleteNonBlocking", "RmaOpTest",
        "RmaOpCompleteRemote",
    ),
    "io_operations": (
        "IoCreateHandle", "IoDestroyHandle", "IoDuplicateHandle", "IoSeek",
        "IoChangeStatusFlags", "IoDeleteFile", "IoOperationBegin", "IoOperationTest",
        "IoOperationIssued", "IoOperationComplete", "IoOperationCancelled", "IoAcquireLock",
        "IoReleaseLock", "IoTryLock",
    ),
    "counter_values": ("Metric",),
    "parameter_values": ("ParameterString", "ParameterInt", "ParameterUnsignedInt"),
    "samples": ("CallingContextSample",),
    "buffer flushes": ("BufferFlush",),
    "unknown": ("Unknown",),
    "elsewhere": (
        "MeasurementOnOff", "MpiCollectiveBegin", "RmaCollectiveBegin", "ProgramBegin",
        "ProgramEnd",
    ),
}  # fmt: skip
"""Where each kind of record goes; what is elsewhere makes no row of its own."""


def count_records(anchor: Path, limits: Mapping[int, int]) -> Counter[str]:
    """Records by where they belong, of the locations by their references, up to the limits."""
    library, counts = load_library(), Counter[str]()
    handle = library.Reader_Open(bytes(anchor))
    library.Reader_SetSerialCollectiveCallbacks(handle)
    for location in limits:
        library.Reader_SelectLocation(handle, location)
    library.Reader_OpenDefFiles(handle)
    library.Reader_OpenEvtFiles(handle)
    callbacks = library.EvtReaderCallbacks_New()
    alive = []
    for table, names in TABLES.items():
        function = _counter(counts, table)
        alive.append(function)
        for name in names:
            setter = library.setter("EvtReader", name)
            assert setter is not None, name
            setter(callbacks, ctypes.cast(function, ctypes.c_void_p))
    for location, limit in limits.items():
        _read(library, handle, location, limit, callbacks)
    library.EvtReaderCallbacks_Delete(callbacks)
    library.Reader_Close(handle)
    return counts


def _counter(counts: Counter[str], table: str) -> Any:
    def count(location: int, time: int, position: int, user: Any, attributes: Any) -> int:
        counts[table] += 1
        return 0

    return _CALLBACK(count)


def _read(library: Any, handle: int, location: int, limit: int, callbacks: int) -> None:
    read = ctypes.c_uint64()
    definitions = library.Reader_GetDefReader(handle, location)
    if definitions:
        library.Reader_ReadAllLocalDefinitions(handle, definitions, ctypes.byref(read))
        library.Reader_CloseDefReader(handle, definitions)
    reader = library.Reader_GetEvtReader(handle, location)
    library.Reader_RegisterEvtCallbacks(handle, reader, callbacks, None)
    library.Reader_ReadLocalEvents(handle, reader, limit, ctypes.byref(read))
    library.Reader_CloseEvtReader(handle, reader)
