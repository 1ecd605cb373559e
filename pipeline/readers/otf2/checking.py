"""Checks of an archive's files before its events are read."""

from pathlib import Path
from typing import Any

from tracemill.base.errors import DamagedTraceError
from tracemill.kernels import otf2_layout as of
from tracemill.kernels.otf2_layout import layout_of
from tracemill.readers.common.parallel import map_in_threads
from tracemill.readers.common.reading import LocationState
from tracemill.readers.common.survey import damage_of
from tracemill.readers.otf2.archive import Archive
from tracemill.readers.otf2.chunks import ChunkHeader
from tracemill.readers.otf2.events import EventDecoder

_NOTHING = layout_of(None)
_END_BYTES = 2


def check_files(archive: Archive, *, allow_damaged: bool, threads: int) -> list[LocationState]:
    """State of every location's event file. Raises DamagedTraceError unless damage is allowed."""

    def check(item: tuple[int, tuple[Any, ...]]) -> LocationState:
        ref, (_, _, declared, _) = item
        state = check_event_file(
            archive.event_file(ref), chunk_bytes=archive.event_chunk_bytes, declared_count=declared
        )
        if state.readable_count and not state.problem:
            # Without id maps and clock offsets, ids and times would be silently wrong.
            try:
                archive.local_definitions(ref)
            except DamagedTraceError as error:
                return LocationState(0, str(error))
        return state

    states = map_in_threads(check, archive.definitions["Location"].items(), threads)
    problems = [state.problem for state in states if state.problem] or _all_missing(archive)
    if problems and not allow_damaged:
        raise DamagedTraceError(damage_of(problems))
    return states


def _all_missing(archive: Archive) -> list[str]:
    """The missing event files, if there is none although events are announced."""
    locations = archive.definitions["Location"].items()
    announced = [ref for ref, (_, _, count, _) in locations if count]
    files = list(map(archive.event_file, announced))
    return [] if any(file.exists() for file in files) else [f"{file} is missing" for file in files]


def check_event_file(file: Path, *, chunk_bytes: int, declared_count: int) -> LocationState:
    """Count the events of a file, and find out whether it is whole.

    Chunks number their events, so the count does not depend on the number that the definitions
    announce; writers announce any number.
    """
    if not file.exists():
        return LocationState(0)
    size, begin = file.stat().st_size, 0
    if not size:
        return LocationState(0, f"{file} is cut short at byte 0" if declared_count else "")
    decoder = EventDecoder(_NOTHING, min(chunk_bytes, size), rows=0)
    with file.open("rb", buffering=0) as data:
        decoder.open(data)
        while True:
            header, first = decoder.load(), decoder.records + 1
            if header is None or header.first != first:
                what = f"{file} has a damaged chunk header at byte {begin}"
                return LocationState(decoder.records, what)
            found = decoder.decode()
            begin += chunk_bytes
            if begin >= size:
                return _check_end(file, decoder, found, header, declared_count)
            if found != of.CHUNK_ENDED or any(decoder.rest) or decoder.records != header.last:
                return LocationState(decoder.records, _damage(file, decoder, found))


def _check_end(
    file: Path, decoder: EventDecoder, found: int, header: ChunkHeader, declared: int
) -> LocationState:
    """The last chunk holds the events that it announces, then the mark of the end of the file."""
    count, rest, problem = decoder.records, decoder.rest, ""
    is_cut = found == of.CUT or (found == of.CHUNK_ENDED and not any(rest))
    if is_cut or (found == of.FILE_ENDED and len(rest) < _END_BYTES):
        problem = f"{file} is cut short at byte {decoder.byte + len(rest)}"
    elif found != of.FILE_ENDED or len(rest) > _END_BYTES:
        problem = _damage(file, decoder, found)
    elif count not in (header.last, declared):
        problem = f"{file} holds {count} events where its last chunk announces {header.last}"
    last_ticks = decoder.last_ticks if count >= header.first else None
    return LocationState(count, problem, last_ticks)


def _damage(file: Path, decoder: EventDecoder, found: int) -> str:
    what = "bytes that are no record"
    if found in (of.CUT, of.BAD_FIELD):
        what = decoder.describe(found)
    return f"{file} is damaged after {decoder.records} events, at byte {decoder.byte}: {what}"
