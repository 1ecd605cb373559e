"""Arguments of records by quantity."""

from typing import Any

from tracemill.kernels.compiled import kernel


@kernel
def take_quantities(kinds: Any, arguments: Any, places: Any, values: Any, is_absent: Any) -> None:
    """Fill `values` and `is_absent`, a row per quantity, from the arguments of records.

    `places` is the argument of each quantity (row) in each kind of record (column), negative if
    there is none; the value is then 0.
    """
    for row in range(len(kinds)):
        for quantity in range(len(places)):
            place = places[quantity, kinds[row]]
            is_absent[quantity, row] = place < 0
            values[quantity, row] = arguments[row, place] if place >= 0 else 0
