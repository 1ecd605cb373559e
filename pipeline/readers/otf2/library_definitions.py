"""Reads global definitions with the official library."""

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tracemill.base.errors import DamagedTraceError
from tracemill.readers.common.definitions import Definitions
from tracemill.readers.otf2.definitions import decode_text
from tracemill.readers.otf2.library import SUCCESS, Library, load_library

_B, _W, _I, _Q, _P, _S = (
    ctypes.c_uint8,
    ctypes.c_uint32,
    ctypes.c_int64,
    ctypes.c_uint64,
    ctypes.c_void_p,
    ctypes.c_char_p,
)

# Arguments of each definition after the user data; the first one is its identifier.
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "String": (_W, _S),
    "Attribute": (_W, _W, _W, _B),
    "SystemTreeNode": (_W, _W, _W, _W),
    "LocationGroup": (_W, _W, _B, _W, _W),
    "Location": (_Q, _W, _B, _Q, _W),
    "Region": (_W, _W, _W, _W, _B, _B, _W, _W, _W, _W),
    "Group": (_W, _W, _B, _B, _W, _W, ctypes.POINTER(_Q)),
    "MetricMember": (_W, _W, _W, _B, _B, _B, _B, _I, _W),
    "MetricClass": (_W, _B, ctypes.POINTER(_W), _B, _B),
    "MetricInstance": (_W, _W, _Q, _B, _Q),
    "Comm": (_W, _W, _W, _W, _W),
    "InterComm": (_W, _W, _W, _W, _W, _W),
    "CartDimension": (_W, _W, _W, _B),
    "CartTopology": (_W, _W, _W, _B, ctypes.POINTER(_W)),
    "Parameter": (_W, _W, _B),
    "RmaWin": (_W, _W, _W, _W),
    "SourceCodeLocation": (_W, _W, _W),
    "CallingContext": (_W, _W, _W, _W),
    "IoRegularFile": (_W, _W, _W),
    "IoDirectory": (_W, _W, _W),
    "IoHandle": (_W, _W, _W, _B, _W, _W, _W),
    "IoParadigm": (_B, _W, _W, _B, _W, _B, _P, _P, _P),
}


def _kept(kind: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copy what the library's pointers point at, which is gone after the callback."""
    if kind in ("Group", "CartTopology"):
        *head, count, members = values
        return (*head, tuple(members[:count]))
    if kind == "MetricClass":
        count, members, *rest = values
        return (tuple(members[:count]), *rest)
    if kind == "IoParadigm":
        return values[:2]
    return values


def _keeper(definitions: Definitions, kind: str) -> Callable[..., int]:
    target = definitions.by_kind[kind]

    def keep(user: Any, ref: int, *values: Any) -> int:
        if kind == "String":
            values = (decode_text(definitions, values[0] or b""),)
        if ref in target:
            definitions.repeated += 1
        else:
            target[ref] = _kept(kind, values)
        return 0

    return keep


def read_with_library(anchor: Path) -> Definitions:
    """Read all global definitions of an archive.

    Raises DamagedTraceError if a file is missing or cannot be read, or MissingLibraryError.
    """
    library, file = load_library(), anchor.with_suffix(".def")
    handle = library.Reader_Open(os.fsencode(anchor))
    if not handle:
        raise DamagedTraceError(f"{anchor}: the OTF2 library cannot open this anchor file")
    library.Reader_SetSerialCollectiveCallbacks(handle)
    try:
        return _read(library, handle, file)
    finally:
        library.Reader_Close(handle)


def _read(library: Library, handle: int, file: Path) -> Definitions:
    definitions = Definitions()
    reader = library.Reader_GetGlobalDefReader(handle)
    if not reader:
        raise DamagedTraceError(f"{file} is missing or unreadable")
    callbacks = library.GlobalDefReaderCallbacks_New()
    alive = _register(library, callbacks, definitions)
    library.Reader_RegisterGlobalDefCallbacks(handle, reader, callbacks, None)
    read = ctypes.c_uint64()
    code = library.Reader_ReadAllGlobalDefinitions(handle, reader, ctypes.byref(read))
    library.GlobalDefReaderCallbacks_Delete(callbacks)
    library.Reader_CloseGlobalDefReader(handle, reader)
    del alive
    if code != SUCCESS:
        raise DamagedTraceError(f"{file} is damaged: {library.describe(code)}")
    return definitions


def _register(library: Library, callbacks: int, definitions: Definitions) -> list[Any]:
    """Register a keeper per definition; the result must outlive the reading."""

    def keep_clock(user: Any, *values: int) -> int:
        definitions.clock = values  # type: ignore[assignment]
        return 0

    def count_unknown(user: Any) -> int:
        definitions.unknown += 1
        return 0

    handlers: dict[str, tuple[tuple[Any, ...], Callable[..., int]]] = {
        kind: (arguments, _keeper(definitions, kind)) for kind, arguments in _ARGUMENTS.items()
    }
    handlers["ClockProperties"] = ((_Q, _Q, _Q, _Q), keep_clock)
    handlers["Unknown"] = ((), count_unknown)
    alive = []
    for kind, (arguments, handler) in handlers.items():
        setter = library.setter("GlobalDefReader", kind)
        if setter is not None:
            function = ctypes.CFUNCTYPE(ctypes.c_int32, _P, *arguments)(handler)
            setter(callbacks, ctypes.cast(function, _P))
            alive.append(function)
    return alive
