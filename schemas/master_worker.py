"""Masters and their workers: one process assigns work to others."""

from tracemill.schemas.columns import (
    CONFIDENCE,
    ENTER_NS,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    MESSAGE_COUNT,
    MESSAGE_ID,
    renamed,
)
from tracemill.schemas.table import BOOL, INT64, Column, Table

_MASTER = renamed(
    LOCATION_GROUP_ID, "master_group_id", "Process that receives requests and answers them."
)
_WORKER = renamed(LOCATION_GROUP_ID, "worker_group_id", "Process that sends requests.")
_ROUND_COUNT = Column(
    name="round_count",
    type=INT64,
    unit="rounds",
    minimum=1,
    meaning="Number of requests of the worker with an answer.",
)

DEVOTED_PROCESSES = Table(
    name="devoted_processes",
    meaning=(
        "Processes that exchange almost all messages with one other process, which has several "
        "such partners."
    ),
    grain="one row per devoted process and its partner",
    key=("worker_group_id", "master_group_id"),
    is_transient=True,
    columns=(
        _MASTER,
        _WORKER,
        renamed(MESSAGE_COUNT, "answer_count", "Messages from the master to the worker."),
        renamed(MESSAGE_COUNT, "shared_count", "Messages between the two, in both directions."),
        renamed(MESSAGE_COUNT, "message_count", "Messages that the worker sends and receives."),
    ),
)

WORKER_ROUNDS = Table(
    name="worker_rounds",
    meaning="Requests that the master answered before it received the next one.",
    grain="one row per request that was answered immediately",
    key=("request_id",),
    is_transient=True,
    columns=(
        renamed(MESSAGE_ID, "request_id", "Message with the request of the worker."),
        renamed(MESSAGE_ID, "answer_id", "Message with the answer of the master."),
        _MASTER,
        _WORKER,
        renamed(LOCATION_ID, "master_location_id", "Location that sends the answer."),
        renamed(LOCATION_ID, "worker_location_id", "Location that receives the answer."),
        renamed(ENTER_NS, "asked_ns", "Enter time of the call that sends the request."),
        renamed(ENTER_NS, "awaited_ns", "Enter time of the call that receives the answer."),
        renamed(LEAVE_NS, "taken_ns", "Time when the master had received the request."),
        renamed(ENTER_NS, "answered_ns", "Enter time of the call that sends the answer."),
        renamed(LEAVE_NS, "received_ns", "Time when the worker had received the answer."),
        Column(
            name="is_clock_violation",
            type=BOOL,
            meaning="The request or the answer is received before it is sent.",
        ),
    ),
)

MASTER_WORKERS = Table(
    name="master_workers",
    meaning="Processes that receive their work from a master, derived from their messages.",
    grain="one row per worker of a master",
    key=("worker_group_id", "master_group_id"),
    columns=(
        _MASTER,
        _WORKER,
        _ROUND_COUNT,
        renamed(
            CONFIDENCE,
            "confidence",
            "Confidence that these are a master and its workers, the same for all workers of a "
            "master. It is 95, because no record confirms the roles, times three shares: the "
            "workers' messages that are exchanged with the master; the master's messages that are "
            "immediate answers; the other processes that are its workers.",
        ),
    ),
)

TABLES = (DEVOTED_PROCESSES, WORKER_ROUNDS, MASTER_WORKERS)
