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
        if declared and not state.problem:
            # Without id maps and clock offsets, ids and times would be silently wrong.
            problem = check_definition_file(local, chunk_bytes=archive.definition_chunk_bytes)
            if problem:
                return LocationState(0, problem)
        return state

    states = map_in_threads(check, archive.definitions["Location"].items(), threads)
    problems = [state for state in states if state.problem]
    if problems and not allow_damaged:
        raise DamagedTraceError(damage_of([state.problem for state in problems]))
    return states
