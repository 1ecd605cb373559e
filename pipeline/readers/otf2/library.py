"""The official OTF2 C library: where it is, and the functions of it that we call."""

import ctypes
import ctypes.util
import importlib.util
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tracemill.base.errors import MissingLibraryError

_POINTER, _WORD, _LONG = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
_LONG_OUT = ctypes.POINTER(ctypes.c_uint64)
_TEXT_OUT = ctypes.POINTER(ctypes.c_void_p)

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "Reader_Close": (_POINTER,),
    "Reader_SetSerialCollectiveCallbacks": (_POINTER,),
    "Reader_GetChunkSize": (_POINTER, _LONG_OUT, _LONG_OUT),
    "Reader_GetTraceId": (_POINTER, _LONG_OUT),
    "Reader_GetCreator": (_POINTER, _TEXT_OUT),
    "Reader_GetMachineName": (_POINTER, _TEXT_OUT),
    "Reader_SelectLocation": (_POINTER, _LONG),
    "Reader_OpenDefFiles": (_POINTER,),
    "Reader_CloseDefFiles": (_POINTER,),
    "Reader_OpenEvtFiles": (_POINTER,),
    "Reader_CloseEvtFiles": (_POINTER,),
    "Reader_CloseDefReader": (_POINTER, _POINTER),
    "Reader_CloseEvtReader": (_POINTER, _POINTER),
    "Reader_CloseGlobalDefReader": (_POINTER, _POINTER),
    "Reader_RegisterGlobalDefCallbacks": (_POINTER, _POINTER, _POINTER, _POINTER),
    "Reader_RegisterEvtCallbacks": (_POINTER, _POINTER, _POINTER, _POINTER),
    "Reader_ReadAllGlobalDefinitions": (_POINTER, _POINTER, _LONG_OUT),
    "Reader_ReadAllLocalDefinitions": (_POINTER, _POINTER, _LONG_OUT),
    "Reader_ReadLocalEvents": (_POINTER, _POINTER, _LONG, _LONG_OUT),
}
_RETURNING_POINTERS: dict[str, tuple[Any, ...]] = {
    "Reader_Open": (ctypes.c_char_p,),
    "Reader_GetGlobalDefReader": (_POINTER,),
    "Reader_GetDefReader": (_POINTER, _LONG),
    "Reader_GetEvtReader": (_POINTER, _LONG),
    "EvtReaderCallbacks_New": (),
    "GlobalDefReaderCallbacks_New": (),
}
_RETURNING_NOTHING: dict[str, tuple[Any, ...]] = {
    "EvtReaderCallbacks_Delete": (_POINTER,),
    "GlobalDefReaderCallbacks_Delete": (_POINTER,),
}

_ErrorCallback = ctypes.CFUNCTYPE(
    ctypes.c_int32, _POINTER, _POINTER, _LONG, _POINTER, ctypes.c_int32, _POINTER, _POINTER
)


# Of the module, for the C library calls it as long as the process lasts.
_SAY_NOTHING = _ErrorCallback(lambda user, file, line, function, code, text, values: code)


SUCCESS = 0
INTERRUPTED_BY_CALLBACK = 92
"""A callback asked for an interruption: drain the columns and read on."""


class Library:
    """Functions of the loaded library by their names without the prefix `OTF2_`."""

    def __init__(self, handle: ctypes.CDLL, origin: str) -> None:
        self.handle = handle
        self.origin = origin
        for name, arguments in _SIGNATURES.items():
            self._bind(name, arguments, ctypes.c_int32)
        for name, arguments in _RETURNING_POINTERS.items():
            self._bind(name, arguments, _POINTER)
        for name, arguments in _RETURNING_NOTHING.items():
            self._bind(name, arguments, None)
        self._silence()

    def _bind(self, name: str, arguments: tuple[Any, ...], result: Any) -> None:
        function = getattr(self.handle, f"OTF2_{name}")
        function.argtypes, function.restype = list(arguments), result
        setattr(self, name, function)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise AttributeError(f"OTF2_{name} is not bound")

    def _silence(self) -> None:
        """Keep the library from writing its errors to stderr; we report their codes."""
        register = self.handle.OTF2_Error_RegisterCallback
        register.argtypes, register.restype = [_ErrorCallback, _POINTER], _POINTER
        register(_SAY_NOTHING, None)

    def setter(self, owner: str, event: str) -> Callable[..., Any] | None:
        """`OTF2_<owner>Callbacks_Set<event>Callback`; None where this version has none."""
        function = getattr(self.handle, f"OTF2_{owner}Callbacks_Set{event}Callback", None)
        if function is not None:
            function.argtypes, function.restype = [_POINTER, _POINTER], ctypes.c_int32
        return function

    def address(self, name: str) -> int:
        """Address of a C function, for compiled code to call."""
        value = ctypes.cast(getattr(self.handle, f"OTF2_{name}"), _POINTER).value
        assert value is not None
        return value

    def describe(self, code: int) -> str:
        """The library's own words for an error code."""
        function = self.handle.OTF2_Error_GetDescription
        function.argtypes, function.restype = [ctypes.c_int32], ctypes.c_char_p
        return (function(code) or b"unknown error").decode("utf-8", "replace")


def _wheel_module() -> str | None:
    """The compiled module of the `otf2` wheel, which exports the whole C API."""
    spec = importlib.util.find_spec("_otf2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for module in sorted(Path(folder).glob("_otf2*.so")):
            return str(module)
    return None


def _candidates() -> list[tuple[str, str | None]]:
    return [
        ("the otf2 wheel", _wheel_module()),
        ("OTF2_LIBRARY", os.environ.get("OTF2_LIBRARY")),
        ("the system's libotf2", ctypes.util.find_library("otf2")),
        ("Debian's libopen-trace-format2", ctypes.util.find_library("open-trace-format2")),
    ]


@cache
def load_library() -> Library:
    """Load the OTF2 library: the wheel's, else `OTF2_LIBRARY`, else the system's.

    Raises MissingLibraryError, naming what was tried.
    """
    tried = []
    for origin, path in _candidates():
        if not path:
            tried.append(f"{origin}: none")
            continue
        try:
            return Library(ctypes.CDLL(path), f"{origin} ({path})")
        except (OSError, AttributeError) as error:
            tried.append(f"{origin}: {error}")
    raise MissingLibraryError(
        f"no OTF2 library found ({'; '.join(tried)}): install libotf2 or the otf2 package (make "
        "otf2), or set OTF2_LIBRARY to the path of libotf2.so"
    )
