"""Rows of waits and of event records."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.simulation import layout as at
from tracemill.kernels.simulation.tables import counters_of, events_of, team_of, visits_of, waits_of


@unchecked
def new_row(state: Any, property_: Any, location: Any, visit: Any, role: Any) -> Any:
    """Begin a row of waits; returns its number."""
    number = counters_of(state)[at.WAIT_COUNT]
    counters_of(state)[at.WAIT_COUNT] = number + 1
    row = waits_of(state)[number]
    row[:] = at.NOBODY
    row[at.WAIT_PROPERTY], row[at.WAIT_LOCATION] = property_, location
    row[at.WAIT_VISIT], row[at.WAIT_ROLE] = visit, role
    return number


@unchecked
def add_wait(
    state: Any, property_: Any, location: Any, visit: Any, path: Any, enter: Any, start: Any,
    length: Any, cause: Any, cause_visit: Any, cause_enter: Any, is_beyond: Any,
) -> Any:  # fmt: skip
    """Add a wait; returns the number of its row."""
    number = new_row(state, property_, location, visit, at.CERTAIN)
    row = waits_of(state)[number]
    row[at.WAIT_PATH], row[at.WAIT_ENTER] = path, enter
    row[at.WAIT_START], row[at.WAIT_NS] = start, length
    row[at.CAUSE_LOCATION], row[at.CAUSE_VISIT], row[at.CAUSE_ENTER] = (
        cause,
        cause_visit,
        cause_enter,
    )
    row[at.IS_BEYOND] = 1 if is_beyond else 0
    return number


@unchecked
def add_candidate(
    state: Any, property_: Any, location: Any, visit: Any, path: Any, enter: Any, start: Any,
    length: Any, cause: Any, cause_visit: Any, cause_enter: Any, comm: Any, ordinal: Any,
) -> None:  # fmt: skip
    """Add a possible wait for a non-blocking collective."""
    number = add_wait(
        state, property_, location, visit, path, enter, start, length, cause, cause_visit,
        cause_enter, True,
    )  # fmt: skip
    row = waits_of(state)[number]
    row[at.WAIT_ROLE], row[at.WAIT_COMM], row[at.WAIT_ORDINAL] = at.CANDIDATE, comm, ordinal


@unchecked
def add_mark(state: Any, property_: Any, location: Any, visit: Any) -> None:
    """Change the property of the late sender of a call."""
    new_row(state, property_, location, visit, at.MARK)


@unchecked
def put(state: Any, location: Any, kind: Any, time: Any, *arguments: Any) -> None:
    """Add an event record, unless events are off."""
    counters = counters_of(state)
    if counters[at.HAS_EVENTS] == 0:
        return
    row = events_of(state)[counters[at.EVENT_COUNT]]
    counters[at.EVENT_COUNT] += 1
    row[at.EVENT_LOCATION], row[at.EVENT_KIND], row[at.EVENT_TIME] = location, kind, time
    for place in range(len(arguments)):
        row[at.EVENT_ARGUMENTS + place] = arguments[place]


@unchecked
def location_of(state: Any, process: Any) -> Any:
    """Location of the first thread of a process."""
    return process * team_of(state).shape[1]


@unchecked
def enter(state: Any, location: Any, path: Any, now: Any) -> Any:
    """Begin a visit; returns its number on the location."""
    visit = visits_of(state)[location]
    visits_of(state)[location] = visit + 1
    put(state, location, at.ON_ENTER, now, path)
    return visit


@unchecked
def leave(state: Any, location: Any, path: Any, now: Any) -> None:
    """End a visit."""
    put(state, location, at.ON_LEAVE, now, path)
