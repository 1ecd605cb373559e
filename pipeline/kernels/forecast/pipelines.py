"""Pipelined loops: each step waits for edges, computes, and sends its own edges on."""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.forecast.layout import (
    ASK_SEQUENCE,
    ASKED,
    ASKING,
    CLASS_TIME,
    CLOCK,
    COMPUTING,
    EDGE_SIZE,
    EDGES,
    ENTER_NS,
    FED,
    FEEDER,
    FIRST,
    FIRST_EDGE,
    HAS_ALONG,
    INSUFFICIENT,
    INTERVAL,
    IS_CHARGED,
    IS_PRODUCTIVE,
    IS_SHORT,
    IS_STARTED,
    IS_WAITING,
    LAST_NS,
    LAST_SIZE,
    LATEST,
    LEAVING,
    LEFT,
    LIMIT,
    NEXT_SEQUENCE,
    NOBODY,
    NUMBER,
    OUT_NS,
    OUT_PENDING,
    OUTSIDE,
    OVERHEAD,
    PC,
    PENDING,
    PHASE,
    PIPE,
    POSITION,
    PREDECESSOR,
    PRODUCTIVE,
    SECOND_NS,
    SENDING,
    SENT,
    STEP,
    STEP_NS,
    STEPS,
    SUCCESSOR,
    WAKE_NS,
    WORK_NS,
)
from tracemill.kernels.forecast.queue import is_next, push_process
from tracemill.kernels.forecast.records import drop, own_record, whole_record
from tracemill.kernels.forecast.tables import (
    code_of,
    counters_of,
    edges_of,
    operations_of,
    pipes_of,
    processes_of,
    progress_of,
    records_of,
    sent_of,
    spent_of,
    weights_of,
)
from tracemill.kernels.forecast.transferring import has_room, push_one, release_parked
from tracemill.kernels.forecast.waiting import account, note_leave, note_start


@unchecked
def has_turn(state: Any, process: Any) -> Any:
    """Whether a process may act now; otherwise it is queued."""
    clock = processes_of(state)[process, CLOCK]
    if has_room(state) and is_next(state, clock, process, 0, 0):
        return True
    push_process(state, process, clock)
    return False


@unchecked
def is_used(described: Any, edge: Any, step: Any, at_step: Any) -> Any:
    """Whether an edge is passed in a step; along the steps only in the one `at_step`."""
    return described[HAS_ALONG] == 0 or edge + 1 < described[EDGES] or step == at_step


@unchecked
def has_partner(state: Any, operation: Any, process: Any, column: Any, at_step: Any) -> Any:
    """Whether a process has a predecessor, or successor, in its present step."""
    described, step = operations_of(state)[operation], processes_of(state)[process, STEP]
    for edge in range(described[EDGES]):
        row = edges_of(state)[described[FIRST_EDGE] + edge, process]
        if row[column] != NOBODY and is_used(described, edge, step, at_step):
            return True
    return False


@unchecked
def ask(state: Any, edge: Any, process: Any) -> None:
    """Ask for the next message of an edge, and count it if its end is not known."""
    row = processes_of(state)[process]
    number = progress_of(state)[edge, process, ASKED]
    progress_of(state)[edge, process, ASKED] += 1
    record = own_record(state, edge, process, number)
    own = records_of(state)[record]
    own[IS_STARTED] = 1
    own[ASK_SEQUENCE] = counters_of(state)[NEXT_SEQUENCE]
    if own[LEFT] == 0:
        row[WAKE_NS] = max(row[WAKE_NS], own[LATEST])
        drop(state, record)
        return
    row[PENDING] += 1
    own[IS_WAITING] = 1
    release_parked(state, process, record, row[CLOCK])


@unchecked
def send(state: Any, edge: Any, process: Any, size: Any) -> None:
    """Send the next message of an edge, and those that are extrapolated from it."""
    row, own = processes_of(state)[process], edges_of(state)[edge, process]
    now = row[CLOCK]
    number = progress_of(state)[edge, process, SENT]
    progress_of(state)[edge, process, SENT] += 1
    sent_of(state)[edge, process, number & 3] = now
    if pipes_of(state)[operations_of(state)[edge, PIPE], own[SUCCESSOR], STEPS] != 0:
        if size > counters_of(state)[LIMIT]:
            row[OUT_PENDING] += 1
        push_one(state, now, process, own[SUCCESSOR], edge, number, 0, size, row[PC])
    if own[FED] != NOBODY:
        before = sent_of(state)[edge, own[FIRST], number & 3]
        ready = now + (own[POSITION] - 2) * (now - before)
        push_one(state, ready, own[FEEDER], own[FED], edge, number, 0, size, row[PC])


@unchecked
def enter_pipeline(state: Any, operation: Any, process: Any) -> None:
    """Begin the first step."""
    row = processes_of(state)[process]
    row[PHASE], row[STEP], row[ENTER_NS], row[WORK_NS] = ASKING, 0, row[CLOCK], 0
    row[OUT_PENDING], row[OUT_NS] = 0, 0
    if operations_of(state)[operation, IS_SHORT] != 0:
        return
    number = progress_of(state)[operation, process, NUMBER]
    whole = whole_record(state, operation, number)
    note_start(records_of(state)[whole], row[CLOCK])


@unchecked
def ask_for_edges(state: Any, operation: Any, process: Any) -> Any:
    """Pay the overhead and ask for the edges of a step; whether the process can go on."""
    row, described = processes_of(state)[process], operations_of(state)[operation]
    last = pipes_of(state)[described[PIPE], process, STEPS] - 1
    has_receives = has_partner(state, operation, process, PREDECESSOR, 0)
    if row[IS_CHARGED] == 0 and (
        has_receives or has_partner(state, operation, process, SUCCESSOR, last)
    ):
        row[IS_CHARGED] = 1
        row[CLOCK] += counters_of(state)[OVERHEAD]
    if has_receives and not has_turn(state, process):
        return False
    row[PHASE], row[IS_CHARGED] = COMPUTING, 0
    row[PENDING], row[WAKE_NS] = 0, row[CLOCK]
    for edge in range(described[EDGES]):
        number = described[FIRST_EDGE] + edge
        if edges_of(state)[number, process, PREDECESSOR] != NOBODY and is_used(
            described, edge, row[STEP], 0
        ):
            ask(state, number, process)
    if row[PENDING] > 0:
        return False
    row[CLOCK] = max(row[CLOCK], row[WAKE_NS])
    return True


@unchecked
def compute_step(state: Any, operation: Any, process: Any) -> None:
    """Compute one step."""
    row, described = processes_of(state)[process], operations_of(state)[operation]
    pipe = pipes_of(state)[described[PIPE], process]
    time = pipe[LAST_NS] if row[STEP] == pipe[STEPS] - 1 else pipe[STEP_NS]
    row[CLOCK] += time
    row[WORK_NS] += time
    row[PHASE] = SENDING
    if described[IS_SHORT] == 0:
        interval = code_of(state)[row[PC], INTERVAL]
        column = PRODUCTIVE if pipe[IS_PRODUCTIVE] != 0 else INSUFFICIENT
        spent_of(state)[interval, process, column] += weights_of(state)[row[PC]] * time


@unchecked
def send_edges(state: Any, operation: Any, process: Any) -> Any:
    """Send the edges of a step and go on to the next one; whether the process can."""
    row, described = processes_of(state)[process], operations_of(state)[operation]
    steps = pipes_of(state)[described[PIPE], process, STEPS]
    is_last = row[STEP] == steps - 1
    if has_partner(state, operation, process, SUCCESSOR, steps - 1):
        if not has_turn(state, process):
            return False
        for edge in range(described[EDGES]):
            number = described[FIRST_EDGE] + edge
            own = edges_of(state)[number, process]
            if own[SUCCESSOR] != NOBODY and is_used(described, edge, row[STEP], steps - 1):
                send(state, number, process, own[LAST_SIZE] if is_last else own[EDGE_SIZE])
    if row[STEP] == 1:
        row[SECOND_NS] = row[CLOCK]
    if row[STEP] == 2 and described[IS_SHORT] != 0 and steps > 4:
        row[CLOCK] += (steps - 4) * (row[CLOCK] - row[SECOND_NS])
        row[STEP] = steps - 2
    row[STEP] += 1
    row[PHASE] = ASKING if row[STEP] < steps else LEAVING
    return True


@unchecked
def leave_pipeline(state: Any, operation: Any, process: Any) -> None:
    """Account for the loop: all but computing is communication."""
    row, described = processes_of(state)[process], operations_of(state)[operation]
    row[CLOCK] = max(row[CLOCK], row[OUT_NS])
    row[PHASE] = OUTSIDE
    if described[IS_SHORT] != 0:
        return
    number = progress_of(state)[operation, process, NUMBER]
    progress_of(state)[operation, process, NUMBER] += 1
    time = row[CLOCK] - row[ENTER_NS] - row[WORK_NS]
    account(state, row[PC], operation, CLASS_TIME, time)
    whole = whole_record(state, operation, number)
    note_leave(state, whole, row[PC], operation, row[CLOCK])


@unchecked
def run_pipeline(state: Any, operation: Any, process: Any) -> Any:
    """Go on with a pipelined loop; whether the process has left it."""
    row = processes_of(state)[process]
    if row[PHASE] == OUTSIDE:
        if pipes_of(state)[operations_of(state)[operation, PIPE], process, STEPS] == 0:
            return True
        enter_pipeline(state, operation, process)
    while row[PHASE] != LEAVING:
        if row[PHASE] == ASKING and not ask_for_edges(state, operation, process):
            return False
        if row[PHASE] == COMPUTING:
            compute_step(state, operation, process)
        if not send_edges(state, operation, process):
            return False
    if row[OUT_PENDING] > 0:
        return False
    leave_pipeline(state, operation, process)
    return True
