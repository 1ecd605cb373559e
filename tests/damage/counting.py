"""How many records of each kind an archive holds, counted with the library alone."""

import ctypes
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracemill.readers.otf2.library import load_library

_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p,
    ctypes.c_void_p,
)  # fmt: skip
"""Arguments that follow are those of the kind, and not looked at."""
_METRIC_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p,
    ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint8,
)  # fmt: skip

TABLES = {
    "visits": ("Enter",),
    "closed visits": ("Leave",),
    "visits of contexts": ("CallingContextEnter",),
    "closed visits of contexts": ("CallingContextLeave",),
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


def count_records(anchor: Path, limits: Mapping[int, int]) -> dict[int, Counter[str]]:
    """Records of the locations, by their references, up to the limits: where they belong.

    "attributes" and "values" are those that records carry, the latter of counters.
    """
    library = load_library()
    counts: dict[int, Counter[str]] = {location: Counter() for location in limits}
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


def _counter(counts: dict[int, Counter[str]], table: str) -> Any:
    attribute_count = load_library().handle.OTF2_AttributeList_GetNumberOfElements
    attribute_count.argtypes, attribute_count.restype = (ctypes.c_void_p,), ctypes.c_uint32

    def count(location: int, time: int, position: int, user: Any, attributes: Any) -> int:
        counts[location][table] += 1
        counts[location]["attributes"] += attribute_count(attributes)
        return 0

    def count_values(
        location: int, time: int, position: int, user: Any, attributes: Any, metric: int, size: int
    ) -> int:
        """A record without any value makes no row."""
        counts[location]["values"] += size
        counts[location]["elsewhere"] += not size
        counts[location][table] -= not size
        return count(location, time, position, user, attributes)

    is_metric = table == "counter_values"
    return _METRIC_CALLBACK(count_values) if is_metric else _CALLBACK(count)


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
