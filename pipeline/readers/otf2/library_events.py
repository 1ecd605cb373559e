"""Reads the events of locations with the official library, a bounded number at a time."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tracemill.base.errors import DamagedTraceError
from tracemill.readers.common.reading import LocationRead
from tracemill.readers.otf2.events import ROWS, Block
from tracemill.readers.otf2.library import INTERRUPTED_BY_CALLBACK, SUCCESS, Library, load_library
from tracemill.readers.otf2.library_buffer import RecordBuffer


class LocationReader:
    """An open reader of some locations; not shared between threads."""

    def __init__(
        self, library: Library, anchor: Path, callbacks: dict[str, Any], locations: list[int]
    ) -> None:
        self._library = library
        self._locations = locations
        self._handle = library.Reader_Open(bytes(anchor))
        if not self._handle:
            raise DamagedTraceError(f"{anchor}: the OTF2 library cannot open this anchor file")
        library.Reader_SetSerialCollectiveCallbacks(self._handle)
        for location in locations:
            library.Reader_SelectLocation(self._handle, location)
        self._definition_errors = self._load_local_definitions()
        self._event_files = library.Reader_OpenEvtFiles(self._handle)
        self._callbacks, self._no_callbacks = _register(library, callbacks), _register(library, {})
        self.buffer = RecordBuffer(library, rows=ROWS)

    def _load_local_definitions(self) -> dict[int, str]:
        """Id maps and clock offsets; without them ids and times would be silently wrong."""
        library, handle, errors = self._library, self._handle, {}
        library.Reader_OpenDefFiles(handle)
        for location in self._locations:
            reader = library.Reader_GetDefReader(handle, location)
            if not reader:
                errors[location] = f"the definitions beside it ({location}.def) are unreadable"
                continue
            read = ctypes.c_uint64()
            code = library.Reader_ReadAllLocalDefinitions(handle, reader, ctypes.byref(read))
            if code != SUCCESS:
                what = library.describe(code)
                errors[location] = f"the definitions beside it ({location}.def) are damaged: {what}"
            library.Reader_CloseDefReader(handle, reader)
        library.Reader_CloseDefFiles(handle)
        return errors

    def read(
        self, location: int, limit: int, *, is_all: bool = False
    ) -> Iterator[Block | LocationRead]:
        """Blocks of at most `limit` records; the last item is a LocationRead.

        The C library replays chunks without end in some truncated files. It is an error if more
        records follow where `is_all`.
        """
        if not limit:
            yield LocationRead(0)  # a location without events may have no files
            return
        if location in self._definition_errors:
            yield LocationRead(0, self._definition_errors[location])
            return
        reader = self._library.Reader_GetEvtReader(self._handle, location)
        if not reader:
            yield LocationRead(0, "its event file is missing or unreadable")
            return
        self._library.Reader_RegisterEvtCallbacks(
            self._handle, reader, self._callbacks, self.buffer.address
        )
        total, error = 0, ""
        while total < limit and not error:
            self.buffer.clear()
            count, error = self._fill(reader, min(ROWS, limit - total))
            total += count
            yield self.buffer.block(count)
            if not count:
                break
        if is_all and total == limit and not error:
            error = self._check_end(reader)
        self._library.Reader_CloseEvtReader(self._handle, reader)
        yield LocationRead(total, error)

    def take_dropped(self) -> int:
        """Number of attributes that did not fit since the last call."""
        return self.buffer.take_dropped()

    def _check_end(self, reader: int) -> str:
        """The damage if there are more events than were counted; empty if there is none."""
        self._library.Reader_RegisterEvtCallbacks(self._handle, reader, self._no_callbacks, None)
        surplus, _ = self._fill(reader, 1)
        return "it holds more events than its chunks announce" if surplus else ""

    def _fill(self, reader: int, wanted: int) -> tuple[int, str]:
        read = ctypes.c_uint64()
        code = self._library.Reader_ReadLocalEvents(
            self._handle, reader, wanted, ctypes.byref(read)
        )
        if code in (SUCCESS, INTERRUPTED_BY_CALLBACK):
            return read.value, ""
        return read.value, self._library.describe(code)

    def close(self) -> None:
        self._library.EvtReaderCallbacks_Delete(self._callbacks)
        self._library.EvtReaderCallbacks_Delete(self._no_callbacks)
        self._library.Reader_CloseEvtFiles(self._handle)
        self._library.Reader_Close(self._handle)


def _register(library: Library, callbacks: dict[str, Any]) -> int:
    handle: int = library.EvtReaderCallbacks_New()
    for event, callback in callbacks.items():
        setter = library.setter("EvtReader", event)
        if setter is not None:
            setter(handle, ctypes.cast(callback.ctypes, ctypes.c_void_p))
    return handle


@contextmanager
def open_locations(
    anchor: Path, callbacks: dict[str, Any], locations: list[int]
) -> Iterator[LocationReader]:
    """A reader of `locations`, closed at the end."""
    reader = LocationReader(load_library(), anchor, callbacks, locations)
    try:
        yield reader
    finally:
        reader.close()
