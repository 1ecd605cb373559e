"""Late Sender waits during which an older message could have been received instead.

A wait is marked by the next message that its location receives after it and that was sent earlier,
also if MPI_Test receives it:

    received   1st  2nd  3rd  4th
    sent at     50   30   40   10      50 is marked by 30, the waits for 30 and 40 by 10

Each location remembers its latest unmarked waits, first in, first out: as many as Scalasca's
analyzer does, so that results can be compared. Source: Scalasca pattern reference, "MPI Late
Sender, Wrong Order Time".
"""

import numpy as np
import pyarrow as pa

from tracemill.schemas.wait_states import WRONG_ORDER
from tracemill.stages.arrays import Relation, in_order, place, read_columns
from tracemill.stages.stage import PythonStage


def find_wrong_order(
    messages: Relation, awaited_messages: Relation, *, remembered_waits: int = 100
) -> pa.Table:
    """Awaited messages received in the wrong order; 0 remembers all waits."""
    from tracemill.kernels.wrong_order import NONE, mark_waits

    found = read_columns(
        messages,
        "receiver_location_id::BIGINT",
        "receive_sequence",
        "message_id",
        "send_ns",
        "sender_group_id::BIGINT",
        "coalesce(receive_completion_visit_id, -1)",
    )
    location, _, number, sent, sender, visit = in_order(found, keys=2)
    message, waiting = read_columns(awaited_messages, "message_id", "visit_id")
    # A wait follows the last message of its call: messages of one call never mark each other.
    visits, from_end = np.unique(visit[::-1], return_index=True)
    last = len(visit) - 1 - from_end[np.searchsorted(visits, waiting)]
    awaited = np.full(len(number), NONE)
    awaited[last] = place(number, np.arange(len(number)))[message]
    marker = mark_waits(location, sent, awaited, remembered_waits)
    marked = np.flatnonzero(marker != NONE)
    wait = awaited[marked]
    by_message = np.argsort(number[wait])
    is_same = sender[wait] == sender[marker[marked]]
    return pa.table({"message_id": number[wait][by_message], "is_same_sender": is_same[by_message]})


WRONG_ORDER_STAGE = PythonStage(
    name="wrong_order",
    outputs=(WRONG_ORDER,),
    compute=find_wrong_order,
    needed_rows=(("awaited_messages",),),
)
