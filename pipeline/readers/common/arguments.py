"""Which argument of which record holds which quantity."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as kinds

KIND_LIMIT: Final = 128
"""More than the largest number of a kind of record."""

ABSENT: Final = -1

# Which argument of each record holds which quantity.
_ARGUMENT: dict[str, dict[str, int]] = {
    "communicator": {
        "MpiSend": 1, "MpiIsend": 1, "MpiRecv": 1, "MpiIrecv": 1, "MpiProbe": 1,
        "MpiCollectiveEnd": 1, "NonBlockingCollectiveComplete": 1, "CommCreate": 0,
        "CommDestroy": 0, "ThreadTeamBegin": 0, "ThreadTeamEnd": 0, "ThreadTaskCreate": 0,
        "ThreadTaskSwitch": 0, "ThreadTaskComplete": 0, "ThreadCreate": 0, "ThreadBegin": 0,
        "ThreadWait": 0, "ThreadEnd": 0,
    },
    "peer": {"MpiSend": 0, "MpiIsend": 0, "MpiRecv": 0, "MpiIrecv": 0, "MpiProbe": 0},
    "tag": {"MpiSend": 2, "MpiIsend": 2, "MpiRecv": 2, "MpiIrecv": 2, "MpiProbe": 2},
    "bytes": {
        "MpiSend": 3, "MpiIsend": 3, "MpiRecv": 3, "MpiIrecv": 3, "MpiMrecv": 1, "MpiImrecv": 1,
        "MpiCollectiveEnd": 3, "NonBlockingCollectiveComplete": 3, "RmaCollectiveEnd": 4,
        "RmaPut": 2, "RmaGet": 2, "RmaAtomic": 3, "IoOperationBegin": 3, "IoOperationComplete": 1,
    },
    "bytes_received": {
        "MpiCollectiveEnd": 4, "NonBlockingCollectiveComplete": 4, "RmaCollectiveEnd": 5,
        "RmaAtomic": 4,
    },
    "operation": {
        "MpiCollectiveEnd": 0, "NonBlockingCollectiveComplete": 0, "RmaCollectiveEnd": 0,
    },
    "root": {"MpiCollectiveEnd": 2, "NonBlockingCollectiveComplete": 2},
    "request": {
        "MpiIsend": 4, "MpiIsendComplete": 0, "MpiIrecvRequest": 0, "MpiIrecv": 4,
        "MpiRequestTest": 0, "MpiRequestCancelled": 0, "NonBlockingCollectiveRequest": 0,
        "NonBlockingCollectiveComplete": 5, "MpiImrecvRequest": 1, "MpiImrecv": 0,
    },
    "probe": {"MpiProbe": 3, "MpiMrecv": 0, "MpiImrecvRequest": 0},
    "thread": {"ThreadTaskCreate": 1, "ThreadTaskSwitch": 1, "ThreadTaskComplete": 1},
    "number": {
        "ThreadFork": 1, "OmpFork": 0, "ThreadTaskCreate": 2, "ThreadTaskSwitch": 2,
        "ThreadTaskComplete": 2, "OmpTaskCreate": 0, "OmpTaskSwitch": 0, "OmpTaskComplete": 0,
        "ThreadCreate": 1, "ThreadBegin": 1, "ThreadWait": 1, "ThreadEnd": 1,
    },
    "lock": {
        "ThreadAcquireLock": 1, "ThreadReleaseLock": 1, "OmpAcquireLock": 0, "OmpReleaseLock": 0,
    },
    "order": {
        "ThreadAcquireLock": 2, "ThreadReleaseLock": 2, "OmpAcquireLock": 1, "OmpReleaseLock": 1,
    },
    "lock_paradigm": {"ThreadAcquireLock": 0, "ThreadReleaseLock": 0},
    "window": {
        "RmaWinCreate": 0, "RmaWinDestroy": 0, "RmaCollectiveEnd": 2, "RmaGroupSync": 1,
        "RmaRequestLock": 0, "RmaAcquireLock": 0, "RmaTryLock": 0, "RmaReleaseLock": 0,
        "RmaSync": 0, "RmaWaitChange": 0, "RmaPut": 0, "RmaGet": 0, "RmaAtomic": 0,
        "RmaOpCompleteBlocking": 0, "RmaOpCompleteNonBlocking": 0, "RmaOpTest": 0,
        "RmaOpCompleteRemote": 0,
    },
    "remote": {
        "RmaCollectiveEnd": 3, "RmaRequestLock": 1, "RmaAcquireLock": 1, "RmaTryLock": 1,
        "RmaReleaseLock": 1, "RmaSync": 1, "RmaPut": 1, "RmaGet": 1, "RmaAtomic": 1,
    },
    "group": {"RmaGroupSync": 2},
    "matching": {
        "RmaRequestLock": 2, "RmaAcquireLock": 2, "RmaTryLock": 2, "RmaReleaseLock": 2,
        "RmaPut": 3, "RmaGet": 3, "RmaAtomic": 5, "RmaOpCompleteBlocking": 1,
        "RmaOpCompleteNonBlocking": 1, "RmaOpTest": 1, "RmaOpCompleteRemote": 1,
        "IoOperationBegin": 4, "IoOperationTest": 1, "IoOperationIssued": 1,
        "IoOperationComplete": 2, "IoOperationCancelled": 1,
    },
    "detail": {
        "RmaCollectiveEnd": 1, "RmaGroupSync": 0, "RmaRequestLock": 3, "RmaAcquireLock": 3,
        "RmaTryLock": 3, "RmaSync": 2, "RmaAtomic": 2, "IoCreateHandle": 3,
        "IoDuplicateHandle": 2, "IoSeek": 3, "IoChangeStatusFlags": 1, "IoOperationBegin": 2,
        "IoAcquireLock": 1, "IoReleaseLock": 1, "IoTryLock": 1,
    },
    "handle": {
        "IoCreateHandle": 0, "IoDestroyHandle": 0, "IoDuplicateHandle": 1, "IoSeek": 0,
        "IoChangeStatusFlags": 0, "IoOperationBegin": 0, "IoOperationTest": 0,
        "IoOperationIssued": 0, "IoOperationComplete": 0, "IoOperationCancelled": 0,
        "IoAcquireLock": 0, "IoReleaseLock": 0, "IoTryLock": 0,
    },
    "mode": {"IoOperationBegin": 1},
    "parameter": {"ParameterString": 0, "ParameterInt": 0, "ParameterUnsignedInt": 0},
}  # fmt: skip

_KIND_OF = {record.name: record.kind for record in kinds.RECORDS}


@cache
def places_of(quantities: tuple[str, ...]) -> NDArray[np.int8]:
    """A row per quantity: its place among the arguments of each kind of record, or ABSENT."""
    places = np.full((len(quantities), KIND_LIMIT), ABSENT, np.int8)
    for row, quantity in enumerate(quantities):
        for name, place in _ARGUMENT[quantity].items():
            places[row, _KIND_OF[name]] = place
    return places
