"""Points: moments of processes, meetings and transfers that wait for other points.

They describe recorded runs, in which each process has its own instructions.
"""

from typing import Any

from tracemill.kernels.compiled import unchecked
from tracemill.kernels.forecast.layout import (
    ACTION,
    CAUSE,
    CLOCK,
    END_NS,
    FIRST_FOLLOWER,
    LATEST_NS,
    MEETING,
    MISSING,
    NOBODY,
    POINT_KIND,
    POINT_SIZE,
    POINT_TASK,
    READY_NS,
    RECEIVING,
    SENDER,
    WAITER,
)
from tracemill.kernels.forecast.queue import push, push_process
from tracemill.kernels.forecast.records import process_count
from tracemill.kernels.forecast.tables import followers_of, points_of, processes_of
from tracemill.kernels.network.transfers import transfer


@unchecked
def act(state: Any, point: Any, process: Any, is_fixed: Any, time: Any) -> Any:
    """Wait for a point and go on for that time, or until that time; whether it has happened."""
    row, own = points_of(state)[point], processes_of(state)[process]
    if is_fixed:
        own[CLOCK] = time
        row[READY_NS] = time
    else:
        if row[MISSING] > 0:
            row[WAITER] = process
            return False
        own[CLOCK] = max(own[CLOCK], row[LATEST_NS])
        row[READY_NS] = own[CLOCK]
        own[CLOCK] += time
    happen(state, point, own[CLOCK])
    return True


@unchecked
def happen(state: Any, point: Any, now: Any) -> None:
    """Note when a point happened, and let those go on that waited for it as the last one."""
    points, followers = points_of(state), followers_of(state)
    points[point, END_NS] = now
    for place in range(points[point, FIRST_FOLLOWER], points[point + 1, FIRST_FOLLOWER]):
        row = points[followers[place]]
        if (
            row[CAUSE] == NOBODY or now > row[LATEST_NS]
            or (now == row[LATEST_NS] and point < row[CAUSE])
        ):  # fmt: skip
            row[LATEST_NS], row[CAUSE] = now, point
        row[MISSING] -= 1
        if row[MISSING] > 0:
            continue
        if row[POINT_KIND] != ACTION:
            order = process_count(state) + 1 + row[SENDER]
            push(state, row[LATEST_NS], order, row[RECEIVING] + 1, POINT_TASK - followers[place])
        elif row[WAITER] != NOBODY:
            waiter = row[WAITER]
            push_process(state, waiter, max(processes_of(state)[waiter, CLOCK], row[LATEST_NS]))


@unchecked
def run_point(state: Any, network: Any, point: Any, now: Any) -> None:
    """Let a meeting happen, or give a transfer its channel."""
    row = points_of(state)[point]
    row[READY_NS] = now
    if row[POINT_KIND] == MEETING:
        happen(state, point, now)
        return
    happen(state, point, transfer(network, row[SENDER], row[RECEIVING], row[POINT_SIZE], now, 1))
