"""Writing down who waited, for whom, and how long."""

from typing import Any

from tracemill.kernels.simulation.compiled import part
from tracemill.kernels.simulation.layout import (
    CANDIDATE,
    CAUSE_ENTER,
    CAUSE_LOCATION,
    CAUSE_VISIT,
    CERTAIN,
    EVENT_ARGUMENTS,
    EVENT_COUNT,
    EVENT_KIND,
    EVENT_LOCATION,
    EVENT_TIME,
    HAS_EVENTS,
    IS_BEYOND,
    MARK,
    NOBODY,
    ON_ENTER,
    ON_LEAVE,
    WAIT_COMM,
    WAIT_COUNT,
    WAIT_ENTER,
    WAIT_LOCATION,
    WAIT_NS,
    WAIT_ORDINAL,
    WAIT_PATH,
    WAIT_PROPERTY,
    WAIT_ROLE,
    WAIT_START,
    WAIT_VISIT,
)
from tracemill.kernels.simulation.tables import (
    counters_of,
    events_of,
    team_of,
    visits_of,
    waits_of,
)


@part
def new_row(state: Any, property_: Any, location: Any, visit: Any, role: Any) -> Any:
    """Begin another row of waits; returns its number."""
    number = counters_of(state)[WAIT_COUNT]
    counters_of(state)[WAIT_COUNT] = number + 1
    row = waits_of(state)[number]
    row[:] = NOBODY
    row[WAIT_PROPERTY], row[WAIT_LOCATION] = property_, location
    row[WAIT_VISIT], row[WAIT_ROLE] = visit, role
    return number


@part
def add_wait(
    state: Any, property_: Any, location: Any, visit: Any, path: Any, enter: Any, start: Any,
    length: Any, cause: Any, cause_visit: Any, cause_enter: Any, is_beyond: Any,
) -> Any:  # fmt: skip
    """Add a wait; returns the number of its row."""
    number = new_row(state, property_, location, visit, CERTAIN)
    row = waits_of(state)[number]
    row[WAIT_PATH], row[WAIT_ENTER] = path, enter
    row[WAIT_START], row[WAIT_NS] = start, length
    row[CAUSE_LOCATION], row[CAUSE_VISIT], row[CAUSE_ENTER] = cause, cause_visit, cause_enter
    row[IS_BEYOND] = 1 if is_beyond else 0
    return number


@part
def add_candidate(
    state: Any, property_: Any, location: Any, visit: Any, path: Any, enter: Any, start: Any,
    length: Any, cause: Any, cause_visit: Any, cause_enter: Any, comm: Any, ordinal: Any,
) -> None:  # fmt: skip
    """Add a wait for a non-blocking collective that its call may have had."""
    number = add_wait(
        state, property_, location, visit, path, enter, start, length, cause, cause_visit,
        cause_enter, True,
    )  # fmt: skip
    row = waits_of(state)[number]
    row[WAIT_ROLE], row[WAIT_COMM], row[WAIT_ORDINAL] = CANDIDATE, comm, ordinal


@part
def add_mark(state: Any, property_: Any, location: Any, visit: Any) -> None:
    """Say that the late sender that a call waited for has another property."""
    new_row(state, property_, location, visit, MARK)


@part
def put(state: Any, location: Any, kind: Any, time: Any, *arguments: Any) -> None:
    """Add an event record, if they are wanted."""
    counters = counters_of(state)
    if counters[HAS_EVENTS] == 0:
        return
    row = events_of(state)[counters[EVENT_COUNT]]
    counters[EVENT_COUNT] += 1
    row[EVENT_LOCATION], row[EVENT_KIND], row[EVENT_TIME] = location, kind, time
    for place in range(len(arguments)):
        row[EVENT_ARGUMENTS + place] = arguments[place]


@part
def location_of(state: Any, process: Any) -> Any:
    """The location of a process's first thread."""
    return process * team_of(state).shape[1]


@part
def enter(state: Any, location: Any, path: Any, now: Any) -> Any:
    """A visit begins; returns its number on the location."""
    visit = visits_of(state)[location]
    visits_of(state)[location] = visit + 1
    put(state, location, ON_ENTER, now, path)
    return visit


@part
def leave(state: Any, location: Any, path: Any, now: Any) -> None:
    """A visit ends."""
    put(state, location, ON_LEAVE, now, path)
