"""Quantities that the arguments of each record hold."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tracemill.kernels import records as kinds

KIND_LIMIT: Final = 128
"""Kinds of records are smaller numbers."""

_ABSENT: Final = -1

# Records by the quantities of their arguments; "-" is an argument that no table contains.
_RECORDS = {
    "peer communicator tag bytes": "MpiSend MpiRecv",
    "peer communicator tag bytes request": "MpiIsend MpiIrecv",
    "peer communicator tag probe": "MpiProbe",
    "operation communicator root bytes bytes_received": "MpiCollectiveEnd",
    "operation communicator root bytes bytes_received request": "NonBlockingCollectiveComplete",
    "communicator": "CommCreate CommDestroy ThreadTeamBegin ThreadTeamEnd",
    "communicator thread number": "ThreadTaskCreate ThreadTaskSwitch ThreadTaskComplete",
    "communicator number": "ThreadCreate ThreadBegin ThreadWait ThreadEnd",
    "probe bytes": "MpiMrecv",
    "request bytes": "MpiImrecv",
    "operation detail window remote bytes bytes_received": "RmaCollectiveEnd",
    "window remote bytes matching": "RmaPut RmaGet",
    "window remote detail bytes bytes_received matching": "RmaAtomic",
    "handle mode detail bytes matching": "IoOperationBegin",
    "handle bytes matching": "IoOperationComplete",
    "request": (
        "MpiIsendComplete MpiIrecvRequest MpiRequestTest MpiRequestCancelled "
        "NonBlockingCollectiveRequest"
    ),
    "probe request": "MpiImrecvRequest",
    "- number": "ThreadFork",
    "number": "OmpFork OmpTaskCreate OmpTaskSwitch OmpTaskComplete",
    "lock_paradigm lock order": "ThreadAcquireLock ThreadReleaseLock",
    "lock order": "OmpAcquireLock OmpReleaseLock",
    "window": "RmaWinCreate RmaWinDestroy RmaWaitChange",
    "detail window group": "RmaGroupSync",
    "window remote matching detail": "RmaRequestLock RmaAcquireLock RmaTryLock",
    "window remote matching": "RmaReleaseLock",
    "window remote detail": "RmaSync",
    "window matching": (
        "RmaOpCompleteBlocking RmaOpCompleteNonBlocking RmaOpTest RmaOpCompleteRemote"
    ),
    "handle matching": "IoOperationTest IoOperationIssued IoOperationCancelled",
    "handle - - detail": "IoCreateHandle IoSeek",
    "- handle detail": "IoDuplicateHandle",
    "handle detail": "IoChangeStatusFlags IoAcquireLock IoReleaseLock IoTryLock",
    "handle": "IoDestroyHandle",
    "parameter": "ParameterString ParameterInt ParameterUnsignedInt",
}


@cache
def positions_of(quantities: tuple[str, ...]) -> NDArray[np.int8]:
    """A row per quantity: the position of its argument in each kind of record; -1 if absent."""
    positions = np.full((len(quantities), KIND_LIMIT), _ABSENT, np.int8)
    kind_of = {record.name: record.kind for record in kinds.RECORDS}
    for arguments, records in _RECORDS.items():
        for position, quantity in enumerate(arguments.split()):
            if quantity in quantities:
                record_kinds = [kind_of[name] for name in records.split()]
                positions[quantities.index(quantity), record_kinds] = position
    return positions
