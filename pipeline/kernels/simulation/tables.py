"""Access of compiled code to the tables of the simulated machine.

Compiled functions take one array of addresses and shapes: twenty arrays as arguments would make
compilation ten times slower.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from tracemill.kernels.simulation.layout import State

_COLUMNS = 4
"""Address and three dimensions of a table; unused dimensions are 1."""


def addresses_of(state: State) -> NDArray[np.int64]:
    """Addresses and shapes of the tables; valid while they exist and keep their size."""
    rows = [
        (table.ctypes.data, *table.shape, *(1,) * (_COLUMNS - 1 - table.ndim)) for table in state
    ]
    return np.array(rows, np.int64)


def _getter(number: int, dimensions: int) -> Callable[[Any], Any]:
    """Intrinsic that returns the table of that number as an array."""

    def describe(typing: Any, state: Any) -> Any:
        kind = types.Array(types.int64, dimensions, "C")

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            given = make_array(signature.args[0])(context, builder, value=values[0])
            word = ir.IntType(64)
            row = [
                builder.load(
                    builder.gep(given.data, [ir.Constant(word, _COLUMNS * number + place)])
                )
                for place in range(1 + dimensions)
            ]
            strides = [ir.Constant(word, 8)]
            for size in row[:1:-1]:
                strides.insert(0, builder.mul(strides[0], size))
            table = make_array(kind)(context, builder)
            populate_array(
                table,
                data=builder.inttoptr(row[0], table.data.type),
                shape=row[1:],
                strides=strides,
                itemsize=ir.Constant(word, 8),
                meminfo=None,
            )
            return table._getvalue()

        return kind(state), generate

    return intrinsic(describe)


_NUMBERS = {name: number for number, name in enumerate(State._fields)}


def _getters(dimensions: int, *names: str) -> Iterator[Callable[[Any], Any]]:
    return (_getter(_NUMBERS[name], dimensions) for name in names)


(counters_of, visits_of, comm_sizes_of, first_functions_of) = _getters(
    1, "counters", "visits", "comm_sizes", "first_functions"
)
(
    code_of, processes_of, messages_of, instances_of, comm_ranks_of, comm_members_of, pointers_of,
    heap_of, events_of, waits_of, factors_of,
) = _getters(
    2, "code", "processes", "messages", "instances", "comm_ranks", "comm_members", "pointers",
    "heap", "events", "waits", "factors",
)  # fmt: skip
(slots_of, members_of, remembered_of, team_of, epochs_of, locks_of, stays_of) = _getters(
    3, "slots", "members", "remembered", "team", "epochs", "locks", "stays"
)
