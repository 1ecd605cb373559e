"""Access of compiled code to the tables of the simulated machine."""

from collections.abc import Callable, Iterator
from typing import Any

from tracemill.kernels.addressed import getter
from tracemill.kernels.simulation.layout import State

_NUMBERS = {name: number for number, name in enumerate(State._fields)}


def _getters(dimensions: int, *names: str) -> Iterator[Callable[[Any], Any]]:
    return (getter(_NUMBERS[name], dimensions) for name in names)


(counters_of, visits_of, comm_sizes_of, first_functions_of, incoming_of) = _getters(
    1, "counters", "visits", "comm_sizes", "first_functions", "incoming"
)
shares_of = getter(_NUMBERS["shares"], 1, "float64")
(
    code_of, processes_of, messages_of, instances_of, comm_ranks_of, comm_members_of, pointers_of,
    heap_of, events_of, waits_of, factors_of, pending_of, schedules_of, carries_of, groups_of,
    choices_of,
) = _getters(
    2, "code", "processes", "messages", "instances", "comm_ranks", "comm_members", "pointers",
    "heap", "events", "waits", "factors", "pending", "schedules", "carries", "groups", "choices",
)  # fmt: skip
(
    slots_of, members_of, remembered_of, team_of, epochs_of, locks_of, stays_of, plans_of,
    group_states_of,
) = _getters(
    3, "slots", "members", "remembered", "team", "epochs", "locks", "stays", "plans",
    "group_states",
)  # fmt: skip
