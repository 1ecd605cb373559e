"""Masters and their workers: processes of which one hands out work to the others."""

from schemas.columns import (
    CONFIDENCE,
    ENTER_NS,
    LEAVE_NS,
    LOCATION_GROUP_ID,
    LOCATION_ID,
    MESSAGE_COUNT,
    MESSAGE_ID,
    renamed,
)
from schemas.table import BOOL, INT64, Column, Table

_MASTER = renamed(LOCATION_GROUP_ID, "master_group_id", "Process that is asked, and answers.")
_WORKER = renamed(LOCATION_GROUP_ID, "worker_group_id", "Process that asks.")
_ROUND_COUNT = Column(
    name="round_count",
    type=INT64,
    unit="rounds",
    minimum=1,
    meaning="How often the worker asked and was answered.",
)

DEVOTED_PROCESSES = Table(
    name="devoted_processes",
    meaning="Processes that exchange messages with hardly any other process than one, which has "
    "several such.",
    grain="one row per devoted process and the one it exchanges messages with",
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
    meaning="Requests of which each was answered before the next one was taken.",
    grain="one row per request that was answered at once",
    key=("request_id",),
    is_transient=True,
    columns=(
        renamed(MESSAGE_ID, "request_id", "Message in which the worker asks."),
        renamed(MESSAGE_ID, "answer_id", "Message in which the master answers."),
        _MASTER,
        _WORKER,
        renamed(LOCATION_ID, "master_location_id", "Location that answers."),
        renamed(LOCATION_ID, "worker_location_id", "Location that gets the answer."),
        renamed(ENTER_NS, "asked_ns", "When the call that sends the request began."),
        renamed(ENTER_NS, "awaited_ns", "When the call that gets the answer began."),
        renamed(LEAVE_NS, "taken_ns", "When the master had the request."),
        renamed(ENTER_NS, "answered_ns", "When the call that sends the answer began."),
        renamed(LEAVE_NS, "received_ns", "When the worker had the answer."),
        Column(
            name="is_clock_violation",
            type=BOOL,
            meaning="Request or answer is received before it is sent.",
        ),
    ),
)

MASTER_WORKERS = Table(
    name="master_workers",
    meaning="Processes that get their work from a master, as far as messages show it.",
    grain="one row per worker of a master",
    key=("worker_group_id", "master_group_id"),
    columns=(
        _MASTER,
        _WORKER,
        _ROUND_COUNT,
        renamed(
            CONFIDENCE,
            "confidence",
            "How sure it is that these are a master and its workers, the same for all of them: "
            "95, as no record says so, times the shares of the workers' messages that are "
            "exchanged with the master, of its messages that answer at once, and of all other "
            "processes that are its workers.",
        ),
    ),
)

TABLES = (DEVOTED_PROCESSES, WORKER_ROUNDS, MASTER_WORKERS)
