"""Checks of an archive's files before the library reads them."""

from typing import Any

from tracemill.base.errors import DamagedTraceError
from tracemill.readers.common.parallel import map_in_threads
from tracemill.readers.common.reading import LocationState
from tracemill.readers.common.survey import damage_of
from tracemill.readers.otf2.archive import Archive, check_definition_file, check_event_file


def check_files(archive: Archive, *, allow_damaged: bool, threads: int) -> list[LocationState]:
    """State of every location's event file. Raises DamagedTraceError unless damage is allowed."""

    def check(item: tuple[int, tuple[Any, ...]]) -> LocationState:
        ref, (_, _, declared, _) = item
        state = check_event_file(
            archive.event_file(ref), chunk_bytes=archive.event_chunk_bytes, declared_count=declared
        )
        local = archive.local_definition_file(ref)
        if state.readable_count and not state.problem:
            # Without id maps and clock offsets, ids and times would be silently wrong.
            problem = check_definition_file(local, chunk_bytes=archive.definition_chunk_bytes)
            if problem:
                return LocationState(0, problem)
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
